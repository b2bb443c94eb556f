#include "extract/render/markdown.h"

#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void append(const char *kind, const struct reference_list *list,
		   struct buffer *out)
{
	for (size_t i = 0; i < list->count; i++) {
		buffer_printf(out, "%s ", kind);
		buffer_append_slice(out, list->items[i].address);
		buffer_append_text(out, " [");
		buffer_append_slice(out, list->items[i].text);
		buffer_append_text(out, "]\n");
	}
}

static void assert_references(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	const struct render_request request = {
		.page = page, .verdicts = run(page, "plain", NULL, NULL)};
	struct references references = references_make(page->arena, &request);
	AUTO_BUFFER out = {0};

	append("image", &references.images, &out);
	append("link", &references.links, &out);
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

TEST(images_are_listed_once)
{
	assert_references("", "");
	assert_references("<p>a<img src=i alt='x &amp; y'>b<img src=j>c"
			  "<img src=i>d",
			  "image i [x & y]\nimage j []\n");
}

TEST(links_have_their_text)
{
	assert_references("<p>a <a href=/b>b <b>c</b></a><a href=d>e</a>",
			  "link /b [b c]\nlink d [e]\n");
	assert_references("<p>a <a href=/b>b</a> c <a href=/b>d</a>",
			  "link /b [b]\nlink /b [d]\n");
	assert_references("<p>a <a href='javascript:x'>b</a>", "");
}

TEST(a_link_over_an_image_has_no_text)
{
	assert_references("<p>a<a href=/b><img src=i></a>c",
			  "image i []\nlink /b []\n");
}
