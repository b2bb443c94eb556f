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
 * Maximum size of a body in a record; longer bodies are truncated so that a
 * record fits into a message.
 */
enum { MAX_RECORD_BYTES = MAX_REQUEST_BYTES / 2 };

/*
 * Append the record to the list (daemon/privsep/messages.h). Omit the body
 * unless it is HTML.
 */
void archived_record_append(struct buffer *list,
			    const struct warc_record *record);

/*
 * Decode a record from an item of the list; the body points into the item.
 * Return false if the item is invalid or exceeds a limit; `max_body_bytes` is
 * the limit of the body.
 */
bool archived_record_read(struct slice item, size_t max_body_bytes,
			  struct warc_record *record_out);

#endif
