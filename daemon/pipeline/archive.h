/*
 * daemon/pipeline/archive.h - archiving of what was fetched, as WARC 1.1 files
 * templated-YYYYMMDDhhmmss-NNNNN.warc.gz in a folder. A file that is written to
 * has ".open" behind its name, and loses it when it is complete. Archiving
 * never stops the crawl: an error is logged, and nothing is written until the
 * folder can be written to again.
 */
#ifndef DAEMON_PIPELINE_ARCHIVE_H
#define DAEMON_PIPELINE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/warc/warc_write.h"
#include "store/error.h"

struct archive;

/*
 * Write to `folder`, which is made when it is missing; files of about
 * `max_bytes`. `software` (kept) and `robots` (kept; "classic" or "ignore") go
 * into each. Files that a killed daemon has left open are cut behind their last
 * whole record and completed. ERR_IO, with the reason logged.
 */
enum error archive_open(struct archive **out, const char *folder,
			uint64_t max_bytes, const char *software,
			const char *robots);

/*
 * Write an exchange; its identity is that of warc_visit_identity(). Any thread.
 * False: it was not written. NULL is a no-op.
 */
bool archive_write(struct archive *archive,
		   const struct warc_exchange *exchange);

/* Complete the file. NULL is a no-op. */
void archive_close(struct archive *archive);

#endif
