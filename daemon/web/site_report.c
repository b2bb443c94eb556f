#include "daemon/web/site_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/compress.h"
#include "cluster/signature.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/query/event.h"
#include "daemon/query/stored_site.h"
#include "page/markup.h"
#include "page/page.h"
#include "store/key.h"
#include "store/txn.h"
#include "template/version.h"

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
	site->options.headers =
		(struct slice){NULL, 0}; /* they may be secret */
	site->options.proxy = (struct slice){NULL, 0};
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

/* The first templates by an order. */
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

/* Read ended templates: their rows exist longer than their clusters. */
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
		read_versions(facts, txn, template);
		report_facts_read_samples(facts, txn, template);
	}
}

/* Find the numbers of the newest alerts of the site, in a ring. */
static void report_facts_find_events(struct report_facts *facts,
				     struct txn *txn,
				     uint64_t numbers[REPORT_EVENTS])
{
	struct scan scan =
		scan_begin(txn, TABLE_EVENTS, (struct slice){NULL, 0});

	while (scan_next(&scan)) {
		struct event_row row;

		if (!event_decode(scan.value, &row) ||
		    !event_kind_is_alert(row.kind) ||
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

/* Read the data of a report. ERR_NOT_FOUND, and errors of the transaction. */
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

static bool url_has_scheme(struct slice text, const char *with)
{
	size_t size = strlen(with);

	return text.size > size && strncasecmp(text.data, with, size) == 0;
}

/* Append the address escaped for an attribute; false if it cannot be a link. */
static bool append_address(struct buffer *out, struct slice url)
{
	struct buffer address = {0};
	bool is_safe = (url_has_scheme(url, "http://") ||
			url_has_scheme(url, "https://")) &&
		       url.size <= MAX_LINK &&
		       markup_append_address(&address, url);

	if (is_safe)
		escape_append(out, buffer_slice(&address));
	buffer_free(&address);
	return is_safe;
}

static void show_address(struct buffer *out, struct slice url)
{
	struct buffer plain = {0};

	report_address(url, &plain);
	html_append_text(out, buffer_slice(&plain), SHOWN_URL);
	buffer_free(&plain);
}

void html_append_link(struct buffer *out, struct slice url, struct slice text)
{
	struct buffer address = {0};
	bool is_link = append_address(&address, url);

	if (is_link) {
		buffer_append_text(out, "<a rel=\"noreferrer nofollow\" "
					"href=\"");
		buffer_append_slice(out, buffer_slice(&address));
		buffer_append_text(out, "\">");
	}
	if (text.size > 0)
		html_append_text(out, text, SHOWN_TITLE);
	else
		show_address(out, url);
	if (is_link)
		buffer_append_text(out, "</a>");
	buffer_free(&address);
}

void html_append_ratio(struct buffer *out, double ratio)
{
	double percent = isfinite(ratio) ? 100 * ratio : 0;
	bool is_small = percent > 0 && percent < 9.95;

	buffer_printf(out, "%.*f&nbsp;%%", is_small ? 1 : 0, percent);
}

static bool has_tree(const struct report_facts *facts, uint32_t number)
{
	const struct report_template *template = report_find(facts, number);

	return template != NULL && template->is_there &&
	       template - facts->templates < REPORT_TREES &&
	       template->cluster.page_count >= facts->source->min_cluster_pages;
}

void html_append_template(struct buffer *out, const struct report_facts *facts,
			  uint32_t number)
{
	bool is_link = has_tree(facts, number);

	if (is_link)
		buffer_printf(out, "<a href=\"#t%" PRIu32 "\">", number);
	buffer_append_text(out, "<code>");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_printf(out, "/%" PRIu32 "</code>%s", number,
		      is_link ? "</a>" : "");
}

/*
 * The style sheet of a report. Colours are defined once for light and dark:
 * blue = template, orange = content, red = removed, green = added. Colour is
 * never the only distinction.
 */

const char report_style[] =
	":root{color-scheme:light dark;--bg:#faf9f6;--card:#fff;--ink:#1f2328;"
	"--soft:#5b6370;--line:#e1ded7;--link:#1f5fa8;--tpl:#4a78ad;"
	"--con:#e08a3c;--con-bg:#fdf1e4;--gone:#b3372f;--gone-bg:#fbebe9;"
	"--come:#26734d;--come-bg:#e8f4ed;--mark:#c9571a;--faint:#eeece6}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1e2124;"
	"--ink:#e2e4e7;--soft:#a2aab5;--line:#343a41;--link:#84b6f0;"
	"--tpl:#6f9dd1;--con:#e9984f;--con-bg:#33271b;--gone:#f08a80;"
	"--gone-bg:#3a2222;--come:#7cc79d;--come-bg:#1d3327;--mark:#f08a4b;"
	"--faint:#292d32}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--bg);color:var(--ink);"
	"font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",sans-serif;"
	"overflow-wrap:anywhere}\n"
	"body>*{max-width:72rem;margin:0 auto;padding:0 1.25rem}\n"
	"a{color:var(--link);text-decoration-thickness:1px;"
	"text-underline-offset:.15em}\n"
	"h1{font-size:clamp(1.7rem,5vw,2.6rem);line-height:1.15;margin:0;"
	"letter-spacing:-.02em}\n"
	"h2{font-size:1.45rem;line-height:1.25;margin:0 0 .25rem;"
	"letter-spacing:-.01em}\n"
	"h3{font-size:1.1rem;line-height:1.35;margin:0}\n"
	"h4{font-size:.95rem;margin:1rem 0 .25rem}\n"
	"p{margin:.35rem 0 .8rem;max-width:46rem}\n"
	"code{font:.88em ui-monospace,\"SF Mono\",Menlo,monospace}\n"
	".soft,figcaption,caption{color:var(--soft)}.small{font-size:.87rem}\n"
	".num{text-align:right;font-variant-numeric:tabular-nums}\n"
	"header{padding-top:2.5rem!important}\n"
	".kicker{color:var(--mark);font-weight:600;font-size:.85rem;"
	"letter-spacing:.06em;text-transform:uppercase;margin:0 0 .3rem}\n"
	".lede{font-size:1.13rem}\n"
	".figures{display:grid;grid-template-columns:"
	"repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1.3rem 0}\n"
	".figures>div{background:var(--card);border:1px solid var(--line);"
	"border-radius:.6rem;padding:.7rem .9rem}\n"
	".figures dt{color:var(--soft);font-size:.85rem}\n"
	".figures dd{margin:0;font-size:1.55rem;line-height:1.25;"
	"font-variant-numeric:tabular-nums}\n"
	".figures small{display:block;font-size:.8rem;color:var(--soft);"
	"line-height:1.35}\n"
	"nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;"
	"padding:0;margin:0}\n"
	"section{margin:2.6rem 0;padding-top:1.4rem;"
	"border-top:1px solid var(--line)}\n"
	"article,figure{background:var(--card);border:1px solid var(--line);"
	"border-radius:.6rem;padding:1rem 1.1rem;margin:1rem 0}\n"
	"figcaption{font-size:.87rem;margin-bottom:.6rem;max-width:46rem}\n"
	"figure>svg{display:block;width:100%}\n"
	"figure .lv{height:auto}figure .narrow{display:none}\n"
	"figure>svg:not(.lv){font-size:13px}\n"
	".chart text{fill:var(--ink);paint-order:stroke;stroke:var(--card);"
	"stroke-width:3px;stroke-linejoin:round}\n"
	"svg .s-soft{fill:var(--soft)!important}svg .s-line{stroke:var(--line)}"
	"\n"
	"svg .s-track{fill:var(--faint)}svg .s-bar{fill:var(--tpl)}\n"
	"svg .s-off{fill:var(--soft);fill-opacity:.45}\n"
	"svg .s-version{fill:var(--card);stroke:var(--tpl);stroke-width:2}\n"
	"svg .s-gone{fill:var(--gone)}svg .s-come{fill:var(--come)}"
	"svg .s-mark{fill:var(--mark)}\n"
	"table{border-collapse:collapse;width:100%;font-size:.92rem;"
	"background:var(--card);border:1px solid var(--line);margin:1rem 0}\n"
	"caption{text-align:left;font-size:.87rem;padding:0 0 .4rem}\n"
	"th,td{padding:.45rem .7rem;vertical-align:top;text-align:left;"
	"border-top:1px solid var(--line)}\n"
	"th{font-size:.8rem;color:var(--soft);font-weight:600;"
	"white-space:nowrap}\n"
	"th.num,td.num{text-align:right;white-space:nowrap}\n"
	"td:first-child{min-width:8.5rem}\n"
	"td time{white-space:nowrap}\n"
	"td ul{margin:0;padding:0;list-style:none}\n"
	".badge{display:inline-block;border-radius:1rem;padding:0 .6em;"
	"font-size:.8rem;line-height:1.5;border:1px solid currentColor;"
	"white-space:nowrap}\n"
	".badge.on{color:var(--come)}.badge.off{color:var(--soft)}"
	".badge.bad{color:var(--gone)}.badge.con{color:var(--con);"
	"background:var(--con-bg)}\n"
	/* trees */
	".tree,.tree ul{list-style:none;margin:0;padding:0}\n"
	".tree ul{padding-left:.55rem;margin-left:.35rem;"
	"border-left:1px solid var(--line)}\n"
	/* deeper than twelve levels there is no space for indentation */
	".tree ul ul ul ul ul ul ul ul ul ul ul ul{padding-left:0;"
	"margin-left:.1rem}\n"
	".tree summary{cursor:pointer;list-style-position:outside}\n"
	".tree details>summary{margin-left:.9rem}.tree .leaf{margin-left:.9rem}"
	"\n"
	".tree .row{display:inline-flex;gap:.55rem;max-width:100%;"
	"vertical-align:top;font-size:.9rem;line-height:1.6}\n"
	".tree .row>*{min-width:0}.tree code{margin-right:.2rem}\n"
	".heat{display:inline-block;width:3.4rem;height:.6rem;"
	"border-radius:.15rem;background:linear-gradient(90deg,var(--tpl) "
	"var(--t),var(--con) var(--t));margin-top:.42rem;flex:none}\n"
	".heat.none{background:none;box-shadow:inset 0 0 0 1px var(--line)}\n"
	".tree q{color:var(--soft);quotes:\"\\201c\" \"\\201d\";"
	"font-size:.85rem}\n"
	".tree .of{color:var(--soft);font-size:.8rem;"
	"font-variant-numeric:tabular-nums}\n"
	".tree .rare{opacity:.66}.tree .more{color:var(--soft);"
	"font-size:.82rem;margin-left:.9rem}\n"
	".tree .region>details>summary .row,.tree .region>.leaf .row"
	"{background:var(--con-bg);outline:2px solid var(--con);"
	"outline-offset:1px;border-radius:.2rem;padding:0 .3rem}\n"
	".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;"
	"font-size:.85rem;color:var(--soft);padding:0;margin:.6rem 0;"
	"list-style:none}\n"
	".legend li{display:flex;align-items:center;gap:.45rem}\n"
	".scale{display:inline-block;width:7rem;height:.6rem;"
	"border-radius:.15rem;background:linear-gradient(90deg,var(--con),"
	"var(--con) 50%,var(--tpl) 50%)}\n"
	/* changes */
	".sides{display:grid;grid-template-columns:1fr 1fr;gap:1.2rem;"
	"margin-top:.8rem}\n"
	".sides>div{min-width:0;border-top:3px solid var(--line);"
	"padding-top:.5rem}\n"
	".sides>.before{border-color:var(--gone)}"
	".sides>.after{border-color:var(--come)}\n"
	".sides ul.texts{padding-left:1.1rem;margin:.2rem 0;font-size:.9rem}\n"
	"del,ins{text-decoration:none;border-radius:.2rem;padding:0 .25rem}\n"
	"del{background:var(--gone-bg);color:var(--gone)}"
	"ins{background:var(--come-bg);color:var(--come)}\n"
	".tree del::before{content:\"\\2212\\a0\"}"
	".tree ins::before{content:\"+\\a0\"}\n"
	"footer{padding-bottom:3rem!important;color:var(--soft);"
	"font-size:.85rem}\n"
	"@media(max-width:44rem){\n"
	"body{font-size:15px}body>*{padding:0 .9rem}\n"
	"article,figure{padding:.8rem .75rem}\n"
	"figure .wide{display:none}figure .narrow{display:block}\n"
	".sides{grid-template-columns:1fr}"
	".figures{grid-template-columns:1fr 1fr}\n"
	".tree ul{padding-left:.3rem;margin-left:.2rem}"
	".heat{width:2.2rem}\n"
	"table,thead,tbody,tr,td,caption{display:block}\n"
	"thead{position:absolute;left:0;width:1px;height:1px;overflow:hidden;"
	"clip-path:inset(50%)}\n"
	"tr{border-top:1px solid var(--line);padding:.5rem .7rem}\n"
	"td,td.num{border:0;padding:.1rem 0;text-align:left;display:grid;"
	"grid-template-columns:6.5rem 1fr;gap:.5rem}\n"
	"td::before{content:attr(data-head);color:var(--soft);"
	"font-size:.8rem;line-height:1.8}\n"
	"td>*{min-width:0;justify-self:start}\n"
	"table{border:0;background:none}\n"
	"tbody{background:var(--card);border:1px solid var(--line);"
	"border-radius:.6rem}tbody tr:first-child{border-top:0}\n"
	"}\n"
	"@media print{\n"
	":root{--bg:#fff}body{font-size:10.5pt}nav{display:none}\n"
	"article,figure,tr,.tree li{break-inside:avoid}"
	"article{break-inside:auto}\n"
	"h2,h3{break-after:avoid}\n"
	"details::details-content{content-visibility:visible;height:auto}\n"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
	"}\n";

static void append_begin(const struct report_facts *facts, struct buffer *out)
{
	markup_begin_document(out, "; img-src data:");
	buffer_append_text(out,
			   "<meta name=\"referrer\" content=\"no-referrer\">\n"
			   "<title>Templates of ");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		      report_style);
}

static void site_report_figures(const struct report_facts *facts,
				struct buffer *out)
{
	const struct site_row *site = &facts->site;
	const char *measure =
		measure_name(site->options.measure % MEASURE_COUNT);

	buffer_append_text(out, "<dl class=\"figures\">\n");
	html_begin_figure(out, "Pages", site->page_count);
	buffer_append_text(out, "<small>");
	html_append_count(out, facts->clustered_pages);
	buffer_append_text(out, " in clusters</small></dd></div>\n");
	html_begin_figure(out, "Templates", facts->learned_count);
	buffer_append_text(out, "<small>of ");
	html_append_counted(out, facts->cluster_count, "cluster");
	buffer_append_text(out, "</small></dd></div>\n");
	buffer_printf(out,
		      "<div><dt>Threshold</dt><dd>%.3f<small>%s, measure %s"
		      "</small></dd></div>\n",
		      site->options.threshold / 1000.0,
		      (site->options.flags & SITE_IS_AUTO) != 0
			      ? "chosen from the pages"
			      : "set by hand",
		      measure);
	html_begin_figure(out, "Alerts", facts->event_total);
	buffer_printf(out,
		      "<small>state of change %" PRIu64
		      "</small></dd></div>\n</dl>\n",
		      site->generation);
}

/* Append the summary at the top. */
static void append_lede(const struct report_facts *facts, struct buffer *out)
{
	const struct report_template *first = facts->templates;

	buffer_append_text(out, "<p class=\"lede\">");
	if (facts->cluster_count == 0) {
		buffer_append_text(out, "It has no pages yet.</p>\n");
		return;
	}
	html_append_counted(out, facts->clustered_pages, "page");
	buffer_append_text(out, " in ");
	html_append_counted(out, facts->cluster_count, "cluster");
	buffer_append_text(out, "; ");
	html_append_count(out, facts->learned_count);
	buffer_printf(
		out,
		" of these %s, having %" PRIu32 " pages or more. The largest, ",
		facts->learned_count == 1 ? "is a template" : "are templates",
		facts->source->min_cluster_pages);
	html_append_template(out, facts, first->number);
	buffer_append_text(out, ", makes ");
	html_append_ratio(out, (double)first->cluster.page_count /
				       (double)facts->clustered_pages);
	buffer_append_text(out, " of the pages. ");
	if (facts->event_total == 0) {
		buffer_append_text(out, "There are no alerts yet.</p>\n");
		return;
	}
	buffer_append_text(out, "Last alert: ");
	buffer_append_text(
		out, report_event_text(
			     facts->events[facts->event_count - 1].row.kind));
	buffer_append_text(out, ", ");
	html_append_time(out,
			 facts->events[facts->event_count - 1].row.time_ms);
	buffer_append_text(out, ".</p>\n");
}

static void report_head(const struct report_facts *facts, struct buffer *out)
{
	const uint32_t flags = facts->site.options.flags;

	append_begin(facts, out);
	buffer_append_text(out, "<header>\n<p class=\"kicker\">Templates of a "
				"site</p>\n<h1>");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_append_text(out, "</h1>\n");
	append_lede(facts, out);
	if ((flags & SITE_IS_STALE) != 0)
		buffer_append_text(
			out, "<p><span class=\"badge bad\">stale</span> It has "
			     "returned no page for a long time.</p>\n");
	if ((flags & SITE_IS_BLOCKED) != 0)
		buffer_append_text(
			out, "<p><span class=\"badge bad\">blocked</span> It "
			     "returns only errors and challenges.</p>\n");
	site_report_figures(facts, out);
	buffer_append_text(out, "<p class=\"soft small\">As of ");
	html_append_time(out, facts->source->now_ms);
	buffer_append_text(out, " UTC; all times are UTC. Watched since ");
	html_append_time(out, facts->site.added_ms);
	buffer_append_text(out, ", from ");
	html_append_link(out, facts->site.seed, (struct slice){NULL, 0});
	buffer_append_text(
		out, ".</p>\n<nav aria-label=\"Sections\"><ul>"
		     "<li><a href=\"#clusters\">Clusters</a></li>"
		     "<li><a href=\"#thresholds\">Distances</a></li>"
		     "<li><a href=\"#templates\">Templates</a></li>"
		     "<li><a href=\"#timeline\">Timeline</a></li>"
		     "<li><a href=\"#changes\">Changes</a></li></ul></nav>\n"
		     "</header>\n<main>\n");
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
