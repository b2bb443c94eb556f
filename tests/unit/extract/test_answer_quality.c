#include "extract/extractors.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define TEN_WORDS "one two three four five six seven eight nine ten"

/* Of everything visible of `html`. */
static const char *quality_with(const char *html, unsigned http_status)
{
	AUTO_PAGE *page = parse(html);
	const struct verdict *verdicts = run(page, "plain", NULL, NULL);
	enum text_quality quality =
		text_quality_of(page, verdicts, false, http_status);

	return text_quality_name(quality);
}

static const char *quality(const char *html)
{
	return quality_with(html, 200);
}

TEST(text_and_other_markup_is_not_html)
{
	ck_assert_str_eq(quality("{\"a\": [1, 2]}"), "not-html");
	ck_assert_str_eq(quality("Dear reader,\nthis is text."), "not-html");
	ck_assert_str_eq(quality("<?xml version='1.0'?><rss><channel>"
				 "<title>x</title></channel></rss>"),
			 "not-html");
	ck_assert_str_eq(quality("<urlset><url>x</url></urlset>"), "not-html");
	ck_assert_str_eq(quality("text <b>and</b> a tag"), "ok");
	ck_assert_str_eq(quality("<?xml version='1.0'?><html><p>x"), "ok");
	ck_assert_str_eq(quality("<x-note>of the page's own</x-note>"
				 "<p>text"),
			 "ok");
}

static const unsigned refusals[] = {401, 403, 407, 429, 503};

TEST_ROWS(a_server_that_refuses_blocks, refusals)
{
	ck_assert_str_eq(quality_with("<p>text", refusals[_i]), "blocked");
}

TEST(a_status_that_is_no_refusal_does_not_block)
{
	ck_assert_str_eq(quality_with("<p>text", 0), "ok");
	ck_assert_str_eq(quality_with("<p>text", 404), "ok");
	ck_assert_str_eq(quality_with("<p>text", 500), "ok");
}

/* As Cloudflare, DataDome, Imperva and SiteGround send them, cut down. */
static const char *const challenges[] = {
	"<title>Just a moment...</title><body><noscript>Enable JavaScript and "
	"cookies to continue</noscript><script>(function(){window._cf_chl_opt="
	"{cvId:'3'};var a=document.createElement('script');a.src="
	"'/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1'}());"
	"</script>",
	"<title>site.example</title><p id=cmsg>Please enable JS and disable "
	"any ad blocker</p><script>var dd={'host':'geo.captcha-delivery.com'}"
	"</script>",
	("<iframe id=main-iframe src='/_Incapsula_Resource?CWUDNSAI=27'>"
	 "Request unsuccessful.</iframe>"),
	"<meta http-equiv=refresh content='0;/.well-known/sgcaptcha/?r=%2F'>",
};

TEST_ROWS(a_test_for_humans_blocks, challenges)
{
	ck_assert_str_eq(quality(challenges[_i]), "blocked");
}

TEST(a_long_page_that_has_a_test_somewhere_does_not_block)
{
	AUTO_BUFFER html = {0};

	buffer_append_text(&html, challenges[0]);
	/* over 1,500 bytes of text: no service says as much */
	for (int i = 0; i < 376; i++)
		buffer_append_text(&html, "<p>word");
	ck_assert_str_eq(quality(html.data), "ok");
}

TEST(a_shell_that_scripts_must_fill_is_js_only)
{
	ck_assert_str_eq(quality("<div id=root></div><script src=a.js></script>"
				 "<noscript>You need to enable JavaScript to "
				 "run this app.</noscript>"),
			 "js-only");
	ck_assert_str_eq(quality("<body><app-root></app-root>"
				 "<script src=a.js></script>"),
			 "js-only");
	ck_assert_str_eq(quality("<link rel=modulepreload href=a.js>"
				 "<body><div></div>"),
			 "js-only");
	ck_assert_str_eq(quality("<script>var a = 1</script>"), "js-only");
}

TEST(a_short_page_with_a_script_is_no_shell)
{
	ck_assert_str_eq(quality("<p>Thank you!<script src=a.js></script>"),
			 "ok");
	ck_assert_str_eq(quality("<div id=root><p>Thank you!</div>"
				 "<script src=a.js></script>"),
			 "ok");
	ck_assert_str_eq(quality("<div id=fb-root></div><p>Thank you!"
				 "<script src=a.js></script>"),
			 "ok");
}

/* 31 chosen words next to an empty element. */
TEST(a_place_that_stays_empty_beside_text_is_no_shell)
{
	AUTO_BUFFER html = {0};

	buffer_append_text(&html,
			   "<div id=root></div><script src=a.js></script>");
	for (int i = 0; i < 31; i++)
		buffer_append_text(&html, "<p>word");
	ck_assert_str_eq(quality(html.data), "ok");
}

TEST(nothing_chosen_is_empty)
{
	ck_assert_str_eq(quality(""), "empty");
	ck_assert_str_eq(quality("<html><body><p></p></body></html>"), "empty");
	ck_assert_str_eq(quality("<title>x</title><p hidden>text"), "empty");
}

TEST(a_source_that_ends_inside_something_is_truncated)
{
	ck_assert_str_eq(quality("<p>text</p><div cla"), "truncated");
	ck_assert_str_eq(quality("<p>text</"), "truncated");
	ck_assert_str_eq(quality("<p>text<!-- and"), "truncated");
	ck_assert_str_eq(quality("<p>text<script>var a = b > c;"), "truncated");
	ck_assert_str_eq(quality("<p>text"), "ok");
	ck_assert_str_eq(quality("<p>text: a < b"), "ok");
	ck_assert_str_eq(quality("<p>text<script>if (a<b) c()</script>"), "ok");
	ck_assert_str_eq(quality("<p>text</p></body>\n"), "ok");
}

TEST(more_links_than_text_is_a_listing)
{
	ck_assert_str_eq(quality("<a href=a>one two</a> three"), "listing");
	ck_assert_str_eq(quality("<a href=a>one two</a> three four"), "ok");
	ck_assert_str_eq(quality("<a>one two</a> three"), "ok");
}

TEST(a_page_that_was_cut_is_truncated)
{
	const struct page_limits limits = {.max_bytes = 1000,
					   .max_nodes = 4,
					   .max_depth = 512,
					   .max_attributes = 256};
	AUTO_PAGE *page;

	ASSERT_OK(page_parse(&page, slice_of("<p>1<p>2<p>3<p>4"),
			     slice_of(NULL), &limits));
	ck_assert(page->is_truncated);
	ck_assert_int_eq(text_quality_of(page, run(page, "plain", NULL, NULL),
					 false, 200),
			 QUALITY_TRUNCATED);
}

TEST(what_nobody_is_sure_of_is_unsure)
{
	AUTO_PAGE *page = parse("<p>" TEN_WORDS);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	ck_assert_int_eq(text_quality_of(page, verdicts, true, 200),
			 QUALITY_EMPTY);
	verdicts[0].is_content = true;
	ck_assert_int_eq(text_quality_of(page, verdicts, true, 200),
			 QUALITY_UNSURE);
	ck_assert_str_eq(text_quality_name(QUALITY_UNSURE), "unsure");
}

TEST(random_pages_have_a_quality)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		AUTO_TEXT *html = random_html(seed);

		ck_assert_ptr_nonnull(quality(html));
	}
}
