/*
 * store/journal.h - the rows that write transactions change, collected by
 * partition
 *
 * The rows are for replicas of the store on other nodes: collect them during a
 * transaction, read the journal before the transaction ends, and add the rows
 * to another store with journal_apply().
 *
 * A store has partitions if store_options.partition_of is set; it returns the
 * partition of a host. Then the number of a site has its partition in the
 * highest bits, and the number of an event has its partition in the lowest
 * bits. So a partition can be read, copied and deleted separately. One more
 * partition, JOURNAL_COMMON, has the rows that concern all sites: hooks and
 * silences.
 *
 * The journal contains rows and not the changes that led to them. The effect of
 * a change depends on the memory, the configuration and the version of the
 * engine, but a row is complete in itself.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"
#include "store/txn.h"

struct journal;

enum {
	/* partition with hooks and silences */
	JOURNAL_COMMON = STORE_PARTITIONS,
	JOURNAL_PARTITIONS,
};

struct journal *journal_create(void);
/* Free the journal. If `journal` is NULL, do nothing. */
void journal_destroy(struct journal *journal);

/*
 * Clear the journal, and collect the rows that the transaction changes from now
 * on.
 */
void journal_begin(struct journal *journal, struct txn *txn);

/*
 * journal_end() stops collecting and returns the journal of the transaction, or
 * NULL. journal_resume() continues collecting in the same transaction.
 */
struct journal *journal_end(struct txn *txn);
void journal_resume(struct journal *journal, struct txn *txn);

/*
 * Also collect rows of hooks, because a hook was added or deleted. Normally
 * they are not collected, because each node has its own state of deliveries in
 * these rows.
 */
void journal_collect_hooks(struct txn *txn);

/*
 * Add the row of `table` at `key` to the changed rows. For txn_put() and
 * similar functions only.
 */
void journal_note(struct journal *journal, const struct store *store,
		  enum table table, struct slice key);

/*
 * Write the numbers of the partitions that have changed rows, ascending. Return
 * how many there are.
 */
size_t journal_partitions(const struct journal *journal,
			  unsigned partitions_out[JOURNAL_PARTITIONS]);

/*
 * Append the current state of the partition's changed rows to `out`. Call this
 * while the transaction is open. The output is a head, followed by each changed
 * row once, sorted by table and key: its table, its key, and its value or that
 * it is deleted.
 */
void journal_write(struct journal *journal, struct txn *txn, unsigned partition,
		   struct buffer *out);

/*
 * Write the rows in `changes`, the output of journal_write() or dump_next(), to
 * this store. Rows are replaced. Counters are raised, but hashes of jobs are
 * replaced. Errors of the transaction: ERR_CORRUPT: the output is damaged, or a
 * row belongs to another partition, or an encrypted secret belongs to another
 * row. ERR_NO_ENCRYPTION_KEY: the key of a secret is missing. ERR_VERSION: the
 * output has an unknown table.
 */
void journal_apply(struct txn *txn, unsigned partition, struct slice changes);

/* The last entry in the log of a partition that this store has applied. */
struct journal_position {
	uint64_t number; /* number of the last applied entry; 0 = none */
	uint64_t epoch;  /* epoch of the last owner of the partition */
	/* 0 = the replica of the partition is not complete */
	uint64_t is_whole;
	uint64_t hash; /* hash of the last applied entry; 0 = unknown */
};

/*
 * Read the position. If the store does not have the partition, return false and
 * set *place_out to zeros.
 */
bool journal_position_get(struct txn *txn, unsigned partition,
			  struct journal_position *place_out);
void journal_position_put(struct txn *txn, unsigned partition,
			  const struct journal_position *place);
void journal_position_delete(struct txn *txn, unsigned partition);

/*
 * A reader of all rows of a partition:
 *
 *         struct dump dump = dump_begin(&txn, partition);
 *         while (dump_next(&dump, max_bytes, &chunk))
 *                 ... journal_apply(&other, partition, buffer_slice(&chunk))
 *         ... dump_end(&dump);
 *
 * Each chunk replaces the content of the buffer. It has about `max_bytes`, and
 * at least one row.
 */
struct dump {
	struct txn *txn;
	struct scan scan;
	/* value of the row; a divided one is joined in `joined` */
	struct slice value;
	struct buffer joined;
	unsigned partition;
	/*
	 * current table; TABLE_COUNT = the counters are next; above = the end
	 */
	unsigned table;
	bool is_scanning;
	bool is_keys_only; /* values are not read */
	uint64_t rows;     /* number of rows that were read */
	uint64_t sum;      /* sum of the checksums of these rows */
};

struct dump dump_begin(struct txn *txn, unsigned partition);
bool dump_next(struct dump *dump, size_t max_bytes, struct buffer *chunk);
void dump_end(struct dump *dump);

/*
 * Return the sum of the checksums of all rows of a partition, modulo 2^64.
 * Equal replicas have equal sums; the order of writing the rows does not
 * matter. This reads the whole partition.
 */
uint64_t journal_sum(struct txn *txn, unsigned partition, uint64_t *rows_out);

/*
 * Delete at most `max` rows of the partition. Return the number of deleted
 * rows; below `max`, no rows remain. The position of the partition is kept.
 */
uint64_t journal_clear(struct txn *txn, unsigned partition, uint64_t max);

/*
 * The format of rows that are sent to other nodes: a head (format, byte order,
 * schema), and then items. An item begins with its kind. The comments name its
 * other parts. Lengths are LEB128.
 */

enum journal_what {
	JOURNAL_ROW,     /* table, key and value of a row */
	JOURNAL_DELETED, /* table and key of a deleted row */
	JOURNAL_COUNTER, /* name of a counter, and its minimum as u64 */
	/*
	 * id and encrypted text of a secret of the row before; see
	 * store/encryption.h
	 */
	JOURNAL_ENCRYPTED,
};

void journal_put_head(struct buffer *out);

/*
 * Append a row. If it refers to secrets and the store has a cipher, append them
 * too. A counter is also a row.
 */
void journal_put_row(struct txn *txn, enum table table, struct slice key,
		     struct slice value, struct buffer *out);

/* Append the counters that belong to the whole store and not to a partition. */
void journal_put_counters(struct txn *txn, struct buffer *out);

#endif
