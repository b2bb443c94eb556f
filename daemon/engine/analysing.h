/*
 * daemon/engine/analysing.h - analyse a job's page in a worker. Internal to
 * the pipeline.
 */
#ifndef DAEMON_ENGINE_ANALYSING_H
#define DAEMON_ENGINE_ANALYSING_H

#include "daemon/engine/job.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/requests.h"
#include "page/page.h"
#include "store/store.h"

struct analysing {
	struct store *store; /* for the guards */
	struct pool *pool;
	struct page_limits limits;
	struct guard_limits guard_limits;
	struct slice drop_parameters;
};

/*
 * Analyse the bodies of at most GATHER_JOBS jobs: a worker parses each once and
 * computes everything for the commit: record, guarded and packed of the job.
 * `error` of a job: errors of page_parse() and pool_run(). ERR_POISONED: the
 * body crashed or stalled the workers; `reason` of the job has the details,
 * `packed` is the body. A body that is in quarantine already is not given to
 * another worker: then `packed` is empty.
 */
void analysing_run(const struct analysing *analysing, struct job *jobs);

#endif
