/*
 * Invariant 1 with sets as large as those of pages: the partition of a linkage
 * equals that of brute force after any sequence of changes.
 */

#include "base/arena.h"
#include "base/memory.h"
#include "cluster/linkage.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum {
	PAGES = 160,
	UNIVERSE = 2000,
	MAX_SHINGLES = 200,
	TEMPLATES = 6,
	CHECK_EVERY = 20,
};

/* A kind of corpus. */
struct corpus {
	unsigned threshold;
	uint32_t universe; /* shingles come from 0 .. universe - 1 */
	uint32_t template_size;
	uint32_t kept;  /* percent of a template's shingles in a page */
	uint32_t noise; /* other shingles, the smaller the commoner */
};

static const struct corpus corpora[] = {
	{0, 50, 6, 95, 1},
	{100, UNIVERSE, 120, 98, 8},
	{100, 400, 30, 97, 2},
	{250, UNIVERSE, 120, 90, 20},
	{250, UNIVERSE, 20, 85, 4},
	{500, UNIVERSE, 120, 75, 60},
	{500, 300, 8, 70, 3},
	{700, UNIVERSE, 100, 60, 90},
	{700, UNIVERSE, 60, 30, 20},
	{700, 600, 4, 80, 2},
	{850, UNIVERSE, 100, 40, 100},
	{850, UNIVERSE, 60, 15, 30},
	{999, UNIVERSE, 30, 5, 3},
	{1000, 100, 30, 50, 3},
};

enum { CORPORA = COUNT_OF(corpora) };

struct test_page {
	uint64_t shingles[MAX_SHINGLES];
	size_t count;
	bool is_there;
};

struct world {
	const struct corpus *corpus;
	struct linkage *linkage;
	unsigned threshold;
	bool is_weighted;
	struct shingle_weights weights;
	uint32_t next_label;
	uint64_t templates[TEMPLATES][MAX_SHINGLES];
	struct test_page pages[PAGES];
};

static struct world world;

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Small numbers are common, as with Zipf. */
static uint64_t common_shingle(void)
{
	uint32_t below = 1 + random_below(world.corpus->universe);

	return random_below(1 + random_below(below));
}

static void make_page(struct test_page *page, size_t most)
{
	const struct corpus *corpus = world.corpus;
	const uint64_t *template = world.templates[random_below(TEMPLATES)];
	uint64_t shingles[2 * MAX_SHINGLES];
	size_t count = 0;
	size_t distinct = 0;

	for (uint32_t i = 0; i < corpus->template_size; i++) {
		if (random_below(100) < corpus->kept)
			shingles[count++] = template[i];
	}
	for (uint32_t i = random_below(corpus->noise + 1); i > 0; i--)
		shingles[count++] = common_shingle();
	if (world.is_weighted)
		shingles[count++] = SIGNATURE_ROOT;
	qsort(shingles, count, sizeof(*shingles), compare);
	for (size_t i = 0; i < count && distinct < most; i++) {
		if (distinct == 0 || shingles[distinct - 1] != shingles[i])
			shingles[distinct++] = shingles[i];
	}
	memcpy(page->shingles, shingles, distinct * sizeof(*shingles));
	page->count = distinct;
}

/* Members of two templates and many others: it links what is apart. */
static void make_hub(struct test_page *page)
{
	size_t count = 0;

	for (uint64_t i = 0; i < world.corpus->universe && count < MAX_SHINGLES;
	     i += 1 + random_below(world.corpus->universe / 100 + 1))
		page->shingles[count++] = i;
	page->count = count;
}

/* Levels of about half of the shingles; odd ones are heavy. */
static void draw_weights(void)
{
	struct shingle_weights *weights = &world.weights;

	shingle_weights_free(weights);
	weights->shingles =
		mem_alloc(world.corpus->universe, sizeof(*weights->shingles));
	weights->levels =
		mem_alloc(world.corpus->universe, sizeof(*weights->levels));
	weights->heavy_units = 1 + random_below(9);
	for (uint64_t i = 1; i < world.corpus->universe; i++) {
		uint8_t level = (uint8_t)random_below(SHINGLE_MAX_LEVEL + 1);

		if (level == 1 || random_below(2) == 0)
			continue;
		weights->shingles[weights->count] = i;
		weights->levels[weights->count++] = level;
	}
}

static void begin(const struct corpus *corpus, bool is_weighted)
{
	memset(&world, 0, sizeof(world));
	world.corpus = corpus;
	world.next_label = 1;
	world.threshold = corpus->threshold;
	world.is_weighted = is_weighted;
	if (is_weighted)
		draw_weights();
	world.linkage = linkage_create(&(struct linkage_options){
		.threshold = corpus->threshold, .weights = &world.weights});
	for (size_t i = 0; i < TEMPLATES; i++) {
		for (uint32_t j = 0; j < corpus->template_size; j++)
			world.templates[i][j] = random_below(corpus->universe);
	}
}

static struct signature signature_of(const struct test_page *page)
{
	return (struct signature){page->shingles, page->count};
}

static bool put(uint64_t number)
{
	struct test_page *page = &world.pages[number];
	struct linkage_changes changes;

	switch (random_below(12)) {
	case 0:
		*page = world.pages[random_below(PAGES)];
		break;
	case 1:
		make_hub(page);
		break;
	case 2:
		make_page(page, random_below(4));
		break;
	default:
		make_page(page, MAX_SHINGLES);
	}
	page->is_there = true;
	return linkage_put(world.linkage, number, signature_of(page),
			   &world.next_label, &changes) == ERR_NONE;
}

static void take(uint64_t number)
{
	struct linkage_changes changes;

	world.pages[number].is_there = false;
	linkage_remove(world.linkage, number, &world.next_label, &changes);
}

static uint32_t find_root(const uint32_t *parents, uint32_t item)
{
	while (parents[item] != item)
		item = parents[item];
	return item;
}

static void find_components(uint32_t *roots)
{
	struct arena *arena = arena_create();
	struct signature units[PAGES];
	uint32_t parents[PAGES];

	for (uint32_t i = 0; i < PAGES; i++) {
		parents[i] = i;
		units[i] = shingle_weights_expand(
			arena, &world.weights, signature_of(&world.pages[i]));
	}
	for (uint32_t i = 0; i < PAGES; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (world.pages[i].is_there &&
			    world.pages[j].is_there &&
			    find_root(parents, i) != find_root(parents, j) &&
			    signature_linked(units[i], units[j],
					     world.threshold))
				parents[find_root(parents, i)] =
					find_root(parents, j);
		}
	}
	for (uint32_t i = 0; i < PAGES; i++)
		roots[i] = find_root(parents, i);
	arena_destroy(arena);
}

static bool partition_is_exact(void)
{
	uint32_t roots[PAGES];
	uint32_t labels[PAGES];
	size_t clusters = 0;

	find_components(roots);
	for (uint32_t i = 0; i < PAGES; i++) {
		labels[i] = linkage_label(world.linkage, i);
		if ((labels[i] != 0) != world.pages[i].is_there)
			return false;
		clusters += labels[i] != 0 && roots[i] == i;
		for (uint32_t j = 0; j < i; j++) {
			if (labels[i] != 0 && labels[j] != 0 &&
			    (labels[i] == labels[j]) != (roots[i] == roots[j]))
				return false;
		}
	}
	return linkage_size(world.linkage).clusters == clusters;
}

/* Can a linkage be opened from its contents? Its sets and shingles are
 * complete, and the labels match the partition. */
static bool reopens(void)
{
	size_t rows = linkage_size(world.linkage).set_rows;
	bool is_known[MAX_SHINGLES * PAGES] = {false};
	struct linkage *copy = linkage_create(&(struct linkage_options){
		.threshold = world.threshold, .weights = &world.weights});
	bool is_good = true;

	for (uint32_t i = 0; i < rows; i++) {
		struct linkage_set_view set = linkage_set_at(world.linkage, i);

		for (size_t j = 0; j < set.count; j++) {
			uint32_t shingle_id = set.shingle_ids[j];

			if (!is_known[shingle_id] &&
			    linkage_restore_shingle(
				    copy, shingle_id,
				    linkage_shingle(world.linkage,
						    shingle_id)) != ERR_NONE)
				is_good = false;
			is_known[shingle_id] = true;
		}
		if (set.page_count > 0 &&
		    linkage_restore_set(copy, i, set.shingle_ids, set.count) !=
			    ERR_NONE)
			is_good = false;
	}
	for (uint64_t i = 0; i < PAGES; i++) {
		if (world.pages[i].is_there &&
		    linkage_restore_page(copy, i, linkage_set(world.linkage, i),
					 linkage_label(world.linkage, i)) !=
			    ERR_NONE)
			is_good = false;
	}
	if (linkage_restore_end(copy) != ERR_NONE)
		is_good = false;
	linkage_destroy(world.linkage);
	world.linkage = copy;
	return is_good;
}

static void recut(unsigned threshold)
{
	struct linkage_changes changes;

	world.threshold = threshold;
	if (world.is_weighted && random_below(2) == 0)
		draw_weights();
	linkage_set_threshold(world.linkage, threshold, &world.weights,
			      &world.next_label, &changes);
}

/* The partition stays; the next checks compare it. */
static void swap_at_random(void)
{
	struct linkage_changes changes;
	uint32_t a = linkage_label(world.linkage, random_below(PAGES));
	uint32_t b = linkage_label(world.linkage, random_below(PAGES));

	if (a != 0 && b != 0)
		linkage_swap_labels(world.linkage, a, b, &changes);
}

/* First it grows, then it stays at its size, then it shrinks to nothing. */
static void step(uint32_t index, uint32_t count)
{
	uint32_t leaving = index < count / 3       ? 8
			   : index < count / 3 * 2 ? 2
						   : 1;
	uint64_t page = random_below(PAGES);

	if (random_below(leaving + 1) == 0 ||
	    (leaving == 1 && random_below(3) > 0))
		take(page);
	else
		ck_assert(put(page));
}

FIXTURE(.timeout_s = 60);

TEST_LOOP(partition_is_that_of_brute_force, 0, 2 * CORPORA)
{
	const uint32_t steps = random_rounds(1200);
	const struct corpus *corpus = &corpora[_i % CORPORA];

	random_begin(20261130 + (unsigned)_i);
	begin(corpus, _i >= CORPORA);
	for (uint32_t i = 0; i < steps; i++) {
		step(i, steps);
		if (i % CHECK_EVERY == 0)
			ck_assert(partition_is_exact());
		if (i % 97 == 0)
			ck_assert(reopens());
		if (i % 13 == 0)
			swap_at_random();
		if (i % 131 == 0)
			recut(corpora[random_below(CORPORA)].threshold);
		else if (i % 131 == 20)
			recut(corpus->threshold);
	}
	for (uint64_t i = 0; i < PAGES; i++) {
		take(i);
		if (i % CHECK_EVERY == 0)
			ck_assert(partition_is_exact());
	}
	ck_assert_uint_eq(linkage_size(world.linkage).sets, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).shingle_ids, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).groups, 0);
	linkage_destroy(world.linkage);
	shingle_weights_free(&world.weights);
}
