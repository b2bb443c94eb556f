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
 * Requests from other nodes. Requests of all subjects wait in one queue. Up to
 * MAX_THREADS threads, created on demand, handle them: each takes the first
 * request whose subject has fewer running requests than its thread limit.
 */

enum {
	MAX_THREADS = 32,
	/*
	 * If this many requests wait, drop new ones; the nodes that sent them
	 * retry.
	 */
	MAX_WAITING = 1024,
};

#define QUEUE_GROUP "tpl"

struct nats_handler {
	struct nats_handlers *answers;
	char subject[BROKER_SUBJECT_BYTES];
	broker_request_handler *answerer;
	broker_listener *listener; /* instead of `answerer`; runs in the
				      thread of libnats */
	void *context;
	unsigned threads; /* maximum number of threads for this subject */
	unsigned running;
	bool is_ended;
	bool is_complete; /* libnats delivers no more messages */
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
 * With the lock held: remove and return the first request whose subject has not
 * reached its thread limit, or NULL.
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

static void *answers_main(void *closure)
{
	struct nats_handlers *answers = closure;

	lock_acquire(&answers->lock);
	while (!answers->is_ended) {
		struct nats_received_request *question = take_question(answers);
		struct nats_handler *answering;
		struct buffer answer = {0};
		struct slice data;

		if (question == NULL) {
			answers->idle++;
			condition_wait(&answers->asked, &answers->lock);
			answers->idle--;
			continue;
		}
		answering = question->answering;
		answering->running++;
		lock_release(&answers->lock);
		data = (struct slice){
			natsMsg_GetData(question->message),
			(size_t)natsMsg_GetDataLength(question->message)};
		answering->answerer(answering->context, data, &answer);
		send_answer(answers->bus, question->message, &answer);
		buffer_free(&answer);
		natsMsg_Destroy(question->message);
		free(question);
		lock_acquire(&answers->lock);
		answering->running--;
		condition_broadcast(&answers->done);
	}
	lock_release(&answers->lock);
	nats_ReleaseThreadMemory();
	return NULL;
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
	if (answering->listener != NULL) {
		answering->listener(
			answering->context, natsMsg_GetSubject(message),
			(struct slice){natsMsg_GetData(message),
				       (size_t)natsMsg_GetDataLength(message)});
		natsMsg_Destroy(message);
		return;
	}
	lock_acquire(&answers->lock);
	if (!answering->is_ended && answers->waiting < MAX_WAITING) {
		question = mem_alloc(1, sizeof(*question));
		question->answering = answering;
		question->message = message;
		*answers->end = question;
		answers->end = &question->next;
		answers->waiting++;
		if (answers->idle == 0 && answers->thread_count < MAX_THREADS &&
		    thread_start(&answers->threads[answers->thread_count], NULL,
				 answers_main, answers))
			answers->thread_count++;
		condition_signal(&answers->asked);
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

/* Stop handling a subject that the caller has removed from the list. */
static void end_answering(struct nats_handlers *answers,
			  struct nats_handler *answering)
{
	struct nats_received_request **link = &answers->first;

	lock_acquire(&answers->lock);
	answering->is_ended = true;
	lock_release(&answers->lock);
	natsSubscription_Unsubscribe(answering->subscription);
	lock_acquire(&answers->lock);
	while (*link != NULL) { /* drop the waiting requests of this subject */
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

static enum error nats_handler_add(struct broker *bus, const char *subject,
				   const struct nats_handler *wanted)
{
	struct nats_handlers *answers = bus->answers;
	struct nats_handler *answering = mem_alloc(1, sizeof(*answering));
	natsStatus status;

	*answering = *wanted;
	answering->answers = answers;
	snprintf(answering->subject, sizeof(answering->subject), "%s", subject);
	if (wanted->listener != NULL)
		status = natsConnection_Subscribe(&answering->subscription,
						  bus->connection, subject,
						  on_question, answering);
	else
		status = natsConnection_QueueSubscribe(
			&answering->subscription, bus->connection, subject,
			QUEUE_GROUP, on_question, answering);
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

enum error nats_handle(struct broker *bus, const char *subject,
		       broker_request_handler *answerer, void *context,
		       unsigned threads)
{
	struct nats_handler *before = take_answering(bus->answers, subject);
	const struct nats_handler wanted = {.answerer = answerer,
					    .context = context,
					    .threads =
						    threads == 0 ? 1 : threads};

	if (before != NULL)
		end_answering(bus->answers, before);
	return answerer == NULL ? ERR_NONE
				: nats_handler_add(bus, subject, &wanted);
}

enum error nats_listen(struct broker *bus, const char *subject,
		       broker_listener *listener, void *context)
{
	const struct nats_handler wanted = {.listener = listener,
					    .context = context};

	return nats_handler_add(bus, subject, &wanted);
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

/*
 * Requests and entries that wait for responses. The reply subject of each ends
 * in a number: the token of its exchange plus its index in the exchange.
 */

enum { LOOK_MS = 100 };

json_t *nats_message_json(natsMsg *message)
{
	const char *data = natsMsg_GetData(message);

	return json_loadb(data == NULL ? "" : data,
			  (size_t)natsMsg_GetDataLength(message), 0, NULL);
}

static void nats_reply_set(struct nats_exchange *exchange, size_t i,
			   natsMsg *message, enum error error)
{
	exchange->replies[i].state = message == NULL ? REPLY_DONE : REPLY_HERE;
	exchange->replies[i].message = message;
	exchange->replies[i].error = error;
	exchange->waiting--;
}

static void on_answer(natsConnection *connection,
		      natsSubscription *subscription, natsMsg *message,
		      void *closure)
{
	struct broker *bus = closure;
	uint64_t token = strtoull(
		natsMsg_GetSubject(message) + strlen(bus->inbox), NULL, 10);

	(void)connection;
	(void)subscription;
	lock_acquire(&bus->lock);
	for (struct nats_exchange *exchange = bus->exchanges; exchange != NULL;
	     exchange = exchange->next) {
		uint64_t i = token - exchange->token;

		if (i >= exchange->count ||
		    exchange->replies[i].state != REPLY_WAITING)
			continue;
		nats_reply_set(exchange, i, message, ERR_NONE);
		message = NULL;
		if (exchange->waiting == 0)
			condition_broadcast(&bus->answered);
		break;
	}
	lock_release(&bus->lock);
	natsMsg_Destroy(message);
}

static void nats_on_inbox_complete(void *closure)
{
	struct broker *bus = closure;

	lock_acquire(&bus->lock);
	bus->has_inbox = false;
	condition_broadcast(&bus->changed);
	lock_release(&bus->lock);
}

natsStatus nats_inbox_open(struct broker *bus)
{
	char subject[NATS_INBOX_BYTES + 2];
	natsInbox *inbox = NULL;
	natsStatus status = natsInbox_Create(&inbox);

	if (status != NATS_OK)
		return status;
	/* use the unique "xyz" of "_INBOX.xyz" */
	snprintf(bus->inbox, sizeof(bus->inbox), "%s.log%s.", bus->prefix,
		 strrchr(inbox, '.'));
	snprintf(subject, sizeof(subject), "%s*", bus->inbox);
	natsInbox_Destroy(inbox);
	status = natsConnection_Subscribe(&bus->inbox_subscription,
					  bus->connection, subject, on_answer,
					  bus);
	if (status != NATS_OK)
		return status;
	lock_acquire(&bus->lock);
	bus->has_inbox = true;
	lock_release(&bus->lock);
	if (natsSubscription_SetOnCompleteCB(bus->inbox_subscription,
					     nats_on_inbox_complete,
					     bus) != NATS_OK)
		nats_on_inbox_complete(bus);
	return natsSubscription_SetPendingLimits(bus->inbox_subscription, -1,
						 -1);
}

void nats_exchanges_fail(struct broker *bus, const char *subject)
{
	for (struct nats_exchange *exchange = bus->exchanges; exchange != NULL;
	     exchange = exchange->next)
		for (size_t i = 0; i < exchange->count; i++) {
			const struct nats_reply *reply = &exchange->replies[i];

			if (reply->state != REPLY_WAITING)
				continue;
			if (subject == NULL)
				nats_reply_set(exchange, i, NULL, ERR_NETWORK);
			else if (strcmp(reply->subject, subject) == 0)
				nats_reply_set(exchange, i, NULL,
					       ERR_ADDRESS_FORBIDDEN);
		}
	condition_broadcast(&bus->answered);
}

void nats_exchange_begin(struct broker *bus, struct nats_exchange *exchange)
{
	lock_acquire(&bus->lock);
	exchange->token = bus->next_token;
	bus->next_token += exchange->count;
	exchange->next = bus->exchanges;
	bus->exchanges = exchange;
	lock_release(&bus->lock);
}

void nats_exchange_end(struct broker *bus, struct nats_exchange *exchange)
{
	struct nats_exchange **link = &bus->exchanges;

	lock_acquire(&bus->lock);
	while (*link != exchange)
		link = &(*link)->next;
	*link = exchange->next;
	lock_release(&bus->lock);
}

void nats_exchange_send(struct broker *bus, struct nats_exchange *exchange,
			size_t i, struct slice data,
			const struct nats_header *headers)
{
	struct nats_reply *reply = &exchange->replies[i];
	char inbox[NATS_INBOX_BYTES + NATS_NUMBER_BYTES];
	natsMsg *message = NULL;
	natsStatus status;
	bool is_new;

	lock_acquire(&bus->lock);
	is_new = reply->state == REPLY_NEW;
	if (is_new)
		reply->state = REPLY_WAITING;
	exchange->waiting += is_new;
	lock_release(&bus->lock);
	if (!is_new)
		return;
	snprintf(inbox, sizeof(inbox), "%s%" PRIu64, bus->inbox,
		 exchange->token + i);
	status = natsMsg_Create(&message, reply->subject, inbox, data.data,
				(int)data.size);
	for (; status == NATS_OK && headers->name != NULL; headers++)
		status = natsMsgHeader_Set(message, headers->name,
					   headers->value);
	if (status == NATS_OK)
		status = natsConnection_PublishMsg(bus->connection, message);
	natsMsg_Destroy(message);
	lock_acquire(&bus->lock);
	if (status != NATS_OK && reply->state == REPLY_WAITING)
		nats_reply_set(exchange, i, NULL,
			       status == NATS_MAX_PAYLOAD ? ERR_TOO_LARGE
							  : ERR_NETWORK);
	lock_release(&bus->lock);
}

bool nats_exchange_wait(struct broker *bus,
			const struct nats_exchange *exchange, uint64_t until_ms)
{
	bool is_over;

	lock_acquire(&bus->lock);
	while (exchange->waiting > 0 &&
	       condition_wait_until(&bus->answered, &bus->lock, until_ms))
		;
	is_over = exchange->waiting == 0;
	lock_release(&bus->lock);
	return is_over;
}

/*
 * Send one request, and wait for the response, which the caller destroys. After
 * goes_on() returned false, wait LOOK_MS longer for a response in transit.
 */
static enum error nats_request_once(struct broker *bus, const char *subject,
				    struct slice question,
				    const struct broker_wait *patience,
				    natsMsg **answer_out)
{
	struct nats_reply reply = {.subject = subject};
	struct nats_exchange exchange = {.replies = &reply, .count = 1};
	uint64_t now_ms = clock_steady_ms();
	uint64_t until_ms = now_ms + patience->timeout_ms;
	enum error error = ERR_TIMEOUT;

	nats_exchange_begin(bus, &exchange);
	nats_exchange_send(bus, &exchange, 0, question,
			   &(struct nats_header){NULL, NULL});
	while (now_ms < until_ms &&
	       !nats_exchange_wait(bus, &exchange,
				   now_ms + LOOK_MS < until_ms
					   ? now_ms + LOOK_MS
					   : until_ms)) {
		now_ms = clock_steady_ms();
		if (error == ERR_TIMEOUT && patience->goes_on != NULL &&
		    !patience->goes_on(patience->context)) {
			error = ERR_STOPPED;
			if (until_ms > now_ms + LOOK_MS)
				until_ms = now_ms + LOOK_MS;
		}
	}
	nats_exchange_end(bus, &exchange);
	*answer_out = reply.message;
	return reply.state == REPLY_WAITING ? error : reply.error;
}

enum error nats_api_request(const struct nats_deadline *patience,
			    const char *subject, const char *question,
			    natsMsg **answer_out)
{
	while (nats_wait_connected(patience)) {
		const struct broker_wait wait = {
			.timeout_ms = (uint32_t)nats_try_ms(patience)};

		if (wait.timeout_ms == 0)
			break;
		nats_request_once(patience->bus, subject, slice_of(question),
				  &wait, answer_out);
		if (*answer_out != NULL && !natsMsg_IsNoResponders(*answer_out))
			return ERR_NONE;
		natsMsg_Destroy(*answer_out);
		if (nats_was_rejected(patience, subject))
			return ERR_ADDRESS_FORBIDDEN;
		if (!nats_pause(patience))
			break;
	}
	return ERR_NETWORK;
}

enum error nats_request_node(struct broker *bus, const char *subject,
			     struct slice question,
			     const struct broker_wait *wanted,
			     struct buffer *answer)
{
	/*
	 * do not wait long for a connection: nothing was sent yet, and the
	 * caller has alternatives
	 */
	struct nats_deadline patience = nats_deadline_of(
		bus, wanted->timeout_ms < NATS_TRY_MS ? wanted->timeout_ms
						      : NATS_TRY_MS);
	const char *is_large = NULL;
	natsMsg *message;
	enum error error;

	if (question.size > nats_max_bytes(bus))
		return ERR_TOO_LARGE;
	if (!nats_wait_connected(&patience))
		return ERR_NOT_FOUND;
	error = nats_request_once(bus, subject, question, wanted, &message);
	if (message == NULL)
		return error;
	if (natsMsg_IsNoResponders(message))
		error = ERR_NOT_FOUND;
	else if (natsMsgHeader_Get(message, NATS_TOO_LARGE, &is_large) ==
		 NATS_OK)
		error = ERR_TOO_LARGE;
	else
		buffer_append(answer, natsMsg_GetData(message),
			      (size_t)natsMsg_GetDataLength(message));
	natsMsg_Destroy(message);
	return error;
}
