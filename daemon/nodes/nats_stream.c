#include <inttypes.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats.h"
#include "daemon/runtime/clock.h"

/*
 * Return a number from a response, or from the error in it; 0 if it is missing.
 */
static uint64_t nats_response_number(const json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

/*
 * Return the error for the reason why the server did not store the entry.
 * Storage errors have one code, and only the English text tells whether the
 * disk is full.
 */
static enum error error_of_code(uint64_t code, const json_t *error)
{
	const char *reason =
		json_string_value(json_object_get(error, "description"));
	const char *answer = reason == NULL ? "" : reason;

	switch (code) {
	case JSStreamWrongLastSequenceErr:
	case JSStreamWrongLastMsgIDErr:
		return ERR_BUSY;
	case JSStreamMessageExceedsMaximumErr:
		return ERR_TOO_LARGE;
	case JSAccountResourcesExceededErr:
	case JSInsufficientResourcesErr:
	case JSMemoryResourcesExceededErr:
	case JSStorageResourcesExceededErr:
		return ERR_STORE_FULL;
	case JSStreamStoreFailedErr:
		if (strstr(answer, "maximum") != NULL ||
		    strstr(answer, "space") != NULL)
			return ERR_STORE_FULL;
		break;
	default:
		break;
	}
	log_error_limited("nodes: the NATS server did not store an entry: %s",
			  answer);
	return ERR_ADDRESS_FORBIDDEN;
}

/*
 * Copy a response into the entry; return false if the entry must be published
 * again.
 */
static bool nats_entry_take_response(struct broker_entry *entry,
				     natsMsg *message)
{
	json_t *answer = nats_message_json(message);
	const json_t *error = json_object_get(answer, "error");
	const uint64_t code = nats_response_number(error, "err_code");
	bool is_final = !natsMsg_IsNoResponders(message) &&
			code != JSClusterNotAvailErr &&
			code != JSClusterNotLeaderErr;

	entry->number = nats_response_number(answer, "seq");
	entry->is_known = json_is_true(json_object_get(answer, "duplicate"));
	/*
	 * without a number, an entry with this id is in transit, and the server
	 * may still reject it
	 */
	entry->error = entry->number == 0 ? ERR_NETWORK : ERR_NONE;
	if (is_final && error != NULL)
		entry->error = error_of_code(code, error);
	json_decref(answer);
	return is_final;
}

/*
 * Copy the responses that have come into the entries; return whether some
 * entries must be published again.
 */
static bool nats_entries_take_responses(struct broker *bus,
					struct nats_exchange *exchange,
					struct broker_entry *entries)
{
	bool has_new = false;

	lock_acquire(&bus->lock);
	for (size_t i = 0; i < exchange->count; i++) {
		struct nats_reply *reply = &exchange->replies[i];

		if (reply->state == REPLY_HERE) {
			reply->state = nats_entry_take_response(&entries[i],
								reply->message)
					       ? REPLY_DONE
					       : REPLY_NEW;
			reply->error = entries[i].error;
			natsMsg_Destroy(reply->message);
			reply->message = NULL;
		}
		has_new |= reply->state == REPLY_NEW;
	}
	lock_release(&bus->lock);
	return has_new;
}

static void nats_entry_publish(struct broker *bus,
			       struct nats_exchange *exchange, size_t i,
			       const struct broker_entry *entry,
			       const char *operation)
{
	char expected[NATS_NUMBER_BYTES];
	char epoch[NATS_NUMBER_BYTES];
	struct nats_header headers[5] = {{NULL, NULL}};
	struct nats_header *header = headers;

	if (entry->id != NULL)
		*header++ = (struct nats_header){"Nats-Msg-Id", entry->id};
	if (entry->expected != BROKER_ANY) {
		/*
		 * for the option of libnats 0 means "any", but here it means
		 * "no entry"
		 */
		snprintf(expected, sizeof(expected), "%" PRIu64,
			 entry->expected);
		*header++ = (struct nats_header){
			"Nats-Expected-Last-Subject-Sequence", expected};
	}
	if (entry->epoch != 0) {
		snprintf(epoch, sizeof(epoch), "%" PRIu64, entry->epoch);
		*header++ = (struct nats_header){"Templated-Epoch", epoch};
	}
	if (operation != NULL)
		*header = (struct nats_header){NATS_OPERATION, operation};
	nats_exchange_send(bus, exchange, i, entry->data, headers);
}

enum error nats_append_as(struct broker *bus, struct broker_entry *entries,
			  size_t count, const char *operation)
{
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	struct nats_exchange exchange = {
		.replies = mem_alloc(count, sizeof(*exchange.replies)),
		.count = count};
	enum error error = ERR_NONE;

	for (size_t i = 0; i < count; i++) {
		struct nats_reply *reply = &exchange.replies[i];

		entries[i].number = 0;
		entries[i].is_known = false;
		reply->subject = entries[i].subject;
		if (entries[i].data.size > nats_max_bytes(bus))
			*reply = (struct nats_reply){.error = ERR_TOO_LARGE,
						     .state = REPLY_DONE};
	}
	nats_exchange_begin(bus, &exchange);
	/*
	 * without a connection libnats would buffer the messages and send them
	 * later
	 */
	while (nats_wait_connected(&patience)) {
		for (size_t i = 0; i < count; i++)
			nats_entry_publish(bus, &exchange, i, &entries[i],
					   operation);
		nats_exchange_wait(bus, &exchange, patience.until_ms);
		if (!nats_entries_take_responses(bus, &exchange, entries) ||
		    !nats_pause(&patience))
			break;
	}
	nats_exchange_end(bus, &exchange);
	for (size_t i = 0; i < count; i++) {
		const struct nats_reply *reply = &exchange.replies[i];

		entries[i].error =
			reply->state == REPLY_DONE ? reply->error : ERR_NETWORK;
		natsMsg_Destroy(reply->message);
		if (error == ERR_NONE)
			error = entries[i].error;
	}
	free(exchange.replies);
	/*
	 * if the entry was rejected, it is unknown whether the leader accepts
	 * entries
	 */
	if (count > 0 &&
	    (entries[0].error == ERR_NONE || entries[0].error == ERR_NETWORK))
		nats_leader_note_write(bus, entries[0].subject,
				       entries[0].error == ERR_NONE);
	return error;
}

enum error nats_append(struct broker *bus, struct broker_entry *entries,
		       size_t count)
{
	return nats_append_as(bus, entries, count, NULL);
}

/*
 * Read stored entries through the API of JetStream. Any replica sends an entry
 * as it is stored; the leader encodes it as JSON, which costs more. Replicas of
 * servers of version 2.9 that were killed may number the same entries
 * differently, so a number from one replica may be wrong for another. Where
 * that matters, read from the leader.
 */

enum {
	QUESTION_BYTES = 512,
	API_BYTES = 128,
	MAX_STEPS = 1024,
};

/*
 * Decode the base64 member `name` of the message and append it; the member may
 * be missing. Return false if it is malformed.
 */
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

	nats_entry_begin(out,
			 json_string_value(json_object_get(message, "subject")),
			 nats_response_number(message, "seq"),
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

/*
 * Read the leader's response into `out`. ERR_NOT_FOUND: there is no entry.
 * ERR_NETWORK: the leader cannot respond now.
 */
static enum error take_answer_of_leader(const char *stream, natsMsg *answer,
					struct nats_entry *out)
{
	json_t *json = nats_message_json(answer);
	const json_t *error = json_object_get(json, "error");
	const char *why =
		json_string_value(json_object_get(error, "description"));
	uint64_t code = nats_response_number(error, "err_code");
	enum error result = ERR_NETWORK;

	if (code == JSNoMessageFoundErr)
		result = ERR_NOT_FOUND;
	/* the stream has no leader now; the caller retries */
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

/*
 * Read a replica's response into `out`; its status 404 means that there is no
 * entry.
 */
static enum error take_answer_of_replica(natsMsg *answer,
					 struct nats_entry *out)
{
	const char *status = nats_message_header(answer, "Status");
	const char *number = nats_message_header(answer, "Nats-Sequence");

	if (status != NULL && strcmp(status, "404") == 0)
		return ERR_NOT_FOUND;
	if (number == NULL)
		return ERR_NETWORK;
	nats_entry_begin(out, nats_message_header(answer, "Nats-Subject"),
			 strtoull(number, NULL, 10),
			 nats_message_header(answer, "Nats-Time-Stamp"));
	buffer_append(&out->message.data, natsMsg_GetData(answer),
		      (size_t)natsMsg_GetDataLength(answer));
	out->is_removal = nats_message_header(answer, NATS_OPERATION) != NULL;
	return ERR_NONE;
}

static enum error nats_read_entry(struct broker *bus,
				  const struct nats_read_args *reading,
				  struct nats_entry *out)
{
	bool is_replicas = reading->kind == NATS_NEXT;
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	char api[API_BYTES];
	char question[QUESTION_BYTES];
	uint64_t number = reading->number == 0 ? 1 : reading->number;

	snprintf(api, sizeof(api), "$JS.API.%s.GET.%s",
		 is_replicas ? "DIRECT" : "STREAM.MSG", reading->stream);
	if (reading->kind == NATS_LAST)
		snprintf(question, sizeof(question),
			 "{\"last_by_subj\":\"%s\"}", reading->subject);
	else if (reading->kind == NATS_AT)
		snprintf(question, sizeof(question), "{\"seq\":%" PRIu64 "}",
			 number);
	else
		snprintf(question, sizeof(question),
			 "{\"seq\":%" PRIu64 ",\"next_by_subj\":\"%s\"}",
			 number, reading->subject);
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
 * Find the last entry of the subject by reading all its entries from the first
 * one on. ERR_NETWORK: there are more than MAX_STEPS.
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
	/* the read that found no entry left the last one in `out` */
	return error == ERR_NOT_FOUND && steps > 0 ? ERR_NONE : error;
}

enum error nats_read(struct broker *bus, const struct nats_read_args *reading,
		     struct nats_entry *out)
{
	enum error error = nats_read_entry(bus, reading, out);

	if (reading->kind != NATS_LAST || error != ERR_NOT_FOUND)
		return error;
	/*
	 * servers that were killed may have lost the index of last entries, so
	 * search all entries
	 */
	error = nats_read_walk(bus, reading, out);
	if (error != ERR_NONE && error != ERR_NETWORK)
		return error;
	if (nats_read_entry(bus, reading, out) == ERR_NONE)
		return ERR_NONE; /* the entry arrived meanwhile, so the
				    leader works */
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
	const struct nats_read_args reading = {NATS_NEXT, NULL, subject, from};

	return read_message(bus, stream, reading, message_out);
}

enum error nats_next_of_leader(struct broker *bus, enum broker_stream stream,
			       const char *subject, uint64_t from,
			       struct broker_message *message_out)
{
	const struct nats_read_args reading = {NATS_NEXT_OF_LEADER, NULL,
					       subject, from};

	return read_message(bus, stream, reading, message_out);
}

enum error nats_last(struct broker *bus, enum broker_stream stream,
		     const char *subject, struct broker_message *message_out)
{
	const struct nats_read_args reading = {NATS_LAST, NULL, subject, 0};

	return read_message(bus, stream, reading, message_out);
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
		json = nats_message_json(answer);
		is_done = json_is_true(json_object_get(json, "success"));
		json_decref(json);
		natsMsg_Destroy(answer);
	} while (!is_done && nats_pause(&patience));
	return is_done ? ERR_NONE : ERR_NETWORK;
}

const struct nats_stored_stream nats_streams[NATS_STREAMS] = {
	[BROKER_LOG] = {"TPL_LOG", "tpl.log.>"},
	[BROKER_EVENTS] = {"TPL_EVENTS", "tpl.evt.>"},
	[BROKER_JOBS] = {"TPL_JOBS", "tpl.job.>"},
	[BROKER_STREAMS + BROKER_NODES] = {"KV_tpl_nodes", "$KV.tpl_nodes.>"},
	[BROKER_STREAMS + BROKER_FACTS] = {"KV_tpl_facts", "$KV.tpl_facts.>"},
};

#define MS INT64_C(1000000) /* one millisecond in nanoseconds */
#define S  (1000 * MS)

enum { DUPLICATES_S = 120, JOB_DAYS = 7, DAY_S = 86400 };

/* Set the settings that a stream or bucket must have. */
static void nats_stream_set(jsStreamConfig *wanted, unsigned stream,
			    const struct broker_options *options)
{
	const int64_t ages[NATS_STREAMS] = {
		[BROKER_LOG] = options->log_age_s * S,
		[BROKER_EVENTS] = options->event_age_s * S,
		[BROKER_JOBS] = JOB_DAYS * (DAY_S * S),
		[BROKER_STREAMS + BROKER_NODES] = options->lease_ms * MS,
	};
	int64_t max_age = ages[stream];

	jsStreamConfig_Init(wanted);
	wanted->Name = nats_streams[stream].name;
	wanted->Subjects = (const char **)&nats_streams[stream].subject;
	wanted->SubjectsLen = 1;
	wanted->Retention = js_LimitsPolicy;
	wanted->Storage = js_FileStorage;
	wanted->MaxMsgsPerSubject = -1;
	wanted->Replicas = options->replicas;
	wanted->AllowDirect = true;
	wanted->MaxAge = max_age;
	wanted->Duplicates = DUPLICATES_S * S;
	if (max_age > 0 && wanted->Duplicates > max_age)
		wanted->Duplicates = max_age;
	if (stream == BROKER_LOG) { /* reject entries when the stream is
				       full, instead of deleting old ones */
		wanted->Discard = js_DiscardNew;
		wanted->MaxBytes = options->log_bytes == 0
					   ? -1
					   : (int64_t)options->log_bytes;
	} else if (stream >= BROKER_STREAMS) {
		wanted->MaxMsgsPerSubject = 1;
		wanted->Discard = js_DiscardNew;
		wanted->AllowRollup = true;
		wanted->DenyDelete = true;
	}
}

/*
 * A setting of a stream: its current value, the required value, and how to
 * change it.
 */
struct setting {
	const char *name;
	int64_t is;
	int64_t must;
	const char *mend; /* option of `nats stream edit`; NULL = the setting
			     cannot be changed, so the stream must be removed */
};

static bool has_settings(struct broker *bus, const jsStreamConfig *is,
			 const jsStreamConfig *must)
{
	const struct setting settings[] = {
		{"retention", is->Retention, must->Retention, NULL},
		{"storage", is->Storage, must->Storage, NULL},
		{"max_msgs_per_subject", is->MaxMsgsPerSubject,
		 must->MaxMsgsPerSubject, "--max-msgs-per-subject"},
		{"num_replicas", is->Replicas, must->Replicas, "--replicas"},
		{"discard (0: old, 1: new)", is->Discard, must->Discard,
		 "--discard"},
		{"allow_direct", is->AllowDirect, true,
		 "--allow-direct (needs server 2.9 or later)"},
		{"no_ack", is->NoAck, false, NULL},
		{"sealed", is->Sealed, false, NULL},
		/* the node deletes entries that are in a snapshot */
		{"deny_purge", is->DenyPurge, false, NULL},
		/* a lease must last equally long for all nodes */
		{"max_age in ns", is->MaxAge,
		 must->MaxMsgsPerSubject == 1 ? must->MaxAge : is->MaxAge,
		 "--max-age"},
	};
	bool has_all = is->SubjectsLen == 1 &&
		       strcmp(is->Subjects[0], must->Subjects[0]) == 0;

	if (!has_all)
		nats_add_reason(
			bus->why,
			"stream %s of the NATS servers: its only subject "
			"must be %s",
			must->Name, must->Subjects[0]);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const struct setting *setting = &settings[i];

		if (setting->is == setting->must)
			continue;
		has_all = false;
		nats_add_reason(
			bus->why,
			"stream %s of the NATS servers: %s is "
			"%" PRId64 ", must be %" PRId64 ": %s%s",
			must->Name, setting->name, setting->is, setting->must,
			setting->mend == NULL
				? "it cannot be changed; remove the stream"
				: "nats stream edit ",
			setting->mend == NULL ? "" : setting->mend);
	}
	return has_all;
}

static enum error nats_stream_check(struct broker *bus,
				    const jsStreamConfig *is,
				    const jsStreamConfig *must, bool is_new)
{
	if (is_new && !is->AllowDirect) {
		nats_add_reason(bus->why, "the NATS server is older than 2.9");
		return ERR_VERSION;
	}
	if (!has_settings(bus, is, must))
		return ERR_MALFORMED;
	if (is->MaxBytes != must->MaxBytes || is->MaxAge != must->MaxAge)
		nats_add_reason(bus->note,
				"stream %s of the NATS servers keeps %" PRId64
				" bytes for %" PRId64 " s, not %" PRId64
				" bytes for %" PRId64
				" s (-1, 0: no limit); to change this, run "
				"nats stream edit --max-bytes, --max-age",
				must->Name, is->MaxBytes, is->MaxAge / S,
				must->MaxBytes, must->MaxAge / S);
	return ERR_NONE;
}

#define TOO_FEW_SERVERS                                   \
	"stream %s: too few NATS servers, or not enough " \
	"space: %s"

/*
 * Return the error of a failed request about a stream. ERR_NETWORK, ERR_BUSY:
 * it may succeed later.
 */
static enum error nats_stream_error(const struct nats_deadline *patience,
				    natsStatus status, jsErrCode code,
				    const char *name)
{
	struct broker *bus = patience->bus;

	if (nats_was_rejected(patience, name)) {
		nats_add_reason(
			bus->why,
			"stream %s: the user may not read or create it; "
			"see conf/nodes",
			name);
		return ERR_ADDRESS_FORBIDDEN;
	}
	switch ((int)code) {
	case 0:
	case JSClusterNotAvailErr:
	case JSClusterNotLeaderErr:
		break;
	case JSNotEnabledErr:
	case JSNotEnabledForAccountErr:
		nats_add_reason(bus->why,
				"the NATS servers have no JetStream for this "
				"account");
		return ERR_MALFORMED;
	case JSInsufficientResourcesErr:
	case JSClusterNoPeersErr:
		/*
		 * servers that have just started report this too, until they
		 * know each other
		 */
		return ERR_BUSY;
	case JSStorageResourcesExceededErr:
	case JSStreamReplicasNotSupportedErr:
		nats_add_reason(bus->why, TOO_FEW_SERVERS, name,
				nats_GetLastError(NULL));
		return code == JSStorageResourcesExceededErr ? ERR_STORE_FULL
							     : ERR_MALFORMED;
	default:
		nats_add_reason(bus->why, "stream %s: %s", name,
				nats_GetLastError(NULL));
		return ERR_MALFORMED;
	}
	log_debug("nodes: stream %s: %s", name, natsStatus_GetText(status));
	return ERR_NETWORK;
}

/*
 * Check the settings of the stream once; create it if it is missing and
 * `creates` is set.
 */
static enum error try_stream(const struct nats_deadline *patience,
			     jsStreamConfig *wanted, bool creates)
{
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	bool is_new = false;
	natsStatus status;
	enum error error;
	jsOptions options;

	jsOptions_Init(&options);
	options.Wait = nats_try_ms(patience);
	status = js_GetStreamInfo(&info, patience->bus->js, wanted->Name,
				  &options, &code);
	if (status == NATS_NOT_FOUND || code == JSStreamNotFoundErr) {
		if (!creates) {
			nats_add_reason(patience->bus->why,
					"the NATS servers have no stream %s",
					wanted->Name);
			return ERR_NOT_FOUND;
		}
		code = 0;
		is_new = true;
		/* to create a stream with 3 replicas takes time */
		options.Wait = 5 * (int64_t)NATS_TRY_MS;
		status = js_AddStream(&info, patience->bus->js, wanted,
				      &options, &code);
	}
	error = status == NATS_OK
			? nats_stream_check(patience->bus, info->Config, wanted,
					    is_new)
			: nats_stream_error(patience, status, code,
					    wanted->Name);
	jsStreamInfo_Destroy(info);
	return error;
}

static enum error open_stream(struct broker *bus, jsStreamConfig *wanted,
			      bool creates)
{
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	enum error error;

	do
		error = nats_wait_connected(&patience)
				? try_stream(&patience, wanted, creates)
				: ERR_NETWORK;
	while ((error == ERR_NETWORK || error == ERR_BUSY) &&
	       nats_pause(&patience));
	if (error == ERR_NONE)
		bus->why[0] = '\0'; /* delete the reasons of earlier attempts */
	if (error == ERR_BUSY) {
		nats_add_reason(bus->why, TOO_FEW_SERVERS, wanted->Name,
				nats_GetLastError(NULL));
		return ERR_NETWORK;
	}
	if (error == ERR_NETWORK)
		nats_add_reason(
			bus->why,
			"stream %s: no response from JetStream within %" PRIu32
			" ms; a majority of the NATS servers must run",
			wanted->Name, bus->timeout_ms);
	return error;
}

enum error nats_streams_open(struct broker *bus,
			     const struct broker_options *options)
{
	jsStreamConfig wanted;
	enum error error = ERR_NONE;

	for (unsigned i = 0; i < NATS_STREAMS && error == ERR_NONE; i++) {
		nats_stream_set(&wanted, i, options);
		error = open_stream(bus, &wanted, options->creates);
	}
	return error;
}
