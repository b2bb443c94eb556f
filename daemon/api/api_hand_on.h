/*
 * daemon/api/api_hand_on.h - pages of an archive that are of other nodes'
 * sites: each is packed as a record of its own and handed on to its owner with
 * others, as archives of a bounded size. Internal to api*.c.
 */
#ifndef DAEMON_API_API_HAND_ON_H
#define DAEMON_API_API_HAND_ON_H

#include "daemon/api/api_call.h"
#include "daemon/pipeline/ingest.h"

struct hand_on;

/* For a call of a cluster that does not come from a node; else NULL. Keeps the
 * options, which say also what the owners may change. */
struct hand_on *hand_on_begin(struct call *call,
			      const struct ingest_options *options);

/* For ingest_options.take. */
bool hand_on_take(void *context, const struct url *url,
		  const struct warc_record *record,
		  struct ingest_report *report);

/* Hand on what is left, and count it. NULL is a no-op. */
void hand_on_end(struct hand_on *hand_on, struct ingest_report *report);

#endif
