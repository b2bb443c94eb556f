/*
 * daemon/engine/guarding.h - read the guards of a site for a worker that
 * evaluates them on a page; see daemon/privsep/guarded_page.h for the result.
 */
#ifndef DAEMON_ENGINE_GUARDING_H
#define DAEMON_ENGINE_GUARDING_H

#include "base/buffer.h"
#include "store/store.h"

/*
 * Append the guards of the site `host` that are not suspended, each with its
 * last good result on the page of `url`: a list of struct wanted_guard
 * (daemon/privsep/requests.h).
 */
void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list);

#endif
