/*
 * daemon/ctl/offline_learn.h - rebuild sites that have damaged tables. Their
 * pages are analysed again, as far as the bodies of the pages are undamaged.
 */
#ifndef DAEMON_CTL_OFFLINE_LEARN_H
#define DAEMON_CTL_OFFLINE_LEARN_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"

struct site_rebuild_report {
	uint64_t sites;     /* number of sites that were rebuilt */
	uint64_t pages;     /* number of their pages */
	uint64_t lost;      /* number of pages whose body is damaged or has
			       expired */
	struct buffer text; /* one line for each site */
};

/*
 * Rebuild the sites in `remains`, which has the result of
 * store_recover_intact(), in `store`: their options, their pages as if these
 * were imported from an archive, and those guards that are for the whole site.
 * If the row of a site is lost, it gets the options of a site with uploaded
 * pages. All other data starts again: cluster numbers, versions, results of
 * guards; URLs without a page are lost. Errors of the engine. The caller frees
 * report_out->text.
 */
enum error rebuild_sites(struct store *remains, struct store *store,
			 struct site_rebuild_report *report_out);

#endif
