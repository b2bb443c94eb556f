/*
 * store/journal.h - what write transactions change, as rows by partition, for
 * copies of the store on other machines. It is collected while a transaction
 * goes on, read before its end, and put into another store by
 * journal_apply().
 *
 * A store is of partitions when store_options.partition_of says which partition
 * a host is of. Then the number of a site has its partition in the highest bits
 * and that of an event in the lowest, so that a partition is a range of keys,
 * and can be read, copied and dropped by itself. The partition after the last
 * one is what concerns all sites: hooks and silences.
 *
 * Rows, and not the changes that led to them: what the engine makes of a change
 * depends on its memory, its configuration and its version; a row does not.
 */
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"
#include "store/store.h"
#include "store/txn.h"

enum {
	JOURNAL_COMMON = STORE_PARTITIONS, /* hooks and silences */
	JOURNAL_PARTITIONS,
};

struct journal;

struct journal *journal_create(void);
void journal_destroy(struct journal *journal); /* NULL is a no-op */

/* Collect what the transaction changes from now on; what was collected before
 * is forgotten. */
void journal_begin(struct journal *journal, struct txn *txn);

/* Collect no more; returns what has collected, or NULL. It can go on later in
 * the same transaction. */
struct journal *journal_end(struct txn *txn);
void journal_go_on(struct journal *journal, struct txn *txn);

/* A hook was added or deleted. Else rows of hooks are not collected: what has
 * become of its deliveries each machine knows for itself. */
void journal_take_hooks(struct txn *txn);

/* The row of `table` at `key` has changed. For txn_put() and its like. */
void journal_note(struct journal *journal, const struct store *store,
		  enum table table, struct slice key);

/* The partitions that have changes, ascending; returns how many. */
size_t journal_partitions(const struct journal *journal,
			  unsigned partitions_out[JOURNAL_PARTITIONS]);

/*
 * Append what has become of the partition's rows in the transaction that was
 * collected, which goes on: a head, and for each row its table, its key and its
 * value, or that it is gone. Sorted by table and key; each row once.
 */
void journal_write(struct journal *journal, struct txn *txn, unsigned partition,
		   struct buffer *out);

/*
 * Put what journal_write() or dump_next() has written into this store. Rows are
 * replaced; counters are raised, but for job_hash_name(). ERR_CORRUPT of the
 * transaction: it is damaged, or a row is of another partition, or a sealed
 * secret of another row; ERR_NO_KEY: a secret is sealed by a key that is not
 * here; ERR_VERSION: it has a table that this program does not know.
 */
void journal_apply(struct txn *txn, unsigned partition, struct slice changes);

/* How far a partition is in this store. */
struct journal_place {
	uint64_t number; /* of the last entry of its log that is in it; 0: none
			  */
	uint64_t epoch;  /* of the last owner that is in it */
	uint64_t is_whole; /* 0: its copy is not complete */
	uint64_t hash;     /* of that entry; 0: not known */
};

/* False, and zeros: the partition is not here. */
bool journal_place_get(struct txn *txn, unsigned partition,
		       struct journal_place *place_out);
void journal_place_put(struct txn *txn, unsigned partition,
		       const struct journal_place *place);
void journal_place_delete(struct txn *txn, unsigned partition);

/*
 * All rows of a partition:
 *
 *	struct dump dump = dump_begin(&txn, partition);
 *	while (dump_next(&dump, max_bytes, &chunk))
 *		... journal_apply(&other, partition, buffer_slice(&chunk)) ...
 *	dump_end(&dump);
 *
 * A chunk replaces what is in the buffer; it has about `max_bytes`, and a row
 * at least.
 */
struct dump {
	struct txn *txn;
	struct scan scan;
	unsigned partition;
	unsigned table; /* TABLE_COUNT: counters are next; above: the end */
	bool is_scanning;
	bool is_keys_only; /* values are not read */
	uint64_t rows;     /* so far */
	uint64_t sum;      /* of their checksums */
};

struct dump dump_begin(struct txn *txn, unsigned partition);
bool dump_next(struct dump *dump, size_t max_bytes, struct buffer *chunk);
void dump_end(struct dump *dump);

/*
 * The sum of the checksums of all rows of a partition, modulo 2^64: equal for
 * equal copies, in whatever order they got their rows. Reads all of it.
 */
uint64_t journal_sum(struct txn *txn, unsigned partition, uint64_t *rows_out);

/* Delete at most `max` rows of the partition; returns how many went: fewer than
 * `max` when none is left. Its place stays. */
uint64_t journal_clear(struct txn *txn, unsigned partition, uint64_t max);

#endif
