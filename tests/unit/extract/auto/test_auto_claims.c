#include "extract/auto/auto_score.h"

#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_slice(struct slice slice, const char *expected)
{
	ck_assert_msg(slice_equal(slice, slice_of(expected)), "%.*s, not %s",
		      (int)slice.size, (const char *)slice.data, expected);
}

TEST(claims_are_those_of_the_head_and_of_json_ld)
{
	AUTO_PAGE *page = parse(
		"<title>A title</title><meta name=description content=One>"
		"<meta property=og:title content=No><meta "
		"property=og:description content=Two><meta "
		"property=og:description content=Three>"
		"<script type='application/ld+json'>{\"@type\": \"Article\", "
		"\"articleBody\": \"the body\", \"headline\": \"no\", "
		"\"comment\": {\"text\": \"a comment\"}}</script>");
	const struct page_hints claims = page_hints_of(page->arena, page);

	assert_slice(claims.title, "A title");
	assert_slice(claims.descriptions[0], "One");
	assert_slice(claims.descriptions[1], "Two");
	ck_assert_uint_eq(claims.body_count, 2);
	assert_slice(claims.bodies[0], "the body");
	assert_slice(claims.bodies[1], "a comment");
}

static enum claimed_kind kind_of(const char *html)
{
	AUTO_PAGE *page = parse(html);
	const struct page_hints claims = page_hints_of(page->arena, page);

	return claims.kind;
}

#define LD(json) "<script type='application/ld+json'>" json "</script>"

TEST(the_kind_is_that_which_says_most)
{
	ck_assert_int_eq(kind_of("<p>text"), CLAIMS_NO_KIND);
	ck_assert_int_eq(kind_of("<meta property=og:type content=website>"),
			 CLAIMS_WEBSITE);
	ck_assert_int_eq(kind_of("<meta property=og:type content=article>"),
			 CLAIMS_ARTICLE);
	ck_assert_int_eq(kind_of("<meta property=og:type content=article>" LD(
				 "{\"@type\": \"QAPage\"}")),
			 CLAIMS_FORUM);
	ck_assert_int_eq(kind_of(LD("[{\"@type\": \"WebSite\"}, "
				    "{\"@type\": \"NewsArticle\"}]")),
			 CLAIMS_ARTICLE);
	ck_assert_int_eq(kind_of("<meta property=og:type content=og:product>"),
			 CLAIMS_PRODUCT);
	ck_assert_int_eq(kind_of(LD("{\"@type\": \"CollectionPage\"}")),
			 CLAIMS_COLLECTION);
	ck_assert_int_eq(kind_of("<meta property=og:type content=''>"),
			 CLAIMS_NO_KIND);
}

TEST(a_page_may_claim_nothing)
{
	AUTO_PAGE *page = parse("<p>text");
	const struct page_hints claims = page_hints_of(page->arena, page);

	ck_assert_uint_eq(claims.title.size, 0);
	ck_assert_uint_eq(claims.descriptions[0].size, 0);
	ck_assert_uint_eq(claims.descriptions[1].size, 0);
	ck_assert_uint_eq(claims.body_count, 0);
}

TEST(bodies_over_the_limit_are_let_go)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;

	buffer_append_text(&html, "<script type='application/ld+json'>[");
	for (unsigned i = 0; i <= MAX_CLAIMS; i++)
		buffer_printf(&html, "%s{\"text\": \"%u\"}", i == 0 ? "" : ", ",
			      i);
	buffer_append_text(&html, "]</script>");
	page = parse(html.data);
	ck_assert_uint_eq(page_hints_of(page->arena, page).body_count,
			  MAX_CLAIMS);
}
