/* A small bundle is read as it was written, and every damage is survived. */
#include "template/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "store/arena.h"
#include "tests/unit/run.h"
#include "tests/unit/template/seal.h"
#include "tests/unit/template/small_site.h"

static struct buffer file;

static void setup(void)
{
	file = (struct buffer){0};
	small_bundle(&file);
}

static void teardown(void)
{
	buffer_free(&file);
}

/* Open a copy; NULL, with the reason, when it is refused. */
static struct bundle *open_copy(const struct buffer *bytes, char *reason)
{
	struct bundle *bundle = NULL;
	struct buffer copy = {0};

	buffer_append_slice(&copy, buffer_slice(bytes));
	bundle_open(&bundle, &copy, &bundle_limits_default, reason);
	ck_assert_ptr_null(copy.data);
	return bundle;
}

static struct bundle *open_good(void)
{
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle = open_copy(&file, reason);

	ck_assert_msg(bundle != NULL, "%s", reason);
	return bundle;
}

/* The answer for page `number` at `address` (NULL: none). */
static enum error ask(struct bundle *bundle, unsigned number,
		      const char *address, const char *method,
		      struct text_answer *answer)
{
	struct text_request request = {.method = method};
	struct buffer html = {0};
	struct url url;
	enum error error;

	small_page(&html, number);
	request.body = buffer_slice(&html);
	if (address != NULL) {
		ck_assert_int_eq(url_parse(&url, slice_of(address), NULL),
				 ERR_NONE);
		request.url = &url;
	}
	error = bundle_extract(bundle, &request, answer);
	buffer_free(&html);
	return error;
}

START_TEST(what_was_written_is_read)
{
	struct bundle *bundle = open_good();
	const struct bundle_site *site = bundle_site_of(bundle);
	const struct bundle_cluster *clusters;
	uint32_t count;

	ck_assert_str_eq(site->host, "a.test");
	ck_assert_str_eq(site->base, "http://a.test/");
	ck_assert_int_eq(site->measure, MEASURE_CPC);
	ck_assert_uint_eq(site->threshold, 250);
	ck_assert_uint_eq(site->generation, 17);
	ck_assert_uint_eq(site->made_ms, 1700000000000);
	ck_assert_str_eq(site->program, "a test");
	ck_assert_uint_eq(site->min_cluster_pages, 3);
	ck_assert_mem_eq(&site->limits, &page_limits_default,
			 sizeof(site->limits));
	ck_assert_uint_eq(bundle_page_count(bundle), SMALL_PAGES);
	clusters = bundle_clusters(bundle, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(clusters[0].number, 1);
	ck_assert_uint_eq(clusters[0].page_count, 4);
	ck_assert_uint_eq(clusters[0].version, 3);
	ck_assert(slice_equal(clusters[0].json, slice_of("{\"format\":1}")));
	ck_assert_ptr_nonnull(clusters[0].samples);
	ck_assert_uint_eq(clusters[1].page_count, 1);
	ck_assert_ptr_null(clusters[1].samples);
	ck_assert_ptr_null(bundle_cluster(bundle, 3));
	bundle_close(bundle);
}
END_TEST

START_TEST(a_known_page_is_answered_as_one_of_its_cluster)
{
	struct bundle *bundle = open_good();
	struct text_answer answer;

	ck_assert_int_eq(ask(bundle, 2, "http://a.test/a/3", "df", &answer),
			 ERR_NONE);
	ck_assert_str_eq(answer.cluster, "a.test/1");
	ck_assert_uint_eq(answer.cluster_pages, 4);
	ck_assert_uint_eq(answer.generation, 17);
	ck_assert_str_eq(answer.text.data,
			 "Heading 2\n\nThis is the text of page 2, which has a "
			 "few more words than the menu.\n");
	text_answer_free(&answer);
	bundle_close(bundle);
}
END_TEST

START_TEST(a_page_is_counted_once)
{
	static const struct {
		unsigned page;
		const char *url;
		unsigned pages;
	} rows[] = {
		{2, "http://a.test/a/3", 4},  /* as it is */
		{77, "http://a.test/a/3", 4}, /* it has changed */
		{77, "http://a.test/new", 5}, /* one more */
		{77, NULL, 5},                /* wherever it is from */
		{77, "http://a.test/b", 5},   /* it was in another cluster */
		{77, "http://b.test/a/3", 0}, /* of another site */
	};
	struct bundle *bundle = open_good();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text_answer answer;

		ck_assert_int_eq(
			ask(bundle, rows[i].page, rows[i].url, NULL, &answer),
			ERR_NONE);
		ck_assert_uint_eq(answer.cluster_pages, rows[i].pages);
		text_answer_free(&answer);
	}
	bundle_close(bundle);
}
END_TEST

START_TEST(a_page_of_a_small_cluster_has_no_template)
{
	struct bundle *bundle = open_good();
	struct text_answer answer;

	ck_assert_int_eq(ask(bundle, 4, "http://a.test/b", "df", &answer),
			 ERR_REFUSED);
	ck_assert_str_ne(answer.reason, "");
	text_answer_free(&answer);
	ck_assert_int_eq(ask(bundle, 4, "http://a.test/b", "magic", &answer),
			 ERR_NOT_FOUND);
	text_answer_free(&answer);
	bundle_close(bundle);
}
END_TEST

/* The same again from what is kept, and after it was forgotten. */
START_TEST(what_is_learnt_changes_no_answer)
{
	static const char *const methods[] = {"sst", "rtdm", "df+", "auto"};
	struct bundle_limits limits = bundle_limits_default;
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle = open_good();
	struct bundle *forgetful;
	struct buffer copy = {0};

	limits.max_learned = 1;
	buffer_append_slice(&copy, buffer_slice(&file));
	ck_assert_int_eq(bundle_open(&forgetful, &copy, &limits, reason),
			 ERR_NONE);
	for (unsigned i = 0; i < 3 * sizeof(methods) / sizeof(methods[0]);
	     i++) {
		struct text_answer a;
		struct text_answer b;

		ck_assert_int_eq(ask(bundle, 9, NULL, methods[i % 4], &a),
				 ERR_NONE);
		ck_assert_int_eq(ask(forgetful, 9, NULL, methods[i % 4], &b),
				 ERR_NONE);
		ck_assert(a.has_template);
		ck_assert(slice_equal(buffer_slice(&a.text),
				      buffer_slice(&b.text)));
		text_answer_free(&a);
		text_answer_free(&b);
	}
	bundle_close(bundle);
	bundle_close(forgetful);
}
END_TEST

static struct classed class_of(struct bundle *bundle, const char *html)
{
	struct text_request request = {.body = slice_of(html)};
	struct classed classed;

	ck_assert_int_eq(bundle_classify(bundle, &request, &classed), ERR_NONE);
	return classed;
}

START_TEST(a_page_is_classed_by_the_nearest_signature)
{
	struct bundle *bundle = open_good();
	struct classed classed;

	/* title, td: those of page /b */
	classed = class_of(bundle, "<title>x</title><table><tr><td>y</table>");
	ck_assert_uint_eq(classed.cluster, 2);
	ck_assert_double_eq(classed.distance, 0);
	ck_assert_double_eq(classed.reach, 0.5);
	/* and p: two of three */
	classed = class_of(bundle,
			   "<title>x</title><table><tr><td>y</table><p>z");
	ck_assert_uint_eq(classed.cluster, 2);
	ck_assert_double_eq_tol(classed.distance, 1 / 3.0, 1e-9);
	classed = class_of(bundle, "<dl><dt>x<dd>y</dl>");
	ck_assert_uint_eq(classed.cluster, 0);
	bundle_close(bundle);
}
END_TEST

/* Whatever is asked of it, there is an answer or an error. */
static void use(struct bundle *bundle)
{
	static const char *const methods[] = {NULL, "df", "sst"};
	struct text_answer answer;

	if (bundle == NULL)
		return;
	for (unsigned i = 0; i < 3; i++) {
		ask(bundle, 2, "http://a.test/a/3", methods[i], &answer);
		text_answer_free(&answer);
		ask(bundle, 50, NULL, methods[i], &answer);
		text_answer_free(&answer);
	}
	bundle_close(bundle);
}

START_TEST(it_is_refused_wherever_it_is_cut)
{
	char reason[BUNDLE_REASON_BYTES];

	for (size_t size = 0; size < file.size; size++) {
		struct buffer copy = {0};

		buffer_append(&copy, file.data, size);
		reason[0] = '\0';
		ck_assert_ptr_null(open_copy(&copy, reason));
		ck_assert_int_eq(strncmp(reason, "bundle: ", 8), 0);
		/* and with sums and sizes that are right */
		seal((unsigned char *)copy.data, copy.size);
		use(open_copy(&copy, reason));
		buffer_free(&copy);
	}
}
END_TEST

START_TEST(it_is_refused_whatever_byte_is_damaged)
{
	char reason[BUNDLE_REASON_BYTES];

	for (size_t at = 0; at < file.size; at++) {
		file.data[at] ^= (char)(1 << at % 8);
		reason[0] = '\0';
		ck_assert_ptr_null(open_copy(&file, reason));
		ck_assert_int_eq(strncmp(reason, "bundle: ", 8), 0);
		file.data[at] ^= (char)(1 << at % 8);
	}
}
END_TEST

/* A damage that no checksum tells: an error, or another bundle. */
START_TEST(whatever_byte_is_forged_it_is_survived)
{
	char reason[BUNDLE_REASON_BYTES];
	unsigned opened = 0;

	for (size_t at = 0; at < file.size; at++)
		for (unsigned bit = 0; bit < 8; bit += 3) {
			struct buffer copy = {0};
			struct bundle *bundle;

			buffer_append_slice(&copy, buffer_slice(&file));
			copy.data[at] ^= (char)(1 << (at + bit) % 8);
			seal((unsigned char *)copy.data, copy.size);
			bundle = open_copy(&copy, reason);
			opened += bundle != NULL;
			use(bundle);
			buffer_free(&copy);
		}
	/* hashes may be any */
	ck_assert_uint_gt(opened, 0);
}
END_TEST

/* A bundle of what small_begin() puts, with something behind it. */
static void check_refused(struct bundle_writer *writer, const char *wanted)
{
	char reason[BUNDLE_REASON_BYTES] = "";
	struct buffer bytes = {0};

	ck_assert_int_eq(bundle_end(writer, &bytes), ERR_NONE);
	ck_assert_ptr_null(open_copy(&bytes, reason));
	ck_assert_str_eq(reason, wanted);
	buffer_free(&bytes);
}

START_TEST(what_sections_refer_to_must_be_there)
{
	const uint32_t far[] = {1000};
	const uint64_t twice[] = {5, 5};
	struct bundle_writer writer;

	small_begin(&writer);
	bundle_put_sample(&writer, 9, slice_of(""), slice_of("x"));
	check_refused(&writer, "bundle: section samples of 9: there is no such "
			       "cluster");
	small_begin(&writer);
	bundle_put_version(&writer, 1, 1, slice_of("[]"));
	check_refused(&writer, "bundle: section version of 1: it is damaged");
	small_begin(&writer);
	bundle_put_page(&writer, &(struct known_page){.key = 1}, NULL, 0);
	check_refused(&writer, "bundle: section pages: it does not ascend");
	small_begin(&writer);
	bundle_put_page(&writer, &(struct known_page){.key = UINT64_MAX}, far,
			1);
	check_refused(&writer, "bundle: section pages: it is damaged");
	writer = (struct bundle_writer){.max_bytes = 1000};
	bundle_put_terms(&writer, twice, 2);
	check_refused(&writer, "bundle: section terms: it does not ascend");
	writer = (struct bundle_writer){.max_bytes = 1000};
	bundle_put_terms(&writer, twice, 1);
	check_refused(&writer, "bundle: it has no section site");
}
END_TEST

static void check_site(const char *json, const char *wanted)
{
	struct arena *arena = arena_create();
	struct bundle_site site;
	char reason[BUNDLE_REASON_BYTES];

	ck_assert_int_eq(bundle_site_read(arena, slice_of(json), &site, reason),
			 ERR_CORRUPT);
	ck_assert_str_eq(reason, wanted);
	arena_destroy(arena);
}

START_TEST(a_site_that_cannot_be_is_refused)
{
	check_site("", "site: no JSON object");
	check_site("[1]", "site: no JSON object");
	check_site("{}", "host: no text, or too long");
	check_site("{\"host\":\"a.test\",\"base\":\"http://a.test/\","
		   "\"measure\":\"cpx\"}",
		   "measure: there is no such measure");
	check_site("{\"host\":\"a.test\",\"base\":\"http://a.test/\","
		   "\"measure\":\"cpc\",\"width\":99}",
		   "width: no number in its range");
}
END_TEST

START_TEST(a_bundle_asks_for_no_more_than_is_allowed)
{
	struct bundle_limits limits = bundle_limits_default;
	struct bundle *bundle;
	struct buffer copy = {0};
	char reason[BUNDLE_REASON_BYTES];

	limits.max_page_bytes = page_limits_default.max_bytes - 1;
	buffer_append_slice(&copy, buffer_slice(&file));
	ck_assert_int_eq(bundle_open(&bundle, &copy, &limits, reason),
			 ERR_TOO_LARGE);
	ck_assert_str_eq(reason, "bundle: its pages may be larger than this "
				 "program allows");
}
END_TEST

START_TEST(a_writer_stops_at_its_limit)
{
	struct bundle_writer writer;
	struct buffer bytes = {0};

	small_begin(&writer);
	writer.max_bytes = 100;
	ck_assert(bundle_is_full(&writer));
	ck_assert_int_eq(bundle_end(&writer, &bytes), ERR_TOO_LARGE);
	ck_assert_uint_eq(bytes.size, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bundle");
	TCase *tcase = tcase_create("bundle");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 100);
	tcase_add_test(tcase, what_was_written_is_read);
	tcase_add_test(tcase, a_known_page_is_answered_as_one_of_its_cluster);
	tcase_add_test(tcase, a_page_is_counted_once);
	tcase_add_test(tcase, a_page_of_a_small_cluster_has_no_template);
	tcase_add_test(tcase, what_is_learnt_changes_no_answer);
	tcase_add_test(tcase, a_page_is_classed_by_the_nearest_signature);
	tcase_add_test(tcase, it_is_refused_wherever_it_is_cut);
	tcase_add_test(tcase, it_is_refused_whatever_byte_is_damaged);
	tcase_add_test(tcase, whatever_byte_is_forged_it_is_survived);
	tcase_add_test(tcase, what_sections_refer_to_must_be_there);
	tcase_add_test(tcase, a_site_that_cannot_be_is_refused);
	tcase_add_test(tcase, a_bundle_asks_for_no_more_than_is_allowed);
	tcase_add_test(tcase, a_writer_stops_at_its_limit);
	suite_add_tcase(suite, tcase);
	return suite;
}
