/*
 * daemon/nodes/log_append.h - the entries of a partition's log, as bytes: a
 * head and the rows of store/journal.h, compressed by zstd, in as many parts as
 * the broker's size limit requires. Pure.
 */
#ifndef DAEMON_NODES_LOG_APPEND_H
#define DAEMON_NODES_LOG_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum log_entry_kind {
	LOG_ENTRY_ROWS = 1, /* the changes of one transaction */
	LOG_ENTRY_CLAIM,    /* the partition has a new owner: later entries with
			   earlier epochs are invalid */
};

enum {
	/* After this entry all replicas compare journal_sum(). */
	LOG_ENTRY_IS_SUMMED = 1,
	LOG_ENTRY_IS_CHAINED = 2, /* `chain` is set, by log_entry_write() */
};

struct log_entry_head {
	enum log_entry_kind kind;
	uint16_t partition;
	uint16_t part;  /* index, < parts */
	uint16_t parts; /* >= 1 */
	uint16_t flags; /* ENTRY_IS_*; only in the last part */
	uint64_t epoch;
	uint64_t before; /* number of the previous entry; 0 = none */
	uint64_t
		chain; /* log_entry_hash() of that entry; 0 = unknown or none */
};

enum {
	LOG_ENTRY_HEAD_BYTES = 40,
	LOG_ENTRY_MAX_PARTS = 4096,
	LOG_ENTRY_MAX_ROWS_BYTES = 1 << 30, /* of a transaction, uncompressed */
};

/* Append the head and the bytes of the part. */
void log_entry_write(const struct log_entry_head *head, struct slice part,
		     struct buffer *out);

/*
 * Return false if the entry is damaged or of another version (*is_newer_out).
 * *part_out points into `entry`.
 */
bool log_entry_read(struct slice entry, struct log_entry_head *head_out,
		    struct slice *part_out, bool *is_newer_out);

/*
 * Return the identity of an entry: its number may change
 * (docs/howto/broker.md), its bytes do not.
 */
uint64_t log_entry_hash(struct slice entry);

/*
 * Return whether the entry follows entry `number` with this hash. If the hash
 * is 0 (unknown), only the number is compared.
 */
bool log_entry_follows(const struct log_entry_head *head, uint64_t number,
		       uint64_t hash);

/*
 * Return whether no node wrote the entry: other clients may publish to the
 * subject.
 */
bool log_entry_is_foreign(struct slice entry);

/*
 * Return the number of parts of at most `max` bytes, heads included, for `size`
 * bytes.
 */
unsigned log_entry_parts(size_t size, size_t max);

/* Return part `number` of these bytes. */
struct slice log_entry_part(struct slice bytes, size_t max, unsigned number);

#endif
