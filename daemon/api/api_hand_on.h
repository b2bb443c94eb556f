/*
 * daemon/api/api_hand_on.h - forward pages of an archive to the nodes that own
 * their sites. Each page is packed as a record; the records for a node are sent
 * as archives of a bounded size. Internal to api*.c.
 */
#ifndef DAEMON_API_API_HAND_ON_H
#define DAEMON_API_API_HAND_ON_H

#include "daemon/api/api_call.h"
#include "daemon/engine/ingest.h"

struct forward_ingest;

/*
 * Return NULL without a node group, or if the call comes from a node. Keeps
 * `options`, which also state the changes that the owners may make.
 */
struct forward_ingest *
forward_ingest_begin(struct call *call, const struct ingest_options *options);

/* For ingest_options.take. */
bool forward_ingest_add(void *context, const struct url *url,
			const struct warc_record *record,
			struct ingest_report *report);

/* Send the remaining records and count them. NULL is a no-op. */
void forward_ingest_end(struct forward_ingest *hand_on,
			struct ingest_report *report);

#endif
