/*
 * daemon/ctl/relearning.h - sites whose tables are damaged are learned anew
 * from the bodies of their pages that are whole.
 */
#ifndef DAEMON_CTL_RELEARNING_H
#define DAEMON_CTL_RELEARNING_H

#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"

struct relearning_report {
	uint64_t sites;     /* that are there again */
	uint64_t pages;     /* of them */
	uint64_t lost;      /* pages whose body is not whole, or not kept */
	struct buffer text; /* a line a site */
};

/*
 * Add the sites of `remains`, as store_salvage() leaves them, to `store`, with
 * their options, their pages as if these came from an archive, and the guards
 * of the whole site. A site whose row is lost is one of pages that are handed
 * in. What else was known of them begins anew: the numbers of clusters,
 * versions, results of guards, URLs without a page. The errors of the engine.
 * Free report_out->text.
 */
enum error relearn(struct store *remains, struct store *store,
		   struct relearning_report *report_out);

#endif
