/*
 * extract/core/sample.h - which page of the sample a page is, so that a page of
 * the sample is not counted twice.
 */
#ifndef EXTRACT_CORE_SAMPLE_H
#define EXTRACT_CORE_SAMPLE_H

#include <stdint.h>

#include "extract/core/extractor.h"

/* The pages of a sample by the hash of their source. */
struct sample_pages {
	uint64_t hashes[MAX_SAMPLE_PAGES]; /* [count] */
	uint32_t count;
};

/* Linear in the source of the pages. */
struct sample_pages sample_pages_of(const struct sample *sample);

/*
 * The first page of the sample with the same source as `page`, as a set of one
 * bit, 1 << index; 0 when there is none. Linear in the source.
 */
uint32_t sample_bit(const struct sample_pages *pages, const struct page *page);

/* How many pages the set of bits has. */
uint32_t sample_size(uint32_t set);

#endif
