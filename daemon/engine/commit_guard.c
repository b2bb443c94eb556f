#include "daemon/engine/commit_guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/page_text.h"
#include "page/xpath.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/replacement.h"
#include "template/text_change.h"
#include "template/version_json.h"

bool guard_holds(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && matches >= guard->minimum &&
	       matches <= guard->maximum;
}

bool guard_fails(const struct guard_row *guard, uint32_t matches)
{
	return matches != UINT32_MAX && !guard_holds(guard, matches);
}

bool guard_visit_is_news(const struct guard_row *guard,
			 const struct guard_visit *visit)
{
	if (guard->state == GUARD_BROKEN)
		return visit->fails || visit->did_fail || !visit->is_known;
	return !visit->fails || !visit->did_fail;
}

void guard_remove_visit(struct guard_row *guard, uint64_t page)
{
	for (unsigned i = 0; i < guard->recent_count; i++) {
		unsigned newer = (1U << i) - 1;
		unsigned bad = guard->recent_bad;

		if (guard->recent[i] != page)
			continue;
		guard->recent_count--;
		for (unsigned k = i; k < guard->recent_count; k++)
			guard->recent[k] = guard->recent[k + 1];
		guard->recent_bad =
			(uint16_t)((bad & newer) | (bad >> 1 & ~newer));
		return;
	}
}

void guard_add_visit(struct guard_row *guard, const struct guard_visit *visit)
{
	unsigned bad;

	guard_remove_visit(guard, visit->page);
	if (guard->recent_count == GUARD_RECENT)
		guard->recent_count--;
	for (unsigned k = guard->recent_count; k > 0; k--)
		guard->recent[k] = guard->recent[k - 1];
	guard->recent[0] = visit->page;
	guard->recent_count++;
	bad = (unsigned)guard->recent_bad << 1 | visit->fails;
	guard->recent_bad = (uint16_t)(bad & ((1U << guard->recent_count) - 1));
}

uint32_t guard_recent_bad(const struct guard_row *guard)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < guard->recent_count; i++)
		count += (unsigned)guard->recent_bad >> i & 1U;
	return count;
}

uint16_t guard_state_of(const struct guard_row *guard)
{
	uint32_t bad = guard_recent_bad(guard);
	uint32_t good = guard->recent_count - bad;
	uint32_t enough = guard->checked < GUARD_AGREEING ? guard->checked
							  : GUARD_AGREEING;

	if (guard->state == GUARD_SUSPENDED)
		return GUARD_SUSPENDED;
	if (guard->state == GUARD_BROKEN)
		return good > 0 && good >= enough ? GUARD_OK : GUARD_BROKEN;
	if (bad > 0 && bad >= enough)
		return GUARD_BROKEN;
	return good > 0 ? GUARD_OK : guard->state;
}

enum {
	PERCENT = 100,
	/* ratio of failing pages above which content is not the cause */
	MOST_PERCENT = 60,
	/* ratio of failing pages up to which the first pages suffice */
	FEW_PERCENT = 40,
	/* if less than this ratio fails again, the site alternates */
	AGAIN_PERCENT = 55,
};

uint16_t guard_state_of_sample(uint16_t state,
			       const struct guard_sample *sample)
{
	uint32_t needed =
		sample->checked < GUARD_SAMPLE ? sample->checked : GUARD_SAMPLE;
	uint32_t clear = needed < GUARD_CLEAR ? needed : GUARD_CLEAR;

	if (state == GUARD_RECHECKED) {
		if (sample->pending > 0 && !sample->is_late)
			return state;
		if (sample->failing == 0)
			return GUARD_OK;
		return PERCENT * sample->failing >= AGAIN_PERCENT * needed
			       ? GUARD_BROKEN
			       : GUARD_ALTERNATING;
	}
	if (sample->failing == sample->seen && sample->seen >= clear)
		return GUARD_BROKEN;
	if (sample->seen == GUARD_CLEAR &&
	    PERCENT * sample->failing <= FEW_PERCENT * GUARD_CLEAR)
		return GUARD_OK;
	if (sample->is_late)
		needed = sample->seen;
	if (sample->seen < needed)
		return state;
	if (needed <= 1 || PERCENT * sample->failing < MOST_PERCENT * needed)
		return GUARD_OK;
	return sample->failing == sample->seen ? GUARD_BROKEN : GUARD_RECHECKED;
}

bool guard_is_being_checked(const struct guard_row *guard)
{
	return guard->state == GUARD_SUSPECTED ||
	       guard->state == GUARD_RECHECKED;
}

void guard_begin_state(struct guard_row *guard)
{
	bool is_broken = guard->state == GUARD_BROKEN;

	for (unsigned i = guard->recent_count; i-- > 0;)
		if (((unsigned)guard->recent_bad >> i & 1U) != is_broken)
			guard_remove_visit(guard, guard->recent[i]);
}

enum {
	MAX_SHOWN = 10, /* maximum number of pages in a list */
	/* maximum number of pages whose candidates are merged */
	MAX_READ = 64,
	MAX_SCANNED = 100000,
	MAX_OFFERED = 5, /* maximum number of candidates in a list */
};

/* The evidence gathered from the pages of a guard. */
struct evidence {
	const struct guard_row *guard;
	struct arena *arena;
	json_t *pages;
	/* replacement candidates of the pages, [kept_count] */
	struct page_replacement *kept;
	uint32_t kept_count;
	uint32_t page_count; /* pages whose candidates were read */
	/*
	 * "/@href" and the like if the guard matches attributes; otherwise
	 * empty
	 */
	char attribute[80];
};

const char *guard_language_name(const struct guard_row *guard)
{
	static const char *const names[] = {
		[GUARD_XPATH] = "xpath",
		[GUARD_CSS] = "css",
		[GUARD_TEXT] = "text",
	};

	return guard->language < sizeof(names) / sizeof(names[0])
		       ? names[guard->language]
		       : "?";
}

json_t *guard_selector_json(const struct guard_row *guard)
{
	return guard->language == GUARD_TEXT && guard->selector.size == 0
		       ? json_string(GUARD_ALL_TEXTS)
		       : json_text(guard->selector);
}

void guard_expect(const struct guard_row *guard, char out[32])
{
	if (guard->minimum == guard->maximum)
		snprintf(out, 32, "%u", guard->minimum);
	else if (guard->maximum == UINT32_MAX)
		snprintf(out, 32, "%u..", guard->minimum);
	else
		snprintf(out, 32, "%u..%u", guard->minimum, guard->maximum);
}

static void guard_evidence_add_page(struct evidence *evidence,
				    const struct guarded_row *row)
{
	if (json_array_size(evidence->pages) == MAX_SHOWN)
		return;
	json_array_append_new(
		evidence->pages,
		json_pack("{s:o, s:o, s:o, s:o, s:o}", "url",
			  json_text(row->url), "matches",
			  row->matches == UINT32_MAX
				  ? json_null()
				  : json_integer((json_int_t)row->matches),
			  "value", json_text_or_null(row->value), "path",
			  json_text_or_null(row->path), "good",
			  json_time(row->good_ms)));
}

static void keep_candidate(struct evidence *evidence, const json_t *item)
{
	const char *selector =
		json_string_value(json_object_get(item, "selector"));
	const char *value = json_string_value(json_object_get(item, "value"));

	if (selector == NULL || value == NULL)
		return;
	evidence->kept[evidence->kept_count++] = (struct page_replacement){
		.selector =
			arena_copy(evidence->arena, selector, strlen(selector)),
		.value = arena_copy(evidence->arena, value, strlen(value)),
		.score = json_number_value(json_object_get(item, "score")),
		.page = evidence->page_count,
		.node = (uint32_t)json_integer_value(
			json_object_get(item, "node")),
	};
}

static void guard_evidence_read_attribute(struct evidence *evidence,
					  struct slice path)
{
	const char *at = memmem(path.data, path.size, "/@", 2);

	if (at != NULL)
		snprintf(evidence->attribute, sizeof(evidence->attribute),
			 "%.*s",
			 (int)((const char *)path.data + path.size - at), at);
}

static void read_candidates(struct evidence *evidence,
			    const struct guarded_row *row)
{
	json_t *list;
	const json_t *item;
	size_t i;

	if (row->good_ms == 0 || evidence->page_count == MAX_READ)
		return;
	guard_evidence_read_attribute(evidence, row->path);
	list = json_loadb(row->candidates.size == 0 ? "" : row->candidates.data,
			  row->candidates.size, 0, NULL);
	json_array_foreach(list, i, item)
	{
		if (i < MAX_CANDIDATES)
			keep_candidate(evidence, item);
	}
	json_decref(list);
	evidence->page_count++;
}

/*
 * Read the pages on which the guard fails. If it fails on no page, read pages
 * on which it holds.
 */
static void guard_evidence_read_pages(struct txn *txn, uint32_t site,
				      uint32_t number,
				      struct evidence *evidence)
{
	struct scan scan = scan_cluster(txn, TABLE_GUARDED, site, number);
	bool is_failing = evidence->guard->failing > 0;

	for (uint32_t i = 0; i < MAX_SCANNED && scan_next(&scan); i++) {
		struct guarded_row row;

		if (!guarded_row_decode(scan.value, &row) ||
		    guard_fails(evidence->guard, row.matches) != is_failing)
			continue;
		guard_evidence_add_page(evidence, &row);
		if (is_failing)
			read_candidates(evidence, &row);
		else if (json_array_size(evidence->pages) == MAX_SHOWN)
			break;
	}
	scan_end(&scan);
}

static json_t *xpath_json(const struct evidence *evidence, const char *selector)
{
	char error[256];
	const char *xpath = css_xpath(evidence->arena, selector, error);
	struct buffer text = {0};
	json_t *value;

	if (xpath == NULL)
		return json_null();
	buffer_printf(&text, "%s%s", xpath, evidence->attribute);
	value = json_text(buffer_slice(&text));
	buffer_free(&text);
	return value;
}

static json_t *guard_evidence_candidates(const struct evidence *evidence)
{
	struct merged_replacement offered[MAX_OFFERED];
	json_t *list = json_array();
	uint32_t count =
		replacements_merge(evidence->arena,
				   &(struct page_replacements){
					   evidence->kept, evidence->kept_count,
					   evidence->page_count},
				   offered, MAX_OFFERED);

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:f, s:I, s:o}", "selector",
				  json_text(slice_of(offered[i].selector)),
				  "xpath",
				  xpath_json(evidence, offered[i].selector),
				  "score", offered[i].score, "pages",
				  (json_int_t)offered[i].pages, "example",
				  json_text(slice_of(offered[i].value))));
	return list;
}

/* Return how many of the recent pages confirm the guard's state. */
static uint32_t guard_evidence_agreed(const struct guard_row *guard)
{
	uint32_t bad = guard_recent_bad(guard);

	return guard->state == GUARD_BROKEN ? bad : guard->recent_count - bad;
}

json_t *guard_evidence(struct txn *txn, uint32_t site, uint32_t number,
		       const struct guard_row *guard)
{
	struct evidence evidence = {
		.guard = guard,
		.arena = arena_create(),
		.pages = json_array(),
	};
	char expect[32];
	json_t *value;

	evidence.kept = ARENA_NEW(evidence.arena, struct page_replacement,
				  (size_t)MAX_READ * MAX_CANDIDATES);
	guard_expect(guard, expect);
	value = json_pack("{s:I, s:o, s:o, s:s, s:o, s:s, s:I, s:I, s:I, s:I}",
			  "guard", (json_int_t)number, "name",
			  json_text_or_null(guard->name), "selector",
			  guard_selector_json(guard), "language",
			  guard_language_name(guard), "xpath",
			  json_text_or_null(guard->xpath), "expect", expect,
			  "seen", (json_int_t)guard->recent_count, "agreed",
			  (json_int_t)guard_evidence_agreed(guard), "failed",
			  (json_int_t)guard->failing, "checked",
			  (json_int_t)guard->checked);
	guard_evidence_read_pages(txn, site, number, &evidence);
	json_object_set_new(value, "pages", evidence.pages);
	json_object_set_new(value, "candidates",
			    guard_evidence_candidates(&evidence));
	arena_destroy(evidence.arena);
	return value;
}

/*
 * Functions that store the results of guards on a visited page, and that change
 * the guards' states.
 */

/* A guard of the site, with copies of its texts. */
struct watch {
	struct commit *batch;
	const struct site *site;
	uint32_t number;
	struct guard_row row;
	struct buffer texts;
};

/* The result of a guard on one page. */
struct guard_result {
	uint64_t page;
	uint32_t cluster;
	/*
	 * cluster of the page when the guard held, which a redesign may have
	 * changed
	 */
	uint32_t template;
	struct slice url;
	const json_t *found;
};

/* Copy the texts of the row, because writes invalidate LMDB's memory. */
static void guard_watch_copy_texts(struct watch *watch)
{
	struct slice *texts[] = {&watch->row.name, &watch->row.selector,
				 &watch->row.xpath};
	size_t at = 0;

	for (size_t i = 0; i < 3; i++)
		buffer_append_slice(&watch->texts, *texts[i]);
	for (size_t i = 0; i < 3; i++) {
		texts[i]->data = watch->texts.data + at;
		at += texts[i]->size;
	}
}

static bool watch_open(struct watch *watch, struct commit *batch,
		       const struct site *site, uint32_t number)
{
	*watch = (struct watch){.batch = batch, .site = site, .number = number};
	if (!guard_row_get(batch->txn, site->row.id, number, &watch->row))
		return false;
	guard_watch_copy_texts(watch);
	return true;
}

static void watch_close(struct watch *watch)
{
	guard_row_put(watch->batch->txn, watch->site->row.id, watch->number,
		      &watch->row);
	buffer_free(&watch->texts);
}

static struct slice guard_json_text(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return (struct slice){json_is_string(value) ? json_string_value(value)
						    : "",
			      json_string_length(value)};
}

/* Write an event with the list of the guard's pages. `reason` may be NULL. */
static void guard_emit_event(struct watch *watch,
			     const struct guard_result *finding,
			     enum event_kind kind, uint32_t pages,
			     const char *reason)
{
	json_t *evidence =
		guard_evidence(watch->batch->txn, watch->site->row.id,
			       watch->number, &watch->row);
	char *text;

	if (reason != NULL)
		json_object_set_new(evidence, "reason", json_string(reason));
	if (kind != EVENT_GUARD_BROKEN)
		json_object_del(evidence, "candidates");
	text = json_dumps(evidence, JSON_COMPACT | JSON_REAL_PRECISION(4));
	commit_event(watch->batch, watch->site,
		     &(struct event_row){
			     .kind = (uint16_t)kind,
			     .cluster = finding->template,
			     .guard = watch->number,
			     .pages = pages,
			     .url = finding->url,
			     .detail = slice_of(text == NULL ? "{}" : text),
		     });
	free(text);
	json_decref(evidence);
}

/*
 * Suspend a guard that takes too much CPU time: emit an event, and do not
 * evaluate the guard again.
 */
static void guard_suspend(struct watch *watch,
			  const struct guard_result *finding)
{
	json_int_t us =
		json_integer_value(json_object_get(finding->found, "us"));
	bool is_page = slice_equal(guard_json_text(finding->found, "over"),
				   slice_of("page"));
	char reason[128];

	snprintf(reason, sizeof(reason),
		 "it took %.3f s of CPU time on a page, %s", (double)us / 1e6,
		 is_page ? "the most of all guards, which together exceed "
			   "guards.page_cpu_limit"
			 : "over guards.cpu_limit");
	guard_emit_event(watch, finding, EVENT_GUARD_SUSPENDED,
			 watch->row.checked, reason);
	watch->row.state = GUARD_SUSPENDED;
	watch->row.changed_ms = watch->batch->now_ms;
}

/* Time to wait for the pages of a suspected guard. */
static uint64_t guard_patience_ms(const struct watch *watch)
{
	const uint64_t most_ms = UINT64_C(5) * 60 * 1000;
	uint64_t watch_ms = watch->site->row.options.watch_ms;

	return watch_ms != 0 && watch_ms < most_ms ? watch_ms : most_ms;
}

/*
 * Time after which an alternating guard is judged again: half the time after
 * which incidents are calm.
 */
static uint64_t guard_calm_ms(const struct watch *watch)
{
	const uint64_t most_ms = UINT64_C(30) * 60 * 1000;
	uint64_t rounds_ms = 5 * watch->site->row.options.watch_ms;

	return rounds_ms != 0 && rounds_ms < most_ms ? rounds_ms : most_ms;
}

/* Count the results since the state of the guard has changed. */
static struct guard_sample guard_read_sample(const struct watch *watch)
{
	const struct guard_row *guard = &watch->row;
	uint64_t since_ms = guard->changed_ms;
	uint64_t before_ms = since_ms - guard_patience_ms(watch);
	struct scan scan = scan_cluster(watch->batch->txn, TABLE_GUARDED,
					watch->site->row.id, watch->number);
	struct guard_sample sample = {
		.checked = guard->checked,
		.is_late = watch->batch->now_ms >=
			   since_ms + guard_patience_ms(watch),
	};
	struct guarded_row row;

	for (uint32_t i = 0; i < MAX_SCANNED && scan_next(&scan); i++) {
		bool fails = guarded_row_decode(scan.value, &row) &&
			     guard_fails(guard, row.matches);

		if (row.checked_ms >= since_ms) {
			sample.seen++;
			sample.failing += fails;
		} else if (fails && row.checked_ms >= before_ms) {
			sample.pending++;
		}
	}
	scan_end(&scan);
	return sample;
}

/* Return whether the page of this row is fetched to find out the state. */
static bool guard_wants_page(const struct guard_row *guard,
			     const struct guarded_row *row)
{
	return guard->state == GUARD_SUSPECTED
		       ? row->checked_ms < guard->changed_ms
		       : guard_fails(guard, row->matches);
}

/*
 * Have pages of the guard fetched now, beginning with the page after `page`. If
 * the guard is only suspected, these are GUARD_CLEAR pages that were not
 * fetched since then; otherwise the pages on which it fails.
 */
static void guard_request_pages(const struct watch *watch, uint64_t page)
{
	const struct guard_row *guard = &watch->row;
	size_t most =
		guard->state == GUARD_SUSPECTED ? GUARD_CLEAR : GUARD_SAMPLE;
	uint64_t pages[GUARD_SAMPLE];
	size_t count = 0;

	for (int turn = 0; turn < 2; turn++) {
		struct scan scan =
			scan_cluster(watch->batch->txn, TABLE_GUARDED,
				     watch->site->row.id, watch->number);
		struct guarded_row row;

		for (uint32_t i = 0;
		     i < MAX_SCANNED && count < most && scan_next(&scan); i++) {
			uint64_t number =
				key_u64(scan.key, 2 * sizeof(uint32_t));

			if ((number > page) == (turn == 0) &&
			    guarded_row_decode(scan.value, &row) &&
			    guard_wants_page(guard, &row))
				pages[count++] = number;
		}
		scan_end(&scan);
	}
	for (size_t i = 0; i < count; i++)
		frontier_make_due(watch->batch->txn, watch->site->row.id,
				  pages[i], watch->batch->now_ms);
}

/* The event when a guard enters a state; 0 = none. */
static const uint16_t guard_state_events[GUARD_STATES] = {
	[GUARD_OK] = EVENT_GUARD_OK,
	[GUARD_BROKEN] = EVENT_GUARD_BROKEN,
	[GUARD_UNMATCHED] = EVENT_GUARD_UNMATCHED,
	[GUARD_ALTERNATING] = EVENT_GUARD_ALTERNATES,
};

/*
 * Return whether users were told nothing else than that the guard is as usual.
 */
static bool guard_was_quiet(uint16_t state)
{
	return state == GUARD_UNKNOWN || state == GUARD_OK ||
	       state == GUARD_SUSPECTED || state == GUARD_RECHECKED ||
	       state == GUARD_ALTERNATING;
}

/* Enter another state, and emit its event. */
static void guard_enter_state(struct watch *watch,
			      const struct guard_result *finding,
			      uint16_t state, bool is_told)
{
	struct guard_row *guard = &watch->row;
	uint16_t before = guard->state;
	uint16_t kind = guard_state_events[state];

	guard->state = state;
	guard->changed_ms = watch->batch->now_ms;
	if (guard_is_being_checked(guard)) {
		guard_request_pages(watch, finding->page);
		return;
	}
	if (is_told && before != GUARD_UNKNOWN && kind != 0 &&
	    !(state == GUARD_OK && guard_was_quiet(before)))
		guard_emit_event(watch, finding, (enum event_kind)kind,
				 state == GUARD_OK
					 ? guard->checked - guard->failing
					 : guard->failing,
				 NULL);
	guard_begin_state(guard);
}

/*
 * Judge a guard of which pages are being fetched. If the first pages do not
 * decide, request more.
 */
static void guard_judge_sample(struct watch *watch,
			       const struct guard_result *finding)
{
	const struct guard_sample sample = guard_read_sample(watch);
	uint16_t state = guard_state_of_sample(watch->row.state, &sample);

	if (state != watch->row.state)
		guard_enter_state(watch, finding, state, true);
	else if (state == GUARD_SUSPECTED && sample.seen == GUARD_CLEAR)
		guard_request_pages(watch, finding->page);
}

static void guard_update_state(struct watch *watch,
			       const struct guard_result *finding, bool is_told)
{
	struct guard_row *guard = &watch->row;
	uint16_t state;

	if (guard->state == GUARD_ALTERNATING &&
	    watch->batch->now_ms >= guard->changed_ms + guard_calm_ms(watch))
		guard->state = GUARD_OK;
	if (guard_is_being_checked(guard)) {
		guard_judge_sample(watch, finding);
		return;
	}
	state = guard_state_of(guard);
	if (guard->state == GUARD_ALTERNATING || state == guard->state)
		return;
	if (state == GUARD_BROKEN && guard->state == GUARD_OK && is_told)
		state = GUARD_SUSPECTED;
	guard_enter_state(watch, finding, state, is_told);
	/* the guard may have no other page */
	if (state == GUARD_SUSPECTED)
		guard_judge_sample(watch, finding);
}

static uint32_t matches_of(const json_t *found)
{
	json_int_t matches =
		json_integer_value(json_object_get(found, "matches"));

	return matches < 0 || matches >= UINT32_MAX ? UINT32_MAX
						    : (uint32_t)matches;
}

/*
 * Write the new result for the page, and copy its last good values from
 * *before, the old row or zeros.
 */
static void guard_put_page_result(struct watch *watch,
				  const struct guard_result *finding,
				  const struct guarded_row *before)
{
	const struct guard_row *guard = &watch->row;
	const json_t *list = json_object_get(finding->found, "candidates");
	char *candidates = list == NULL ? NULL : json_dumps(list, JSON_COMPACT);
	struct guarded_row row = {
		.checked_ms = watch->batch->now_ms,
		.good_ms = before->good_ms,
		.matches = matches_of(finding->found),
		.cluster = finding->template,
		.url = finding->url,
		.value = before->value,
		.path = before->path,
		.candidates = slice_of(candidates == NULL ? "" : candidates),
	};

	if (guard_holds(guard, row.matches)) {
		row.cluster = finding->cluster;
		row.good_ms = watch->batch->now_ms;
		row.value = guard_json_text(finding->found, "value");
		row.path = guard_json_text(finding->found, "path");
	}
	guarded_row_put(watch->batch->txn, watch->site->row.id, watch->number,
			finding->page, &row);
	free(candidates);
}

/*
 * Return whether the guard checks this page, which it has not checked before,
 * from now on.
 */
static bool guard_checks_page(const struct guard_row *guard,
			      const struct guard_result *finding,
			      uint32_t matches)
{
	if (guard->cluster != 0 && guard->cluster != finding->cluster)
		return false;
	return guard_holds(guard, matches) ||
	       (guard->maximum == 0 && matches != UINT32_MAX);
}

/*
 * Apply a result of a guard. Return false if the guard was not evaluated; then
 * the page keeps its older result.
 */
static bool take_finding(struct watch *watch, struct guard_result *finding,
			 bool is_told)
{
	struct guard_row *guard = &watch->row;
	uint32_t matches = matches_of(finding->found);
	struct guarded_row before;
	struct guard_visit visit;

	if (guard->state == GUARD_SUSPENDED)
		return true; /* it was suspended after the page was analysed */
	if (guard_json_text(finding->found, "over").size > 0) {
		guard_suspend(watch, finding);
		return true;
	}
	if (json_is_true(json_object_get(finding->found, "skipped")))
		return false;
	visit = (struct guard_visit){
		.page = finding->page,
		.is_known =
			guarded_row_get(watch->batch->txn, watch->site->row.id,
					watch->number, finding->page, &before),
		.fails = guard_fails(guard, matches),
	};

	if (!visit.is_known && !guard_checks_page(guard, finding, matches))
		return true;
	visit.did_fail = visit.is_known && guard_fails(guard, before.matches);
	if (visit.is_known && before.cluster != 0)
		finding->template = before.cluster;
	guard_put_page_result(watch, finding, &before);
	guard->checked += !visit.is_known;
	guard->failing += visit.fails;
	guard->failing -= visit.did_fail;
	if (matches == UINT32_MAX)
		return true;
	if (guard_visit_is_news(guard, &visit))
		guard_add_visit(guard, &visit);
	else if (!guard_is_being_checked(guard))
		return true;
	guard_update_state(watch, finding, is_told);
	return true;
}

bool commit_guard_page(struct commit *batch, const struct site *site,
		       const struct page_row *page, struct slice guarded)
{
	json_t *list = json_loadb(guarded.size == 0 ? "" : guarded.data,
				  guarded.size, 0, NULL);
	bool are_evaluated = true;
	const json_t *found;
	size_t i;

	json_array_foreach(list, i, found)
	{
		struct guard_result finding = {page_key_of(page->url),
					       page->cluster, page->cluster,
					       page->url, found};
		struct watch watch;

		/*
		 * the guard may have been deleted since the page was analysed
		 */
		if (!watch_open(&watch, batch, site,
				(uint32_t)json_integer_value(
					json_object_get(found, "guard"))))
			continue;
		are_evaluated &= take_finding(&watch, &finding, true);
		watch_close(&watch);
	}
	json_decref(list);
	return are_evaluated;
}

/*
 * Return the numbers of the site's guards. The caller frees them with free().
 */
static uint32_t *list_guards(struct commit *batch, const struct site *site,
			     size_t *count_out)
{
	struct scan scan = scan_site(batch->txn, TABLE_GUARDS, site->row.id);
	uint32_t *numbers = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		numbers = mem_grow(numbers, count, &capacity, sizeof(*numbers));
		numbers[count++] = key_u32(scan.key, sizeof(uint32_t));
	}
	scan_end(&scan);
	*count_out = count;
	return numbers;
}

/* Guards that watch a text. */

/* Return whether the guard watches the text of this page. */
static bool guard_watches_text(const struct guard_row *guard, uint64_t page,
			       uint32_t cluster)
{
	if (guard->language != GUARD_TEXT)
		return false;
	return guard->selector.size > 0 ? page_key_of(guard->selector) == page
					: guard->cluster == cluster;
}

/* Report the change of the text. */
static void guard_emit_text(struct watch *watch,
			    const struct guard_result *finding)
{
	json_t *detail = page_text_detail(finding->found);
	char *text;

	json_object_set_new(detail, "guard",
			    json_integer((json_int_t)watch->number));
	json_object_set_new(detail, "name", json_text_or_null(watch->row.name));
	json_object_set_new(detail, "selector",
			    json_text_or_null(watch->row.selector));
	text = json_dumps(detail, JSON_COMPACT);
	commit_event(watch->batch, watch->site,
		     &(struct event_row){
			     .kind = EVENT_GUARD_CHANGED,
			     .cluster = finding->template,
			     .guard = watch->number,
			     .pages = 1,
			     .url = finding->url,
			     .detail = slice_of(text == NULL ? "{}" : text),
		     });
	free(text);
	json_decref(detail);
}

/*
 * Apply a visit to a guard that watches the text of the page. The guard of a
 * URL reports no change until it has learned at some visits what changes each
 * time.
 */
static void guard_take_text(struct watch *watch,
			    const struct guard_result *finding)
{
	struct guard_row *guard = &watch->row;

	if (guard->state == GUARD_UNMATCHED) {
		guard_enter_state(watch, finding, GUARD_OK, true);
	} else if (guard->state == GUARD_UNKNOWN) {
		if (guard->recent_count < GUARD_RECENT)
			guard->recent_count++;
		if (guard->recent_count == GUARD_RECENT ||
		    guard->selector.size == 0)
			guard->state = GUARD_OK;
	} else if (finding->found != NULL &&
		   text_change_is_news(finding->found)) {
		guard_emit_text(watch, finding);
		guard->changed_ms = watch->batch->now_ms;
	}
}

void commit_guard_text(struct commit *batch, const struct site *site,
		       const struct page_row *page, const json_t *change)
{
	const struct guard_result finding = {
		.page = page_key_of(page->url),
		.cluster = page->cluster,
		.template = page->cluster,
		.url = page->url,
		.found = change,
	};
	size_t count;
	uint32_t *numbers = list_guards(batch, site, &count);

	for (size_t i = 0; i < count; i++) {
		struct watch watch;
		struct guard_row row;

		if (!guard_row_get(batch->txn, site->row.id, numbers[i],
				   &row) ||
		    !guard_watches_text(&row, finding.page, page->cluster) ||
		    !watch_open(&watch, batch, site, numbers[i]))
			continue;
		guard_take_text(&watch, &finding);
		watch_close(&watch);
	}
	free(numbers);
}

/* Have the page fetched now; a 304 would not tell what changes each time. */
static void commit_guard_fetch_text(struct commit *batch,
				    const struct site *site, uint64_t page)
{
	frontier_clear_validators(batch->txn, site->row.id, page);
	frontier_make_due(batch->txn, site->row.id, page, batch->now_ms);
}

void commit_guard_learn_text(struct commit *batch, const struct site *site,
			     uint64_t page)
{
	struct scan scan = scan_site(batch->txn, TABLE_GUARDS, site->row.id);
	bool is_due = false;
	struct guard_row row;

	while (!is_due && scan_next(&scan))
		is_due = guard_row_decode(scan.value, &row) &&
			 row.state == GUARD_UNKNOWN && row.selector.size > 0 &&
			 guard_watches_text(&row, page, 0);
	scan_end(&scan);
	if (is_due)
		commit_guard_fetch_text(batch, site, page);
}

/*
 * Begin a guard that watches a text. The guard of a URL has the page fetched to
 * learn what changes at each visit.
 */
static void guard_begin_text(struct watch *watch)
{
	if (watch->row.selector.size == 0)
		watch->row.state = GUARD_OK;
	else
		commit_guard_fetch_text(watch->batch, watch->site,
					page_key_of(watch->row.selector));
}

/*
 * The page was deleted or, if `target` is not NULL, has moved there: watch the
 * text of that page of the site, or report that the page no longer exists.
 */
static void guard_lose_text(struct watch *watch, uint64_t page,
			    const struct url *target)
{
	const struct guard_result finding = {.page = page,
					     .url = watch->row.selector};

	if (!guard_watches_text(&watch->row, page, 0) ||
	    watch->row.selector.size == 0)
		return;
	if (target != NULL &&
	    slice_equal(slice_of(target->host), watch->site->row.host))
		watch->row.selector = slice_of(target->text);
	else
		guard_enter_state(watch, &finding, GUARD_UNMATCHED, true);
}

/*
 * Remove the page from the guard. If no page is left, the guard matches
 * nothing.
 */
static void guard_remove_page(struct watch *watch, uint64_t page)
{
	struct key key = key_member(watch->site->row.id, watch->number, page);
	struct guard_row *guard = &watch->row;
	struct guard_result finding = {.page = page};
	struct guarded_row row;
	char *url;

	if (!guarded_row_get(watch->batch->txn, watch->site->row.id,
			     watch->number, page, &row))
		return;
	guard->checked--;
	guard->failing -= guard_fails(guard, row.matches);
	guard_remove_visit(guard, page);
	url = mem_copy_text(row.url.data, row.url.size);
	finding.url = slice_of(url);
	finding.template = row.cluster;
	txn_delete(watch->batch->txn, TABLE_GUARDED, key_slice(&key));
	if (guard->checked == 0 && guard->state != GUARD_UNKNOWN &&
	    guard->state != GUARD_SUSPENDED)
		guard_enter_state(watch, &finding, GUARD_UNMATCHED, true);
	free(url);
}

/*
 * The page has moved to the URL `target`: if that is a new page of the site,
 * check it from now on, with the last good result of the page.
 */
static void guard_follow_page(struct watch *watch, uint64_t page,
			      const struct url *target)
{
	struct txn *txn = watch->batch->txn;
	uint32_t site = watch->site->row.id;
	uint64_t moved = page_key_of(slice_of(target->text));
	struct frontier_row known;
	struct guarded_row row;

	if (!slice_equal(slice_of(target->host), watch->site->row.host) ||
	    guarded_row_get(txn, site, watch->number, moved, &row) ||
	    !guarded_row_get(txn, site, watch->number, page, &row))
		return;
	if (frontier_row_get(txn, site, moved, &known) &&
	    known.found_ms < row.good_ms)
		return;
	row.url = slice_of(target->text);
	watch->row.checked++;
	watch->row.failing += guard_fails(&watch->row, row.matches);
	guarded_row_put(txn, site, watch->number, moved, &row);
	frontier_make_due(txn, site, moved, watch->batch->now_ms);
}

/*
 * Count the last result of an unchanged page as a result of the sample that is
 * being fetched.
 */
static void guard_confirm_sample(struct watch *watch, uint64_t page,
				 struct guarded_row *row)
{
	char *url = mem_copy_text(row->url.data, row->url.size);
	const struct guard_result finding = {.page = page,
					     .cluster = row->cluster,
					     .template = row->cluster,
					     .url = slice_of(url)};

	row->checked_ms = watch->batch->now_ms;
	guarded_row_put(watch->batch->txn, watch->site->row.id, watch->number,
			page, row);
	guard_update_state(watch, &finding, true);
	free(url);
}

/* Count the last result of an unchanged page as new evidence. */
static void guard_confirm_page(struct watch *watch, uint64_t page)
{
	struct guarded_row row;
	struct guard_visit visit = {.page = page, .is_known = true};

	if (watch->row.state == GUARD_SUSPENDED ||
	    !guarded_row_get(watch->batch->txn, watch->site->row.id,
			     watch->number, page, &row) ||
	    row.matches == UINT32_MAX)
		return;
	visit.fails = guard_fails(&watch->row, row.matches);
	visit.did_fail = visit.fails;
	/*
	 * an unchanged page can confirm the state of the guard, but not change
	 * it
	 */
	if (guard_is_being_checked(&watch->row))
		guard_confirm_sample(watch, page, &row);
	else if (visit.fails == (watch->row.state == GUARD_BROKEN))
		guard_add_visit(&watch->row, &visit);
}

void commit_unguard_page(struct commit *batch, const struct site *site,
			 uint64_t page, const struct url *target)
{
	size_t count;
	uint32_t *numbers = list_guards(batch, site, &count);

	for (size_t i = 0; i < count; i++) {
		struct watch watch;

		if (!watch_open(&watch, batch, site, numbers[i]))
			continue;
		guard_lose_text(&watch, page, target);
		if (target != NULL)
			guard_follow_page(&watch, page, target);
		guard_remove_page(&watch, page);
		watch_close(&watch);
	}
	free(numbers);
}

void commit_guard_not_modified(struct commit *batch, const struct site *site,
			       uint64_t page)
{
	size_t count;
	uint32_t *numbers = list_guards(batch, site, &count);

	for (size_t i = 0; i < count; i++) {
		struct watch watch;

		if (!watch_open(&watch, batch, site, numbers[i]))
			continue;
		guard_confirm_page(&watch, page);
		watch_close(&watch);
	}
	free(numbers);
}

/*
 * Check that the site may have one more guard, and that no other guard has this
 * name.
 */
static enum error check_new(struct commit *batch, const struct site *site,
			    struct slice name)
{
	size_t count;
	uint32_t *numbers = list_guards(batch, site, &count);
	enum error error = count < MAX_SITE_GUARDS ? ERR_NONE : ERR_BUSY;
	struct guard_row row;

	for (size_t i = 0; i < count; i++)
		if (name.size > 0 &&
		    guard_row_get(batch->txn, site->row.id, numbers[i], &row) &&
		    slice_equal(row.name, name))
			error = ERR_ADDRESS_FORBIDDEN;
	free(numbers);
	return error;
}

/* Store the results that a new guard has on stored pages. */
static void take_first(struct watch *watch, struct slice found)
{
	json_t *list = json_loadb(found.size == 0 ? "" : found.data, found.size,
				  0, NULL);
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		struct slice url = guard_json_text(item, "url");
		struct page_row page;
		struct guard_result finding = {page_key_of(url), 0, 0, url,
					       item};

		if (!page_row_get(watch->batch->txn, watch->site->row.id,
				  finding.page, &page) ||
		    page.redirect.size > 0 ||
		    (json_int_t)page.content_hash !=
			    json_integer_value(json_object_get(item, "hash")))
			/*
			 * the page was deleted or has changed since the guard
			 * was tested
			 */
			continue;
		finding.cluster = page.cluster;
		finding.template = page.cluster;
		(void)take_finding(watch, &finding, false);
	}
	json_decref(list);
}

static enum error commit_add_guard(struct commit *batch,
				   const struct site *site,
				   struct guard_change *wanted)
{
	struct watch watch = {.batch = batch, .site = site};
	enum error error = check_new(batch, site, wanted->guard.name);

	if (error != ERR_NONE)
		return error;
	watch.number = (uint32_t)store_next_number(batch->txn, "guard");
	watch.row = wanted->guard;
	watch.row.created_ms = batch->now_ms;
	watch.row.changed_ms = batch->now_ms;
	guard_watch_copy_texts(&watch);
	if (watch.row.language == GUARD_TEXT)
		guard_begin_text(&watch);
	else
		take_first(&watch, wanted->found);
	watch_close(&watch);
	wanted->number = watch.number;
	return ERR_NONE;
}

static enum error delete_guard(struct commit *batch, const struct site *site,
			       uint32_t number)
{
	struct key key = key_cluster(site->row.id, number);

	if (txn_get(batch->txn, TABLE_GUARDS, key_slice(&key)).data == NULL)
		return ERR_NOT_FOUND;
	txn_delete(batch->txn, TABLE_GUARDS, key_slice(&key));
	txn_delete_prefix(batch->txn, TABLE_GUARDED, key_slice(&key));
	return ERR_NONE;
}

enum error commit_change_guard(struct commit *batch, struct change *change)
{
	struct guard_change *guard = change->guard;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL || (guard->site != 0 && guard->site != site->row.id))
		/*
		 * the site was deleted, or was added again with another number
		 */
		return ERR_NOT_FOUND;
	return guard->is_delete ? delete_guard(batch, site, guard->number)
				: commit_add_guard(batch, site, guard);
}

static uint32_t count_failing(struct txn *txn, uint32_t site, uint32_t guard,
			      const struct guard_row *row)
{
	struct scan scan = scan_cluster(txn, TABLE_GUARDED, site, guard);
	struct guarded_row guarded;
	uint32_t failing = 0;

	while (scan_next(&scan))
		if (guarded_row_decode(scan.value, &guarded))
			failing += guard_fails(row, guarded.matches);
	scan_end(&scan);
	return failing;
}

void invariants_verify_guards(struct txn *txn, const struct site_row *site,
			      struct verify_report *report)
{
	struct scan scan = scan_site(txn, TABLE_GUARDS, site->id);
	struct guard_row row;

	while (scan_next(&scan)) {
		uint32_t guard = key_u32(scan.key, sizeof(site->id));
		uint32_t failing;

		if (!guard_row_decode(scan.value, &row))
			continue;
		failing = count_failing(txn, site->id, guard, &row);
		if (failing != row.failing)
			verify_problem(report,
				       "guard %.*s %u: fails on %u pages, but "
				       "counts %u",
				       (int)site->host.size,
				       (const char *)site->host.data, guard,
				       failing, row.failing);
	}
	scan_end(&scan);
}

bool guards_are_being_checked(struct txn *txn, uint32_t site)
{
	struct scan scan = scan_site(txn, TABLE_GUARDS, site);
	bool are_checked = false;
	struct guard_row row;

	while (!are_checked && scan_next(&scan))
		are_checked = guard_row_decode(scan.value, &row) &&
			      guard_is_being_checked(&row);
	scan_end(&scan);
	return are_checked;
}
