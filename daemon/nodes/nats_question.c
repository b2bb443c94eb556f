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

struct inquiry {
	uint64_t token;
	natsMsg *answer; /* NULL = none yet */
	bool is_lost;    /* no response will come: the connection was lost */
	struct inquiry *next;
};

bool nats_take_answer(struct bus *bus, const char *name, natsMsg *message)
{
	uint64_t token;

	if (*name != 'q')
		return false;
	token = strtoull(name + 1, NULL, 10);
	lock_acquire(&bus->lock);
	for (struct inquiry *inquiry = bus->inquiries; inquiry != NULL;
	     inquiry = inquiry->next) {
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

void nats_inquiries_fail(struct bus *bus)
{
	for (struct inquiry *inquiry = bus->inquiries; inquiry != NULL;
	     inquiry = inquiry->next)
		inquiry->is_lost = true;
	condition_broadcast(&bus->answered);
}

static void begin(struct bus *bus, struct inquiry *inquiry)
{
	lock_acquire(&bus->lock);
	inquiry->token = bus->next_token++;
	inquiry->next = bus->inquiries;
	bus->inquiries = inquiry;
	lock_release(&bus->lock);
}

static void end(struct bus *bus, struct inquiry *inquiry)
{
	struct inquiry **link = &bus->inquiries;

	lock_acquire(&bus->lock);
	while (*link != inquiry)
		link = &(*link)->next;
	*link = inquiry->next;
	lock_release(&bus->lock);
}

static natsStatus publish(struct bus *bus, const struct inquiry *inquiry,
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
static bool await(struct bus *bus, const struct inquiry *inquiry,
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
static enum error await_answer(struct bus *bus, const struct inquiry *inquiry,
			       const struct bus_patience *patience)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t until_ms = now_ms + patience->timeout_ms;
	enum error error = ERR_TIMEOUT;

	while (!await(bus, inquiry,
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
static natsMsg *request(struct bus *bus, const char *subject,
			const char *question, int64_t wait_ms)
{
	const struct bus_patience patience = {.timeout_ms = (uint32_t)wait_ms};
	struct inquiry inquiry = {0};

	begin(bus, &inquiry);
	if (publish(bus, &inquiry, subject, slice_of(question)) == NATS_OK)
		await_answer(bus, &inquiry, &patience);
	end(bus, &inquiry);
	if (inquiry.answer == NULL || !natsMsg_IsNoResponders(inquiry.answer))
		return inquiry.answer;
	natsMsg_Destroy(inquiry.answer);
	return NULL;
}

enum error nats_request(const struct patience *patience, const char *subject,
			const char *question, natsMsg **answer_out)
{
	while (nats_wait_connected(patience)) {
		int64_t wait_ms = nats_try_ms(patience);

		if (wait_ms == 0)
			break;
		*answer_out =
			request(patience->bus, subject, question, wait_ms);
		if (*answer_out != NULL)
			return ERR_NONE;
		if (nats_was_refused(patience, subject))
			return ERR_REFUSED;
		if (!nats_pause(patience))
			break;
	}
	return ERR_NETWORK;
}

static enum error read_answer(natsMsg *message, struct buffer *answer)
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

enum error nats_ask(struct bus *bus, const char *subject, struct slice question,
		    const struct bus_patience *wanted, struct buffer *answer)
{
	/* the caller has alternatives, and nothing was sent yet */
	struct patience patience = nats_patience(
		bus, wanted->timeout_ms < NATS_TRY_MS ? wanted->timeout_ms
						      : NATS_TRY_MS);
	struct inquiry inquiry = {0};
	enum error error = ERR_NETWORK;

	if (question.size > nats_max_bytes(bus))
		return ERR_TOO_LARGE;
	if (!nats_wait_connected(&patience))
		return ERR_NOT_FOUND;
	begin(bus, &inquiry);
	if (publish(bus, &inquiry, subject, question) == NATS_OK)
		error = await_answer(bus, &inquiry, wanted);
	end(bus, &inquiry);
	if (inquiry.answer != NULL)
		error = read_answer(inquiry.answer, answer);
	else if (error == ERR_TIMEOUT && nats_was_refused(&patience, subject))
		error = ERR_REFUSED;
	natsMsg_Destroy(inquiry.answer);
	return error;
}
