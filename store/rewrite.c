#include "store/rewrite.h"

#include <lmdb.h>
#include <pthread.h>

#include "store/checksum.h"
#include "store/env.h"
#include "store/redaction.h"
#include "store/rows_hook.h"
#include "store/rows_site.h"
#include "store/sealed.h"

/* Bytes of rows in one transaction of the copy. */
enum { BATCH_BYTES = 16 << 20 };

/* A copy in progress; it stores the first error. */
struct rewrite {
	struct store *from;
	MDB_txn *reader;
	MDB_env *env;
	MDB_txn *writer; /* NULL after a failure */
	MDB_dbi tables[TABLE_COUNT];
	size_t bytes; /* bytes in the transaction */
	int rc;
	bool is_upgrade;
};

static void keep(struct rewrite *rewrite, int rc)
{
	if (rewrite->rc == MDB_SUCCESS)
		rewrite->rc = rc;
}

static void begin(struct rewrite *rewrite)
{
	rewrite->bytes = 0;
	if (rewrite->rc == MDB_SUCCESS)
		keep(rewrite,
		     mdb_txn_begin(rewrite->env, NULL, 0, &rewrite->writer));
}

static void end(struct rewrite *rewrite)
{
	if (rewrite->writer == NULL)
		return;
	if (rewrite->rc == MDB_SUCCESS)
		keep(rewrite, mdb_txn_commit(rewrite->writer));
	else
		mdb_txn_abort(rewrite->writer);
	rewrite->writer = NULL;
}

static void open_copy(struct rewrite *rewrite, const char *name)
{
	static const unsigned flags =
		MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NORDAHEAD;
	MDB_envinfo info;

	mdb_env_info(rewrite->from->env, &info);
	keep(rewrite, mdb_env_create(&rewrite->env));
	if (rewrite->rc != MDB_SUCCESS)
		return;
	keep(rewrite, mdb_env_set_maxdbs(rewrite->env, TABLE_COUNT));
	keep(rewrite, mdb_env_set_mapsize(rewrite->env, info.me_mapsize));
	if (rewrite->rc == MDB_SUCCESS)
		keep(rewrite, mdb_env_open(rewrite->env, name, flags, 0600));
	begin(rewrite);
	for (int i = 0; i < TABLE_COUNT && rewrite->rc == MDB_SUCCESS; i++)
		keep(rewrite,
		     mdb_dbi_open(rewrite->writer, table_name((enum table)i),
				  MDB_CREATE, &rewrite->tables[i]));
	end(rewrite);
}

/*
 * Move the text to the secrets and replace it with its redacted form, in
 * `bytes`, which is {0}.
 */
static void seal(struct rewrite *rewrite, redaction *redact, struct slice *text,
		 struct buffer *bytes)
{
	sealed_make(rewrite->from->secrets, redact, *text, bytes);
	*text = buffer_slice(bytes);
}

/* Convert a row of SCHEMA_UNSEALED; return false if it is damaged. */
static bool seal_site(struct rewrite *rewrite, struct slice value,
		      struct buffer *out)
{
	struct buffer headers = {0};
	struct buffer proxy = {0};
	struct site_row row;

	if (!site_decode(value, &row))
		return false;
	seal(rewrite, redact_headers, &row.options.headers, &headers);
	seal(rewrite, redact_proxy, &row.options.proxy, &proxy);
	*out = site_encode(&row);
	buffer_free(&headers);
	buffer_free(&proxy);
	return true;
}

static bool seal_hook(struct rewrite *rewrite, struct slice value,
		      struct buffer *out)
{
	struct buffer target = {0};
	struct buffer secret = {0};
	struct hook_row row;

	if (!hook_row_decode(value, &row))
		return false;
	seal(rewrite, redact_target, &row.target, &target);
	seal(rewrite, redact_all, &row.secret, &secret);
	*out = hook_row_encode(&row);
	buffer_free(&target);
	buffer_free(&secret);
	return true;
}

/* Convert the value of a row to the current schema. `out` is {0}. */
static int upgrade(struct rewrite *rewrite, int table, struct slice key,
		   struct slice value, struct buffer *out)
{
	static const uint64_t schema = STORE_SCHEMA;
	bool is_good = true;

	if (!rewrite->from->is_without_checksums)
		value = checksum_read(table_name((enum table)table), key,
				      value);
	if (value.data == NULL)
		return MDB_CORRUPTED;
	if (table == TABLE_META && slice_equal(key, slice_of("schema")))
		value = (struct slice){&schema, sizeof(schema)};
	if (table == TABLE_SITES)
		is_good = seal_site(rewrite, value, out);
	else if (table == TABLE_HOOKS)
		is_good = seal_hook(rewrite, value, out);
	else
		buffer_append_slice(out, value);
	return is_good ? MDB_SUCCESS : MDB_CORRUPTED;
}

static int put_upgraded(struct rewrite *rewrite, int table, MDB_val key,
			MDB_val value)
{
	struct slice k = {key.mv_data, key.mv_size};
	struct buffer row = {0};
	MDB_val out;
	int rc = upgrade(rewrite, table, k,
			 (struct slice){value.mv_data, value.mv_size}, &row);

	out = (MDB_val){row.size + CHECKSUM_BYTES, NULL};
	if (rc == MDB_SUCCESS)
		rc = mdb_put(rewrite->writer, rewrite->tables[table], &key,
			     &out, MDB_APPEND | MDB_RESERVE);
	if (rc == MDB_SUCCESS)
		checksum_write(table_name((enum table)table), k,
			       buffer_slice(&row), out.mv_data);
	buffer_free(&row);
	return rc;
}

static int put(struct rewrite *rewrite, int table, MDB_val key, MDB_val value)
{
	if (rewrite->is_upgrade)
		return put_upgraded(rewrite, table, key, value);
	return mdb_put(rewrite->writer, rewrite->tables[table], &key, &value,
		       MDB_APPEND);
}

static void copy_table(struct rewrite *rewrite, int table)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;
	int rc = mdb_cursor_open(rewrite->reader, rewrite->from->tables[table],
				 &cursor);

	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
	while (rc == MDB_SUCCESS && rewrite->rc == MDB_SUCCESS) {
		keep(rewrite, put(rewrite, table, key, value));
		rewrite->bytes += key.mv_size + value.mv_size;
		if (rewrite->bytes >= BATCH_BYTES) {
			end(rewrite);
			begin(rewrite);
		}
		rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	mdb_cursor_close(cursor);
	if (rc != MDB_NOTFOUND)
		keep(rewrite, rc);
}

static void copy_tables(struct rewrite *rewrite)
{
	keep(rewrite, mdb_txn_begin(rewrite->from->env, NULL, MDB_RDONLY,
				    &rewrite->reader));
	if (rewrite->rc != MDB_SUCCESS)
		return;
	begin(rewrite);
	for (int i = 0; i < TABLE_COUNT && rewrite->rc == MDB_SUCCESS; i++)
		copy_table(rewrite, i);
	end(rewrite);
	mdb_txn_abort(rewrite->reader);
}

enum error store_rewrite(struct store *from, const char *name, bool is_upgrade)
{
	struct rewrite rewrite = {.from = from, .is_upgrade = is_upgrade};

	pthread_rwlock_rdlock(&from->map_lock);
	open_copy(&rewrite, name);
	if (rewrite.rc == MDB_SUCCESS)
		copy_tables(&rewrite);
	if (rewrite.env != NULL)
		mdb_env_close(rewrite.env);
	pthread_rwlock_unlock(&from->map_lock);
	return error_from_mdb(rewrite.rc);
}
