/*
 * daemon/engine/gc.h - find the oldest rows over the limits of
 * daemon/config/config.h. This code only reads; CHANGE_GC deletes the rows.
 *
 * It never chooses the newest version of a template, the bodies of a template's
 * sample pages, or the bodies of the pages that models are built from
 * (stored_pages_find() of daemon/query/stored_site.h). These rows may therefore
 * exceed a limit.
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
	struct gc_row *rows; /* [count]; the caller frees it with free() */
	size_t count;
	size_t capacity;
};

/*
 * One call of gc_find() finds at most GC_MAX_ROWS rows. If it finds as many,
 * there may be more. One transaction deletes GC_AT_ONCE rows.
 */
enum { GC_MAX_ROWS = 10000, GC_AT_ONCE = 1000 /* per transaction */ };

/*
 * Find the rows to delete at the time `now_ms`. The bodies of each site are
 * read in one read transaction, which takes about 3 us per page and little
 * memory. ERR_IO, ERR_BUSY, ERR_CORRUPT.
 */
enum error gc_find(struct store *store, const struct retention_limits *limits,
		   uint64_t now_ms, struct gc *gc_out);

#endif
