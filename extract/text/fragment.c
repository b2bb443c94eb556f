#include "extract/text/fragment.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "page/page.h"

enum {
	FEW = 24, /* maximum number to sort by insertion */
	BUCKET_BITS = 8,
	BUCKETS = 1 << BUCKET_BITS,
};

/*
 * Return a hash that is not zero: zero means "no fragment" in tables of hashes.
 */
static uint64_t hash_of_text(const char *text, size_t length)
{
	uint64_t hash = hash64(text, length, 0);

	return hash == 0 ? 1 : hash;
}

const struct fragment *fragments_of_page(struct arena *arena,
					 const struct page *page)
{
	struct fragment *fragments =
		ARENA_ROOM(arena, struct fragment, page->text_count);
	char *collapsed = ARENA_ROOM(arena, char, page_longest_text(page));

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

static size_t fragment_bucket(const struct fragment *fragment)
{
	return (size_t)(fragment->hash >> (64 - BUCKET_BITS));
}

/* Order by hash; of equal hashes, the earlier fragment first. */
static int compare_fragments(const void *a, const void *b)
{
	const struct fragment *const *x = a;
	const struct fragment *const *y = b;

	if ((*x)->hash != (*y)->hash)
		return (*x)->hash < (*y)->hash ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static void sort_few(const struct fragment **order, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct fragment *fragment = order[i];
		size_t at = i;

		for (; at > 0 && order[at - 1]->hash > fragment->hash; at--)
			order[at] = order[at - 1];
		order[at] = fragment;
	}
}

/*
 * Sort. Hashes are evenly distributed, so buckets by their first bits hold few
 * fragments each.
 */
static const struct fragment **sort_fragments(struct arena *arena,
					      const struct fragment *fragments,
					      uint32_t count)
{
	const struct fragment **order =
		ARENA_ROOM(arena, const struct fragment *, count);
	uint32_t ends[BUCKETS] = {0};
	uint32_t begin = 0;

	for (uint32_t i = 0; i < count; i++)
		ends[fragment_bucket(&fragments[i])]++;
	for (size_t i = 0; i < BUCKETS; i++) {
		const uint32_t size = ends[i];

		ends[i] = begin;
		begin += size;
	}
	for (uint32_t i = 0; i < count; i++)
		order[ends[fragment_bucket(&fragments[i])]++] = &fragments[i];
	begin = 0;
	for (size_t i = 0; i < BUCKETS; begin = ends[i++]) {
		if (ends[i] - begin <= FEW)
			sort_few(order + begin, ends[i] - begin);
		else
			qsort(order + begin, ends[i] - begin,
			      sizeof(const struct fragment *),
			      compare_fragments);
	}
	return order;
}

const struct fragment *fragments_distinct(struct arena *arena,
					  const struct fragment *fragments,
					  uint32_t count, uint32_t *count_out)
{
	const struct fragment **order = sort_fragments(arena, fragments, count);
	struct fragment *distinct = ARENA_ROOM(arena, struct fragment, count);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || order[i]->hash != distinct[kept - 1].hash)
			distinct[kept++] = *order[i];
	*count_out = kept;
	assert(kept <= count);
	return distinct;
}
