/*
 * store/journal.h - collects the rows that write transactions change, by
 * partition, for replicas of the store on other nodes. Collect during a
 * transaction, read the journal before its end, and add the rows to another
 * store with journal_apply().
 *
 * A store has partitions if store_options.partition_of returns the partition of
 * a host. Then the number of a site has its partition in the highest bits and
 * the number of an event in the lowest, so that a partition is a range of keys
 * and can be read, copied and dropped separately. The partition after the last
 * one contains the rows that concern all sites: hooks and silences.
 *
 * The journal contains rows and not the changes that led to them: the effect of
 * a change depends on the memory, the configuration and the version of the
 * engine; a row does not.
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
	JOURNAL_COMMON = STORE_PARTITIONS, /* hooks and silences */
	JOURNAL_PARTITIONS,
};

struct journal *journal_create(void);
void journal_destroy(struct journal *journal); /* Do nothing for NULL. */

/* Clear the journal and collect the changes of the transaction from now on. */
void journal_begin(struct journal *journal, struct txn *txn);

/*
 * Stop collecting; return the journal of the transaction, or NULL. Collecting
 * can resume later in the same transaction.
 */
struct journal *journal_end(struct txn *txn);
void journal_resume(struct journal *journal, struct txn *txn);

/*
 * Collect rows of hooks, too, because a hook was added or deleted. Otherwise
 * they are not collected, because each node has its own state of a hook's
 * deliveries.
 */
void journal_collect_hooks(struct txn *txn);

/*
 * Note that the row of `table` at `key` has changed. For txn_put() and similar
 * functions.
 */
void journal_note(struct journal *journal, const struct store *store,
		  enum table table, struct slice key);

/*
 * Write the partitions that have changes, ascending, and return their number.
 */
size_t journal_partitions(const struct journal *journal,
			  unsigned partitions_out[JOURNAL_PARTITIONS]);

/*
 * Append the current state of the partition's changed rows to `out`; the
 * collected transaction is still open. The output is a head, and for each row
 * its table, its key and its value, or that it is deleted, sorted by table and
 * key; each row once.
 */
void journal_write(struct journal *journal, struct txn *txn, unsigned partition,
		   struct buffer *out);

/*
 * Write the output of journal_write() or dump_next() to this store. It replaces
 * rows and raises counters, except the hashes of jobs. Errors of the
 * transaction: ERR_CORRUPT if the output is damaged, or a row belongs to
 * another partition, or an encrypted secret to another row;
 * ERR_NO_ENCRYPTION_KEY if the key of a secret is missing; ERR_VERSION if it
 * contains an unknown table.
 */
void journal_apply(struct txn *txn, unsigned partition, struct slice changes);

/*
 * The position of a partition in its log, as far as this store has applied it.
 */
struct journal_position {
	uint64_t number;   /* last applied entry of its log; 0 = none */
	uint64_t epoch;    /* epoch of the last owner */
	uint64_t is_whole; /* 0: the replica is not complete */
	uint64_t hash;     /* hash of that entry; 0 = unknown */
};

/*
 * Read the position. Return false and zeros if the partition is not in this
 * store.
 */
bool journal_position_get(struct txn *txn, unsigned partition,
			  struct journal_position *place_out);
void journal_position_put(struct txn *txn, unsigned partition,
			  const struct journal_position *place);
void journal_position_delete(struct txn *txn, unsigned partition);

/*
 * Reads all rows of a partition:
 *
 *         struct dump dump = dump_begin(&txn, partition);
 *         while (dump_next(&dump, max_bytes, &chunk))
 *                 ... journal_apply(&other, partition, buffer_slice(&chunk))
 * ... dump_end(&dump);
 *
 * A chunk replaces the content of the buffer; it has about `max_bytes`, and at
 * least one row.
 */
struct dump {
	struct txn *txn;
	struct scan scan;
	unsigned partition;
	unsigned table; /* TABLE_COUNT: counters are next; above: the end */
	bool is_scanning;
	bool is_keys_only; /* do not read values */
	uint64_t rows;     /* rows so far */
	uint64_t sum;      /* sum of their checksums */
};

struct dump dump_begin(struct txn *txn, unsigned partition);
bool dump_next(struct dump *dump, size_t max_bytes, struct buffer *chunk);
void dump_end(struct dump *dump);

/*
 * Return the sum of the checksums of all rows of a partition, modulo 2^64:
 * equal copies have equal sums, in whatever order they received their rows.
 * Reads the whole partition.
 */
uint64_t journal_sum(struct txn *txn, unsigned partition, uint64_t *rows_out);

/*
 * Delete at most `max` rows of the partition and return their number; it is
 * below `max` when no row remains. The position of the partition remains.
 */
uint64_t journal_clear(struct txn *txn, unsigned partition, uint64_t max);

/*
 * The format of rows that are sent to other nodes: a head (format, byte order,
 * schema), then rows, each with its kind, its table and its key; lengths are
 * LEB128.
 */

enum journal_what {
	JOURNAL_ROW,       /* key, value */
	JOURNAL_DELETED,   /* key of a deleted row */
	JOURNAL_COUNTER,   /* name, u64: lower bound of the counter */
	JOURNAL_ENCRYPTED, /* id, encrypted text of a previous row's secret:
			   store/encryption.h */
};

void journal_put_head(struct buffer *out);

/*
 * Append a row, with its secrets if it refers to some and the store has a
 * cipher. A counter is a row, too.
 */
void journal_put_row(struct txn *txn, enum table table, struct slice key,
		     struct slice value, struct buffer *out);

/* Append the counters that belong to no partition. */
void journal_put_counters(struct txn *txn, struct buffer *out);

#endif
