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

struct analyser {
	struct store *store; /* for the guards */
	struct worker_pool *pool;
	struct page_limits limits;
	struct guard_limits guard_limits;
	struct slice drop_parameters;
};

/*
 * Analyse the bodies of at most GATHER_JOBS jobs: a worker parses each once and
 * computes everything for the commit: record, guarded and packed of the job.
 * `error` of a job: errors of page_parse() and worker_pool_run().
 * ERR_QUARANTINED: the body crashed or stalled the workers; `reason` of the job
 * has the details, `packed` is the body. A body that is in quarantine already
 * is not given to another worker: then `packed` is empty.
 */
void analyser_run(const struct analyser *analysing, struct job *jobs);

#endif
