/* What a step leaves behind: rows, visits, wishes, and what later steps see. */
#include "store/rows.h"
#include "tests/unit/daemon/watch/planned.h"
#include "tests/unit/run.h"

#define ASKED TEMPLATE_IS_ASKING
#define WIDE  (TEMPLATE_IS_ASKING | TEMPLATE_IS_SUSPECT)
#define VOTES(...)                           \
	{                                    \
		.pages = SAMPLE, __VA_ARGS__ \
	}
#define KIND(decision) .detection.kind = DECISION_##decision

static struct planned_site all;

static void setup(void)
{
	planned_open(&all);
}

static void teardown(void)
{
	planned_close(&all);
}

/* The remaining rows after an action. */

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_change_has_the_next_version_and_a_calm_row)
{
	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	all.subjects[SELF - 1].row.asked_for = 4;
	all.facts.taken.is_partial = true;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_uint_eq(all.step.row.version, 2);
	ck_assert_uint_eq(all.step.row.asked_ms, 0);
	ck_assert_uint_eq(all.step.row.asked_for, 0);
	ck_assert_uint_eq(all.step.row.seen_ms, NOW);
	ck_assert_uint_eq(all.step.row.flags, TEMPLATE_IS_PARTIAL);
	ck_assert_uint_eq(all.step.wish.version, SELF);
	ck_assert_uint_eq(all.step.wish.since_ms, NOW);
	ck_assert(all.step.wish.has_before);
}

TEST(an_inquiry_remembers_how_many_disagreed)
{
	all.subjects[SELF - 1].row.flags = ASKED | TEMPLATE_IS_PARTIAL;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(SAME), .disagreed = 2,
						.seen_ms = NOW - 1));
	ck_assert_uint_eq(all.step.row.asked_for, 2);
	ck_assert_uint_eq(all.step.row.seen_ms, NOW - 1);
	ck_assert_uint_eq(all.step.row.flags, TEMPLATE_IS_PARTIAL);
	ck_assert(all.step.is_written);
}

TEST(the_site_has_five_minutes_to_come_to_rest)
{
	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW - HOUR / 12 + 1;
	planned_set(&all, CRAWLED);
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_int_eq(all.step.signal, SIGNAL_UNSETTLED);
	ck_assert_uint_eq(all.step.next_ms, NOW + 1);
	all.subjects[SELF - 1].row.asked_ms = NOW - HOUR / 12;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_int_eq(all.step.signal, SIGNAL_CHANGED);
}

TEST(other_pages_are_fetched_before_a_change_is_reported)
{
	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW - 1;
	all.subjects[KNOWN - 1].row.round_ms = NOW - 2;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_int_eq(all.step.signal, SIGNAL_UNSETTLED);
	all.subjects[KNOWN - 1].row.round_ms = NOW - 1;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_int_eq(all.step.signal, SIGNAL_CHANGED);
}

TEST(all_pages_are_fetched_after_a_change_of_the_sample)
{
	all.subjects[SELF - 1].row.flags = ASKED;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED)));
	ck_assert_int_eq(all.step.action, ACTION_WIDEN);
	ck_assert(all.step.wish.has_members);
	ck_assert_uint_eq(all.step.row.flags, WIDE);
	ck_assert_uint_eq(all.step.row.asked_ms, NOW);
	ck_assert(all.step.is_written);
}

TEST(nothing_is_written_while_nothing_happens)
{
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(SAME)));
	ck_assert(!all.step.is_written);
	ck_assert_uint_eq(all.step.next_ms, NOW - 2 * HOUR + DAY);
}

TEST(who_is_asked_has_an_hour)
{
	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW - HOUR + 1;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED), .unseen = 1));
	ck_assert_int_eq(all.step.signal, SIGNAL_AWAITED);
	ck_assert_uint_eq(all.step.next_ms, NOW + 1);
	all.subjects[SELF - 1].row.asked_ms = NOW - HOUR;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(CHANGED), .unseen = 1));
	ck_assert_int_eq(all.step.signal, SIGNAL_CHANGED);
}

TEST(rounds_go_through_the_sample)
{
	all.subjects[SELF - 1].row.round_ms = NOW - DAY;
	all.subjects[SELF - 1].row.round = 1;
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(SAME)));
	ck_assert_uint_eq(all.step.visit_count, 3);
	ck_assert_uint_eq(all.step.visits[0], 3);
	ck_assert_uint_eq(all.step.visits[2], 5);
	/* one of them is fetched even if it has not changed */
	ck_assert_uint_eq(all.step.conditional_visits, 5);
	ck_assert_uint_eq(all.step.row.round, 2);
	ck_assert_uint_eq(all.step.row.round_ms, NOW);
	/* with those of the other templates */
	ck_assert_uint_eq(all.step.next_ms, NOW - 2 * HOUR + DAY);
}

TEST(a_merger_absorbs_and_later_steps_see_it)
{
	const struct template_view *known;

	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	all.subjects[SELF - 1].cluster_row.page_count = 2;
	planned_begin(&all);
	planned_vote(&all,
		     &(struct votes)VOTES(KIND(MERGED), .destination = KNOWN));
	plan_add_decision(&all.plan, &all.step);
	known = &plan_find(&all.plan, KNOWN)->subject;
	ck_assert_uint_eq(known->row.version, 2);
	ck_assert_uint_eq(known->row.round_ms, NOW);
	ck_assert_uint_eq(all.plan.found, 2);
	ck_assert_ptr_eq(plan_parent(&all.plan, KNOWN),
			 &plan_find(&all.plan, SELF)->subject);
	ck_assert_uint_eq(plan_find(&all.plan, SELF)->subject.row.ended_ms,
			  NOW);
}

TEST(an_open_inquiry_contests_where_its_pages_are)
{
	planned_begin(&all);
	planned_vote(&all, &(struct votes)VOTES(KIND(UNSURE), .disagreed = 1,
						.elsewhere = 1,
						.strays = {{TARGET, 1, true}}));
	plan_add_decision(&all.plan, &all.step);
	ck_assert(plan_find(&all.plan, TARGET)->is_contested);
	ck_assert(!plan_find(&all.plan, SMALL)->is_contested);
}

/* Else it could not become a template. */
TEST(where_a_reported_split_is_is_not_contested)
{
	struct votes votes =
		VOTES(KIND(UNSURE), .disagreed = 1, .elsewhere = 1,
		      .follows_split = true, .strays = {{TARGET, 1, true}});

	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	all.subjects[SELF - 1].row.other = TARGET;
	planned_begin(&all);
	planned_vote(&all, &votes);
	plan_add_decision(&all.plan, &all.step);
	ck_assert(!plan_find(&all.plan, TARGET)->is_contested);
	votes.follows_split = false;
	planned_begin(&all);
	planned_vote(&all, &votes);
	plan_add_decision(&all.plan, &all.step);
	ck_assert(plan_find(&all.plan, TARGET)->is_contested);
}

static const struct votes redesigned =
	VOTES(KIND(REPLACED), .destination = TARGET);

static void follow(void)
{
	all.subjects[SELF - 1].row.flags = WIDE;
	all.subjects[SELF - 1].row.asked_ms = NOW;
	planned_begin(&all);
	planned_vote(&all, &redesigned);
}

/* It has another number in the next inspection, so it is no new template. */
TEST(a_cluster_that_a_template_follows_into_is_planned)
{
	follow();
	ck_assert_int_eq(all.step.signal, SIGNAL_FOLLOWED);
	ck_assert_uint_eq(all.step.followed, TARGET);
	plan_add_decision(&all.plan, &all.step);
	ck_assert(plan_find(&all.plan, TARGET)->is_planned);
}

TEST(two_templates_do_not_follow_into_one_cluster)
{
	follow();
	plan_add_decision(&all.plan, &all.step);
	planned_vote(&all, &redesigned);
	ck_assert_int_eq(all.step.signal, SIGNAL_UNSETTLED);
	ck_assert_uint_eq(all.step.followed, 0);
}

/* Else the numbers would be exchanged again and again. */
TEST(a_template_follows_only_more_pages_than_it_has)
{
	follow();
	for (uint32_t i = 0; i < SAMPLE / 2; i++)
		all.facts.sample[i].cluster = SELF;
	ck_assert_int_eq(
		signal_of_template(&all.plan, &all.facts, &all.step.votes),
		SIGNAL_CHANGED);
	all.facts.sample[0].cluster = TARGET;
	ck_assert_int_eq(
		signal_of_template(&all.plan, &all.facts, &all.step.votes),
		SIGNAL_FOLLOWED);
}

/* As damage may leave them, with whatever the pages say. */
TEST(no_flags_of_a_row_end_anybody)
{
	for (unsigned kind = 0; kind <= DECISION_BLOCKED; kind++)
		for (unsigned flags = 0; flags < 64; flags++) {
			all.subjects[SELF - 1].row.flags = (uint16_t)flags;
			planned_begin(&all);
			for (unsigned seen = 0; seen <= 3; seen++)
				planned_vote(
					&all,
					&(struct votes)VOTES(.detection.kind =
								     kind,
							     .disagreed = seen,
							     .gone = seen,
							     .seen_ms =
								     NOW - 1));
		}
}
