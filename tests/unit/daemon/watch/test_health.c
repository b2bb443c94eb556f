/* Facts about a site become a decision about its health: each state, how it is
 * confirmed and how it ends, and what happens to the visits that wait. */
#include "daemon/watch/health.h"

#include "page/page_class.h"
#include "tests/unit/run.h"

#define SECOND UINT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define NOW    (100 * DAY)

enum {
	EACH = 6,
	TEMPLATES = 3,
	COUNT = EACH * TEMPLATES,
	MIN_VISITS = 3, /* pages that must agree */
};

static struct health_page pages[COUNT];
static struct health_facts facts;
static struct health_rules rules;
static struct health_decision decision;
/* the texts of the pages before, and one that all of them have */
static struct record_fragment texts[COUNT + 1];

static struct record record_of(const struct record_fragment *text)
{
	return (struct record){.fragments = text, .fragment_count = 1};
}

/* Three templates with six sample pages each, all unchanged since the check
 * began ten seconds ago. */
static void setup(void)
{
	facts = (struct health_facts){
		.row = {.asked_ms = NOW - 10 * SECOND, .closed_ms = NOW - DAY},
		.has_pages = true,
		.has_samples = true,
		.pages = pages,
		.count = COUNT,
	};
	rules = (struct health_rules){.now_ms = NOW,
				      .round_ms = DAY,
				      .learned_ms = UINT64_MAX,
				      .host = slice_of("a.test")};
	for (uint32_t i = 0; i < COUNT; i++) {
		texts[i] =
			(struct record_fragment){.hash = 100 + i, .length = 50};
		pages[i] = (struct health_page){
			.page = i,
			.cluster = 1 + i / EACH,
			.is_sample = true,
			.is_visited = true,
			.is_answered = true,
			.answered_ms = NOW - SECOND,
			.before = record_of(&texts[i]),
			.after = record_of(&texts[i]),
		};
	}
	texts[COUNT] = (struct record_fragment){.hash = 7, .length = 90};
}

static void decide(void)
{
	health_decide(&facts, &rules, test_arena, &decision);
}

static struct waiting_row *wait_at(uint32_t i, enum waiting_kind kind)
{
	struct health_page *page = &pages[i];

	page->has_waiting = true;
	page->stored_ms = NOW - SECOND;
	page->waiting = (struct waiting_row){
		.first_ms = NOW - SECOND,
		.time_ms = NOW - SECOND,
		.looks = 1,
		.kind = (uint16_t)kind,
		.page_class = CLASS_PAGE,
		.url = slice_of("http://a.test/page"),
		.target = slice_of(""),
	};
	return &page->waiting;
}

static void wait_from(uint32_t from, uint32_t to, enum waiting_kind kind)
{
	for (uint32_t i = from; i < to; i++)
		wait_at(i, kind);
}

static void fail_all(unsigned status)
{
	wait_from(0, COUNT, WAITING_REFUSED);
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].waiting.http_status = (uint16_t)status;
}

static void redirect_all(const char *target)
{
	wait_from(0, COUNT, WAITING_REDIRECT);
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].waiting.target = slice_of(target);
}

/* Pages `from` to `to` have this many visits with the text number `text`. */
static void redesign(uint32_t from, uint32_t to, uint32_t looks)
{
	for (uint32_t i = from; i < to; i++) {
		wait_at(i, WAITING_PAGE)->looks = looks;
		pages[i].has_records = true;
	}
}

static void answer_with_one_document(void)
{
	redesign(0, COUNT, 1);
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].after = record_of(&texts[COUNT]);
}

/* The state of the last closed check, which was not reported yet. */
static void was(enum site_state state, uint32_t checks)
{
	facts.row.state = (uint16_t)state;
	facts.row.checks = checks;
	facts.row.since_ms = NOW - 10 * MINUTE;
	facts.row.closed_ms = NOW - 2 * MINUTE;
}

static bool reason_has(const char *text)
{
	return memmem(decision.row.reason.data, decision.row.reason.size, text,
		      strlen(text)) != NULL;
}

FIXTURE(.setup = setup);

TEST(unchanged_pages_are_ok)
{
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.row.asked_ms, 0);
	ck_assert_uint_eq(decision.row.closed_ms, NOW);
	ck_assert(!decision.is_deciding && !decision.begins && !decision.ends);
	ck_assert_uint_eq(decision.accepted_count + decision.dropped_count +
				  decision.visit_count,
			  0);
}

static void set_404(void)
{
	wait_from(0, COUNT, WAITING_REMOVED);
}

static void set_503(void)
{
	fail_all(503);
}

static void set_challenge(void)
{
	fail_all(403);
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].waiting.page_class = CLASS_CHALLENGE;
}

static void set_login(void)
{
	redirect_all("http://a.test/login?to=1");
}

static void set_elsewhere(void)
{
	redirect_all("http://b.test/");
}

static const struct state_case {
	void (*set)(void);
	enum site_state state;
	const char *reason;
} state_cases[] = {
	{set_404, SITE_STATE_MISSING, "not found"},
	{set_503, SITE_STATE_UNREACHABLE, "503"},
	{set_challenge, SITE_STATE_BLOCKED, "challenge"},
	{answer_with_one_document, SITE_STATE_BLOCKED, "one document"},
	{set_login, SITE_STATE_BLOCKED, "http://a.test/login"},
	{set_elsewhere, SITE_STATE_MOVED, "http://b.test/"},
};

/* The first check finds it; the second one, minutes later, reports it; and the
 * third one does not. */
TEST_ROWS(each_state_is_found_and_reported_once, state_cases)
{
	const struct state_case *one = &state_cases[_i];

	for (uint32_t check = 0; check < 3; check++) {
		one->set();
		decide();
		ck_assert_uint_eq(decision.row.state, one->state);
		ck_assert(reason_has(one->reason));
		ck_assert(decision.begins == (check == 1));
		ck_assert(!decision.ends && decision.is_deciding);
		ck_assert_uint_eq(decision.accepted_count, 0);
		ck_assert_uint_gt(decision.next_ms, NOW);
		facts.row = decision.row;
		facts.row.since_ms = NOW - 20 * MINUTE;
		facts.row.asked_ms = NOW - 10 * SECOND;
		facts.row.closed_ms = NOW - 20 * SECOND;
	}
}

/* Of all pages, at least four fifths. */
TEST(a_page_that_is_as_it_was_means_ok)
{
	wait_from(0, COUNT - 1, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.accepted_count, 0);
}

/* The other URLs are gone for good, or have moved. */
TEST(a_site_that_returns_its_seed_is_not_missing)
{
	pages[0].is_seed = true;
	pages[0].is_sample = false;
	wait_from(1, COUNT, WAITING_REMOVED);
	pages[0].is_answered = false;
	decide();
	ck_assert_uint_eq(decision.visit_count, 1);
	ck_assert_uint_eq(decision.visits[0], 0);
	ck_assert(decision.is_deciding);
	pages[0].is_answered = true;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	redesign(0, 1, 1);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	wait_at(0, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
}

/* Then its last visit shows nothing. */
TEST(a_failed_visit_that_does_not_wait_is_not_as_it_was)
{
	wait_from(0, COUNT - 1, WAITING_REMOVED);
	pages[COUNT - 1].has_failed = true;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
}

TEST(other_pages_that_differ_from_each_other_mean_ok)
{
	redesign(0, COUNT, 1);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert(decision.is_deciding);
	ck_assert_uint_eq(decision.visit_count, COUNT);
}

/* Two looks at six pages are 12; then it is believed without a third. */
TEST(a_clear_redesign_is_accepted_after_twelve_looks)
{
	redesign(0, EACH, 2);
	decide();
	ck_assert_uint_eq(decision.accepted_count, EACH);
	ck_assert_uint_eq(decision.accepted[0].time_ms, NOW - SECOND);
	ck_assert(!decision.is_deciding);
	redesign(0, EACH, 1);
	decide();
	ck_assert_uint_eq(decision.accepted_count, 0);
	ck_assert_uint_eq(decision.visit_count, EACH);
}

TEST(one_page_is_accepted_after_three_looks)
{
	redesign(0, 1, 2);
	decide();
	ck_assert_uint_eq(decision.accepted_count, 0);
	ck_assert_uint_eq(decision.visit_count, 1);
	redesign(0, 1, 3);
	decide();
	ck_assert_uint_eq(decision.accepted_count, 1);
	ck_assert_uint_eq(decision.accepted[0].page, 0);
}

TEST(one_removed_page_is_accepted_after_two_looks)
{
	wait_at(0, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.visit_count, 1);
	wait_at(0, WAITING_REMOVED)->looks = 2;
	decide();
	ck_assert_uint_eq(decision.accepted_count, 1);
}

/* A deployment may cause it. */
TEST(a_removed_section_must_last_for_most_of_a_round)
{
	wait_from(0, EACH, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.accepted_count + decision.visit_count, 0);
	ck_assert(!decision.is_deciding && decision.is_doubtful);
	ck_assert_uint_eq(decision.next_ms, NOW - SECOND + DAY * 8 / 10);
	for (uint32_t i = 0; i < EACH; i++) {
		pages[i].waiting.first_ms = NOW - SECOND - DAY * 8 / 10;
		pages[i].waiting.looks = 2;
	}
	decide();
	ck_assert_uint_eq(decision.accepted_count, EACH);
}

TEST(a_failure_of_a_page_is_dropped)
{
	wait_at(0, WAITING_REFUSED);
	decide();
	ck_assert_uint_eq(decision.dropped_count, 1);
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
}

/* The other templates are as they were, so only this section has one text. */
TEST(one_document_in_a_section_is_accepted_after_two_days)
{
	redesign(0, EACH, 5);
	for (uint32_t i = 0; i < EACH; i++)
		pages[i].after = record_of(&texts[COUNT]);
	decide();
	ck_assert_uint_eq(decision.accepted_count + decision.visit_count, 0);
	for (uint32_t i = 0; i < EACH; i++)
		pages[i].waiting.first_ms = NOW - SECOND - 2 * DAY;
	decide();
	ck_assert_uint_eq(decision.accepted_count, EACH);
}

/* An undecided visit, for example an incomplete one, is no look. */
TEST(a_page_is_not_requested_again_and_again)
{
	redesign(0, 1, 1);
	pages[0].stored_ms = NOW - 2 * SECOND;
	decide();
	ck_assert_uint_eq(decision.visit_count, 0);
	ck_assert(!decision.is_deciding);
	ck_assert_uint_gt(decision.next_ms, NOW + HOUR);
}

TEST(a_page_that_cannot_be_visited_is_not_awaited)
{
	redesign(0, 1, 1);
	pages[0].is_visited = pages[0].is_sample = false;
	decide();
	ck_assert(!decision.is_deciding);
	ck_assert_uint_eq(decision.visit_count, 0);
	/* and what waits is lost in the end */
	facts.row = decision.row;
	rules.now_ms = NOW + 4 * DAY;
	decide();
	ck_assert_uint_eq(decision.dropped_count, 1);
	ck_assert(!decision.is_deciding);
}

TEST(pending_visits_are_awaited_for_a_minute)
{
	wait_from(0, EACH, WAITING_REMOVED);
	pages[COUNT - 1].is_answered = false;
	pages[COUNT - 1].is_due = true;
	decide();
	ck_assert(decision.is_deciding && !decision.is_written);
	ck_assert_uint_eq(decision.next_ms, NOW + 50 * SECOND);
	facts.row.asked_ms = NOW - MINUTE;
	decide();
	ck_assert(!decision.is_deciding);
}

/* The host pauses after failures, so its visits are not awaited. */
TEST(pending_visits_of_a_host_that_fails_are_awaited_for_seconds)
{
	fail_all(503);
	pages[COUNT - 1].has_waiting = pages[COUNT - 1].is_answered = false;
	pages[COUNT - 1].is_due = true;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
}

/* Most pages that were visited are refused, and one has another design. */
TEST(before_contradicting_visits_mean_an_outage_all_samples_are_visited)
{
	facts.row.asked_ms = NOW - 2 * SECOND;
	fail_all(503);
	redesign(0, 1, 1);
	for (uint32_t i = EACH; i < COUNT; i++) {
		pages[i].has_waiting = false;
		pages[i].is_answered = false;
	}
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert(decision.is_deciding);
	ck_assert_uint_eq(decision.visit_count, COUNT - EACH);
	fail_all(503);
	redesign(0, 1, 1);
	for (uint32_t i = EACH; i < COUNT; i++)
		pages[i].is_answered = true;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
}

TEST(a_state_ends_with_a_page_and_its_visits_are_repeated)
{
	was(SITE_STATE_UNREACHABLE, 5);
	facts.row.told_ms = NOW - 5 * MINUTE;
	wait_from(0, COUNT - 1, WAITING_REFUSED);
	decide();
	ck_assert(!decision.ends); /* one page is an exception */
	pages[COUNT - 2].has_waiting = false;
	pages[COUNT - 3].has_waiting = false;
	decide();
	ck_assert(decision.ends && !decision.begins);
	ck_assert_uint_eq(decision.ended, SITE_STATE_UNREACHABLE);
	ck_assert_uint_eq(decision.ended_since_ms, NOW - 10 * MINUTE);
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.row.asked_ms, NOW);
	ck_assert_uint_eq(decision.dropped_count, COUNT - 3);
	ck_assert_uint_ge(decision.visit_count, COUNT - 3);
}

TEST(a_state_that_was_not_reported_ends_without_a_report)
{
	was(SITE_STATE_UNREACHABLE, 1);
	decide();
	ck_assert(!decision.ends);
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
}

/* What waits is judged after the end of the outage. */
TEST(a_redesign_behind_an_outage_ends_it)
{
	was(SITE_STATE_BLOCKED, 5);
	facts.row.told_ms = NOW - 5 * MINUTE;
	redesign(0, COUNT, 1);
	decide();
	ck_assert(decision.ends);
	ck_assert_uint_eq(decision.dropped_count + decision.accepted_count, 0);
	ck_assert_uint_eq(decision.row.asked_ms, NOW);
}

/* Visits from before the last check are no evidence. */
TEST(without_a_visit_a_state_continues)
{
	was(SITE_STATE_UNREACHABLE, 5);
	fail_all(503);
	for (uint32_t i = 0; i < COUNT; i++) {
		pages[i].is_answered = false;
		pages[i].waiting.time_ms = NOW - HOUR;
	}
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
	ck_assert_uint_eq(decision.row.checks, 5);
}

/* 2, 4, 8, 16, 32 minutes, and not longer than a round. */
TEST(a_site_that_is_down_is_probed_at_a_falling_rate)
{
	static const uint64_t minutes[] = {2, 4, 8, 16, 32, 32};

	for (uint32_t checks = 0; checks < COUNT_OF(minutes); checks++) {
		was(SITE_STATE_UNREACHABLE, checks);
		facts.row.told_ms = NOW - 5 * MINUTE;
		facts.row.asked_ms = 0;
		facts.row.closed_ms = NOW;
		decide();
		ck_assert(decision.is_deciding && !decision.is_written);
		ck_assert_uint_eq(decision.next_ms,
				  NOW + minutes[checks] * MINUTE);
		rules.now_ms = NOW + minutes[checks] * MINUTE;
		decide();
		ck_assert_uint_eq(decision.row.asked_ms, rules.now_ms);
		ck_assert_uint_eq(decision.visit_count, TEMPLATES);
		rules.now_ms = NOW;
	}
	rules.round_ms = MINUTE;
	decide();
	ck_assert_uint_eq(decision.next_ms, NOW + MINUTE);
}

/* Before it is reported, it must last for two minutes, or about one round. */
TEST(a_state_that_lasts_for_seconds_is_not_confirmed)
{
	set_503();
	was(SITE_STATE_UNREACHABLE, 1);
	facts.row.since_ms = NOW - 2 * MINUTE;
	facts.row.asked_ms = 0;
	decide();
	ck_assert(!decision.begins);
	ck_assert_uint_eq(decision.row.asked_ms, NOW); /* another look */
	facts.row.since_ms -= SECOND;
	decide();
	ck_assert(decision.begins);
}

/* A day and two rounds later the pages are gone. */
TEST(what_is_missing_for_days_is_accepted)
{
	was(SITE_STATE_MISSING, 40);
	facts.row.told_ms = NOW - DAY;
	facts.row.since_ms = NOW - 3 * DAY;
	set_404();
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
	ck_assert_uint_eq(decision.accepted_count, 0);
	pages[3].waiting.first_ms = NOW - SECOND - 2 * DAY;
	pages[3].waiting.looks = 9;
	decide();
	ck_assert_uint_eq(decision.accepted_count, COUNT);
	ck_assert(!decision.ends); /* it does not work again */
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
}

/* All its sample pages were removed, or none of them can be visited. */
TEST(a_missing_site_is_back_when_a_page_was_returned_that_is_not_known)
{
	for (int i = 0; i < 2; i++) {
		was(SITE_STATE_MISSING, 40);
		facts.row.told_ms = NOW - DAY;
		facts.row.since_ms = NOW - 3 * DAY;
		facts.has_samples = i == 0;
		for (int k = 0; k < COUNT; k++)
			pages[k].is_answered = false;
		rules.seen_ms = NOW - 4 * DAY;
		decide();
		ck_assert(!decision.ends);
		rules.seen_ms = NOW;
		decide();
		ck_assert(decision.ends);
		ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	}
}

/* Whatever the visits show: no other can come. */
TEST(a_long_pause_of_any_page_is_an_outage)
{
	facts.row.pause_ms = NOW + DAY;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
	ck_assert_uint_eq(decision.row.retry_ms, NOW + DAY);
	ck_assert_int_eq(
		strncmp(decision.row.reason.data, "the server asks for", 19),
		0);
	facts.row = decision.row;
	rules.now_ms = NOW + 3 * MINUTE;
	decide();
	ck_assert(decision.begins);
}

TEST(a_short_pause_is_none)
{
	facts.row.pause_ms = NOW + MINUTE;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
}

/* Without a check, the pause opens one. */
TEST(a_long_pause_opens_a_check)
{
	facts.row.asked_ms = 0;
	facts.row.pause_ms = NOW + DAY;
	decide();
	ck_assert_uint_eq(decision.row.asked_ms, NOW);
}

/* Two servers with different answers: the page is not requested for ever. */
TEST(a_page_with_other_answers_by_turns_is_left)
{
	wait_at(0, WAITING_REMOVED)->turns = 2;
	decide();
	ck_assert(decision.is_deciding);
	ck_assert_uint_eq(decision.visit_count, 1);
	wait_at(0, WAITING_REMOVED)->turns = 3;
	decide();
	ck_assert(!decision.is_deciding);
	ck_assert_uint_eq(decision.row.asked_ms, 0);
}

/* It was unreachable for days, and is missing for minutes. */
TEST(another_state_begins_its_day_anew)
{
	was(SITE_STATE_UNREACHABLE, 90);
	facts.row.since_ms = NOW - 9 * DAY;
	set_404();
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
	facts.row = decision.row;
	facts.row.asked_ms = NOW - SECOND;
	facts.row.closed_ms = NOW - MINUTE;
	decide();
	ck_assert_uint_eq(decision.accepted_count, 0);
}

static void flip(uint32_t i, uint32_t flips)
{
	struct waiting_row *row = wait_at(i, WAITING_FLIPPED);

	row->looks = 0;
	row->flips = flips;
	row->flip_ms = NOW - SECOND;
}

/* At the end of an outage each page flips once. */
TEST(an_outage_of_a_section_is_no_alternation)
{
	for (uint32_t i = 0; i < EACH; i++)
		flip(i, 1);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.template_count, 0);
}

TEST(pages_that_flip_twice_alternate)
{
	flip(0, 2);
	flip(1, 2);
	facts.row.since_ms = NOW - 2 * DAY;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_ALTERNATING);
	ck_assert_uint_eq(decision.template_count, 1);
	ck_assert_uint_eq(decision.templates[0], 1);
	ck_assert(!decision.is_deciding && !decision.begins);
	/* for most of a round: then it is reported, once */
	facts.row = decision.row;
	facts.row.asked_ms = NOW - SECOND;
	facts.row.since_ms = NOW - DAY;
	decide();
	ck_assert(decision.begins);
	facts.row = decision.row;
	facts.row.asked_ms = NOW - SECOND;
	decide();
	ck_assert(!decision.begins);
}

TEST(a_page_of_a_template_that_alternates_waits)
{
	flip(0, 2);
	flip(1, 2);
	redesign(2, 4, 9);
	decide();
	ck_assert_uint_eq(decision.accepted_count, 0);
	ck_assert(!decision.is_deciding);
}

TEST(an_alternation_ends_after_six_rounds)
{
	flip(0, 2);
	flip(1, 2);
	facts.row.state = SITE_STATE_ALTERNATING;
	facts.row.asked_ms = 0;
	rules.now_ms = NOW - SECOND + 6 * DAY - 1;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_ALTERNATING);
	ck_assert_uint_eq(decision.next_ms, rules.now_ms + 1);
	rules.now_ms++;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.dropped_count, 2);
}

TEST(a_visit_that_differs_opens_a_check)
{
	facts.row.asked_ms = 0;
	wait_at(0, WAITING_PAGE);
	decide();
	ck_assert_uint_eq(decision.row.asked_ms, NOW);
	ck_assert(decision.is_deciding && decision.is_written);
	/* two pages of each template; one that is due is not requested */
	ck_assert_uint_eq(decision.visit_count, (size_t)2 * TEMPLATES);
	pages[0].is_due = true;
	decide();
	ck_assert_uint_eq(decision.visit_count, (size_t)2 * TEMPLATES - 1);
}

/* Each check requests many pages, so one does not follow another at once. */
TEST(checks_of_a_site_that_is_ok_have_a_pause)
{
	facts.row.asked_ms = 0;
	facts.row.closed_ms = NOW - 2 * SECOND;
	wait_at(0, WAITING_PAGE);
	decide();
	ck_assert(!decision.is_written && !decision.is_deciding);
	ck_assert_uint_eq(decision.next_ms, NOW - 2 * SECOND + 2 * MINUTE);
	rules.now_ms = decision.next_ms;
	decide();
	ck_assert_uint_eq(decision.row.asked_ms, rules.now_ms);
}

/* It is the only page of its site. */
TEST(a_site_of_one_page_can_be_missing)
{
	facts.count = 1;
	wait_at(0, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
}

/* No template is known, so no other page could be visited. */
TEST(two_pages_without_a_template_are_not_the_site)
{
	facts.count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		wait_at(i, WAITING_REMOVED);
		pages[i].is_sample = false;
		pages[i].cluster = 0;
	}
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
}

TEST(a_site_with_one_template_can_be_down_and_redesigned)
{
	facts.count = EACH;
	wait_from(0, EACH, WAITING_REMOVED);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_MISSING);
	redesign(0, EACH, 2);
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
	ck_assert_uint_eq(decision.accepted_count, EACH);
}

/* One page of each template is enough, but only of three or more templates. */
TEST(a_probe_requests_as_many_pages_as_must_agree)
{
	static const uint32_t expected[] = {3, 4, 3};

	for (uint32_t templates = 1; templates <= TEMPLATES; templates++) {
		was(SITE_STATE_BLOCKED, 1);
		facts.count = (size_t)templates * EACH;
		facts.row.asked_ms = 0;
		facts.row.closed_ms = NOW - 4 * MINUTE;
		decide();
		ck_assert_uint_eq(decision.row.asked_ms, NOW);
		ck_assert_uint_eq(decision.visit_count,
				  expected[templates - 1]);
	}
}

/* A visit of the round comes first. The others have the same document, but
 * their visits are older than the last check. */
TEST(one_page_neither_confirms_nor_ends_an_outage)
{
	was(SITE_STATE_BLOCKED, 1);
	facts.row.asked_ms = 0;
	facts.row.closed_ms = NOW - 4 * MINUTE;
	facts.count = EACH;
	answer_with_one_document();
	for (uint32_t i = 1; i < EACH; i++)
		pages[i].waiting.time_ms = NOW - 9 * MINUTE;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_BLOCKED);
	ck_assert_uint_eq(decision.row.asked_ms, NOW);
	ck_assert_uint_eq(decision.visit_count, MIN_VISITS);
	for (uint32_t i = 1; i < MIN_VISITS; i++)
		pages[i].waiting.time_ms = NOW - SECOND;
	decide();
	ck_assert(decision.begins);
}

/* It was down when it was added: reported after an hour, or six rounds. */
TEST(a_site_without_pages_is_unreachable_for_the_reason_of_its_seed)
{
	facts = (struct health_facts){.seed_reason = slice_of("no such host")};
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
	ck_assert(reason_has("no such host") && !decision.begins);
	ck_assert_uint_eq(decision.next_ms, NOW + HOUR);
	facts.row = decision.row;
	rules.now_ms = NOW + HOUR;
	decide();
	ck_assert(decision.begins);
	facts.row = decision.row;
	decide();
	ck_assert(!decision.begins && !decision.is_written);
	/* and it ends with its first page */
	facts.has_pages = true;
	decide();
	ck_assert(decision.ends);
	ck_assert_uint_eq(decision.row.state, SITE_STATE_OK);
}

/* After a failure a page waits for its next attempt, as all do here. */
TEST(a_site_whose_pages_cannot_be_visited_now_stays_unreachable)
{
	was(SITE_STATE_UNREACHABLE, 2);
	facts.row.told_ms = NOW - MINUTE;
	facts.row.asked_ms = 0;
	fail_all(503);
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].is_sample = pages[i].is_visited = false;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
	ck_assert(!decision.ends);
}

/* The server answers 503 and asks for no visit in the next ten minutes. */
TEST(a_pause_that_the_server_asks_for_confirms_an_outage)
{
	uint64_t retry_ms = NOW + 10 * MINUTE;
	uint64_t told_ms = NOW - 10 * SECOND + 2 * MINUTE;

	fail_all(503);
	pages[3].waiting.retry_ms = retry_ms;
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_UNREACHABLE);
	ck_assert_uint_eq(decision.row.retry_ms, retry_ms);
	ck_assert(reason_has("503") &&
		  reason_has("no visit before 00:10:00 UTC"));
	ck_assert(!decision.begins);
	/* nothing is requested before it is reported, nor until the pause ends
	 */
	facts.row = decision.row;
	decide();
	ck_assert_uint_eq(decision.next_ms, told_ms);
	rules.now_ms = told_ms;
	decide();
	ck_assert(decision.begins && decision.visit_count == 0);
	ck_assert_uint_eq(decision.next_ms, retry_ms);
	facts.row = decision.row;
	decide();
	ck_assert(!decision.begins && !decision.is_written);
	rules.now_ms = retry_ms;
	decide();
	ck_assert_uint_eq(decision.row.asked_ms, retry_ms);
	ck_assert_uint_eq(decision.visit_count, TEMPLATES);
}

/* A visit after the pause can confirm the outage soon enough. */
TEST(a_short_pause_confirms_nothing)
{
	fail_all(503);
	pages[3].waiting.retry_ms = NOW + MINUTE;
	decide();
	ck_assert_uint_eq(decision.row.retry_ms, 0);
	ck_assert(!reason_has("no visit"));
	facts.row = decision.row;
	rules.now_ms = NOW + 2 * MINUTE;
	wait_from(0, COUNT, WAITING_FLIPPED);
	decide();
	ck_assert(!decision.begins && decision.visit_count == TEMPLATES);
}

/* Only a sample of their fragments is compared, which takes bounded time. */
TEST(one_document_of_any_size_is_found)
{
	enum { MANY = 200000 };
	struct record_fragment *many =
		arena_alloc(test_arena, MANY, sizeof(*many));

	for (uint32_t i = 0; i < MANY; i++)
		many[i] =
			(struct record_fragment){.hash = 1000 + i, .length = 3};
	answer_with_one_document();
	for (uint32_t i = 0; i < COUNT; i++)
		pages[i].after = (struct record){
			.fragments = many, .fragment_count = MANY - i % 2};
	decide();
	ck_assert_uint_eq(decision.row.state, SITE_STATE_BLOCKED);
}

TEST(nothing_is_nothing)
{
	facts.count = 0;
	facts.row = (struct health_row){0};
	decide();
	ck_assert(!decision.is_written && !decision.is_deciding);
	ck_assert_uint_eq(decision.next_ms, UINT64_MAX);
}

/* Whatever the facts are, a decision that asks for nothing and writes nothing
 * is followed by another one only later. */
TEST(no_decision_is_made_again_at_once)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 1000; i++) {
		setup();
		facts.row.state = (uint16_t)(state >> 3 & 7) % SITE_STATES;
		facts.row.asked_ms = (state >> 7 & 1) != 0 ? 0 : NOW - MINUTE;
		for (uint32_t k = 0; k < COUNT; k++) {
			state = state * 6364136223846793005U + 1;
			if ((state >> 40 & 1) == 0)
				continue;
			wait_at(k, (state >> 41) % WAITING_KINDS);
			pages[k].waiting.looks =
				1 + (uint32_t)(state >> 44) % 4;
			pages[k].waiting.flips = (uint32_t)(state >> 46) % 3;
			pages[k].waiting.flip_ms = NOW - (state >> 50) % DAY;
			pages[k].is_visited = (state >> 52 & 3) != 0;
			pages[k].is_due = (state >> 54 & 1) != 0;
			pages[k].is_answered = (state >> 55 & 1) != 0;
		}
		decide();
		ck_assert(decision.next_ms > NOW || decision.is_written ||
			  decision.visit_count + decision.dropped_count +
					  decision.accepted_count >
				  0);
	}
}
