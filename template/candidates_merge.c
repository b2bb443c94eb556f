#include "template/candidates.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* A selector and its rows in the list. */
struct merged_selector {
	struct merged_replacement candidate;
	uint32_t first; /* first row of the list, sorted by selector: [pages] */
};

static int by_selector(const void *left, const void *right)
{
	const struct page_replacement *a = left;
	const struct page_replacement *b = right;
	int order = strcmp(a->selector, b->selector);

	return order != 0 ? order : (a->page > b->page) - (a->page < b->page);
}

static int merged_selector_by_score(const void *left, const void *right)
{
	const struct merged_selector *a = left;
	const struct merged_selector *b = right;

	if (a->candidate.score != b->candidate.score)
		return a->candidate.score > b->candidate.score ? -1 : 1;
	return strcmp(a->candidate.selector, b->candidate.selector);
}

static bool is_selected(const struct page_replacement *list,
			const struct merged_selector *by, uint32_t page,
			uint32_t node)
{
	assert(by->candidate.pages > 0);
	for (uint32_t i = 0; i < by->candidate.pages; i++)
		if (list[by->first + i].page == page &&
		    list[by->first + i].node == node)
			return true;
	return false;
}

/* Return whether `better` selects every node that `other` selects. */
static bool merged_selector_covers(const struct page_replacement *list,
				   const struct merged_selector *better,
				   const struct merged_selector *other)
{
	for (uint32_t i = 0; i < other->candidate.pages; i++) {
		const struct page_replacement *row = &list[other->first + i];

		if (!is_selected(list, better, row->page, row->node))
			return false;
	}
	return true;
}

/* Merge equal selectors of the sorted list; return the number of selectors. */
static uint32_t merged_selectors_add_up(const struct page_replacement *list,
					uint32_t count, uint32_t pages,
					struct merged_selector *shared)
{
	uint32_t size = 0;

	assert(pages > 0 || count == 0);
	for (uint32_t i = 0; i < count; i++) {
		struct merged_selector *last =
			size == 0 ? NULL : &shared[size - 1];

		if (last != NULL &&
		    strcmp(last->candidate.selector, list[i].selector) == 0) {
			last->candidate.score += list[i].score / pages;
			last->candidate.pages++;
			continue;
		}
		shared[size++] = (struct merged_selector){
			.candidate = {list[i].selector, list[i].value,
				      list[i].score / pages, 1},
			.first = i,
		};
	}
	assert(size <= count);
	return size;
}

uint32_t replacements_merge(struct arena *arena,
			    const struct page_replacements *kept,
			    struct merged_replacement *merged_out, uint32_t max)
{
	uint32_t count = kept->count;
	struct page_replacement *list =
		ARENA_NEW(arena, struct page_replacement, count);
	struct merged_selector *shared =
		ARENA_NEW(arena, struct merged_selector, count);
	uint32_t taken[MAX_SHARED];
	uint32_t size;
	uint32_t found = 0;

	if (count == 0)
		return 0;
	memcpy(list, kept->items, count * sizeof(*list));
	qsort(list, count, sizeof(*list), by_selector);
	size = merged_selectors_add_up(list, count, kept->pages, shared);
	qsort(shared, size, sizeof(*shared), merged_selector_by_score);
	for (uint32_t i = 0; i < size && found < max && found < MAX_SHARED;
	     i++) {
		bool is_covered = false;

		for (uint32_t j = 0; j < found && !is_covered; j++)
			is_covered = merged_selector_covers(
				list, &shared[taken[j]], &shared[i]);
		if (is_covered)
			continue;
		taken[found] = i;
		merged_out[found++] = shared[i].candidate;
	}
	assert(found <= max && found <= MAX_SHARED);
	return found;
}
