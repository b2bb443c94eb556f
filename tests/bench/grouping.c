#include "tests/bench/grouping.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/dendrogram.h"
#include "cluster/linkage.h"
#include "tests/bench/samples.h"

enum { MAX_RUNS = 3 };

/* Runs are repeated while all together took less. */
static const double enough_seconds = 1;

static const struct linkage_options unbounded = {.max_sets = 1U << 26,
						 .max_pages = SIZE_MAX / 2};

static struct linkage *create(unsigned threshold,
			      const struct shingle_weights *weights)
{
	struct linkage_options options = unbounded;

	options.threshold = threshold;
	options.weights = weights;
	return linkage_create(&options);
}

struct shingle_weights group_weights(const struct signature *pages,
				     size_t count)
{
	/* with this threshold no pages are compared */
	struct linkage *linkage = create(1000, NULL);
	struct shingle_weights weights;
	struct linkage_changes changes;
	struct dendrogram_leaf *leaves;
	uint64_t *shingles;
	uint32_t next_label = 1;
	struct linkage_size size;

	for (size_t i = 0; i < count; i++)
		(void)linkage_put(linkage, i, pages[i], &next_label, &changes);
	size = linkage_size(linkage);
	leaves = mem_alloc(size.set_rows, sizeof(*leaves));
	shingles = mem_alloc(size.shingle_ids, sizeof(*shingles));
	for (uint32_t i = 0; i < size.set_rows; i++) {
		struct linkage_set_view set = linkage_set_at(linkage, i);

		leaves[i] = (struct dendrogram_leaf){
			.shingle_ids = set.shingle_ids,
			.count = (uint32_t)set.count,
			.pages = (uint32_t)set.page_count,
		};
	}
	for (uint32_t i = 0; i < size.shingle_ids; i++)
		shingles[i] = linkage_shingle(linkage, i);
	weights = shingle_weights_compute(
		MEASURE_WCAS,
		&(struct weighted_site){leaves, size.set_rows, shingles,
					size.shingle_ids});
	free(leaves);
	free(shingles);
	linkage_destroy(linkage);
	return weights;
}

/* Number the labels by their first occurrence, then hash. */
static uint64_t hash_partition(const uint32_t *labels, size_t count)
{
	uint32_t most = 0;
	uint32_t next = 0;
	uint32_t *numbers;
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		if (labels[i] > most)
			most = labels[i];
	numbers = mem_alloc((size_t)most + 1, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		if (numbers[labels[i]] == 0)
			numbers[labels[i]] = ++next;
		hash = hash_chain(numbers[labels[i]], hash);
	}
	free(numbers);
	return hash;
}

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
	while (parents[item] != item) {
		parents[item] = parents[parents[item]];
		item = parents[item];
	}
	return item;
}

static bool is_linked(struct signature a, struct signature b,
		      unsigned threshold)
{
	size_t larger = a.count > b.count ? a.count : b.count;

	return signature_height(larger, signature_common(a, b)) <= threshold;
}

/* Make the clusters from the parents. */
static void finish(struct grouping *grouping, uint32_t *parents, size_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root = find_root(parents, i);

		grouping->clusters += root == i;
		parents[i] = root;
	}
}

struct grouping group_pages(const struct signature *pages, size_t count,
			    unsigned threshold)
{
	uint32_t *parents = mem_alloc(count, sizeof(*parents));
	double begin = cpu_seconds();
	struct grouping grouping = {0};

	for (uint32_t i = 0; i < count; i++) {
		parents[i] = i;
		for (uint32_t j = 0; j < i; j++)
			if (is_linked(pages[i], pages[j], threshold))
				parents[find_root(parents, i)] =
					find_root(parents, j);
		grouping.comparisons += i;
	}
	finish(&grouping, parents, count);
	grouping.seconds = cpu_seconds() - begin;
	grouping.partition = hash_partition(parents, count);
	free(parents);
	return grouping;
}

struct hashed {
	uint64_t hash;
	struct signature signature;
	uint32_t page;
};

static int compare_hashed(const void *left, const void *right)
{
	const struct hashed *a = left;
	const struct hashed *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->signature.count != b->signature.count)
		return a->signature.count < b->signature.count ? -1 : 1;
	if (a->signature.count == 0)
		return 0;
	return memcmp(a->signature.shingles, b->signature.shingles,
		      a->signature.count * sizeof(uint64_t));
}

/* Find the distinct signatures and each page's signature. Return their
 * number. */
static size_t find_sets(const struct signature *pages, size_t count,
			struct signature *sets, uint32_t *set_of)
{
	struct hashed *rows = mem_alloc(count, sizeof(*rows));
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct hashed){
			hash64(pages[i].shingles,
			       pages[i].count * sizeof(uint64_t), 0),
			pages[i], i};
	qsort(rows, count, sizeof(*rows), compare_hashed);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_hashed(&rows[i - 1], &rows[i]) != 0)
			sets[found++] = rows[i].signature;
		set_of[rows[i].page] = (uint32_t)found - 1;
	}
	free(rows);
	return found;
}

struct grouping group_sets(const struct signature *pages, size_t count,
			   unsigned threshold)
{
	struct signature *sets = mem_alloc(count, sizeof(*sets));
	uint32_t *set_of = mem_alloc(count, sizeof(*set_of));
	uint32_t *parents = mem_alloc(count, sizeof(*parents));
	double begin = cpu_seconds();
	struct grouping grouping = {
		.sets = find_sets(pages, count, sets, set_of)};

	for (uint32_t i = 0; i < grouping.sets; i++) {
		parents[i] = i;
		for (uint32_t j = 0; j < i; j++) {
			uint32_t a = find_root(parents, i);
			uint32_t b = find_root(parents, j);

			if (a == b)
				continue;
			grouping.comparisons++;
			if (is_linked(sets[i], sets[j], threshold))
				parents[a] = b;
		}
	}
	finish(&grouping, parents, grouping.sets);
	grouping.seconds = cpu_seconds() - begin;
	for (size_t i = 0; i < count; i++)
		set_of[i] = parents[set_of[i]];
	grouping.partition = hash_partition(set_of, count);
	free(sets);
	free(set_of);
	free(parents);
	return grouping;
}

/* Return a line of /proc/self/status in bytes; 0 if it is missing. */
static size_t memory(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	size_t kib = 0;

	while (file != NULL && kib == 0 &&
	       fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoul(line + strlen(name), NULL, 10);
	if (file != NULL)
		(void)fclose(file);
	return kib << 10;
}

/* Return free memory to the system and reset its peak. Return the memory in
 * use. */
static size_t begin_peak(void)
{
	FILE *file;

	malloc_trim(0);
	file = fopen("/proc/self/clear_refs", "we");
	if (file != NULL) {
		(void)fputs("5", file);
		(void)fclose(file);
	}
	return memory("VmRSS:");
}

static struct grouping run_engine(const struct signature *pages, size_t count,
				  unsigned threshold,
				  const struct shingle_weights *weights)
{
	size_t resident = begin_peak();
	uint32_t *labels = mem_alloc(count, sizeof(*labels));
	double begin = cpu_seconds();
	struct linkage *linkage = create(threshold, weights);
	struct linkage_changes changes;
	uint32_t next_label = 1;
	struct grouping grouping = {0};
	struct linkage_size size;

	for (size_t i = 0; i < count; i++)
		(void)linkage_put(linkage, i, pages[i], &next_label, &changes);
	grouping.seconds = cpu_seconds() - begin;
	size = linkage_size(linkage);
	grouping.resident = memory("VmHWM:") - resident;
	grouping.comparisons = linkage_comparisons(linkage);
	grouping.sets = size.sets;
	grouping.clusters = size.clusters;
	grouping.bytes = size.bytes;
	for (size_t i = 0; i < count; i++)
		labels[i] = linkage_label(linkage, i);
	grouping.partition = hash_partition(labels, count);
	linkage_destroy(linkage);
	free(labels);
	return grouping;
}

struct grouping group_engine(const struct signature *pages, size_t count,
			     unsigned threshold,
			     const struct shingle_weights *weights)
{
	struct grouping best = run_engine(pages, count, threshold, weights);
	double all = best.seconds;

	for (int run = 1; run < MAX_RUNS && all < enough_seconds; run++) {
		struct grouping next =
			run_engine(pages, count, threshold, weights);

		all += next.seconds;
		if (next.seconds < best.seconds)
			best.seconds = next.seconds;
	}
	return best;
}
