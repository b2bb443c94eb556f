/*
 * daemon/ctl/offline_learn.h - rebuild sites with damaged tables from the
 * undamaged bodies of their pages.
 */
#ifndef DAEMON_CTL_OFFLINE_LEARN_H
#define DAEMON_CTL_OFFLINE_LEARN_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

struct site_rebuild_report {
	uint64_t sites;     /* rebuilt sites */
	uint64_t pages;     /* their pages */
	uint64_t lost;      /* pages whose body is damaged or expired */
	struct buffer text; /* a line per site */
};

/*
 * Add the sites of `remains`, the result of store_recover_intact(), to `store`:
 * their options, their pages as if imported from an archive, and the guards of
 * the whole site. A site whose row is lost gets the options of uploaded pages.
 * Other data starts again: cluster numbers, versions, guard results, URLs
 * without a page. Errors of the engine. Free report_out->text.
 */
enum error rebuild_sites(struct store *remains, struct store *store,
			 struct site_rebuild_report *report_out);

#endif
