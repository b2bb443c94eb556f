#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "store/check.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/sets.h"
#include "store/store.h"

#define SETS CHECK_SITE "table %s: "

/*
 * The number of a row, the hash of its value, which must be unique among the
 * rows, and whether another table refers to the row.
 */
struct numbered {
	uint64_t content;
	uint32_t number;
	bool is_used;
};

struct numbers {
	struct numbered *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
};

static void numbers_add(struct numbers *numbers, uint32_t number,
			uint64_t content)
{
	numbers->items = mem_grow(numbers->items, numbers->count,
				  &numbers->capacity, sizeof(*numbers->items));
	numbers->items[numbers->count++] =
		(struct numbered){.content = content, .number = number};
}

/* Mark the number as used; return false if there is no such row. */
static bool numbers_mark_used(struct numbers *numbers, uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, numbers->count, numbers->items[at].number < number);
	if (at == numbers->count || numbers->items[at].number != number)
		return false;
	numbers->items[at].is_used = true;
	return true;
}

static int by_content(const void *left, const void *right)
{
	const struct numbered *a = left;
	const struct numbered *b = right;

	return (a->content > b->content) - (a->content < b->content);
}

/*
 * Check that another table refers to each row and that values are unique.
 * Reorders the numbers.
 */
static void check_numbers(const struct table_check *check, enum table table,
			  struct numbers *numbers)
{
	struct numbered *items = numbers->items;

	for (size_t i = 0; i < numbers->count; i++)
		if (!items[i].is_used)
			verify_problem(check->report, SETS "%u is not used",
				       CHECK_HOST(check), table_name(table),
				       items[i].number);
	if (numbers->count > 1)
		qsort(items, numbers->count, sizeof(*items), by_content);
	for (size_t i = 1; i < numbers->count; i++)
		if (items[i - 1].content == items[i].content)
			verify_problem(check->report,
				       SETS "%u and %u are the same",
				       CHECK_HOST(check), table_name(table),
				       items[i - 1].number, items[i].number);
}

static void check_load_shingles(const struct table_check *check,
				struct numbers *shingle_ids)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SHINGLES, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint64_t shingle = 0;

		if (scan.key.size != 8 || !shingle_decode(scan.value, &shingle))
			verify_problem(check->report, SETS "%u is damaged",
				       CHECK_HOST(check),
				       table_name(TABLE_SHINGLES),
				       key_u32(scan.key, 4));
		else
			numbers_add(shingle_ids, key_u32(scan.key, 4), shingle);
	}
	scan_end(&scan);
}

static void check_add_set(const struct table_check *check, struct slice key,
			  struct slice value, struct numbers *shingle_ids,
			  struct numbers *sets)
{
	uint32_t *shingles = mem_alloc(value.size + 1, sizeof(*shingles));
	uint32_t set = key_u32(key, 4);
	size_t count = key.size == 8 ? set_decode(value, shingles) : SIZE_MAX;
	bool is_sound = count != SIZE_MAX;

	for (size_t i = 0; is_sound && i < count; i++)
		is_sound = numbers_mark_used(shingle_ids, shingles[i]);
	if (!is_sound)
		verify_problem(check->report, SETS "%u is damaged",
			       CHECK_HOST(check), table_name(TABLE_SETS), set);
	numbers_add(sets, set, hash64(value.data, value.size, 0));
	free(shingles);
}

static void check_load_sets(const struct table_check *check,
			    struct numbers *shingle_ids, struct numbers *sets)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SETS, key_slice(&prefix));

	while (scan_next(&scan))
		check_add_set(check, scan.key, scan.value, shingle_ids, sets);
	scan_end(&scan);
}

static void use_sets(const struct table_check *check, struct numbers *sets)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint32_t set;

		if (!member_decode(scan.value, &set) ||
		    !numbers_mark_used(sets, set))
			verify_problem(check->report,
				       CHECK_SITE "page %016" PRIx64
						  ": its signature is missing",
				       CHECK_HOST(check), key_u64(scan.key, 8));
	}
	scan_end(&scan);
}

void verify_set_tables(const struct table_check *check)
{
	struct numbers shingle_ids = {0};
	struct numbers sets = {0};

	check_load_shingles(check, &shingle_ids);
	check_load_sets(check, &shingle_ids, &sets);
	use_sets(check, &sets);
	check_numbers(check, TABLE_SHINGLES, &shingle_ids);
	check_numbers(check, TABLE_SETS, &sets);
	free(shingle_ids.items);
	free(sets.items);
}
