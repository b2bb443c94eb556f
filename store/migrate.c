#include "store/migrate.h"

#include <lmdb.h>
#include <string.h>

#include "store/buffer.h"
#include "store/compress.h"
#include "store/df_block.h"
#include "store/env.h"
#include "store/key.h"
#include "store/log.h"
#include "store/row.h"
#include "store/rows_dictionary.h"
#include "store/rows_template.h"

enum {
	OLDEST_SCHEMA = 4,
	DF_BLOCK_FULL = DF_BLOCK_MAX * 2 / 3, /* leaves room for more */
	MAX_KEY_BYTES = 511,                  /* limit of LMDB */
	MAX_VERSION_BYTES = 64 << 20, /* decompressed; no version is larger */
};

static const struct renamed {
	const char *before;
	const char *now;
} renamed_tables[] = {
	{"terms", "shingles"},
	{"panel", "sample_pages"},
	{"mutes", "silences"},
};

static bool open_table(struct txn *txn, const char *name, unsigned flags,
		       MDB_dbi *table_out)
{
	if (txn->error == ERR_NONE)
		txn_check(txn, mdb_dbi_open(txn->mdb, name, flags, table_out));
	return txn->error == ERR_NONE;
}

static MDB_val text_val(const char *text)
{
	return val_from_slice(slice_of(text));
}

/* LMDB cannot rename a table, so copy its rows in order. */
static void rename_table(struct txn *txn, const struct renamed *name)
{
	MDB_cursor *cursor = NULL;
	MDB_dbi before;
	MDB_dbi now;
	MDB_val key;
	MDB_val value;
	int rc;

	if (!open_table(txn, name->before, 0, &before) ||
	    !open_table(txn, name->now, MDB_CREATE, &now))
		return;
	rc = mdb_cursor_open(txn->mdb, before, &cursor);
	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
	while (rc == MDB_SUCCESS) {
		rc = mdb_put(txn->mdb, now, &key, &value, MDB_APPEND);
		if (rc == MDB_SUCCESS)
			rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	mdb_cursor_close(cursor);
	if (rc != MDB_NOTFOUND)
		txn_check(txn, rc);
	else
		txn_check(txn, mdb_drop(txn->mdb, before, 1));
}

/* Copy the last used number to the new name of its counter. */
static void rename_counter(struct txn *txn, MDB_dbi meta, const char *before,
			   const char *now)
{
	MDB_val key = text_val(before);
	MDB_val to = text_val(now);
	MDB_val value;
	uint64_t number;
	int rc = mdb_get(txn->mdb, meta, &key, &value);

	if (rc == MDB_NOTFOUND || value.mv_size != sizeof(number))
		return; /* no number was used */
	memcpy(&number, value.mv_data, sizeof(number));
	value = (MDB_val){sizeof(number), &number};
	txn_check(txn, mdb_put(txn->mdb, meta, &to, &value, 0));
	txn_check(txn, mdb_del(txn->mdb, meta, &key, NULL));
}

/*
 * Replace the row at the cursor. Copies the key, because it is in the page that
 * changes.
 */
static int replace_row(MDB_cursor *cursor, MDB_val key,
		       const struct buffer *row)
{
	unsigned char bytes[MAX_KEY_BYTES];
	MDB_val copy = {key.mv_size, bytes};
	MDB_val value = val_from_slice(buffer_slice(row));

	memcpy(bytes, key.mv_data, key.mv_size);
	return mdb_cursor_put(cursor, &copy, &value, MDB_CURRENT);
}

/*
 * Rename a key of a JSON text. A quote inside a string has a backslash, so only
 * keys match.
 */
static void rename_key(struct buffer *json)
{
	static const char before[] = "\"share\":";
	static const char now[] = "\"ratio\":";
	char *end = json->data + json->size;
	char *at = json->data;

	_Static_assert(sizeof(before) == sizeof(now), "in place");
	while (at != NULL && at < end) {
		at = memmem(at, (size_t)(end - at), before, strlen(before));
		if (at != NULL)
			memcpy(at, now, strlen(now));
	}
}

/* Rewrite the row; a damaged one does not change, so that `verify` finds it. */
static bool rename_in_version(struct slice value, struct buffer *out)
{
	struct buffer json = {0};
	struct buffer packed = {0};
	struct version_row row;
	bool is_done =
		version_row_decode(value, &row) &&
		decompress(row.packed, MAX_VERSION_BYTES, &json) == ERR_NONE;

	if (is_done && json.size > 0) {
		rename_key(&json);
		compress_well(buffer_slice(&json), &packed);
		row.packed = buffer_slice(&packed);
		*out = version_row_encode(&row);
	}
	buffer_free(&json);
	buffer_free(&packed);
	return is_done && out->size > 0;
}

/*
 * Write the new row of `value` to `out`, which is empty; return false if it
 * does not change.
 */
typedef bool rewrite_row(struct slice value, struct buffer *out);

static void rewrite_rows(struct txn *txn, const char *name,
			 rewrite_row *rewrite)
{
	MDB_cursor *cursor = NULL;
	MDB_dbi table;
	MDB_val key;
	MDB_val value;
	int rc;

	if (!open_table(txn, name, 0, &table))
		return;
	rc = mdb_cursor_open(txn->mdb, table, &cursor);
	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
	while (rc == MDB_SUCCESS) {
		struct buffer row = {0};

		if (rewrite((struct slice){value.mv_data, value.mv_size}, &row))
			rc = replace_row(cursor, key, &row);
		buffer_free(&row);
		if (rc == MDB_SUCCESS)
			rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	mdb_cursor_close(cursor);
	if (rc != MDB_NOTFOUND)
		txn_check(txn, rc);
}

static uint64_t read_schema(struct txn *txn, MDB_dbi meta)
{
	MDB_val key = text_val("schema");
	MDB_val value;
	uint64_t schema = 0;

	if (mdb_get(txn->mdb, meta, &key, &value) == MDB_SUCCESS &&
	    value.mv_size == sizeof(schema))
		memcpy(&schema, value.mv_data, sizeof(schema));
	return schema;
}

static void from_4(struct txn *txn, MDB_dbi meta)
{
	for (size_t i = 0; i < sizeof(renamed_tables) / sizeof(*renamed_tables);
	     i++)
		rename_table(txn, &renamed_tables[i]);
	rename_counter(txn, meta, "mute", "silence");
	rewrite_rows(txn, "versions", rename_in_version);
}

static void from_5(struct txn *txn, MDB_dbi meta)
{
	MDB_dbi dictionaries;

	(void)meta;
	open_table(txn, "dictionaries", MDB_CREATE, &dictionaries);
}

/* Collects rows with one count each into blocks. */
struct blocks {
	struct txn *txn;
	MDB_cursor *out;
	struct key cluster; /* the beginning of the keys */
	struct df_count counts[DF_BLOCK_MAX];
	size_t count;
};

/* Write a block. `last` is the fragment in its key. */
static void put_block(struct blocks *blocks, uint64_t last)
{
	struct slice cluster = key_slice(&blocks->cluster);
	struct key key = key_member(key_u32(cluster, 0),
				    key_u32(cluster, sizeof(uint32_t)), last);
	struct buffer block = {0};
	MDB_val k = val_from_slice(key_slice(&key));
	MDB_val v;

	if (blocks->count == 0)
		return;
	df_block_encode(blocks->counts, blocks->count, last, &block);
	v = val_from_slice(buffer_slice(&block));
	txn_check(blocks->txn, mdb_cursor_put(blocks->out, &k, &v, MDB_APPEND));
	buffer_free(&block);
	blocks->count = 0;
}

/*
 * Add a row of schema 6. Skip a damaged one; `verify` reports its missing
 * count.
 */
static void add_count(struct blocks *blocks, struct slice key,
		      struct slice value)
{
	struct key cluster =
		key_cluster(key_u32(key, 0), key_u32(key, sizeof(uint32_t)));
	struct df_count one = {.fragment = key_u64(key, cluster.size)};

	if (key.size != cluster.size + sizeof(one.fragment) ||
	    value.size != sizeof(one.pages))
		return;
	memcpy(&one.pages, value.data, sizeof(one.pages));
	if (one.pages == 0)
		return;
	if (!slice_equal(key_slice(&cluster), key_slice(&blocks->cluster)))
		put_block(blocks, UINT64_MAX);
	else if (blocks->count == DF_BLOCK_FULL)
		put_block(blocks, blocks->counts[DF_BLOCK_FULL - 1].fragment);
	blocks->cluster = cluster;
	blocks->counts[blocks->count++] = one;
}

/*
 * From schema 7 on, the records in dictionaries are slim. Remove the existing
 * dictionaries from their cluster, so that the daemon creates new ones and
 * deletes the old ones when no page needs them.
 */
static bool retire_dictionary(struct slice value, struct buffer *out)
{
	struct dictionary_row row;

	if (!dictionary_row_decode(value, &row))
		return false;
	row.cluster = 0;
	*out = dictionary_row_encode(&row);
	return true;
}

/* From schema 7 on, counts of fragments are in blocks. */
static void block_counts(struct txn *txn)
{
	struct blocks blocks = {.txn = txn};
	MDB_cursor *cursor = NULL;
	MDB_dbi before;
	MDB_dbi now;
	MDB_val key;
	MDB_val value;
	int rc;

	if (!open_table(txn, "df", 0, &before) ||
	    !open_table(txn, "frequencies", MDB_CREATE, &now))
		return;
	rc = mdb_cursor_open(txn->mdb, before, &cursor);
	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_open(txn->mdb, now, &blocks.out);
	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
	while (rc == MDB_SUCCESS && txn->error == ERR_NONE) {
		add_count(&blocks, (struct slice){key.mv_data, key.mv_size},
			  (struct slice){value.mv_data, value.mv_size});
		rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	if (rc == MDB_NOTFOUND) {
		put_block(&blocks, UINT64_MAX);
		rc = MDB_SUCCESS;
	}
	mdb_cursor_close(cursor);
	mdb_cursor_close(blocks.out);
	txn_check(txn, rc);
	if (txn->error == ERR_NONE)
		txn_check(txn, mdb_drop(txn->mdb, before, 1));
}

static void from_6(struct txn *txn, MDB_dbi meta)
{
	(void)meta;
	rewrite_rows(txn, "dictionaries", retire_dictionary);
	block_counts(txn);
}

static void from_7(struct txn *txn, MDB_dbi meta)
{
	(void)txn;
	(void)meta; /* no row changes, but earlier programs must not open the
		       store */
}

/* Each step migrates from its own schema to the next. */
static void (*const steps[])(struct txn *txn, MDB_dbi meta) = {from_4, from_5,
							       from_6, from_7};

_Static_assert(OLDEST_SCHEMA + sizeof(steps) / sizeof(*steps) ==
		       SCHEMA_WITHOUT_CHECKSUMS,
	       "a step from every schema before");

void store_migrate(struct txn *txn)
{
	MDB_val key = text_val("schema");
	uint64_t schema;
	MDB_val value = {sizeof(schema), &schema};
	MDB_dbi meta;

	if (mdb_dbi_open(txn->mdb, "meta", 0, &meta) != MDB_SUCCESS)
		return;
	schema = read_schema(txn, meta);
	if (schema < OLDEST_SCHEMA || schema >= SCHEMA_WITHOUT_CHECKSUMS)
		return;
	log_info("store: migrating from schema %d to %d", (int)schema,
		 STORE_SCHEMA);
	for (; schema < SCHEMA_WITHOUT_CHECKSUMS && txn->error == ERR_NONE;
	     schema++)
		steps[schema - OLDEST_SCHEMA](txn, meta);
	if (txn->error == ERR_NONE)
		txn_check(txn, mdb_put(txn->mdb, meta, &key, &value, 0));
}
