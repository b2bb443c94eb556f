/* tests/bench/cluster.h - a folder of pages as what methods know of a cluster.
 */
#ifndef TESTS_BENCH_CLUSTER_H
#define TESTS_BENCH_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "extract/core/extractor.h"
#include "page/page.h"
#include "tests/bench/frequencies.h"

struct cluster {
	const char *folder;
	struct file_list list; /* its pages, by name */
	struct frequencies frequencies;
	struct page *sampled[MAX_SAMPLE_PAGES]; /* [sample_count] */
	uint32_t sample_count;
	uint32_t page_count; /* readable pages; 0 = not counted */
};

/*
 * List the pages of `folder`, which the caller keeps. With `is_known`, also
 * count their fragments and select a sample at equal distances. If the folder
 * cannot be read, print that and return false. Call cluster_close() in any
 * case.
 */
bool cluster_open(struct cluster *cluster, const char *folder, bool is_known);
void cluster_close(struct cluster *cluster);

/*
 * Page `index` of the list, its bytes in `body`; page_destroy() it. NULL: it
 * cannot be read, or is no HTML.
 */
struct page *cluster_read(const struct cluster *cluster, size_t index,
			  struct buffer *body);

/* Of a known cluster. */
struct sample cluster_sample(const struct cluster *cluster);

/* For a page of a known cluster; they belong to page->arena. */
struct template_counts cluster_counts(const struct cluster *cluster,
				      const struct page *page);

#endif
