/*
 * Make defective leaders step down. A server of version 2.9.10 that became the
 * leader of a stream while others were killed ("has high message lag") answered
 * reads but acknowledged no writes, for 13 minutes, until it was killed too. So
 * if a stream has the same leader for the whole time in which writes were not
 * acknowledged, this leader must step down. Another leader had all entries but
 * no last entry of any subject: it must step down too when a writer expects a
 * last entry.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "daemon/nodes/nats_bus.h"
#include "daemon/runtime/clock.h"

enum {
	LEAST_MS = 5000, /* an election takes 2 to 5 s */
	LOST_MS =
		30000, /* minimum time between two of nats_leader_step_down() */
	API_BYTES = 128,
};

/* "tpl.log.*" matches "tpl.log.17". */
static bool has_subject(const struct nats_stored_stream *kept,
			const char *subject)
{
	return strncmp(kept->subject, subject, strlen(kept->subject) - 1) == 0;
}

static struct nats_leader_watch *
mute_of(struct broker *bus, const char *subject, const char **stream_out)
{
	for (unsigned i = 0; i < BROKER_STREAMS + BROKER_BUCKETS; i++) {
		const struct nats_stored_stream *kept =
			i < BROKER_STREAMS ? &nats_streams[i]
					   : &nats_buckets[i - BROKER_STREAMS];

		*stream_out = kept->name;
		if (has_subject(kept, subject))
			return &bus->mutes[i];
	}
	return NULL;
}

/* Read the leader's name; "" if there is none or no response. */
static void find_leader(struct broker *bus, const char *stream,
			char out[NATS_NAME_BYTES])
{
	struct nats_deadline patience = nats_deadline_of(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;
	const char *leader = NULL;
	json_t *json;

	out[0] = '\0';
	snprintf(api, sizeof(api), "$JS.API.STREAM.INFO.%s", stream);
	if (nats_api_request(&patience, api, "", &answer) != ERR_NONE)
		return;
	json = json_loadb(natsMsg_GetData(answer),
			  (size_t)natsMsg_GetDataLength(answer), 0, NULL);
	leader = json_string_value(
		json_object_get(json_object_get(json, "cluster"), "leader"));
	snprintf(out, NATS_NAME_BYTES, "%s", leader == NULL ? "" : leader);
	json_decref(json);
	natsMsg_Destroy(answer);
}

static void step_down(struct broker *bus, const char *stream)
{
	struct nats_deadline patience = nats_deadline_of(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;

	snprintf(api, sizeof(api), "$JS.API.STREAM.LEADER.STEPDOWN.%s", stream);
	nats_api_request(&patience, api, "", &answer);
	natsMsg_Destroy(answer);
}

void nats_leader_note_write(struct broker *bus, const char *subject,
			    bool is_acknowledged)
{
	const char *stream;
	struct nats_leader_watch *mute = mute_of(bus, subject, &stream);
	char leader[NATS_NAME_BYTES];
	uint64_t now_ms = clock_steady_ms();
	/* half of the time after which a node tries another server */
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
	log_warn_limited("nodes: stream %s: its leader %s acknowledges no "
			 "writes; requesting another leader",
			 stream, leader);
	step_down(bus, stream);
}

void nats_leader_step_down(struct broker *bus, const char *stream)
{
	uint64_t now_ms = clock_steady_ms();
	bool is_told;

	/*
	 * leases are written with any revision and read one by one: an election
	 * would cost some seconds, and the new leader may have the same fault
	 */
	if (strcmp(stream, nats_buckets[BROKER_NODES].name) == 0)
		return;
	lock_acquire(&bus->lock);
	is_told = bus->lost_ms != 0 && now_ms < bus->lost_ms + LOST_MS;
	if (!is_told)
		bus->lost_ms = now_ms;
	lock_release(&bus->lock);
	if (is_told)
		return;
	log_warn_limited("nodes: stream %s: its leader does not find stored "
			 "entries; requesting another leader",
			 stream);
	step_down(bus, stream);
}
