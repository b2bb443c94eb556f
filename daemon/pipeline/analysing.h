/* daemon/pipeline/analysing.h - the analysis of a job's page, by a worker.
 * Internal to the pipeline. */
#ifndef DAEMON_PIPELINE_ANALYSING_H
#define DAEMON_PIPELINE_ANALYSING_H

#include "daemon/pipeline/job.h"
#include "daemon/pool/pool.h"
#include "daemon/worker/requests.h"
#include "page/page.h"
#include "store/store.h"

struct analysing {
	struct store *store; /* of the guards */
	struct pool *pool;
	struct page_limits limits;
	struct guard_limits guard_limits;
	struct slice drop_parameters;
};

/*
 * Have the bodies of a list of at most GATHER_JOBS jobs parsed, once, and all
 * read from them that the commit wants: record, guarded and packed of a job.
 * `error` of a job: those of page_parse() and pool_run(). ERR_POISONED: no
 * worker survives it; `reason` of the job says how, `packed` is the body. Bytes
 * that did so before are not given to another one: `packed` is empty then.
 */
void analysing_run(const struct analysing *analysing, struct job *jobs);

#endif
