/*
 * daemon/engine/guard_change.h - add or delete a guard. Plain data; the caller
 * owns the slices.
 */
#ifndef DAEMON_ENGINE_GUARD_CHANGE_H
#define DAEMON_ENGINE_GUARD_CHANGE_H

#include <stdint.h>

#include "store/rows_guard.h"

enum { MAX_SITE_GUARDS = 100 };

struct guard_change {
	bool is_delete;
	uint32_t site;   /* number of the site that it was tested on; 0 = any */
	uint32_t number; /* guard to delete; or out: the new guard */
	struct guard_row guard; /* cluster, limits, language, texts */
	/*
	 * its results on stored pages: as in daemon/privsep/guarded_page.h, with
	 * "url" instead of "guard", and the "hash" of their content
	 */
	struct slice found;
};

#endif
