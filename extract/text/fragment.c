#include "extract/text/fragment.h"

#include <assert.h>
#include <stdlib.h>

#include "page/page.h"
#include "store/arena.h"
#include "store/hash.h"

/* Zero stands for "no fragment" in tables of hashes. */
static uint64_t hash_of_text(const char *text, size_t length)
{
	uint64_t hash = hash64(text, length, 0);

	return hash == 0 ? 1 : hash;
}

const struct fragment *fragments_of_page(struct arena *arena,
					 const struct page *page)
{
	struct fragment *fragments =
		ARENA_NEW(arena, struct fragment, page->text_count);
	char *collapsed = ARENA_NEW(arena, char, page_longest_text(page));

	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t length = text_collapse(page_text(page, i), collapsed);

		assert(length <= page->texts[i].length);
		fragments[i] = (struct fragment){
			.hash = hash_of_text(collapsed, length),
			.length = (uint32_t)length,
			.flags = page->texts[i].flags,
		};
	}
	return fragments;
}

/* By hash; the earlier of equal ones first. */
static int compare(const void *a, const void *b)
{
	const struct fragment *const *x = a;
	const struct fragment *const *y = b;

	if ((*x)->hash != (*y)->hash)
		return (*x)->hash < (*y)->hash ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

const struct fragment *fragments_distinct(struct arena *arena,
					  const struct fragment *fragments,
					  uint32_t count, uint32_t *count_out)
{
	const struct fragment **order =
		ARENA_NEW(arena, const struct fragment *, count);
	struct fragment *distinct = ARENA_NEW(arena, struct fragment, count);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		order[i] = &fragments[i];
	qsort(order, count, sizeof(const struct fragment *), compare);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || order[i]->hash != distinct[kept - 1].hash)
			distinct[kept++] = *order[i];
	*count_out = kept;
	assert(kept <= count);
	return distinct;
}
