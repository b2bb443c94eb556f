/*
 * bench_linkage - what an insert into the linkage costs as it grows, beside the
 * matrix of all pairs of pages that the source paper computes. Synthetic sites
 * of TEMPLATES templates: a page has most members of its template, some of a
 * pool that the site shares, and some of its own. `e` is the exponent of the
 * growth since the row above.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cluster/linkage.h"
#include "store/hash.h"
#include "store/memory.h"

enum {
	TEMPLATES = 20,
	CORE = 60,  /* members of a template */
	POOL = 400, /* members that pages of all templates may have */
	FROM_POOL = 15,
	OWN = 5,
	MAX_MEMBERS = CORE + FROM_POOL + OWN,
	THRESHOLD = 500,
};

static uint64_t state = 20240950; /* the corpus is the same in every run */

static uint64_t next_random(void)
{
	state = hash_chain(state, 1);
	return state;
}

static int compare_members(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static struct signature make_page(void)
{
	uint64_t *members = mem_alloc(MAX_MEMBERS, sizeof(*members));
	uint64_t template = next_random() % TEMPLATES;
	size_t count = 0;
	size_t distinct = 0;

	for (uint64_t i = 0; i < CORE; i++) {
		if (next_random() % 100 < 85)
			members[count++] = hash_chain(i, template + 2);
	}
	for (int i = 0; i < FROM_POOL; i++)
		members[count++] = hash_chain(next_random() % POOL, 0);
	for (int i = 0; i < OWN; i++)
		members[count++] = next_random();
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0; i < count; i++) {
		if (distinct == 0 || members[distinct - 1] != members[i])
			members[distinct++] = members[i];
	}
	return (struct signature){members, distinct};
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct cost {
	double seconds;
	uint64_t comparisons;
	size_t clusters;
};

static struct cost measure_linkage(const struct signature *pages, size_t count)
{
	struct linkage *linkage = linkage_create(
		&(struct linkage_options){.threshold = THRESHOLD});
	struct linkage_changes changes;
	uint32_t next_label = 1;
	double begin = seconds();
	struct cost cost;

	for (size_t i = 0; i < count; i++)
		(void)linkage_put(linkage, i, pages[i], &next_label, &changes);
	cost = (struct cost){seconds() - begin, linkage_comparisons(linkage),
			     linkage_size(linkage).clusters};
	linkage_destroy(linkage);
	return cost;
}

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
	while (parents[item] != item) {
		parents[item] = parents[parents[item]];
		item = parents[item];
	}
	return item;
}

/* All distances first, as the paper; then the components. */
static struct cost measure_matrix(const struct signature *pages, size_t count)
{
	uint32_t *parents = mem_alloc(count, sizeof(*parents));
	double begin = seconds();
	struct cost cost = {0, 0, count};

	for (uint32_t i = 0; i < count; i++)
		parents[i] = i;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < i; j++) {
			double distance =
				signature_distance(pages[i], pages[j]);
			uint32_t a;
			uint32_t b;

			cost.comparisons++;
			if (distance * 1000 > THRESHOLD)
				continue;
			a = find_root(parents, i);
			b = find_root(parents, j);
			cost.clusters -= a != b;
			parents[a] = b;
		}
	}
	cost.seconds = seconds() - begin;
	free(parents);
	return cost;
}

static void print_cost(const char *name, size_t count, struct cost cost,
		       struct cost before)
{
	printf("%-8s %6zu pages %4zu clusters %9.4f s %10llu comparisons", name,
	       count, cost.clusters, cost.seconds,
	       (unsigned long long)cost.comparisons);
	if (before.comparisons > 0)
		printf("  e %.2f (time), %.2f (comparisons)",
		       log2(cost.seconds / before.seconds),
		       log2((double)cost.comparisons /
			    (double)before.comparisons));
	putchar('\n');
}

int main(void)
{
	enum { FIRST = 250, LAST = 4000 };
	struct signature *pages = mem_alloc(LAST, sizeof(*pages));
	struct cost linkage = {0};
	struct cost matrix = {0};

	for (size_t i = 0; i < LAST; i++)
		pages[i] = make_page();
	for (size_t count = FIRST; count <= LAST; count *= 2) {
		struct cost cost = measure_linkage(pages, count);
		struct cost rival = measure_matrix(pages, count);

		print_cost("linkage", count, cost, linkage);
		print_cost("matrix", count, rival, matrix);
		linkage = cost;
		matrix = rival;
	}
	for (size_t i = 0; i < LAST; i++)
		free((void *)pages[i].members);
	free(pages);
	return 0;
}
