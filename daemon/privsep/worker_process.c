#include "daemon/privsep/worker_process.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/model_cache.h"
#include "extract/methods/ridge.h"
#include "template/extraction.h"

static bool site_client_find_page(void *context, const struct url *url,
				  struct known_page *page_out)
{
	struct site_client *site = context;
	struct known_field found = {0};
	struct message answer;
	bool is_found = task_send_request(site->task,
					  &(struct task_request){
						  .kind = ASK_FIND,
						  .head = slice_of(url->text)},
					  &answer) &&
			row_codec_decode(&known_field_layout,
					 buffer_slice(&answer.head), &found) &&
			found.is_found != 0;

	*page_out = (struct known_page){0};
	if (is_found) {
		*page_out = known_of_field(&found);
		page_out->charset.data = arena_copy(
			site->arena, found.charset.data, found.charset.size);
	}
	message_free(&answer);
	return is_found;
}

/* Encode a query as the message ASK_SITE. */
static struct message question_of(const struct site_query *question)
{
	struct message message = {0};
	struct buffer known = {0};
	struct site_question_field row = {
		.fragment_count = question->count,
		.is_known = question->known != NULL,
		.url = slice_of(question->url == NULL ? ""
						      : question->url->text),
	};

	if (question->known != NULL) {
		const struct known_field field =
			known_to_field(question->known);

		known = row_codec_encode(&known_field_layout, &field);
	}
	row.known = buffer_slice(&known);
	message.head = row_codec_encode(&site_question_field_layout, &row);
	buffer_free(&known);
	buffer_append(&message.body, question->fragments,
		      question->count * sizeof(*question->fragments));
	buffer_append(&message.body, question->own.shingles,
		      question->own.count * sizeof(*question->own.shingles));
	return message;
}

/* Decode the response to ASK_SITE. ERR_STOPPED: it is invalid. */
static enum error site_client_read_response(struct site_client *site,
					    const struct message *message,
					    uint32_t count,
					    struct site_query_result *answer)
{
	struct site_answer_field row;
	size_t size = count * sizeof(*answer->frequencies);

	if (!row_codec_decode(&site_answer_field_layout,
			      buffer_slice(&message->head), &row) ||
	    (row.error == ERR_NONE && row.cluster != 0 &&
	     message->body.size != size))
		return ERR_STOPPED;
	if (row.error != ERR_NONE)
		return (enum error)row.error;
	site->view.generation = row.generation;
	answer->generation = row.generation;
	answer->is_there = row.is_there != 0;
	answer->cluster = row.cluster;
	answer->page_count = row.page_count;
	answer->changes = row.changes;
	if (row.cluster != 0 && size > 0)
		memcpy(answer->frequencies, message->body.data, size);
	return ERR_NONE;
}

/*
 * Fill in the frequencies from the data that was sent with the task. Return
 * false if this data has not all fragments.
 */
static bool find_told(const struct page_site_data *told,
		      const struct site_query *question, uint32_t *frequencies)
{
	for (uint32_t i = 0; told->cluster != 0 && i < question->count; i++) {
		size_t at = sorted_find(told->fragments, told->count,
					question->fragments[i]);

		if (at == told->count)
			return false;
		frequencies[i] = told->frequencies[at];
	}
	return true;
}

/*
 * Answer a query from the data that was sent with the task. Return false if
 * only the main process can answer it.
 */
static bool site_client_has_data(const struct site_client *site,
				 const struct site_query *question,
				 struct site_query_result *answer)
{
	const struct page_site_data *told = &site->told;

	if (question->known == NULL || !told->is_there ||
	    !find_told(told, question, answer->frequencies))
		return false;
	answer->is_there = true;
	answer->cluster = told->cluster;
	answer->page_count = told->page_count;
	answer->changes = told->changes;
	answer->generation = site->view.generation;
	return true;
}

static enum error site_client_query(void *context,
				    const struct site_query *question,
				    struct site_query_result *answer_out)
{
	struct site_client *site = context;
	struct message asked;
	struct message answer;
	enum error error = ERR_STOPPED;

	if (site_client_has_data(site, question, answer_out))
		return ERR_NONE;
	asked = question_of(question);
	if (task_send_request(
		    site->task,
		    &(struct task_request){.kind = ASK_SITE,
					   .head = buffer_slice(&asked.head),
					   .body = buffer_slice(&asked.body)},
		    &answer))
		error = site_client_read_response(site, &answer,
						  question->count, answer_out);
	message_free(&asked);
	message_free(&answer);
	return error;
}

/*
 * Request the sample of a cluster; a sample_reader. ERR_STOPPED: there was no
 * valid response.
 */
static enum error site_client_read_sample(void *context, uint32_t cluster,
					  struct buffer *list,
					  uint32_t *changes_out)
{
	struct site_client *site = context;
	const struct number_field number = {cluster};
	struct buffer head = row_codec_encode(&number_field_layout, &number);
	struct sample_field row = {.error = ERR_STOPPED};
	struct message answer;

	if (!task_send_request(
		    site->task,
		    &(struct task_request){.kind = ASK_SAMPLE,
					   .head = buffer_slice(&head)},
		    &answer) ||
	    !row_codec_decode(&sample_field_layout, buffer_slice(&answer.head),
			      &row))
		row = (struct sample_field){.error = ERR_STOPPED};
	if (row.error == ERR_NONE)
		buffer_append_slice(list, buffer_slice(&answer.body));
	*changes_out = row.changes;
	buffer_free(&head);
	message_free(&answer);
	return (enum error)row.error;
}

static struct template_model
site_client_build_model(void *context, uint32_t cluster, uint32_t changes,
			const struct extractor *extractor,
			const double *parameters)
{
	struct site_client *site = context;
	struct cached_model *learned;
	enum error error =
		model_cache_get(site->learned,
				&(struct model_query){
					.extractor = extractor,
					.parameters = parameters,
					.read = site_client_read_sample,
					.context = site,
					.site = site->site,
					.cluster = cluster,
					.limits = site->limits,
					.changes = changes,
				},
				&learned);

	return (struct template_model){cached_model_template(learned), learned,
				       error};
}

static void site_client_release_model(void *context,
				      struct template_model taught)
{
	const struct site_client *site = context;

	model_cache_release(site->learned, taught.holder);
}

void site_client_init(struct site_client *site)
{
	static const struct site_source source = {
		.answer = site_client_query,
		.find_page = site_client_find_page,
		.learn = site_client_build_model,
		.release = site_client_release_model,
	};

	site->view.source = &source;
	site->view.context = site;
}

enum error site_client_load_model(void *context,
				  const struct extraction_options *rules,
				  const struct text_request *request,
				  struct ridge_model **model_out,
				  struct extraction_result *answer)
{
	struct model_field row = {.error = ERR_STOPPED};
	struct message message;
	enum error error = ERR_STOPPED;

	(void)rules;
	(void)request;
	*model_out = NULL;
	if (task_send_request(context,
			      &(struct task_request){.kind = ASK_MODEL},
			      &message) &&
	    row_codec_decode(&model_field_layout, buffer_slice(&message.head),
			     &row))
		error = (enum error)row.error;
	if (error == ERR_NONE && row.is_there != 0)
		error = ridge_model_read(model_out,
					 buffer_slice(&message.body));
	if (error != ERR_NONE)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%.*s: %s; train the model again, or remove the file",
			 (int)(row.path.size < 150 ? row.path.size : 150),
			 row.path.size == 0 ? "" : (const char *)row.path.data,
			 error_text(error));
	message_free(&message);
	return error;
}

enum {
	LARGE_BYTES = 1 << 20, /* size of a task after which free memory is
				  returned to the system */
	MAX_HELD = 32,         /* maximum number of responses to collect
				  before sending them */
};

struct worker *worker_create(void)
{
	return mem_alloc(1, sizeof(struct worker));
}

void worker_destroy(struct worker *worker)
{
	if (worker == NULL)
		return;
	model_cache_destroy(worker->learned);
	free(worker);
}

struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes)
{
	if (worker->learned == NULL)
		worker->learned = model_cache_create(max_bytes);
	return worker->learned;
}

/*
 * Send a request of a task to the main process, and receive the response; a
 * request_handler whose context is the channel.
 */
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
 * Collected responses. They are sent together when no further task is waiting,
 * so that the main process wakes up once for all of them.
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

/* Run the task in the frame, and collect its response. */
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

/* Receive the next task. Before blocking, send the collected responses. */
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
	 * A channel with its own buffer, so that the task stays valid while it
	 * sends requests and receives responses.
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
