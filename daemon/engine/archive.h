/*
 * daemon/engine/archive.h - archive fetched pages as WARC 1.1 files
 * templated-YYYYMMDDhhmmss-NNNNN.warc.gz in a folder. The name of an unfinished
 * file ends in ".open" until the file is complete. Archiving never stops the
 * crawl: after a write error, which is logged, it pauses until the folder can
 * be written again.
 */
#ifndef DAEMON_ENGINE_ARCHIVE_H
#define DAEMON_ENGINE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/fetch.h"
#include "crawl/url/url.h"
#include "crawl/warc_write.h"

struct archive;

/*
 * Check that the folder is writable, and create it if it is missing. ERR_IO:
 * the reason was logged.
 */
enum error archive_check(const char *folder);

/*
 * Open an archive in `folder`, and create the folder if it is missing. A new
 * file is started when the current one has about `max_bytes`. Each file names
 * `software` (not copied) and `robots` ("classic" or "ignore"; not copied).
 * Files that a killed daemon left unfinished are truncated after their last
 * complete record and completed. ERR_IO: the reason was logged.
 */
enum error archive_open(struct archive **out, const char *folder,
			uint64_t max_bytes, const char *software,
			const char *robots);

/*
 * Write an exchange, whose identity the archive gets from
 * warc_visit_identity(). Any thread may call this. Return false if the exchange
 * was not written. If `archive` is NULL, do nothing.
 */
bool archive_write(struct archive *archive,
		   const struct warc_exchange *exchange);

/* A URL that was fetched. */
struct archived_fetch {
	const struct url *url;
	const struct fetch_result *result;
	const char *own_headers; /* of the site: credentials; or NULL */
	bool keeps_credentials;  /* write the headers with credentials, too */
};

/*
 * Write a response with its request. Return the Unix time of the request in
 * milliseconds, or 0 if it was not written. Any thread. `archive` may be NULL.
 */
uint64_t archive_fetch(struct archive *archive,
		       const struct archived_fetch *fetch);

/*
 * Complete the open file and free the archive. If `archive` is NULL, do
 * nothing.
 */
void archive_close(struct archive *archive);

#endif
