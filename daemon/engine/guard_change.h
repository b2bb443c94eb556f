/*
 * daemon/engine/guard_change.h - adding or deleting a guard. Plain data; slices
 * belong to the caller.
 */
#ifndef DAEMON_ENGINE_GUARD_CHANGE_H
#define DAEMON_ENGINE_GUARD_CHANGE_H

#include <stdint.h>

#include "store/rows_guard.h"

enum { MAX_SITE_GUARDS = 100 };

struct guard_change {
	bool is_delete;
	uint32_t site;          /* number of the site on which it was tested; 0:
				   any */
	uint32_t number;        /* to be deleted; or, out: of the new guard */
	struct guard_row guard; /* cluster, limits, language, texts */
	/*
	 * its results on stored pages: as in daemon/worker/guarded_page.h, with
	 * "url" in place of "guard", and the "hash" of their content
	 */
	struct slice found;
};

#endif
