#include "daemon/engine/engine_internal.h"

#include "daemon/privsep/analyse_task.h"
#include "tests/unit/run.h"

static struct record_fragment fragments[2000];

/* A record of `count` fragments with hashes from `first` on, 20 bytes each. */
static struct record record_of(uint64_t first, uint32_t count,
			       const char *title)
{
	ck_assert_uint_le(count, 2000);
	for (uint32_t i = 0; i < count; i++)
		fragments[i] = (struct record_fragment){
			.hash = first + i,
			.length = 20,
		};
	return (struct record){
		.title = slice_of(title),
		.fragments = fragments,
		.fragment_count = count,
	};
}

/* What is remembered of a page that shows `html`; free it. */
static struct buffer record_bytes(const char *html)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = MEASURE_CPS,
	};
	struct buffer bytes = {0};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	ASSERT_OK(analyse(slice_of(html), slice_of("UTF-8"), &url, &options,
			  &bytes));
	return bytes;
}

static bool is_soft_404(const char *html, const char *probes_answer)
{
	AUTO_BUFFER answer = record_bytes(probes_answer);
	AUTO_BUFFER page = record_bytes(html);
	AUTO_BUFFER known = {0};
	struct record record;
	bool is_one;

	ASSERT_OK(record_open(buffer_slice(&answer), &record));
	soft_404_store_probe(&record, &known);
	ASSERT_OK(record_open(buffer_slice(&page), &record));
	is_one = soft_404_is(&record, buffer_slice(&known));
	return is_one;
}

TEST(a_probe_is_beside_the_seed_and_always_the_same)
{
	struct url seed;
	struct url one;
	struct url two;

	ASSERT_OK(url_parse(&seed, slice_of("http://a.test/b/c.html?d"), NULL));
	soft_404_probe(&seed, 7, &one);
	soft_404_probe(&seed, 7, &two);
	ck_assert_str_eq(one.text, two.text);
	ck_assert_uint_eq(strspn(one.text + strlen("http://a.test/b/"),
				 "abcdefghijklmnopqrstuvwxyz"),
			  16);
	ck_assert_uint_eq(strlen(one.text), strlen("http://a.test/b/") + 16);
	ck_assert_int_eq(memcmp(one.text, "http://a.test/b/", 16), 0);
	soft_404_probe(&seed, 8, &two);
	ck_assert_str_ne(one.text, two.text);
}

#define BODY                                                                 \
	"<ul><li><a href=/>Home</a><li><a href=/b>Everything that we sell"   \
	"</a><li><a href=/c>Contact us</a></ul><h1>Sorry</h1><p>We cannot "  \
	"find what you are looking for. It may have moved, or it was never " \
	"here.</p>"
#define FRAME "<title>Sorry | A</title>" BODY

/* 132 bytes of words of the site; the echoes have 26 and 29. */
TEST(what_differs_in_an_echo_of_the_url_is_one)
{
	ck_assert(is_soft_404(FRAME, FRAME));
	ck_assert(is_soft_404(FRAME "<p>There is no /old/page.html",
			      FRAME "<p>There is no /abcdefghijklmnop"));
}

TEST(a_page_of_its_own_is_none)
{
	/* more text, another title, a link, a frame of two words */
	ck_assert(!is_soft_404(FRAME "<p>A<p>B<p>C<p>D", FRAME));
	ck_assert(!is_soft_404(FRAME "<p>A page", FRAME));
	ck_assert(!is_soft_404(FRAME, FRAME "<p>A page"));
	ck_assert(!is_soft_404("<title>Wood | A</title>" BODY,
			       "<title>Iron | A</title>" BODY));
	ck_assert(!is_soft_404(FRAME "<p><a href=/x>A product</a>",
			       FRAME "<p><a href=/y>My product</a>"));
	ck_assert(!is_soft_404("<h1>A</h1><p>Hello, world: text",
			       "<h1>A</h1><p>Other words of it"));
	ck_assert(!is_soft_404("", ""));
	ck_assert(!is_soft_404("<p>text", ""));
	ck_assert(!is_soft_404("", "<p>text"));
}

TEST(an_echo_is_no_article)
{
	AUTO_BUFFER page = {0};
	AUTO_BUFFER answer = {0};

	buffer_append_text(&answer, FRAME "<p>");
	for (int i = 0; i < 20; i++)
		buffer_append_text(&answer, "words of the site ");
	buffer_append_text(&page, answer.data);
	/* 491 bytes of words of the site: 132 and 18 * 20 - 1 */
	ck_assert(is_soft_404(page.data, answer.data));
	for (int i = 0; i < 8; i++) { /* 129 bytes on either side: 258 */
		buffer_append_text(&page, i == 0 ? "<p>x" : "");
		buffer_append_text(&page, "one article text");
		buffer_append_text(&answer, i == 0 ? "<p>y" : "");
		buffer_append_text(&answer, "two article text");
	}
	ck_assert(!is_soft_404(page.data, answer.data));
}

TEST(of_a_large_answer_a_sample_is_kept)
{
	struct record record = record_of(1, 2000, "x");
	AUTO_BUFFER known = {0};

	soft_404_store_probe(&record, &known);
	ck_assert_uint_le(known.size, 8192);
	ck_assert(soft_404_is(&record, buffer_slice(&known)));
	/* text after the sample is not read */
	record = record_of(1, 1990, "x");
	ck_assert(soft_404_is(&record, buffer_slice(&known)));
	record = record_of(5, 1990, "x"); /* the first four are missing */
	ck_assert(!soft_404_is(&record, buffer_slice(&known)));
	record = record_of(3000, 2000, "x");
	ck_assert(!soft_404_is(&record, buffer_slice(&known)));
}

TEST(what_is_damaged_or_unknown_is_none)
{
	struct record record = record_of(1, 10, "x");
	AUTO_BUFFER known = {0};
	AUTO_TEXT *bytes;

	ck_assert(!soft_404_is(&record, (struct slice){NULL, 0}));
	soft_404_store_probe(&record, &known);
	ck_assert(soft_404_is(&record, buffer_slice(&known)));
	for (size_t size = 0; size < known.size; size++)
		ck_assert(!soft_404_is(&record,
				       (struct slice){known.data, size}));
	/* at any place in memory, and not after any bit of it has changed */
	bytes = malloc(known.size + 1);
	memcpy(bytes + 1, known.data, known.size);
	ck_assert(soft_404_is(&record, (struct slice){bytes + 1, known.size}));
	for (size_t i = 1; i < 9; i++) {
		bytes[i] ^= 0x40;
		ck_assert(!soft_404_is(&record,
				       (struct slice){bytes + 1, known.size}));
		bytes[i] ^= 0x40;
	}
}

TEST(fragments_out_of_order_are_damage)
{
	struct record record = record_of(1, 100, "x");
	struct record_fragment first = fragments[0];
	AUTO_BUFFER known = {0};

	fragments[0] = fragments[1];
	fragments[1] = first;
	soft_404_store_probe(&record, &known);
	record = record_of(1, 100, "x");
	ck_assert(!soft_404_is(&record, buffer_slice(&known)));
}
