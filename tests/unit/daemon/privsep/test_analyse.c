#include "daemon/privsep/analyse_task.h"

#include "cluster/signature.h"
#include "page/page_class.h"
#include "store/record.h"
#include "tests/unit/run.h"

/* The record of a page, which free() of `bytes` frees. */
struct analysed {
	struct buffer bytes;
	struct record record;
};

static const struct analyse_options options = {
	.limits = &page_limits_default,
	.measure = MEASURE_CPS,
	.width = 2,
};

static struct analysed analyse_with(const char *address, const char *html,
				    const struct analyse_options *with)
{
	struct analysed analysed = {0};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(address), NULL));
	ASSERT_OK(analyse(slice_of(html), slice_of("UTF-8"), &url, with,
			  &analysed.bytes));
	ASSERT_OK(record_open(buffer_slice(&analysed.bytes), &analysed.record));
	return analysed;
}

static struct analysed analyse_at(const char *address, const char *html)
{
	return analyse_with(address, html, &options);
}

/* The path to the first element of the tag. */
static uint64_t path_to(const char *html, uint16_t tag)
{
	AUTO_PAGE *page;
	uint64_t path = 0;

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("UTF-8"),
			     &page_limits_default));
	for (uint32_t i = 0; i < page->node_count && path == 0; i++)
		if (page->nodes[i].tag == tag)
			path = path_hash(page, i, 4);
	return path;
}

static void check_link(struct record_link link, const char *url,
		       const char *anchor)
{
	ck_assert(slice_equal(link.url, slice_of(url)));
	ck_assert(slice_equal(link.anchor, slice_of(anchor)));
}

TEST(a_rendered_page_resembles_only_rendered_pages)
{
	static const char html[] =
		"<div><p>a</p><ul><li>b</li><li>c</li></ul></div>";
	struct analyse_options rendered = options;
	struct analysed raw = analyse_at("http://a.test/", html);
	struct analysed dom;
	struct analysed again;
	const unsigned slot = signature_slot(options.measure);

	rendered.is_rendered = true;
	dom = analyse_with("http://a.test/", html, &rendered);
	again = analyse_with("http://a.test/b", html, &rendered);
	ck_assert_uint_eq(raw.record.flags & RECORD_IS_RENDERED, 0);
	ck_assert_uint_ne(dom.record.flags & RECORD_IS_RENDERED, 0);
	ck_assert_uint_gt(raw.record.signature_counts[slot], 1);
	ck_assert_uint_eq(dom.record.signature_counts[slot],
			  raw.record.signature_counts[slot]);
	for (uint32_t i = 0; i < dom.record.signature_counts[slot]; i++) {
		uint64_t shingle = dom.record.signatures[slot][i];

		ck_assert_uint_eq(again.record.signatures[slot][i], shingle);
		if (i > 0)
			ck_assert_uint_lt(dom.record.signatures[slot][i - 1],
					  shingle);
		for (uint32_t k = 0; k < raw.record.signature_counts[slot]; k++)
			ck_assert_uint_ne(raw.record.signatures[slot][k],
					  shingle);
	}
	buffer_free(&raw.bytes);
	buffer_free(&dom.bytes);
	buffer_free(&again.bytes);
}

TEST(a_link_is_there_as_it_was_first)
{
	const char *html = "<body><p><a href=/x>first</a></p>"
			   "<ul class=nav><li><a href='http://a.test/x#y'>again"
			   "</a><a href=/y>second</a></ul>";
	struct analysed page = analyse_at("http://a.test/", html);

	ck_assert_uint_eq(page.record.link_count, 2);
	check_link(record_link_at(&page.record, 0), "http://a.test/x", "first");
	check_link(record_link_at(&page.record, 1), "http://a.test/y",
		   "second");
	ck_assert_uint_eq(record_link_at(&page.record, 0).path,
			  path_to(html, TAG_a));
	ck_assert_uint_ne(record_link_at(&page.record, 1).path,
			  record_link_at(&page.record, 0).path);
	buffer_free(&page.bytes);
}

TEST(areas_have_paths_and_link_elements_have_none)
{
	const char *html = "<head><link rel=alternate href=/feed></head>"
			   "<body><map><area href=/m></map>";
	struct analysed page = analyse_at("http://a.test/", html);

	ck_assert_uint_eq(page.record.link_count, 2);
	check_link(record_link_at(&page.record, 0), "http://a.test/feed", "");
	ck_assert_uint_eq(record_link_at(&page.record, 0).path, 0);
	ck_assert_uint_eq(record_link_at(&page.record, 1).path,
			  path_to(html, TAG_area));
	buffer_free(&page.bytes);
}

TEST(the_path_is_of_the_first_anchor_after_a_link_element)
{
	const char *html = "<head><link rel=next href=/2></head>"
			   "<body><p><a href=/2>more</a></p>"
			   "<div><a href=/2>again</a></div>";
	struct analysed page = analyse_at("http://a.test/", html);

	ck_assert_uint_eq(page.record.link_count, 1);
	check_link(record_link_at(&page.record, 0), "http://a.test/2", "");
	ck_assert_uint_eq(record_link_at(&page.record, 0).flags, LINK_IS_NEXT);
	ck_assert_uint_eq(record_link_at(&page.record, 0).path,
			  path_to(html, TAG_a));
	buffer_free(&page.bytes);
}

TEST(what_leads_nowhere_is_no_link)
{
	struct analysed page = analyse_at(
		"http://a.test/", "<a href='mailto:x@a.test'>m</a>"
				  "<a href='mailto:x@a.test'>m</a>"
				  "<a href='#top'>t</a><a href=/x>x</a>");

	ck_assert_uint_eq(page.record.link_count, 1);
	check_link(record_link_at(&page.record, 0), "http://a.test/x", "x");
	buffer_free(&page.bytes);
}

TEST(links_beyond_the_limit_are_ignored)
{
	AUTO_BUFFER html = {0};
	struct analysed page;

	for (int i = 0; i < MAX_LINKS + 10; i++)
		buffer_printf(&html, "<a href=/%d>x</a>", i);
	page = analyse_at("http://a.test/", html.data);
	ck_assert_uint_eq(page.record.link_count, MAX_LINKS);
	buffer_free(&page.bytes);
}

static bool is_alike(const struct record *a, const struct record *b,
		     enum measure measure)
{
	uint32_t count = a->signature_counts[measure];

	return count == b->signature_counts[measure] &&
	       memcmp(a->signatures[measure], b->signatures[measure],
		      count * sizeof(uint64_t)) == 0;
}

/* How many shingles the record of the page has by each measure, if that is the
 * one of its site. */
static void check_signatures(enum measure measure,
			     const uint32_t expected[RECORD_SIGNATURES])
{
	struct analyse_options own = options;
	struct analysed page;

	own.measure = measure;
	own.width = 0;
	page = analyse_with("http://a.test/2014/x/",
			    "<html><body class=a role=b><p>x</p></body></html>",
			    &own);
	for (unsigned i = 0; i < RECORD_SIGNATURES; i++)
		ck_assert_uint_eq(page.record.signature_counts[i], expected[i]);
	buffer_free(&page.bytes);
}

TEST(the_record_has_the_paths_and_the_signature_of_the_site)
{
	/* html/head html/body/p; the same, with a width of 4; <html> <body> <p>
	 * </p> </body> and on to </html>; then ccs: html/head html/body body/p,
	 * the class, and the shape; and instead of it cas, with the role */
	check_signatures(MEASURE_CP, (uint32_t[]){2, 0, 0, 2, 0});
	check_signatures(MEASURE_CPS, (uint32_t[]){2, 2, 0, 2, 0});
	check_signatures(MEASURE_CTSS, (uint32_t[]){2, 0, 2, 2, 0});
	check_signatures(MEASURE_CPC, (uint32_t[]){2, 0, 0, 2, 0});
	check_signatures(MEASURE_CCS, (uint32_t[]){2, 0, 0, 2, 3 + 2});
	check_signatures(MEASURE_CAS, (uint32_t[]){2, 0, 0, 2, 4 + 2});
}

TEST(for_once_the_signature_of_the_site_is_alone)
{
	const char *html = "<html><body class=a><p>x</p></body></html>";
	struct analyse_options once = options;
	struct analysed always;
	struct analysed page;

	once.measure = MEASURE_CCS;
	once.width = 0;
	always = analyse_with("http://a.test/", html, &once);
	once.is_for_once = true;
	page = analyse_with("http://a.test/", html, &once);
	ck_assert(is_alike(&page.record, &always.record, MEASURE_CCS));
	ck_assert_uint_eq(page.record.signature_counts[MEASURE_CP], 0);
	ck_assert_uint_eq(page.record.signature_counts[MEASURE_CPC], 0);
	ck_assert_uint_gt(always.record.signature_counts[MEASURE_CPC], 0);
	buffer_free(&always.bytes);
	buffer_free(&page.bytes);
}

TEST(ccs_alone_knows_the_url)
{
	const char *html = "<html><body class=a><p>x</p></body></html>";
	struct analyse_options ccs = options;
	struct analysed post;
	struct analysed other;
	struct analysed page;

	ccs.measure = MEASURE_CCS;
	ccs.width = 0;
	post = analyse_with("http://a.test/2014/x/", html, &ccs);
	other = analyse_with("http://a.test/2015/y/?", html, &ccs);
	page = analyse_with("http://a.test/about?p=1", html, &ccs);
	ck_assert(is_alike(&post.record, &other.record, MEASURE_CCS));
	ck_assert(!is_alike(&post.record, &page.record, MEASURE_CCS));
	ck_assert(is_alike(&post.record, &page.record, MEASURE_CPC));
	buffer_free(&post.bytes);
	buffer_free(&other.bytes);
	buffer_free(&page.bytes);
}

/* html/head html/body body/p body/div div/b, where a width of 4 gives
 * html/head, html/body/p and html/body/div/b. */
TEST(one_measure_has_another_width)
{
	struct analysed analysed =
		analyse_at("http://a.test/", "<p>x</p><div><b>y</b></div>");

	ck_assert_uint_eq(analysed.record.signature_counts[MEASURE_CPS], 5);
	buffer_free(&analysed.bytes);
}

static unsigned class_with(const char *html, unsigned http_status, bool is_cut,
			   uint32_t *flags_out)
{
	struct analyse_options with = options;
	struct analysed page;
	unsigned page_class;

	with.http_status = http_status;
	with.is_cut = is_cut;
	page = analyse_with("http://a.test/x", html, &with);
	page_class = record_class(&page.record);
	*flags_out = page.record.flags;
	buffer_free(&page.bytes);
	return page_class;
}

static unsigned class_of(const char *html)
{
	uint32_t flags;

	return class_with(html, 200, false, &flags);
}

TEST(the_record_has_the_class_of_the_page)
{
	uint32_t flags;

	ck_assert_uint_eq(class_with("<p>x", 200, false, &flags), CLASS_PAGE);
	ck_assert_uint_eq(flags, 0);
	ck_assert_uint_eq(class_with("<p>x", 404, false, &flags), CLASS_ERROR);
	ck_assert_uint_eq(flags, CLASS_ERROR << 8);
	ck_assert_uint_eq(class_with("<p>x", 200, true, &flags),
			  CLASS_TRUNCATED);
	ck_assert_uint_eq(flags, CLASS_TRUNCATED << 8 | RECORD_IS_TRUNCATED);
	ck_assert_uint_eq(class_with("<p>x<b", 200, false, &flags),
			  CLASS_TRUNCATED);
	ck_assert_uint_eq(flags, CLASS_TRUNCATED << 8 | RECORD_IS_TRUNCATED);
	ck_assert_uint_eq(class_of("{}"), CLASS_NOT_HTML);
	ck_assert_uint_eq(class_of(""), CLASS_EMPTY);
}

TEST(a_page_over_a_limit_is_truncated)
{
	struct page_limits limits = page_limits_default;
	struct analyse_options with = options;
	struct analysed page;

	limits.max_bytes = 4;
	with.limits = &limits;
	page = analyse_with("http://a.test/", "<p>xy", &with);
	ck_assert_uint_eq(record_class(&page.record), CLASS_TRUNCATED);
	ck_assert_uint_eq(page.record.flags & RECORD_IS_TRUNCATED,
			  RECORD_IS_TRUNCATED);
	buffer_free(&page.bytes);
	/* an error is an error first, and is cut all the same */
	with.http_status = 500;
	page = analyse_with("http://a.test/", "<p>xy", &with);
	ck_assert_uint_eq(record_class(&page.record), CLASS_ERROR);
	ck_assert_uint_eq(page.record.flags & RECORD_IS_TRUNCATED,
			  RECORD_IS_TRUNCATED);
	buffer_free(&page.bytes);
}

TEST(a_redirect_to_itself_is_no_stub)
{
	ck_assert_uint_eq(
		class_of("<meta http-equiv=refresh content='0;url=/y'><p>x"),
		CLASS_STUB);
	ck_assert_uint_eq(
		class_of("<meta http-equiv=refresh content='9;url=/x'><p>x"),
		CLASS_PAGE);
	ck_assert_uint_eq(class_of("<base href=/b/><meta http-equiv=refresh "
				   "content='9;url=../x#y'><p>x"),
			  CLASS_PAGE);
	ck_assert_uint_eq(
		class_of("<meta http-equiv=refresh content='9;url=x'>"),
		CLASS_EMPTY);
}

TEST(a_header_or_the_page_forbids_to_follow)
{
	struct analyse_options with = options;
	struct analysed page;

	with.is_nofollow = true;
	page = analyse_with("http://a.test/", "<p>x", &with);
	ck_assert_uint_ne(page.record.flags & RECORD_IS_NOFOLLOW, 0);
	buffer_free(&page.bytes);
	page = analyse_at("http://a.test/",
			  "<meta name=robots content=nofollow><p>x");
	ck_assert_uint_ne(page.record.flags & RECORD_IS_NOFOLLOW, 0);
	buffer_free(&page.bytes);
}

TEST(what_cannot_be_parsed_appends_nothing)
{
	AUTO_BUFFER out = {0};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	ck_assert_int_eq(analyse(slice_of("%PDF-1.7\n"), slice_of(NULL), &url,
				 &options, &out),
			 ERR_NOT_HTML);
	ck_assert_uint_eq(out.size, 0);
}

/* The worker continues with the page: it parses the page once. */
TEST(a_parsed_page_has_the_record_of_its_bytes)
{
	static const char html[] =
		"<html lang=en><title>T</title><body><p>One two three"
		"<a href=/x>x</a></body></html>";
	const struct slice body = slice_of(html);
	AUTO_BUFFER by_bytes = {0};
	AUTO_BUFFER by_page = {0};
	AUTO_PAGE *page;
	struct url url;

	url_parse(&url, slice_of("http://a.test/"), NULL);
	ASSERT_OK(analyse(body, slice_of("UTF-8"), &url, &options, &by_bytes));
	ASSERT_OK(page_parse(&page, body, slice_of("UTF-8"), options.limits));
	analyse_page(page, body, &url, &options, &by_page);
	ck_assert(slice_equal(buffer_slice(&by_page), buffer_slice(&by_bytes)));
}

TEST(refresh_header_is_like_a_meta_element)
{
	const char *html = "<body><a href=/y>y</a></body>";
	struct analyse_options refreshed = options;
	AUTO_BUFFER record = {0};
	struct record read;
	struct url url;

	refreshed.refresh = slice_of("http://a.test/x");
	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	ASSERT_OK(analyse(slice_of(html), slice_of(""), &url, &refreshed,
			  &record));
	ASSERT_OK(record_open(buffer_slice(&record), &read));
	ck_assert_uint_eq(record_class(&read), CLASS_STUB);
	ck_assert_uint_eq(read.link_count, 2);
	check_link(record_link_at(&read, 1), "http://a.test/x", "");
	ck_assert_uint_eq(record_link_at(&read, 1).flags, LINK_IS_REFRESH);
}
