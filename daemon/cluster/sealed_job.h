/*
 * daemon/cluster/sealed_job.h - a job that has secrets, such as a site with
 * headers, as it stands in the broker: sealed (daemon/cluster/secret_keys.h),
 * behind a mark. Other jobs are JSON as it is.
 */
#ifndef DAEMON_CLUSTER_SEALED_JOB_H
#define DAEMON_CLUSTER_SEALED_JOB_H

#include "daemon/cluster/secret_keys.h"
#include "store/buffer.h"
#include "store/slice.h"

/* Append the job, sealed for this subject. There are keys. */
void sealed_job_write(const struct secret_keys *keys, const char *subject,
		      struct slice job, struct buffer *out);

/* Append a job as it was given. ERR_NO_KEY; ERR_CORRUPT: it was changed, or is
 * of another subject. */
enum error sealed_job_read(const struct secret_keys *keys, const char *subject,
			   struct slice bytes, struct buffer *out);

#endif
