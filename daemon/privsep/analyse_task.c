/*
 * The task that analyses a page: its record, the results of guards, and its
 * compressed bytes.
 */
#include <stdlib.h>

#include "base/compress.h"
#include "base/memory.h"
#include "daemon/privsep/analyse.h"
#include "daemon/privsep/guarded_page.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/requests.h"
#include "daemon/privsep/task_parts.h"
#include "page/page.h"
#include "page/xpath.h"

/* The decoded request and its page. */
struct analyse_task_input {
	struct analyse_request request;
	struct url url;
	struct slice body;
	struct slice guards;
	struct page *page;
};

/*
 * Decode the request and parse the page. ERR_MALFORMED: invalid request.
 * Otherwise the response gets the result of page_parse().
 */
static enum error analyse_task_begin(const struct task *task,
				     struct analyse_task_input *given,
				     struct analyse_answer *answer)
{
	struct slice rest = task->body;
	struct page_limits limits;

	if (!row_codec_decode(&analyse_request_layout, task->head,
			      &given->request) ||
	    !item_cut(&rest, given->request.page_bytes, &given->body))
		return ERR_MALFORMED;
	given->guards = rest;
	limits = limits_of_field(&given->request.limits);
	answer->error = page_parse(&given->page, given->body,
				   given->request.charset, &limits);
	return ERR_NONE;
}

static void analyse_task_finish(const struct analyse_answer *row,
				struct message *answer)
{
	answer->head = row_codec_encode(&analyse_answer_layout, row);
}

static void analyse_given(const struct analyse_task_input *given,
			  struct worker *worker, struct analyse_answer *row,
			  struct message *answer)
{
	const struct analyse_request *request = &given->request;
	const struct analyse_options options = {
		.measure = (enum measure)request->measure,
		.width = request->width,
		.http_status = request->http_status,
		.is_cut = request->is_cut != 0,
		.is_nofollow = request->is_nofollow != 0,
		.drop_parameters = request->drop_parameters,
	};
	struct buffer *body = &answer->body;

	analyse_page(given->page, given->body, &given->url, &options, body);
	row->record_bytes = body->size;
	if (given->guards.size > 0)
		guards_check(given->page, given->guards, &request->guard_limits,
			     body);
	row->guarded_bytes = body->size - row->record_bytes;
	packer_pack(worker_packer(worker), given->body, body);
}

enum error analyse_task(struct task *task, struct message *answer)
{
	struct analyse_answer row = {0};
	struct analyse_task_input given = {0};
	enum error error = analyse_task_begin(task, &given, &row);

	if (error == ERR_NONE)
		error = url_parse(&given.url, given.request.url, NULL);
	if (error == ERR_NONE && (given.request.measure >= MEASURE_COUNT ||
				  given.request.width > SIGNATURE_MAX_WIDTH))
		error = ERR_MALFORMED;
	if (error == ERR_NONE && row.error == ERR_NONE)
		analyse_given(&given, task->worker, &row, answer);
	if (error == ERR_NONE)
		analyse_task_finish(&row, answer);
	page_destroy(given.page);
	return error;
}

enum error guard_task(struct task *task, struct message *answer)
{
	struct analyse_answer row = {0};
	struct analyse_task_input given = {0};
	enum error error = analyse_task_begin(task, &given, &row);

	if (error == ERR_NONE && row.error == ERR_NONE)
		guards_check(given.page, given.guards,
			     &given.request.guard_limits, &answer->body);
	row.guarded_bytes = answer->body.size;
	if (error == ERR_NONE)
		analyse_task_finish(&row, answer);
	page_destroy(given.page);
	return error;
}

enum error xpath_task(struct task *task, struct message *answer)
{
	char *text = mem_copy_text(task->head.data, task->head.size);
	char error[256] = "";

	if (!xpath_check(text, error))
		buffer_append_text(&answer->head,
				   *error == '\0' ? "it is none" : error);
	free(text);
	return ERR_NONE;
}
