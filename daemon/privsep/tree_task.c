/* The task that merges pages of a template into a tree. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "daemon/privsep/page_list.h"
#include "daemon/privsep/requests.h"
#include "daemon/privsep/task_parts.h"
#include "extract/core/extractor.h"
#include "extract/text/fragment.h"
#include "template/page_tree.h"
#include "template/page_tree_code.h"

enum { MAX_PAGES = 16 };

/*
 * Request in how many pages the texts of `page` occur: [page->text_count]; NULL
 * if there is no valid response.
 */
static const uint32_t *ask_counts(struct task *task, const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *counts = ARENA_NEW(page->arena, uint32_t, page->text_count);
	size_t size = page->text_count * sizeof(*counts);
	struct buffer hashes = {0};
	struct message answer;
	bool is_right;

	for (uint32_t i = 0; i < page->text_count; i++)
		buffer_append(&hashes, &fragments[i].hash,
			      sizeof(fragments[i].hash));
	is_right = task_send_request(task,
				     &(struct task_request){
					     .kind = ASK_COUNTS,
					     .body = buffer_slice(&hashes)},
				     &answer) &&
		   answer.body.size == size;
	if (is_right && size > 0)
		memcpy(counts, answer.body.data, size);
	buffer_free(&hashes);
	message_free(&answer);
	return is_right ? counts : NULL;
}

enum error tree_task(struct task *task, struct message *answer)
{
	struct page *pages[MAX_PAGES];
	struct tree_request request;
	struct page_limits limits;
	struct page_tree tree;
	struct arena *arena;
	uint32_t count;

	if (!row_codec_decode(&tree_request_layout, task->head, &request))
		return ERR_MALFORMED;
	arena = arena_create();
	tree = page_tree_make(arena);
	limits = limits_of_field(&request.limits);
	count = sample_parse(task->body, &limits, pages, MAX_PAGES);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *counts = ask_counts(task, pages[i]);

		if (counts != NULL)
			page_tree_add(&tree, pages[i],
				      &(struct template_counts){
					      request.page_count, counts});
		page_destroy(pages[i]);
	}
	page_tree_encode(&tree, &answer->body);
	arena_destroy(arena);
	return ERR_NONE;
}
