/*
 * Weeks and a year of visits of a simulated site, by a virtual clock: pages
 * that change by the hour, by the day, by the month or never.
 */

#include "crawl/frontier.h"
#include "tests/unit/crawl/frontier_world.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum {
	PAGES = 200,
	DELAY_MS = 1000, /* between two requests */
	KINDS = 5,
};

#define MINUTE_MS UINT64_C(60000)

/* Mean time between two changes of a page of each kind, in hours; 0: never. */
static const unsigned change_hours[KINDS] = {2, 12, 48, 30 * 24, 0};

struct test_page {
	char url[64];
	uint64_t key;
	uint64_t changed_ms; /* the last change up to now */
	uint64_t next_ms;    /* the next one; UINT64_MAX: none */
	uint64_t unseen_ms;  /* the first change that no visit has seen; 0 */
	uint64_t seen_ms;    /* the last visit; 0: none */
	uint64_t visits;
};

/* What was seen, and how long after it had changed. */
struct tally {
	uint64_t requests;
	uint64_t changes; /* changes that were seen separately */
	uint64_t late_ms; /* their sum */
	uint64_t in_time; /* seen within six hours */
};

static struct test_page pages[PAGES];
static uint64_t now_ms;
static struct tally tally;

/* Time to the next change, from an eighth of the mean to twice the mean. */
static uint64_t next_change(size_t index, uint64_t after_ms)
{
	uint64_t mean_ms = (uint64_t)change_hours[index % KINDS] * HOUR_MS;

	return mean_ms == 0 ? UINT64_MAX
			    : after_ms + mean_ms / 8 +
				      random_bits() % (mean_ms / 8 * 14);
}

static void begin(void)
{
	world_begin();
	random_begin(6);
	site.options.revisit_ms = DAY_MS;
	site.options.max_pages = PAGES;
	tally = (struct tally){0};
	now_ms = UINT64_C(1700000000000);
	for (size_t i = 0; i < PAGES; i++) {
		struct test_page *page = &pages[i];

		*page = (struct test_page){.next_ms = next_change(i, now_ms)};
		snprintf(page->url, sizeof(page->url), "http://a.example/p/%zu",
			 i);
		page->key = page_key_of(slice_of(page->url));
		add(page->url);
	}
}

static size_t index_of(const struct lease *one)
{
	return strtoul(strrchr(one->url, '/') + 1, NULL, 10);
}

/* The changes of the page until now, including those that no visit sees. */
static void change(size_t index)
{
	struct test_page *page = &pages[index];

	while (page->next_ms <= now_ms) {
		page->changed_ms = page->next_ms;
		if (page->unseen_ms == 0)
			page->unseen_ms = page->next_ms;
		page->next_ms = next_change(index, page->next_ms);
	}
}

static void count_visit(struct test_page *page)
{
	uint64_t late_ms = now_ms - page->unseen_ms;

	page->visits++;
	tally.requests++;
	if (page->unseen_ms != 0 && page->seen_ms != 0) {
		tally.changes++;
		tally.late_ms += late_ms;
		tally.in_time += late_ms <= 6 * HOUR_MS;
	}
	page->unseen_ms = 0;
	page->seen_ms = now_ms;
}

/* The next visit, if there is one before `end_ms`. The server is down between
 * `down_ms` and `up_ms`. */
static bool visit(uint64_t end_ms, uint64_t down_ms, uint64_t up_ms)
{
	uint64_t due_ms = frontier_next_due(&txn, site.id);
	bool is_down;
	struct outcome outcome = {.http_status = 200};
	struct lease one = {0};
	struct test_page *page;

	if (due_ms > now_ms)
		now_ms = due_ms;
	if (now_ms >= end_ms)
		return false;
	lease(now_ms, now_ms + MINUTE_MS, 1, &one);
	ck_assert_uint_ne(one.key, 0);
	page = &pages[index_of(&one)];
	change(index_of(&one));
	is_down = now_ms >= down_ms && now_ms < up_ms;
	outcome.error = is_down ? ERR_TIMEOUT : ERR_NONE;
	outcome.is_changed = page->changed_ms > page->seen_ms;
	if (is_down)
		tally.requests++;
	else
		count_visit(page);
	now_ms += DELAY_MS;
	outcome.now_ms = now_ms;
	frontier_record_outcome(&txn, &site, one.key, &outcome);
	return true;
}

static void run_for(uint64_t time_ms)
{
	uint64_t end_ms = now_ms + time_ms;

	while (visit(end_ms, UINT64_MAX, UINT64_MAX))
		;
	now_ms = end_ms;
}

FIXTURE(.setup = begin, .teardown = world_end, .timeout_s = 120);

/* A first week to learn the intervals, then a year. */
TEST(a_year_of_visits)
{
	const unsigned days = 365;
	uint64_t fixed_ms;
	uint64_t fixed_in_time;

	run_for(7 * DAY_MS);
	tally = (struct tally){0};
	run_for(days * DAY_MS);
	/* every page each `fixed_ms` would cost as many requests */
	fixed_ms = days * DAY_MS * PAGES / tally.requests;
	fixed_in_time = 6 * HOUR_MS * 1000 / fixed_ms;
	printf("%llu requests a day; changes seen %llu min after, with a fixed "
	       "interval %llu; within 6 h %llu permille, %llu\n",
	       (unsigned long long)(tally.requests / days),
	       (unsigned long long)(tally.late_ms / tally.changes / MINUTE_MS),
	       (unsigned long long)(fixed_ms / 2 / MINUTE_MS),
	       (unsigned long long)(tally.in_time * 1000 / tally.changes),
	       (unsigned long long)fixed_in_time);
	ck_assert_uint_le(tally.requests / days, 600);
	ck_assert_uint_ge(tally.in_time * 1000 / tally.changes, 900);
	ck_assert_uint_le(fixed_in_time, 700);
	ck_assert_uint_le(tally.late_ms / tally.changes, fixed_ms / 5 * 2);
}

/* Between an eighth of the site's interval and 30 times it. */
TEST(each_page_is_visited_as_it_changes)
{
	static const struct {
		uint64_t least;
		uint64_t most;
	} visits[KINDS] = {
		{630, 810},          /* every 3 h */
		{270, 630},          /* twice as often as it changes */
		{45, 180},           /* the same */
		{4, 20},    {4, 12}, /* 1, 1.5, 2.3 ... 30 days */
	};

	run_for(90 * DAY_MS);
	for (size_t i = 0; i < PAGES; i++) {
		ck_assert_uint_ge(pages[i].visits, visits[i % KINDS].least);
		ck_assert_uint_le(pages[i].visits, visits[i % KINDS].most);
	}
}

/* All were found, and visited, in the same minutes. */
TEST(no_minute_holds_many_visits)
{
	unsigned minutes[3 * 24 * 60] = {0};
	uint64_t start_ms = now_ms;
	uint64_t end_ms = now_ms + 3 * DAY_MS;

	while (visit(end_ms, UINT64_MAX, UINT64_MAX))
		minutes[(now_ms - 1 - start_ms) / MINUTE_MS]++;
	ck_assert_uint_ge(minutes[0], 30); /* the first visits: one a second */
	for (size_t i = 60; i < COUNT_OF(minutes); i++)
		ck_assert_uint_le(minutes[i], PAGES * 3 / 100);
}

/* Each page that falls due gets four attempts, and one more near the end of the
 * day; then all continues. */
TEST(an_outage_of_a_day)
{
	uint64_t down_ms;
	uint64_t up_ms;

	run_for(7 * DAY_MS);
	down_ms = now_ms;
	up_ms = down_ms + DAY_MS;
	tally = (struct tally){0};
	while (visit(up_ms, down_ms, up_ms))
		;
	ck_assert_uint_ge(site.failed_count, PAGES / 2);
	ck_assert_uint_le(tally.requests, 1000);
	now_ms = up_ms;
	run_for(DAY_MS / 10 * 12);
	ck_assert_uint_eq(site.failed_count, 0);
	/* what was learned before is still known */
	for (size_t i = 0; i < PAGES; i += KINDS)
		ck_assert_uint_le(row_of(pages[i].url).interval_ms,
				  6 * HOUR_MS);
}

/* Some of what is leased is never answered; then a new process begins. */
static void be_killed(void)
{
	struct lease leases[8];
	size_t count = lease(now_ms, now_ms + DAY_MS, 8, leases);
	size_t answered = random_below(9);

	for (size_t i = 0; i < count && i < answered; i++)
		answer(leases[i].key, ERR_NONE, 200, now_ms);
	frontier_release(&txn, &site, now_ms);
}

TEST(a_killed_crawl_continues)
{
	uint64_t end_ms = now_ms + 60 * DAY_MS;

	do {
		if (random_below(20) == 0)
			be_killed();
	} while (visit(end_ms, UINT64_MAX, UINT64_MAX));
	ck_assert_uint_eq(site.found_count, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		uint64_t interval_ms = row_of(pages[i].url).interval_ms;

		ck_assert_uint_ne(pages[i].seen_ms, 0);
		ck_assert_uint_ge(pages[i].seen_ms + interval_ms / 10 * 12 +
					  MINUTE_MS,
				  end_ms);
	}
}

/* The same store, the same times: what was decided is decided again. */
TEST(a_schedule_replays)
{
	uint64_t visits[PAGES];

	run_for(7 * DAY_MS);
	for (size_t i = 0; i < PAGES; i++)
		visits[i] = pages[i].seen_ms;
	world_end();
	begin();
	run_for(7 * DAY_MS);
	for (size_t i = 0; i < PAGES; i++)
		ck_assert_uint_eq(visits[i], pages[i].seen_ms);
}
