/*
 * daemon/engine/audience.h - who is told of what, in memory: the rules of
 * TABLE_SILENCES and what the hooks of TABLE_HOOKS want, so that an event scans
 * neither. Read when it is asked for; whoever writes those tables, or undoes
 * what was written, has it forgotten. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_AUDIENCE_H
#define DAEMON_ENGINE_AUDIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/answer/event_kinds.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"
#include "store/txn.h"

/* What one hook wants to be told of. */
struct wish {
	uint32_t hook;
	bool is_default; /* alerts alone: it names no kinds */
	kind_set kinds;
	struct slice host; /* of one site alone; or empty; a copy */
};

struct audience {
	bool is_read;
	struct silence_row
		*silences; /* [silence_count]; their hosts are copies */
	size_t silence_count;
	size_t silence_capacity;
	struct wish *wishes; /* [wish_count], ascending by hook */
	size_t wish_count;
	size_t wish_capacity;
};

/* Read it, when it was forgotten. What is damaged silences and wants nothing.
 */
void audience_read(struct audience *audience, struct txn *txn);

/* The tables have changed. Also frees. */
void audience_forget(struct audience *audience);

/* The audience is read. */
bool audience_silences(const struct audience *audience,
		       const struct event_row *event);
bool wish_is_for(const struct wish *wish, const struct event_row *event);

#endif
