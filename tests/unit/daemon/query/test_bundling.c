/* The bundle of a site answers as the store that it was made from. */
#include "daemon/query/bundle_export.h"

#include <unistd.h>

#include "base/file.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_site.h"
#include "extract/methods/ridge.h"
#include "store/rows.h"
#include "template/bundle.h"
#include "template/extraction.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 24 };

static struct world world;
static struct extraction_options rules;

static void put(const char *url, unsigned kind, unsigned seed)
{
	AUTO_BUFFER html = {0};

	world_page(&html, kind, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

/* Three kinds, the last one with a single page. */
static void setup_with(enum measure measure)
{
	world = (struct world){0};
	world_open(&world, 0);
	world.measure = measure;
	rules = extraction_options_default;
	ASSERT_OK(world_add_site(&world, "a.test"));
	for (unsigned i = 0; i < PAGES; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/page/%u", i);
		put(url, i == PAGES - 1 ? 2 : i % 2, i);
	}
}

static void setup(void)
{
	setup_with(MEASURE_CPC);
}

static void teardown(void)
{
	world_close(&world);
}

static enum error make(const char *host, size_t max_bytes, struct buffer *out,
		       char *reason)
{
	const struct bundle_export_options bundling = {
		.host = host,
		.rules = &rules,
		.program = "a test",
		.now_ms = 1700000000000,
		.max_bytes = max_bytes,
	};

	return bundle_export(world.store, &bundling, out, reason);
}

static struct bundle *open_bundle(void)
{
	char reason[BUNDLE_REASON_BYTES];
	struct buffer file = {0};
	struct bundle *bundle;

	ASSERT_OK(make("a.test", 1 << 20, &file, reason));
	ASSERT_OK(bundle_open(&bundle, &file, &bundle_limits_default, reason));
	return bundle;
}

/* An ingested page for both. */
struct case_row {
	const char *url;
	unsigned kind;
	unsigned seed;
};

static bool are_same(const struct extraction_result *told,
		     const struct extraction_result *mine)
{
	return slice_equal(buffer_slice(&told->text),
			   buffer_slice(&mine->text)) &&
	       strcmp(told->reason, mine->reason) == 0 &&
	       strcmp(told->cluster, mine->cluster) == 0 &&
	       told->cluster_pages == mine->cluster_pages &&
	       told->generation == mine->generation &&
	       told->quality == mine->quality;
}

static void compare(struct bundle *bundle, const struct case_row *row,
		    const struct text_request *asked)
{
	struct text_request request = *asked;
	AUTO_BUFFER html = {0};
	AUTO_RESULT told;
	AUTO_RESULT mine;
	struct url url;

	world_page(&html, row->kind, row->seed);
	ASSERT_OK(url_parse(&url, slice_of(row->url), NULL));
	request.url = &url;
	request.body = buffer_slice(&html);
	ck_assert_int_eq(query_extract(world.store, &rules, &request, &told),
			 bundle_extract(bundle, &request, &mine));
	ck_assert(are_same(&told, &mine));
}

static const struct case_row cases[] = {
	{"http://a.test/page/4", 0, 4},   /* unchanged */
	{"http://a.test/page/4", 0, 99},  /* changed */
	{"http://a.test/page/5", 0, 99},  /* of another template now */
	{"http://a.test/new", 1, 98},     /* new */
	{"http://a.test/page/23", 2, 23}, /* single */
	{"http://a.test/new", 2, 97},     /* two pages: no template */
	{"http://a.test/new", 3, 96},     /* like none */
	{"http://b.test/page/4", 0, 4},   /* of another site */
};

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST_ROWS(a_bundle_answers_as_the_store, cases)
{
	static const char *const methods[] = {
		"auto", "df",       "df+",  "sst", "contentextractor",
		"rtdm", "mountain", "plain"};
	struct bundle *bundle = open_bundle();
	size_t count = COUNT_OF(methods);

	for (size_t m = 0; m < count; m++)
		for (unsigned format = 0; format < FORMAT_COUNT; format++)
			compare(bundle, &cases[_i],
				&(struct text_request){
					.method = methods[m],
					.format = (enum format)format,
				});
	bundle_close(bundle);
}

static struct cluster_match class_in_store(const struct text_request *request)
{
	struct stored_site stored = {0};
	struct cluster_match classed = {0};
	struct page *page = NULL;
	struct txn txn = txn_begin_read(world.store);
	const struct site_view *view;
	struct site_row row;

	ck_assert(site_get(&txn, slice_of("a.test"), &row));
	view = stored_site_open(&stored, world.store, &row, &rules);
	txn_abort(&txn);
	ASSERT_OK(extraction_class(view, request, &page_limits_default, &page,
				   &classed));
	page_destroy(page);
	stored_site_close(&stored);
	return classed;
}

/* Also pages between the clusters, whose distances depend on the weights. */
TEST(a_page_has_the_same_cluster_and_distance_with_weights)
{
	struct bundle *bundle;

	teardown();
	setup_with(MEASURE_WCAS);
	ck_assert(world_choose(&world, "a.test", 1000));
	bundle = open_bundle();
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		compare(bundle, &cases[i],
			&(struct text_request){.method = "auto"});
	for (unsigned i = 0; i < 40; i++) {
		struct text_request request = {.method = "auto"};
		struct cluster_match theirs;
		struct cluster_match ours;
		AUTO_BUFFER html = {0};
		struct url url;

		ASSERT_OK(
			url_parse(&url, slice_of("http://a.test/new/1"), NULL));
		request.url = &url;
		world_page(&html, i % 4, i);
		for (unsigned k = 0; k < i / 4; k++)
			buffer_printf(&html, "<p class=%c>x</p>", 'a' + (int)k);
		request.body = buffer_slice(&html);
		ASSERT_OK(bundle_classify(bundle, &request, &theirs));
		ours = class_in_store(&request);
		ck_assert_uint_eq(ours.cluster, theirs.cluster);
		ck_assert_double_eq(ours.distance, theirs.distance);
	}
	bundle_close(bundle);
}

TEST_LOOP(settings_and_the_least_cluster_go_with_it, 0, 4)
{
	static const char *const methods[] = {"accb", "df", "sst", "auto"};
	struct bundle *bundle;

	rules.settings = "accb.threshold=0";
	/* 12 pages of one template, and one more; of the other 11 */
	rules.min_cluster_pages = 13;
	bundle = open_bundle();
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		compare(bundle, &cases[i],
			&(struct text_request){.method = methods[_i]});
	bundle_close(bundle);
}

/* A model in which high ridges are content, or low ones. */
static void write_model(const char *path, bool likes_high)
{
	struct ridge_example examples[20] = {0};
	struct ridge_model *model;
	AUTO_BUFFER text = {0};

	for (unsigned i = 0; i < 20; i++) {
		examples[i].features[0] = i % 2 == 0 ? 0.9 : 0.1;
		examples[i].is_primary = (i % 2 == 0) == likes_high;
	}
	model = ridge_model_train(examples, 20, RIDGE_GAMMA_PRESET,
				  RIDGE_COST_PRESET);
	ck_assert_ptr_nonnull(model);
	ridge_model_write(model, slice_of("a test"), &text);
	ASSERT_OK(file_write(path, buffer_slice(&text)));
	ridge_model_destroy(model);
}

TEST(the_own_model_of_the_site_goes_with_it)
{
	char path[128];

	rules.models = world.path;
	snprintf(path, sizeof(path), "%s/a.test.model", world.path);
	for (unsigned likes_high = 0; likes_high < 2; likes_high++) {
		struct bundle *bundle;

		write_model(path, likes_high == 1);
		bundle = open_bundle();
		for (size_t i = 0; i < COUNT_OF(cases); i++)
			compare(bundle, &cases[i],
				&(struct text_request){.method = "mountain"});
		bundle_close(bundle);
	}
	unlink(path);
}

TEST(what_cannot_be_made_is_told)
{
	char reason[256];
	char path[128];
	AUTO_BUFFER file = {0};

	ck_assert_int_eq(make("b.test", 1 << 20, &file, reason), ERR_NOT_FOUND);
	ck_assert_int_eq(make("a.test", 500, &file, reason), ERR_TOO_LARGE);
	ck_assert_str_eq(reason, "the bundle exceeds 500 bytes; raise "
				 "extract.max_bundle_size");
	rules.models = world.path;
	snprintf(path, sizeof(path), "%s/a.test.model", world.path);
	ASSERT_OK(file_write(path, slice_of("no model")));
	ck_assert_int_eq(make("a.test", 1 << 20, &file, reason), ERR_MALFORMED);
	ck_assert_ptr_nonnull(strstr(reason, "a.test.model"));
	unlink(path);
	ck_assert_uint_eq(file.size, 0);
}

TEST(an_empty_site_makes_a_bundle)
{
	char reason[256];
	struct buffer file = {0};
	struct bundle *bundle;
	const struct bundle_export_options bundling = {.host = "c.test",
						       .rules = &rules,
						       .program = "a test",
						       .max_bytes = 1 << 20};

	ASSERT_OK(world_add_site(&world, "c.test"));
	ASSERT_OK(bundle_export(world.store, &bundling, &file, reason));
	ASSERT_OK(bundle_open(&bundle, &file, &bundle_limits_default, reason));
	compare(bundle, &(struct case_row){.url = "http://c.test/", .kind = 0},
		&(struct text_request){0});
	bundle_close(bundle);
}

/* Put the field "heading" of the pages of kind 0 into the store. */
static void put_fields(void)
{
	struct page *pages[3];
	const struct page *const *sample = (const struct page *const *)pages;
	struct arena *arena = arena_create();
	AUTO_BUFFER encoded = {0};
	AUTO_BUFFER list = {0};
	struct field_set set;
	struct site_row site;
	struct txn txn;

	for (unsigned i = 0; i < 3; i++) {
		AUTO_BUFFER html = {0};

		world_page(&html, 0, i);
		ASSERT_OK(page_parse(&pages[i], buffer_slice(&html),
				     slice_of(""), &page_limits_default));
	}
	set = fields_find(arena, sample, 3);
	ck_assert_uint_gt(set.count, 0);
	set.count = 1;
	strcpy(set.fields[0].name, "first");
	field_set_encode(&set, &encoded);
	item_append(&list, buffer_slice(&encoded));
	txn = txn_begin_write(world.store);
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	fields_row_put(&txn, site.id, 1,
		       &(struct fields_row){.sets = buffer_slice(&list)});
	ASSERT_OK(txn_end(&txn));
	for (unsigned i = 0; i < 3; i++)
		page_destroy(pages[i]);
	arena_destroy(arena);
}

TEST(stored_fields_are_exported)
{
	const struct bundle_cluster *cluster;
	struct bundle *bundle;

	put_fields();
	bundle = open_bundle();
	bundle_find_fields(bundle, 1);
	cluster = bundle_cluster(bundle, 1);
	ck_assert_uint_eq(cluster->field_set_count, 1);
	ck_assert_uint_eq(cluster->field_sets[0].count, 1);
	ck_assert_str_eq(cluster->field_sets[0].fields[0].name, "first");
	ck_assert_ptr_null(bundle_cluster(bundle, 2)->fields);
	bundle_close(bundle);
}
