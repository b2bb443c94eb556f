/*
 * daemon/cluster/entry.h - the entries of a partition's log, as bytes: a head
 * and, packed by zstd, the rows of store/journal.h, in as many parts as the
 * broker's limit makes. Pure.
 */
#ifndef DAEMON_CLUSTER_ENTRY_H
#define DAEMON_CLUSTER_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

enum entry_kind {
	ENTRY_ROWS = 1, /* what one transaction has changed */
	ENTRY_CLAIM,    /* the partition has another owner: from here on entries
			   of earlier epochs do not count */
};

enum {
	/* Behind it all copies are summed up (journal_sum()) and compared. */
	ENTRY_IS_SUMMED = 1,
	ENTRY_IS_CHAINED = 2, /* [chain] is set; by entry_write() */
};

struct entry_head {
	enum entry_kind kind;
	uint16_t partition;
	uint16_t part;  /* of [parts] */
	uint16_t parts; /* 1 and up */
	uint16_t flags; /* ENTRY_IS_*; of the last part */
	uint64_t epoch;
	uint64_t before; /* the number of the entry before it; 0: none */
	uint64_t chain;  /* entry_hash() of that one; 0: not known, or none */
};

enum {
	ENTRY_HEAD_BYTES = 40,
	ENTRY_MAX_PARTS = 4096,
	ENTRY_MAX_ROWS_BYTES = 1 << 30, /* of a transaction, unpacked */
};

/* Append the head and the part's bytes. */
void entry_write(const struct entry_head *head, struct slice part,
		 struct buffer *out);

/* False: it is damaged, or of another version (*is_newer_out). *part_out points
 * into `entry`. */
bool entry_read(struct slice entry, struct entry_head *head_out,
		struct slice *part_out, bool *is_newer_out);

/* What an entry is known by: numbers may change (docs/howto/broker.md), its
 * bytes do not. */
uint64_t entry_hash(struct slice entry);

/* Whether it is the one behind entry `number` with this hash; 0: that is not
 * known, then the number counts. */
bool entry_follows(const struct entry_head *head, uint64_t number,
		   uint64_t hash);

/* Nothing that a node has written: somebody else may publish to the subject. */
bool entry_is_foreign(struct slice entry);

/* How many parts of at most `max` bytes, heads and all, `size` bytes make. */
unsigned entry_parts(size_t size, size_t max);

/* Part `number` of these bytes. */
struct slice entry_part(struct slice bytes, size_t max, unsigned number);

#endif
