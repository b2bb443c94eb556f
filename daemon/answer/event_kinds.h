/*
 * daemon/answer/event_kinds.h - which kinds of events somebody wants: a list
 * such as "template.*,guard.broken". An item is a name, the beginning of names
 * with a '*' behind it, or "alerts".
 */
#ifndef DAEMON_ANSWER_EVENT_KINDS_H
#define DAEMON_ANSWER_EVENT_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

enum { MAX_KINDS_BYTES = 512 };

/* A bit for each kind of EVENT_LIST, by its number. */
typedef uint64_t kind_set;

/*
 * Read the list. False when it is too long, or an item is empty or names no
 * kind: *wrong_out is that item then.
 */
bool kinds_read(struct slice list, kind_set *kinds_out,
		struct slice *wrong_out);

/*
 * The alerts: what people want to be told. The others are the journal of what
 * the daemon did.
 */
kind_set kinds_alerts(void);
bool event_kind_is_alert(uint16_t kind);

bool kinds_have(kind_set kinds, uint16_t kind);

#endif
