/*
 * store/rows_hook.h - the rows of hooks, who are told of alerts, and of
 * silences, which keep alerts from them, as store/row.h says of all.
 */
#ifndef STORE_ROWS_HOOK_H
#define STORE_ROWS_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

/* Who is told of alerts. */
struct hook_row {
	uint64_t created_ms;
	uint64_t next_ms;      /* not tried again before this */
	uint64_t delivered_ms; /* the last success; 0: none yet */
	uint64_t delivered;    /* how many */
	uint64_t dropped;      /* the outbox was full, or they were too old */
	uint32_t waiting;      /* rows in TABLE_OUTBOX */
	uint32_t failures;     /* in a row */
	uint16_t http_status;  /* of the last try, 0: none */
	uint16_t flags;        /* 0 */
	/* as they are given; in a row, sealed (store/sealed.h) */
	struct slice target; /* URL, or "exec:COMMAND" */
	struct slice secret; /* of the signature; or empty */
	struct slice host;   /* of one site alone; or empty */
	struct slice kinds;  /* "template.*,guard.broken"; empty: all */
	struct slice error;  /* of the last try; or empty */
};

bool hook_row_get(struct txn *txn, uint32_t hook, struct hook_row *row_out);
void hook_row_put(struct txn *txn, uint32_t hook, const struct hook_row *row);
bool hook_row_decode(struct slice value, struct hook_row *row_out);

/* The value of the row, in a new buffer. */
struct buffer hook_row_encode(const struct hook_row *row);

/* Events like one that was silenced are not delivered. */
struct silence_row {
	uint64_t created_ms;
	uint16_t kind;    /* enum event_kind */
	uint32_t cluster; /* 0: any */
	uint32_t guard;   /* 0: any */
	uint64_t event;   /* that it was made from */
	struct slice host;
};

bool silence_row_get(struct txn *txn, uint32_t silence,
		     struct silence_row *row_out);
void silence_row_put(struct txn *txn, uint32_t silence,
		     const struct silence_row *row);
bool silence_row_decode(struct slice value, struct silence_row *row_out);

#endif
