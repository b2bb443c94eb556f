/*
 * daemon/nodes/import_jobs.h - how the broker stores a job with secrets, such
 * as a site with headers: a mark, then the encrypted job
 * (daemon/nodes/encryption_keys.h). Other jobs are plain JSON.
 */
#ifndef DAEMON_NODES_IMPORT_JOBS_H
#define DAEMON_NODES_IMPORT_JOBS_H

#include "base/buffer.h"
#include "daemon/nodes/encryption_keys.h"

/* Append the job, encrypted for this subject. `keys` is not NULL. */
void import_job_encrypt(const struct encryption_keys *keys, const char *subject,
			struct slice job, struct buffer *out);

/*
 * Append the decrypted job. ERR_NO_ENCRYPTION_KEY; ERR_CORRUPT: it was changed,
 * or belongs to another subject.
 */
enum error import_job_decrypt(const struct encryption_keys *keys,
			      const char *subject, struct slice bytes,
			      struct buffer *out);

#endif
