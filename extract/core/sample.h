/*
 * extract/core/sample.h - finds a page in the sample, so that methods do not
 * count it twice.
 */
#ifndef EXTRACT_CORE_SAMPLE_H
#define EXTRACT_CORE_SAMPLE_H

#include <stdint.h>

#include "extract/core/extractor.h"

/* The pages of a sample, identified by the hash of their source. */
struct sample_pages {
	uint64_t hashes[MAX_SAMPLE_PAGES]; /* [count] */
	uint32_t count;
};

/* Hash the pages. Linear in their source. */
struct sample_pages sample_pages_of(const struct sample *sample);

/*
 * Return 1 << index of the first page of the sample with the same source as
 * `page`, 0 if there is none. Linear in the source.
 */
uint32_t sample_bit(const struct sample_pages *pages, const struct page *page);

/* Return the number of pages in a set of bits. */
uint32_t sample_size(uint32_t set);

#endif
