#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/nodes/nats_bus.h"
#include "daemon/runtime/clock.h"

/*
 * Requests to other nodes. Responses arrive in the same inbox as those to
 * entries, under "q" and a number.
 */

enum { LOOK_MS = 100, NUMBER_BYTES = 24 };

struct nats_pending_request {
	uint64_t token;
	natsMsg *answer; /* NULL = none yet */
	bool is_lost;    /* no response will come: the connection was lost */
	struct nats_pending_request *next;
};

bool nats_request_handle_response(struct broker *bus, const char *name,
				  natsMsg *message)
{
	uint64_t token;

	if (*name != 'q')
		return false;
	token = strtoull(name + 1, NULL, 10);
	lock_acquire(&bus->lock);
	for (struct nats_pending_request *inquiry = bus->inquiries;
	     inquiry != NULL; inquiry = inquiry->next) {
		if (inquiry->token != token || inquiry->answer != NULL)
			continue;
		inquiry->answer = message;
		message = NULL;
		condition_broadcast(&bus->answered);
		break;
	}
	lock_release(&bus->lock);
	natsMsg_Destroy(message);
	return true;
}

void nats_requests_fail(struct broker *bus)
{
	for (struct nats_pending_request *inquiry = bus->inquiries;
	     inquiry != NULL; inquiry = inquiry->next)
		inquiry->is_lost = true;
	condition_broadcast(&bus->answered);
}

static void nats_request_begin(struct broker *bus,
			       struct nats_pending_request *inquiry)
{
	lock_acquire(&bus->lock);
	inquiry->token = bus->next_token++;
	inquiry->next = bus->inquiries;
	bus->inquiries = inquiry;
	lock_release(&bus->lock);
}

static void nats_request_end(struct broker *bus,
			     struct nats_pending_request *inquiry)
{
	struct nats_pending_request **link = &bus->inquiries;

	lock_acquire(&bus->lock);
	while (*link != inquiry)
		link = &(*link)->next;
	*link = inquiry->next;
	lock_release(&bus->lock);
}

static natsStatus
nats_request_publish(struct broker *bus,
		     const struct nats_pending_request *inquiry,
		     const char *subject, struct slice question)
{
	char reply[NATS_INBOX_BYTES + NUMBER_BYTES];

	snprintf(reply, sizeof(reply), "%sq%" PRIu64, bus->inbox,
		 inquiry->token);
	return natsConnection_PublishRequest(bus->connection, subject, reply,
					     question.data, (int)question.size);
}

/*
 * Wait for the response until `until_ms`; return whether it came or was lost.
 */
static bool nats_request_wait(struct broker *bus,
			      const struct nats_pending_request *inquiry,
			      uint64_t until_ms)
{
	bool is_over;

	lock_acquire(&bus->lock);
	while (inquiry->answer == NULL && !inquiry->is_lost &&
	       condition_wait_until(&bus->answered, &bus->lock, until_ms))
		;
	is_over = inquiry->answer != NULL || inquiry->is_lost;
	lock_release(&bus->lock);
	return is_over;
}

/*
 * Wait for the response. After a cancel, wait a little longer for a response in
 * transit.
 */
static enum error await_answer(struct broker *bus,
			       const struct nats_pending_request *inquiry,
			       const struct broker_wait *patience)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t until_ms = now_ms + patience->timeout_ms;
	enum error error = ERR_TIMEOUT;

	while (!nats_request_wait(bus, inquiry,
				  now_ms + LOOK_MS < until_ms ? now_ms + LOOK_MS
							      : until_ms)) {
		now_ms = clock_steady_ms();
		if (now_ms >= until_ms)
			return error;
		if (error == ERR_TIMEOUT && patience->goes_on != NULL &&
		    !patience->goes_on(patience->context)) {
			error = ERR_STOPPED;
			if (until_ms > now_ms + LOOK_MS)
				until_ms = now_ms + LOOK_MS;
		}
	}
	return inquiry->answer == NULL ? ERR_NETWORK : ERR_NONE;
}

/* Send a request once; NULL if no response came. */
static natsMsg *nats_request_once(struct broker *bus, const char *subject,
				  const char *question, int64_t wait_ms)
{
	const struct broker_wait patience = {.timeout_ms = (uint32_t)wait_ms};
	struct nats_pending_request inquiry = {0};

	nats_request_begin(bus, &inquiry);
	if (nats_request_publish(bus, &inquiry, subject, slice_of(question)) ==
	    NATS_OK)
		await_answer(bus, &inquiry, &patience);
	nats_request_end(bus, &inquiry);
	if (inquiry.answer == NULL || !natsMsg_IsNoResponders(inquiry.answer))
		return inquiry.answer;
	natsMsg_Destroy(inquiry.answer);
	return NULL;
}

enum error nats_api_request(const struct nats_deadline *patience,
			    const char *subject, const char *question,
			    natsMsg **answer_out)
{
	while (nats_wait_connected(patience)) {
		int64_t wait_ms = nats_try_ms(patience);

		if (wait_ms == 0)
			break;
		*answer_out = nats_request_once(patience->bus, subject,
						question, wait_ms);
		if (*answer_out != NULL)
			return ERR_NONE;
		if (nats_was_rejected(patience, subject))
			return ERR_ADDRESS_FORBIDDEN;
		if (!nats_pause(patience))
			break;
	}
	return ERR_NETWORK;
}

static enum error nats_response_read(natsMsg *message, struct buffer *answer)
{
	const char *is_large = NULL;

	if (natsMsg_IsNoResponders(message))
		return ERR_NOT_FOUND;
	if (natsMsgHeader_Get(message, NATS_TOO_LARGE, &is_large) == NATS_OK)
		return ERR_TOO_LARGE;
	buffer_append(answer, natsMsg_GetData(message),
		      (size_t)natsMsg_GetDataLength(message));
	return ERR_NONE;
}

enum error nats_request_node(struct broker *bus, const char *subject,
			     struct slice question,
			     const struct broker_wait *wanted,
			     struct buffer *answer)
{
	/* the caller has alternatives, and nothing was sent yet */
	struct nats_deadline patience = nats_deadline_of(
		bus, wanted->timeout_ms < NATS_TRY_MS ? wanted->timeout_ms
						      : NATS_TRY_MS);
	struct nats_pending_request inquiry = {0};
	enum error error = ERR_NETWORK;

	if (question.size > nats_max_bytes(bus))
		return ERR_TOO_LARGE;
	if (!nats_wait_connected(&patience))
		return ERR_NOT_FOUND;
	nats_request_begin(bus, &inquiry);
	if (nats_request_publish(bus, &inquiry, subject, question) == NATS_OK)
		error = await_answer(bus, &inquiry, wanted);
	nats_request_end(bus, &inquiry);
	if (inquiry.answer != NULL)
		error = nats_response_read(inquiry.answer, answer);
	else if (error == ERR_TIMEOUT && nats_was_rejected(&patience, subject))
		error = ERR_ADDRESS_FORBIDDEN;
	natsMsg_Destroy(inquiry.answer);
	return error;
}
