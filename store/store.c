#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/encryption.h"
#include "store/lmdb_file.h"
#include "store/migrate.h"
#include "store/secrets.h"

/*
 * The byte of the lock file that readers lock. This lock is independent of
 * flock(), which locks the whole file.
 */
enum { READERS_BYTE = 1 };

bool folder_name(char *out, const char *path, const char *name)
{
	return snprintf(out, MAX_PATH_BYTES, "%s/%s", path, name) <
	       MAX_PATH_BYTES;
}

static enum error folder_disk_error(void)
{
	return errno == ENOSPC || errno == EDQUOT ? ERR_STORE_FULL : ERR_IO;
}

/*
 * Log the error with the name of the file. This is done here, because callers
 * do not have both.
 */
static enum error folder_fail(const char *name, const char *what)
{
	int code = errno;

	log_error_limited("%s: cannot be %s: %s", name, what,
			  strerrordesc_np(code));
	errno = code;
	return folder_disk_error();
}

static enum error fail_length(const char *path)
{
	errno = ENAMETOOLONG;
	return folder_fail(path, "opened");
}

/*
 * If root has created the file, give it to the owner of the folder, which is
 * the daemon's user. If that fails, root remains the owner.
 */
static void folder_assign_to_owner(const char *path, int file)
{
	struct stat folder;

	if (geteuid() == 0 && stat(path, &folder) == 0 &&
	    fchown(file, folder.st_uid, folder.st_gid) != 0)
		log_warn("store %s: cannot change the owner of a file: %s",
			 path, strerrordesc_np(errno));
}

enum error folder_lock(const char *path, int *lock_out)
{
	char name[MAX_PATH_BYTES];

	*lock_out = -1;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return folder_fail(path, "created");
	if (!folder_name(name, path, "lock"))
		return fail_length(path);
	*lock_out = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*lock_out < 0)
		return folder_fail(name, "opened");
	folder_assign_to_owner(path, *lock_out);
	if (flock(*lock_out, LOCK_EX | LOCK_NB) != 0) {
		enum error error = errno == EWOULDBLOCK
					   ? ERR_BUSY
					   : folder_fail(name, "locked");

		close(*lock_out);
		*lock_out = -1;
		return error;
	}
	if (folder_name(name, path, FOLDER_NEW))
		unlink(name);
	if (folder_name(name, path, "secrets.new"))
		unlink(name);
	return ERR_NONE;
}

/*
 * Lock or unlock the readers' byte. The lock belongs to the open file and not
 * to the process, so threads that open the file separately do not share it.
 */
static bool lock_byte(int lock, int command, short type)
{
	struct flock range = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = READERS_BYTE,
		.l_len = 1,
	};

	return fcntl(lock, command, &range) == 0;
}

/*
 * Lock the folder as a reader, until the caller closes the returned descriptor.
 * If another process is replacing the data, wait. Return -1 if the folder has
 * no lock file and therefore no store.
 */
static int folder_lock_shared(const char *path)
{
	char name[MAX_PATH_BYTES];
	int lock = -1;

	if (folder_name(name, path, "lock"))
		lock = open(name, O_RDONLY | O_CLOEXEC);
	if (lock >= 0)
		lock_byte(lock, F_OFD_SETLKW, F_RDLCK);
	return lock;
}

/*
 * While a process has the data open, LMDB locks the first byte of LMDB's lock
 * file.
 */
bool folder_is_read(const char *path)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	char name[MAX_PATH_BYTES];
	int file = -1;
	bool is_open = false;

	if (folder_name(name, path, "lock.mdb"))
		file = open(name, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	if (fcntl(file, F_GETLK, &range) == 0)
		is_open = range.l_type != F_UNLCK;
	close(file);
	return is_open;
}

/* Write the state to disk. ERR_STORE_FULL, ERR_IO. */
static enum error folder_write_use(int lock, enum folder_use use)
{
	if (ftruncate(lock, (off_t)use) != 0)
		return folder_fail("the store's file lock", "resized");
	return fsync(lock) == 0
		       ? ERR_NONE
		       : folder_fail("the store's file lock", "synced");
}

static enum folder_use folder_read_use(int lock)
{
	struct stat status;

	if (fstat(lock, &status) != 0 || status.st_size > FOLDER_CLOSED)
		return FOLDER_IN_USE;
	return (enum folder_use)status.st_size;
}

/*
 * Return whether the data file exists but is empty, because its creation has
 * failed or it was truncated.
 */
static bool folder_is_empty(const char *path)
{
	char name[MAX_PATH_BYTES];
	struct stat status;

	return folder_name(name, path, FOLDER_DATA) &&
	       stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size == 0;
}

enum error folder_lock_out_readers(int lock)
{
	return lock_byte(lock, F_OFD_SETLK, F_WRLCK) ? ERR_NONE : ERR_BUSY;
}

void folder_release(int lock)
{
	lock_byte(lock, F_OFD_SETLK, F_UNLCK);
}

int folder_create(const char *path, const char *name)
{
	char whole[MAX_PATH_BYTES];
	int file;

	if (!folder_name(whole, path, name)) {
		fail_length(path);
		return -1;
	}
	unlink(whole);
	file = open(whole, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (file >= 0)
		folder_assign_to_owner(path, file);
	else
		folder_fail(whole, "created");
	return file;
}

enum error folder_sync(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum error error = ERR_NONE;

	if (folder < 0)
		return folder_fail(path, "opened");
	if (fsync(folder) != 0)
		error = folder_fail(path, "synced");
	close(folder);
	return error;
}

/* Write all bytes to the file. If `is_synced`, wait until they are on disk. */
static enum error folder_write_bytes(int file, const char *name,
				     struct slice bytes, bool is_synced)
{
	if (file_write_all(file, bytes) != ERR_NONE)
		return folder_fail(name, "written");
	return !is_synced || fsync(file) == 0 ? ERR_NONE
					      : folder_fail(name, "synced");
}

enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced)
{
	char whole[MAX_PATH_BYTES];
	char fresh[MAX_PATH_BYTES];
	enum error error;
	int file;

	if (!folder_name(whole, path, name) ||
	    snprintf(fresh, sizeof(fresh), "%s.new", whole) >=
		    (int)sizeof(fresh))
		return fail_length(path);
	file = folder_create(path, fresh + strlen(path) + 1);
	if (file < 0)
		return folder_disk_error();
	error = folder_write_bytes(file, fresh, bytes, is_synced);
	close(file);
	if (error == ERR_NONE && rename(fresh, whole) != 0)
		error = folder_fail(fresh, "renamed");
	if (error != ERR_NONE) {
		unlink(fresh);
		return error;
	}
	return is_synced ? folder_sync(path) : ERR_NONE;
}

enum error folder_put_new(const char *path)
{
	char data[MAX_PATH_BYTES];
	char fresh[MAX_PATH_BYTES];

	if (!folder_name(data, path, FOLDER_DATA) ||
	    !folder_name(fresh, path, FOLDER_NEW))
		return fail_length(path);
	return rename(fresh, data) == 0 ? ERR_NONE
					: folder_fail(fresh, "renamed");
}

enum error folder_replace(const char *path)
{
	enum error error = folder_put_new(path);

	return error == ERR_NONE ? folder_sync(path) : error;
}

enum { MIN_RESERVE_BYTES = 1 << 16 };

struct reserve {
	int file;
	size_t held; /* number of bytes that the file reserves on disk */
};

struct reserve *reserve_open(const char *folder)
{
	struct reserve *reserve;
	int file = folder_create(folder, "reserve");

	if (file < 0)
		return NULL;
	reserve = mem_alloc(1, sizeof(*reserve));
	reserve->file = file;
	reserve_hold(reserve);
	return reserve;
}

void reserve_close(struct reserve *reserve)
{
	if (reserve == NULL)
		return;
	close(reserve->file);
	free(reserve);
}

void reserve_release(struct reserve *reserve)
{
	if (ftruncate(reserve->file, 0) == 0)
		reserve->held = 0;
}

size_t reserve_hold(struct reserve *reserve)
{
	size_t bytes = RESERVE_BYTES;

	while (bytes > reserve->held && bytes >= MIN_RESERVE_BYTES) {
		if (posix_fallocate(reserve->file, 0, (off_t)bytes) == 0)
			reserve->held = bytes;
		bytes /= 2;
	}
	return reserve->held;
}

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
 * Initialise the lock so that waiting writers come before new readers.
 * Otherwise a replacement of the file might wait forever.
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
 * Return the size for the memory map. It is the maximum from the start: the
 * file grows into the map, but enlarging the map would have to wait for all
 * readers. It is smaller if the process has too little address space.
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
	if (rc > 0 && rc != ENOENT) /* an errno, not a code of LMDB */
		log_error("store %s: cannot be opened: %s%s", store->path,
			  strerrordesc_np(rc),
			  rc == ENOMEM ? "; the address space is too small, "
					 "see ulimit -v"
				       : "");
	return error_from_mdb(rc);
}

static const char name_of_schema[] = "schema";

/* Return the number of the store's schema; 0 if it is unknown. */
static uint64_t store_read_schema(struct txn *txn)
{
	struct slice number;
	uint64_t schema = 0;

	/* the data may be of another program */
	if (txn->store->tables[TABLE_META] == 0) {
		if (txn->store->tables[TABLE_SITES] != 0)
			txn_fail(txn, ERR_CORRUPT);
		return 0;
	}
	number = txn_get(txn, TABLE_META, slice_of(name_of_schema));
	if (number.size == sizeof(schema))
		memcpy(&schema, number.data, sizeof(schema));
	else
		txn_fail(txn, ERR_CORRUPT);
	return schema;
}

void store_touch(struct txn *txn)
{
	store_set_number(txn, name_of_schema, STORE_SCHEMA);
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

/* Open the tables. Return the name of a table that is missing, or NULL. */
static const char *open_each(struct txn *txn, unsigned flags)
{
	const char *missing = NULL;

	for (int i = 0; i < TABLE_COUNT && txn->error == ERR_NONE; i++) {
		const char *name = table_name((enum table)i);
		MDB_dbi *table = &txn->store->tables[i];
		int rc;

		/*
		 * handle of LMDB's table of free pages; it marks a missing
		 * table
		 */
		*table = 0;
		rc = mdb_dbi_open(txn->mdb, name, flags, table);
		if (rc == MDB_NOTFOUND)
			missing = name;
		else
			txn_check(txn, rc);
	}
	return missing;
}

/*
 * Open the tables, and check the schema. A store without tables is new. A store
 * with tables must have the schema STORE_SCHEMA; if it is writable, it may also
 * have a schema that can be migrated. Then the missing tables are tables that
 * later schemas have added.
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
		store_set_number(txn, name_of_schema, schema);
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

/*
 * Open the tables. No lock is needed, because no other thread uses the store
 * yet.
 */
static enum error open_tables(struct store *store)
{
	struct txn txn = {.store = store};
	unsigned flags = store->is_read_only ? MDB_RDONLY : 0;
	int rc;

	do { /* repeat if another process has enlarged the map meanwhile */
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

/*
 * Open the LMDB environment and its tables according to the options. No other
 * thread may use the store.
 */
static enum error store_open_env(struct store *store)
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
	if (rc == MDB_SUCCESS) /* another thread has already reopened it */
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
 * Lock the folder as its only writer. If the last writer was killed, first
 * check all pages, because the reason may have been damage or a power failure.
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

/* Read every key of the store with LMDB. */
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
	site_feeds_init(&store->feeds);
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
	site_feeds_destroy(&store->feeds);
	pthread_mutex_destroy(&store->write_lock);
	pthread_rwlock_destroy(&store->map_lock);
	free(store->path);
	free(store);
}

enum { FREE_TREE, MAIN_TREE, LMDB_TREES, META_PAGES = 2 };

/*
 * Fill in the size of the live and of the free pages. Each page belongs to a
 * table, to one of LMDB's own two trees, or is free, so no list of free pages
 * is read.
 */
static void store_count_pages(struct txn *txn, const MDB_envinfo *info,
			      struct store_usage *usage)
{
	MDB_stat stat = {0};
	uint64_t pages = META_PAGES;

	for (MDB_dbi tree = FREE_TREE; tree < LMDB_TREES; tree++) {
		txn_check(txn, mdb_stat(txn->mdb, tree, &stat));
		pages += stat.ms_branch_pages + stat.ms_leaf_pages +
			 stat.ms_overflow_pages;
	}
	usage->live_bytes = pages * stat.ms_psize;
	for (int i = 0; i < TABLE_COUNT; i++)
		usage->live_bytes += usage->bytes[i];
	/* LMDB's last page may be newer than the transaction, never older */
	usage->free_bytes = (info->me_last_pgno + 1) * stat.ms_psize;
	if (usage->free_bytes > usage->live_bytes)
		usage->free_bytes -= usage->live_bytes;
	else
		usage->free_bytes = 0;
}

/* Fill in the size of the file. The caller has an open transaction. */
static void store_measure_file(struct store *store, struct store_usage *usage)
{
	enum { BLOCK_BYTES = 512 }; /* unit of st_blocks */
	struct stat status;
	mdb_filehandle_t file;

	if (mdb_env_get_fd(store->env, &file) != MDB_SUCCESS ||
	    fstat(file, &status) != 0)
		return;
	usage->file_bytes = (uint64_t)status.st_size;
	usage->allocated_bytes = (uint64_t)status.st_blocks * BLOCK_BYTES;
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
	usage_out->map_bytes = info.me_mapsize;
	usage_out->max_map_bytes = store->max_map_bytes;
	for (int i = 0; i < TABLE_COUNT; i++) {
		struct table_usage usage = txn_usage(&txn, (enum table)i);

		usage_out->rows[i] = usage.rows;
		usage_out->bytes[i] = usage.bytes;
	}
	store_count_pages(&txn, &info, usage_out);
	store_measure_file(store, usage_out);
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
 * Parse a line of LMDB's list of readers. It has a pid, a thread and a
 * transaction, which is "-" if the reader has none. The first line is a
 * heading.
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
	store_set_number(txn, name, number);
	return number;
}

void store_set_number(struct txn *txn, const char *name, uint64_t number)
{
	txn_put(txn, TABLE_META, slice_of(name),
		(struct slice){&number, sizeof(number)});
}

void store_raise_number(struct txn *txn, const char *name, uint64_t number)
{
	if (store_last_number(txn, name) < number)
		store_set_number(txn, name, number);
}
