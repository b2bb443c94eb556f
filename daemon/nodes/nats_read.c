/*
 * Read stored entries by the API of JetStream. Any replica sends an entry as it
 * is; the leader encodes it as JSON, which costs more. Replicas of servers of
 * version 2.9 that were killed may number the same entries differently, so that
 * a number from one replica is not valid on another: where that matters, read
 * from the leader.
 */
#include <inttypes.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "daemon/nodes/nats_bus.h"

enum {
	QUESTION_BYTES = 512,
	API_BYTES = 128,
	MAX_STEPS = 1024,
};

/* Headers of a replica's response. */
#define STATUS   "Status"
#define SUBJECT  "Nats-Subject"
#define SEQUENCE "Nats-Sequence"
#define TIME     "Nats-Time-Stamp"

/* Append a base64 member, which may be missing. */
static bool nats_decode_base64(const json_t *message, const char *name,
			       struct buffer *out)
{
	const json_t *value = json_object_get(message, name);
	struct base64_decode_ctx base64;
	size_t size = BASE64_DECODE_LENGTH(json_string_length(value));
	char *bytes = buffer_reserve(out, size + 1);

	base64_decode_init(&base64);
	if (value != NULL &&
	    (base64_decode_update(&base64, &size, (uint8_t *)bytes,
				  json_string_length(value),
				  json_string_value(value)) != 1 ||
	     base64_decode_final(&base64) != 1))
		return false;
	out->size += value == NULL ? 0 : size;
	return true;
}

static void nats_entry_begin(struct nats_entry *out, const char *subject,
			     uint64_t number, const char *time)
{
	buffer_clear(&out->message.subject);
	buffer_clear(&out->message.data);
	buffer_append_text(&out->message.subject,
			   subject == NULL ? "" : subject);
	out->message.number = number;
	out->message.time_ms = time == NULL ? 0 : date_parse(slice_of(time));
}

static bool take_json(const json_t *message, struct nats_entry *out)
{
	struct buffer headers = {0};
	bool is_read;

	nats_entry_begin(
		out, json_string_value(json_object_get(message, "subject")),
		(uint64_t)json_integer_value(json_object_get(message, "seq")),
		json_string_value(json_object_get(message, "time")));
	is_read = out->message.number != 0 &&
		  nats_decode_base64(message, "hdrs", &headers) &&
		  nats_decode_base64(message, "data", &out->message.data);
	out->is_removal = headers.size > 0 &&
			  memmem(headers.data, headers.size, NATS_OPERATION ":",
				 strlen(NATS_OPERATION ":")) != NULL;
	buffer_free(&headers);
	return is_read;
}

/* Read the leader's response. ERR_NETWORK: it cannot respond now. */
static enum error take_answer_of_leader(const char *stream, natsMsg *answer,
					struct nats_entry *out)
{
	json_t *json =
		json_loadb(natsMsg_GetData(answer),
			   (size_t)natsMsg_GetDataLength(answer), 0, NULL);
	const json_t *error = json_object_get(json, "error");
	const char *why =
		json_string_value(json_object_get(error, "description"));
	json_int_t code =
		json_integer_value(json_object_get(error, "err_code"));
	enum error result = ERR_NETWORK;

	if (code == JSNoMessageFoundErr)
		result = ERR_NOT_FOUND;
	/* without a leader the caller retries */
	else if (code == JSClusterNotAvailErr)
		log_debug("nodes: stream %s: %s", stream,
			  why == NULL ? "" : why);
	else if (error != NULL)
		log_warn_limited("nodes: stream %s: %s", stream,
				 why == NULL ? "" : why);
	else if (take_json(json_object_get(json, "message"), out))
		result = ERR_NONE;
	json_decref(json);
	return result;
}

static const char *nats_message_header(natsMsg *message, const char *name)
{
	const char *value = NULL;

	return natsMsgHeader_Get(message, name, &value) == NATS_OK ? value
								   : NULL;
}

/* Read a replica's response; status 404 = no entry. */
static enum error take_answer_of_replica(natsMsg *answer,
					 struct nats_entry *out)
{
	const char *status = nats_message_header(answer, STATUS);
	const char *number = nats_message_header(answer, SEQUENCE);

	if (status != NULL && strcmp(status, "404") == 0)
		return ERR_NOT_FOUND;
	if (number == NULL)
		return ERR_NETWORK;
	nats_entry_begin(out, nats_message_header(answer, SUBJECT),
			 strtoull(number, NULL, 10),
			 nats_message_header(answer, TIME));
	buffer_append(&out->message.data, natsMsg_GetData(answer),
		      (size_t)natsMsg_GetDataLength(answer));
	out->is_removal = nats_message_header(answer, NATS_OPERATION) != NULL;
	return ERR_NONE;
}

static void nats_read_write_request(const struct nats_read_args *reading,
				    char out[QUESTION_BYTES])
{
	uint64_t number = reading->number == 0 ? 1 : reading->number;

	switch (reading->kind) {
	case NATS_NEXT:
	case NATS_NEXT_OF_LEADER:
		snprintf(out, QUESTION_BYTES,
			 "{\"seq\":%" PRIu64 ",\"next_by_subj\":\"%s\"}",
			 number, reading->subject);
		break;
	case NATS_LAST:
		snprintf(out, QUESTION_BYTES, "{\"last_by_subj\":\"%s\"}",
			 reading->subject);
		break;
	case NATS_AT:
		snprintf(out, QUESTION_BYTES, "{\"seq\":%" PRIu64 "}", number);
		break;
	}
}

static enum error nats_read_entry(struct broker *bus,
				  const struct nats_read_args *reading,
				  struct nats_entry *out)
{
	bool is_replicas = reading->kind == NATS_NEXT;
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	char api[API_BYTES];
	char question[QUESTION_BYTES];

	snprintf(api, sizeof(api), "$JS.API.%s.GET.%s",
		 is_replicas ? "DIRECT" : "STREAM.MSG", reading->stream);
	nats_read_write_request(reading, question);
	for (;;) {
		natsMsg *answer;
		enum error error =
			nats_api_request(&patience, api, question, &answer);

		if (error != ERR_NONE)
			return error;
		error = is_replicas ? take_answer_of_replica(answer, out)
				    : take_answer_of_leader(reading->stream,
							    answer, out);
		natsMsg_Destroy(answer);
		if (error != ERR_NETWORK)
			return error;
		if (!nats_pause(&patience))
			return ERR_NETWORK;
	}
}

/*
 * Read from the first entry to the last one. ERR_NETWORK: there are too many.
 */
static enum error nats_read_walk(struct broker *bus,
				 const struct nats_read_args *reading,
				 struct nats_entry *out)
{
	struct nats_read_args next = *reading;
	enum error error;
	unsigned steps = 0;

	next.kind = NATS_NEXT_OF_LEADER;
	error = nats_read_entry(bus, &next, out);
	while (error == ERR_NONE && steps++ < MAX_STEPS) {
		next.number = out->message.number + 1;
		error = nats_read_entry(bus, &next, out);
	}
	if (error == ERR_NONE)
		return ERR_NETWORK;
	/* a missing entry leaves `out` unchanged */
	return error == ERR_NOT_FOUND && steps > 0 ? ERR_NONE : error;
}

enum error nats_read(struct broker *bus, const struct nats_read_args *reading,
		     struct nats_entry *out)
{
	enum error error = nats_read_entry(bus, reading, out);

	if (reading->kind != NATS_LAST || error != ERR_NOT_FOUND)
		return error;
	/* servers that were killed may have lost the index of last entries */
	error = nats_read_walk(bus, reading, out);
	if (error != ERR_NONE && error != ERR_NETWORK)
		return error;
	if (nats_read_entry(bus, reading, out) == ERR_NONE)
		return ERR_NONE; /* it arrived meanwhile */
	nats_leader_step_down(bus, reading->stream);
	return error;
}

static enum error read_message(struct broker *bus, enum broker_stream stream,
			       struct nats_read_args reading,
			       struct broker_message *message)
{
	struct nats_entry entry = {.message = *message};
	enum error error;

	reading.stream = nats_streams[stream].name;
	error = nats_read(bus, &reading, &entry);
	*message = entry.message;
	return error;
}

enum error nats_next(struct broker *bus, enum broker_stream stream,
		     const char *subject, uint64_t from,
		     struct broker_message *message_out)
{
	return read_message(bus, stream,
			    (struct nats_read_args){.kind = NATS_NEXT,
						    .subject = subject,
						    .number = from},
			    message_out);
}

enum error nats_next_of_leader(struct broker *bus, enum broker_stream stream,
			       const char *subject, uint64_t from,
			       struct broker_message *message_out)
{
	return read_message(bus, stream,
			    (struct nats_read_args){.kind = NATS_NEXT_OF_LEADER,
						    .subject = subject,
						    .number = from},
			    message_out);
}

enum error nats_last(struct broker *bus, enum broker_stream stream,
		     const char *subject, struct broker_message *message_out)
{
	return read_message(
		bus, stream,
		(struct nats_read_args){.kind = NATS_LAST, .subject = subject},
		message_out);
}

enum error nats_purge(struct broker *bus, enum broker_stream stream,
		      const char *subject, uint64_t before)
{
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	char api[API_BYTES];
	char question[QUESTION_BYTES];
	bool is_done = false;

	snprintf(api, sizeof(api), "$JS.API.STREAM.PURGE.%s",
		 nats_streams[stream].name);
	snprintf(question, sizeof(question),
		 "{\"filter\":\"%s\",\"seq\":%" PRIu64 "}", subject, before);
	do {
		natsMsg *answer;
		enum error error =
			nats_api_request(&patience, api, question, &answer);
		json_t *json;

		if (error != ERR_NONE)
			return error;
		json = json_loadb(natsMsg_GetData(answer),
				  (size_t)natsMsg_GetDataLength(answer), 0,
				  NULL);
		is_done = json_is_true(json_object_get(json, "success"));
		json_decref(json);
		natsMsg_Destroy(answer);
	} while (!is_done && nats_pause(&patience));
	return is_done ? ERR_NONE : ERR_NETWORK;
}
