#include "daemon/privsep/remote_site.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "daemon/privsep/learned.h"
#include "daemon/privsep/text_request.h"
#include "extract/methods/ridge_model.h"
#include "template/site_question.h"

static struct slice site_client_copy_text(struct arena *arena,
					  struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

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
		page_out->charset =
			site_client_copy_text(site->arena, found.charset);
	}
	message_free(&answer);
	return is_found;
}

/* Encode the request as a message. */
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

/* Decode the response. ERR_STOPPED: it is invalid. */
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

/* Return false if a fragment is missing in the task's data. */
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
 * Answer from the data sent with the task; return false if only the main
 * process can.
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

/* A sample_reader. ERR_STOPPED: no response. */
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
