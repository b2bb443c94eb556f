/*
 * daemon/nodes/log_append.h - the entries of a partition's log, as bytes. A
 * transaction becomes one or more entries (its parts), as many as the broker's
 * size limit requires. Each has a head and a piece of the rows of
 * store/journal.h, compressed with zstd. The functions have no side effects.
 */
#ifndef DAEMON_NODES_LOG_APPEND_H
#define DAEMON_NODES_LOG_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum log_entry_kind {
	LOG_ENTRY_ROWS = 1, /* the changes of one transaction */
	LOG_ENTRY_CLAIM,    /* the partition has a new owner: later entries
			       with an earlier epoch are invalid */
};

enum {
	/* After this entry all replicas compare their journal_sum(). */
	LOG_ENTRY_IS_SUMMED = 1,
	LOG_ENTRY_IS_CHAINED = 2, /* `chain` is valid; log_entry_write() sets
				     this flag */
};

struct log_entry_head {
	enum log_entry_kind kind;
	uint16_t partition;
	uint16_t part;  /* index, < parts */
	uint16_t parts; /* >= 1 */
	uint16_t flags; /* LOG_ENTRY_IS_*; only in the last part */
	uint64_t epoch;
	uint64_t before; /* number of the previous entry; 0 = none */
	uint64_t chain;  /* log_entry_hash() of the previous entry; 0 = unknown
			    or none */
};

enum {
	LOG_ENTRY_HEAD_BYTES = 40,
	LOG_ENTRY_MAX_PARTS = 4096,
	LOG_ENTRY_MAX_ROWS_BYTES = 1 << 30, /* of one transaction, before
					       compression */
};

/* Append an entry to `out`: the head and the bytes of the part. */
void log_entry_write(const struct log_entry_head *head, struct slice part,
		     struct buffer *out);

/*
 * Return false if the entry is damaged or of another version; *is_newer_out
 * tells whether the version is newer. *part_out points into `entry`.
 */
bool log_entry_read(struct slice entry, struct log_entry_head *head_out,
		    struct slice *part_out, bool *is_newer_out);

/*
 * Return a hash that identifies an entry. The number of an entry may change
 * (docs/howto/broker.md), but its bytes do not.
 */
uint64_t log_entry_hash(struct slice entry);

/*
 * Return whether the entry of this head follows the entry with this number and
 * hash. If a hash is 0 (unknown), compare only the numbers.
 */
bool log_entry_follows(const struct log_entry_head *head, uint64_t number,
		       uint64_t hash);

/*
 * Return whether the entry was not written by a node: other clients may publish
 * to the subject.
 */
bool log_entry_is_foreign(struct slice entry);

/*
 * Return how many parts are needed for `size` bytes if an entry, with its head,
 * has at most `max` bytes.
 */
unsigned log_entry_parts(size_t size, size_t max);

/* Return part `number` of `bytes`, cut as log_entry_parts() counts them. */
struct slice log_entry_part(struct slice bytes, size_t max, unsigned number);

#endif
