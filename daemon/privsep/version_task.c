/* The task that computes the version of a template from its pages. */
#include <string.h>

#include "base/arena.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/page_list.h"
#include "daemon/privsep/requests.h"
#include "daemon/privsep/task_parts.h"
#include "store/record.h"
#include "template/version.h"

/* The decoded request. */
struct version_task_input {
	struct version_request request;
	struct arena *arena;
	struct record *records;
	uint32_t record_count;
	struct page *owned[VERSION_MAX_SAMPLES];
	const struct page *pages[VERSION_MAX_SAMPLES];
	struct slice urls[VERSION_MAX_SAMPLES];
	uint32_t page_count;
};

static bool read_records(struct version_task_input *given, struct slice *list)
{
	uint32_t count = given->request.record_count;
	struct slice item;

	if (count > VERSION_MAX_RECORDS)
		return false;
	given->records = ARENA_NEW(given->arena, struct record, count);
	for (; given->record_count < count; given->record_count++) {
		struct slice copy;

		if (!item_next(list, &item))
			return false;
		/* Records must be aligned. */
		copy = (struct slice){
			arena_copy(given->arena, item.data, item.size),
			item.size};
		if (record_open(copy, &given->records[given->record_count]) !=
		    ERR_NONE)
			return false;
	}
	return true;
}

static bool version_task_read_pages(struct version_task_input *given,
				    struct slice list)
{
	const struct page_limits limits =
		limits_of_field(&given->request.limits);
	struct slice charset;
	struct slice body;
	struct slice url;

	while (list.size > 0) {
		struct page **page = &given->owned[given->page_count];

		if (!item_next(&list, &url) || !item_next(&list, &body) ||
		    !item_next(&list, &charset))
			return false;
		if (given->page_count == VERSION_MAX_SAMPLES ||
		    sample_page_parse(body, charset, &limits, page) != ERR_NONE)
			continue;
		given->pages[given->page_count] = *page;
		given->urls[given->page_count++] = url;
	}
	return true;
}

static void make_version(const struct version_task_input *given,
			 struct message *answer)
{
	const struct version_input input = {
		.page_count = given->request.page_count,
		.generation = given->request.generation,
		.records = given->records,
		.record_count = given->record_count,
		.pages = given->pages,
		.urls = given->urls,
		.sample_count = given->page_count,
	};

	version_encode(version_make(given->arena, &input), &answer->body);
}

enum error version_task(struct task *task, struct message *answer)
{
	struct version_task_input given = {.arena = arena_create()};
	struct slice list = task->body;
	enum error error = ERR_MALFORMED;

	if (row_codec_decode(&version_request_layout, task->head,
			     &given.request) &&
	    read_records(&given, &list) &&
	    version_task_read_pages(&given, list))
		error = ERR_NONE;
	/* Without a readable page, the response is empty. */
	if (error == ERR_NONE && given.record_count > 0 && given.page_count > 0)
		make_version(&given, answer);
	for (uint32_t i = 0; i < given.page_count; i++)
		page_destroy(given.owned[i]);
	arena_destroy(given.arena);
	return error;
}
