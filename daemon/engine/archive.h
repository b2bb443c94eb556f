/*
 * daemon/engine/archive.h - archive fetched pages as WARC 1.1 files
 * templated-YYYYMMDDhhmmss-NNNNN.warc.gz in a folder. The name of an unfinished
 * file ends in ".open" until the file is complete. Archiving never stops the
 * crawl: an error is logged, and nothing is archived until the folder can be
 * written again.
 */
#ifndef DAEMON_ENGINE_ARCHIVE_H
#define DAEMON_ENGINE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/warc_write.h"

struct archive;

/*
 * Open an archive in `folder`, which is created if missing, with files of about
 * `max_bytes`. `software` (not copied) and `robots` (not copied; "classic" or
 * "ignore") are written to each file. Unfinished files of a killed daemon are
 * truncated after their last complete record and completed. ERR_IO, with the
 * reason logged.
 */
enum error archive_open(struct archive **out, const char *folder,
			uint64_t max_bytes, const char *software,
			const char *robots);

/*
 * Write an exchange; its identity comes from warc_visit_identity(). Any thread.
 * Return false if it was not written. NULL is a no-op.
 */
bool archive_write(struct archive *archive,
		   const struct warc_exchange *exchange);

/* Complete the file. NULL is a no-op. */
void archive_close(struct archive *archive);

#endif
