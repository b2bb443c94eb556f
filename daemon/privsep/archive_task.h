/*
 * daemon/privsep/archive_task.h - encode a record of an archive
 * (crawl/warc_write.h) as a list item, to send it from the worker.
 */
#ifndef DAEMON_PRIVSEP_ARCHIVE_TASK_H
#define DAEMON_PRIVSEP_ARCHIVE_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "crawl/warc_write.h"
#include "daemon/privsep/messages.h"

/*
 * Maximum size of a body, so that a record fits into a message; longer bodies
 * are truncated.
 */
enum { MAX_RECORD_BYTES = MAX_REQUEST_BYTES / 2 };

/*
 * Append the record to the list (daemon/privsep/messages.h); only HTML records
 * keep their body.
 */
void archived_record_append(struct buffer *list,
			    const struct warc_record *record);

/*
 * Decode the record from an item; its body points into the item. Return false
 * if the item is invalid or exceeds a limit; a body has at most
 * `max_body_bytes`.
 */
bool archived_record_read(struct slice item, size_t max_body_bytes,
			  struct warc_record *record_out);

#endif
