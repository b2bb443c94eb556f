#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "store/data_check.h"
#include "store/dictionary_cache.h"
#include "store/env.h"
#include "store/folder.h"
#include "store/migrate.h"
#include "store/sealed.h"
#include "store/secrets.h"

enum { MAX_READERS = 512 };

static const size_t min_map_bytes = (size_t)1 << 20;
static const size_t default_max_map_bytes = (size_t)16 << 30;

const char *table_name(enum table table)
{
	static const char *const names[] = {
#define X(name, text) text,
		TABLE_LIST(X)
#undef X
	};

	return names[table];
}

/*
 * Prefer waiting writers to new readers; otherwise a replacement would starve.
 */
static void init_map_lock(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(
		&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(lock, &attributes);
	pthread_rwlockattr_destroy(&attributes);
}

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes / page * page;
}

/*
 * Return the size of the map. It is the maximum from the start, because the
 * file grows into it and enlarging the map would have to wait for every reader;
 * less if the process has too little address space.
 */
static size_t size_of_map(size_t max)
{
	size_t bytes = whole_pages(max);

	while (bytes > min_map_bytes) {
		void *probe = mmap(NULL, bytes, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				   -1, 0);

		if (probe != MAP_FAILED) {
			munmap(probe, bytes);
			return bytes;
		}
		bytes = whole_pages(bytes / 2);
	}
	return min_map_bytes;
}

static enum error open_env(struct store *store)
{
	unsigned flags = MDB_NOTLS;
	int rc;

	if (store->is_read_only)
		flags |= MDB_RDONLY;
	if (store->options.is_temporary)
		flags |= MDB_NOSYNC | MDB_NOMETASYNC;
	rc = mdb_env_create(&store->env);
	if (rc == MDB_SUCCESS)
		rc = mdb_env_set_maxdbs(store->env, TABLE_COUNT);
	if (rc == MDB_SUCCESS)
		rc = mdb_env_set_maxreaders(store->env, MAX_READERS);
	if (rc == MDB_SUCCESS && !store->is_read_only)
		rc = mdb_env_set_mapsize(store->env,
					 size_of_map(store->max_map_bytes));
	if (rc == MDB_SUCCESS)
		rc = mdb_env_open(store->env, store->path, flags, 0600);
	if (rc > 0 && rc != ENOENT) /* an errno and not a code of LMDB */
		log_error("store %s: cannot be opened: %s%s", store->path,
			  strerrordesc_np(rc),
			  rc == ENOMEM ? "; the address space is too small, "
					 "see ulimit -v"
				       : "");
	return error_from_mdb(rc);
}

static struct slice schema_key(void)
{
	return slice_of("schema");
}

/* Return the number of the schema; 0 if it is unknown. */
static uint64_t store_read_schema(struct txn *txn)
{
	struct slice number;
	uint64_t schema = 0;

	if (txn->store->tables[TABLE_META] == 0) { /* another program's data? */
		if (txn->store->tables[TABLE_SITES] != 0)
			txn_fail(txn, ERR_CORRUPT);
		return 0;
	}
	number = txn_get(txn, TABLE_META, schema_key());
	if (number.size == sizeof(schema))
		memcpy(&schema, number.data, sizeof(schema));
	else
		txn_fail(txn, ERR_CORRUPT);
	return schema;
}

static bool has_tables(struct txn *txn)
{
	MDB_dbi root;
	MDB_stat stat = {0};

	txn_check(txn, mdb_dbi_open(txn->mdb, NULL, 0, &root));
	if (txn->error == ERR_NONE)
		txn_check(txn, mdb_stat(txn->mdb, root, &stat));
	return stat.ms_entries > 0;
}

/* Open the tables; return the name of a missing one, or NULL. */
static const char *open_each(struct txn *txn, unsigned flags)
{
	const char *missing = NULL;

	for (int i = 0; i < TABLE_COUNT && txn->error == ERR_NONE; i++) {
		const char *name = table_name((enum table)i);
		MDB_dbi *table = &txn->store->tables[i];
		int rc;

		*table = 0; /* handle of the free pages */
		rc = mdb_dbi_open(txn->mdb, name, flags, table);
		if (rc == MDB_NOTFOUND)
			missing = name;
		else
			txn_check(txn, rc);
	}
	return missing;
}

/*
 * A store without tables is new. A store with tables must have our schema
 * number or, if it is writable, a schema that can be migrated; then the missing
 * tables are those that later schemas have added.
 */
static void find_tables(struct txn *txn)
{
	struct store *store = txn->store;
	uint64_t schema = STORE_SCHEMA;
	bool is_new = !has_tables(txn);
	const char *missing =
		open_each(txn, is_new && !store->is_read_only ? MDB_CREATE : 0);

	if (txn->error != ERR_NONE)
		return;
	if (is_new) {
		txn_fail(txn, missing == NULL ? ERR_NONE : ERR_NOT_FOUND);
		txn_put(txn, TABLE_META, schema_key(),
			(struct slice){&schema, sizeof(schema)});
		return;
	}
	schema = store_read_schema(txn);
	if (txn->error == ERR_CORRUPT)
		log_error("store %s: table %s is damaged; " STORE_ADVICE,
			  store->path, table_name(TABLE_META));
	if (schema != STORE_SCHEMA && store->is_read_only) {
		txn_fail(txn, ERR_VERSION);
	} else if (schema != STORE_SCHEMA) {
		open_each(txn, MDB_CREATE);
		store_migrate(txn, schema);
	} else if (missing != NULL) {
		log_error("store %s: table %s is missing; " STORE_ADVICE,
			  store->path, missing);
		txn_fail(txn, ERR_CORRUPT);
	}
}

/* Acquires no lock: no other thread uses the store yet. */
static enum error open_tables(struct store *store)
{
	struct txn txn = {.store = store};
	unsigned flags = store->is_read_only ? MDB_RDONLY : 0;
	int rc;

	do { /* another process may have a larger map by now */
		rc = mdb_txn_begin(store->env, NULL, flags, &txn.mdb);
	} while (rc == MDB_MAP_RESIZED &&
		 mdb_env_set_mapsize(store->env, 0) == MDB_SUCCESS);
	if (rc != MDB_SUCCESS)
		return error_from_mdb(rc);
	find_tables(&txn);
	if (txn.error == ERR_NONE)
		txn_check(&txn, mdb_txn_commit(txn.mdb));
	else
		mdb_txn_abort(txn.mdb);
	return txn.error;
}

enum error store_open_env(struct store *store)
{
	int dead = 0;
	enum error error = lmdb_file_check(store->path, LMDB_ROOTS);

	if (error == ERR_NONE)
		error = open_env(store);
	if (error != ERR_NONE)
		return error;
	mdb_reader_check(store->env, &dead);
	return open_tables(store);
}

void store_reopen(struct store *store)
{
	enum error error = store_open_env(store);

	if (error == ERR_NONE)
		return;
	log_error("store %s: cannot be reopened: %s", store->path,
		  error_text(error));
	abort();
}

void store_repair_env(struct store *store)
{
	MDB_txn *probe = NULL;
	int rc;

	pthread_rwlock_wrlock(&store->map_lock);
	rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &probe);
	if (rc == MDB_SUCCESS) /* another thread has reopened it */
		mdb_txn_abort(probe);
	if (rc == MDB_PANIC) {
		log_warn("store %s: reopened after a failed write",
			 store->path);
		mdb_env_close(store->env);
		store->env = NULL;
		store_reopen(store);
	}
	pthread_rwlock_unlock(&store->map_lock);
}

/*
 * Become the only writer. If the last writer was killed, check all pages before
 * writing: damage or a power failure may have killed it.
 */
static enum error store_lock_folder(struct store *store)
{
	enum error error = folder_lock(store->path, &store->lock_file);
	enum folder_use use;

	if (error != ERR_NONE || store->options.is_temporary)
		return error;
	use = folder_read_use(store->lock_file);
	if (use != FOLDER_NEVER && folder_is_empty(store->path)) {
		log_error("%s/%s is truncated: it has 0 bytes; " STORE_ADVICE,
			  store->path, FOLDER_DATA);
		return ERR_CORRUPT;
	}
	if (use != FOLDER_IN_USE)
		return ERR_NONE;
	log_info("store %s: was not closed; checking all pages", store->path);
	return lmdb_file_check(store->path, LMDB_PAGES);
}

/* Read every key with LMDB. */
static enum error touch_tables(const char *path)
{
	const struct store_options options = {.is_read_only = true};
	struct store *store = NULL;
	enum error error = store_open(&store, path, &options);
	struct txn txn;

	if (error != ERR_NONE)
		return error == ERR_VERSION ? ERR_NONE : error;
	txn = txn_begin_read(store);
	for (int i = 0; i < TABLE_COUNT && txn.error == ERR_NONE; i++) {
		struct scan scan =
			scan_begin(&txn, (enum table)i, slice_of(""));

		scan.is_keys_only = true;
		while (scan_next(&scan))
			;
		scan_end(&scan);
	}
	error = txn_end(&txn);
	store_close(store);
	return error;
}

enum error store_check_unclean(const char *path)
{
	int lock = -1;
	enum error error = folder_lock(path, &lock);

	if (error != ERR_NONE)
		return error;
	if (folder_read_use(lock) == FOLDER_IN_USE && !folder_is_empty(path)) {
		log_info("store %s: was not closed; checking all pages", path);
		error = lmdb_file_check(path, LMDB_PAGES);
		if (error == ERR_NONE)
			error = touch_tables(path);
		if (error == ERR_NONE)
			error = folder_write_use(lock, FOLDER_CLOSED);
	}
	close(lock);
	return error;
}

enum error store_open(struct store **store_out, const char *path,
		      const struct store_options *options)
{
	struct store *store = mem_alloc(1, sizeof(*store));
	enum error error = ERR_NONE;

	store->path = mem_copy_text(path, strlen(path));
	store->options = *options;
	store->lock_file = -1;
	store->is_read_only = options->is_read_only;
	store->max_map_bytes = options->max_map_bytes == 0
				       ? default_max_map_bytes
				       : options->max_map_bytes;
	store->dictionaries = dictionary_cache_create();
	init_map_lock(&store->map_lock);
	pthread_mutex_init(&store->write_lock, NULL);
	if (options->is_read_only)
		store->lock_file = folder_lock_shared(path);
	else
		error = store_lock_folder(store);
	if (error == ERR_NONE && !options->is_read_only)
		error = secrets_open(&store->secrets, path,
				     options->is_temporary);
	if (error == ERR_NONE)
		error = store_open_env(store);
	if (error == ERR_NONE && !options->is_read_only)
		secret_texts_sweep(store);
	if (error == ERR_NONE && !store->is_read_only &&
	    !store->options.is_temporary) {
		store->is_noted = true;
		error = folder_write_use(store->lock_file, FOLDER_IN_USE);
	}
	if (error != ERR_NONE)
		goto out;
	*store_out = store;
	store = NULL;
out:
	store_close(store);
	return error;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	if (store->env != NULL)
		mdb_env_close(store->env);
	if (store->is_noted)
		folder_write_use(store->lock_file, FOLDER_CLOSED);
	if (store->lock_file >= 0)
		close(store->lock_file);
	dictionary_cache_destroy(store->dictionaries);
	secrets_close(store->secrets);
	pthread_mutex_destroy(&store->write_lock);
	pthread_rwlock_destroy(&store->map_lock);
	free(store->path);
	free(store);
}

/*
 * Return the bytes up to the last page that was ever used. The caller holds
 * map_lock.
 */
static size_t store_used_bytes(const struct store *store,
			       const MDB_envinfo *info)
{
	MDB_stat stat;

	mdb_env_stat(store->env, &stat);
	return (info->me_last_pgno + 1) * stat.ms_psize;
}

enum error store_follow_growth(struct store *store)
{
	int rc;

	pthread_rwlock_wrlock(&store->map_lock);
	rc = mdb_env_set_mapsize(store->env, 0);
	pthread_rwlock_unlock(&store->map_lock);
	return error_from_mdb(rc);
}

void store_write_failure(struct store *store, char *out)
{
	int cause = atomic_load(&store->write_cause);
	char room[64] = "";
	struct statvfs disk;

	out[0] = '\0';
	if (cause == 0)
		return;
	if (statvfs(store->path, &disk) == 0)
		snprintf(room, sizeof(room),
			 "; %" PRIu64 " KiB are free on its disk",
			 (uint64_t)disk.f_bavail * disk.f_frsize / 1024);
	snprintf(out, STORE_FAILURE_BYTES, "%.400s/" FOLDER_DATA ": %s%s",
		 store->path, strerrordesc_np(cause), room);
}

enum error store_usage(struct store *store, struct store_usage *usage_out)
{
	struct txn txn = txn_begin_read(store);
	MDB_envinfo info;

	*usage_out = (struct store_usage){0};
	if (txn.error != ERR_NONE)
		return txn_end(&txn);
	mdb_env_info(store->env, &info);
	usage_out->used_bytes = store_used_bytes(store, &info);
	usage_out->map_bytes = info.me_mapsize;
	usage_out->max_map_bytes = store->max_map_bytes;
	for (int i = 0; i < TABLE_COUNT; i++) {
		struct table_usage usage = txn_usage(&txn, (enum table)i);

		usage_out->rows[i] = usage.rows;
		usage_out->bytes[i] = usage.bytes;
	}
	return txn_end(&txn);
}

void store_check_readers(struct store *store)
{
	int dead = 0;

	pthread_rwlock_rdlock(&store->map_lock);
	mdb_reader_check(store->env, &dead);
	pthread_rwlock_unlock(&store->map_lock);
	if (dead > 0)
		log_info("store: freed the slots of %d reader(s) of dead "
			 "processes",
			 dead);
}

/*
 * Parse a line of LMDB's list of readers: pid, thread and transaction, "-" for
 * none; ignore its head line.
 */
static int count_reader(const char *line, void *context)
{
	uint32_t *count = context;

	if (strstr(line, "pid") == NULL && strchr(line, '(') == NULL &&
	    strchr(line, '-') == NULL)
		++*count;
	return 0;
}

uint32_t store_count_readers(struct store *store)
{
	uint32_t count = 0;

	pthread_rwlock_rdlock(&store->map_lock);
	mdb_reader_list(store->env, count_reader, &count);
	pthread_rwlock_unlock(&store->map_lock);
	return count;
}

uint64_t store_last_number(struct txn *txn, const char *name)
{
	struct slice value = txn_get(txn, TABLE_META, slice_of(name));
	uint64_t number = 0;

	if (value.data != NULL && value.size != sizeof(number))
		txn_fail(txn, ERR_CORRUPT);
	if (txn->error == ERR_NONE && value.data != NULL)
		memcpy(&number, value.data, sizeof(number));
	return number;
}

uint64_t store_next_number(struct txn *txn, const char *name)
{
	uint64_t number = store_last_number(txn, name) + 1;

	if (txn->error != ERR_NONE)
		return 0;
	txn_put(txn, TABLE_META, slice_of(name),
		(struct slice){&number, sizeof(number)});
	return number;
}
