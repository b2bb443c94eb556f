#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats_bus.h"
#include "daemon/runtime/clock.h"

/*
 * The reply subject of an entry ends in a number: the token of the batch's
 * first entry plus the entry's index.
 */

enum { NUMBER_BYTES = 24 };

enum entry_state {
	ENTRY_NEW,  /* to be published; or again, because no server got it */
	ENTRY_SENT, /* waiting for the response */
	ENTRY_ANSWERED, /* entry.error is set */
};

struct nats_batch {
	struct broker_entry *entries;
	enum entry_state *states; /* [count] */
	size_t count;
	size_t sent; /* number of entries in ENTRY_SENT */
	uint64_t token;
	const char *operation;
	struct nats_batch *next;
};

/* Return a number of a response or of its error; 0 if it is missing. */
static uint64_t nats_response_number(const json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

/*
 * Return why the server did not store the entry. For storage errors only its
 * English text has the reason.
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

static void set_state(struct nats_batch *batch, size_t i,
		      enum entry_state state)
{
	batch->sent -= batch->states[i] == ENTRY_SENT;
	batch->sent += state == ENTRY_SENT;
	batch->states[i] = state;
}

static void nats_batch_set_result(struct nats_batch *batch, size_t i,
				  enum error error)
{
	batch->entries[i].error = error;
	set_state(batch, i, ENTRY_ANSWERED);
}

static void nats_batch_handle_response(struct nats_batch *batch, size_t i,
				       natsMsg *message)
{
	struct broker_entry *entry = &batch->entries[i];
	const char *data = natsMsg_GetData(message);
	json_t *answer =
		json_loadb(data == NULL ? "" : data,
			   (size_t)natsMsg_GetDataLength(message), 0, NULL);
	const json_t *error = json_object_get(answer, "error");
	const uint64_t code = nats_response_number(error, "err_code");

	entry->number = nats_response_number(answer, "seq");
	entry->is_known = json_is_true(json_object_get(answer, "duplicate"));
	if (natsMsg_IsNoResponders(message) || code == JSClusterNotAvailErr ||
	    code == JSClusterNotLeaderErr)
		set_state(batch, i, ENTRY_NEW);
	else if (error != NULL)
		nats_batch_set_result(batch, i, error_of_code(code, error));
	else
		/*
		 * no number: an entry with this id is in transit and may still
		 * be rejected
		 */
		nats_batch_set_result(
			batch, i, entry->number == 0 ? ERR_NETWORK : ERR_NONE);
	json_decref(answer);
}

static void on_answer(natsConnection *connection,
		      natsSubscription *subscription, natsMsg *message,
		      void *closure)
{
	struct broker *bus = closure;
	const char *name = natsMsg_GetSubject(message) + strlen(bus->inbox);
	uint64_t token = strtoull(name, NULL, 10);

	(void)connection;
	(void)subscription;
	if (nats_request_handle_response(bus, name, message))
		return;
	lock_acquire(&bus->lock);
	for (struct nats_batch *batch = bus->batches; batch != NULL;
	     batch = batch->next) {
		uint64_t i = token - batch->token;

		if (i >= batch->count || batch->states[i] != ENTRY_SENT)
			continue;
		nats_batch_handle_response(batch, i, message);
		if (batch->sent == 0)
			condition_broadcast(&bus->answered);
	}
	lock_release(&bus->lock);
	natsMsg_Destroy(message);
}

natsStatus nats_inbox_open(struct broker *bus)
{
	char subject[NATS_INBOX_BYTES + 2];
	natsInbox *inbox = NULL;
	natsStatus status = natsInbox_Create(&inbox);

	if (status != NATS_OK)
		return status;
	/* take the unique "xyz" of "_INBOX.xyz" */
	snprintf(bus->inbox, sizeof(bus->inbox), "%s.log%s.", bus->prefix,
		 strrchr(inbox, '.'));
	snprintf(subject, sizeof(subject), "%s*", bus->inbox);
	natsInbox_Destroy(inbox);
	status = natsConnection_Subscribe(&bus->inbox_subscription,
					  bus->connection, subject, on_answer,
					  bus);
	if (status != NATS_OK)
		return status;
	nats_subscription_added(bus, bus->inbox_subscription);
	return natsSubscription_SetPendingLimits(bus->inbox_subscription, -1,
						 -1);
}

void nats_batches_fail(struct broker *bus)
{
	for (struct nats_batch *batch = bus->batches; batch != NULL;
	     batch = batch->next)
		for (size_t i = 0; i < batch->count; i++)
			if (batch->states[i] == ENTRY_SENT)
				nats_batch_set_result(batch, i, ERR_NETWORK);
	condition_broadcast(&bus->answered);
}

void nats_batches_reject(struct broker *bus, const char *subject)
{
	for (struct nats_batch *batch = bus->batches; batch != NULL;
	     batch = batch->next)
		for (size_t i = 0; i < batch->count; i++)
			if (batch->states[i] == ENTRY_SENT &&
			    strcmp(batch->entries[i].subject, subject) == 0)
				nats_batch_set_result(batch, i,
						      ERR_ADDRESS_FORBIDDEN);
	condition_broadcast(&bus->answered);
}

static natsStatus nats_entry_set_headers(natsMsg *message,
					 const struct broker_entry *entry,
					 const char *operation)
{
	natsStatus status = NATS_OK;
	char number[NUMBER_BYTES];

	if (entry->id != NULL)
		status = natsMsgHeader_Set(message, "Nats-Msg-Id", entry->id);
	if (status == NATS_OK && entry->expected != BROKER_ANY) {
		/* libnats's own option treats 0 as "any" */
		snprintf(number, sizeof(number), "%" PRIu64, entry->expected);
		status = natsMsgHeader_Set(
			message, "Nats-Expected-Last-Subject-Sequence", number);
	}
	if (status == NATS_OK && entry->epoch != 0) {
		snprintf(number, sizeof(number), "%" PRIu64, entry->epoch);
		status = natsMsgHeader_Set(message, "Templated-Epoch", number);
	}
	if (status == NATS_OK && operation != NULL)
		status = natsMsgHeader_Set(message, NATS_OPERATION, operation);
	return status;
}

static enum error nats_entry_publish(struct broker *bus,
				     const struct nats_batch *batch, size_t i)
{
	const struct broker_entry *entry = &batch->entries[i];
	char reply[NATS_INBOX_BYTES + NUMBER_BYTES];
	natsMsg *message = NULL;
	natsStatus status;

	if (entry->data.size > nats_max_bytes(bus))
		return ERR_TOO_LARGE;
	snprintf(reply, sizeof(reply), "%s%" PRIu64, bus->inbox,
		 batch->token + i);
	status = natsMsg_Create(&message, entry->subject, reply,
				entry->data.data, (int)entry->data.size);
	if (status == NATS_OK)
		status = nats_entry_set_headers(message, entry,
						batch->operation);
	if (status == NATS_OK)
		status = natsConnection_PublishMsg(bus->connection, message);
	natsMsg_Destroy(message);
	if (status == NATS_OK)
		return ERR_NONE;
	return status == NATS_MAX_PAYLOAD ? ERR_TOO_LARGE : ERR_NETWORK;
}

/*
 * Publish new entries; return whether there were any. Responses may arrive
 * meanwhile.
 */
static bool publish_new(struct broker *bus, struct nats_batch *batch)
{
	bool is_any = false;

	for (size_t i = 0; i < batch->count; i++) {
		enum error error;
		bool is_new;

		lock_acquire(&bus->lock);
		is_new = batch->states[i] == ENTRY_NEW;
		if (is_new)
			set_state(batch, i, ENTRY_SENT);
		lock_release(&bus->lock);
		if (!is_new)
			continue;
		is_any = true;
		error = nats_entry_publish(bus, batch, i);
		lock_acquire(&bus->lock);
		if (error != ERR_NONE && batch->states[i] == ENTRY_SENT)
			nats_batch_set_result(batch, i, error);
		lock_release(&bus->lock);
	}
	return is_any;
}

static void nats_batch_wait(const struct nats_deadline *patience,
			    struct nats_batch *batch)
{
	struct broker *bus = patience->bus;

	lock_acquire(&bus->lock);
	while (batch->sent > 0 &&
	       condition_wait_until(&bus->answered, &bus->lock,
				    patience->until_ms))
		;
	lock_release(&bus->lock);
}

/* Return whether some entries must be published again. */
static bool has_new(struct broker *bus, const struct nats_batch *batch)
{
	bool is_any = false;

	lock_acquire(&bus->lock);
	for (size_t i = 0; i < batch->count; i++)
		is_any |= batch->states[i] == ENTRY_NEW;
	lock_release(&bus->lock);
	return is_any;
}

static void batch_begin(struct broker *bus, struct nats_batch *batch)
{
	lock_acquire(&bus->lock);
	batch->token = bus->next_token;
	bus->next_token += batch->count;
	batch->next = bus->batches;
	bus->batches = batch;
	lock_release(&bus->lock);
}

static enum error batch_end(struct broker *bus, struct nats_batch *batch)
{
	struct nats_batch **link = &bus->batches;
	enum error error = ERR_NONE;

	lock_acquire(&bus->lock);
	while (*link != batch)
		link = &(*link)->next;
	*link = batch->next;
	lock_release(&bus->lock);
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->states[i] != ENTRY_ANSWERED)
			batch->entries[i].error = ERR_NETWORK;
		if (error == ERR_NONE)
			error = batch->entries[i].error;
	}
	free(batch->states);
	return error;
}

enum error nats_append_as(struct broker *bus, struct broker_entry *entries,
			  size_t count, const char *operation)
{
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	struct nats_batch batch = {
		.entries = entries,
		.states = mem_alloc(count, sizeof(*batch.states)),
		.count = count,
		.operation = operation};
	enum error error;

	for (size_t i = 0; i < count; i++) {
		entries[i].number = 0;
		entries[i].is_known = false;
	}
	batch_begin(bus, &batch);
	/* without a connection libnats would buffer the messages for later */
	while (nats_wait_connected(&patience) && publish_new(bus, &batch)) {
		nats_batch_wait(&patience, &batch);
		if (!has_new(bus, &batch) || !nats_pause(&patience))
			break;
	}
	error = batch_end(bus, &batch);
	/* a rejection does not show whether the leader accepts entries */
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
