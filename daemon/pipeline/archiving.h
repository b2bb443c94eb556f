/*
 * daemon/pipeline/archiving.h - the answer of a job as an exchange for an
 * archive. Internal to the pipeline.
 */
#ifndef DAEMON_PIPELINE_ARCHIVING_H
#define DAEMON_PIPELINE_ARCHIVING_H

#include "daemon/pipeline/archive.h"
#include "daemon/pipeline/job.h"

/*
 * Write the answer of the job, once; no-op when there was no answer, or when
 * the archive is NULL. Sitemaps are left out: their bytes are not kept. So are
 * Authorization, Cookie and the headers of the site, unless
 * `keeps_credentials`.
 */
void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials);

#endif
