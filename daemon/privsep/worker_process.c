#include "daemon/privsep/worker_process.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/model_cache.h"
#include "extract/methods/ridge.h"
#include "store/rows.h"
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

/* Return the cached dictionary, or the entry to use for it. */
static struct worker_dictionary *
worker_find_dictionary(struct worker *worker, uint64_t site, uint32_t number)
{
	struct worker_dictionary *oldest = &worker->dictionaries[0];

	for (size_t i = 0; i < WORKER_DICTIONARIES; i++) {
		struct worker_dictionary *one = &worker->dictionaries[i];

		if (one->number == number && one->site == site)
			return one;
		if (one->used_at < oldest->used_at)
			oldest = one;
	}
	return oldest;
}

static enum error site_client_load_dictionary(struct site_client *site,
					      uint32_t number,
					      struct worker_dictionary *one)
{
	const struct number_field asked = {number};
	struct buffer head = row_codec_encode(&number_field_layout, &asked);
	struct sample_field row = {.error = ERR_STOPPED};
	struct message answer;

	one->number = 0;
	buffer_clear(&one->bytes);
	if (task_send_request(
		    site->task,
		    &(struct task_request){.kind = ASK_DICTIONARY,
					   .head = buffer_slice(&head)},
		    &answer) &&
	    (!row_codec_decode(&sample_field_layout, buffer_slice(&answer.head),
			       &row) ||
	     answer.body.size > DICTIONARY_MAX_BYTES))
		row.error = ERR_STOPPED;
	if (row.error == ERR_NONE) {
		buffer_append_slice(&one->bytes, buffer_slice(&answer.body));
		one->site = site->site;
		one->number = number;
	}
	buffer_free(&head);
	message_free(&answer);
	return row.error == ERR_NOT_FOUND ? ERR_BUSY : (enum error)row.error;
}

enum error site_client_unpack(struct site_client *site, uint32_t dictionary,
			      struct slice packed, uint64_t max_bytes)
{
	struct worker *worker = site->task->worker;
	struct slice bytes = {NULL, 0};

	buffer_clear(&worker->source);
	if (dictionary != 0) {
		struct worker_dictionary *one =
			worker_find_dictionary(worker, site->site, dictionary);
		bool is_there =
			one->number == dictionary && one->site == site->site;
		enum error error = is_there ? ERR_NONE
					    : site_client_load_dictionary(
						      site, dictionary, one);

		if (error != ERR_NONE)
			return error;
		one->used_at = ++worker->dictionary_uses;
		bytes = buffer_slice(&one->bytes);
	}
	return decompress_by(bytes, packed, (size_t)max_bytes, &worker->source);
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
	for (size_t i = 0; i < WORKER_DICTIONARIES; i++)
		buffer_free(&worker->dictionaries[i].bytes);
	buffer_free(&worker->source);
	model_cache_destroy(worker->learned);
	free(worker);
}

struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes)
{
	if (worker->learned == NULL)
		worker->learned = model_cache_create(max_bytes);
	return worker->learned;
}

/* The messages between a worker and the main process. */
struct worker_link {
	struct channel requests;
	/*
	 * the same socket with another buffer, so that the task stays valid
	 * while it sends requests and receives responses
	 */
	struct channel asks;
	/*
	 * Collected responses [held_count]. They are sent together when no
	 * further task is waiting, so that the main process wakes up once.
	 */
	struct message held[MAX_HELD];
	size_t held_count;
	/*
	 * tasks [early_first, early_count) that came before the response to a
	 * request of the task before them
	 */
	struct channel_frame early[MAX_HELD];
	size_t early_first;
	size_t early_count;
};

static enum error send_held(struct worker_link *link)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < link->held_count; i++) {
		const struct frame_parts parts = {
			.kind = FRAME_TASK_DONE,
			.head = buffer_slice(&link->held[i].head),
			.body = buffer_slice(&link->held[i].body),
			.file = -1,
		};

		if (error == ERR_NONE)
			error = channel_send(&link->requests, &parts);
		message_free(&link->held[i]);
	}
	link->held_count = 0;
	return error;
}

/* Keep a copy of a task for later, and free the frame. */
static enum error worker_put_off(struct worker_link *link,
				 struct channel_frame *frame)
{
	struct channel_frame *copy = &link->early[link->early_count];
	const size_t head_bytes = frame->head.size;
	const size_t body_bytes = frame->body.size;

	if (link->early_count == MAX_HELD) {
		frame_free(frame);
		return ERR_STOPPED;
	}
	link->early_count++;
	*copy = (struct channel_frame){.kind = frame->kind, .file = -1};
	buffer_append_slice(&copy->pieces, frame->head);
	buffer_append_slice(&copy->pieces, frame->body);
	copy->head = (struct slice){copy->pieces.data, head_bytes};
	copy->body = (struct slice){copy->pieces.data + head_bytes, body_bytes};
	frame_free(frame);
	return ERR_NONE;
}

/* Receive the response to a request. The next tasks may come before it. */
static enum error worker_receive_response(struct worker_link *link,
					  struct channel_frame *frame)
{
	enum error error = channel_receive(&link->asks, -1, frame);

	while (error == ERR_NONE && frame->kind < (uint32_t)TASK_KINDS) {
		error = worker_put_off(link, frame);
		if (error == ERR_NONE)
			error = channel_receive(&link->asks, -1, frame);
	}
	return error;
}

/*
 * Send a request of a task to the main process, and receive the response; a
 * request_handler whose context is the link. The main process needs the
 * responses to the tasks before, to know which task the request belongs to.
 */
static bool ask_keeper(void *context, const struct task_request *inquiry,
		       struct message *answer)
{
	struct worker_link *link = context;
	struct channel_frame frame;
	bool is_answer;
	enum error error = send_held(link);

	if (error == ERR_NONE)
		error = channel_send(
			&link->asks,
			&(struct frame_parts){.kind = FRAME_ASK +
						      (uint32_t)inquiry->kind,
					      .head = inquiry->head,
					      .body = inquiry->body,
					      .file = -1});
	if (error == ERR_NONE)
		error = worker_receive_response(link, &frame);
	if (error != ERR_NONE)
		return false;
	is_answer = frame.kind == FRAME_ASK_DONE;
	buffer_append_slice(&answer->head, frame.head);
	buffer_append_slice(&answer->body, frame.body);
	frame_free(&frame);
	return is_answer;
}

/* Run the task in the frame, and collect its response. */
static enum error worker_serve(struct worker *worker, struct worker_link *link,
			       const struct channel_frame *frame)
{
	struct task task = {
		.kind = frame->kind,
		.head = frame->head,
		.body = frame->body,
		.worker = worker,
		.serve = ask_keeper,
		.serve_context = link,
	};
	struct message answer;
	enum error error = task_run(&task, &answer);

	link->held[link->held_count++] = answer;
	if (task.has_stopped)
		error = ERR_STOPPED;
	if (error == ERR_NONE && link->held_count == MAX_HELD)
		error = send_held(link);
	return error;
}

/* Receive the next task. Before blocking, send the collected responses. */
static enum error worker_receive(struct worker_link *link,
				 struct channel_frame *frame)
{
	enum error error = ERR_TIMEOUT;

	if (link->early_first < link->early_count) {
		*frame = link->early[link->early_first++];
		return ERR_NONE;
	}
	link->early_first = 0;
	link->early_count = 0;
	if (link->held_count > 0)
		error = channel_receive(&link->requests, 0, frame);
	if (error != ERR_TIMEOUT)
		return error;
	error = send_held(link);
	return error == ERR_NONE ? channel_receive(&link->requests, -1, frame)
				 : error;
}

static void worker_link_close(struct worker_link *link)
{
	for (size_t i = 0; i < link->held_count; i++)
		message_free(&link->held[i]);
	for (size_t i = link->early_first; i < link->early_count; i++)
		frame_free(&link->early[i]);
	free(link->asks.room);
	channel_close(&link->requests);
}

void worker_main(int socket)
{
	struct worker_link link = {
		.requests = channel_without_files(socket, MAX_REQUEST_BYTES),
		.asks = channel_without_files(socket, MAX_REQUEST_BYTES),
	};
	struct worker *worker = worker_create();
	enum error error = ERR_NONE;
	struct channel_frame frame;

	while (error == ERR_NONE && worker_receive(&link, &frame) == ERR_NONE) {
		size_t size = frame.body.size;

		error = worker_serve(worker, &link, &frame);
		frame_free(&frame);
		if (worker->source.capacity > LARGE_BYTES) {
			size = worker->source.capacity;
			buffer_free(&worker->source);
		}
		if (size >= LARGE_BYTES)
			malloc_trim(0);
	}
	worker_destroy(worker);
	worker_link_close(&link);
}
