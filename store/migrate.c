#include "store/migrate.h"

#include <lmdb.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

/* Size of the rows that one transaction of the copy writes. */
enum { BATCH_BYTES = 16 << 20 };

/* A running copy. It stores the first error. */
struct rewrite {
	struct store *from;
	MDB_txn *reader;
	MDB_env *env;
	MDB_txn *writer; /* NULL after an error */
	MDB_dbi tables[TABLE_COUNT];
	size_t bytes; /* size of the rows in the current transaction */
	size_t page_bytes;
	int rc;
};

static void rewrite_keep_error(struct rewrite *rewrite, int rc)
{
	if (rewrite->rc == MDB_SUCCESS)
		rewrite->rc = rc;
}

static void rewrite_begin(struct rewrite *rewrite)
{
	rewrite->bytes = 0;
	if (rewrite->rc == MDB_SUCCESS)
		rewrite_keep_error(rewrite, mdb_txn_begin(rewrite->env, NULL, 0,
							  &rewrite->writer));
}

static void rewrite_end(struct rewrite *rewrite)
{
	if (rewrite->writer == NULL)
		return;
	if (rewrite->rc == MDB_SUCCESS)
		rewrite_keep_error(rewrite, mdb_txn_commit(rewrite->writer));
	else
		mdb_txn_abort(rewrite->writer);
	rewrite->writer = NULL;
}

static void open_copy(struct rewrite *rewrite, const char *name)
{
	static const unsigned flags =
		MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NORDAHEAD;
	MDB_envinfo info;
	MDB_stat stat;

	mdb_env_info(rewrite->from->env, &info);
	rewrite_keep_error(rewrite, mdb_env_create(&rewrite->env));
	if (rewrite->rc != MDB_SUCCESS)
		return;
	rewrite_keep_error(rewrite,
			   mdb_env_set_maxdbs(rewrite->env, TABLE_COUNT));
	rewrite_keep_error(rewrite,
			   mdb_env_set_mapsize(rewrite->env, info.me_mapsize));
	if (rewrite->rc == MDB_SUCCESS)
		rewrite_keep_error(
			rewrite, mdb_env_open(rewrite->env, name, flags, 0600));
	if (rewrite->rc == MDB_SUCCESS) {
		mdb_env_stat(rewrite->env, &stat);
		rewrite->page_bytes = stat.ms_psize;
	}
	rewrite_begin(rewrite);
	for (int i = 0; i < TABLE_COUNT && rewrite->rc == MDB_SUCCESS; i++)
		rewrite_keep_error(
			rewrite,
			mdb_dbi_open(rewrite->writer, table_name((enum table)i),
				     MDB_CREATE, &rewrite->tables[i]));
	rewrite_end(rewrite);
}

static void rewrite_put(struct rewrite *rewrite, int table, MDB_val key,
			MDB_val value)
{
	rewrite_keep_error(rewrite,
			   mdb_put(rewrite->writer, rewrite->tables[table],
				   &key, &value, MDB_APPEND));
	rewrite->bytes += key.mv_size + value.mv_size;
}

/* Write a row whose value has no checksum yet. */
static void rewrite_put_value(struct rewrite *rewrite, enum table table,
			      struct slice key, struct slice value)
{
	MDB_val k = val_from_slice(key);
	MDB_val v = {value.size + CHECKSUM_BYTES, NULL};

	if (rewrite->rc == MDB_SUCCESS)
		rewrite_keep_error(rewrite,
				   mdb_put(rewrite->writer,
					   rewrite->tables[table], &k, &v,
					   MDB_APPEND | MDB_RESERVE));
	if (rewrite->rc == MDB_SUCCESS)
		checksum_write(table_name(table), key, value, v.mv_data);
	rewrite->bytes += key.size + v.mv_size;
}

/* Write a value of TABLE_BODIES or TABLE_RECORDS in small pieces. */
static void rewrite_divide(struct rewrite *rewrite, enum table table,
			   struct slice key, struct slice value)
{
	struct content_division division =
		content_divide_finely(value.size, rewrite->page_bytes);
	struct buffer head = {0};

	if (division.count > 0)
		content_make_head(value, division, &head);
	rewrite_put_value(rewrite, table, key,
			  division.count > 0 ? buffer_slice(&head) : value);
	for (unsigned i = 1; i <= division.count; i++)
		rewrite_put_value(rewrite, content_pieces_of(table),
				  KEY(key_piece(key, i)),
				  content_piece(value, division, i));
	buffer_free(&head);
}

/*
 * Copy the unchanged row of a damaged value of TABLE_BODIES or TABLE_RECORDS,
 * and the pieces that exist.
 */
static void rewrite_copy_damaged(struct rewrite *rewrite, int table,
				 MDB_val key, MDB_val value)
{
	const int pieces = (int)content_pieces_of((enum table)table);
	struct slice page = {key.mv_data, key.mv_size};

	rewrite_put(rewrite, table, key, value);
	for (unsigned i = 1; i <= CONTENT_MAX_PIECES; i++) {
		struct key one = key_piece(page, i);
		MDB_val k = {one.size, one.bytes};
		MDB_val v;

		if (mdb_get(rewrite->reader, rewrite->from->tables[pieces], &k,
			    &v) == MDB_SUCCESS)
			rewrite_put(rewrite, pieces, k, v);
	}
}

/*
 * Copy a row. Divide a body or record again, and write it together with its
 * pieces.
 */
static void rewrite_copy_row(struct rewrite *rewrite, int table, MDB_val key,
			     MDB_val value)
{
	struct txn txn = {.store = rewrite->from, .mdb = rewrite->reader};
	struct slice k = {key.mv_data, key.mv_size};
	struct buffer joined = {0};
	struct slice whole;

	if (!content_is_divisible((enum table)table, k)) {
		rewrite_put(rewrite, table, key, value);
		return;
	}
	whole = checksum_read(table_name((enum table)table), k,
			      (struct slice){value.mv_data, value.mv_size});
	if (whole.size > 0)
		whole = content_join(&txn, (enum table)table, k, whole,
				     &joined);
	if (whole.size > 0)
		rewrite_divide(rewrite, (enum table)table, k, whole);
	else
		rewrite_copy_damaged(rewrite, table, key, value);
	buffer_free(&joined);
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
		rewrite_copy_row(rewrite, table, key, value);
		if (rewrite->bytes >= BATCH_BYTES) {
			rewrite_end(rewrite);
			rewrite_begin(rewrite);
		}
		rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	mdb_cursor_close(cursor);
	if (rc != MDB_NOTFOUND)
		rewrite_keep_error(rewrite, rc);
}

static void copy_tables(struct rewrite *rewrite)
{
	rewrite_keep_error(rewrite,
			   mdb_txn_begin(rewrite->from->env, NULL, MDB_RDONLY,
					 &rewrite->reader));
	if (rewrite->rc != MDB_SUCCESS)
		return;
	rewrite_begin(rewrite);
	for (int i = 0; i < TABLE_COUNT && rewrite->rc == MDB_SUCCESS; i++)
		if (content_heads_of((enum table)i) == TABLE_COUNT)
			copy_table(rewrite, i);
	rewrite_end(rewrite);
	mdb_txn_abort(rewrite->reader);
}

enum error store_rewrite(struct store *from, const char *name)
{
	struct rewrite rewrite = {.from = from};

	pthread_rwlock_rdlock(&from->map_lock);
	open_copy(&rewrite, name);
	if (rewrite.rc == MDB_SUCCESS)
		copy_tables(&rewrite);
	if (rewrite.env != NULL)
		mdb_env_close(rewrite.env);
	pthread_rwlock_unlock(&from->map_lock);
	return error_from_mdb(rewrite.rc);
}

/*
 * Tables are added, which are empty at first. Schema 2 adds TABLE_WEIGHTS and
 * TABLE_NAMES: the sites of schema 1 have no weights, and the daemon derives
 * the names. Schema 5 adds TABLE_FIELDS and TABLE_FIELD_VALUES, schema 7
 * TABLE_TEXT_CHANGES, schema 8 TABLE_REFUSED, and schema 9 TABLE_BODY_PIECES
 * and TABLE_RECORD_PIECES.
 */
static void migrate_tables(struct txn *txn)
{
	(void)txn;
}

/* The row of a site after a step; the key is the name of its host. */
struct migrated_site {
	struct buffer host;
	struct buffer value;
};

/* Write and free the rows [count]. */
static void put_sites(struct txn *txn, struct migrated_site *sites,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		txn_put(txn, TABLE_SITES, buffer_slice(&sites[i].host),
			buffer_slice(&sites[i].value));
		buffer_free(&sites[i].host);
		buffer_free(&sites[i].value);
	}
	free(sites);
}

/*
 * Schema 3 adds TABLE_INCIDENTS, TABLE_COOKIES, TABLE_WAITING and TABLE_HEALTH,
 * which are empty at first, and the patterns of URLs to the rows of sites;
 * schema 6 adds the selectors for rendering to these rows, TABLE_SCREENSHOTS,
 * TABLE_INCIDENT_SCREENSHOTS, TABLE_INCIDENT_COMMENTS, TABLE_SITE_DAYS and
 * TABLE_RENDERS. A damaged row is kept; store_verify() reports it.
 */
static void migrate_sites(struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	struct migrated_site *sites = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		struct buffer value;

		if (!site_of_old_schema(scan.value, &value))
			continue;
		sites = mem_grow(sites, count, &capacity, sizeof(*sites));
		sites[count] = (struct migrated_site){.value = value};
		buffer_append_slice(&sites[count].host, scan.key);
		count++;
	}
	scan_end(&scan);
	put_sites(txn, sites, count);
}

/*
 * Schema 4 adds fields to the rows of TABLE_INCIDENTS, TABLE_WAITING and
 * TABLE_HEALTH. They describe what the daemon is checking at the moment, so
 * they are deleted: the next check of each site writes them again. Ended
 * incidents are lost, too; their events stay.
 */
static void migrate_health(struct txn *txn)
{
	txn_delete_prefix(txn, TABLE_INCIDENTS, slice_of(""));
	txn_delete_prefix(txn, TABLE_WAITING, slice_of(""));
	txn_delete_prefix(txn, TABLE_HEALTH, slice_of(""));
}

static migration_step *const steps[] = {
	migrate_tables, migrate_sites,  migrate_health, migrate_tables,
	migrate_sites,  migrate_tables, migrate_tables, migrate_tables};
static const struct migration to_this_schema = {
	steps, sizeof(steps) / sizeof(steps[0])};

void store_migrate(struct txn *txn, uint64_t schema)
{
	const struct migration *migration = txn->store->options.migration;
	const uint64_t now = STORE_SCHEMA;
	uint64_t oldest;

	if (migration == NULL)
		migration = &to_this_schema;
	oldest = now - migration->count;
	if (schema < oldest || schema >= now) {
		txn_fail(txn, ERR_VERSION);
		return;
	}
	log_info("store %s: migrating from schema %d to %d", txn->store->path,
		 (int)schema, STORE_SCHEMA);
	for (; schema < now && txn->error == ERR_NONE; schema++)
		migration->steps[schema - oldest](txn);
	store_set_number(txn, "schema", now);
}
