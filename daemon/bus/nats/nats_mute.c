/*
 * Leaders that are none. A server of 2.9.10 that had become the leader of a
 * stream while others were killed ("has high message lag") answered what was
 * asked and acknowledged nothing that was written, for 13 minutes, until it was
 * killed, too. When a stream has had the same leader for as long as what was
 * written to it was not acknowledged, that one is told to step down. Another
 * one had no last entry of any subject, and all entries: that one, too, where
 * writers expect a last entry.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "daemon/bus/nats/nats_bus.h"
#include "daemon/runtime/clock.h"
#include "store/log.h"

enum {
	LEAST_MS = 5000, /* an election takes 2 to 5 s */
	LOST_MS = 30000, /* between two that do not find what they have */
	API_BYTES = 128,
};

/* "tpl.log.*" has "tpl.log.17". */
static bool has_subject(const struct kept *kept, const char *subject)
{
	return strncmp(kept->subject, subject, strlen(kept->subject) - 1) == 0;
}

static struct mute *mute_of(struct bus *bus, const char *subject,
			    const char **stream_out)
{
	for (unsigned i = 0; i < BUS_STREAMS + BUS_BUCKETS; i++) {
		const struct kept *kept =
			i < BUS_STREAMS ? &nats_streams[i]
					: &nats_buckets[i - BUS_STREAMS];

		*stream_out = kept->name;
		if (has_subject(kept, subject))
			return &bus->mutes[i];
	}
	return NULL;
}

/* "": there is none, or nobody says. */
static void find_leader(struct bus *bus, const char *stream,
			char out[NATS_NAME_BYTES])
{
	struct patience patience = nats_patience(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;
	const char *leader = NULL;
	json_t *json;

	out[0] = '\0';
	snprintf(api, sizeof(api), "$JS.API.STREAM.INFO.%s", stream);
	if (nats_request(&patience, api, "", &answer) != ERR_NONE)
		return;
	json = json_loadb(natsMsg_GetData(answer),
			  (size_t)natsMsg_GetDataLength(answer), 0, NULL);
	leader = json_string_value(
		json_object_get(json_object_get(json, "cluster"), "leader"));
	snprintf(out, NATS_NAME_BYTES, "%s", leader == NULL ? "" : leader);
	json_decref(json);
	natsMsg_Destroy(answer);
}

static void step_down(struct bus *bus, const char *stream)
{
	struct patience patience = nats_patience(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;

	snprintf(api, sizeof(api), "$JS.API.STREAM.LEADER.STEPDOWN.%s", stream);
	nats_request(&patience, api, "", &answer);
	natsMsg_Destroy(answer);
}

void nats_heard(struct bus *bus, const char *subject, bool is_acknowledged)
{
	const char *stream;
	struct mute *mute = mute_of(bus, subject, &stream);
	char leader[NATS_NAME_BYTES];
	uint64_t now_ms = clock_steady_ms();
	/* half of what a node waits for before it takes the server for deaf */
	uint64_t pause_ms = bus->lease_ms > LEAST_MS ? bus->lease_ms : LEAST_MS;
	bool is_mute = false;
	bool looks;

	if (mute == NULL)
		return;
	lock_acquire(&bus->lock);
	if (is_acknowledged)
		mute->since_ms = 0;
	looks = !is_acknowledged && bus->is_connected &&
		(mute->since_ms == 0 || now_ms >= mute->since_ms + pause_ms);
	lock_release(&bus->lock);
	if (!looks)
		return;
	find_leader(bus, stream, leader);
	lock_acquire(&bus->lock);
	is_mute = mute->since_ms != 0 && *leader != '\0' &&
		  strcmp(leader, mute->leader) == 0;
	mute->since_ms = now_ms;
	memcpy(mute->leader, leader, sizeof(leader));
	lock_release(&bus->lock);
	if (!is_mute)
		return;
	log_warn_limited(
		"cluster: stream %s: server %s leads it and acknowledges "
		"nothing: it is told to step down",
		stream, leader);
	step_down(bus, stream);
}

void nats_is_lost(struct bus *bus, const char *stream)
{
	uint64_t now_ms = clock_steady_ms();
	bool is_told;

	/* leases are written whatever there was, and read one by one: another
	 * leader, which may not find them either, would cost some seconds */
	if (strcmp(stream, nats_buckets[BUS_NODES].name) == 0)
		return;
	lock_acquire(&bus->lock);
	is_told = bus->lost_ms != 0 && now_ms < bus->lost_ms + LOST_MS;
	if (!is_told)
		bus->lost_ms = now_ms;
	lock_release(&bus->lock);
	if (is_told)
		return;
	log_warn_limited(
		"cluster: stream %s: the server that leads it does not find "
		"what it has: it is told to step down",
		stream);
	step_down(bus, stream);
}
