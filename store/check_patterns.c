#include <inttypes.h>

#include "base/lower_bound.h"
#include "base/tally.h"
#include "store/check.h"
#include "store/key.h"
#include "store/rows_frontier.h"

#define PATTERN CHECK_SITE "pattern %016" PRIx64 ": "

static void check_report_pattern(const struct table_check *check,
				 uint64_t pattern, const char *what)
{
	verify_problem(check->report, PATTERN "%s", CHECK_HOST(check), pattern,
		       what);
}

/* The number of frontier rows of each pattern, fine or coarse. */
struct pattern_counts {
	struct count_map found;
	struct count_map tried;
	struct count_map learned;
};

static void count_row(struct pattern_counts *counts, uint64_t pattern,
		      uint32_t flags)
{
	count_map_add(&counts->found, pattern);
	if ((flags & FRONTIER_IS_ATTEMPTED) != 0)
		count_map_add(&counts->tried, pattern);
	if ((flags & FRONTIER_IS_COUNTED) != 0)
		count_map_add(&counts->learned, pattern);
}

static void count_rows(const struct table_check *check,
		       struct pattern_counts *counts)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_FRONTIER, key_slice(&prefix));
	struct frontier_row row;

	while (scan_next(&scan)) {
		if (!frontier_row_decode(scan.value, &row) ||
		    (row.flags & FRONTIER_IS_AUXILIARY) != 0)
			continue;
		count_row(counts, row.pattern, row.flags);
		count_row(counts, row.coarse, row.flags);
	}
	scan_end(&scan);
	count_map_sort(&counts->found);
	count_map_sort(&counts->tried);
	count_map_sort(&counts->learned);
}

static uint64_t count_of(const struct count_map *tally, uint64_t number)
{
	size_t at;

	LOWER_BOUND(at, tally->count, tally->entries[at].number < number);
	return at < tally->count && tally->entries[at].number == number
		       ? tally->entries[at].count
		       : 0;
}

static void check_compare_pattern(const struct table_check *check,
				  uint64_t pattern, const char *name,
				  uint64_t found, uint32_t counted)
{
	if (found != counted)
		verify_problem(check->report,
			       PATTERN "has %" PRIu64 " %s URLs, but counts %u",
			       CHECK_HOST(check), pattern, found, name,
			       counted);
}

static void check_pattern(const struct table_check *check, uint64_t pattern,
			  const struct pattern_row *row,
			  const struct pattern_counts *counts)
{
	check_compare_pattern(check, pattern, "found",
			      count_of(&counts->found, pattern), row->found);
	check_compare_pattern(check, pattern, "tried",
			      count_of(&counts->tried, pattern), row->tried);
	check_compare_pattern(check, pattern, "learned",
			      count_of(&counts->learned, pattern),
			      row->learned);
	if (row->found == 0)
		check_report_pattern(check, pattern, "has no URL");
	if (row->quiet > row->learned)
		check_report_pattern(check, pattern,
				     "has more quiet pages than pages");
}

/* Report the patterns of frontier rows that have no row in TABLE_PATTERNS. */
static void check_missing(const struct table_check *check,
			  const struct pattern_counts *counts)
{
	for (size_t i = 0; i < counts->found.count; i++) {
		uint64_t pattern = counts->found.entries[i].number;
		struct key key = key_page(check->site->id, pattern);

		if (txn_get(check->txn, TABLE_PATTERNS, key_slice(&key)).data ==
		    NULL)
			check_report_pattern(check, pattern,
					     "has URLs, but no row");
	}
}

void verify_pattern_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct pattern_counts counts = {0};
	struct scan scan;
	struct pattern_row row;
	uint64_t coarse = 0;

	count_rows(check, &counts);
	scan = scan_begin(check->txn, TABLE_PATTERNS, key_slice(&prefix));
	while (scan_next(&scan)) {
		uint64_t pattern = key_u64(scan.key, 4);

		if (scan.key.size != 12 ||
		    !pattern_row_decode(scan.value, &row)) {
			check_report_pattern(check, pattern,
					     "the row is damaged");
			continue;
		}
		coarse += (row.flags & PATTERN_IS_COARSE) != 0;
		check_pattern(check, pattern, &row, &counts);
	}
	scan_end(&scan);
	check_missing(check, &counts);
	if (coarse != check->site->coarse_count)
		verify_problem(check->report,
			       CHECK_SITE "has %" PRIu64
					  " coarse patterns, but counts %u",
			       CHECK_HOST(check), coarse,
			       check->site->coarse_count);
	count_map_free(&counts.found);
	count_map_free(&counts.tried);
	count_map_free(&counts.learned);
}
