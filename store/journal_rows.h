/*
 * store/journal_rows.h - rows as they go to other machines: a head (format,
 * order of bytes, schema), then rows, each with what it is, its table and its
 * key; numbers of lengths as LEB128. Internal to store/.
 */
#ifndef STORE_JOURNAL_ROWS_H
#define STORE_JOURNAL_ROWS_H

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

enum journal_what {
	JOURNAL_ROW,     /* key, value */
	JOURNAL_GONE,    /* key */
	JOURNAL_COUNTER, /* name, u64: at least so much was given */
	JOURNAL_SECRET,  /* id, text of a row before it, in clear: was written
			    by older programs, and is read */
	JOURNAL_SEALED,  /* id, the same, sealed: store/cipher.h */
};

void journal_put_head(const struct store *store, struct buffer *out);

/* With the secrets of the row, if it names some and the store has a cipher. A
 * counter is one. */
void journal_put_row(struct txn *txn, enum table table, struct slice key,
		     struct slice value, struct buffer *out);
void journal_put_gone(struct buffer *out, enum table table, struct slice key);

/* The counters that are not of a partition, as they are. */
void journal_put_counters(struct txn *txn, struct buffer *out);

#endif
