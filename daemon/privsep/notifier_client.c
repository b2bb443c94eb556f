#include "daemon/privsep/notifier_client.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/schedule.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/notifier_process.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/clock.h"

/*
 * Start the notifier, send its options, and restart it after it has exited,
 * with an increasing delay after consecutive exits.
 */

enum { NOTIFIER_END_BYTES = 128 };

struct notifier_process {
	struct spawner *spawner;
	struct process_options how;
	struct buffer options;  /* head of the first frame */
	struct buffer networks; /* body of the first frame */
	char *ca_file;          /* or NULL */
	struct process process;
	bool is_there;
	uint32_t deaths;     /* consecutive; the caller resets it */
	uint64_t restart_ms; /* earliest restart */
	uint64_t look_ms;    /* next check of the resolver files */
};

enum {
	MAX_ANSWER_BODY = 1,
	READY_MS = 10 * 1000, /* until it has read its options */
	FIRST_PAUSE_MS = 100,
	MAX_PAUSE_MS = 10 * 1000,
	LOOK_MS = 60 * 1000, /* interval of checks of the resolver files */
};

/* Copy the options; start nothing. Without a spawner, a thread runs `role`. */
static void notifier_process_init(struct notifier_process *notifier,
				  struct spawner *spawner,
				  const struct poster_options *options,
				  role_main *role)
{
	const struct notifier_options row = {
		.connect_timeout_ms = options->connect_timeout_ms,
		.timeout_ms = options->timeout_ms,
		.user_agent = message_text(options->user_agent),
		.ca_file = message_text(options->ca_file),
	};

	*notifier = (struct notifier_process){.spawner = spawner};
	notifier->options = row_codec_encode(&notifier_options_layout, &row);
	buffer_append(&notifier->networks, options->allowed,
		      options->allowed_count * sizeof(struct network));
	if (options->ca_file != NULL)
		notifier->ca_file = mem_copy_text(options->ca_file,
						  strlen(options->ca_file));
	notifier->how = (struct process_options){
		.role = ROLE_NOTIFIER,
		.main = role,
		.max_body = MAX_ANSWER_BODY,
		.readable = notifier->ca_file,
	};
}

/* Stop the notifier if it runs. */
static void notifier_process_finish(struct notifier_process *notifier)
{
	if (notifier->is_there)
		process_end(notifier->spawner, &notifier->process, NULL);
	buffer_free(&notifier->options);
	buffer_free(&notifier->networks);
	free(notifier->ca_file);
}

/* Send the options; return false if the notifier cannot use them. */
static bool notifier_handshake(struct notifier_process *notifier)
{
	struct channel *channel = &notifier->process.channel;
	const struct frame_parts options = {
		.kind = NOTIFIER_OPTIONS,
		.head = buffer_slice(&notifier->options),
		.body = buffer_slice(&notifier->networks),
		.file = -1,
	};
	struct notifier_ready ready = {0};
	struct channel_frame frame;
	bool is_ready;

	if (channel_send(channel, &options) != ERR_NONE)
		return false;
	is_ready =
		channel_receive(channel, READY_MS, &frame) == ERR_NONE &&
		frame.kind == NOTIFIER_READY &&
		row_codec_decode(&notifier_ready_layout, frame.head, &ready) &&
		ready.has_failed == 0;
	frame_free(&frame);
	return is_ready;
}

/* Set the earliest restart: immediate after the first exit, then delayed. */
static void count_death(struct notifier_process *notifier, uint64_t now_ms)
{
	notifier->deaths++;
	notifier->restart_ms = now_ms;
	if (notifier->deaths > 1)
		notifier->restart_ms += backoff_ms(FIRST_PAUSE_MS, MAX_PAUSE_MS,
						   notifier->deaths - 1, 0);
}

static void notifier_process_end(struct notifier_process *notifier,
				 const char *complaint, uint64_t now_ms,
				 char reason_out[NOTIFIER_END_BYTES]);

/*
 * Start the notifier. Return false if it is before restart_ms (steady clock),
 * if it cannot be started, or cannot use its options.
 */
static bool notifier_process_start(struct notifier_process *notifier,
				   uint64_t now_ms)
{
	char reason[NOTIFIER_END_BYTES];

	if (now_ms < notifier->restart_ms)
		return false;
	if (process_start(notifier->spawner, &notifier->how,
			  &notifier->process) != ERR_NONE) {
		count_death(notifier, now_ms);
		return false;
	}
	notifier->is_there = true;
	if (!notifier_handshake(notifier))
		notifier_process_end(notifier, "it cannot use its options",
				     now_ms, reason);
	return notifier->is_there;
}

/*
 * The notifier has exited, or must be killed for `complaint` (may be NULL).
 * Return why it ended in `reason_out`.
 */
static void notifier_process_end(struct notifier_process *notifier,
				 const char *complaint, uint64_t now_ms,
				 char reason_out[NOTIFIER_END_BYTES])
{
	char why[PROCESS_END_BYTES];

	process_end(notifier->spawner, &notifier->process, why);
	notifier->is_there = false;
	count_death(notifier, now_ms);
	if (complaint != NULL)
		snprintf(reason_out, NOTIFIER_END_BYTES,
			 "the notifier was stopped: %s", complaint);
	else
		snprintf(reason_out, NOTIFIER_END_BYTES,
			 "the notifier has exited: %s", why);
	log_error_limited("hooks: %s", reason_out);
}

/*
 * Stop the notifier if resolver files were replaced, because it cannot read the
 * new files; the next notifier_process_start() starts it again. Checks once a
 * minute. No request may be running.
 */
static void notifier_process_renew(struct notifier_process *notifier,
				   uint64_t now_ms)
{
	if (!notifier->is_there || now_ms < notifier->look_ms)
		return;
	notifier->look_ms = now_ms + LOOK_MS;
	if (!process_is_outdated(&notifier->process))
		return;
	log_info("restarting the notifier: resolver files were replaced");
	process_end(notifier->spawner, &notifier->process, NULL);
	notifier->is_there = false;
}

enum { SEND_MS = 5 * 1000 /* until the notifier accepts a request */ };

enum slot_state { SLOT_FREE, SLOT_RUNS, SLOT_ENDED };

/* The state of a request, indexed by its number. */
struct post_slot {
	enum slot_state state;
	struct post_result result;
};

struct notifier_client {
	struct notifier_process notifier;
	int wakes; /* eventfd */
	struct post_slot slots[NOTIFIER_MAX_REQUESTS];
	size_t ended;          /* number of slots with is_ended */
	struct pollfd *polled; /* [polled_capacity] */
	size_t polled_capacity;
};

static void end_slot(struct notifier_client *poster, struct post_slot *slot,
		     enum error error, const char *reason)
{
	slot->state = SLOT_ENDED;
	slot->result.error = error;
	snprintf(slot->result.reason, sizeof(slot->result.reason), "%s",
		 reason);
	poster->ended++;
}

/* Stop the notifier and fail all running requests. */
static void notifier_client_stop(struct notifier_client *poster,
				 const char *complaint)
{
	char reason[NOTIFIER_END_BYTES];

	notifier_process_end(&poster->notifier, complaint, clock_steady_ms(),
			     reason);
	for (size_t i = 0; i < NOTIFIER_MAX_REQUESTS; i++)
		if (poster->slots[i].state == SLOT_RUNS)
			end_slot(poster, &poster->slots[i], ERR_NETWORK,
				 reason);
}

struct notifier_client *
notifier_client_create(struct spawner *spawner,
		       const struct poster_options *options, role_main *role)
{
	struct notifier_client *poster = mem_alloc(1, sizeof(*poster));

	notifier_process_init(&poster->notifier, spawner, options, role);
	poster->wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (poster->wakes >= 0 &&
	    notifier_process_start(&poster->notifier, clock_steady_ms()))
		return poster;
	notifier_client_destroy(poster);
	return NULL;
}

void notifier_client_destroy(struct notifier_client *poster)
{
	if (poster == NULL)
		return;
	notifier_process_finish(&poster->notifier);
	if (poster->wakes >= 0)
		close(poster->wakes);
	free(poster->polled);
	free(poster);
}

/* Only ASCII, which is ordered by byte value. */
static bool notifier_is_printable(char byte)
{
	return byte >= ' ' && byte <= '~';
}

/*
 * Copy the reason as one line without control characters, so that it can be
 * shown and stored.
 */
static void copy_reason(struct slice reason, char *out, size_t size)
{
	const char *bytes = reason.data;
	size_t length = reason.size < size ? reason.size : size - 1;

	memset(out, '?', length);
	for (size_t i = 0; i < length; i++)
		if (notifier_is_printable(bytes[i]))
			out[i] = bytes[i];
	out[length] = '\0';
}

/* Return whether poster_next() may return this error. */
static bool is_result_error(int32_t error)
{
	return error == ERR_NONE || error == ERR_TIMEOUT ||
	       error == ERR_NETWORK || error == ERR_MALFORMED ||
	       error == ERR_TOO_LARGE || error == ERR_ADDRESS_FORBIDDEN;
}

/* Store a result; return false if the frame is invalid. */
static bool notifier_client_take_result(struct notifier_client *poster,
					const struct channel_frame *frame)
{
	struct notifier_result row;
	struct post_result *result;
	char reason[sizeof(result->reason)];

	if (frame->kind != NOTIFIER_RESULT || frame->body.size != 0 ||
	    frame->file >= 0 ||
	    !row_codec_decode(&notifier_result_layout, frame->head, &row) ||
	    row.number >= NOTIFIER_MAX_REQUESTS ||
	    poster->slots[row.number].state != SLOT_RUNS ||
	    !is_result_error(row.error) || row.http_status > 999)
		return false;
	copy_reason(row.reason, reason, sizeof(reason));
	result = &poster->slots[row.number].result;
	result->http_status = (uint16_t)row.http_status;
	end_slot(poster, &poster->slots[row.number], (enum error)row.error,
		 reason);
	if (row.error == ERR_NONE)
		poster->notifier.deaths = 0;
	if (row.error == ERR_NETWORK)
		poster->notifier.look_ms =
			0; /* resolver files may be outdated */
	return true;
}

/* Process all received results. */
static void notifier_client_take_results(struct notifier_client *poster)
{
	struct channel_frame frame;
	enum error error = ERR_NONE;

	while (poster->notifier.is_there && error != ERR_TIMEOUT) {
		bool is_right;

		error = channel_receive(&poster->notifier.process.channel, 0,
					&frame);
		is_right = error == ERR_TIMEOUT ||
			   (error == ERR_NONE &&
			    notifier_client_take_result(poster, &frame));
		frame_free(&frame);
		if (!is_right)
			notifier_client_stop(
				poster, error == ERR_STOPPED
						? NULL
						: "it sent an invalid frame");
	}
}

/*
 * Wait until the notifier accepts a request. Read results meanwhile, so that
 * the two do not wait for each other.
 */
static void notifier_client_wait_for_room(struct notifier_client *poster)
{
	uint64_t until_ms = clock_steady_ms() + SEND_MS;
	struct pollfd wanted = {.events = POLLIN | POLLOUT};

	while (poster->notifier.is_there) {
		int ready;

		wanted.fd = poster->notifier.process.channel.socket;
		ready = poll(&wanted, 1, SEND_MS);
		if (ready > 0 && (wanted.revents & ~POLLOUT) != 0)
			notifier_client_take_results(poster);
		else if (ready > 0)
			return;
		else if (clock_steady_ms() >= until_ms)
			notifier_client_stop(poster, "it accepts no requests");
	}
}

static struct post_slot *take_slot(struct notifier_client *poster,
				   const struct post_request *request)
{
	for (size_t i = 0; i < NOTIFIER_MAX_REQUESTS; i++) {
		struct post_slot *slot = &poster->slots[i];

		if (slot->state != SLOT_FREE)
			continue;
		*slot = (struct post_slot){.state = SLOT_RUNS,
					   .result.context = request->context};
		return slot;
	}
	return NULL;
}

static struct buffer join_headers(const struct post_request *request)
{
	struct buffer lines = {0};

	for (size_t i = 0; i < MAX_POST_HEADERS && request->headers[i] != NULL;
	     i++)
		buffer_append_slice(&lines, message_text(request->headers[i]));
	return lines;
}

static void send_post(struct notifier_client *poster, struct post_slot *slot,
		      const struct post_request *request)
{
	struct buffer lines = join_headers(request);
	const struct notifier_post row = {
		.number = (uint32_t)(slot - poster->slots),
		.url = message_text(request->url),
		.headers = buffer_slice(&lines),
	};
	struct buffer head = row_codec_encode(&notifier_post_layout, &row);
	enum error error;

	if (head.size > FRAME_MAX_HEAD ||
	    request->body.size > NOTIFIER_MAX_BODY) {
		end_slot(poster, slot, ERR_TOO_LARGE,
			 "the request is too large");
	} else {
		error = channel_send(
			&poster->notifier.process.channel,
			&(struct frame_parts){.kind = NOTIFIER_POST,
					      .head = buffer_slice(&head),
					      .body = request->body,
					      .file = -1});
		if (error == ERR_STOPPED)
			notifier_client_stop(poster, NULL);
		else if (error != ERR_NONE)
			end_slot(poster, slot, error,
				 "no memory or descriptor for the notifier");
	}
	buffer_free(&head);
	buffer_free(&lines);
}

static bool notifier_client_is_busy(const struct notifier_client *poster)
{
	for (size_t i = 0; i < NOTIFIER_MAX_REQUESTS; i++)
		if (poster->slots[i].state == SLOT_RUNS)
			return true;
	return false;
}

bool notifier_client_start(struct notifier_client *poster,
			   const struct post_request *request)
{
	struct post_slot *slot;

	if (!notifier_client_is_busy(poster))
		notifier_process_renew(&poster->notifier, clock_steady_ms());
	notifier_client_wait_for_room(poster);
	slot = take_slot(poster, request);
	if (slot == NULL)
		return false;
	if (poster->notifier.is_there ||
	    notifier_process_start(&poster->notifier, clock_steady_ms()))
		send_post(poster, slot, request);
	else
		end_slot(poster, slot, ERR_BUSY,
			 "the notifier has exited; it restarts soon");
	return true;
}

/* Wait for the notifier, the descriptors, or notifier_client_wake(). */
static void wait_for_any(struct notifier_client *poster, int timeout_ms,
			 const int *files, size_t count)
{
	size_t used = 0;
	uint64_t wakes;

	if (count + 2 > poster->polled_capacity) {
		poster->polled = mem_resize(poster->polled, count + 2,
					    sizeof(*poster->polled));
		poster->polled_capacity = count + 2;
	}
	poster->polled[used++] =
		(struct pollfd){.fd = poster->wakes, .events = POLLIN};
	if (poster->notifier.is_there)
		poster->polled[used++] = (struct pollfd){
			.fd = poster->notifier.process.channel.socket,
			.events = POLLIN};
	for (size_t i = 0; i < count; i++)
		poster->polled[used++] =
			(struct pollfd){.fd = files[i], .events = POLLIN};
	poll(poster->polled, used, timeout_ms);
	/* Resets the counter, if it is not 0. */
	(void)!read(poster->wakes, &wakes, sizeof(wakes));
}

void notifier_client_run(struct notifier_client *poster, uint32_t timeout_ms,
			 const int *files, size_t count)
{
	int wait = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;

	assert(count <= MAX_POST_FILES);
	notifier_client_take_results(poster);
	if (poster->ended > 0)
		return;
	wait_for_any(poster, wait, files, count);
	notifier_client_take_results(poster);
}

bool notifier_client_next(struct notifier_client *poster,
			  struct post_result *result_out)
{
	for (size_t i = 0; poster->ended > 0 && i < NOTIFIER_MAX_REQUESTS;
	     i++) {
		struct post_slot *slot = &poster->slots[i];

		if (slot->state != SLOT_ENDED)
			continue;
		*result_out = slot->result;
		slot->state = SLOT_FREE;
		poster->ended--;
		return true;
	}
	return false;
}

void notifier_client_wake(struct notifier_client *poster)
{
	const uint64_t one = 1;

	/* This fails if 2^64 wakes are pending: it is awake. */
	(void)!write(poster->wakes, &one, sizeof(one));
}
