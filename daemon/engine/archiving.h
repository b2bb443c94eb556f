/*
 * daemon/engine/archiving.h - write the response of a job to an archive.
 * Internal to the pipeline.
 */
#ifndef DAEMON_ENGINE_ARCHIVING_H
#define DAEMON_ENGINE_ARCHIVING_H

#include "daemon/engine/archive.h"
#include "daemon/engine/job.h"

/*
 * Write the response of the job, once; no-op if there was no response or the
 * archive is NULL. Sitemaps are not archived, because their bytes are not
 * stored. Unless `keeps_credentials`, Authorization, Cookie and the headers of
 * the site are removed.
 */
void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials);

#endif
