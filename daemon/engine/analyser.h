/*
 * daemon/engine/analyser.h - analyse a job's page in a worker. Internal to
 * the pipeline.
 */
#ifndef DAEMON_ENGINE_ANALYSER_H
#define DAEMON_ENGINE_ANALYSER_H

#include "base/buffer.h"
#include "daemon/engine/archive.h"
#include "daemon/engine/pipeline.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
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

/* Write the response of a job to an archive. */

/*
 * Write the response of the job, once; no-op if there was no response or the
 * archive is NULL. Sitemaps are not archived, because their bytes are not
 * stored. Unless `keeps_credentials`, Authorization, Cookie and the headers of
 * the site are removed.
 */
void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials);

/*
 * Read the guards of a site for a worker that evaluates them on a page; see
 * daemon/privsep/analyse_task.h for the result.
 */

/*
 * Append the guards of the site `host` that are not suspended, each with its
 * last good result on the page of `url`: a list of struct wanted_guard
 * (daemon/privsep/messages.h).
 */
void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list);

#endif
