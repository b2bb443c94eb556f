/* A store of schema 4 to 8 is opened: nothing is lost, and its words are the
 * new. */
#include <lmdb.h>
#include <string.h>

#include "store/compress.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/rows_dictionary.h"
#include "store/rows_hook.h"
#include "store/rows_template.h"
#include "store/sets.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;

static void set_up(void)
{
	scratch_make(&scratch);
}

static void tear_down(void)
{
	scratch_remove(&scratch, NULL);
}

/* Rows of a page of the file and more, and on both sides of those that stand in
 * pages of their own. */
enum { MANY = 60, MAX_KEY_BYTES = 511 };

static const char bytes[MANY * 100] = "bytes";

/* Rows as they were before, in a store of this schema. */
static void fill_in(const struct store_options *options)
{
	static const char json[] = "{\"paths\":[{\"share\":0.5,"
				   "\"text\":\"\\\"share\\\":\"}]}";
	struct store *store = NULL;
	struct txn txn;
	struct version_row version = {.first_ms = 1, .page_count = 3};
	struct sample_page_row page = {.since_ms = 7, .url = slice_of("u")};
	struct silence_row silence = {.event = 9, .host = slice_of("a")};
	struct dictionary_row dictionary = {.cluster = 2, .bodies = {bytes, 0}};
	struct buffer packed = {0};

	ck_assert_int_eq(store_open(&store, scratch.folder, options), ERR_NONE);
	txn = txn_begin_write(store);
	compress(slice_of(json), &packed);
	version.packed = buffer_slice(&packed);
	for (uint32_t i = 0; i < MANY; i++)
		version_row_put(&txn, 1, 2, i, &version);
	buffer_free(&packed);
	sample_page_row_put(&txn, 1, 2, 4, &page);
	shingle_put(&txn, 1, 5, 77);
	silence_row_put(&txn, 1, &silence);
	for (uint32_t i = 0; i < MANY; i++) {
		dictionary.bodies.size = (size_t)i * 100;
		dictionary_row_put(&txn, 1, i, &dictionary);
	}
	store_next_number(&txn, "silence");
	ck_assert_int_eq(txn_end(&txn), ERR_NONE);
	store_close(store);
}

static void fill(void)
{
	fill_in(&(struct store_options){.is_temporary = true});
}

static void move_rows(MDB_txn *txn, const char *from, const char *to)
{
	MDB_cursor *cursor;
	MDB_dbi old;
	MDB_dbi new;
	MDB_val key;
	MDB_val value;

	ck_assert_int_eq(mdb_dbi_open(txn, from, 0, &old), 0);
	ck_assert_int_eq(mdb_dbi_open(txn, to, MDB_CREATE, &new), 0);
	ck_assert_int_eq(mdb_cursor_open(txn, old, &cursor), 0);
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0)
		ck_assert_int_eq(mdb_put(txn, new, &key, &value, 0), 0);
	mdb_cursor_close(cursor);
	ck_assert_int_eq(mdb_drop(txn, old, 1), 0);
}

/* A transaction of LMDB alone. */
static MDB_txn *begin_alone(MDB_env **env)
{
	MDB_txn *txn;

	ck_assert_int_eq(mdb_env_create(env), 0);
	mdb_env_set_maxdbs(*env, 64);
	ck_assert_int_eq(mdb_env_open(*env, scratch.folder, MDB_NOSYNC, 0600),
			 0);
	ck_assert_int_eq(mdb_txn_begin(*env, NULL, 0, &txn), 0);
	return txn;
}

enum { CHECKSUM_BYTES = 8, MAX_VALUE_BYTES = MANY * 100 * 2 };

/* Up to schema 8 values were without. */
static void strip_checksums(MDB_txn *txn, const char *name)
{
	static unsigned char value_bytes[MAX_VALUE_BYTES];
	unsigned char key_bytes[MAX_KEY_BYTES];
	MDB_cursor *cursor;
	MDB_dbi table;
	MDB_val key;
	MDB_val value;

	ck_assert_int_eq(mdb_dbi_open(txn, name, 0, &table), 0);
	ck_assert_int_eq(mdb_cursor_open(txn, table, &cursor), 0);
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
		ck_assert_uint_ge(value.mv_size, CHECKSUM_BYTES);
		ck_assert_uint_le(value.mv_size, sizeof(value_bytes));
		memcpy(key_bytes, key.mv_data, key.mv_size);
		memcpy(value_bytes, value.mv_data, value.mv_size);
		key.mv_data = key_bytes;
		value.mv_data = value_bytes;
		value.mv_size -= CHECKSUM_BYTES;
		ck_assert_int_eq(
			mdb_cursor_put(cursor, &key, &value, MDB_CURRENT), 0);
	}
	mdb_cursor_close(cursor);
}

/* In transactions of their own, so that what they free is used again. */
static void strip_all(void)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		MDB_env *env;
		MDB_txn *txn = begin_alone(&env);

		strip_checksums(txn, table_name((enum table)i));
		ck_assert_int_eq(mdb_txn_commit(txn), 0);
		mdb_env_close(env);
	}
}

static void drop_dictionaries(MDB_txn *txn)
{
	MDB_dbi table;

	ck_assert_int_eq(mdb_dbi_open(txn, "dictionaries", 0, &table), 0);
	ck_assert_int_eq(mdb_drop(txn, table, 1), 0);
}

enum { CLUSTERS = 3, FRAGMENTS = 5500 };

/* The n-th fragment of a cluster; the first and the last number are among
 * them. */
static uint64_t fragment_of(uint64_t n)
{
	return n * (UINT64_MAX / (FRAGMENTS - 1));
}

static uint32_t pages_of(uint32_t cluster, uint64_t n)
{
	return n % 7 == 0 ? (uint32_t)(n * n) + cluster : 1;
}

/* Each count in a row of its own, up to schema 6, and one that is damaged. */
static void split_counts(MDB_txn *txn)
{
	MDB_dbi table;
	int rc = 0;

	ck_assert_int_eq(mdb_dbi_open(txn, "frequencies", 0, &table), 0);
	ck_assert_int_eq(mdb_drop(txn, table, 1), 0);
	ck_assert_int_eq(mdb_dbi_open(txn, "df", MDB_CREATE, &table), 0);
	for (uint32_t cluster = 1; cluster <= CLUSTERS; cluster++)
		for (uint64_t n = 0; n < FRAGMENTS; n++) {
			struct key row = key_member(1, cluster, fragment_of(n));
			uint32_t pages = pages_of(cluster, n);
			MDB_val key = {row.size, row.bytes};
			MDB_val value = {sizeof(pages), &pages};

			rc |= mdb_put(txn, table, &key, &value, 0);
		}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(mdb_put(txn, table, &(MDB_val){16, "damaged, damaged"},
				 &(MDB_val){3, "one"}, 0),
			 0);
}

static void check_counts(struct txn *txn)
{
	for (uint32_t cluster = 1; cluster <= CLUSTERS; cluster++) {
		struct df_scan scan = df_scan_begin(txn, 1, cluster);
		uint64_t same = 0;

		while (df_scan_next(&scan) &&
		       scan.now.fragment == fragment_of(same) &&
		       scan.now.pages == pages_of(cluster, same))
			same++;
		ck_assert_uint_eq(same, FRAGMENTS);
		df_scan_end(&scan);
	}
}

/* The names of schema 4, by LMDB alone. */
static void make_old(uint64_t schema)
{
	MDB_env *env;
	MDB_txn *txn = begin_alone(&env);
	MDB_dbi meta;
	uint64_t number = 1;
	MDB_val key = {6, "schema"};
	MDB_val value = {sizeof(schema), &schema};

	split_counts(txn);
	move_rows(txn, "shingles", "terms");
	move_rows(txn, "sample_pages", "panel");
	move_rows(txn, "silences", "mutes");
	drop_dictionaries(txn);
	ck_assert_int_eq(mdb_dbi_open(txn, "meta", 0, &meta), 0);
	ck_assert_int_eq(mdb_put(txn, meta, &key, &value, 0), 0);
	key = (MDB_val){7, "silence"};
	ck_assert_int_eq(mdb_del(txn, meta, &key, NULL), 0);
	key = (MDB_val){4, "mute"};
	value = (MDB_val){sizeof(number), &number};
	ck_assert_int_eq(mdb_put(txn, meta, &key, &value, 0), 0);
	ck_assert_int_eq(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

/* A store of schema 5 has no dictionaries yet, one of schema 6 no blocks. */
static void make_new(uint64_t schema)
{
	MDB_env *env;
	MDB_txn *txn = begin_alone(&env);
	MDB_dbi table;
	MDB_val key = {6, "schema"};
	MDB_val value = {sizeof(schema), &schema};

	if (schema < 7)
		split_counts(txn);
	if (schema < 6)
		drop_dictionaries(txn);
	ck_assert_int_eq(mdb_dbi_open(txn, "meta", 0, &table), 0);
	ck_assert_int_eq(mdb_put(txn, table, &key, &value, 0), 0);
	ck_assert_int_eq(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void check_version(struct txn *txn, uint32_t number)
{
	struct version_row version;
	struct buffer json = {0};

	ck_assert(version_row_get(txn, 1, 2, number, &version));
	ck_assert_uint_eq(version.page_count, 3);
	ck_assert_int_eq(decompress(version.packed, 1000, &json), ERR_NONE);
	ck_assert_str_eq(json.data, "{\"paths\":[{\"ratio\":0.5,"
				    "\"text\":\"\\\"share\\\":\"}]}");
	buffer_free(&json);
}

static void check_rows(struct txn *txn)
{
	struct sample_page_row page;
	struct silence_row silence;

	ck_assert(sample_page_row_get(txn, 1, 2, 4, &page));
	ck_assert_uint_eq(page.since_ms, 7);
	ck_assert(silence_row_get(txn, 1, &silence));
	ck_assert_uint_eq(silence.event, 9);
}

static void check_numbers(struct txn *txn)
{
	struct key key = key_cluster(1, 5);
	uint64_t shingle = 0;

	ck_assert(shingle_decode(txn_get(txn, TABLE_SHINGLES, key_slice(&key)),
				 &shingle));
	ck_assert_uint_eq(shingle, 77);
	ck_assert_uint_eq(store_last_number(txn, "silence"), 1);
	ck_assert_uint_eq(store_last_number(txn, "mute"), 0);
}

/* Versions are rewritten from schema 4 alone. */
static void open_and_check(bool has_versions)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_read(store);

	for (uint32_t i = 0; i < MANY && has_versions; i++)
		check_version(&txn, i);
	check_rows(&txn);
	check_numbers(&txn);
	check_counts(&txn);
	ck_assert_int_eq(txn_end(&txn), ERR_NONE);
	store_close(store);
}

START_TEST(schema_4_becomes_10_and_nothing_is_lost)
{
	fill();
	strip_all();
	make_old(4);
	open_and_check(true);
	open_and_check(true); /* it is one of schema 10 by now */
}
END_TEST

START_TEST(schema_5_becomes_10_and_nothing_is_lost)
{
	fill();
	strip_all();
	make_new(5);
	open_and_check(false);
	open_and_check(false);
}
END_TEST

START_TEST(schema_6_becomes_10_and_nothing_is_lost)
{
	struct store *store;
	struct txn txn;
	struct dictionary_row dictionary;

	fill();
	strip_all();
	make_new(6);
	open_and_check(false);
	open_and_check(false);
	store = scratch_store(&scratch);
	txn = txn_begin_read(store);
	for (uint32_t i = 0; i < MANY; i++) {
		ck_assert(dictionary_row_get(&txn, 1, i, &dictionary));
		ck_assert_uint_eq(dictionary.cluster, 0); /* another is made */
		ck_assert(slice_equal(dictionary.bodies,
				      (struct slice){bytes, (size_t)i * 100}));
	}
	txn_abort(&txn);
	store_close(store);
}
END_TEST

/* Of schema 7, and of 8, which has the same rows. */
static void check_the_same_rows(uint64_t schema)
{
	struct store *store;
	struct txn txn;

	fill();
	strip_all();
	make_new(schema);
	store = scratch_store(&scratch);
	txn = txn_begin_read(store);
	check_rows(&txn);
	ck_assert_int_eq(txn_end(&txn), ERR_NONE);
	store_close(store);
}

START_TEST(schema_7_becomes_10_and_nothing_is_lost)
{
	check_the_same_rows(7);
}
END_TEST

START_TEST(schema_8_becomes_10_and_nothing_is_lost)
{
	check_the_same_rows(8);
}
END_TEST

/* LMDB alone makes a map of 1 MB, which is nearly full then. */
START_TEST(a_migration_needs_room)
{
	struct store_options options = {.is_temporary = true,
					.max_map_bytes = (size_t)1 << 20};
	struct store *store = NULL;

	fill_in(&options);
	strip_all();
	make_new(6);
	ck_assert_int_eq(store_open(&store, scratch.folder, &options),
			 ERR_STORE_FULL);
	options.max_map_bytes = (size_t)4 << 20;
	ck_assert_int_eq(store_open(&store, scratch.folder, &options),
			 ERR_NONE);
	store_close(store);
	open_and_check(false);
}
END_TEST

START_TEST(schema_3_is_refused)
{
	struct store *store = NULL;

	fill();
	strip_all();
	make_old(3);
	ck_assert_int_eq(
		store_open(&store, scratch.folder, &(struct store_options){0}),
		ERR_VERSION);
}
END_TEST

START_TEST(a_reader_migrates_nothing)
{
	struct store *store = NULL;
	struct store_options options = {.is_read_only = true};

	fill();
	strip_all();
	make_old(4);
	ck_assert_int_eq(store_open(&store, scratch.folder, &options),
			 ERR_VERSION);
}
END_TEST

SUITE(migrate)
{
	Suite *suite = suite_create("migrate");
	TCase *tcase = tcase_create("migrate");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, schema_4_becomes_10_and_nothing_is_lost);
	tcase_add_test(tcase, schema_5_becomes_10_and_nothing_is_lost);
	tcase_add_test(tcase, schema_6_becomes_10_and_nothing_is_lost);
	tcase_add_test(tcase, schema_7_becomes_10_and_nothing_is_lost);
	tcase_add_test(tcase, schema_8_becomes_10_and_nothing_is_lost);
	tcase_add_test(tcase, a_migration_needs_room);
	tcase_add_test(tcase, schema_3_is_refused);
	tcase_add_test(tcase, a_reader_migrates_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}
