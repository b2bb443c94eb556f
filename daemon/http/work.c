#include "daemon/http/exchange.h"

#include <assert.h>
#include <poll.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"

enum { TICK_MS = 200, WORKERS_LEFT = 2 /* workers without long requests */ };

static void exchange_queue_push(struct exchange_queue *queue,
				struct http_exchange *exchange)
{
	assert((queue->first == NULL) == (queue->count == 0));
	exchange->next = NULL;
	if (queue->last == NULL)
		queue->first = exchange;
	else
		queue->last->next = exchange;
	queue->last = exchange;
	queue->count++;
}

/* Remove the exchange after `previous`, or the first one; NULL: none. */
static struct http_exchange *pop_behind(struct exchange_queue *queue,
					struct http_exchange *previous)
{
	struct http_exchange **link =
		previous == NULL ? &queue->first : &previous->next;
	struct http_exchange *exchange = *link;

	if (exchange == NULL)
		return NULL;
	*link = exchange->next;
	if (queue->last == exchange)
		queue->last = previous;
	assert(queue->count > 0);
	queue->count--;
	return exchange;
}

static struct http_exchange *exchange_queue_pop(struct exchange_queue *queue)
{
	return pop_behind(queue, NULL);
}

static void push_ready(struct http_server *server,
		       struct http_exchange *exchange)
{
	exchange_queue_push(exchange->takes_long ? &server->ready_long
						 : &server->ready,
			    exchange);
}

/* With the lock held: queue all suspended exchanges again. */
static void exchanges_requeue_suspended(struct http_server *server)
{
	struct http_exchange *exchange;

	assert(lock_is_held(&server->lock));
	server->tick_ms = clock_steady_ms() + TICK_MS;
	if (server->parked.first == NULL)
		return;
	while ((exchange = exchange_queue_pop(&server->parked)) != NULL)
		push_ready(server, exchange);
	condition_broadcast(&server->is_wanted);
}

void http_wake(struct http_server *server)
{
	lock_acquire(&server->lock);
	server->wakes++;
	exchanges_requeue_suspended(server);
	lock_release(&server->lock);
}

void http_end_owner(struct http_server *server, uint64_t owner)
{
	lock_acquire(&server->lock);
	for (struct client_connection *connection = server->connections;
	     connection != NULL; connection = connection->next) {
		struct http_exchange *exchange = connection->exchange;

		if (exchange == NULL ||
		    (exchange->owner != owner && exchange->ticket != owner))
			continue;
		exchange->is_cut = true;
		client_connection_cut(connection);
	}
	server->wakes++;
	exchanges_requeue_suspended(server);
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
}

/* With the lock held, released meanwhile: wait until the next tick at most. */
static void wait_for_tick(struct http_server *server)
{
	uint64_t until_ms = client_connections_check_ms(server);

	assert(lock_is_held(&server->lock));
	if (server->parked.first != NULL && server->tick_ms < until_ms)
		until_ms = server->tick_ms;
	if (until_ms == UINT64_MAX)
		condition_wait(&server->is_wanted, &server->lock);
	else
		condition_wait_until(&server->is_wanted, &server->lock,
				     until_ms);
}

void work_close(struct http_server *server, int file)
{
	lock_acquire(&server->lock);
	server->old_files =
		mem_grow(server->old_files, server->old_count,
			 &server->old_capacity, sizeof(*server->old_files));
	server->old_files[server->old_count++] = file;
	condition_signal(&server->is_wanted);
	lock_release(&server->lock);
}

/* With the lock held, released meanwhile. */
static void close_old(struct http_server *server)
{
	int file = server->old_files[--server->old_count];

	lock_release(&server->lock);
	close(file);
	lock_acquire(&server->lock);
}

size_t work_long(size_t workers)
{
	return workers <= WORKERS_LEFT ? workers : workers - WORKERS_LEFT;
}

/*
 * With the lock held: remove the first exchange whose owner may use one more
 * worker, so that one owner cannot occupy all workers; or NULL.
 */
static struct http_exchange *pop_fair(struct http_server *server,
				      struct exchange_queue *queue)
{
	struct http_exchange *previous = NULL;
	struct http_exchange *exchange = queue->first;

	while (exchange != NULL &&
	       (quota_check(&server->busy, exchange->owner, 1) !=
			QUOTA_ACQUIRED ||
		(exchange->takes_long &&
		 quota_check(&server->busy_long, exchange->owner, 1) !=
			 QUOTA_ACQUIRED))) {
		previous = exchange;
		exchange = exchange->next;
	}
	return exchange == NULL ? NULL : pop_behind(queue, previous);
}

/*
 * With the lock held: return the next exchange that may be handled now, or
 * NULL.
 */
static struct http_exchange *pop_ready(struct http_server *server)
{
	struct http_exchange *exchange = pop_fair(server, &server->ready);

	if (exchange == NULL)
		exchange = pop_fair(server, &server->ready_long);
	if (exchange == NULL)
		return NULL;
	quota_acquire(&server->busy, exchange->owner, 1);
	if (exchange->takes_long)
		quota_acquire(&server->busy_long, exchange->owner, 1);
	return exchange;
}

/* With the lock held: a worker has finished an exchange of this owner. */
static void end_work(struct http_server *server, uint64_t owner, bool took_long)
{
	quota_release(&server->busy, owner, 1);
	if (took_long)
		quota_release(&server->busy_long, owner, 1);
	/* another worker may start one, too */
	if (server->ready.first != NULL || server->ready_long.first != NULL)
		condition_signal(&server->is_wanted);
}

/* With the lock held: return the next exchange to handle; NULL at the end. */
static struct http_exchange *exchange_queue_next(struct http_server *server)
{
	assert(lock_is_held(&server->lock));
	while (!server->is_stopping) {
		struct http_exchange *exchange;

		client_connections_check(server);
		if (server->parked.first != NULL &&
		    clock_steady_ms() >= server->tick_ms)
			exchanges_requeue_suspended(server);
		exchange = pop_ready(server);
		if (exchange != NULL)
			return exchange;
		if (server->old_count > 0)
			close_old(server);
		else
			wait_for_tick(server);
	}
	return NULL;
}

/*
 * Return whether the client has closed its socket. A Unix client that only
 * stopped sending does not count; over TCP the two look the same until bytes
 * are sent.
 */
static bool exchange_client_has_left(const struct http_exchange *exchange)
{
	struct pollfd file = {.fd = exchange->file};

	return poll(&file, 1, 0) == 1 &&
	       (file.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/*
 * A TCP client that stopped sending no longer reads a stream: a browser has
 * left the page, and other clients need its place.
 */
static bool has_left_stream(const struct http_exchange *exchange)
{
	struct pollfd file = {.fd = exchange->file, .events = POLLRDHUP};
	bool is_tcp = exchange->server->options.listener != NULL;

	return exchange_client_has_left(exchange) ||
	       (is_tcp && poll(&file, 1, 0) == 1 &&
		(file.revents & POLLRDHUP) != 0);
}

/*
 * Return the exchange with its reply to the server's thread. It may be freed as
 * soon as its connection is resumed, or, for an upload in progress, as soon as
 * the lock is released.
 */
static void exchange_return(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	struct MHD_Connection *connection = exchange->connection;
	struct upload *upload = exchange->upload;
	bool is_suspended;
	bool is_abandoned;

	assert(exchange->status != 0);
	lock_acquire(&server->lock);
	assert(exchange->state == EXCHANGE_WAITS);
	exchange->state = EXCHANGE_REPLIED;
	quota_release(&server->waiting, exchange->owner,
		      !exchange->is_listener);
	assert(exchange->status / 100 < HTTP_CLASSES);
	server->replies[exchange->status / 100]++;
	if (!exchange->is_listener && upload == NULL)
		time_histogram_add(&server->answers,
				   clock_read_us(CLOCK_MONOTONIC) -
					   exchange->begin_us);
	is_suspended = upload == NULL || upload_close(exchange);
	is_abandoned = upload != NULL && upload->failure != ERR_NONE;
	lock_release(&server->lock);
	if (is_abandoned)
		exchange_end(exchange);
	else if (is_suspended)
		MHD_resume_connection(connection);
}

static enum http_verdict handle_stream(struct http_exchange *exchange,
				       bool is_cut)
{
	if (!is_cut && !has_left_stream(exchange))
		return stream_fill(exchange->stream);
	exchange->stream->is_left = true;
	return HTTP_ANSWERED;
}

static enum http_verdict exchange_handle(struct http_exchange *exchange,
					 bool is_cut)
{
	const struct http_options *options = &exchange->server->options;

	assert(exchange->state == EXCHANGE_WAITS);
	if (exchange->stream != NULL)
		return handle_stream(exchange, is_cut);
	if (is_cut) {
		exchange_refuse(exchange, MHD_HTTP_UNAUTHORIZED, "unauthorized",
				"the token was removed");
		return HTTP_ANSWERED;
	}
	if (exchange->was_parked && exchange_client_has_left(exchange)) {
		exchange_refuse(exchange, MHD_HTTP_SERVICE_UNAVAILABLE,
				"stopped", "the client has disconnected");
		return HTTP_ANSWERED;
	}
	return options->handle(exchange, options->context);
}

static void *exchange_worker(void *argument)
{
	struct http_server *server = argument;
	struct http_exchange *exchange;

	lock_acquire(&server->lock);
	while ((exchange = exchange_queue_next(server)) != NULL) {
		uint64_t wakes = server->wakes;
		bool took_long = exchange->takes_long;
		uint64_t owner = exchange->owner;
		bool is_cut = exchange->is_cut;
		enum http_verdict verdict;

		lock_release(&server->lock);
		verdict = exchange_handle(exchange, is_cut);
		assert(verdict == HTTP_SUSPENDED || exchange->status != 0);
		if (verdict == HTTP_ANSWERED)
			exchange_return(exchange);
		lock_acquire(&server->lock);
		end_work(server, owner, took_long);
		if (verdict == HTTP_ANSWERED)
			continue;
		exchange->was_parked = true;
		/* a wake-up during the handler may have missed this exchange */
		if (wakes == server->wakes)
			exchange_queue_push(&server->parked, exchange);
		else
			push_ready(server, exchange);
	}
	lock_release(&server->lock);
	return NULL;
}

bool work_start(struct http_server *server)
{
	assert(server->worker_count == 0);
	server->workers =
		mem_alloc(server->options.workers, sizeof(*server->workers));
	while (server->worker_count < server->options.workers) {
		if (!thread_start(&server->workers[server->worker_count], NULL,
				  exchange_worker, server))
			return false;
		server->worker_count++;
	}
	return true;
}

static void refuse_stopped(struct http_exchange *exchange)
{
	exchange_refuse(exchange, MHD_HTTP_SERVICE_UNAVAILABLE, "stopped",
			"the daemon is stopping");
}

void work_suspend(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;

	assert(lock_is_held(&server->lock));
	assert(exchange->state != EXCHANGE_WAITS);
	MHD_suspend_connection(exchange->connection);
	exchange->state = EXCHANGE_WAITS;
	push_ready(server, exchange);
	condition_signal(&server->is_wanted);
}

bool work_submit(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	bool is_stopping;
	bool is_full = false;

	assert(!lock_is_held(&server->lock));
	assert(!exchange->is_admitted);
	/* no other thread sees the exchange before it is pushed */
	exchange->begin_us = clock_read_us(CLOCK_MONOTONIC);
	lock_acquire(&server->lock);
	is_stopping = server->is_stopping;
	if (is_stopping)
		server->refused++;
	else
		is_full = !exchange_take(exchange, &server->waiting, 1);
	if (!is_stopping && !is_full) {
		exchange->is_admitted = true;
		server->admitted++;
		work_suspend(exchange);
	}
	lock_release(&server->lock);
	if (is_stopping)
		refuse_stopped(exchange);
	else if (is_full)
		exchange_refuse_busy(
			exchange, "too many requests are waiting "
				  "(pipeline.max_pending_requests); try again");
	return !is_stopping && !is_full;
}

void work_stop(struct http_server *server)
{
	struct http_exchange *exchange;

	assert(!lock_is_held(&server->lock));
	lock_acquire(&server->lock);
	server->is_stopping = true;
	condition_broadcast(&server->is_wanted);
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
	for (size_t i = 0; i < server->worker_count; i++)
		pthread_join(server->workers[i], NULL);
	/* no exchange is pushed now */
	while ((exchange = exchange_queue_pop(&server->ready)) != NULL ||
	       (exchange = exchange_queue_pop(&server->ready_long)) != NULL ||
	       (exchange = exchange_queue_pop(&server->parked)) != NULL) {
		/* a stream ends without a rejection */
		if (exchange->stream == NULL)
			refuse_stopped(exchange);
		exchange_return(exchange);
	}
}
