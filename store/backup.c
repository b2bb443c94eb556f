#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "store/content.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/lmdb_file.h"
#include "store/migrate.h"
#include "store/partitions.h"
#include "store/secrets.h"
#include "store/store.h"

/* Functions that copy, compact and restore the store as one file. */

/*
 * Limits for compaction. It needs a moment without open transactions; closing
 * the gate prevents new ones. Each attempt lasts for at most ATTEMPT_MS.
 * Compaction fails if a transaction stays open during all attempts.
 */
enum { GATE_ATTEMPTS = 100, ATTEMPT_MS = 20, BETWEEN_MS = 80 };

/*
 * Check that all pages of the file exist. A copy reads each page through the
 * memory map, and reading a page that is missing from the file would raise a
 * signal.
 */
static enum error store_check_pages(struct store *store)
{
	/* the transaction prevents LMDB from reusing pages */
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	if (error == ERR_NONE)
		error = lmdb_file_check(store->path, LMDB_PAGES);
	txn_abort(&txn);
	return error;
}

static enum error copy_env(struct store *store, int file, unsigned flags)
{
	int rc;

	pthread_rwlock_rdlock(&store->map_lock);
	rc = mdb_env_copyfd2(store->env, file, flags);
	pthread_rwlock_unlock(&store->map_lock);
	if (rc > 0) /* an errno, not a code of LMDB */
		log_error_limited("store %s: its copy cannot be written: %s",
				  store->path, strerrordesc_np(rc));
	return error_from_mdb(rc);
}

enum error store_copy(struct store *store, int file)
{
	enum error error = store_check_pages(store);

	if (error != ERR_NONE)
		return error;
	error = copy_env(store, file, MDB_CP_COMPACT);
	/*
	 * LMDB cannot compact a file with pages that belong to no table, and
	 * reports it as corrupt; so copy all pages
	 */
	if (error == ERR_CORRUPT && lseek(file, 0, SEEK_SET) == 0 &&
	    ftruncate(file, 0) == 0)
		error = copy_env(store, file, 0);
	return error;
}

/*
 * Create a file in the folder and remove its name. So no other process can open
 * it.
 */
static int unnamed_file(struct store *store, const char *name)
{
	char path[MAX_PATH_BYTES];
	int file = folder_create(store->path, name);

	if (file >= 0 && folder_name(path, store->path, name))
		unlink(path);
	return file;
}

int store_scratch_file(struct store *store)
{
	return unnamed_file(store, "copy");
}

int store_spool_file(struct store *store)
{
	static atomic_uint number;
	char name[32];

	snprintf(name, sizeof(name), "spool.%u", atomic_fetch_add(&number, 1));
	return unnamed_file(store, name);
}

static uint64_t file_size_of(int file)
{
	struct stat status;

	return fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static uint64_t size_of_data(struct store *store)
{
	mdb_filehandle_t file;
	uint64_t size = 0;

	pthread_rwlock_rdlock(&store->map_lock);
	if (mdb_env_get_fd(store->env, &file) == MDB_SUCCESS)
		size = file_size_of(file);
	pthread_rwlock_unlock(&store->map_lock);
	return size;
}

static void remove_new(const char *path)
{
	char name[MAX_PATH_BYTES];

	if (folder_name(name, path, FOLDER_NEW))
		unlink(name);
}

/*
 * Copy the store `from` to a new file in the folder `path`. If `is_synced`,
 * write it to disk before returning.
 */
static enum error write_new(struct store *from, const char *path,
			    bool is_synced, uint64_t *bytes_out)
{
	enum error error = store_check_pages(from);
	char name[MAX_PATH_BYTES];
	int file;

	*bytes_out = 0;
	if (error != ERR_NONE)
		return error;
	file = folder_create(path, FOLDER_NEW);
	if (file < 0)
		return error_from_mdb(errno);
	error = folder_name(name, path, FOLDER_NEW) ? store_rewrite(from, name)
						    : ERR_IO;
	*bytes_out = file_size_of(file);
	if (error == ERR_NONE && is_synced && fsync(file) != 0) {
		log_error("%s: cannot be synced: %s", name,
			  strerrordesc_np(errno));
		error = ERR_IO;
	}
	close(file);
	if (error != ERR_NONE)
		remove_new(path);
	return error;
}

static bool try_gate(struct store *store)
{
	const long second_ns = 1000000000;
	struct timespec until;

	/*
	 * the monotonic clock could be used too, but then ThreadSanitizer would
	 * not see the lock
	 */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ATTEMPT_MS * 1000000L;
	until.tv_sec += until.tv_nsec / second_ns;
	until.tv_nsec %= second_ns;
	return pthread_rwlock_timedwrlock(&store->map_lock, &until) == 0;
}

/*
 * Wait until no transaction is open, and let no other begin. ERR_BUSY: a
 * transaction stays open.
 */
static enum error close_gate(struct store *store)
{
	const struct timespec pause = {.tv_nsec = BETWEEN_MS * 1000000L};

	for (int i = 0; i < GATE_ATTEMPTS; i++) {
		if (try_gate(store))
			return ERR_NONE;
		nanosleep(&pause, NULL);
	}
	return ERR_BUSY;
}

/*
 * Replace the file of the open store by the new file. The caller has closed the
 * gate.
 */
static enum error store_exchange_file(struct store *store)
{
	enum error error;

	mdb_env_close(store->env);
	store->env = NULL;
	error = folder_is_read(store->path) ? ERR_BUSY
					    : folder_put_new(store->path);
	store_reopen(store);
	return error;
}

/*
 * Open the old file; -1 on failure. While it is open, the system does not free
 * its blocks, so the replacement does not wait for that, which would take
 * longer than everything else.
 */
static int hold_data(const struct store *store)
{
	char name[MAX_PATH_BYTES];

	return folder_name(name, store->path, FOLDER_DATA)
		       ? open(name, O_RDONLY | O_CLOEXEC)
		       : -1;
}

/*
 * Replace the file of the store, without disk I/O while the gate is closed. The
 * caller ensures that no thread writes to the store, and that the copy has been
 * written to disk.
 */
static enum error store_replace_data(struct store *store)
{
	enum error error = folder_lock_out_readers(store->lock_file);
	int old;

	if (error != ERR_NONE)
		return error;
	old = hold_data(store);
	error = close_gate(store);
	if (error == ERR_NONE) {
		error = store_exchange_file(store);
		pthread_rwlock_unlock(&store->map_lock);
	}
	if (old >= 0)
		close(old);
	if (error == ERR_NONE)
		error = folder_sync(store->path);
	folder_release(store->lock_file);
	return error;
}

enum error store_compact(struct store *store, struct store_sizes *sizes_out)
{
	enum error error;

	*sizes_out = (struct store_sizes){0};
	if (store->is_read_only)
		return ERR_ADDRESS_FORBIDDEN;
	pthread_mutex_lock(&store->write_lock);
	sizes_out->before = size_of_data(store);
	error = write_new(store, store->path, !store->options.is_temporary,
			  &sizes_out->after);
	if (error == ERR_NONE)
		error = store_replace_data(store);
	if (error != ERR_NONE)
		remove_new(store->path);
	pthread_mutex_unlock(&store->write_lock);
	return error;
}

/*
 * Add `aside` as a second name of the existing data file. Then the folder has a
 * complete data file under its first name at any time, also while that name
 * gets the new file. ERR_ADDRESS_FORBIDDEN: there is a data file, but `aside`
 * is NULL.
 */
static enum error move_aside(const char *path, const char *aside)
{
	char data[MAX_PATH_BYTES];
	char name[MAX_PATH_BYTES];

	if (!folder_name(data, path, FOLDER_DATA))
		return ERR_IO;
	if (access(data, F_OK) != 0)
		return errno == ENOENT ? ERR_NONE : ERR_IO;
	if (aside == NULL)
		return ERR_ADDRESS_FORBIDDEN;
	return folder_name(name, path, aside) && link(data, name) == 0
		       ? ERR_NONE
		       : ERR_IO;
}

/*
 * Add the secrets of the backup to the folder. At the first start, the daemon
 * deletes all secrets that the restored data does not refer to.
 */
static enum error restore_secrets(const char *from, const char *path,
				  const char *aside)
{
	char name[MAX_PATH_BYTES];

	if (aside == NULL)
		return secrets_restore(from, path, NULL);
	if (snprintf(name, sizeof(name), SECRETS_FILE "%s",
		     aside + strcspn(aside, "-")) >= (int)sizeof(name))
		return ERR_IO;
	return secrets_restore(from, path, name);
}

/* Restore the data. The caller has locked the folder exclusively. */
static enum error store_restore_data(struct store *from, const char *path,
				     const char *aside)
{
	uint64_t bytes;
	enum error error = write_new(from, path, true, &bytes);

	if (error == ERR_NONE && folder_is_read(path))
		error = ERR_BUSY;
	if (error == ERR_NONE)
		error = move_aside(path, aside);
	if (error == ERR_NONE)
		error = restore_secrets(from->path, path, aside);
	if (error == ERR_NONE)
		error = folder_replace(path);
	if (error != ERR_NONE)
		remove_new(path);
	return error;
}

enum error store_restore(struct store *from, const char *path,
			 const char *aside)
{
	char data[MAX_PATH_BYTES];
	int lock;
	enum error error = folder_lock(path, &lock);

	if (error != ERR_NONE)
		return error;
	error = folder_lock_out_readers(lock);
	if (error == ERR_NONE && aside == NULL &&
	    folder_name(data, path, FOLDER_DATA) && access(data, F_OK) == 0)
		/* check this before copying anything */
		error = ERR_ADDRESS_FORBIDDEN;
	if (error == ERR_NONE)
		error = store_restore_data(from, path, aside);
	close(lock);
	return error;
}

/* Functions that read, sum up and delete all rows of a partition. */

/*
 * Return the length of the prefix that identifies a partition in the keys of
 * the table. For tables without such a prefix return 0; they are read
 * completely.
 */
static size_t prefix_of(enum table table)
{
	static const enum table of_sites[] = TABLES_OF_SITES;

	for (size_t i = 0; i < sizeof(of_sites) / sizeof(of_sites[0]); i++)
		if (of_sites[i] == table)
			return 1;
	return 0;
}

struct dump dump_begin(struct txn *txn, unsigned partition)
{
	assert(store_is_partitioned(txn->store) &&
	       partition < JOURNAL_PARTITIONS);
	return (struct dump){.txn = txn, .partition = partition};
}

/* Read the value of the current row as a whole. Return false if it is damaged.
 */
static bool dump_read(struct dump *dump, enum table table)
{
	const struct scan *scan = &dump->scan;

	if (!scan_read(&dump->scan))
		return false;
	dump->value = content_join(dump->txn, table, scan->key, scan->value,
				   &dump->joined);
	if (dump->value.size == 0 && scan->value.size > 0)
		txn_fail(dump->txn, ERR_CORRUPT);
	return dump->txn->error == ERR_NONE;
}

/*
 * Return whether the dump reads the table. It reads pieces together with their
 * heads. JOURNAL_COMMON has no rows of sites.
 */
static bool dump_reads(const struct dump *dump, enum table table)
{
	if (content_heads_of(table) != TABLE_COUNT && !dump->is_keys_only)
		return false;
	return dump->partition != JOURNAL_COMMON || prefix_of(table) == 0;
}

/*
 * Move to the next row of the partition in the table. Return false at the end
 * of the table. The values of other partitions are not read, because damage in
 * them must not affect this partition.
 */
static bool next_in_table(struct dump *dump)
{
	enum table table = (enum table)dump->table;

	while (scan_next(&dump->scan))
		if (store_partition_of_key(dump->txn->store, table,
					   dump->scan.key) == dump->partition)
			return dump->is_keys_only || dump_read(dump, table);
	dump->is_scanning = false;
	dump->table++;
	return false;
}

/*
 * Move to the next row of the partition in any table. Return false at the end.
 */
static bool next_row(struct dump *dump)
{
	/* the highest byte of a site's number is its partition */
	const unsigned char first = (unsigned char)dump->partition;

	while (dump->table < TABLE_COUNT && dump->txn->error == ERR_NONE) {
		if (!dump->is_scanning) {
			if (!dump_reads(dump, (enum table)dump->table)) {
				dump->table++;
				continue;
			}
			dump->scan = scan_begin(
				dump->txn, (enum table)dump->table,
				(struct slice){
					&first,
					prefix_of((enum table)dump->table)});
			dump->scan.is_keys_only = true;
			dump->is_scanning = true;
		}
		if (next_in_table(dump))
			return true;
	}
	return false;
}

bool dump_next(struct dump *dump, size_t max_bytes, struct buffer *chunk)
{
	buffer_clear(chunk);
	if (dump->table > TABLE_COUNT)
		return false;
	journal_put_head(chunk);
	while (chunk->size < max_bytes && next_row(dump)) {
		enum table table = (enum table)dump->table;

		if (table != TABLE_META) {
			dump->rows++;
			dump->sum += checksum_of(table_name(table),
						 dump->scan.key, dump->value);
		}
		journal_put_row(dump->txn, table, dump->scan.key, dump->value,
				chunk);
	}
	if (dump->table == TABLE_COUNT) {
		journal_put_counters(dump->txn, chunk);
		dump->table++;
	}
	return dump->txn->error == ERR_NONE;
}

void dump_end(struct dump *dump)
{
	if (dump->is_scanning)
		scan_end(&dump->scan);
	buffer_free(&dump->joined);
	dump->is_scanning = false;
}

uint64_t journal_sum(struct txn *txn, unsigned partition, uint64_t *rows_out)
{
	struct dump dump = dump_begin(txn, partition);

	while (next_row(&dump)) {
		enum table table = (enum table)dump.table;

		/*
		 * counters and the state of hook deliveries are different on
		 * each node
		 */
		if (table == TABLE_META || table == TABLE_HOOKS)
			continue;
		dump.rows++;
		dump.sum += checksum_of(table_name(table), dump.scan.key,
					dump.value);
	}
	dump_end(&dump);
	if (rows_out != NULL)
		*rows_out = dump.rows;
	return dump.sum;
}

uint64_t journal_clear(struct txn *txn, unsigned partition, uint64_t max)
{
	struct dump dump = dump_begin(txn, partition);
	uint64_t count = 0;

	dump.is_keys_only = true; /* so that damaged rows are deleted too */
	while (count < max && next_row(&dump)) {
		/*
		 * keep the counters, so that numbers are not reused; a damaged
		 * counter is deleted
		 */
		if (dump.table == TABLE_META && scan_try(&dump.scan))
			continue;
		scan_delete(&dump.scan);
		count++;
	}
	dump_end(&dump);
	return count;
}

bool journal_position_get(struct txn *txn, unsigned partition,
			  struct journal_position *place_out)
{
	char name[COUNTER_NAME_BYTES];
	struct slice value;

	*place_out = (struct journal_position){0};
	counter_name(name, "log", partition);
	value = txn_get(txn, TABLE_META, slice_of(name));
	if (value.data == NULL)
		return false;
	if (value.size != sizeof(*place_out)) {
		txn_fail(txn, ERR_CORRUPT);
		return false;
	}
	memcpy(place_out, value.data, value.size);
	return true;
}

void journal_position_put(struct txn *txn, unsigned partition,
			  const struct journal_position *place)
{
	char name[COUNTER_NAME_BYTES];

	counter_name(name, "log", partition);
	txn_put(txn, TABLE_META, slice_of(name),
		(struct slice){place, sizeof(*place)});
}

void journal_position_delete(struct txn *txn, unsigned partition)
{
	char name[COUNTER_NAME_BYTES];

	counter_name(name, "log", partition);
	txn_delete(txn, TABLE_META, slice_of(name));
}
