/*
 * daemon/nodes/sealed_job.h - how the broker stores a job with secrets, such
 * as a site with headers: a mark, then the encrypted job
 * (daemon/nodes/secret_keys.h). Other jobs are plain JSON.
 */
#ifndef DAEMON_NODES_SEALED_JOB_H
#define DAEMON_NODES_SEALED_JOB_H

#include "base/buffer.h"
#include "base/slice.h"
#include "daemon/nodes/secret_keys.h"

/* Append the job, encrypted for this subject. `keys` is not NULL. */
void sealed_job_write(const struct secret_keys *keys, const char *subject,
		      struct slice job, struct buffer *out);

/*
 * Append the decrypted job. ERR_NO_KEY; ERR_CORRUPT: it was changed, or belongs
 * to another subject.
 */
enum error sealed_job_read(const struct secret_keys *keys, const char *subject,
			   struct slice bytes, struct buffer *out);

#endif
