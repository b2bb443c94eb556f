/* tests/bench/frequencies.h - the document frequency of fragments in a folder,
 * as the store keeps it of a cluster. */
#ifndef TESTS_BENCH_FREQUENCIES_H
#define TESTS_BENCH_FREQUENCIES_H

#include <stddef.h>
#include <stdint.h>

#include "page/page.h"

/* Begin with {0}; end with frequencies_free(). */
struct frequencies {
	uint64_t *hashes; /* [count], ascending once sealed, each once */
	uint32_t *pages;  /* [count], once sealed */
	size_t count;
	size_t capacity;
};

void frequencies_free(struct frequencies *frequencies);

void frequencies_add(struct frequencies *frequencies, const struct page *page);

/* After the last page and before the first question. */
void frequencies_seal(struct frequencies *frequencies);

/* Of the page's texts: [page->text_count], owned by page->arena. */
const uint32_t *frequencies_of(const struct frequencies *frequencies,
			       const struct page *page);

#endif
