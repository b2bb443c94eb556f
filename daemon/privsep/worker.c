#include <malloc.h>
#include <stdlib.h>

#include "base/compress.h"
#include "base/memory.h"
#include "daemon/privsep/frame.h"
#include "daemon/privsep/learned.h"
#include "daemon/privsep/task_parts.h"

enum {
	LARGE_BYTES = 1 << 20, /* request size above which to return free memory
				  to the system */
	MAX_HELD = 32,         /* responses to collect before sending */
	/*
	 * zstd level: half the time of COMPRESS_LEVEL for 5 % more bytes, until
	 * the page is compressed again with its template's dictionary
	 */
	FIRST_LEVEL = 1,
};

struct worker *worker_create(void)
{
	return mem_alloc(1, sizeof(struct worker));
}

void worker_destroy(struct worker *worker)
{
	if (worker == NULL)
		return;
	packer_destroy(worker->packer);
	model_cache_destroy(worker->learned);
	free(worker);
}

struct packer *worker_packer(struct worker *worker)
{
	if (worker->packer == NULL)
		worker->packer =
			packer_create((struct slice){NULL, 0}, FIRST_LEVEL);
	return worker->packer;
}

struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes)
{
	if (worker->learned == NULL)
		worker->learned = model_cache_create(max_bytes);
	return worker->learned;
}

/* Send a request to the main process, at the other end of the channel. */
static bool ask_keeper(void *context, const struct task_request *inquiry,
		       struct message *answer)
{
	struct channel *channel = context;
	struct channel_frame frame;
	bool is_answer;
	enum error error = channel_send(
		channel, &(struct frame_parts){.kind = FRAME_ASK +
						       (uint32_t)inquiry->kind,
					       .head = inquiry->head,
					       .body = inquiry->body,
					       .file = -1});

	if (error == ERR_NONE)
		error = channel_receive(channel, -1, &frame);
	if (error != ERR_NONE)
		return false;
	is_answer = frame.kind == FRAME_ASK_DONE;
	buffer_append_slice(&answer->head, frame.head);
	buffer_append_slice(&answer->body, frame.body);
	frame_free(&frame);
	return is_answer;
}

/*
 * Responses that are sent together when no request is waiting, so that the main
 * process wakes once for all of them.
 */
struct pending_responses {
	struct message answers[MAX_HELD];
	size_t count;
};

static enum error send_held(const struct channel *channel,
			    struct pending_responses *held)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < held->count; i++) {
		const struct frame_parts parts = {
			.kind = FRAME_TASK_DONE,
			.head = buffer_slice(&held->answers[i].head),
			.body = buffer_slice(&held->answers[i].body),
			.file = -1,
		};

		if (error == ERR_NONE)
			error = channel_send(channel, &parts);
		message_free(&held->answers[i]);
	}
	held->count = 0;
	return error;
}

/* Run the task of the frame and collect its response. */
static enum error worker_serve(struct worker *worker, struct channel *asks,
			       const struct channel_frame *frame,
			       struct pending_responses *held)
{
	struct task task = {
		.kind = frame->kind,
		.head = frame->head,
		.body = frame->body,
		.worker = worker,
		.serve = ask_keeper,
		.serve_context = asks,
	};
	struct message *answer = &held->answers[held->count++];
	enum error error = task_run(&task, answer);

	if (task.has_stopped)
		error = ERR_STOPPED;
	if (error == ERR_NONE && held->count == MAX_HELD)
		error = send_held(asks, held);
	return error;
}

/* Receive the next request. Send the collected responses before blocking. */
static enum error worker_receive(struct channel *requests,
				 struct pending_responses *held,
				 struct channel_frame *frame)
{
	enum error error = ERR_TIMEOUT;

	if (held->count > 0)
		error = channel_receive(requests, 0, frame);
	if (error != ERR_TIMEOUT)
		return error;
	error = send_held(requests, held);
	return error == ERR_NONE ? channel_receive(requests, -1, frame) : error;
}

void worker_main(int socket)
{
	struct channel requests =
		channel_without_files(socket, MAX_REQUEST_BYTES);
	/*
	 * With its own buffer: the request remains valid while the task sends
	 * requests.
	 */
	struct channel asks = channel_without_files(socket, MAX_REQUEST_BYTES);
	struct worker *worker = worker_create();
	struct pending_responses held = {0};
	enum error error = ERR_NONE;
	struct channel_frame frame;

	while (error == ERR_NONE &&
	       worker_receive(&requests, &held, &frame) == ERR_NONE) {
		size_t size = frame.body.size;

		error = worker_serve(worker, &asks, &frame, &held);
		frame_free(&frame);
		if (size >= LARGE_BYTES)
			malloc_trim(0);
	}
	for (size_t i = 0; i < held.count; i++)
		message_free(&held.answers[i]);
	worker_destroy(worker);
	free(asks.room);
	channel_close(&requests);
}
