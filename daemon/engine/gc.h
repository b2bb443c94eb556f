/*
 * daemon/engine/gc.h - find the oldest rows over the limits of
 * daemon/config/config.h. Only reads; CHANGE_GC deletes the rows.
 *
 * It never finds the newest version of a template, the bodies of a template's
 * sample pages, and the bodies of the pages that models are built from
 * (stored_pages_find() of daemon/query/stored_site.h): so these may exceed a
 * limit.
 */
#ifndef DAEMON_ENGINE_GC_H
#define DAEMON_ENGINE_GC_H

#include <stddef.h>

#include "base/error.h"
#include "daemon/config/config.h"
#include "store/key.h"
#include "store/store.h"

/* A row to delete. */
struct gc_row {
	enum table table; /* TABLE_BODIES, TABLE_VERSIONS or TABLE_EVENTS */
	struct key key;
};

struct gc {
	struct gc_row *rows; /* [count]; free() it */
	size_t count;
	size_t capacity;
};

/* At most `max` rows are found at a time; then there may be others. */
enum { GC_MAX_ROWS = 10000, GC_AT_ONCE = 1000 /* per transaction */ };

/*
 * Find the rows to delete at the time `now_ms`. Reads the bodies of a site in
 * one read transaction: about 3 us per page, and hardly any memory. ERR_IO,
 * ERR_BUSY, ERR_CORRUPT.
 */
enum error gc_find(struct store *store, const struct retention_limits *limits,
		   uint64_t now_ms, struct gc *gc_out);

#endif
