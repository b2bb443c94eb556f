#include "page/page_kind.h"

#include "base/buffer.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static const char *kind_at(const char *path, const char *html)
{
	AUTO_PAGE *page = page_of(html);

	return page_kind_name(page_kind_of(page, slice_of(path)));
}

static const char *kind_of_path(const char *path)
{
	return page_kind_name(page_kind_of_path(slice_of(path)));
}

#define CHECK_KIND(html, kind) ck_assert_str_eq(kind_at("/a/b", html), kind)
#define CHECK_PATH(path, kind) ck_assert_str_eq(kind_of_path(path), kind)

TEST(escapes_of_paths_are_decoded_twice)
{
	char out[8];
	size_t size = url_path_decode(slice_of("%2561/%41%4z%"), out, 8);

	ck_assert_uint_eq(size, 7);
	ck_assert_mem_eq(out, "a/A%4z%", 7);
	ck_assert_uint_eq(url_path_decode(slice_of("%41%42%43"), out, 2), 2);
}

TEST(kinds_have_names)
{
	ck_assert_str_eq(page_kind_name(KIND_UNKNOWN), "page");
	ck_assert_str_eq(page_kind_name(KIND_PLAIN), "page");
	ck_assert_str_eq(page_kind_name(KIND_TOPIC), "topic");
	ck_assert_str_eq(page_kind_name(PAGE_KIND_COUNT), "page");
	ck_assert_int_eq(KIND_INFO, 19);
}

/* A page cannot make the words of an attribute cost much. */
TEST(only_the_first_128_words_are_read)
{
	struct buffer html = {0};

	for (int words = 127; words <= 128; words++) {
		html.size = 0;
		buffer_append_text(&html, "<body class='");
		for (int i = 0; i < words; i++)
			buffer_append_text(&html, "x ");
		buffer_append_text(&html, "error404'>");
		buffer_append_byte(&html, '\0');
		CHECK_KIND(html.data, words == 127 ? "error" : "page");
	}
	buffer_free(&html);
}

TEST(classes_of_the_root_show_the_kind)
{
	CHECK_KIND("<body class='error404 wp-custom-logo'>", "error");
	CHECK_KIND("<title>403 Forbidden</title><h1>Forbidden</h1>", "error");
	CHECK_KIND("<body class='home page page-id-2'>", "home");
	CHECK_KIND("<body class='single single-product postid-417'>",
		   "product");
	CHECK_KIND("<body class='archive category category-museum paged-7'>",
		   "list");
	CHECK_KIND("<body class='not-front page-node-17 node-type-web-person'>",
		   "profile");
	CHECK_KIND("<body class='mediawiki ns-0 action-history'>", "history");
	CHECK_KIND("<html class='docs-wrapper docs-doc-page'><body>",
		   "documentation");
	CHECK_KIND("<body class='plain not-front'>", "page");
}

TEST(types_show_the_kind)
{
	CHECK_KIND("<script type=application/ld+json>{\"@graph\":[{\"@type\":"
		   "\"WebSite\"},{\"@type\":\"NewsArticle\"}]}</script>",
		   "article");
	CHECK_KIND("<div itemscope itemtype=https://schema.org/Product>a</div>",
		   "product");
	/* the author of an article is not the subject of the page */
	CHECK_KIND("<script type=application/ld+json>{\"@type\":\"Article\","
		   "\"author\":{\"@type\":\"ProfilePage\"}}</script>",
		   "article");
	CHECK_KIND("<meta property=og:type content=product>", "product");
	CHECK_KIND("<meta name=generator content='Doxygen 1.9.1'>",
		   "documentation");
	CHECK_KIND("<meta property=og:type content=article>", "page");
}

TEST(many_items_are_a_list)
{
	CHECK_KIND("<i itemscope itemtype=//schema.org/Product>a</i>"
		   "<i itemscope itemtype=//schema.org/Product>a</i>"
		   "<i itemscope itemtype=//schema.org/Product>a</i>",
		   "list");
	CHECK_KIND("<article>a</article><article>b</article><article>c"
		   "</article><nav class=pagination>1</nav>",
		   "list");
}

TEST(paths_show_the_kind)
{
	CHECK_PATH("/", "home");
	CHECK_PATH("/index.html", "home");
	CHECK_PATH("/product/red-hat", "product");
	CHECK_PATH("/products", "list");
	CHECK_PATH("/2021/09/26/", "list");
	CHECK_PATH("/2021/09/26/red-hat/", "article");
	CHECK_PATH("/category/hats/page/2/", "list");
	CHECK_PATH("/what-a-product-can-do", "page");
	CHECK_PATH("/index.php?route=product/category&path=20", "list");
	CHECK_PATH("/index.php@route=product%252Fproduct&product_id=4.html",
		   "product");
	CHECK_PATH("/wiki/index.php?title=A&action=history", "history");
	CHECK_PATH("/%", "page");
	CHECK_PATH("", "home");
}

TEST(titles_show_the_kind)
{
	CHECK_KIND("<title>Page not found - The Shop</title>", "error");
	CHECK_KIND("<title>How a page not found a home</title>", "page");
	CHECK_KIND("<title>Log in - The Wiki</title>", "login");
}
