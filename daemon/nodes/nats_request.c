#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"

/*
 * Requests of all subjects wait in one queue. Up to MAX_THREADS threads,
 * created on demand, handle the first request whose subject is below its thread
 * limit.
 */

enum {
	MAX_THREADS = 32,
	/* If this many requests wait, drop new ones; their senders retry. */
	MAX_WAITING = 1024,
};

#define QUEUE_GROUP "tpl"

struct nats_handler {
	struct nats_handlers *answers;
	char subject[BROKER_SUBJECT_BYTES];
	broker_request_handler *answerer;
	void *context;
	unsigned threads; /* maximum */
	unsigned running;
	bool is_ended;
	bool is_complete; /* no more messages will arrive */
	natsSubscription *subscription;
	struct nats_handler *next;
};

struct nats_received_request {
	struct nats_handler *answering;
	natsMsg *message;
	struct nats_received_request *next;
};

struct nats_handlers {
	struct broker *bus;
	struct lock lock;
	struct condition asked;
	struct condition done;
	struct nats_handler *answerings;
	struct nats_received_request *first;
	struct nats_received_request **end;
	size_t waiting;
	pthread_t threads[MAX_THREADS];
	unsigned thread_count;
	unsigned idle;
	bool is_ended;
};

struct nats_handlers *nats_handlers_create(struct broker *bus)
{
	struct nats_handlers *answers = mem_alloc(1, sizeof(*answers));

	answers->bus = bus;
	answers->end = &answers->first;
	lock_init(&answers->lock, LOCK_BROKER_RESPONSES);
	condition_init(&answers->asked);
	condition_init(&answers->done);
	return answers;
}

static void send_answer(struct broker *bus, natsMsg *question,
			const struct buffer *answer)
{
	const char *reply = natsMsg_GetReply(question);
	bool is_large = answer->size >
			(size_t)natsConnection_GetMaxPayload(bus->connection);
	natsMsg *message = NULL;
	natsStatus status;

	if (reply == NULL)
		return;
	status = natsMsg_Create(&message, reply, NULL, answer->data,
				is_large ? 0 : (int)answer->size);
	if (status == NATS_OK && is_large) {
		log_error_limited("nodes: a response of %zu bytes exceeds "
				  "max_payload of the NATS servers",
				  answer->size);
		status = natsMsgHeader_Set(message, NATS_TOO_LARGE, "1");
	}
	if (status == NATS_OK)
		status = natsConnection_PublishMsg(bus->connection, message);
	if (status != NATS_OK)
		log_debug("nodes: cannot send a response: %s",
			  natsStatus_GetText(status));
	natsMsg_Destroy(message);
}

/*
 * With the lock held: remove the first request whose subject is below its
 * thread limit.
 */
static struct nats_received_request *
take_question(struct nats_handlers *answers)
{
	for (struct nats_received_request **link = &answers->first;
	     *link != NULL; link = &(*link)->next) {
		struct nats_received_request *question = *link;

		if (question->answering->running >=
		    question->answering->threads)
			continue;
		*link = question->next;
		if (question->next == NULL)
			answers->end = link;
		answers->waiting--;
		return question;
	}
	return NULL;
}

static void nats_handle_request(struct nats_handlers *answers,
				struct nats_received_request *question)
{
	struct nats_handler *answering = question->answering;
	struct buffer answer = {0};
	const struct slice data = {
		natsMsg_GetData(question->message),
		(size_t)natsMsg_GetDataLength(question->message)};

	answering->answerer(answering->context, data, &answer);
	send_answer(answers->bus, question->message, &answer);
	buffer_free(&answer);
	natsMsg_Destroy(question->message);
	free(question);
}

static void *answers_main(void *closure)
{
	struct nats_handlers *answers = closure;

	lock_acquire(&answers->lock);
	while (!answers->is_ended) {
		struct nats_received_request *question = take_question(answers);
		struct nats_handler *answering;

		if (question == NULL) {
			answers->idle++;
			condition_wait(&answers->asked, &answers->lock);
			answers->idle--;
			continue;
		}
		answering = question->answering;
		answering->running++;
		lock_release(&answers->lock);
		nats_handle_request(answers, question);
		lock_acquire(&answers->lock);
		answering->running--;
		condition_broadcast(&answers->done);
	}
	lock_release(&answers->lock);
	nats_ReleaseThreadMemory();
	return NULL;
}

/* Call with the lock held. */
static void wake_thread(struct nats_handlers *answers)
{
	if (answers->idle == 0 && answers->thread_count < MAX_THREADS &&
	    thread_start(&answers->threads[answers->thread_count], NULL,
			 answers_main, answers))
		answers->thread_count++;
	condition_signal(&answers->asked);
}

static void on_question(natsConnection *connection,
			natsSubscription *subscription, natsMsg *message,
			void *closure)
{
	struct nats_handler *answering = closure;
	struct nats_handlers *answers = answering->answers;
	struct nats_received_request *question = NULL;

	(void)connection;
	(void)subscription;
	lock_acquire(&answers->lock);
	if (!answering->is_ended && answers->waiting < MAX_WAITING) {
		question = mem_alloc(1, sizeof(*question));
		question->answering = answering;
		question->message = message;
		*answers->end = question;
		answers->end = &question->next;
		answers->waiting++;
		wake_thread(answers);
	}
	lock_release(&answers->lock);
	if (question == NULL)
		natsMsg_Destroy(message);
}

static void nats_on_handler_complete(void *closure)
{
	struct nats_handler *answering = closure;
	struct nats_handlers *answers = answering->answers;

	lock_acquire(&answers->lock);
	answering->is_complete = true;
	condition_broadcast(&answers->done);
	lock_release(&answers->lock);
}

/* With the lock held: drop the waiting requests of this subject. */
static void drop_questions(struct nats_handlers *answers,
			   const struct nats_handler *answering)
{
	struct nats_received_request **link = &answers->first;

	while (*link != NULL) {
		struct nats_received_request *question = *link;

		if (question->answering != answering) {
			link = &question->next;
			continue;
		}
		*link = question->next;
		answers->waiting--;
		natsMsg_Destroy(question->message);
		free(question);
	}
	answers->end = link;
}

/* End a subject that is no longer in the list. */
static void end_answering(struct nats_handlers *answers,
			  struct nats_handler *answering)
{
	lock_acquire(&answers->lock);
	answering->is_ended = true;
	lock_release(&answers->lock);
	natsSubscription_Unsubscribe(answering->subscription);
	lock_acquire(&answers->lock);
	drop_questions(answers, answering);
	while (answering->running > 0 || !answering->is_complete)
		condition_wait(&answers->done, &answers->lock);
	lock_release(&answers->lock);
	natsSubscription_Destroy(answering->subscription);
	free(answering);
}

static struct nats_handler *take_answering(struct nats_handlers *answers,
					   const char *subject)
{
	struct nats_handler **link = &answers->answerings;
	struct nats_handler *found;

	lock_acquire(&answers->lock);
	while (*link != NULL && subject != NULL &&
	       strcmp((*link)->subject, subject) != 0)
		link = &(*link)->next;
	found = *link;
	if (found != NULL)
		*link = found->next;
	lock_release(&answers->lock);
	return found;
}

void nats_handlers_destroy(struct nats_handlers *answers)
{
	struct nats_handler *answering;

	while ((answering = take_answering(answers, NULL)) != NULL)
		end_answering(answers, answering);
	lock_acquire(&answers->lock);
	answers->is_ended = true;
	condition_broadcast(&answers->asked);
	lock_release(&answers->lock);
	for (unsigned i = 0; i < answers->thread_count; i++)
		pthread_join(answers->threads[i], NULL);
	condition_destroy(&answers->asked);
	condition_destroy(&answers->done);
	lock_destroy(&answers->lock);
	free(answers);
}

enum error nats_handle(struct broker *bus, const char *subject,
		       broker_request_handler *answerer, void *context,
		       unsigned threads)
{
	struct nats_handlers *answers = bus->answers;
	struct nats_handler *answering = take_answering(answers, subject);
	natsStatus status;

	if (answering != NULL)
		end_answering(answers, answering);
	if (answerer == NULL)
		return ERR_NONE;
	answering = mem_alloc(1, sizeof(*answering));
	answering->answers = answers;
	answering->answerer = answerer;
	answering->context = context;
	answering->threads = threads == 0 ? 1 : threads;
	snprintf(answering->subject, sizeof(answering->subject), "%s", subject);
	status = natsConnection_QueueSubscribe(
		&answering->subscription, bus->connection, subject, QUEUE_GROUP,
		on_question, answering);
	if (status != NATS_OK) {
		free(answering);
		return ERR_NETWORK;
	}
	if (natsSubscription_SetOnCompleteCB(answering->subscription,
					     nats_on_handler_complete,
					     answering) != NATS_OK)
		nats_on_handler_complete(answering);
	lock_acquire(&answers->lock);
	answering->next = answers->answerings;
	answers->answerings = answering;
	lock_release(&answers->lock);
	return ERR_NONE;
}

enum error nats_publish(struct broker *bus, const char *subject,
			struct slice data)
{
	int64_t clock_ms;

	if (data.size > nats_max_bytes(bus))
		return ERR_TOO_LARGE;
	if (!nats_is_connected(bus, &clock_ms) ||
	    natsConnection_Publish(bus->connection, subject, data.data,
				   (int)data.size) != NATS_OK)
		return ERR_NETWORK;
	return ERR_NONE;
}

static void on_told(natsConnection *connection, natsSubscription *subscription,
		    natsMsg *message, void *closure)
{
	struct nats_listener *listening = closure;
	const struct slice data = {natsMsg_GetData(message),
				   (size_t)natsMsg_GetDataLength(message)};

	(void)connection;
	(void)subscription;
	listening->listener(listening->context, natsMsg_GetSubject(message),
			    data);
	natsMsg_Destroy(message);
}

enum error nats_listen(struct broker *bus, const char *subject,
		       broker_listener *listener, void *context)
{
	struct nats_listener *listening = mem_alloc(1, sizeof(*listening));

	listening->listener = listener;
	listening->context = context;
	if (natsConnection_Subscribe(&listening->subscription, bus->connection,
				     subject, on_told, listening) != NATS_OK) {
		free(listening);
		return ERR_NETWORK;
	}
	nats_subscription_added(bus, listening->subscription);
	lock_acquire(&bus->lock);
	listening->next = bus->listenings;
	bus->listenings = listening;
	lock_release(&bus->lock);
	return ERR_NONE;
}

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
