/*
 * store/journal_rows.h - the format of rows that are sent to other nodes: a
 * head (format, byte order, schema), then rows, each with its kind, its table
 * and its key; lengths are LEB128. Internal to store/.
 */
#ifndef STORE_JOURNAL_ROWS_H
#define STORE_JOURNAL_ROWS_H

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

enum journal_what {
	JOURNAL_ROW,       /* key, value */
	JOURNAL_DELETED,   /* key of a deleted row */
	JOURNAL_COUNTER,   /* name, u64: lower bound of the counter */
	JOURNAL_ENCRYPTED, /* id, encrypted text of a previous row's secret:
			   store/cipher.h */
};

void journal_put_head(struct buffer *out);

/*
 * Append a row, with its secrets if it refers to some and the store has a
 * cipher. A counter is a row, too.
 */
void journal_put_row(struct txn *txn, enum table table, struct slice key,
		     struct slice value, struct buffer *out);
void journal_put_deleted(struct buffer *out, enum table table,
			 struct slice key);

/* Append the counters that belong to no partition. */
void journal_put_counters(struct txn *txn, struct buffer *out);

#endif
