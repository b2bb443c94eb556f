#include "daemon/web/site_report.h"

#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "cluster/signature.h"
#include "daemon/engine/incident.h"
#include "daemon/query/event.h"
#include "daemon/query/stored_site.h"
#include "page/markup.h"
#include "page/page.h"
#include "store/key.h"
#include "store/txn.h"
#include "template/version.h"
#include "template/template_name.h"

/* Read the data of a report. */

enum {
	MAX_VERSION_BYTES = 16 << 20, /* uncompressed */
	CLUSTER_OFFSET = 4,           /* offset of the cluster in a key */
	VERSION_OFFSET = 8,           /* offset of the version in a key */
	PAGE_OFFSET = 8, /* offset of the page in a key of TABLE_MEMBERS */
	TEMPLATES = REPORT_CLUSTERS + REPORT_PAST,
};

static struct slice report_facts_copy_text(struct arena *arena,
					   struct slice text)
{
	if (text.size == 0)
		return (struct slice){NULL, 0};
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

static void keep_site(struct arena *arena, struct site_row *site)
{
	site->host = report_facts_copy_text(arena, site->host);
	site->seed = report_facts_copy_text(arena, site->seed);
	/* headers may contain secrets */
	site->options.headers = (struct slice){NULL, 0};
	site->options.proxy = (struct slice){NULL, 0};
	site->options.include = (struct slice){NULL, 0};
	site->options.exclude = (struct slice){NULL, 0};
	site->options.render_wait = (struct slice){NULL, 0};
	site->options.render_click = (struct slice){NULL, 0};
	site->missing = (struct slice){NULL, 0};
}

static bool is_larger(const struct report_template *a,
		      const struct report_template *b)
{
	if (a->cluster.page_count != b->cluster.page_count)
		return a->cluster.page_count > b->cluster.page_count;
	return a->number < b->number;
}

static bool ended_later(const struct report_template *a,
			const struct report_template *b)
{
	if (a->row.ended_ms != b->row.ended_ms)
		return a->row.ended_ms > b->row.ended_ms;
	return a->number > b->number;
}

/* The first `max` templates in the order of `precedes`. */
struct first {
	struct report_template *templates; /* [max] */
	uint32_t count;
	uint32_t max;
	bool (*precedes)(const struct report_template *a,
			 const struct report_template *b);
};

static void report_facts_insert_template(struct first *first,
					 const struct report_template *template)
{
	uint32_t at = first->count;

	if (at == first->max) {
		if (!first->precedes(template, &first->templates[at - 1]))
			return;
		at--;
	} else {
		first->count++;
	}
	for (; at > 0 && first->precedes(template, &first->templates[at - 1]);
	     at--)
		first->templates[at] = first->templates[at - 1];
	first->templates[at] = *template;
}

static void report_facts_read_clusters(struct report_facts *facts,
				       struct txn *txn)
{
	struct first first = {.templates = facts->templates,
			      .max = REPORT_CLUSTERS,
			      .precedes = is_larger};
	struct key prefix = key_site(facts->site.id);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct report_template template = {
			.number = key_u32(scan.key, CLUSTER_OFFSET),
			.is_there = true,
		};

		if (!cluster_row_decode(scan.value, &template.cluster))
			continue;
		facts->cluster_count++;
		facts->clustered_pages += template.cluster.page_count;
		facts->learned_count += template.cluster.page_count >=
					facts->source->min_cluster_pages;
		report_facts_insert_template(&first, &template);
	}
	scan_end(&scan);
	while (first.count > REPORT_SMALL &&
	       first.templates[first.count - 1].cluster.page_count <
		       facts->source->min_cluster_pages)
		first.count--;
	facts->template_count = first.count;
}

/*
 * Read ended templates, that is, templates whose cluster no longer exists. The
 * rows of templates are kept longer than their clusters.
 */
static void read_past(struct report_facts *facts, struct txn *txn)
{
	struct first first = {.templates =
				      facts->templates + facts->template_count,
			      .max = REPORT_PAST,
			      .precedes = ended_later};
	struct key prefix = key_site(facts->site.id);
	struct scan scan = scan_begin(txn, TABLE_TEMPLATES, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct report_template template = {
			.number = key_u32(scan.key, CLUSTER_OFFSET)};
		struct cluster_row row;

		if (!template_row_decode(scan.value, &template.row) ||
		    cluster_row_get(txn, facts->site.id, template.number, &row))
			continue;
		facts->past_count++;
		report_facts_insert_template(&first, &template);
	}
	scan_end(&scan);
	facts->template_count += first.count;
}

static void read_versions(struct report_facts *facts, struct txn *txn,
			  struct report_template *template)
{
	struct key prefix = key_cluster(facts->site.id, template->number);
	struct scan scan = scan_begin(txn, TABLE_VERSIONS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct report_version *versions = template->versions;
		struct version_row row;

		if (!version_row_decode(scan.value, &row))
			continue;
		template->version_total++;
		if (template->version_count == REPORT_VERSIONS)
			memmove(versions, versions + 1,
				--template->version_count * sizeof(*versions));
		versions[template->version_count++] = (struct report_version){
			.number = key_u32(scan.key, VERSION_OFFSET),
			.first_ms = row.first_ms,
			.last_ms = row.last_ms,
			.page_count = row.page_count,
		};
	}
	scan_end(&scan);
}

static void report_facts_read_samples(struct report_facts *facts,
				      struct txn *txn,
				      struct report_template *template)
{
	struct key prefix = key_cluster(facts->site.id, template->number);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));

	while (template->sample_count < REPORT_SAMPLES && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, PAGE_OFFSET);
		struct page_row row;

		if (!page_row_get(txn, facts->site.id, page, &row))
			continue;
		if (row.fetched_ms > template->fetched_ms)
			template->fetched_ms = row.fetched_ms;
		template->samples[template->sample_count++] =
			(struct report_sample){
				.url = report_facts_copy_text(facts->arena,
							      row.url),
				.title =
					stored_page_title(facts->arena, txn,
							  facts->site.id, page),
			};
	}
	scan_end(&scan);
}

/* Return the name of a template, in the arena; "" if it has none. */
static const char *report_facts_read_name(struct report_facts *facts,
					  struct txn *txn, uint32_t number)
{
	struct name_row row;

	return name_row_get(txn, facts->site.id, number, &row)
		       ? arena_copy(facts->arena, row.name.data, row.name.size)
		       : "";
}

/* Remove from the titles what the titles of the site have in common. */
static void report_facts_shorten_titles(struct report_facts *facts)
{
	struct framed_title *titles =
		ARENA_NEW(facts->arena, struct framed_title,
			  (size_t)TEMPLATES * REPORT_SAMPLES);
	struct title_frame frame;
	size_t count = 0;

	for (uint32_t i = 0; i < facts->template_count; i++)
		for (uint32_t k = 0; k < facts->templates[i].sample_count; k++)
			titles[count++] = (struct framed_title){
				facts->templates[i].samples[k].title, i};
	frame = title_frame_find(titles, count);
	for (uint32_t i = 0; i < facts->template_count; i++)
		for (uint32_t k = 0; k < facts->templates[i].sample_count; k++)
			facts->templates[i].samples[k].title = title_frame_cut(
				&frame, facts->templates[i].samples[k].title);
}

static void report_facts_read_templates(struct report_facts *facts,
					struct txn *txn)
{
	facts->templates =
		ARENA_NEW(facts->arena, struct report_template, TEMPLATES);
	report_facts_read_clusters(facts, txn);
	read_past(facts, txn);
	for (uint32_t i = 0; i < facts->template_count; i++) {
		struct report_template *template = &facts->templates[i];

		template->is_known = template_row_get(
			txn, facts->site.id, template->number, &template->row);
		if (template->is_known)
			template->row.lineage = report_facts_copy_text(
				facts->arena, template->row.lineage);
		template->name =
			report_facts_read_name(facts, txn, template->number);
		read_versions(facts, txn, template);
		report_facts_read_samples(facts, txn, template);
	}
	report_facts_shorten_titles(facts);
}

/*
 * Find the newest findings about the site, and write their numbers to the ring
 * `numbers`.
 */
static void report_facts_find_events(struct report_facts *facts,
				     struct txn *txn,
				     uint64_t numbers[REPORT_EVENTS])
{
	struct scan scan =
		scan_begin(txn, TABLE_EVENTS, (struct slice){NULL, 0});

	while (scan_next(&scan)) {
		struct event_row row;

		if (!event_decode(scan.value, &row) ||
		    finding_kind_of(row.kind) == NULL ||
		    !slice_equal(row.host, facts->site.host))
			continue;
		numbers[facts->event_total++ % REPORT_EVENTS] =
			key_u64(scan.key, 0);
	}
	scan_end(&scan);
}

static void read_events(struct report_facts *facts, struct txn *txn)
{
	uint64_t numbers[REPORT_EVENTS] = {0};
	uint64_t first;

	report_facts_find_events(facts, txn, numbers);
	facts->events =
		ARENA_NEW(facts->arena, struct report_event, REPORT_EVENTS);
	first = facts->event_total < REPORT_EVENTS
			? 0
			: facts->event_total - REPORT_EVENTS;
	for (uint64_t i = first; i < facts->event_total; i++) {
		struct report_event *event = &facts->events[facts->event_count];

		event->number = numbers[i % REPORT_EVENTS];
		if (!event_get(txn, event->number, &event->row))
			continue;
		event->row.host = facts->site.host;
		event->row.url =
			report_facts_copy_text(facts->arena, event->row.url);
		event->row.detail =
			report_facts_copy_text(facts->arena, event->row.detail);
		facts->event_count++;
	}
}

/* Read the data of a report. ERR_NOT_FOUND, or an error of the transaction. */
static enum error report_facts_read(const struct site_report_source *source,
				    const char *host, struct arena *arena,
				    struct report_facts *facts_out)
{
	struct txn txn = txn_begin_read(source->store);

	*facts_out = (struct report_facts){.source = source, .arena = arena};
	if (site_get(&txn, slice_of(host), &facts_out->site)) {
		keep_site(arena, &facts_out->site);
		report_facts_read_templates(facts_out, &txn);
		read_events(facts_out, &txn);
	} else {
		txn_fail(&txn, ERR_NOT_FOUND);
	}
	return txn_end(&txn);
}

enum error report_facts_read_one(const struct site_report_source *source,
				 const char *host, uint32_t number,
				 struct report_facts *facts_out)
{
	struct txn txn = txn_begin_read(source->store);
	struct report_template *template =
		ARENA_NEW(facts_out->arena, struct report_template, 1);

	template->number = number;
	facts_out->source = source;
	facts_out->templates = template;
	facts_out->template_count = 1;
	if (site_get(&txn, slice_of(host), &facts_out->site) &&
	    cluster_row_get(&txn, facts_out->site.id, number,
			    &template->cluster)) {
		keep_site(facts_out->arena, &facts_out->site);
		template->is_there = true;
		template->name =
			report_facts_read_name(facts_out, &txn, number);
		read_versions(facts_out, &txn, template);
	} else {
		txn_fail(&txn, ERR_NOT_FOUND);
	}
	return txn_end(&txn);
}

const struct report_template *report_find(const struct report_facts *facts,
					  uint32_t number)
{
	for (uint32_t i = 0; i < facts->template_count; i++)
		if (facts->templates[i].number == number)
			return &facts->templates[i];
	return NULL;
}

struct version *report_version(const struct report_facts *facts,
			       uint32_t cluster, uint32_t version)
{
	struct txn txn = txn_begin_read(facts->source->store);
	struct version *found = NULL;
	struct buffer json = {0};
	struct version_row row;

	if (version_row_get(&txn, facts->site.id, cluster, version, &row) &&
	    decompress_slice(row.packed, MAX_VERSION_BYTES, &json) ==
		    ERR_NONE &&
	    version_decode(facts->arena, buffer_slice(&json), &found) !=
		    ERR_NONE)
		found = NULL;
	txn_abort(&txn);
	buffer_free(&json);
	return found;
}

static bool has_tree(const struct report_facts *facts, uint32_t number)
{
	const struct report_template *template = report_find(facts, number);

	return template != NULL && template->is_there &&
	       template - facts->templates < REPORT_TREES &&
	       template->cluster.page_count >= facts->source->min_cluster_pages;
}

const char *report_template(const struct report_facts *facts, uint32_t number)
{
	const struct report_template *template = report_find(facts, number);
	bool is_link = has_tree(facts, number);
	struct buffer link = {0};
	const char *text;

	html_write(&link, NULL, "{?}<a href=\"#t{number}\">{.}", is_link,
		   (uint64_t)number);
	html_append_name(&link, template == NULL ? "" : template->name);
	html_write(&link, NULL, "<code>{slice}/{number}</code>{?}</a>{.}",
		   facts->site.host, (uint64_t)number, is_link);
	text = arena_copy(facts->arena, link.data, link.size + 1);
	buffer_free(&link);
	return text;
}

/* Append the summary at the top of the page. */
static void append_lede(const struct report_facts *facts, struct buffer *out)
{
	const struct report_template *first = facts->templates;
	const struct event_row *last;

	if (facts->cluster_count == 0) {
		buffer_append_text(
			out, "<p class=\"lede\">It has no pages yet.</p>\n");
		return;
	}
	html_write(
		out, NULL,
		"<p class=\"lede\">{count page} in {count cluster}; {count} of "
		"these {html}, having {number} pages or more. The largest, "
		"{html}, makes {ratio} of the pages. ",
		facts->clustered_pages, (uint64_t)facts->cluster_count,
		(uint64_t)facts->learned_count,
		facts->learned_count == 1 ? "is a template" : "are templates",
		(uint64_t)facts->source->min_cluster_pages,
		report_template(facts, first->number),
		(double)first->cluster.page_count /
			(double)facts->clustered_pages);
	if (facts->event_total == 0) {
		buffer_append_text(out, "There are no alerts yet.</p>\n");
		return;
	}
	last = &facts->events[facts->event_count - 1].row;
	html_write(out, NULL, "Last alert: {html}, {ms}.</p>\n",
		   report_event_text(last->kind), last->time_ms);
}

static void report_head(const struct report_facts *facts, struct buffer *out)
{
	const struct site_row *site = &facts->site;
	const uint32_t flags = site->options.flags;

	markup_begin_document(out, "; img-src data:");
	html_write(out, NULL,
		   "<meta name=\"referrer\" content=\"no-referrer\">\n"
		   "<title>Templates of {slice}</title>\n<style>\n{html}"
		   "</style>\n</head>\n<body>\n<header>\n<p class=\"kicker\">"
		   "Templates of a site</p>\n<h1>{slice}</h1>\n",
		   site->host, ui_report, site->host);
	append_lede(facts, out);
	html_write(
		out, NULL,
		"{?}<p><span class=\"badge bad\">stale</span> It has returned "
		"no page for a long time.</p>\n{.}{?}<p><span class=\"badge "
		"bad\">blocked</span> It returns only errors and challenges."
		"</p>\n{.}<dl "
		"class=\"figures\">\n<div><dt>Pages</dt><dd>{count}"
		"<small>{count} in clusters</small></dd></div>\n<div><dt>"
		"Templates</dt><dd>{count}<small>of {count "
		"cluster}</small></dd>"
		"</div>\n<div><dt>Threshold</dt><dd>{3f}<small>{html}, measure "
		"{html}</small></dd></div>\n",
		(flags & SITE_IS_STALE) != 0, (flags & SITE_IS_BLOCKED) != 0,
		(uint64_t)site->page_count, facts->clustered_pages,
		(uint64_t)facts->learned_count, (uint64_t)facts->cluster_count,
		site->options.threshold / 1000.0,
		(flags & SITE_IS_AUTO) != 0 ? "chosen from the pages"
					    : "set by hand",
		measure_name(site->options.measure % MEASURE_COUNT));
	html_write(
		out, NULL,
		"<div><dt>Alerts</dt><dd>{count}<small>state of change "
		"{number}</small></dd></div>\n</dl>\n<p class=\"soft small\">"
		"As of {ms} UTC; all times are UTC. Watched since {ms}, from "
		"{link}.</p>\n<nav aria-label=\"Sections\"><ul>"
		"<li><a href=\"#clusters\">Clusters</a></li>"
		"<li><a href=\"#thresholds\">Distances</a></li>"
		"<li><a href=\"#templates\">Templates</a></li>"
		"<li><a href=\"#timeline\">Timeline</a></li>"
		"<li><a href=\"#changes\">Changes</a></li></ul></nav>\n"
		"</header>\n<main>\n",
		facts->event_total, (uint64_t)site->generation,
		facts->source->now_ms, site->added_ms, site->seed);
}

enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct report_facts facts;
	enum error error = report_facts_read(source, host, arena, &facts);

	if (error == ERR_NONE) {
		report_head(&facts, out);
		report_clusters(&facts, out);
		error = report_thresholds_section(&facts, out);
	}
	if (error == ERR_NONE) {
		report_trees(&facts, out);
		report_timeline(&facts, out);
		report_changes(&facts, out);
		buffer_append_text(
			out,
			"</main>\n<footer><p>Written by templated. "
			"Self-contained.</p></footer>\n</body>\n</html>\n");
	}
	arena_destroy(arena);
	return error;
}
