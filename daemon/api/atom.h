/*
 * daemon/api/atom.h - alerts of a site as an Atom feed (RFC 4287): titles are
 * summaries, contents the evidence as HTML.
 */
#ifndef DAEMON_API_ATOM_H
#define DAEMON_API_ATOM_H

#include <jansson.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

struct atom_site {
	struct slice host;
	struct slice seed;   /* URL of the site */
	uint64_t updated_ms; /* time of the newest entry, or of the site */
};

void atom_begin(const struct atom_site *site, struct buffer *out);

/*
 * Append an entry. `event` has the form of daemon/query/event_json.h and
 * happened at `time_ms`. At most 100 items of each list of its evidence are
 * written.
 */
void atom_entry(const struct atom_site *site, const json_t *event,
		uint64_t time_ms, struct buffer *out);
void atom_end(struct buffer *out);

#endif
