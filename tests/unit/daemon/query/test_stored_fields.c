/* The fields of the templates in a store, and the records of their pages. */
#include "daemon/query/stored_fields.h"

#include <stdlib.h>

#include "daemon/engine/engine.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 80, CLUSTER = 1 };

static struct world world;
static struct fields_source source;
static struct fields_outcome outcome;
static struct url urls[MAX_FIELD_EXAMPLES];

static void put_product(unsigned number)
{
	char url[64];
	char html[512];

	snprintf(url, sizeof(url), "http://a.test/%u", number);
	snprintf(html, sizeof(html),
		 "<html><body><div class=menu><a href=/>home</a></div>"
		 "<h1>Thing %u</h1><p class=price>%u.95 EUR</p><ul class=parts>"
		 "<li>Part %u a<li>Part %u b</ul><div class=foot>Terms</div>",
		 number, number, number, number);
	ASSERT_OK(world_put(&world, url, slice_of(html)));
}

static void setup(void)
{
	world = (struct world){0};
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
	for (unsigned i = 0; i < PAGES; i++)
		put_product(i + 100);
	outcome = (struct fields_outcome){0};
	source = (struct fields_source){.store = world.store,
					.limits = &page_limits_default,
					.name = {"a.test", CLUSTER}};
}

static void teardown(void)
{
	fields_outcome_free(&outcome);
	world_close(&world);
}

static void parse_url(const char *text, struct url *url)
{
	ASSERT_OK(url_parse(url, slice_of(text), NULL));
}

static enum error change(const struct fields_wish *wish)
{
	fields_outcome_free(&outcome);
	return stored_fields_change(&source, wish, &outcome);
}

static enum error find(void)
{
	return change(
		&(struct fields_wish){.action = FIELDS_FIND, .max_fields = 20});
}

/* Teach a field by its value on one page. */
static enum error teach(const char *name, const char *url, const char *value)
{
	json_t *detail =
		json_pack("{s:[{s:s, s:[{s:i, s:[s]}]}]}", "lessons", "name",
			  name, "examples", "page", 0, "values", value);
	enum error error;

	parse_url(url, &urls[0]);
	error = change(&(struct fields_wish){.action = FIELDS_TEACH,
					     .detail = detail,
					     .examples = urls,
					     .example_count = 1});
	json_decref(detail);
	return error;
}

/* Commit the outcome, as computed from these sets. */
static enum error commit_after(struct slice before, uint64_t learned_ms)
{
	char *text = json_dumps(outcome.description, JSON_COMPACT);
	struct change change = {
		.kind = CHANGE_FIELDS,
		.fields = {.cluster = CLUSTER,
			   .before = before,
			   .row = {.learned_ms = learned_ms,
				   .pages = outcome.pages,
				   .sets = buffer_slice(&outcome.sets),
				   .description = slice_of(text)}}};

	parse_url("http://a.test/", &urls[0]);
	change.url = &urls[0];
	engine_commit(world.engine, &change, 1, ++world.now_ms, NULL);
	free(text);
	return change.error;
}

static enum error commit(uint64_t learned_ms)
{
	return commit_after(buffer_slice(&outcome.before), learned_ms);
}

/* Put a row that no program wrote. */
static void put_row(const struct fields_row *row)
{
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	fields_row_put(&txn, site.id, CLUSTER, row);
	ASSERT_OK(txn_end(&txn));
}

/* The records that a request passes to its sink. */
struct sum {
	uint32_t count;
	uint32_t errors; /* records with an error */
	uint32_t stop;   /* after so many; 0: never */
	struct text_position last;
	char price[32]; /* of the first record */
};

static bool add_record(void *context, const struct stored_record *record)
{
	struct sum *sum = context;
	const char *price =
		json_string_value(json_object_get(record->fields, "price"));

	if (sum->count == 0 && price != NULL)
		snprintf(sum->price, sizeof(sum->price), "%s", price);
	ck_assert_int_eq(record->error == ERR_NONE, record->fields != NULL);
	ck_assert(record->place.stored_ms >= sum->last.stored_ms);
	sum->last = record->place;
	sum->errors += record->error != ERR_NONE;
	return ++sum->count != sum->stop;
}

static enum error read_records(struct sum *sum, struct text_position since,
			       uint32_t limit)
{
	return stored_records_read(&source,
				   &(struct record_request){.since = since,
							    .limit = limit,
							    .sink = add_record,
							    .context = sum});
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(found_fields_are_described_once_they_are_stored)
{
	uint64_t learned_ms;
	json_t *list;

	ck_assert_int_eq(stored_fields_describe(world.store, &source.name,
						&list, &learned_ms),
			 ERR_NOT_FOUND);
	ASSERT_OK(find());
	ck_assert_uint_eq(outcome.pages, MAX_FIELD_PAGES);
	ck_assert_uint_eq(json_array_size(outcome.sample), MAX_FIELD_PAGES);
	ASSERT_OK(commit(7));
	ASSERT_OK(stored_fields_describe(world.store, &source.name, &list,
					 &learned_ms));
	ck_assert_uint_eq(learned_ms, 7);
	ck_assert(json_equal(list, outcome.description));
	json_decref(list);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_change_of_other_fields_than_those_read_is_busy)
{
	ASSERT_OK(teach("price", "http://a.test/100", "100.95 EUR"));
	ck_assert_uint_eq(outcome.before.size, 0);
	ASSERT_OK(commit(7));
	ck_assert_int_eq(commit(8), ERR_BUSY);
	ck_assert_int_eq(commit_after(slice_of("others"), 8), ERR_BUSY);
	ASSERT_OK(teach("name", "http://a.test/100", "Thing 100"));
	ck_assert_uint_gt(outcome.before.size, 0);
	ck_assert_uint_eq(json_array_size(outcome.description), 2);
	ASSERT_OK(commit(8));
}

TEST(an_example_needs_a_stored_page_of_the_template)
{
	AUTO_BUFFER other = {0};

	world_page(&other, 2, 1);
	ASSERT_OK(
		world_put(&world, "http://a.test/other", buffer_slice(&other)));
	ck_assert_int_eq(teach("price", "http://a.test/none", "100.95 EUR"),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(outcome.fault, FIELDS_NOT_STORED);
	ck_assert_int_eq(teach("price", "http://b.test/100", "100.95 EUR"),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(outcome.fault, FIELDS_NOT_STORED);
	ck_assert_int_eq(teach("price", "http://a.test/other", "100.95 EUR"),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(outcome.fault, FIELDS_NOT_TEMPLATE);
	ck_assert_int_eq(teach("price", "http://a.test/100", "99.95 EUR"),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(outcome.fault, FIELDS_NO_VALUE);
	source.name.cluster = 99;
	ck_assert_int_eq(find(), ERR_NOT_FOUND);
	ck_assert_int_eq(outcome.fault, FIELDS_NO_FAULT);
	source.name.host = "b.test";
	ck_assert_int_eq(find(), ERR_NOT_FOUND);
}

TEST(records_come_in_portions_in_the_order_of_storage)
{
	struct sum sum = {0};

	ASSERT_OK(teach("price", "http://a.test/100", "100.95 EUR"));
	ASSERT_OK(commit(7));
	ASSERT_OK(read_records(&sum, (struct text_position){0}, 70));
	ck_assert_uint_eq(sum.count, 70);
	ASSERT_OK(read_records(&sum, sum.last, 70));
	ck_assert_uint_eq(sum.count, PAGES);
	ASSERT_OK(read_records(&sum, sum.last, 70));
	ck_assert_uint_eq(sum.count, PAGES);
	ck_assert_uint_eq(sum.errors, 0);
	ck_assert_str_eq(sum.price + strlen(sum.price) - 7, ".95 EUR");
}

TEST(a_sink_stops_the_records)
{
	struct sum sum = {.stop = 5};

	ASSERT_OK(teach("price", "http://a.test/100", "100.95 EUR"));
	ASSERT_OK(commit(7));
	ASSERT_OK(read_records(&sum, (struct text_position){0}, 70));
	ck_assert_uint_eq(sum.count, 5);
}

/* A page without a body has a record with an error: no page is left out. */
TEST(expired_bodies_are_errors_of_their_records)
{
	struct sum sum = {0};
	struct txn txn;
	struct site_row site;

	ASSERT_OK(teach("price", "http://a.test/100", "100.95 EUR"));
	ASSERT_OK(commit(7));
	txn = txn_begin_write(world.store);
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	for (unsigned i = 0; i < PAGES - 1; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/%u", i + 100);
		txn_delete(&txn, TABLE_BODIES,
			   KEY(key_page(site.id, page_key_of(slice_of(url)))));
	}
	ASSERT_OK(txn_end(&txn));
	ASSERT_OK(read_records(&sum, (struct text_position){0}, 1000));
	ck_assert_uint_eq(sum.count, PAGES);
	ck_assert_uint_eq(sum.errors, PAGES - 1);
}

TEST(a_page_that_is_handed_in_has_values)
{
	const struct submitted_page page = {
		.body = slice_of(
			"<html><body><div class=menu><a href=/>home</a></div>"
			"<h1>New</h1><p class=price>7.95 EUR</p>"
			"<div class=foot>Terms</div>"),
		.charset = slice_of("utf-8")};
	const struct submitted_page image = {.body = {"GIF89a\0\0\0", 9}};
	json_t *fields;

	ck_assert_int_eq(submitted_record_get(&source, &page, &fields),
			 ERR_NOT_FOUND);
	ASSERT_OK(teach("price", "http://a.test/100", "100.95 EUR"));
	ASSERT_OK(commit(7));
	ASSERT_OK(submitted_record_get(&source, &page, &fields));
	ck_assert_str_eq(json_string_value(json_object_get(fields, "price")),
			 "7.95 EUR");
	json_decref(fields);
	ck_assert_int_eq(submitted_record_get(&source, &image, &fields),
			 ERR_NOT_HTML);
	ck_assert_ptr_null(fields);
}

TEST(damaged_rows_are_errors_and_can_be_replaced)
{
	struct sum sum = {0};
	uint64_t learned_ms;
	json_t *list;

	put_row(&(struct fields_row){.learned_ms = 5,
				     .sets = slice_of("no list"),
				     .description = slice_of("no JSON")});
	ck_assert_int_eq(stored_fields_describe(world.store, &source.name,
						&list, &learned_ms),
			 ERR_CORRUPT);
	ck_assert_ptr_null(list);
	ck_assert_int_eq(read_records(&sum, (struct text_position){0}, 9),
			 ERR_CORRUPT);
	ck_assert_int_eq(teach("price", "http://a.test/100", "100.95 EUR"),
			 ERR_CORRUPT);
	ASSERT_OK(find());
	ASSERT_OK(commit(7));
	ASSERT_OK(read_records(&sum, (struct text_position){0}, 9));
	ck_assert_uint_eq(sum.count, 9);
}

/* A worker could send any names, for a terminal or a spreadsheet. */
TEST(a_description_with_a_bad_name_is_damaged)
{
	static const char *const lists[] = {"{}",
					    "[7]",
					    "[{}]",
					    "[{\"name\":7}]",
					    "[{\"name\":\"\"}]",
					    "[{\"name\":\"a\\u001bb\"}]"};
	uint64_t learned_ms;
	json_t *list;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		put_row(&(struct fields_row){.sets = slice_of("x"),
					     .description =
						     slice_of(lists[i])});
		ck_assert_int_eq(stored_fields_describe(world.store,
							&source.name, &list,
							&learned_ms),
				 ERR_CORRUPT);
	}
}
