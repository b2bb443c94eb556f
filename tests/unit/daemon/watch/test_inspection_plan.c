/* Votes become a signal, and a signal a step: each row of the table of live
 * templates, and its edges. */
#include "store/rows.h"
#include "tests/unit/daemon/watch/planned.h"
#include "tests/unit/run.h"

#define ASKED TEMPLATE_IS_ASKING
#define PART  TEMPLATE_IS_DIVIDED
#define WIDE  (TEMPLATE_IS_ASKING | TEMPLATE_IS_SUSPECT)

static struct planned_site all;
static bool is_covered[WATCH_SIGNALS];

static void setup(void)
{
	planned_open(&all);
}

static void teardown(void)
{
	planned_close(&all);
}

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): unchanged read */
struct template_case {
	const char *name;
	unsigned setting;
	uint16_t flags;
	uint32_t asked_for;
	struct votes votes;
	enum watch_signal signal;
	enum watch_state next;
	enum event_kind kind; /* 0 = no event, except template.checked at the
				 end of an incident */
	uint32_t other;
	uint32_t visits; /* sample pages to fetch */
};

#define VOTES(...)                           \
	{                                    \
		.pages = SAMPLE, __VA_ARGS__ \
	}
#define KIND(decision) .detection.kind = DECISION_##decision
#define REBUILT \
	KIND(SAME), .detection.is_rebuilt = true, .detection.seen = SAMPLE

/* clang-format off */
static const struct template_case template_cases[] = {
	/* in a round */
	{"nothing against it", 0, 0, 0, VOTES(KIND(SAME)),
	 SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"the next round", EXPIRED, 0, 0, VOTES(KIND(SAME)),
	 SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, ROUND_PAGES},
	{"as many disagree as before", 0, 0, 2,
	 VOTES(KIND(UNSURE), .disagreed = 2),
	 SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"divided, and not asked again", 0, PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3),
	 SIGNAL_QUIET, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"it has grown", GROWN, 0, 0, VOTES(KIND(SAME)),
	 SIGNAL_OUTDATED, WATCH_SAMPLING, 0, 0, 0},
	{"it has grown, while pages come", GROWN | CRAWLED, 0, 0,
	 VOTES(KIND(SAME)), SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"it has grown, and cannot be read", GROWN | UNREAD, 0, 0,
	 VOTES(KIND(SAME)), SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"it has grown, and one disagrees", GROWN, 0, 1,
	 VOTES(KIND(SAME), .disagreed = 1),
	 SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"the cut moved", RECUT, 0, 0, VOTES(KIND(SAME)),
	 SIGNAL_OUTDATED, WATCH_SAMPLING, 0, 0, 0},
	{"made of a few", 0, TEMPLATE_IS_PARTIAL, 0, VOTES(KIND(SAME)),
	 SIGNAL_OUTDATED, WATCH_SAMPLING, 0, 0, 0},
	{"divided, and as it was a round later", GROWN | ROUNDED, PART, 0,
	 VOTES(KIND(SAME)), SIGNAL_DISSENT, WATCH_RECHECKING, 0, 0, SAMPLE},
	{"one disagrees", 0, 0, 0, VOTES(KIND(UNSURE), .disagreed = 1),
	 SIGNAL_DISSENT, WATCH_CHECKING, 0, 0, SAMPLE},
	{"an event, and nobody was asked", 0, 0, 6,
	 VOTES(KIND(CHANGED), .disagreed = 6),
	 SIGNAL_DISSENT, WATCH_CHECKING, 0, 0, SAMPLE},
	{"divided a round ago", ROUNDED, PART, 3,
	 VOTES(KIND(UNSURE), .disagreed = 3),
	 SIGNAL_DISSENT, WATCH_RECHECKING, 0, 0, SAMPLE},
	/* in an inquiry */
	{"one has not answered", 0, ASKED, 0,
	 VOTES(KIND(CHANGED), .unseen = 1),
	 SIGNAL_AWAITED, WATCH_CHECKING, 0, 0, 0},
	{"one has not answered again", 0, ASKED | PART, 0,
	 VOTES(KIND(SPLIT), .unseen = 1),
	 SIGNAL_AWAITED, WATCH_RECHECKING, 0, 0, 0},
	{"one never answers", LATE, WIDE, 0,
	 VOTES(KIND(CHANGED), .unseen = 1), SIGNAL_CHANGED, WATCH_SAMPLING,
	 EVENT_TEMPLATE_CHANGED, 0, 0},
	{"merged, while others come", CRAWLED, WIDE, 0,
	 VOTES(KIND(MERGED), .destination = KNOWN),
	 SIGNAL_UNSETTLED, WATCH_CHECKING, 0, 0, 0},
	{"merged, as others come and come", CRAWLED | LATE, WIDE, 0,
	 VOTES(KIND(MERGED), .destination = KNOWN), SIGNAL_MERGED,
	 WATCH_MIGRATING, EVENT_TEMPLATE_MERGED, KNOWN, 0},
	{"split, while others come", CRAWLED, WIDE | PART, 0,
	 VOTES(KIND(SPLIT), .destination = TARGET),
	 SIGNAL_UNSETTLED, WATCH_RECHECKING, 0, 0, 0},
	{"the same, while others come", CRAWLED, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 1),
	 SIGNAL_UNSETTLED, WATCH_CHECKING, 0, 0, 0},
	{"the same, as others come and come", CRAWLED | LATE, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 1),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"the sample has changed", 0, ASKED, 0, VOTES(KIND(CHANGED)),
	 SIGNAL_SUSPECTED, WATCH_CHECKING, 0, 0, 0},
	{"the sample has changed, while others come", CRAWLED, ASKED, 0,
	 VOTES(KIND(CHANGED)), SIGNAL_SUSPECTED, WATCH_CHECKING, 0, 0, 0},
	{"the sample is elsewhere", 0, ASKED, 0,
	 VOTES(KIND(REPLACED), .destination = TARGET),
	 SIGNAL_SUSPECTED, WATCH_CHECKING, 0, 0, 0},
	{"it is the same", 0, ASKED, 0, VOTES(KIND(SAME), .disagreed = 1),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"most are refused, and the others have changed", 0, ASKED, 0,
	 VOTES(KIND(CHANGED), .disagreed = 2, .blocked = 4),
	 SIGNAL_AWAITED, WATCH_CHECKING, 0, 0, 0},
	{"it is blocked", 0, ASKED, 0, VOTES(KIND(BLOCKED), .blocked = 6),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"it is the same again", 0, WIDE | PART, 0,
	 VOTES(KIND(SAME)), SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"it has no cluster", GONE, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 1, .gone = 1),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"one is gone", 0, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 1, .gone = 1),
	 SIGNAL_THINNED, WATCH_SAMPLING, 0, 0, 0},
	{"one is gone, and none can be read", UNREAD, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 1, .gone = 1),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"half differ", 0, ASKED, 0, VOTES(KIND(SAME), .disagreed = 3),
	 SIGNAL_DRIFTED, WATCH_SAMPLING, 0, 0, 0},
	{"all were built again", 0, 0, 0, VOTES(REBUILT),
	 SIGNAL_REBUILT, WATCH_SAMPLING, EVENT_TEMPLATE_REBUILT, 0, 0},
	{"all were built again, while pages come", CRAWLED, 0, 0,
	 VOTES(REBUILT), SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"all were built again, and none can be read", UNREAD, 0, 0,
	 VOTES(REBUILT), SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"less than half differ", 0, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 2),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"half differ, while pages come", CRAWLED, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 3),
	 SIGNAL_UNSETTLED, WATCH_CHECKING, 0, 0, 0},
	{"half differ, as pages come and come", CRAWLED | LATE, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 3),
	 SIGNAL_DRIFTED, WATCH_SAMPLING, 0, 0, 0},
	{"half differ, and its version is lost", UNKNOWN, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 3),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"half differ, and none can be read", UNREAD, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 3),
	 SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
	{"half are elsewhere", 0, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_PARTED, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"a part is elsewhere", 0, ASKED, 0,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_PARTED, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"a greater part is", 0, ASKED | PART, 2,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_PARTED, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"it still is, in a cluster too small", 0, ASKED | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = SMALL),
	 SIGNAL_PARTED, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"it still is", 0, WIDE | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_SPLIT, WATCH_SAMPLING, EVENT_TEMPLATE_SPLIT, TARGET, 0},
	{"it still is, and cannot be read", UNREAD, WIDE | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_UNREADABLE, WATCH_RECHECKING, 0, 0, 0},
	{"too few stayed, and have changed", FEW, WIDE | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = KNOWN, .has_left = true),
	 SIGNAL_REPLACED, WATCH_MIGRATING, EVENT_TEMPLATE_REPLACED, KNOWN, 0},
	{"too few stayed", FEW, WIDE | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = KNOWN),
	 SIGNAL_RENUMBERED, WATCH_MIGRATING, 0, KNOWN, 0},
	{"too few stayed, and the others are no template yet", FEW,
	 WIDE | PART, 3,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_FOLLOWED, WATCH_RECHECKING, 0, 0, 0},
	{"changed", 0, WIDE, 0, VOTES(KIND(CHANGED)),
	 SIGNAL_CHANGED, WATCH_SAMPLING, EVENT_TEMPLATE_CHANGED, 0, 0},
	{"changed, and cannot be read", UNREAD, WIDE, 0,
	 VOTES(KIND(CHANGED)), SIGNAL_UNREADABLE, WATCH_CHECKING, 0, 0, 0},
	{"changed, and never can be read", UNREAD | LATE, WIDE, 0,
	 VOTES(KIND(CHANGED)), SIGNAL_ABANDONED, WATCH_SAMPLING, 0, 0, 0},
	{"replaced", FEW, WIDE, 0,
	 VOTES(KIND(REPLACED), .destination = KNOWN),
	 SIGNAL_REPLACED, WATCH_MIGRATING, EVENT_TEMPLATE_REPLACED, KNOWN, 0},
	{"replaced, and cannot be read", FEW | UNREAD, WIDE, 0,
	 VOTES(KIND(REPLACED), .destination = KNOWN),
	 SIGNAL_REPLACED, WATCH_MIGRATING, EVENT_TEMPLATE_REPLACED, KNOWN, 0},
	{"merged", FEW, WIDE, 0, VOTES(KIND(MERGED), .destination = KNOWN),
	 SIGNAL_MERGED, WATCH_MIGRATING, EVENT_TEMPLATE_MERGED, KNOWN, 0},
	{"merged, and most pages were not fetched yet", 0, WIDE, 0,
	 VOTES(KIND(MERGED), .destination = KNOWN),
	 SIGNAL_UNSETTLED, WATCH_CHECKING, 0, 0, 0},
	{"redesigned, in a cluster that is no template", 0, WIDE, 0,
	 VOTES(KIND(REPLACED), .destination = TARGET),
	 SIGNAL_FOLLOWED, WATCH_CHECKING, 0, 0, 0},
	{"redesigned, and cannot be read", UNREAD, WIDE, 0,
	 VOTES(KIND(REPLACED), .destination = TARGET),
	 SIGNAL_FOLLOWED, WATCH_CHECKING, 0, 0, 0},
	{"in a cluster that it has for itself", 0, WIDE, 0,
	 VOTES(KIND(MERGED), .destination = TARGET),
	 SIGNAL_FOLLOWED, WATCH_CHECKING, 0, 0, 0},
	{"and its paths have moved", 0, WIDE, 0,
	 VOTES(KIND(MERGED), .destination = TARGET,
	       .detection.paths_moved = 0.4),
	 SIGNAL_FOLLOWED, WATCH_CHECKING, 0, 0, 0},
	{"the sample has vanished", 0, ASKED, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_SUSPECTED, WATCH_CHECKING, 0, 0, 0},
	{"of a divided one", 0, ASKED | PART, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_SUSPECTED, WATCH_RECHECKING, 0, 0, 0},
	{"most of the sample is gone", 0, ASKED, 0,
	 VOTES(KIND(SAME), .disagreed = 4, .gone = 4),
	 SIGNAL_SUSPECTED, WATCH_CHECKING, 0, 0, 0},
	{"most of its pages are gone", THINNED_OUT, WIDE, 0,
	 VOTES(KIND(SAME), .disagreed = 4, .gone = 4),
	 SIGNAL_DEPLETED, WATCH_SAMPLING, EVENT_TEMPLATE_VANISHED, 0, 0},
	{"most of the sample is gone, and the others are there", 0, WIDE, 0,
	 VOTES(KIND(SAME), .disagreed = 2, .gone = 4),
	 SIGNAL_THINNED, WATCH_SAMPLING, 0, 0, 0},
	{"the sample has vanished, and most of its pages", THINNED_OUT, WIDE, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_DEPLETED, WATCH_SAMPLING, EVENT_TEMPLATE_VANISHED, 0, 0},
	{"the sample has vanished, and the others are there", 0, WIDE, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_THINNED, WATCH_SAMPLING, 0, 0, 0},
	{"most of its pages are gone, and none can be read", THINNED_OUT | UNREAD,
	 WIDE, 0, VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_UNREADABLE, WATCH_CHECKING, 0, 0, 0},
	{"too few are left, of the sample, too", FEW, WIDE, 0,
	 VOTES(KIND(SAME), .disagreed = 5, .gone = 5),
	 SIGNAL_VANISHED, WATCH_RETIRED, EVENT_TEMPLATE_VANISHED, 0, 0},
	{"too few are left", FEW, WIDE, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_VANISHED, WATCH_RETIRED, EVENT_TEMPLATE_VANISHED, 0, 0},
	{"all pages have vanished", GONE, WIDE, 0,
	 VOTES(KIND(VANISHED), .gone = 6),
	 SIGNAL_VANISHED, WATCH_RETIRED, EVENT_TEMPLATE_VANISHED, 0, 0},
	{"all lead elsewhere", FEW, WIDE, 0,
	 VOTES(KIND(VANISHED), .gone = 6, .led_to = TARGET),
	 SIGNAL_LED_AWAY, WATCH_MIGRATING, EVENT_TEMPLATE_REPLACED, TARGET, 0},
	{"the cut took it away", GONE | RECUT, 0, 0,
	 VOTES(KIND(SAME), .is_recut = true, .majority = TARGET),
	 SIGNAL_RECUT, WATCH_MIGRATING, 0, TARGET, 0},
	/* where no page can be fetched */
	{"one disagrees, and nobody can be asked", BLIND, 0, 0,
	 VOTES(KIND(SAME), .disagreed = 1),
	 SIGNAL_QUIET, WATCH_SAMPLING, 0, 0, 0},
	{"changed, as it is stored", BLIND, 0, 0, VOTES(KIND(CHANGED)),
	 SIGNAL_CHANGED, WATCH_SAMPLING, EVENT_TEMPLATE_CHANGED, 0, 0},
	{"split, as it is stored", BLIND, 0, 0,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = TARGET),
	 SIGNAL_SPLIT, WATCH_SAMPLING, EVENT_TEMPLATE_SPLIT, TARGET, 0},
	{"parted, as it is stored", BLIND, 0, 0,
	 VOTES(KIND(SPLIT), .disagreed = 3, .elsewhere = 3,
	       .destination = SMALL),
	 SIGNAL_PARTED, WATCH_SPLIT_PENDING, 0, 0, 0},
	{"asked, when it was still watched", BLIND, ASKED, 0,
	 VOTES(KIND(SAME), .unseen = 2), SIGNAL_SAME, WATCH_SAMPLING, 0, 0, 0},
};
/* clang-format on */

static void set_self(const struct template_case *one)
{
	struct template_view *self = &all.subjects[SELF - 1];
	unsigned setting = one->setting;

	self->row.flags = one->flags;
	self->row.asked_for = one->asked_for;
	if ((one->flags & ASKED) != 0)
		self->row.asked_ms =
			NOW - ((setting & LATE) != 0 ? 2 : 0) * HOUR;
	if ((one->flags & (ASKED | PART)) == PART)
		self->row.asked_ms =
			NOW - ((setting & ROUNDED) != 0 ? 3 : 1) * HOUR;
	if ((setting & EXPIRED) != 0)
		self->row.round_ms = NOW - DAY;
	if ((setting & RECUT) != 0)
		self->row.threshold = 100;
	self->has_cluster = (setting & GONE) == 0;
	if ((setting & GROWN) != 0)
		self->cluster_row.page_count = 40;
	if ((setting & THINNED_OUT) != 0)
		self->cluster_row.page_count = 4;
	if ((setting & FEW) != 0)
		self->cluster_row.page_count = 2;
	if ((setting & GONE) != 0)
		self->cluster_row = (struct cluster_row){0};
}

FIXTURE(.setup = setup, .teardown = teardown);

/* Two of six pages are in a known template now, and have changed since it was
 * found: only their content has. If it was found later, or if they are half of
 * the pages, this is a split. */
TEST(pages_that_go_over_to_an_older_template_are_no_split)
{
	const struct template_case one = {.flags = WIDE | PART, .asked_for = 3};
	struct votes votes = VOTES(KIND(SPLIT), .disagreed = 2, .elsewhere = 2,
				   .destination = KNOWN);

	for (uint32_t i = 0; i < SAMPLE; i++)
		all.facts.sample[i].changed_ms = NOW - DAY;
	set_self(&one);
	planned_begin(&all);
	planned_vote(&all, &votes);
	ck_assert_int_eq(all.step.signal, SIGNAL_DRIFTED);
	votes.elsewhere = 3;
	planned_vote(&all, &votes);
	ck_assert_int_eq(all.step.signal, SIGNAL_SPLIT);
	votes.elsewhere = 2;
	all.facts.sample[1].changed_ms = NOW - 9 * DAY;
	planned_vote(&all, &votes);
	ck_assert_int_eq(all.step.signal, SIGNAL_SPLIT);
}

/* Its last visit began before the inquiry, or the version was built from it. */
TEST(a_page_whose_visit_says_nothing_is_fetched_again)
{
	const struct template_case one = {.flags = ASKED};
	struct votes votes = VOTES(KIND(SAME), .unseen = 2);

	votes.observations[2].kind = OBSERVED_UNSEEN;
	votes.observations[3].kind = OBSERVED_UNSEEN;
	all.facts.sample[2].is_idle = true;
	all.facts.sample[2].answered_ms = NOW - HOUR;
	set_self(&one);
	planned_begin(&all);
	planned_vote(&all, &votes);
	ck_assert_int_eq(all.step.signal, SIGNAL_AWAITED);
	/* the visit of page 3 is due or running */
	ck_assert_uint_eq(all.step.visit_count, 1);
	ck_assert_uint_eq(all.step.visits[0], 2);
	/* not at once: the server may be slow */
	all.facts.sample[2].answered_ms = NOW - 1;
	planned_vote(&all, &votes);
	ck_assert_uint_eq(all.step.visit_count, 0);
	ck_assert_uint_lt(all.step.next_ms, NOW + HOUR);
}

TEST_ROWS(each_signal_is_got_and_leads_where_the_table_says, template_cases)
{
	const struct template_case *one = &template_cases[_i];
	enum watch_signal without;
	enum event_kind kind;

	planned_set(&all, one->setting);
	set_self(one);
	planned_begin(&all);
	planned_vote(&all, &one->votes);
	without = watch_without_version(all.step.signal);
	ck_assert_msg(all.step.signal == one->signal,
		      "%s: signal %d instead of %d", one->name, all.step.signal,
		      one->signal);
	ck_assert_int_eq(all.step.action,
			 watch_transition_of(one->signal)->action);
	ck_assert_msg(watch_position_of(&all.step.row).state == one->next,
		      "%s: state %d", one->name,
		      watch_position_of(&all.step.row).state);
	kind = one->kind;
	if (kind == 0 && (one->flags & ASKED) != 0 && !watch_is_open(one->next))
		kind = EVENT_TEMPLATE_CHECKED;
	ck_assert_msg(all.step.event.kind == kind, "%s: event %d", one->name,
		      all.step.event.kind);
	ck_assert(kind != EVENT_TEMPLATE_CHECKED ||
		  all.step.event.reason != NULL);
	ck_assert_uint_eq(all.step.row.other, one->other);
	ck_assert_uint_eq(all.step.visit_count, one->visits);
	ck_assert(all.facts.taken.version != NULL ||
		  without == all.step.signal);
}

TEST(each_row_of_the_table_has_a_case)
{
	enum { COUNT = COUNT_OF(template_cases) };

	for (unsigned i = 0; i < COUNT; i++)
		is_covered[template_cases[i].signal] = true;
	for (int i = 0; i < SIGNAL_YOUNG; i++)
		ck_assert_msg(is_covered[i], "no case of signal %d", i);
}
