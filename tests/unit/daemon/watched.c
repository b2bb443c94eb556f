/* The site from its beginning to its end, and its time. */
#include "tests/unit/daemon/watched_parts.h"

#include <check.h>
#include <string.h>

#include "daemon/engine/sites.h"
#include "daemon/engine/threshold_report.h"
#include "store/rows.h"

enum {
	MAX_WORK =
		4, /* few, so that half of the fetched pages are visible, too */
	MAX_ROUNDS = 10,
	STEP_MS = 100,
};

void watched_open(struct watched *watched)
{
	*watched = (struct watched){
		.rules = {.limits = page_limits_default,
			  .min_pages = 3,
			  .ended_ms = 30 * DAY_MS},
		.options = {.measure = MEASURE_CPC,
			    .threshold = 200,
			    .max_pages = 1000,
			    .max_depth = 10,
			    .watch_ms = DAY_MS},
	};
	world_open(&watched->world, 0);
	watched->world.now_ms = 100 * DAY_MS;
}

void watched_close(struct watched *watched)
{
	watched_check_templates(watched);
	watched_check_alerts(watched);
	ck_assert_uint_eq(world_problems(&watched->world), 0);
	world_close(&watched->world);
	buffer_free(&watched->told);
	buffer_free(&watched->lineage);
}

unsigned watched_add(struct watched *watched, const char *name, enum form form,
		     unsigned count)
{
	unsigned section = watched->section_count++;

	ck_assert_uint_lt(section, WATCHED_SECTIONS);
	ck_assert_uint_le(watched->page_count + count, WATCHED_PAGES);
	watched->sections[section] = (struct watched_section){
		name, watched->page_count, count, NULL};
	watched->page_count += count;
	watched_set(watched, section, form, 0);
	return section;
}

struct watched_page *watched_page(struct watched *watched, unsigned section,
				  unsigned number)
{
	ck_assert_uint_lt(number, watched->sections[section].count);
	return &watched->pages[watched->sections[section].first + number];
}

void watched_set(struct watched *watched, unsigned section, enum form form,
		 unsigned edition)
{
	for (unsigned i = 0; i < watched->sections[section].count; i++) {
		struct watched_page *page = watched_page(watched, section, i);

		page->form = form;
		page->edition = edition;
	}
}

void watched_set_manner(struct watched *watched, unsigned section,
			enum manner manner, unsigned target)
{
	for (unsigned i = 0; i < watched->sections[section].count; i++) {
		struct watched_page *page = watched_page(watched, section, i);

		page->manner = manner;
		page->target = target;
	}
}

enum error watched_commit(struct watched *watched, struct change *change)
{
	struct url url;

	if (change->url == NULL) {
		ck_assert_int_eq(url_parse(&url,
					   slice_of("http://" WATCHED_HOST "/"),
					   NULL),
				 ERR_NONE);
		change->url = &url;
	}
	ck_assert_int_eq(engine_commit(watched->world.engine, change, 1,
				       watched->world.now_ms, NULL),
			 ERR_NONE);
	return change->error;
}

enum error watched_set_options(struct watched *watched)
{
	struct change change = {.kind = CHANGE_SITE_ADD,
				.site_add = watched->options};

	return watched_commit(watched, &change);
}

void watched_ask(struct watched *watched, unsigned section, unsigned number)
{
	struct change change = {.kind = CHANGE_FETCH_NOW,
				.ask.options = watched->options};
	struct url url;
	char text[64];

	watched_write_url(watched, section, number, text);
	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	change.url = &url;
	ck_assert_int_eq(watched_commit(watched, &change), ERR_NONE);
}

void watched_hand_in(struct watched *watched, unsigned section, unsigned from,
		     unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct visit visit = {.change = {.kind = CHANGE_INGEST}};
		char text[64];

		watched_write_url(watched, section, i, text);
		ck_assert_int_eq(url_parse(&visit.url, slice_of(text), NULL),
				 ERR_NONE);
		watched_write_page(watched, section, i, &visit.html);
		visit_read_page(watched, &visit);
		visit.change.url = &visit.url;
		visit.change.answer.options = &watched->options;
		visit.change.answer.outcome.http_status = 200;
		watched->world.now_ms += STEP_MS;
		ck_assert_int_eq(watched_commit(watched, &visit.change),
				 ERR_NONE);
		visit_free(&visit);
	}
}

uint32_t watched_site_id(struct txn *txn)
{
	struct site_row site;

	ck_assert(site_get(txn, slice_of(WATCHED_HOST), &site));
	return site.id;
}

static void make(struct watched *watched, struct site_check *inspection)
{
	ck_assert_int_eq(site_check_make(watched->world.store, WATCHED_HOST,
					 &watched->rules, watched->world.now_ms,
					 inspection),
			 ERR_NONE);
}

/* Commit the findings, if any, and end it. Return whether there were any. */
static bool take(struct watched *watched, struct site_check *inspection)
{
	bool is_news = site_check_has_updates(inspection);

	if (is_news) {
		struct change change = {.kind = CHANGE_TEMPLATES,
					.templates.site = inspection->site,
					.templates.findings =
						&inspection->findings};

		ck_assert_int_eq(watched_commit(watched, &change), ERR_NONE);
	}
	site_check_free(inspection);
	return is_news;
}

static bool inspect(struct watched *watched, uint64_t *next_out)
{
	struct site_check inspection;

	make(watched, &inspection);
	*next_out = inspection.next_ms;
	return take(watched, &inspection);
}

bool watched_inspect(struct watched *watched)
{
	uint64_t next_ms;

	return inspect(watched, &next_ms);
}

/* The threshold, when the site leaves it to us. */
static void choose_threshold(struct watched *watched)
{
	const struct dendrogram_options options = {.max_leaves = 1000};
	struct site_row site = world_site(&watched->world, WATCHED_HOST);
	struct threshold_choice choice;
	struct change change;
	struct url url;

	if (!site_wants_threshold(&site))
		return;
	ck_assert_int_eq(
		url_parse(&url, slice_of("http://" WATCHED_HOST "/"), NULL),
		ERR_NONE);
	ck_assert_int_eq(site_snapshot_choose_threshold(watched->world.store,
							WATCHED_HOST, &options,
							&choice),
			 ERR_NONE);
	change = threshold_choice_change(&choice, &url);
	ck_assert_int_eq(watched_commit(watched, &change), ERR_NONE);
	threshold_choice_free(&choice);
}

uint64_t watched_settle(struct watched *watched)
{
	uint64_t next_ms = 0;
	unsigned rounds = 0;

	choose_threshold(watched);
	while (inspect(watched, &next_ms))
		ck_assert_msg(++rounds < MAX_ROUNDS,
			      "it finds something again and again: %s",
			      watched_emitted(watched));
	ck_assert(!inspect(watched, &next_ms));
	ck_assert_uint_gt(next_ms, watched->world.now_ms);
	return next_ms;
}

/* Take a few answers; true when there was something to be done. */
static bool fetch(struct watched *watched)
{
	struct work work[MAX_WORK];
	struct site_check inspection;
	struct work_order order = {
		.max = watched->max_work == 0 ? MAX_WORK : watched->max_work,
		.max_per_site = MAX_WORK,
		.lease_ms = HOUR_MS,
		.work = work};

	ck_assert_int_eq(engine_commit(watched->world.engine, NULL, 0,
				       watched->world.now_ms, &order),
			 ERR_NONE);
	watched->world.now_ms += STEP_MS;
	for (size_t i = 0; i < order.count; i++) {
		struct visit visit;

		visit_answer(watched, &work[i], &visit);
		ck_assert_int_eq(watched_commit(watched, &visit.change),
				 ERR_NONE);
		work_free(&work[i]);
		visit_free(&visit);
		if (i == 0 && watched->is_overtaken)
			make(watched, &inspection);
	}
	if (order.count > 0 && watched->is_overtaken)
		take(watched, &inspection);
	return order.count > 0;
}

bool watched_step(struct watched *watched)
{
	bool is_due = fetch(watched);

	if (watched->is_restarted)
		world_reopen(&watched->world);
	watched_settle(watched);
	return is_due;
}

static uint64_t next_due(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	uint64_t due_ms = frontier_next_due(&txn, watched_site_id(&txn));

	txn_abort(&txn);
	return due_ms;
}

void watched_pass(struct watched *watched, uint64_t time_ms)
{
	uint64_t until_ms = watched->world.now_ms + time_ms;

	for (;;) {
		uint64_t next_ms = watched_settle(watched);
		uint64_t due_ms = next_due(watched);

		if (due_ms <= watched->world.now_ms) {
			watched_step(watched);
			continue;
		}
		if (due_ms < next_ms)
			next_ms = due_ms;
		if (next_ms > until_ms)
			break;
		watched->world.now_ms = next_ms;
	}
	if (watched->world.now_ms < until_ms)
		watched->world.now_ms = until_ms;
}

void watched_begin(struct watched *watched)
{
	ck_assert_int_eq(watched_set_options(watched), ERR_NONE);
	while (watched_step(watched)) {
	}
	for (unsigned s = 0; s < watched->section_count; s++)
		watched_name(watched, s, watched->sections[s].name);
}
