#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

TEST(the_title_is_collapsed)
{
	AUTO_PAGE *page =
		page_of("<svg><title>x</title></svg><title> </title>"
			"<title>\n A &amp;\n <b>B</b></title><title>C</title>");

	check_slice(page->title, "A & <b>B</b>");
}

TEST(the_language_is_of_html_or_of_the_meta)
{
	struct page *page = page_of(
		"<html lang=' de-AT '><meta http-equiv=content-language "
		"content=fr>");

	check_slice(page->language, "de-AT");
	page_destroy(page);
	page = page_of("<html xml:lang=ja>");
	check_slice(page->language, "ja");
	page_destroy(page);
	page = page_of("<meta http-equiv=Content-Language content=fr>");
	check_slice(page->language, "fr");
	page_destroy(page);
}

TEST(the_description_and_the_base_are_the_first)
{
	AUTO_PAGE *page =
		page_of("<meta name=Description content=' a\n b '>"
			"<meta name=description content=c><base target=x>"
			"<base href=' /d '><base href=/e>");

	check_slice(page->description, "a b");
	check_slice(page->base, "/d");
}

TEST(robots_are_heard)
{
	struct page *page =
		page_of("<meta name=ROBOTS content='NoIndex,follow'>");

	ck_assert(page->is_noindex);
	ck_assert(!page->is_nofollow);
	page_destroy(page);
	page = page_of("<meta name=templated content=none>");
	ck_assert(page->is_noindex);
	ck_assert(page->is_nofollow);
	page_destroy(page);
	page = page_of("<meta name=googlebot content=none>");
	ck_assert(!page->is_noindex);
	ck_assert(!page->is_nofollow);
	page_destroy(page);
}

static void check_link(const char *html, const char *href, const char *anchor,
		       unsigned flags)
{
	AUTO_PAGE *page = page_of(html);

	ck_assert_uint_eq(page->link_count, 1);
	check_slice(page->links[0].href, href);
	check_slice(page->links[0].anchor, anchor);
	ck_assert_uint_eq(page->links[0].flags, flags);
	ck_assert_uint_lt(page->links[0].node, page->node_count);
}

TEST(each_kind_of_link_is_found)
{
	check_link("<a href=' /a?b&amp;c '> x <b>y\nz</b> </a>", "/a?b&c",
		   "x y z", 0);
	check_link("<a href=/a rel='noopener NoFollow'>x</a>", "/a", "x",
		   LINK_IS_NOFOLLOW);
	check_link("<a href=/a rel=next>x</a>", "/a", "x", LINK_IS_NEXT);
	check_link("<map><area href=/a></map>", "/a", "", 0);
	check_link("<link rel=canonical href=/a>", "/a", "", LINK_IS_CANONICAL);
	check_link("<link rel=alternate hreflang=de href=/a>", "/a", "",
		   LINK_IS_ALTERNATE);
	check_link("<link rel=alternate hreflang=de type=' Text/HTML; "
		   "charset=utf-8' href=/a>",
		   "/a", "", LINK_IS_ALTERNATE);
	check_link("<a href=/a type=application/xhtml+xml>x</a>", "/a", "x", 0);
	check_link("<a href=/a type=button>x</a>", "/a", "x", 0);
	check_link("<link rel=prev href=/a>", "/a", "", LINK_IS_NEXT);
	check_link("<frameset><frame src=/a></frameset>", "/a", "", 0);
	check_link("<meta http-equiv=Refresh content=\"5; URL='/a'\">", "/a",
		   "", LINK_IS_REFRESH);
	check_link("<meta http-equiv=refresh content='0;url=/a'>", "/a", "",
		   LINK_IS_REFRESH);
	check_link("<meta http-equiv=refresh content=' 0.5 /a'>", "/a", "",
		   LINK_IS_REFRESH);
	check_link("<meta http-equiv=refresh content='0,\"/a\"b'>", "/a", "",
		   LINK_IS_REFRESH);
	check_link("<script>location.replace('/a')</script>", "/a", "",
		   LINK_IS_REFRESH);
	check_link("<a href=/a>x</a><meta name=robots content=nofollow>", "/a",
		   "x", LINK_IS_NOFOLLOW);
}

TEST(what_leads_nowhere_is_no_link)
{
	AUTO_PAGE *page = page_of(
		"<a name=x>a</a><a href=' '>b</a><a href>c</a>"
		"<link rel=stylesheet href=/a><link rel='alternate stylesheet' "
		"href=/a><link href=/a><iframe src=/a></iframe>"
		"<meta http-equiv=refresh content=5>"
		"<meta http-equiv=refresh content='5; url'><frame>"
		"<meta http-equiv=refresh content='/a'>"
		"<meta http-equiv=refresh content='5x;/a'>");

	ck_assert_uint_eq(page->link_count, 0);
}

TEST(feeds_and_data_are_no_pages)
{
	AUTO_PAGE *page = page_of(
		"<link rel=alternate type=application/rss+xml href=/feed>"
		"<link rel=alternate type='application/atom+xml; type=feed' "
		"hreflang=en href=/a>"
		"<link rel=alternate type=application/json+oembed href=/b>"
		"<link rel=alternate type=text/xml+oembed href=/c>"
		"<link rel=alternate type=application/json href=/wp-json/1>"
		"<link rel='https://api.w.org/' href=/wp-json/>"
		"<link rel=EditURI type=application/rsd+xml href=/xmlrpc.php>"
		"<link rel=canonical type=application/pdf href=/d>"
		"<a href=/e type=application/rss+xml>feed</a>");

	ck_assert_uint_eq(page->link_count, 0);
}

/* 1,000 bytes of text are little enough. */
TEST(a_script_beside_text_leads_nowhere)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	buffer_append_text(&html, "<script>location = '/a'</script><p>");
	for (int i = 0; i < 1000; i++)
		buffer_append_byte(&html, 'x');
	page = page_of(html.data);
	ck_assert_uint_eq(page->link_count, 1);
	page_destroy(page);
	buffer_append_byte(&html, 'x');
	page = page_of(html.data);
	ck_assert_uint_eq(page->link_count, 0);
	page_destroy(page);
}

TEST(an_anchor_is_cut_between_characters)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;

	/* 255 bytes and one of two: 255 remain */
	buffer_append_text(&html, "<a href=/>");
	for (int i = 0; i < 255; i++)
		buffer_append_byte(&html, 'a');
	buffer_append_text(&html, "éa</a><a href=/>");
	for (int i = 0; i < 5000; i++)
		buffer_append_text(&html, "é");
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	ck_assert_uint_eq(page->links[0].anchor.size, 255);
	ck_assert_uint_eq(page->links[1].anchor.size, 256);
}

TEST(an_anchor_of_2048_bytes_is_read_to_its_end)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	/* the text of the page ends where the anchor's buffer is full */
	buffer_append_text(&html, "<a href=/>");
	for (int i = 0; i < 2048; i++)
		buffer_append_byte(&html, 'a');
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	ck_assert_uint_eq(page->links[0].anchor.size, 256);
	page_destroy(page);
}
