#include "cluster/shingle_weights.h"

#include "base/arena.h"
#include "cluster/dendrogram.h"
#include "cluster/linkage.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { PAGES = 100 };

/* Even numbers are normal shingles, odd ones are heavy; 0 is the root. */
static const uint64_t shingles[] = {SIGNATURE_ROOT, 2, 4, 6, 8, 11, 13};

enum { SHINGLES = COUNT_OF(shingles) };

/*
 * The sites of these tests have three leaves: 50 pages have shingle 2, 99 have
 * 4, 1 has 6, and none has 8.
 */
static const uint32_t half[] = {0, 1, 2, 5};
static const uint32_t other[] = {0, 2, 6};
static const uint32_t one[] = {0, 3, 6};
static const struct dendrogram_leaf leaves[] = {
	{half, 4, 50}, {other, 3, 49}, {one, 3, 1}};
static const struct weighted_site site = {leaves, 3, shingles, SHINGLES};

static struct arena *arena;

static void set_up(void)
{
	arena = arena_create();
}

static void tear_down(void)
{
	arena_destroy(arena);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(a_shingle_that_divides_the_site_weighs_most)
{
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &site);

	ck_assert_uint_eq(weights.pages, PAGES);
	ck_assert_uint_eq(weights.heavy_units, 1);
	/* p = 1, the root is never in the table */
	ck_assert_uint_eq(shingle_units(&weights, SIGNATURE_ROOT), 1);
	/* p = .5: 10 sqrt(.25) = 5 */
	ck_assert_uint_eq(shingle_units(&weights, 2), SHINGLE_MAX_LEVEL);
	/* p = .99: 10 sqrt(.0099) = .995 */
	ck_assert_uint_eq(shingle_units(&weights, 4), 1);
	/* p = .01 */
	ck_assert_uint_eq(shingle_units(&weights, 6), 1);
	/* unknown */
	ck_assert_uint_eq(shingle_units(&weights, 8), 1);
	ck_assert_uint_eq(shingle_units(&weights, 11), SHINGLE_MAX_LEVEL);
	shingle_weights_free(&weights);
}

TEST(a_shingle_of_all_pages_weighs_nothing)
{
	const struct dendrogram_leaf all[] = {{half, 4, 20}};
	const struct weighted_site same = {all, 1, shingles, SHINGLES};
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &same);

	ck_assert_uint_eq(shingle_units(&weights, 2), 0);
	ck_assert_uint_eq(shingle_units(&weights, 11), 0);
	ck_assert_uint_eq(shingle_units(&weights, 13), 1);
	ck_assert_uint_eq(
		shingle_weights_expand(
			arena, &weights,
			(struct signature){(const uint64_t[]){0, 2, 11}, 3})
			.count,
		1);
	shingle_weights_free(&weights);
}

/* 240 shingles; a heavy one counts as much as 240 / 12. */
TEST(heavy_shingles_weigh_a_part_of_the_median_page)
{
	uint64_t many[241];
	uint32_t ids[241];
	struct dendrogram_leaf large[] = {{ids, 241, 10}, {ids, 240, 10}};
	const struct weighted_site wide = {large, 2, many, 241};
	struct shingle_weights weights;

	for (uint32_t i = 0; i < 241; i++) {
		many[i] = i < 240 ? (uint64_t)(i + 1) * 2 : 999;
		ids[i] = i;
	}
	weights = shingle_weights_compute(MEASURE_WCAS, &wide);
	ck_assert_uint_eq(weights.heavy_units, 20);
	/* half of the pages have it */
	ck_assert_uint_eq(shingle_units(&weights, 999),
			  20UL * SHINGLE_MAX_LEVEL);
	ck_assert_uint_eq(shingle_units(&weights, 2), 0);
	ck_assert_uint_eq(
		shingle_weights_max_units(
			&weights,
			(struct signature){(const uint64_t[]){2, 999}, 2}),
		21UL * SHINGLE_MAX_LEVEL);
	shingle_weights_free(&weights);
}

/* 40 pages of 100 have one shingle; they do not make that of others rare. */
TEST(small_pages_do_not_count)
{
	const uint32_t full[] = {1, 2, 3, 4};
	const uint32_t stub[] = {5};
	const struct dendrogram_leaf mixed[] = {{full, 4, 60}, {stub, 1, 40}};
	const struct weighted_site stubs = {mixed, 2, shingles, SHINGLES};
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &stubs);

	ck_assert_uint_eq(shingle_units(&weights, 2), 0);
	ck_assert_uint_eq(weights.pages, PAGES);
	shingle_weights_free(&weights);
}

/*
 * Twelve pages. Of all but `unnamed` of them each has a heavy shingle of its
 * own: 101, 103... The last two have 11, and all have 13.
 */
enum { TITLES = 12, COMMON_SHINGLES = 4 };

static struct shingle_weights named_weights(enum measure measure,
					    uint32_t unnamed)
{
	uint64_t all[COMMON_SHINGLES + TITLES] = {2, 4, 11, 13};
	uint32_t ids[TITLES][5];
	struct dendrogram_leaf titled[TITLES];
	const struct weighted_site wiki = {titled, TITLES, all, COUNT_OF(all)};

	for (uint32_t i = 0; i < TITLES; i++) {
		uint32_t count = 0;

		all[COMMON_SHINGLES + i] = 101 + 2 * i;
		ids[i][count++] = 0;
		ids[i][count++] = 1;
		if (i >= TITLES - 2)
			ids[i][count++] = 2;
		ids[i][count++] = 3;
		if (i >= unnamed)
			ids[i][count++] = COMMON_SHINGLES + i;
		titled[i] = (struct dendrogram_leaf){ids[i], count, 1};
	}
	return shingle_weights_compute(measure, &wiki);
}

/* As MediaWiki does in a class of body. */
TEST(a_heavy_shingle_of_one_page_weighs_nothing_if_half_of_the_pages_have_one)
{
	struct shingle_weights weights =
		named_weights(MEASURE_WCAS, TITLES / 2);
	struct shingle_weights decoded;
	struct buffer bytes = {0};

	ck_assert(weights.has_page_names);
	ck_assert_uint_eq(shingle_units(&weights, 121), 0);
	/* a page that comes later has another one; other shingles have 1 */
	ck_assert_uint_eq(shingle_units(&weights, 201), 0);
	ck_assert_uint_eq(shingle_units(&weights, 200), 1);
	/* p = 1/6: 10 sqrt(5/36) = 3.7 */
	ck_assert_uint_eq(shingle_units(&weights, 11), 4);
	ck_assert_uint_eq(shingle_units(&weights, 13), 0);
	shingle_weights_encode(&weights, &bytes);
	ck_assert(shingle_weights_decode(buffer_slice(&bytes), &decoded));
	ck_assert(decoded.has_page_names);
	ck_assert_uint_eq(decoded.heavy_units, weights.heavy_units);
	ck_assert_uint_eq(shingle_units(&decoded, 201), 0);
	shingle_weights_free(&decoded);
	/* 0 is the level of a heavy shingle that is not in the table */
	bytes.data[bytes.size - 1] = 0;
	ck_assert(!shingle_weights_decode(buffer_slice(&bytes), &decoded));
	bytes.data[bytes.size - 1] = 1;
	ck_assert(shingle_weights_decode(buffer_slice(&bytes), &decoded));
	ck_assert_uint_eq(shingle_units(&decoded, 11), 1);
	shingle_weights_free(&decoded);
	buffer_free(&bytes);
	shingle_weights_free(&weights);
}

/* A single page can be a template, for example the first page of the site. */
TEST(a_heavy_shingle_of_one_page_weighs_if_few_pages_have_one)
{
	struct shingle_weights weights =
		named_weights(MEASURE_WCAS, TITLES / 2 + 1);

	ck_assert(!weights.has_page_names);
	/* p = 1/12: 10 sqrt(11/144) = 2.8 */
	ck_assert_uint_eq(shingle_units(&weights, 121), 3);
	ck_assert_uint_eq(shingle_units(&weights, 201), 1);
	shingle_weights_free(&weights);
	/* no shingle of cas is heavy */
	weights = named_weights(MEASURE_CAS, 0);
	ck_assert(!weights.has_page_names);
	shingle_weights_free(&weights);
}

TEST(other_measures_have_no_weights)
{
	struct shingle_weights weights =
		shingle_weights_for(MEASURE_CAS, &site);

	ck_assert_uint_eq(shingle_units(&weights, 11), 1);
	ck_assert_uint_eq(shingle_units(&weights, 2), 1);
	shingle_weights_free(&weights);
	weights = shingle_weights_for(MEASURE_WCAS, &site);
	ck_assert_uint_eq(shingle_units(&weights, 2), SHINGLE_MAX_LEVEL);
	shingle_weights_free(&weights);
}

/* Known sites of cas: no shingle is heavy, and none weighs nothing. */
TEST(cas_has_weights_without_heavy_shingles)
{
	const struct dendrogram_leaf all[] = {{half, 4, 20}, {other, 3, 20}};
	const struct weighted_site known = {all, 2, shingles, SHINGLES};
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_CAS, &known);

	ck_assert_uint_eq(weights.heavy_units, 1);
	ck_assert_uint_eq(shingle_units(&weights, 2), SHINGLE_MAX_LEVEL);
	ck_assert_uint_eq(shingle_units(&weights, 11), SHINGLE_MAX_LEVEL);
	/* all pages have it */
	ck_assert_uint_eq(shingle_units(&weights, 4), 1);
	shingle_weights_free(&weights);
}

TEST(few_pages_have_the_default_weights)
{
	const struct dendrogram_leaf few[] = {{half, 4, SHINGLE_MIN_PAGES - 1}};
	const struct weighted_site small = {few, 1, shingles, SHINGLES};
	struct shingle_weights weights =
		shingle_weights_for(MEASURE_WCAS, &small);

	ck_assert_uint_eq(shingle_units(&weights, 2), 1);
	ck_assert_uint_eq(shingle_units(&weights, 11), SHINGLE_HEAVY_UNITS);
	shingle_weights_free(&weights);
}

/* The weights depend on the pages, not on the numbers of their shingles. */
TEST(the_order_of_arrival_does_not_matter)
{
	const uint64_t reversed[] = {13, 11, 8, 6, 4, 2, SIGNATURE_ROOT};
	const uint32_t half_ids[] = {1, 4, 5, 6};
	const uint32_t other_ids[] = {0, 4, 6};
	const uint32_t one_ids[] = {0, 3, 6};
	const struct dendrogram_leaf turned[] = {
		{one_ids, 3, 1}, {other_ids, 3, 49}, {half_ids, 4, 50}};
	const struct weighted_site again = {turned, 3, reversed, SHINGLES};
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &site);
	struct shingle_weights others =
		shingle_weights_compute(MEASURE_WCAS, &again);
	struct buffer bytes = {0};
	struct buffer same = {0};

	shingle_weights_encode(&weights, &bytes);
	shingle_weights_encode(&others, &same);
	ck_assert(slice_equal(buffer_slice(&bytes), buffer_slice(&same)));
	buffer_free(&bytes);
	buffer_free(&same);
	shingle_weights_free(&weights);
	shingle_weights_free(&others);
}

TEST(what_is_encoded_can_be_decoded)
{
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &site);
	struct shingle_weights copy;
	struct buffer bytes = {0};

	shingle_weights_encode(&weights, &bytes);
	ck_assert(shingle_weights_decode(buffer_slice(&bytes), &copy));
	ck_assert_uint_eq(copy.count, weights.count);
	ck_assert_uint_eq(copy.heavy_units, weights.heavy_units);
	ck_assert_uint_eq(copy.pages, weights.pages);
	for (size_t i = 0; i < SHINGLES; i++)
		ck_assert_uint_eq(shingle_units(&copy, shingles[i]),
				  shingle_units(&weights, shingles[i]));
	shingle_weights_free(&copy);
	for (size_t size = 0; size < bytes.size; size++) {
		struct slice part = {bytes.data, size};

		/* only whole entries are accepted */
		if (shingle_weights_decode(part, &copy))
			ck_assert_uint_eq((size - 8) % 9, 0);
		shingle_weights_free(&copy);
	}
	bytes.data[bytes.size - 1] = SHINGLE_MAX_LEVEL + 1;
	ck_assert(!shingle_weights_decode(buffer_slice(&bytes), &copy));
	bytes.data[bytes.size - 1] = 1; /* the level of those not in it */
	ck_assert(!shingle_weights_decode(buffer_slice(&bytes), &copy));
	bytes.data[bytes.size - 1] = 2;
	ck_assert(shingle_weights_decode(buffer_slice(&bytes), &copy));
	shingle_weights_free(&copy);
	/* the root has level 1 */
	memset(bytes.data + 8, 0, 8);
	ck_assert(!shingle_weights_decode(buffer_slice(&bytes), &copy));
	bytes.data[8] = 1;
	ck_assert(shingle_weights_decode(buffer_slice(&bytes), &copy));
	shingle_weights_free(&copy);
	bytes.data[0] = (char)(SHINGLE_MAX_HEAVY_UNITS + 1);
	ck_assert(!shingle_weights_decode(buffer_slice(&bytes), &copy));
	buffer_free(&bytes);
	shingle_weights_free(&weights);
}

/* Only damaged weights, or those of a hostile bundle, leave a page none. */
TEST(signatures_without_units_do_no_harm)
{
	uint64_t none[] = {0, 2, 4};
	uint8_t zero[] = {0, 0, 0};
	const struct shingle_weights weights = {none, zero, 3, 1, PAGES, false};
	struct linkage *linkage = linkage_create(&(struct linkage_options){
		.threshold = 200, .weights = &weights});
	struct linkage_changes changes;
	uint32_t next_label = 1;

	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t page = 0; page < 3; page++)
			ASSERT_OK(
				linkage_put(linkage, page,
					    (struct signature){none, page + 1},
					    &next_label, &changes));
		ASSERT_OK(linkage_put(linkage, 3,
				      (struct signature){(uint64_t[]){0, 5}, 2},
				      &next_label, &changes));
		linkage_set_threshold(linkage, round == 0 ? 0 : 1000, &weights,
				      &next_label, &changes);
		linkage_remove(linkage, 1, &next_label, &changes);
	}
	linkage_destroy(linkage);
}

/* Units of leaves and units as hashes have the same distances. */
TEST(leaves_and_signatures_have_equal_units)
{
	struct shingle_weights weights =
		shingle_weights_compute(MEASURE_WCAS, &site);
	const struct dendrogram_leaf *units =
		weighted_leaves_make(arena, &site, &weights);
	const uint64_t *in_half = (const uint64_t[]){0, 2, 4, 11};
	const uint64_t *in_other = (const uint64_t[]){0, 4, 13};
	struct signature a = shingle_weights_expand(
		arena, &weights, (struct signature){in_half, 4});
	struct signature b = shingle_weights_expand(
		arena, &weights, (struct signature){in_other, 3});
	uint32_t common = 0;

	ck_assert_uint_eq(units[0].count, a.count);
	ck_assert_uint_eq(units[1].count, b.count);
	for (uint32_t i = 0; i < units[0].count; i++)
		for (uint32_t k = 0; k < units[1].count; k++)
			common += units[0].shingle_ids[i] ==
				  units[1].shingle_ids[k];
	ck_assert_uint_eq(common, signature_common(a, b));
	ck_assert_uint_eq(units[0].pages, 50);
	shingle_weights_free(&weights);
}
