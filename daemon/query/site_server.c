#include "daemon/query/site_server.h"

#include <stdlib.h>

#include "base/memory.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/text_request.h"
#include "daemon/query/site_model.h"
#include "daemon/query/teaching.h"
#include "template/site_question.h"

static bool site_service_find_page(const struct site_service *server,
				   struct slice text, struct message *answer)
{
	struct known_field row = {0};
	struct known_page page;
	struct url url;

	if (url_parse(&url, text, NULL) != ERR_NONE)
		return false;
	if (site_find(&server->site->view, &url, &page))
		row = known_to_field(&page);
	answer->head = row_codec_encode(&known_field_layout, &row);
	return true;
}

/* A worker's request with its data. */
struct site_service_request {
	struct site_question_field row;
	struct known_field field;
	struct known_page known;
	struct url url;
	uint64_t *hashes; /* the fragments, then the signature; free() it */
	struct site_query question;
};

/* Copy hashes, because received ones are not aligned. */
static bool site_service_read_hashes(const struct site_service *server,
				     struct slice body,
				     struct site_service_request *asked)
{
	uint64_t count = asked->row.fragment_count;
	size_t all = body.size / sizeof(uint64_t);

	/* no page has more texts than this */
	if (body.size % sizeof(uint64_t) != 0 || count > all ||
	    count > 4 * (uint64_t)server->rules->limits.max_nodes + 1024)
		return false;
	asked->hashes = mem_alloc(all + 1, sizeof(uint64_t));
	if (body.size > 0)
		memcpy(asked->hashes, body.data, body.size);
	asked->question.fragments = asked->hashes;
	asked->question.count = (uint32_t)count;
	asked->question.own =
		(struct signature){asked->hashes + count, all - (size_t)count};
	for (size_t i = 1; i < asked->question.own.count; i++)
		if (asked->question.own.shingles[i - 1] >=
		    asked->question.own.shingles[i])
			return false;
	return true;
}

static bool read_question(const struct site_service *server,
			  const struct task_request *inquiry,
			  struct site_service_request *asked)
{
	*asked = (struct site_service_request){0};
	if (!row_codec_decode(&site_question_field_layout, inquiry->head,
			      &asked->row) ||
	    !site_service_read_hashes(server, inquiry->body, asked))
		return false;
	if (asked->row.is_known != 0) {
		if (!row_codec_decode(&known_field_layout, asked->row.known,
				      &asked->field))
			return false;
		asked->known = known_of_field(&asked->field);
		asked->question.known = &asked->known;
	}
	if (asked->row.url.size > 0) {
		if (url_parse(&asked->url, asked->row.url, NULL) != ERR_NONE)
			return false;
		asked->question.url = &asked->url;
	}
	return true;
}

static bool answer_site(const struct site_service *server,
			const struct task_request *inquiry,
			struct message *answer)
{
	struct site_service_request asked;
	bool is_right = read_question(server, inquiry, &asked);

	if (is_right) {
		uint32_t count = asked.question.count;
		struct site_query_result found = {
			.frequencies =
				mem_alloc(count, sizeof(*found.frequencies)),
		};
		enum error error = site_query_run(&server->site->view,
						  &asked.question, &found);
		const struct site_answer_field row = {
			.generation = found.generation,
			.error = error,
			.is_there = found.is_there,
			.cluster = found.cluster,
			.page_count = found.page_count,
			.changes = found.changes,
		};

		answer->head =
			row_codec_encode(&site_answer_field_layout, &row);
		if (error == ERR_NONE && found.cluster != 0)
			buffer_append(&answer->body, found.frequencies,
				      count * sizeof(*found.frequencies));
		free(found.frequencies);
	}
	free(asked.hashes);
	return is_right;
}

static bool give_sample(const struct site_service *server, struct slice head,
			struct message *answer)
{
	struct number_field asked;
	struct sample_field row = {0};

	if (!row_codec_decode(&number_field_layout, head, &asked) ||
	    asked.number > UINT32_MAX)
		return false;
	row.error = stored_site_sample(server->site, (uint32_t)asked.number,
				       &answer->body, &row.changes);
	answer->head = row_codec_encode(&sample_field_layout, &row);
	cache_warmer_count(server->rules->teaching, server->is_ahead);
	return true;
}

static bool give_model(const struct site_service *server,
		       struct message *answer)
{
	const struct url *url = server->request->url;
	struct buffer path = {0};
	struct model_field row = {.error = ERR_NONE};

	if (url != NULL)
		row.error = site_model_read(server->rules->models, url->host,
					    &path, &answer->body);
	row.is_there = answer->body.data != NULL;
	row.path = buffer_slice(&path);
	answer->head = row_codec_encode(&model_field_layout, &row);
	buffer_free(&path);
	return true;
}

bool site_service_respond(void *context, const struct task_request *inquiry,
			  struct message *answer)
{
	const struct site_service *server = context;

	if (inquiry->kind == ASK_MODEL)
		return give_model(server, answer);
	if (server->site == NULL)
		return false;
	switch (inquiry->kind) {
	case ASK_FIND:
		return site_service_find_page(server, inquiry->head, answer);
	case ASK_SITE:
		return answer_site(server, inquiry, answer);
	case ASK_SAMPLE:
		return give_sample(server, inquiry->head, answer);
	default:
		return false;
	}
}
