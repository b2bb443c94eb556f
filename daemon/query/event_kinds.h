/*
 * daemon/query/event_kinds.h - a filter for kinds of events: a list such as
 * "template.*,guard.firing". An item is a name, a prefix of names followed by
 * '*', or "alerts".
 */
#ifndef DAEMON_QUERY_EVENT_KINDS_H
#define DAEMON_QUERY_EVENT_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { MAX_KINDS_BYTES = 512 };

/* One bit for each kind of EVENT_LIST, by its number. */
typedef uint64_t kind_set;

/*
 * Parse the list. Return false if it is too long, or an item is empty or
 * matches no kind; then *wrong_out is that item.
 */
bool kind_set_parse(struct slice list, kind_set *kinds_out,
		    struct slice *wrong_out);

/*
 * Return the kinds that are alerts, which need attention. The others are a
 * journal of the daemon's actions.
 */
kind_set kind_set_alerts(void);
bool event_kind_is_alert(uint16_t kind);

bool kind_set_has(kind_set kinds, uint16_t kind);

#endif
