#include "daemon/privsep/fetcher_client.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/schedule.h"
#include "crawl/sitemap.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"

enum {
	MAX_ENDS = 3,         /* a request fails when the process exits for
				 this time */
	READY_MS = 30 * 1000, /* time until the process has read the CA
				 certificates */
	SEND_MS = 10 * 1000,  /* time until the process has read enough for
				 the socket to have space */
	SLACK_MS = 30 * 1000, /* added to the time limit of a response */
	CALM_MS = 60 * 1000, /* a process that ran this long does not count as a
				repeated exit */
	FIRST_PAUSE_MS = 1000, /* delay before the second restart */
	LOOK_MS = 60 * 1000,   /* interval of checks of the resolver files */
	MAX_PAUSE_MS = 64 * 1000,
	FIRST_POST_PAUSE_MS = 100, /* the delays of the notifier */
	MAX_POST_PAUSE_MS = 10 * 1000,
	DEFAULT_BODY_BYTES = 8 * 1024 * 1024, /* the defaults of fetch.c */
	DEFAULT_TOTAL_MS = 60 * 1000,
	WHY_BYTES = PROCESS_END_BYTES + 64,
};

struct fetcher_client_request {
	struct fetcher_client_request *next;
	uint64_t id;
	struct buffer order; /* the encoded request */
	struct slice body;   /* body of a POST; valid until it is sent */
	struct buffer copy;  /* of fetch_request.body */
	struct fetch_expectation expected;
	struct cookies *cookies; /* owned by the caller, or NULL */
	uint64_t sent_ms;
	unsigned ends; /* number of times the process has exited during this
			  request */
	unsigned max_ends;
	struct fetch_result result;
};

struct request_queue {
	struct fetcher_client_request *first;
	struct fetcher_client_request *
		*end; /* address of the next pointer of the last request */
};

struct fetcher_client {
	struct spawner *spawner;
	struct process_options role;
	struct buffer options; /* head of FETCH_OPTIONS */
	struct buffer authorities;
	bool keeps_headers;
	uint64_t max_body_bytes; /* default limit of a response body */
	uint64_t max_answer_ms;
	struct process process; /* valid while is_up */
	bool is_up;
	uint64_t up_ms;   /* time when the process was started */
	unsigned ends;    /* number of consecutive exits */
	uint64_t next_ms; /* earliest time of the next start */
	uint64_t look_ms; /* next check of the resolver files */
	int wake;         /* eventfd, see fetcher_client_wake() */
	uint64_t last_id; /* id of the last request */
	struct request_queue unsent;
	struct request_queue sent;
	struct request_queue ended;
	size_t running;   /* number of requests in `unsent` and `sent` */
	size_t waiting;   /* last number of waiting requests sent to the
			     process; 0 after a response */
	uint64_t answers; /* number of responses of the process */
};

static void queue_push(struct request_queue *queue,
		       struct fetcher_client_request *request)
{
	request->next = NULL;
	*queue->end = request;
	queue->end = &request->next;
}

/* Remove the request that `*link` points to, and return it. */
static struct fetcher_client_request *
queue_take(struct request_queue *queue, struct fetcher_client_request **link)
{
	struct fetcher_client_request *request = *link;

	assert(request != NULL);
	*link = request->next;
	if (*link == NULL)
		queue->end = link;
	return request;
}

static void queue_free(struct request_queue *queue)
{
	while (queue->first != NULL) {
		struct fetcher_client_request *request =
			queue_take(queue, &queue->first);

		buffer_free(&request->order);
		buffer_free(&request->copy);
		fetch_result_free(&request->result);
		free(request);
	}
}

/* Move a request that has its result to the ended ones. */
static void end_request(struct fetcher_client *remote,
			struct fetcher_client_request *request)
{
	assert(remote->running > 0);
	remote->running--;
	queue_push(&remote->ended, request);
}

static void fetcher_client_fail_request(struct fetcher_client *remote,
					struct fetcher_client_request *request,
					enum error error, const char *reason)
{
	request->result.error = error;
	snprintf(request->result.reason, sizeof(request->result.reason), "%s",
		 reason);
	end_request(remote, request);
}

/* Queue the requests of `again` before the unsent ones. */
static void send_again(struct fetcher_client *remote,
		       struct request_queue *again)
{
	if (again->first == NULL)
		return;
	*again->end = remote->unsent.first;
	if (remote->unsent.first == NULL)
		remote->unsent.end = again->end;
	remote->unsent.first = again->first;
}

/*
 * The process has exited: queue its requests again, before the unsent ones. Let
 * those fail that have reached max_ends.
 */
static void return_requests(struct fetcher_client *remote, const char *why)
{
	struct request_queue again = {.end = &again.first};

	while (remote->sent.first != NULL) {
		struct fetcher_client_request *request =
			queue_take(&remote->sent, &remote->sent.first);

		if (++request->ends < request->max_ends)
			queue_push(&again, request);
		else
			fetcher_client_fail_request(remote, request,
						    ERR_NETWORK, why);
	}
	send_again(remote, &again);
}

/* Set the earliest time of the next start. */
static void fetcher_client_set_restart(struct fetcher_client *remote,
				       uint64_t now_ms)
{
	bool is_notifier = remote->role.role == ROLE_NOTIFIER;

	if (now_ms - remote->up_ms >= CALM_MS)
		remote->ends = 0;
	remote->next_ms = now_ms;
	if (remote->ends > 0)
		remote->next_ms += backoff_ms(
			is_notifier ? FIRST_POST_PAUSE_MS : FIRST_PAUSE_MS,
			is_notifier ? MAX_POST_PAUSE_MS : MAX_PAUSE_MS,
			remote->ends, 0);
	remote->ends++;
}

/*
 * Stop the process. `what` is its violation of the protocol; NULL = it has
 * exited.
 */
static void lose_process(struct fetcher_client *remote, const char *what)
{
	char end[PROCESS_END_BYTES];
	char why[WHY_BYTES];

	process_end(remote->spawner, &remote->process, end);
	remote->is_up = false;
	snprintf(why, sizeof(why), "the %s %s%s", role_name(remote->role.role),
		 what == NULL ? "has exited: " : "was stopped: it ",
		 what == NULL ? end : what);
	log_error_limited("%s", why);
	fetcher_client_set_restart(remote, clock_steady_ms());
	return_requests(remote, why);
}

/* Send the options and wait until the process is ready. */
static bool fetcher_client_handshake(struct fetcher_client *remote)
{
	struct channel *channel = &remote->process.channel;
	struct channel_frame frame = {.file = -1};
	bool is_ready =
		channel_send(channel,
			     &(struct frame_parts){
				     .kind = FETCH_OPTIONS,
				     .head = buffer_slice(&remote->options),
				     .body = buffer_slice(&remote->authorities),
				     .file = -1,
			     }) == ERR_NONE &&
		channel_receive(channel, READY_MS, &frame) == ERR_NONE &&
		frame.kind == FETCH_READY;

	frame_free(&frame);
	return is_ready;
}

/*
 * Count a failed start as an exit for the unsent requests, too; otherwise they
 * would wait forever.
 */
static void fail_start(struct fetcher_client *remote)
{
	char why[WHY_BYTES];

	snprintf(why, sizeof(why), "the %s cannot start: see the log",
		 role_name(remote->role.role));
	while (remote->unsent.first != NULL)
		queue_push(&remote->sent,
			   queue_take(&remote->unsent, &remote->unsent.first));
	fetcher_client_set_restart(remote, clock_steady_ms());
	return_requests(remote, why);
}

static void fetcher_client_start_process(struct fetcher_client *remote)
{
	char end[PROCESS_END_BYTES];

	assert(!remote->is_up);
	remote->up_ms = clock_steady_ms();
	remote->waiting = 0;
	remote->answers = 0;
	if (process_start(remote->spawner, &remote->role, &remote->process) !=
	    ERR_NONE) {
		fail_start(remote);
		return;
	}
	remote->is_up = fetcher_client_handshake(remote);
	if (remote->is_up)
		return;
	process_end(remote->spawner, &remote->process, end);
	log_error("the %s failed to start: %s", role_name(remote->role.role),
		  end);
	fail_start(remote);
}

static struct fetcher_client_request **
find_request(struct fetcher_client *remote, uint64_t id)
{
	struct fetcher_client_request **link = &remote->sent.first;

	while (*link != NULL && (*link)->id != id)
		link = &(*link)->next;
	return link;
}

/*
 * Store the result of a request. Return false if the frame is not a valid
 * response to a request.
 */
static bool fetcher_client_take_result(struct fetcher_client *remote,
				       const struct channel_frame *frame)
{
	struct fetcher_client_request **link;
	struct fetcher_client_request *request;
	struct fetch_result result;
	struct slice cookies;
	uint64_t id;

	if (frame->kind != FETCH_RESULT || frame->file >= 0 ||
	    !fetch_result_id(frame->head, &id))
		return false;
	link = find_request(remote, id);
	if (*link == NULL ||
	    !fetch_result_decode(frame, &(*link)->expected, &result, &cookies))
		return false;
	request = queue_take(&remote->sent, link);
	result.context = request->result.context;
	request->result = result;
	if (request->cookies != NULL) {
		buffer_clear(&request->cookies->lines);
		buffer_append_slice(&request->cookies->lines, cookies);
	}
	remote->waiting = 0; /* a response frees a connection; the fetcher
				resets its count, too */
	remote->answers++;
	if (result.error == ERR_NONE && remote->role.role == ROLE_NOTIFIER)
		remote->ends = 0;
	if (error_is_network(result.error))
		remote->look_ms = 0; /* the cause may be an outdated file of the
					resolver */
	end_request(remote, request);
	return true;
}

/* Handle the responses that have arrived. */
static void fetcher_client_receive(struct fetcher_client *remote)
{
	while (remote->is_up) {
		struct channel_frame frame;
		enum error error =
			channel_receive(&remote->process.channel, 0, &frame);
		bool is_answer;

		if (error == ERR_TIMEOUT)
			return;
		is_answer = error == ERR_NONE &&
			    fetcher_client_take_result(remote, &frame);
		frame_free(&frame);
		if (error == ERR_STOPPED)
			lose_process(remote, NULL);
		else if (!is_answer)
			lose_process(remote, "sent an invalid response");
	}
}

/*
 * Wait until the socket may have space for a frame, at most until `until_ms`.
 * Read responses meanwhile, because the process may block until they are read.
 */
static void fetcher_client_wait_for_room(struct fetcher_client *remote,
					 uint64_t until_ms)
{
	struct pollfd ready = {.fd = remote->process.channel.socket,
			       .events = POLLIN | POLLOUT};
	uint64_t now_ms = clock_steady_ms();

	if (now_ms >= until_ms) {
		lose_process(remote, "does not read its requests");
		return;
	}
	poll(&ready, 1, (int)(until_ms - now_ms));
	if ((ready.revents & ~POLLOUT) != 0)
		fetcher_client_receive(remote);
}

/* Send a frame. ERR_IO: there is no memory or no descriptor for the body. */
static enum error send_frame(struct fetcher_client *remote,
			     enum fetch_frame kind, struct slice head,
			     struct slice body)
{
	const struct frame_parts parts = {
		.kind = kind, .head = head, .body = body, .file = -1};
	uint64_t until_ms = clock_steady_ms() + SEND_MS;
	enum error error = ERR_BUSY;

	while (error == ERR_BUSY && remote->is_up) {
		error = channel_offer(&remote->process.channel, &parts);
		if (error == ERR_BUSY)
			fetcher_client_wait_for_room(remote, until_ms);
		else if (error == ERR_STOPPED)
			lose_process(remote, NULL);
	}
	return error;
}

/*
 * Send the unsent requests. If there is no process, start one first if it is
 * due.
 */
static void send_requests(struct fetcher_client *remote)
{
	uint64_t now_ms = clock_steady_ms();

	if (!remote->is_up && remote->unsent.first != NULL &&
	    now_ms >= remote->next_ms)
		fetcher_client_start_process(remote);
	while (remote->is_up && remote->unsent.first != NULL) {
		struct fetcher_client_request *request =
			queue_take(&remote->unsent, &remote->unsent.first);

		request->sent_ms = now_ms;
		queue_push(&remote->sent, request);
		if (send_frame(remote, FETCH_START,
			       buffer_slice(&request->order),
			       request->body) == ERR_IO)
			fetcher_client_fail_request(
				remote,
				queue_take(&remote->sent,
					   find_request(remote, request->id)),
				ERR_IO, "no memory or descriptor to send it");
	}
}

/* Return whether the process has a request that may be sent only once. */
static bool has_sent_post(const struct fetcher_client *remote)
{
	const struct fetcher_client_request *request = remote->sent.first;

	while (request != NULL && request->body.size == 0)
		request = request->next;
	return request != NULL;
}

/*
 * Replace the process if it cannot read the current files of the resolver, and
 * send its requests to the new process.
 */
static void check_resolver(struct fetcher_client *remote)
{
	struct request_queue again = {.end = &again.first};
	uint64_t now_ms = clock_steady_ms();

	if (!remote->is_up || now_ms < remote->look_ms ||
	    (remote->sent.first != NULL &&
	     remote->role.role == ROLE_NOTIFIER) ||
	    has_sent_post(remote))
		return;
	remote->look_ms = now_ms + LOOK_MS;
	if (!process_is_outdated(&remote->process))
		return;
	log_info("restarting the %s: resolver files were replaced",
		 role_name(remote->role.role));
	process_end(remote->spawner, &remote->process, NULL);
	remote->is_up = false;
	while (remote->sent.first != NULL)
		queue_push(&again,
			   queue_take(&remote->sent, &remote->sent.first));
	send_again(remote, &again);
}

static bool read_authorities(struct fetcher_client *remote, const char *path)
{
	enum error error;

	if (path == NULL)
		return true;
	error = file_read(path, MAX_CA_BYTES, &remote->authorities);
	if (error != ERR_NONE)
		log_error("%s: crawl.ca_file %s: cannot read the "
			  "certificates: %s",
			  role_name(remote->role.role), path,
			  file_error_text(error));
	return error == ERR_NONE;
}

static void fetcher_client_set_limits(struct fetcher_client *remote,
				      const struct fetch_options *options)
{
	uint64_t total_ms = options->total_timeout_ms == 0
				    ? DEFAULT_TOTAL_MS
				    : options->total_timeout_ms;
	uint64_t body = options->max_body_bytes == 0 ? DEFAULT_BODY_BYTES
						     : options->max_body_bytes;

	remote->keeps_headers = options->keeps_headers;
	remote->max_body_bytes = body;
	remote->max_answer_ms = 2 * total_ms + SLACK_MS;
	if (body < MAX_SITEMAP_ENTRIES_BYTES &&
	    remote->role.role == ROLE_FETCHER)
		body = MAX_SITEMAP_ENTRIES_BYTES;
	remote->role.max_body =
		body + FETCH_MAX_HEAD_BYTES + FETCH_MAX_REQUEST_BYTES;
}

struct fetcher_client *
fetcher_client_create(const struct fetcher_client_options *options)
{
	struct fetcher_client *remote = mem_alloc(1, sizeof(*remote));

	remote->spawner = options->spawner;
	remote->role = (struct process_options){
		.role = options->is_notifier ? ROLE_NOTIFIER : ROLE_FETCHER,
		.main = options->main == NULL ? fetcher_main : options->main,
	};
	fetcher_client_set_limits(remote, &options->fetch);
	remote->options = fetch_options_encode(&options->fetch);
	remote->unsent.end = &remote->unsent.first;
	remote->sent.end = &remote->sent.first;
	remote->ended.end = &remote->ended.first;
	remote->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (remote->wake >= 0 &&
	    read_authorities(remote, options->fetch.ca_file))
		fetcher_client_start_process(remote);
	if (remote->is_up)
		return remote;
	fetcher_client_destroy(remote);
	return NULL;
}

void fetcher_client_destroy(struct fetcher_client *remote)
{
	if (remote == NULL)
		return;
	if (remote->is_up)
		process_end(remote->spawner, &remote->process, NULL);
	queue_free(&remote->unsent);
	queue_free(&remote->sent);
	queue_free(&remote->ended);
	buffer_free(&remote->options);
	buffer_free(&remote->authorities);
	if (remote->wake >= 0)
		close(remote->wake);
	free(remote);
}

void fetcher_client_start(struct fetcher_client *remote,
			  const struct fetch_request *request, bool is_sitemap)
{
	struct fetcher_client_request *made = mem_alloc(1, sizeof(*made));

	assert(request->sink == NULL);
	check_resolver(remote);
	made->id = ++remote->last_id;
	made->order = fetch_message_encode(made->id, request, is_sitemap);
	made->max_ends = MAX_ENDS;
	if (request->post != NULL) {
		made->body = request->post->body;
		made->max_ends = 1;
	} else if (request->body.size > 0) {
		buffer_append_slice(&made->copy, request->body);
		made->body = buffer_slice(&made->copy);
		made->max_ends = 1;
	}
	made->cookies = request->cookies;
	made->result.context = request->context;
	made->expected = (struct fetch_expectation){
		.max_body_bytes = request->max_body_bytes == 0
					  ? remote->max_body_bytes
					  : request->max_body_bytes,
		.is_conditional = request_is_conditional(request),
		.is_post = request->post != NULL,
		.is_sitemap = is_sitemap,
		.has_cookies = request->cookies != NULL,
		.keeps_headers = remote->keeps_headers,
	};
	remote->running++;
	if (made->order.size > FRAME_MAX_HEAD ||
	    made->body.size > FETCH_MAX_POST_BYTES ||
	    made->copy.size > MAX_FETCH_BODY) {
		fetcher_client_fail_request(remote, made, ERR_TOO_LARGE,
					    "the request is too long");
		return;
	}
	queue_push(&remote->unsent, made);
	send_requests(remote);
	if (request->post != NULL && remote->unsent.first != NULL)
		fetcher_client_fail_request(
			remote,
			queue_take(&remote->unsent, &remote->unsent.first),
			ERR_BUSY, "the process has exited; it restarts soon");
}

/* Wait for a response, fetcher_client_wake(), or a readable descriptor. */
static void wait_for_answer(struct fetcher_client *remote, uint64_t timeout_ms,
			    const int *files, size_t count)
{
	struct pollfd ready[2 + FETCHER_CLIENT_MAX_FILES] = {
		{.fd = remote->wake, .events = POLLIN},
		{.fd = remote->is_up ? remote->process.channel.socket : -1,
		 .events = POLLIN},
	};
	uint64_t now_ms = clock_steady_ms();
	uint64_t wakes;

	if (!remote->is_up && remote->unsent.first != NULL) {
		uint64_t pause_ms =
			remote->next_ms > now_ms ? remote->next_ms - now_ms : 0;

		timeout_ms = pause_ms < timeout_ms ? pause_ms : timeout_ms;
	}
	for (size_t i = 0; i < count; i++)
		ready[2 + i] =
			(struct pollfd){.fd = files[i], .events = POLLIN};
	poll(ready, 2 + count, (int)timeout_ms);
	if (ready[0].revents != 0 &&
	    read(remote->wake, &wakes, sizeof(wakes)) < 0)
		return; /* the wake-up was read already */
}

void fetcher_client_run(struct fetcher_client *remote, uint32_t timeout_ms,
			const int *files, size_t count)
{
	enum { MAX_WAIT_MS = 24 * 60 * 60 * 1000 };

	assert(count <= FETCHER_CLIENT_MAX_FILES);
	send_requests(remote);
	if (remote->ended.first != NULL)
		return;
	wait_for_answer(remote,
			timeout_ms < MAX_WAIT_MS ? timeout_ms : MAX_WAIT_MS,
			files, count);
	fetcher_client_receive(remote);
	if (remote->sent.first != NULL &&
	    clock_steady_ms() - remote->sent.first->sent_ms >
		    remote->max_answer_ms)
		lose_process(remote, "does not respond");
	check_resolver(remote);
	send_requests(remote);
}

bool fetcher_client_next(struct fetcher_client *remote,
			 struct fetch_result *result_out)
{
	struct fetcher_client_request *request;

	if (remote->ended.first == NULL)
		return false;
	request = queue_take(&remote->ended, &remote->ended.first);
	*result_out = request->result;
	buffer_free(&request->order);
	buffer_free(&request->copy);
	free(request);
	return true;
}

/* Stop the process, which is faster than to send it a message. */
void fetcher_client_abort(struct fetcher_client *remote)
{
	struct request_queue *const queues[] = {&remote->sent, &remote->unsent};

	if (remote->is_up && remote->sent.first != NULL) {
		process_end(remote->spawner, &remote->process, NULL);
		remote->is_up = false;
	}
	for (size_t i = 0; i < 2; i++)
		while (queues[i]->first != NULL)
			fetcher_client_fail_request(
				remote,
				queue_take(queues[i], &queues[i]->first),
				ERR_STOPPED, error_text(ERR_STOPPED));
}

void fetcher_client_report_backlog(struct fetcher_client *remote,
				   size_t waiting)
{
	const struct fetch_backlog backlog = {waiting, remote->answers};
	struct buffer head;

	if (!remote->is_up || waiting == remote->waiting)
		return;
	remote->waiting = waiting;
	head = row_codec_encode(&fetch_backlog_layout, &backlog);
	send_frame(remote, FETCH_BACKLOG, buffer_slice(&head),
		   (struct slice){NULL, 0});
	buffer_free(&head);
}

size_t fetcher_client_running(const struct fetcher_client *remote)
{
	return remote->running;
}

void fetcher_client_wake(struct fetcher_client *remote)
{
	const uint64_t one = 1;

	if (write(remote->wake, &one, sizeof(one)) < 0)
		return; /* the counter is full, so the thread will wake up */
}
