/*
 * store/rows_hook.h - the rows of hooks, which receive events, and of silences,
 * which suppress deliveries (see store/row.h).
 */
#ifndef STORE_ROWS_HOOK_H
#define STORE_ROWS_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

/* A receiver of events. */
struct hook_row {
	uint64_t created_ms;
	uint64_t next_ms;      /* no retry before this time */
	uint64_t delivered_ms; /* last successful delivery; 0 = none */
	uint64_t delivered;    /* number of delivered events */
	uint64_t dropped;      /* number of events dropped from a full outbox or
				  because of their age */
	uint32_t waiting;      /* rows in TABLE_OUTBOX */
	uint32_t failures;     /* consecutive failures */
	uint16_t http_status;  /* of the last attempt; 0 = none */
	uint16_t flags;        /* always 0 */
	/* in clear text; a row has a reference (store/sealed.h) */
	struct slice target; /* URL, or "exec:COMMAND" */
	struct slice secret; /* key of the signature, or empty */
	struct slice host;   /* limits the hook to one site; or empty */
	struct slice kinds;  /* "template.*,guard.firing"; empty = all */
	struct slice error;  /* of the last attempt, or empty */
};

bool hook_row_get(struct txn *txn, uint32_t hook, struct hook_row *row_out);
void hook_row_put(struct txn *txn, uint32_t hook, const struct hook_row *row);
bool hook_row_decode(struct slice value, struct hook_row *row_out);

/* Return the value of the row in a new buffer. */
struct buffer hook_row_encode(const struct hook_row *row);

/* A rule that suppresses the delivery of events like one event. */
struct silence_row {
	uint64_t created_ms;
	uint16_t kind;    /* enum event_kind */
	uint32_t cluster; /* 0 = every cluster */
	uint32_t guard;   /* 0 = every guard */
	uint64_t event;   /* the event that was silenced */
	struct slice host;
};

bool silence_row_get(struct txn *txn, uint32_t silence,
		     struct silence_row *row_out);
void silence_row_put(struct txn *txn, uint32_t silence,
		     const struct silence_row *row);
bool silence_row_decode(struct slice value, struct silence_row *row_out);

#endif
