#include "tests/bench/latency.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/linkage.h"

/* Of one kind of call. */
struct series {
	double *items; /* [count], microseconds */
	size_t count;
};

struct run {
	struct linkage *linkage;
	const struct signature *pages;
	uint32_t *order; /* [count], of pages: first the existing ones */
	size_t count;
	size_t present;
	uint32_t next_label;
	uint64_t random;
};

static double thread_microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The page at `index` of the order comes, or goes. */
static void change(struct run *run, size_t index, struct series *series)
{
	bool is_present = index < run->present;
	size_t other = is_present ? run->present - 1 : run->present;
	uint32_t page = run->order[index];
	struct linkage_changes changes;
	double begin = thread_microseconds();

	if (is_present)
		linkage_remove(run->linkage, page, &run->next_label, &changes);
	else
		(void)linkage_put(run->linkage, page, run->pages[page],
				  &run->next_label, &changes);
	series->items[series->count++] = thread_microseconds() - begin;
	run->order[index] = run->order[other];
	run->order[other] = page;
	run->present = is_present ? other : other + 1;
}

static size_t below(struct run *run, size_t count)
{
	run->random = hash_chain(run->random, 1);
	return run->random % count;
}

/* With equal chance remove an existing page or add a missing one. */
static void change_any(struct run *run, struct series *inserts,
		       struct series *removes)
{
	bool removes_one = below(run, 2) == 0;
	size_t absent = run->count - run->present;

	if (run->present == 0 || (!removes_one && absent > 0))
		change(run, run->present + below(run, absent), inserts);
	else
		change(run, below(run, run->present), removes);
}

static int compare_numbers(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static struct latency summarise(struct series *series)
{
	size_t count = series->count;

	if (count == 0)
		return (struct latency){0};
	qsort(series->items, count, sizeof(*series->items), compare_numbers);
	return (struct latency){series->items[count / 2],
				series->items[count - 1 - count / 100],
				series->items[count - 1]};
}

struct latencies measure_latencies(const struct signature *pages, size_t count,
				   unsigned threshold)
{
	struct run run = {
		.linkage = linkage_create(
			&(struct linkage_options){.threshold = threshold}),
		.pages = pages,
		.order = mem_alloc(count, sizeof(*run.order)),
		.count = count,
		.next_label = 1,
		.random = 20240950,
	};
	struct series inserts = {mem_alloc(count, sizeof(double)), 0};
	struct series removes = {mem_alloc(count, sizeof(double)), 0};
	struct latencies latencies;

	for (size_t i = 0; i < count; i++)
		run.order[i] = (uint32_t)i;
	while (run.present < count)
		change(&run, run.present, &inserts);
	latencies.fill = summarise(&inserts);
	inserts.count = 0;
	for (size_t i = 0; i < count; i++)
		change_any(&run, &inserts, &removes);
	latencies.insert = summarise(&inserts);
	latencies.remove = summarise(&removes);
	linkage_destroy(run.linkage);
	free(run.order);
	free(inserts.items);
	free(removes.items);
	return latencies;
}
