/* What one sample page says, and what all of them say. */
#include "daemon/watch/decide.h"

#include "page/page_class.h"
#include "store/rows.h"
#include "tests/unit/run.h"

/* Pages were stored at 10, and asked again at 20. */
enum { BEFORE = 10, WINDOW = 20, AFTER = 30, SELF = 1, OTHER };

struct page_case {
	const char *name;
	struct sample_page page;
	enum observation kind;
	uint32_t cluster;
	bool is_fresh;
	bool is_moved;
};

#define STORED .since_ms = BEFORE, .is_stored = true

static const struct page_case page_cases[] = {
	{"not there, and nobody asked", {0}, OBSERVED_GONE, 0, false, false},
	{"not there", {.answered_ms = AFTER}, OBSERVED_GONE, 0, true, false},
	{"as it was stored",
	 {STORED, .cluster = SELF, .fetched_ms = BEFORE},
	 OBSERVED_UNSEEN,
	 SELF,
	 false,
	 false},
	{"fetched before the window",
	 {STORED, .cluster = SELF, .fetched_ms = WINDOW - 1},
	 OBSERVED_UNSEEN,
	 SELF,
	 false,
	 false},
	{"fetched as the window began",
	 {STORED, .cluster = SELF, .fetched_ms = WINDOW},
	 OBSERVED_PAGE,
	 SELF,
	 true,
	 false},
	{"it does not come back to what it was",
	 {STORED, .cluster = OTHER, .fetched_ms = BEFORE,
	  .has_other_paths = true},
	 OBSERVED_PAGE,
	 OTHER,
	 false,
	 false},
	{"the visit failed",
	 {STORED, .cluster = SELF, .fetched_ms = BEFORE, .is_refused = true,
	  .answered_ms = AFTER},
	 OBSERVED_BLOCKED,
	 SELF,
	 false,
	 false},
	{"a visit failed long ago",
	 {STORED, .cluster = SELF, .fetched_ms = BEFORE, .is_refused = true,
	  .answered_ms = BEFORE},
	 OBSERVED_UNSEEN,
	 SELF,
	 false,
	 false},
	{"a challenge",
	 {STORED, .page_class = CLASS_CHALLENGE, .answered_ms = AFTER},
	 OBSERVED_BLOCKED,
	 0,
	 true,
	 false},
	{"an error long ago",
	 {STORED, .page_class = CLASS_ERROR, .answered_ms = BEFORE},
	 OBSERVED_UNSEEN,
	 0,
	 false,
	 false},
	{"a soft 404",
	 {STORED, .page_class = CLASS_SOFT_404, .answered_ms = AFTER},
	 OBSERVED_GONE,
	 0,
	 true,
	 false},
	{"it leads nowhere",
	 {STORED, .lead = REDIRECT_TARGET_UNKNOWN, .answered_ms = AFTER},
	 OBSERVED_GONE,
	 0,
	 true,
	 false},
	{"it leads to what is awaited",
	 {STORED, .lead = REDIRECT_TARGET_QUEUED, .answered_ms = AFTER},
	 OBSERVED_UNSEEN,
	 0,
	 true,
	 false},
	{"it leads to a page",
	 {STORED, .lead = REDIRECT_TARGET_PAGE, .lead_cluster = OTHER,
	  .answered_ms = AFTER},
	 OBSERVED_GONE,
	 OTHER,
	 true,
	 true},
	{"it leads to a page of no cluster",
	 {STORED, .lead = REDIRECT_TARGET_PAGE, .answered_ms = AFTER},
	 OBSERVED_GONE,
	 0,
	 true,
	 false},
};

TEST_ROWS(each_page_says_what_is_stored_of_it, page_cases)
{
	const struct page_case *one = &page_cases[_i];
	struct sample_observation observation =
		observe_sample_page(&one->page, WINDOW);

	ck_assert_msg(observation.kind == one->kind, "%s: %d", one->name,
		      observation.kind);
	ck_assert_uint_eq(observation.cluster, one->cluster);
	ck_assert_int_eq(observation.is_fresh, one->is_fresh);
	ck_assert_int_eq(observation.is_moved, one->is_moved);
}

/* Eight pages of SELF, the first `elsewhere` of them in OTHER; their records
 * are empty, so that none has changed. */
static struct votes count(uint32_t elsewhere, const struct template_row *row,
			  const struct vote_rules *rules)
{
	AUTO_ARENA *arena = arena_create();
	struct template_facts *facts =
		ARENA_NEW(arena, struct template_facts, 1);
	struct votes votes;

	*facts = (struct template_facts){
		.self = {.cluster = SELF, .has_row = true, .row = *row},
		.sample_count = 8,
	};
	for (uint32_t i = 0; i < facts->sample_count; i++)
		facts->sample[i] = (struct sample_page){
			.page = i,
			STORED,
			.fetched_ms = AFTER + i,
			.cluster = i < elsewhere ? OTHER : SELF,
		};
	votes_count(facts, rules, arena, &votes);
	return votes;
}

static const struct vote_rules rules = {.window_ms = WINDOW, .threshold = 200};
static const struct template_row calm = {.threshold = 200};

TEST(pages_that_are_as_they_were_say_so)
{
	struct votes votes = count(0, &calm, &rules);

	ck_assert_int_eq(votes.detection.kind, DECISION_SAME);
	ck_assert_uint_eq(votes.disagreed, 0);
	ck_assert_uint_eq(votes.destination, 0);
	ck_assert_uint_eq(votes.seen_ms, AFTER + 7);
}

TEST(pages_that_are_elsewhere_disagree)
{
	struct votes votes = count(3, &calm, &rules);

	ck_assert_uint_eq(votes.elsewhere, 3);
	ck_assert_uint_eq(votes.disagreed, 3);
	ck_assert_uint_eq(votes.destination, OTHER);
	ck_assert_uint_eq(votes.strays[0].cluster, OTHER);
	ck_assert_uint_eq(votes.strays[0].pages, 3);
}

/* 6 of 8 are fewer than 850 permille, 7 are more. */
TEST(who_follows_a_part_that_was_told_of_says_nothing)
{
	const struct template_row split = {.threshold = 200, .other = OTHER};

	ck_assert_uint_eq(count(6, &split, &rules).elsewhere, 0);
	ck_assert_uint_eq(count(7, &split, &rules).elsewhere, 7);
}

TEST(another_cut_moves_no_page_that_is_as_it_was)
{
	const struct template_row recut = {.threshold = 100};
	struct votes votes = count(5, &recut, &rules);

	ck_assert(votes.is_recut);
	ck_assert_uint_eq(votes.majority, OTHER);
	ck_assert(!count(5, &calm, &rules).is_recut);
}
