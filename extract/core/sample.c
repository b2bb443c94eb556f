#include "extract/core/sample.h"

#include <assert.h>

#include "base/hash.h"
#include "page/page.h"

_Static_assert(MAX_SAMPLE_PAGES <= 32, "a set of pages is 32 bits");

static uint64_t source_hash(const struct page *page)
{
	return hash64(page->source.data, page->source.size, 0);
}

struct sample_pages sample_pages_of(const struct sample *sample)
{
	struct sample_pages pages = {.count = sample->count};

	assert(sample->count >= 1 && sample->count <= MAX_SAMPLE_PAGES);
	for (uint32_t i = 0; i < sample->count; i++)
		pages.hashes[i] = source_hash(sample->pages[i]);
	return pages;
}

uint32_t sample_bit(const struct sample_pages *pages, const struct page *page)
{
	uint64_t hash = source_hash(page);

	assert(pages->count <= MAX_SAMPLE_PAGES);
	for (uint32_t i = 0; i < pages->count; i++)
		if (pages->hashes[i] == hash)
			return UINT32_C(1) << i;
	return 0;
}

uint32_t sample_size(uint32_t set)
{
	uint32_t size = 0;

	for (; set != 0; set &= set - 1)
		size++;
	return size;
}
