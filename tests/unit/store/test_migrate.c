/*
 * Tests the migration of a store with a made-up older schema: a counter had
 * another name, and there was no table of silences.
 */
#include "store/migrate.h"

#include <lmdb.h>
#include <string.h>

#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/sets.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { OLD_SCHEMA = STORE_SCHEMA - 1 };

static struct scratch scratch;

static void set_up(void)
{
	scratch_make(&scratch);
}

static void tear_down(void)
{
	scratch_remove(&scratch, NULL);
}

static void rename_counter(struct txn *txn)
{
	const uint64_t number = store_last_number(txn, "old name");

	txn_put(txn, TABLE_META, slice_of("name"),
		(struct slice){&number, sizeof(number)});
	txn_delete(txn, TABLE_META, slice_of("old name"));
}

static void fail_step(struct txn *txn)
{
	rename_counter(txn);
	txn_fail(txn, ERR_STORE_FULL);
}

static migration_step *const good_steps[] = {rename_counter};
static migration_step *const bad_steps[] = {fail_step};
static const struct migration good = {good_steps, 1};
static const struct migration bad = {bad_steps, 1};
static const struct migration none = {NULL, 0};

static enum error open_with(const struct migration *migration,
			    struct store **store_out)
{
	const struct store_options options = {.is_temporary = true,
					      .migration = migration};

	*store_out = NULL;
	return store_open(store_out, scratch.folder, &options);
}

static void drop_table(const char *name)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi table;

	ck_assert_int_eq(mdb_env_create(&env), 0);
	mdb_env_set_maxdbs(env, 1);
	ck_assert_int_eq(mdb_env_open(env, scratch.folder, MDB_NOSYNC, 0600),
			 0);
	ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
	ck_assert_int_eq(mdb_dbi_open(txn, name, 0, &table), 0);
	ck_assert_int_eq(mdb_drop(txn, table, 1), 0);
	ck_assert_int_eq(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void make_old_store(void)
{
	const uint64_t schema = OLD_SCHEMA;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);

	store_next_number(&txn, "old name");
	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("silences");
}

/* Check the rows of a migrated store, and that the new table is usable. */
static void check_store(struct store *store)
{
	const struct silence_row row = {.event = 9, .host = slice_of("a")};
	struct txn txn = txn_begin_write(store);

	ck_assert_uint_eq(store_last_number(&txn, "name"), 1);
	ck_assert_uint_eq(store_last_number(&txn, "old name"), 0);
	ck_assert_uint_eq(store_last_number(&txn, "schema"), STORE_SCHEMA);
	silence_row_put(&txn, 1, &row);
	ASSERT_OK(txn_end(&txn));
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(opening_migrates_once)
{
	struct store *store;

	make_old_store();
	ASSERT_OK(open_with(&good, &store));
	check_store(store);
	store_close(store);
	store = scratch_store(&scratch); /* needs no step */
	check_store(store);
	store_close(store);
}

TEST(failed_step_changes_nothing)
{
	struct store *store;

	make_old_store();
	ck_assert_int_eq(open_with(&bad, &store), ERR_STORE_FULL);
	ASSERT_OK(open_with(&good, &store));
	check_store(store);
	store_close(store);
}

TEST(schema_without_step_is_refused)
{
	struct store *store;

	make_old_store();
	ck_assert_int_eq(open_with(&none, &store), ERR_VERSION);
	ASSERT_OK(open_with(&good, &store));
	store_close(store);
}

/* A row of an old schema: without the lengths of the last texts. */
static void put_old_site(struct txn *txn, size_t texts)
{
	enum { FIELDS = 226, TEXTS = 9, LENGTH = 4 };
	const size_t missing = (TEXTS - texts) * LENGTH;
	const struct site_row site = {.id = 9,
				      .host = slice_of("a.example"),
				      .seed = slice_of("http://a.example/")};
	struct buffer value = site_encode(&site);
	char *at = value.data + FIELDS + texts * LENGTH;

	value.size -= missing;
	memmove(at, at + missing, value.size - FIELDS - texts * LENGTH);
	txn_put(txn, TABLE_SITES, site.host, buffer_slice(&value));
	buffer_free(&value);
}

static void check_old_schema(uint64_t schema, size_t texts)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct site_row row;

	put_old_site(&txn, texts);
	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_read(store);
	ck_assert(site_get(&txn, slice_of("a.example"), &row));
	ck_assert_uint_eq(row.id, 9);
	ck_assert(slice_equal(row.seed, slice_of("http://a.example/")));
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(sites_of_old_schemas_are_rewritten)
{
	check_old_schema(2, 5);
	scratch_remove(&scratch, NULL);
	scratch_make(&scratch);
	check_old_schema(5, 7);
}

TEST(schema_2_gets_the_table_of_incidents)
{
	const struct incident_row row = {.begin_ms = 5,
					 .kind = EVENT_TEMPLATE_CHANGED,
					 .detail = slice_of("{}")};
	const uint64_t schema = 2;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct incident_row found;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("incidents");
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_write(store);
	ck_assert(!incident_row_get(&txn, 7, 1, &found));
	incident_row_put(&txn, 7, 1, &row);
	ck_assert(incident_row_get(&txn, 7, 1, &found));
	ck_assert_uint_eq(found.begin_ms, row.begin_ms);
	ck_assert(slice_equal(found.detail, row.detail));
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

static void put_row_of_schema_3(struct txn *txn, enum table table)
{
	txn_put(txn, table, slice_of("12345678"), slice_of("too short"));
}

TEST(rows_of_checks_of_schema_3_are_deleted)
{
	static const enum table changed[] = {TABLE_INCIDENTS, TABLE_WAITING,
					     TABLE_HEALTH};
	const uint64_t schema = 3;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		put_row_of_schema_3(&txn, changed[i]);
	put_row_of_schema_3(&txn, TABLE_NAMES);
	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_read(store);
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		ck_assert_uint_eq(txn_usage(&txn, changed[i]).rows, 0);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_NAMES).rows, 1);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(schema_4_gets_the_table_of_fields)
{
	const struct fields_row row = {.learned_ms = 5,
				       .pages = 3,
				       .sets = slice_of("sets"),
				       .description = slice_of("[]"),
				       .broken = slice_of("{}")};
	const uint64_t schema = 4;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct fields_row found;

	put_row_of_schema_3(&txn, TABLE_NAMES);
	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("fields");
	drop_table("field_values");
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_write(store);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_NAMES).rows, 1);
	ck_assert(!fields_row_get(&txn, 7, 1, &found));
	fields_row_put(&txn, 7, 1, &row);
	ck_assert(fields_row_get(&txn, 7, 1, &found));
	ck_assert_uint_eq(found.learned_ms, row.learned_ms);
	ck_assert_uint_eq(found.pages, row.pages);
	ck_assert(slice_equal(found.sets, row.sets));
	ck_assert(slice_equal(found.description, row.description));
	ck_assert(slice_equal(found.broken, row.broken));
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(schema_5_gets_the_table_of_renders)
{
	const struct render_row row = {.asked_ms = 5,
				       .decided_ms = 6,
				       .moved_ms = 7,
				       .page = 8,
				       .version = 9,
				       .words_before = 10,
				       .words_after = 11,
				       .words_new = 12,
				       .decision = RENDER_YES,
				       .attempts = 2,
				       .signatures = slice_of("12345678")};
	const uint64_t schema = 5;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct render_row found;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("renders");
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_write(store);
	ck_assert(!render_row_get(&txn, 7, 1, &found));
	render_row_put(&txn, 7, 1, &row);
	ck_assert(render_row_get(&txn, 7, 1, &found));
	ck_assert(slice_equal(found.signatures, row.signatures));
	ck_assert_uint_eq(found.asked_ms, row.asked_ms);
	ck_assert_uint_eq(found.decided_ms, row.decided_ms);
	ck_assert_uint_eq(found.moved_ms, row.moved_ms);
	ck_assert_uint_eq(found.page, row.page);
	ck_assert_uint_eq(found.version, row.version);
	ck_assert_uint_eq(found.words_before, row.words_before);
	ck_assert_uint_eq(found.words_after, row.words_after);
	ck_assert_uint_eq(found.words_new, row.words_new);
	ck_assert_uint_eq(found.decision, row.decision);
	ck_assert_uint_eq(found.attempts, row.attempts);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(schema_6_gets_the_table_of_text_changes)
{
	const struct text_change_row row = {
		.changed_ms = 1,
		.before_ms = 2,
		.quiet = 3,
		.visits = 4,
		.parts = slice_of("[5,6]"),
		.change = slice_of("{}"),
	};
	const uint64_t schema = 6;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct text_change_row found;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("text_changes");
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	text_change_row_put(&txn, 7, 1, &row);
	ck_assert(text_change_row_get(&txn, 7, 1, &found));
	ck_assert(slice_equal(found.parts, row.parts));
	ck_assert(slice_equal(found.change, row.change));
	ck_assert_uint_eq(found.changed_ms, row.changed_ms);
	ck_assert_uint_eq(found.before_ms, row.before_ms);
	ck_assert_uint_eq(found.quiet, row.quiet);
	ck_assert_uint_eq(found.visits, row.visits);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(schema_7_gets_the_table_of_refused_events)
{
	const struct refused_row row = {.refused_ms = 1,
					.http_status = 422,
					.answer = slice_of("too long"),
					.event = slice_of("an event")};
	const uint64_t schema = 7;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct refused_row found;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("refused");
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	refused_row_put(&txn, 1, 2, &row);
	ck_assert(refused_row_get(&txn, 1, 2, &found));
	ck_assert(slice_equal(found.answer, row.answer));
	ck_assert(slice_equal(found.event, row.event));
	ck_assert_uint_eq(found.refused_ms, row.refused_ms);
	ck_assert_uint_eq(found.http_status, row.http_status);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

/* Bodies of schema 8 are not divided. */
TEST(schema_8_gets_the_tables_of_pieces)
{
	static char bytes[5000];
	const struct slice body = {bytes, sizeof(bytes)};
	const struct key key = key_page(7, 1);
	const uint64_t schema = 8;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	AUTO_BUFFER joined = {0};

	txn_put(&txn, TABLE_BODIES, key_slice(&key), body);
	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("body_pieces");
	drop_table("record_pieces");
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	ck_assert(slice_equal(
		content_get(&txn, TABLE_BODIES, key_slice(&key), &joined),
		body));
	ck_assert_uint_eq(txn_usage(&txn, TABLE_BODY_PIECES).rows, 0);
	content_put(&txn, TABLE_BODIES, key_slice(&key), body);
	content_put(&txn, TABLE_RECORDS, key_slice(&key), body);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_BODY_PIECES).rows, 1);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_RECORD_PIECES).rows, 1);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(schema_1_gets_tables_of_weights_and_names)
{
	const struct name_row row = {.name = slice_of("a name")};
	const uint64_t schema = 1;
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct name_row found;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	drop_table("names");
	drop_table("weights");
	ASSERT_OK(open_with(NULL, &store));
	txn = txn_begin_write(store);
	ck_assert_ptr_null(weights_get(&txn, 7).data);
	weights_put(&txn, 7, slice_of("some"));
	ck_assert(slice_equal(weights_get(&txn, 7), slice_of("some")));
	ck_assert(!name_row_get(&txn, 7, 1, &found));
	name_row_put(&txn, 7, 1, &row);
	ck_assert(name_row_get(&txn, 7, 1, &found));
	ck_assert(slice_equal(found.name, row.name));
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

TEST(reader_does_not_migrate)
{
	const struct store_options options = {.is_read_only = true,
					      .migration = &good};
	struct store *store = NULL;

	make_old_store();
	ck_assert_int_eq(store_open(&store, scratch.folder, &options),
			 ERR_VERSION);
}
