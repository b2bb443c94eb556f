#include "tests/bench/frequencies.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/text/fragment.h"

void frequencies_free(struct frequencies *frequencies)
{
	free(frequencies->hashes);
	free(frequencies->pages);
}

void frequencies_add(struct frequencies *frequencies, const struct page *page)
{
	uint32_t count;
	struct arena *arena = arena_create();
	const struct fragment *fragments =
		fragments_distinct(arena, fragments_of_page(arena, page),
				   page->text_count, &count);

	for (uint32_t i = 0; i < count; i++) {
		frequencies->hashes = mem_grow(
			frequencies->hashes, frequencies->count,
			&frequencies->capacity, sizeof(*frequencies->hashes));
		frequencies->hashes[frequencies->count++] = fragments[i].hash;
	}
	arena_destroy(arena);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

void frequencies_seal(struct frequencies *frequencies)
{
	uint64_t *hashes = frequencies->hashes;
	size_t distinct = 0;

	frequencies->pages =
		mem_alloc(frequencies->count, sizeof(*frequencies->pages));
	if (frequencies->count > 0)
		qsort(hashes, frequencies->count, sizeof(*hashes), compare);
	for (size_t i = 0; i < frequencies->count; i++) {
		if (distinct == 0 || hashes[distinct - 1] != hashes[i])
			hashes[distinct++] = hashes[i];
		frequencies->pages[distinct - 1]++;
	}
	frequencies->count = distinct;
}

const uint32_t *frequencies_of(const struct frequencies *frequencies,
			       const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *counts = ARENA_NEW(page->arena, uint32_t, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const uint64_t *found =
			frequencies->count == 0
				? NULL
				: bsearch(&fragments[i].hash,
					  frequencies->hashes,
					  frequencies->count, sizeof(*found),
					  compare);

		if (found != NULL)
			counts[i] =
				frequencies->pages[found - frequencies->hashes];
	}
	return counts;
}
