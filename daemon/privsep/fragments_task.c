/* The task that finds the texts of fragments in pages that contain them. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/page_list.h"
#include "daemon/privsep/requests.h"
#include "daemon/privsep/task_parts.h"
#include "extract/text/fragment.h"

enum { MAX_PAGES = 16 };

/* The fragments to find. */
struct wanted {
	uint64_t *hashes; /* [count], ascending */
	bool *is_found;   /* [count] */
	size_t count;
	struct message *answer;
};

static void fragments_task_append(struct wanted *wanted, size_t index,
				  struct slice text, struct arena *arena)
{
	uint32_t number = (uint32_t)index;
	char *copy = arena_alloc(arena, text.size, 1);

	wanted->is_found[index] = true;
	item_append(&wanted->answer->body,
		    (struct slice){&number, sizeof(number)});
	item_append(&wanted->answer->body,
		    (struct slice){copy, text_collapse(text, copy)});
}

static void fragments_task_search_page(const struct page *page,
				       struct wanted *wanted)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t index = sorted_find(wanted->hashes, wanted->count,
					   fragments[i].hash);

		if (index < wanted->count && !wanted->is_found[index])
			fragments_task_append(wanted, index, page_text(page, i),
					      page->arena);
	}
}

static bool fragments_task_read_request(const struct task *task,
					struct fragments_request *request,
					struct wanted *wanted,
					struct slice *pages)
{
	struct slice hashes;

	*pages = task->body;
	if (!row_codec_decode(&fragments_request_layout, task->head, request) ||
	    request->count > pages->size / sizeof(*wanted->hashes) ||
	    !item_cut(pages, request->count * sizeof(*wanted->hashes), &hashes))
		return false;
	wanted->count = (size_t)request->count;
	wanted->hashes = mem_alloc(wanted->count, sizeof(*wanted->hashes));
	wanted->is_found = mem_alloc(wanted->count, sizeof(bool));
	if (hashes.size > 0)
		memcpy(wanted->hashes, hashes.data, hashes.size);
	return true;
}

enum error fragments_task(struct task *task, struct message *answer)
{
	struct fragments_request request;
	struct wanted wanted = {.answer = answer};
	struct page *pages[MAX_PAGES];
	struct page_limits limits;
	struct slice list;
	uint32_t count;

	if (!fragments_task_read_request(task, &request, &wanted, &list))
		return ERR_MALFORMED;
	limits = limits_of_field(&request.limits);
	count = sample_parse(list, &limits, pages, MAX_PAGES);
	for (uint32_t i = 0; i < count; i++) {
		fragments_task_search_page(pages[i], &wanted);
		page_destroy(pages[i]);
	}
	free(wanted.hashes);
	free(wanted.is_found);
	return ERR_NONE;
}
