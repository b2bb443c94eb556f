/*
 * daemon/worker/archived_record.h - a record of an archive (crawl/warc/warc.h)
 * as an item of a list, from the worker that unpacks it.
 */
#ifndef DAEMON_WORKER_ARCHIVED_RECORD_H
#define DAEMON_WORKER_ARCHIVED_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "crawl/warc/warc.h"
#include "daemon/worker/task.h"
#include "store/buffer.h"
#include "store/slice.h"

/* Bodies are cut there at the latest: a record fits a message. */
enum { MAX_RECORD_BYTES = MAX_REQUEST_BYTES / 2 };

/* Append it to the list (daemon/worker/item_list.h); a body only where it is
 * one of HTML. */
void archived_record_append(struct buffer *list,
			    const struct warc_record *record);

/*
 * Fill the record from an item, into which its body points. False: the item is
 * none, or over a limit; bodies have at most `max_body_bytes`.
 */
bool archived_record_read(struct slice item, size_t max_body_bytes,
			  struct warc_record *record_out);

#endif
