/* A small bundle is read as written, and every damage is survived. */
#include "template/bundle.h"

#include "base/hash.h"
#include "extract/methods/ridge.h"
#include "tests/unit/run.h"
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

static struct bundle *open_good(void)
{
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle = small_open(&file, reason);

	ck_assert_msg(bundle != NULL, "%s", reason);
	return bundle;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 100);

TEST(what_was_written_is_read)
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

TEST(a_known_page_is_answered_as_one_of_its_cluster)
{
	struct bundle *bundle = open_good();
	AUTO_RESULT answer;

	ASSERT_OK(small_ask(bundle, 2, "http://a.test/a/3", "df", &answer));
	ck_assert_str_eq(answer.cluster, "a.test/1");
	ck_assert_uint_eq(answer.cluster_pages, 4);
	ck_assert_uint_eq(answer.generation, 17);
	ck_assert_str_eq(answer.text.data,
			 "Heading 2\n\nThis is the text of page 2, which has a "
			 "few more words than the menu.\n");
	bundle_close(bundle);
}

TEST(a_page_is_counted_once)
{
	static const struct {
		const char *url;
		unsigned page;
		unsigned pages;
	} rows[] = {
		{"http://a.test/a/3", 2, 4},  /* unchanged */
		{"http://a.test/a/3", 77, 4}, /* it has changed */
		{"http://a.test/new", 77, 5}, /* one more */
		{NULL, 77, 5},                /* wherever it is from */
		{"http://a.test/b", 77, 5},   /* it was in another cluster */
		{"http://b.test/a/3", 77, 0}, /* of another site */
	};
	struct bundle *bundle = open_good();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		AUTO_RESULT answer;

		ASSERT_OK(small_ask(bundle, rows[i].page, rows[i].url, NULL,
				    &answer));
		ck_assert_uint_eq(answer.cluster_pages, rows[i].pages);
	}
	bundle_close(bundle);
}

TEST(the_very_page_that_is_known_is_answered_as_that)
{
	struct bundle *bundle = open_good();
	struct extraction_result answer;

	ASSERT_OK(small_ask(bundle, SMALL_GONE, "http://a.test/gone", NULL,
			    &answer));
	ck_assert_str_eq(answer.cluster, "");
	ck_assert_uint_eq(answer.cluster_pages, 0);
	extraction_result_free(&answer);
	/* elsewhere it is one of the templates that it resembles */
	ASSERT_OK(small_ask(bundle, SMALL_GONE, "http://a.test/x", NULL,
			    &answer));
	ck_assert_str_eq(answer.cluster, "a.test/1");
	extraction_result_free(&answer);
	bundle_close(bundle);
}

static uint32_t frequency_of(const struct bundle *bundle, uint32_t cluster,
			     const char *text)
{
	return bundle->view.source->frequency(bundle->view.context, cluster,
					      hash64(text, strlen(text), 0));
}

TEST(fragments_are_counted_by_their_cluster)
{
	struct bundle *bundle = open_good();

	ck_assert_uint_eq(frequency_of(bundle, 1, "Contact"), 4);
	ck_assert_uint_eq(frequency_of(bundle, 2, "Contact"), 1);
	ck_assert_uint_eq(frequency_of(bundle, 1, "Heading 2"), 1);
	ck_assert_uint_eq(frequency_of(bundle, 2, "Heading 2"), 0);
	/* of no cluster */
	ck_assert_uint_eq(frequency_of(bundle, 1, "Heading 5"), 0);
	ck_assert_uint_eq(frequency_of(bundle, 3, "Contact"), 0);
	bundle_close(bundle);
}

TEST(a_page_of_a_small_cluster_has_no_template)
{
	struct bundle *bundle = open_good();
	struct extraction_result answer;

	ck_assert_int_eq(
		small_ask(bundle, 4, "http://a.test/b", "sst", &answer),
		ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_ne(answer.reason, "");
	extraction_result_free(&answer);
	ck_assert_int_eq(
		small_ask(bundle, 4, "http://a.test/b", "magic", &answer),
		ERR_NOT_FOUND);
	extraction_result_free(&answer);
	bundle_close(bundle);
}

/* The same again from what is kept, and after it was forgotten. */
TEST(what_is_learnt_changes_no_answer)
{
	static const char *const methods[] = {"sst", "rtdm", "df+", "auto"};
	struct bundle_limits limits = bundle_limits_default;
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle = open_good();
	struct bundle *forgetful;
	struct buffer copy = {0};

	limits.max_learned = 1;
	buffer_append_slice(&copy, buffer_slice(&file));
	ASSERT_OK(bundle_open(&forgetful, &copy, &limits, reason));
	for (unsigned i = 0; i < 3 * COUNT_OF(methods); i++) {
		AUTO_RESULT a;
		AUTO_RESULT b;

		ASSERT_OK(small_ask(bundle, 9, NULL, methods[i % 4], &a));
		ASSERT_OK(small_ask(forgetful, 9, NULL, methods[i % 4], &b));
		ck_assert(a.has_template);
		ck_assert(slice_equal(buffer_slice(&a.text),
				      buffer_slice(&b.text)));
	}
	bundle_close(bundle);
	bundle_close(forgetful);
}

/* Learns as the bundle does, and counts. */
struct counting {
	struct bundle *bundle;
	unsigned learned;
	unsigned released;
	unsigned samples;
};

static struct template_model learn_counted(void *context, uint32_t cluster,
					   const struct extractor *extractor,
					   const double *parameters)
{
	struct counting *counting = context;

	counting->learned++;
	return bundle_learn(counting->bundle, cluster, extractor, parameters);
}

static void release_counted(void *context, struct template_model taught)
{
	struct counting *counting = context;

	ck_assert_ptr_nonnull(taught.holder);
	counting->released++;
}

static void count_sample(void *visitor, struct slice charset, struct slice body)
{
	struct counting *counting = visitor;

	(void)charset;
	ck_assert_uint_gt(body.size, 0);
	counting->samples++;
}

TEST(another_one_may_learn_of_its_samples)
{
	struct bundle *bundle = open_good();
	struct counting counting = {.bundle = bundle};
	const struct bundle_learner learner = {learn_counted, release_counted,
					       &counting};
	struct text_request request = {.format = FORMAT_TXT};
	AUTO_RESULT by_itself;
	AUTO_RESULT by_another;
	struct buffer html = {0};

	small_page(&html, 9);
	request.body = buffer_slice(&html);
	ASSERT_OK(bundle_extract_by(bundle, &learner, &request, &by_another));
	ck_assert_uint_eq(counting.learned, 1);
	ck_assert_uint_eq(counting.released, 1);
	ASSERT_OK(bundle_extract(bundle, &request, &by_itself));
	ck_assert_uint_eq(counting.learned, 1);
	ck_assert(slice_equal(buffer_slice(&by_itself.text),
			      buffer_slice(&by_another.text)));
	bundle_each_sample(bundle, 1, count_sample, &counting);
	ck_assert_uint_gt(counting.samples, 1);
	buffer_free(&html);
	bundle_close(bundle);
}

TEST(a_cluster_without_samples_has_none)
{
	struct bundle *bundle = open_good();
	struct counting counting = {0};

	bundle_each_sample(bundle, 999, count_sample, &counting);
	ck_assert_uint_eq(counting.samples, 0);
	bundle_close(bundle);
}

/* Bytes that are kept after `parameter` of sst. */
static size_t learned_with(struct bundle *bundle, const char *parameter)
{
	const char *const parameters[] = {parameter, NULL};
	struct text_request request = {.method = "sst",
				       .parameters = parameters};
	AUTO_RESULT answer;
	AUTO_BUFFER html = {0};

	small_page(&html, 9);
	request.body = buffer_slice(&html);
	ASSERT_OK(bundle_extract(bundle, &request, &answer));
	return bundle->learned_bytes;
}

TEST(what_learning_reads_is_learnt_again)
{
	struct bundle *bundle = open_good();
	size_t once = learned_with(bundle, "attenuation=0.5");

	ck_assert_uint_gt(once, 0);
	ck_assert_uint_eq(learned_with(bundle, "attenuation=0.5"), once);
	ck_assert_uint_gt(learned_with(bundle, "attenuation=0.6"), once);
	bundle_close(bundle);
}

static struct cluster_match class_of(struct bundle *bundle, const char *html)
{
	struct text_request request = {.body = slice_of(html)};
	struct cluster_match classed;

	ASSERT_OK(bundle_classify(bundle, &request, &classed));
	return classed;
}

TEST(a_page_is_classed_by_the_nearest_signature)
{
	struct bundle *bundle = open_good();
	struct cluster_match classed;

	/* title, td: of page /b; the second, identical signature is later */
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

/* A model in which high ridges are content, or low ones. */
static struct bundle *open_with_model(bool likes_high)
{
	struct ridge_example examples[20] = {0};
	struct ridge_model *model;
	struct bundle_writer writer;
	struct bundle *bundle = NULL;
	struct buffer bytes = {0};
	AUTO_BUFFER text = {0};
	char reason[BUNDLE_REASON_BYTES];

	for (unsigned i = 0; i < 20; i++) {
		examples[i].features[0] = i % 2 == 0 ? 0.9 : 0.1;
		examples[i].is_primary = (i % 2 == 0) == likes_high;
	}
	model = ridge_model_train(examples, 20, RIDGE_GAMMA_PRESET,
				  RIDGE_COST_PRESET);
	ridge_model_write(model, slice_of("a test"), &text);
	small_begin(&writer, buffer_slice(&text));
	ASSERT_OK(bundle_end(&writer, &bytes));
	bundle_open(&bundle, &bytes, &bundle_limits_default, reason);
	ck_assert_msg(bundle != NULL, "%s", reason);
	ridge_model_destroy(model);
	return bundle;
}

/* The result of mountain for page 9 and its ridges at an address; free() it. */
static char *explain(struct bundle *bundle, const char *address)
{
	struct text_request request = {.method = "mountain",
				       .format = FORMAT_EXPLAIN};
	AUTO_RESULT answer;
	AUTO_BUFFER html = {0};
	struct url url;
	char *text;

	small_page(&html, 9);
	request.body = buffer_slice(&html);
	ASSERT_OK(url_parse(&url, slice_of(address), NULL));
	request.url = &url;
	ASSERT_OK(bundle_extract(bundle, &request, &answer));
	text = answer.text.data;
	answer.text = (struct buffer){0};
	return text;
}

static bool explain_the_same(struct bundle *a, struct bundle *b,
			     const char *address)
{
	AUTO_TEXT *by_a = explain(a, address);
	AUTO_TEXT *by_b = explain(b, address);

	return strcmp(by_a, by_b) == 0;
}

TEST(the_model_of_the_site_is_used_on_its_pages)
{
	struct bundle *high = open_with_model(true);
	struct bundle *low = open_with_model(false);

	ck_assert(!explain_the_same(high, low, "http://a.test/x"));
	/* another host is judged as without one */
	ck_assert(explain_the_same(high, low, "http://b.test/x"));
	bundle_close(high);
	bundle_close(low);
}

/* The record of page `number` as JSON; free() it. */
static char *record_of(struct bundle *bundle, const char *address,
		       unsigned number, uint32_t cluster)
{
	struct text_request request = {0};
	json_t *record = json_object();
	AUTO_BUFFER html = {0};
	struct url url;
	uint32_t found;
	char *text;

	small_page(&html, number);
	request.body = buffer_slice(&html);
	if (address != NULL) {
		ASSERT_OK(url_parse(&url, slice_of(address), NULL));
		request.url = &url;
	}
	ASSERT_OK(bundle_record(bundle, &request, &found, record));
	ck_assert_uint_eq(found, cluster);
	text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	return text;
}

static void check_fields(struct bundle *bundle, const char *address,
			 unsigned number, uint32_t cluster, const char *wanted)
{
	char *text = record_of(bundle, address, number, cluster);

	ck_assert_str_eq(text, wanted);
	free(text);
}

TEST(a_page_has_the_fields_of_its_template)
{
	struct bundle *bundle = open_good();

	ck_assert_ptr_nonnull(bundle_cluster(bundle, 1)->fields);
	check_fields(bundle, NULL, 9, 1, "{\"heading\":\"Heading 9\"}");
	check_fields(bundle, "http://a.test/a/3", 2, 1,
		     "{\"heading\":\"Heading 2\"}");
	check_fields(bundle, "http://b.test/", 9, 0, "{}");
	/* a template without samples, and a page without template */
	check_fields(bundle, NULL, SMALL_TABLE, 2, "{}");
	check_fields(bundle, "http://a.test/gone", SMALL_GONE, 0, "{}");
	bundle_close(bundle);
}

TEST(fields_that_a_bundle_does_not_have_are_found_in_its_samples)
{
	struct bundle_writer writer;
	AUTO_BUFFER bytes = {0};
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle;
	char *text;

	small_begin(&writer, slice_of(NULL));
	small_put_template(&writer);
	ASSERT_OK(bundle_end(&writer, &bytes));
	bundle = small_open(&bytes, reason);
	ck_assert_ptr_null(bundle_cluster(bundle, 1)->fields);
	text = record_of(bundle, NULL, 9, 1);
	ck_assert_ptr_nonnull(strstr(text, "\"Heading 9\""));
	free(text);
	ck_assert_ptr_nonnull(bundle_cluster(bundle, 1)->field_sets);
	text = record_of(bundle, NULL, 8, 1);
	ck_assert_ptr_nonnull(strstr(text, "\"Heading 8\""));
	free(text);
	bundle_close(bundle);
}
