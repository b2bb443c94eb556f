#include "tests/unit/daemon/watched.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/answer/event_kinds.h"
#include "daemon/engine/analyse.h"
#include "store/compress.h"
#include "store/hash.h"
#include "store/key.h"

enum {
	MAX_WORK = 4, /* few, so that half of what is asked is seen, too */
	MAX_ROUNDS = 10,
	STEP_MS = 100,
};

#define MENU                                                            \
	"<div class=menu><a href=/>Home</a> <a href=/list>List</a> <a " \
	"href=/about>About</a></div>"
#define FOOT \
	"<div class=foot>Copyright, imprint, and what else ends a page</div>"
#define HEAD "<html><head><title>{0}</title></head><body>"
#define END  "</body></html>"
#define COMMON                                                            \
	"<html><head></head><body><h1>h1 of all</h1><h2>h2 of all</h2>"   \
	"<h3>h3 of all</h3><h4>h4 of all</h4><p>p of all</p><pre>pre of " \
	"all</pre><ul>ul of all</ul><ol>ol of all</ol><dl>dl of all</dl>" \
	"<section>section of all</section><article>article of "           \
	"all</article><aside>aside of all</aside><nav>nav of all</nav>"   \
	"<header>header of all</header><footer>footer of all</footer>"    \
	"<address>address of all</address>"

/* {0} is the name of the page, {1} and {2} its content. */
static const char *const forms[] = {
	[FORM_ARTICLE] = HEAD MENU
	"<div class=post><h1>{0}</h1><p class=by>By nobody</p><p>{1}</p>"
	"<p>{2}</p></div>" FOOT END,
	[FORM_PRODUCT] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table><form>"
	"<input name=count><button>Buy</button></form>" FOOT END,
	[FORM_PROFILE] = HEAD MENU
	"<div class=card><img src=/x.png><dl><dt>Name</dt><dd>{0}</dd>"
	"<dt>Says</dt><dd>{1}</dd></dl></div><ul class=done><li>{2}</li>"
	"<li>{0}</li></ul>" FOOT END,
	[FORM_REDESIGN] =
		HEAD "<header><nav><ul><li><a href=/>Home</a></li><li>"
		     "<a href=/list>List</a></li></ul></nav></header><main>"
		     "<article><h2>{0}</h2><section><p>{1}</p><p>{2}</p>"
		     "</section></article></main><footer><small>All new, and "
		     "better than it ever was</small></footer>" END,
	[FORM_EDITED] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table><form>"
	"<input name=count><b>Now</b><button>Buy</button></form>" FOOT END,
	[FORM_REPHRASED] =
		HEAD "<div class=menu><a href=/>Start</a> <a href=/list>All "
		     "there is</a> <a href=/about>Who we are</a></div>"
		     "<table class=data><tr><th>Called</th><td>{0}</td></tr>"
		     "<tr><th>For</th><td>{1}</td></tr><tr><th>Costs</th><td>"
		     "{2}</td></tr></table><form><input name=count><button>"
		     "Into the basket</button></form><div class=foot>Nothing "
		     "of this is as it was before</div>" END,
	[FORM_REBUILT] = HEAD MENU
	"<table class=data><tr><th>Name</th><td>{0}</td></tr><tr><th>Use</th>"
	"<td>{1}</td></tr><tr><th>Price</th><td>{2}</td></tr></table>"
	"<section class=buy><p>Buy</p><em>Now</em></section>" FOOT END,
	[FORM_ALONE] = "<html><body><center><font>{0}</font><blockquote><pre>"
		       "Somebody has written this page by hand</pre>"
		       "</blockquote></center></body></html>",
	[FORM_CHALLENGE] =
		"<html><head><title>Just a moment...</title></head><body>"
		"<div id=challenge-form>Checking your browser before "
		"accessing the site.<script src=/cdn-cgi/challenge-platform/h/"
		"b/orchestrate/jsch/v1></script></div></body></html>",
	[FORM_BIG] = COMMON "<b>{0}</b><i>{1}</i><u>{2}</u><s>{1}</s><q>{0}"
			    "</q><em>{2}</em><code>{1}</code>" END,
	[FORM_SMALL] =
		COMMON "<a>{0}</a><sub>{1}</sub><sup>{2}</sup><var>{1}</var>"
		       "<kbd>{0}</kbd><abbr>{2}</abbr><cite>{1}</cite>" END,
	[FORM_BRIDGE] =
		COMMON "<b>{0}</b><i>{1}</i><u>{2}</u><s>{1}</s><a>{0}</a>"
		       "<sub>{1}</sub><sup>{2}</sup><var>{1}</var>" END,
};

void watched_open(struct watched *watched)
{
	*watched = (struct watched){
		.rules = {.limits = page_limits_default, .min_pages = 3},
		.options = {.measure = MEASURE_CPC,
			    .threshold = 200,
			    .max_pages = 1000,
			    .max_depth = 10,
			    .watch_ms = DAY_MS},
	};
	world_open(&watched->world, 0);
	watched->world.now_ms = 100 * DAY_MS;
}

/* A template that lives has its version and a sample, one that has ended none
 * that is asked. */
static void check_template(struct txn *txn, struct slice key,
			   const struct template_row *row)
{
	uint32_t site = key_u32(key, 0);
	uint32_t cluster = key_u32(key, sizeof(uint32_t));
	struct key prefix = key_cluster(site, cluster);
	struct scan scan =
		scan_begin(txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	bool has_sample = scan_next(&scan);
	bool is_live = row->state == TEMPLATE_LIVE;
	struct version_row version;

	scan_end(&scan);
	ck_assert_int_eq(has_sample, is_live);
	ck_assert_int_eq(row->ended_ms == 0, is_live);
	ck_assert_uint_ge(row->version, 1);
	ck_assert(version_row_get(txn, site, cluster, row->version, &version));
	ck_assert_uint_ge(version.last_ms, version.first_ms);
	ck_assert_uint_gt(version.packed.size, 0);
}

static void check_templates(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_TEMPLATES, slice_of(""));
	struct template_row row;

	while (scan_next(&scan)) {
		ck_assert(template_row_decode(scan.value, &row));
		check_template(&txn, scan.key, &row);
	}
	scan_end(&scan);
	txn_abort(&txn);
}

/* Nothing is told without evidence. */
static void check_alerts(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	struct event_row row;

	while (scan_next(&scan)) {
		json_t *detail;

		ck_assert(event_decode(scan.value, &row));
		if (!event_kind_is_alert(row.kind))
			continue;
		detail = json_loadb(row.detail.data, row.detail.size, 0, NULL);
		ck_assert_uint_gt(json_object_size(detail), 2);
		ck_assert_uint_gt(row.pages, 0);
		ck_assert_uint_gt(row.url.size, 0);
		json_decref(detail);
	}
	scan_end(&scan);
	txn_abort(&txn);
}

void watched_close(struct watched *watched)
{
	check_templates(watched);
	check_alerts(watched);
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
	watched->sections[section] =
		(struct watched_section){name, watched->page_count, count};
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

static void write_url(const struct watched *watched, unsigned section,
		      unsigned number, char url[64])
{
	snprintf(url, 64, "http://" WATCHED_HOST "/%s/%u",
		 watched->sections[section].name, number);
}

/* The words of a page: {0}, {1} and {2}. */
static void write_word(struct buffer *out, char which, const char *section,
		       unsigned number, unsigned edition)
{
	if (which == '0')
		buffer_printf(out, "%s %u", section, number);
	else if (which == '1')
		buffer_printf(out,
			      "What number %u of all %ss has to say, %u times "
			      "over",
			      number, section, (number * 7919 + edition) % 997);
	else
		buffer_printf(out, "Number %u",
			      (number * 104729 + edition * 31) % 9973);
}

static void write_page(const struct watched *watched, unsigned section,
		       unsigned number, struct buffer *out)
{
	const struct watched_section *where = &watched->sections[section];
	const struct watched_page *page =
		&watched->pages[where->first + number];

	for (const char *at = forms[page->form]; *at != '\0'; at++) {
		if (*at != '{') {
			buffer_append_byte(out, *at);
			continue;
		}
		write_word(out, at[1], where->name, number, page->edition);
		at += 2;
	}
}

/* The seed, which links to all pages. */
static void write_index(const struct watched *watched, struct buffer *out)
{
	buffer_append_text(out, "<html><body><ol>");
	for (unsigned s = 0; s < watched->section_count; s++)
		for (unsigned i = 0; i < watched->sections[s].count; i++)
			buffer_printf(out, "<li><a href=/%s/%u>It</a></li>",
				      watched->sections[s].name, i);
	buffer_append_text(out, "</ol></body></html>");
}

/* A change, with what it points to. */
struct visit {
	struct url url;
	struct url target;
	struct change change;
	struct buffer html;
	struct buffer record;
	struct buffer packed;
	char etag[32];
};

static void read_page(const struct watched *watched, struct visit *visit)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = watched->options.measure,
		.http_status = 200,
	};

	ck_assert_int_eq(analyse(buffer_slice(&visit->html), slice_of("utf-8"),
				 &visit->url, &options, &visit->record),
			 ERR_NONE);
	compress(buffer_slice(&visit->html), &visit->packed);
	visit->change.answer.page.record = buffer_slice(&visit->record);
	visit->change.answer.page.packed = buffer_slice(&visit->packed);
	visit->change.answer.page.body_bytes = (uint32_t)visit->html.size;
}

static void free_visit(struct visit *visit)
{
	buffer_free(&visit->html);
	buffer_free(&visit->record);
	buffer_free(&visit->packed);
}

/* Section and number of "/article/3"; false for others. */
static bool find_page(const struct watched *watched, const char *path,
		      unsigned *section_out, unsigned *number_out)
{
	for (unsigned s = 0; s < watched->section_count; s++) {
		size_t length = strlen(watched->sections[s].name);

		if (strncmp(path + 1, watched->sections[s].name, length) != 0 ||
		    path[1 + length] != '/')
			continue;
		*section_out = s;
		*number_out = (unsigned)strtoul(path + 2 + length, NULL, 10);
		return *number_out < watched->sections[s].count;
	}
	return false;
}

static void refuse(struct visit *visit, unsigned status, enum error error)
{
	visit->change.kind = CHANGE_FAILED;
	visit->change.answer.outcome.http_status = (uint16_t)status;
	visit->change.answer.outcome.error = error;
}

/* 200 with an ETag, or 304. */
static void bring(const struct watched *watched, const struct work *work,
		  struct visit *visit)
{
	struct change *change = &visit->change;

	snprintf(visit->etag, sizeof(visit->etag), "\"%016llx\"",
		 (unsigned long long)hash64(visit->html.data, visit->html.size,
					    0));
	change->answer.outcome.etag = slice_of(visit->etag);
	change->answer.outcome.http_status = 200;
	change->kind = CHANGE_PAGE;
	if (strcmp(visit->etag, work->lease.etag) == 0) {
		change->kind = CHANGE_FRESH;
		change->answer.outcome.http_status = 304;
		return;
	}
	read_page(watched, visit);
}

static void lead(const struct watched *watched, unsigned section,
		 unsigned number, struct visit *visit)
{
	char url[64];

	write_url(watched, section, number, url);
	ck_assert_int_eq(url_parse(&visit->target, slice_of(url), NULL),
			 ERR_NONE);
	visit->change.kind = CHANGE_REDIRECT;
	visit->change.answer.target = &visit->target;
	visit->change.answer.outcome.http_status = 301;
}

static void answer(struct watched *watched, const struct work *work,
		   struct visit *visit)
{
	struct watched_page *page;
	unsigned section;
	unsigned number;
	const char *path;

	*visit = (struct visit){0};
	watched->visits++;
	url_parse(&visit->url, slice_of(work->lease.url), NULL);
	path = visit->url.text + visit->url.path;
	visit->change.url = &visit->url;
	visit->change.answer.site = work->site;
	if (strcmp(path, "/") == 0) {
		write_index(watched, &visit->html);
		bring(watched, work, visit);
		return;
	}
	if (!find_page(watched, path, &section, &number)) {
		refuse(visit, 404, ERR_NOT_FOUND);
		return;
	}
	page = watched_page(watched, section, number);
	page->asked++;
	if (page->manner == MANNER_GONE) {
		refuse(visit, 404, ERR_NOT_FOUND);
	} else if (page->manner == MANNER_ERROR) {
		refuse(visit, 500, ERR_NETWORK);
	} else if (page->manner == MANNER_LEAD) {
		lead(watched, page->target, number, visit);
	} else {
		write_page(watched, section, number, &visit->html);
		bring(watched, work, visit);
		page->fresh += visit->change.kind == CHANGE_FRESH;
	}
}

static enum error commit(struct watched *watched, struct change *change)
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

	return commit(watched, &change);
}

void watched_ask(struct watched *watched, unsigned section, unsigned number)
{
	struct change change = {.kind = CHANGE_ASK,
				.ask.options = watched->options};
	struct url url;
	char text[64];

	write_url(watched, section, number, text);
	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	change.url = &url;
	ck_assert_int_eq(commit(watched, &change), ERR_NONE);
}

void watched_hand_in(struct watched *watched, unsigned section, unsigned from,
		     unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct visit visit = {.change = {.kind = CHANGE_INGEST}};
		char text[64];

		write_url(watched, section, i, text);
		ck_assert_int_eq(url_parse(&visit.url, slice_of(text), NULL),
				 ERR_NONE);
		write_page(watched, section, i, &visit.html);
		read_page(watched, &visit);
		visit.change.url = &visit.url;
		visit.change.answer.page.options = &watched->options;
		visit.change.answer.outcome.http_status = 200;
		watched->world.now_ms += STEP_MS;
		ck_assert_int_eq(commit(watched, &visit.change), ERR_NONE);
		free_visit(&visit);
	}
}

static uint32_t site_of(struct txn *txn)
{
	struct site_row site;

	ck_assert(site_get(txn, slice_of(WATCHED_HOST), &site));
	return site.id;
}

static void make(struct watched *watched, struct inspection *inspection)
{
	ck_assert_int_eq(inspection_make(watched->world.store, WATCHED_HOST,
					 &watched->rules, watched->world.now_ms,
					 inspection),
			 ERR_NONE);
}

/* Commit what it has found, if anything, and end it: was there anything? */
static bool take(struct watched *watched, struct inspection *inspection)
{
	bool is_news = inspection_has_findings(inspection);

	if (is_news) {
		struct change change = {
			.kind = CHANGE_TEMPLATES,
			.templates = {.site = inspection->site,
				      .findings = &inspection->findings}};

		ck_assert_int_eq(commit(watched, &change), ERR_NONE);
	}
	inspection_free(inspection);
	return is_news;
}

static bool inspect(struct watched *watched, uint64_t *next_out)
{
	struct inspection inspection;

	make(watched, &inspection);
	*next_out = inspection.next_ms;
	return take(watched, &inspection);
}

bool watched_inspect(struct watched *watched)
{
	uint64_t next_ms;

	return inspect(watched, &next_ms);
}

uint64_t watched_settle(struct watched *watched)
{
	uint64_t next_ms = 0;
	unsigned rounds = 0;

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
	struct inspection inspection;
	struct work_order order = {.max = MAX_WORK,
				   .max_per_site = MAX_WORK,
				   .lease_ms = HOUR_MS,
				   .work = work};

	ck_assert_int_eq(engine_commit(watched->world.engine, NULL, 0,
				       watched->world.now_ms, &order),
			 ERR_NONE);
	watched->world.now_ms += STEP_MS;
	for (size_t i = 0; i < order.count; i++) {
		struct visit visit;

		answer(watched, &work[i], &visit);
		ck_assert_int_eq(commit(watched, &visit.change), ERR_NONE);
		work_free(&work[i]);
		free_visit(&visit);
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
	uint64_t due_ms = frontier_next_due(&txn, site_of(&txn));

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

static uint64_t last_event(struct watched *watched)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	uint64_t number = 0;

	while (scan_next(&scan))
		number = key_u64(scan.key, 0);
	scan_end(&scan);
	txn_abort(&txn);
	return number;
}

void watched_forget(struct watched *watched)
{
	watched->since = last_event(watched);
	watched->visits = 0;
	for (unsigned i = 0; i < watched->page_count; i++) {
		watched->pages[i].asked = 0;
		watched->pages[i].fresh = 0;
	}
}

static void tell(struct watched *watched, const struct event_row *row)
{
	const char *name = row->cluster < WATCHED_CLUSTERS
				   ? watched->names[row->cluster]
				   : NULL;
	const char *other = row->other < WATCHED_CLUSTERS
				    ? watched->names[row->other]
				    : NULL;

	if (watched->told.size > 0)
		buffer_append_text(&watched->told, "; ");
	buffer_append_text(&watched->told, event_kind_name(row->kind));
	if (row->cluster != 0)
		buffer_printf(&watched->told, " %s", name == NULL ? "?" : name);
	if (row->other != 0)
		buffer_printf(&watched->told, ">%s",
			      other == NULL ? "?" : other);
}

/* Number of alerts of the kind (0: any); they are told, and the last one is
 * copied, with its evidence when somebody wants it. */
static unsigned read_alerts(struct watched *watched, uint16_t kind,
			    struct event_row *row_out, json_t **detail_out)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	unsigned count = 0;
	struct event_row row;

	buffer_clear(&watched->told);
	buffer_append_text(&watched->told, "");
	while (scan_next(&scan)) {
		if (key_u64(scan.key, 0) <= watched->since ||
		    !event_decode(scan.value, &row) ||
		    !event_kind_is_alert(row.kind))
			continue;
		tell(watched, &row);
		if (kind != 0 && row.kind != kind)
			continue;
		count++;
		ck_assert(slice_equal(row.host, slice_of(WATCHED_HOST)));
		if (detail_out != NULL) {
			json_decref(*detail_out);
			*detail_out = json_loadb(row.detail.data,
						 row.detail.size, 0, NULL);
		}
		row.host = row.url = row.detail = (struct slice){0};
		*row_out = row;
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

const char *watched_emitted(struct watched *watched)
{
	struct event_row row;

	read_alerts(watched, 0, &row, NULL);
	return watched->told.data == NULL ? "" : watched->told.data;
}

unsigned watched_count(struct watched *watched, enum event_kind kind)
{
	struct event_row row;

	return read_alerts(watched, (uint16_t)kind, &row, NULL);
}

json_t *watched_only(struct watched *watched, enum event_kind kind,
		     struct event_row *row_out)
{
	json_t *detail = NULL;
	unsigned count = read_alerts(watched, 0, row_out, &detail);

	ck_assert_msg(count == 1 && row_out->kind == kind,
		      "instead of one %s: %s", event_kind_name((uint16_t)kind),
		      watched->told.data);
	ck_assert_msg(json_is_object(detail), "no evidence");
	return detail;
}

unsigned watched_asked(const struct watched *watched, unsigned section)
{
	const struct watched_section *where = &watched->sections[section];
	unsigned count = 0;

	for (unsigned i = 0; i < where->count; i++)
		count += watched->pages[where->first + i].asked;
	return count;
}

unsigned watched_pages_asked(const struct watched *watched, unsigned section)
{
	const struct watched_section *where = &watched->sections[section];
	unsigned count = 0;

	for (unsigned i = 0; i < where->count; i++)
		count += watched->pages[where->first + i].asked > 0;
	return count;
}

static uint64_t key_of(const struct watched *watched, unsigned section,
		       unsigned number)
{
	char url[64];

	write_url(watched, section, number, url);
	return page_key_of(slice_of(url));
}

struct page_row watched_page_row(struct watched *watched, unsigned section,
				 unsigned number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct page_row row = {0};

	if (!page_row_get(&txn, site_of(&txn), key_of(watched, section, number),
			  &row))
		row = (struct page_row){0};
	txn_abort(&txn);
	row.url = row.redirect = row.charset = (struct slice){0};
	return row;
}

uint32_t watched_name(struct watched *watched, unsigned section,
		      const char *name)
{
	unsigned counts[WATCHED_CLUSTERS] = {0};
	uint32_t best = 0;

	for (unsigned i = 0; i < watched->sections[section].count; i++) {
		uint32_t cluster =
			watched_page_row(watched, section, i).cluster;

		ck_assert_uint_lt(cluster, WATCHED_CLUSTERS);
		if (cluster != 0 && ++counts[cluster] > counts[best])
			best = cluster;
	}
	watched->names[best] = name;
	return best;
}

bool watched_in_sample(struct watched *watched, uint32_t cluster,
		       unsigned section, unsigned number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct sample_page_row row;
	bool is_there =
		sample_page_row_get(&txn, site_of(&txn), cluster,
				    key_of(watched, section, number), &row);

	txn_abort(&txn);
	return is_there;
}

unsigned watched_sample(struct watched *watched, uint32_t cluster,
			unsigned section)
{
	unsigned count = 0;

	for (unsigned i = 0; i < watched->sections[section].count; i++)
		count += watched_in_sample(watched, cluster, section, i);
	return count;
}

struct template_row watched_template(struct watched *watched, uint32_t cluster)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct template_row row = {0};

	if (!template_row_get(&txn, site_of(&txn), cluster, &row))
		row = (struct template_row){0};
	buffer_clear(&watched->lineage);
	buffer_append_slice(&watched->lineage, row.lineage);
	txn_abort(&txn);
	row.lineage = buffer_slice(&watched->lineage);
	return row;
}

struct version_row watched_version(struct watched *watched, uint32_t cluster,
				   uint32_t number)
{
	struct txn txn = txn_begin_read(watched->world.store);
	struct version_row row = {0};

	if (!version_row_get(&txn, site_of(&txn), cluster, number, &row))
		row = (struct version_row){0};
	txn_abort(&txn);
	row.packed.data = NULL;
	return row;
}

bool watched_lineage_ends(struct watched *watched, uint32_t cluster,
			  const char *kind, uint32_t other)
{
	struct slice text = watched_template(watched, cluster).lineage;
	json_t *list = json_loadb(text.data, text.size, 0, NULL);
	json_t *last = json_array_get(list, json_array_size(list) - 1);
	const char *said = json_string_value(json_object_get(last, "kind"));
	const char *to = json_string_value(json_object_get(last, "other"));
	char wanted[64];
	bool is_so;

	snprintf(wanted, sizeof(wanted), WATCHED_HOST "/%u", other);
	is_so = said != NULL && strcmp(said, kind) == 0 &&
		(other == 0 ? to == NULL
			    : to != NULL && strcmp(to, wanted) == 0);
	if (!is_so)
		fprintf(stderr, "lineage of %u: %.*s\n", cluster,
			(int)text.size, (const char *)text.data);
	json_decref(list);
	return is_so;
}

uint64_t watched_rows(struct watched *watched, enum table table)
{
	struct txn txn = txn_begin_read(watched->world.store);
	uint64_t rows = txn_usage(&txn, table).rows;

	txn_abort(&txn);
	return rows;
}
