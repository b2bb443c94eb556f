/* Clusters that are no live template, and the site: facts become a plan. */
#include "store/rows.h"
#include "tests/unit/daemon/watch/planned.h"
#include "tests/unit/run.h"

static struct planned_site all;

static void setup(void)
{
	planned_open(&all);
}

static void teardown(void)
{
	planned_close(&all);
}

/* A cluster that is no live template. */

struct cluster_case {
	const char *name;
	unsigned setting;
	bool is_contested;
	bool has_ended;  /* it was a template */
	bool is_resting; /* no page went into it for a round */
	uint32_t pages;
	uint32_t older; /* pages that existed before the cluster */
	uint32_t come;  /* pages that came since it ended */
	enum watch_signal signal;
	enum watch_state next;
	enum event_kind kind;
};

static const struct cluster_case cluster_cases[] = {
	{"too small", 0, false, false, true, 2, 0, 0, SIGNAL_YOUNG,
	 WATCH_UNKNOWN, 0},
	{"it still grows", CRAWLED, false, false, false, 10, 0, 0, SIGNAL_YOUNG,
	 WATCH_UNKNOWN, 0},
	{"it rests while others grow", CRAWLED, false, false, true, 10, 0, 0,
	 SIGNAL_FOUND, WATCH_SAMPLING, EVENT_TEMPLATE_NEW},
	{"of an open inquiry", 0, true, false, true, 10, 0, 0, SIGNAL_CONTESTED,
	 WATCH_UNKNOWN, 0},
	{"cut out of others", 0, false, false, false, 10, 4, 0, SIGNAL_PASSING,
	 WATCH_UNKNOWN, 0},
	{"cut out of others a round ago", 0, false, false, true, 10, 4, 0,
	 SIGNAL_FOUND, WATCH_SAMPLING, 0},
	{"half of it was there", 0, false, false, false, 10, 3, 0, SIGNAL_FOUND,
	 WATCH_SAMPLING, EVENT_TEMPLATE_NEW},
	{"it cannot be read", UNREAD, false, false, true, 10, 0, 0,
	 SIGNAL_UNREADABLE, WATCH_UNKNOWN, 0},
	{"two pages came back", 0, false, true, true, 10, 0, 2, SIGNAL_ABSENT,
	 WATCH_RETIRED, 0},
	{"three pages came back", 0, false, true, true, 10, 0, 3,
	 SIGNAL_RETURNED, WATCH_SAMPLING, 0},
};

static void set_target(const struct cluster_case *one)
{
	struct template_view *target = &all.subjects[TARGET - 1];

	target->cluster_row.page_count = one->pages;
	target->cluster_row.changed_ms = NOW - (one->is_resting ? 2 * DAY : 0);
	target->has_row = one->has_ended;
	if (one->has_ended)
		target->row = (struct template_row){
			.created_ms = NOW - 9 * DAY,
			.ended_ms = NOW - 3 * DAY,
			.state = TEMPLATE_REPLACED,
			.version = 4,
		};
	all.facts.sample_count = 0;
	all.facts.arrival_count = SAMPLE;
	for (uint32_t i = 0; i < SAMPLE; i++)
		all.facts.arrivals[i] = (struct page_timestamps){
			.stored_ms = NOW - (i < one->older ? 20 : 4) * DAY,
			.fetched_ms = NOW - (i < one->come ? 1 : 4) * DAY,
			.found_ms = NOW - 4 * DAY,
		};
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST_ROWS(each_signal_is_got_and_leads_where_the_table_says, cluster_cases)
{
	const struct cluster_case *one = &cluster_cases[_i];
	const enum watch_state from =
		one->has_ended ? WATCH_RETIRED : WATCH_UNKNOWN;

	planned_set(&all, one->setting);
	set_target(one);
	planned_begin(&all);
	plan_find(&all.plan, TARGET)->is_contested = one->is_contested;
	planned_target(&all);
	ck_assert_msg(all.step.signal == one->signal, "%s: signal %d",
		      one->name, all.step.signal);
	ck_assert_int_eq(watch_transition_of(all.step.signal)->next[from],
			 one->next);
	ck_assert_int_eq(all.step.event.kind, one->kind);
	ck_assert_int_eq(all.step.is_written, one->next == WATCH_SAMPLING);
}

TEST(what_has_returned_goes_on_with_the_next_version)
{
	set_target(&(struct cluster_case){
		.pages = 10, .has_ended = true, .is_resting = true, .come = 6});
	planned_begin(&all);
	planned_target(&all);
	ck_assert_uint_eq(all.step.row.version, 5);
	ck_assert_uint_eq(all.step.row.state, TEMPLATE_LIVE);
	ck_assert_uint_eq(all.step.row.ended_ms, 0);
	ck_assert_uint_eq(all.step.row.created_ms, NOW - 9 * DAY);
}

TEST(what_a_template_went_into_is_no_news)
{
	set_target(&(struct cluster_case){.pages = 10, .is_resting = true});
	all.subjects[SELF - 1].row.state = TEMPLATE_REPLACED;
	all.subjects[SELF - 1].row.other = TARGET;
	planned_begin(&all);
	planned_target(&all);
	ck_assert_int_eq(all.step.signal, SIGNAL_FOUND);
	ck_assert_int_eq(all.step.event.kind, 0);
	ck_assert_uint_eq(all.step.row.version, 1);
}

TEST(a_version_is_not_wished_for_before_it_is_needed)
{
	set_target(&cluster_cases[0]);
	planned_begin(&all);
	all.facts.given = (struct data_request){0};
	all.facts.self = plan_find(&all.plan, TARGET)->subject;
	decision_plan(&all.plan, &all.facts, all.scratch, &all.step);
	ck_assert(data_request_is_met(&all.step.wish, &all.facts.given));
	set_target(&cluster_cases[2]);
	planned_begin(&all);
	all.facts.self = plan_find(&all.plan, TARGET)->subject;
	decision_plan(&all.plan, &all.facts, all.scratch, &all.step);
	ck_assert(all.step.wish.has_arrivals);
	ck_assert_uint_eq(all.step.wish.version, 0);
}

static void plan_sought(uint64_t ended_ms)
{
	struct template_view *target = &all.subjects[TARGET - 1];

	target->has_row = true;
	target->has_cluster = false;
	target->cluster_row = (struct cluster_row){0};
	target->row = (struct template_row){
		.state = TEMPLATE_VANISHED,
		.flags = TEMPLATE_IS_SOUGHT,
		.created_ms = NOW - 9 * DAY,
		.ended_ms = ended_ms,
		.round_ms = NOW - 2 * DAY,
		.version = 1,
	};
	planned_begin(&all);
	all.facts.self = plan_find(&all.plan, TARGET)->subject;
	all.facts.given = (struct data_request){.has_sample = true};
	decision_plan(&all.plan, &all.facts, all.scratch, &all.step);
}

TEST(a_removed_template_is_not_sought_at_a_site_without_checks)
{
	plan_sought(NOW - DAY);
	ck_assert_uint_gt(all.step.visit_count, 0);
	all.site.row.options.watch_ms = 0;
	plan_sought(NOW - DAY);
	ck_assert_int_eq(all.step.signal, SIGNAL_ABSENT);
	ck_assert_uint_eq(all.step.visit_count, 0);
	ck_assert(!all.step.is_written);
}

TEST(a_removed_template_is_sought_after_the_clock_was_set_back)
{
	plan_sought(NOW + DAY);
	ck_assert_int_eq(all.step.signal, SIGNAL_ABSENT);
	ck_assert_uint_gt(all.step.visit_count, 0);
}

/* The all.site. */

static struct site_decision plan_the_site(void)
{
	struct site_decision site_step;

	planned_begin(&all);
	plan_site(&all.plan, &site_step);
	return site_step;
}

TEST(a_site_is_stale_after_its_time_and_not_before)
{
	all.site.row.seen_ms = NOW - 30 * DAY + 1;
	ck_assert(!plan_the_site().is_stale);
	ck_assert_uint_eq(plan_the_site().next_ms, NOW + 1);
	all.site.row.seen_ms = NOW - 30 * DAY;
	ck_assert(plan_the_site().is_stale);
	all.site.row.asked_ms = all.site.row.seen_ms;
	ck_assert(!plan_the_site().is_stale);
}

TEST(a_site_is_known_when_its_first_templates_are)
{
	all.site.row.options.flags = 0;
	ck_assert_uint_eq(plan_the_site().set_flags, SITE_IS_KNOWN);
	all.site.row.pending_count = 1;
	ck_assert_uint_eq(plan_the_site().set_flags, 0);
}
