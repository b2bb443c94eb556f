#include "extract/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/trace.h"
#include "extract/explain/plot.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "extract/text/word.h"
#include "page/markup.h"
#include "page/page.h"

/*
 * The data for writing the texts of a page as HTML in the page's structure.
 * Each text is in a span with its score, its verdict and the reason.
 */

/* The number of quantiles of the score. Each has a CSS class, s0 to s7. */
enum { EXPLAIN_QUANTILES = 8 };

/* How the explanation shows a text. */
enum standing {
	STANDING_KEPT,
	STANDING_DROPPED,
	STANDING_HIDDEN, /* readers of the page do not see the text */
	STANDING_COUNT
};

struct text_explainer {
	struct html_writer html; /* must be the first member, because html_*()
				    get the same pointer */
	const struct page *page;
	const struct verdict *verdicts;
	const struct trace *trace;
	const struct template_counts *counts;
	const bool *is_visible;   /* [page->text_count] */
	const uint8_t *quantiles; /* [page->text_count] */
};

static enum standing standing_of(bool is_visible, struct verdict verdict)
{
	if (verdict.is_content)
		return STANDING_KEPT;
	return is_visible ? STANDING_DROPPED : STANDING_HIDDEN;
}

/*
 * Write a text in a span whose title attribute is, for example, "kept, score
 * 0.82; on 1 of 40 pages; ratio 0.82, over 0.8". The page's title and texts
 * that readers do not see are shown as STANDING_HIDDEN.
 */
static void write_explained_text(void *context, uint32_t index,
				 struct slice text)
{
	struct text_explainer *explaining = context;
	struct buffer *out = explaining->html.out;
	const struct template_counts *counts = explaining->counts;
	const struct verdict verdict = explaining->verdicts[index];
	const enum standing standing =
		standing_of(explaining->is_visible[index], verdict);
	const uint32_t flags = explaining->page->texts[index].flags;
	const char *why = standing == STANDING_KEPT      ? "kept"
			  : standing == STANDING_DROPPED ? "dropped"
			  : (flags & TEXT_IS_TITLE) != 0
				  ? "the page's title, never content"
			  : (flags & TEXT_IS_HIDDEN) != 0
				  ? "hidden by style, never content"
			  : (flags & TEXT_IS_TEMPLATE) != 0
				  ? "in template, svg or iframe, never content"
				  : "in a form field, never content";

	buffer_printf(out, "<span class=\"%c s%u%s\" title=\"%s; score %.4g",
		      "kdh"[standing], explaining -> quantiles[index],
		      (flags & TEXT_IS_LINK) != 0 ? " l" : "", why,
		      (double)verdict.score);
	if (counts != NULL)
		buffer_printf(out, "; on %u of %u pages",
			      counts->document_frequency[index],
			      counts->page_count);
	if (explaining->trace != NULL &&
	    explaining->trace->reasons[index] != NULL) {
		buffer_append_text(out, "; ");
		markup_append_label(out, explaining->trace->reasons[index]);
	}
	buffer_append_text(out, "\">");
	html_text(context, index, text);
	buffer_append_text(out, "</span>");
}

/*
 * Append each text of the page once, in document order, but no attributes and
 * no links of the page. `trace` and `counts` may be NULL.
 */
static void explain_texts(const struct page *page,
			  const struct verdict *verdicts,
			  const struct trace *trace,
			  const struct template_counts *counts,
			  struct buffer *out)
{
	struct arena *arena = arena_create();
	struct text_explainer explaining = {
		.html = {.page = page, .out = out},
		.page = page,
		.verdicts = verdicts,
		.trace = trace,
		.counts = counts,
		.is_visible = visible_texts(arena, page),
	};
	float *scores = ARENA_NEW(arena, float, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++)
		scores[i] = verdicts[i].score;
	explaining.quantiles = quantiles_by_rank(
		arena, scores, page->text_count, EXPLAIN_QUANTILES);
	layout(&(struct render_request){.page = page},
	       &(struct layout_writer){
		       .context = &explaining,
		       .open = html_open,
		       .close = html_close,
		       .gap = html_gap,
		       .text = write_explained_text,
	       });
	arena_destroy(arena);
}

/*
 * The documents load nothing and run nothing, whatever the page contains. They
 * contain only escaped text of the page, and their content security policy
 * blocks scripts.
 */
#define EXPLAIN_HEAD                                                   \
	"<!doctype html>\n<html lang=\"en\">\n<head>\n"                \
	"<meta charset=\"utf-8\">\n"                                   \
	"<meta http-equiv=\"Content-Security-Policy\" "                \
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" \
	"<meta name=\"viewport\" content=\"width=device-width\">\n"

static const char page_copy_head[] = EXPLAIN_HEAD
	"<base target=\"_top\">\n<title>Copy</title>\n<style>\n"
	":root{color-scheme:light dark;--paper:#fff;--ink:#1b1e23;"
	"--soft:#69707b;--kept:#dfe7ff;--line:#e3e3de;--mark:#3b5bdb}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#1b1e22;"
	"--ink:#e3e5e8;--soft:#939ba6;--kept:#26325c;--line:#343a41;"
	"--mark:#91a7ff}}\n"
	"body{margin:0;padding:.8rem 1rem;font:15px/1.55 system-ui,"
	"sans-serif;background:var(--paper);color:var(--ink);"
	"overflow-wrap:anywhere}\n"
	"h1,h2,h3,h4,h5,h6{line-height:1.25;margin:.9rem 0 .4rem}"
	"h1{font-size:1.4rem}h2{font-size:1.2rem}h3,h4,h5,h6{font-size:1rem}\n"
	"p,ul,ol,pre,table,blockquote{margin:.35rem 0}"
	"pre{white-space:pre-wrap}ul,ol{padding-left:1.3rem}\n"
	"table{border-collapse:collapse}td,th{border:1px solid var(--line);"
	"padding:.1rem .4rem;text-align:start}\n"
	"a{color:inherit;text-decoration:none;border-radius:2px;"
	"unicode-bidi:isolate}\n"
	".k{background:var(--kept);-webkit-box-decoration-break:clone;"
	"box-decoration-break:clone}.d{color:var(--soft)}\n"
	"a:hover,a:focus-visible,mark{outline:2px solid var(--mark);"
	"outline-offset:1px}\n"
	"mark{background:var(--kept);color:inherit;border-radius:2px;"
	"scroll-margin:30vh}.note{color:var(--soft)}\n"
	"</style>\n</head>\n<body>\n";

struct page_copier {
	struct html_writer html; /* must be the first member, because html_*()
				    get the same pointer */
	const struct page *page;
	const struct verdict *verdicts;
	const bool *is_visible; /* [page->text_count] */
	const char *query;      /* the start of each link:
				   "/ui/element?url=...&amp;n=" */
};

static void write_copied_text(void *context, uint32_t index, struct slice text)
{
	struct page_copier *copying = context;
	struct buffer *out = copying->html.out;
	uint32_t node = copying->page->texts[index].node;
	bool is_kept = copying->verdicts[index].is_content;

	if (out->size > PAGE_COPY_MAX_BYTES ||
	    (!copying->is_visible[index] && !is_kept))
		return;
	if (node == NO_NODE) {
		html_text(context, index, text);
		return;
	}
	buffer_printf(out, "<a class=\"%c\" href=\"%s%u\">",
		      is_kept ? 'k' : 'd', copying->query, node);
	html_text(context, index, text);
	buffer_append_text(out, "</a>");
}

static void append_query(struct buffer *out, const char *url)
{
	buffer_append_text(out, "/ui/element?url=");
	for (; *url != '\0'; url++)
		if ((*url >= 'a' && *url <= 'z') || is_digit(*url) ||
		    *url == '.' || *url == '/')
			buffer_append_byte(out, *url);
		else
			buffer_printf(out, "%%%02X", (unsigned char)*url);
	buffer_append_text(out, "&amp;n=");
}

void page_copy(const struct page *page, const struct verdict *verdicts,
	       const char *url, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct buffer query = {0};
	struct page_copier copying = {
		.html = {.page = page, .out = out},
		.page = page,
		.verdicts = verdicts,
		.is_visible = visible_texts(arena, page),
	};

	append_query(&query, url);
	copying.query = query.data;
	buffer_append_text(out, page_copy_head);
	layout(&(struct render_request){.page = page},
	       &(struct layout_writer){
		       .context = &copying,
		       .open = html_open,
		       .close = html_close,
		       .gap = html_gap,
		       .text = write_copied_text,
	       });
	buffer_append_text(out, "</body>\n</html>\n");
	buffer_free(&query);
	arena_destroy(arena);
}

struct value_copier {
	struct html_writer html; /* must be the first member */
	const bool *is_visible;  /* [page->text_count] */
	/* the mark of each text: its index + 1, or 0 [page->text_count] */
	const uint32_t *marked;
	const struct page_mark *marks;
	bool has_id; /* an element has the id */
};

static bool slice_contains(struct slice text, struct slice part)
{
	return part.size > 0 && text.size >= part.size &&
	       memmem(text.data, text.size, part.data, part.size) != NULL;
}

static bool is_within(const struct page *page, uint32_t text, uint32_t node)
{
	uint32_t own = page->texts[text].node;

	return own != NO_NODE && node < page->node_count && own >= node &&
	       own < page->nodes[node].end;
}

/*
 * Return the mark of each text that shows a value: it is in the element, and it
 * contains the value or is a part of it.
 */
static const uint32_t *find_marked(struct arena *arena, const struct page *page,
				   const struct page_mark *marks,
				   uint32_t count)
{
	uint32_t *marked = ARENA_NEW(arena, uint32_t, page->text_count + 1u);

	for (uint32_t t = 0; t < page->text_count; t++) {
		struct slice text = page_text(page, t);
		char *copy = arena_room(arena, text.size + 1);

		text = (struct slice){copy, text_collapse(text, copy)};
		for (uint32_t m = 0; m < count && marked[t] == 0; m++)
			if (is_within(page, t, marks[m].node) &&
			    (slice_contains(text, marks[m].text) ||
			     slice_contains(marks[m].text, text)))
				marked[t] = m + 1;
	}
	return marked;
}

/* Append a text of which a part is the value; or it is a part of the value. */
static void write_marked_text(struct value_copier *copying, uint32_t index,
			      struct slice text)
{
	struct buffer *out = copying->html.out;
	struct slice value = copying->marks[copying->marked[index] - 1].text;
	const char *begin = text.data;
	const char *at =
		slice_contains(text, value)
			? memmem(begin, text.size, value.data, value.size)
			: begin;
	size_t before = (size_t)(at - begin);
	size_t size = at == begin && !slice_contains(text, value) ? text.size
								  : value.size;

	html_text(copying, index, (struct slice){begin, before});
	buffer_append_text(out,
			   copying->has_id ? "<mark>" : "<mark id=\"value\">");
	copying->has_id = true;
	html_text(copying, index, (struct slice){at, size});
	buffer_append_text(out, "</mark>");
	html_text(copying, index,
		  (struct slice){at + size, text.size - before - size});
}

static void write_value_text(void *context, uint32_t index, struct slice text)
{
	struct value_copier *copying = context;

	if (copying->html.out->size > PAGE_COPY_MAX_BYTES ||
	    !copying->is_visible[index])
		return;
	if (copying->marked[index] == 0)
		html_text(context, index, text);
	else
		write_marked_text(copying, index, text);
}

/* Append the note if no text of the page shows a value. */
static void append_note(struct value_copier *copying, const struct page *page,
			uint32_t count)
{
	struct buffer *out = copying->html.out;

	for (uint32_t t = 0; t < page->text_count; t++)
		if (copying->marked[t] != 0 && copying->is_visible[t])
			return;
	copying->has_id = true;
	buffer_append_text(out, "<p class=\"note\" id=\"value\">");
	if (count > 0) {
		buffer_append_text(out, "<mark>");
		escape_append(out, copying->marks[0].text);
		buffer_append_text(out,
				   "</mark> is in an attribute, or in a part "
				   "of the page that readers do not see.");
	} else {
		buffer_append_text(out, "The page has no value.");
	}
	buffer_append_text(out, "</p>\n");
}

void page_copy_marked(const struct page *page, const struct page_mark *marks,
		      uint32_t count, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct value_copier copying = {
		.html = {.page = page, .out = out},
		.is_visible = visible_texts(arena, page),
		.marked = find_marked(arena, page, marks, count),
		.marks = marks,
	};

	buffer_append_text(out, page_copy_head);
	append_note(&copying, page, count);
	layout(&(struct render_request){.page = page},
	       &(struct layout_writer){
		       .context = &copying,
		       .open = html_open,
		       .close = html_close,
		       .gap = html_gap,
		       .text = write_value_text,
	       });
	buffer_append_text(out, "</body>\n</html>\n");
	arena_destroy(arena);
}

/*
 * Blue and vermilion of Okabe and Ito's palette, which colour-blind people can
 * distinguish; the verdict is also shown by the line under the text.
 */
static const char style[] =
	":root{color-scheme:light dark;--paper:#fff;--ink:#1b1b1b;"
	"--quiet:#5c5c5c;--rule:#d0d4d9;--kept:0,114,178;"
	"--dropped:213,94,0}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#16181b;"
	"--ink:#e4e4e4;--quiet:#a3a3a3;--rule:#3c4249;--kept:86,180,233;"
	"--dropped:230,159,0}}\n"
	"body{font:16px/1.5 system-ui,sans-serif;margin:1em;"
	"background:var(--paper);color:var(--ink);overflow-wrap:anywhere}\n"
	"h1,h2{line-height:1.2}.q{color:var(--quiet)}"
	"summary{cursor:pointer}\n"
	"dl{display:grid;grid-template-columns:max-content minmax(0,1fr);"
	"gap:.2em 1.2em}dt{color:var(--quiet)}dd{margin:0}\n"
	"@media(max-width:40em){dl{display:block}}\n"
	"table{border-collapse:collapse}td,th{text-align:start;"
	"vertical-align:top;padding:.1em .8em .1em 0}\n"
	".page{border:1px solid var(--rule);padding:.2em 1em;"
	"overflow:auto}\n"
	"th{white-space:nowrap}figure{margin:2em 0}\n"
	".page *{unicode-bidi:plaintext}.page pre{white-space:pre-wrap}\n"
	".page span,.legend span{unicode-bidi:isolate;border-radius:2px;"
	"padding:0 .1em;-webkit-box-decoration-break:clone;"
	"box-decoration-break:clone}\n"
	".page span:empty::before{content:\"\\2423\"}\n"
	".k{--hue:var(--kept);border-bottom:2px solid rgb(var(--kept))}\n"
	".d{--hue:var(--dropped);border-bottom:2px dotted "
	"rgb(var(--dropped))}\n"
	".h{--hue:128,128,128;border:1px dashed rgb(var(--hue));"
	"font-style:italic;color:var(--quiet)}\n"
	".l::after{content:\"\\2197\";font-size:.7em;vertical-align:super;"
	"color:var(--quiet)}\n";

static const char *verdict_names[STANDING_COUNT] = {
	[STANDING_KEPT] = "kept",
	[STANDING_DROPPED] = "dropped",
	[STANDING_HIDDEN] = "hidden",
};

static void write_style(struct buffer *out)
{
	buffer_append_text(out, "<style>\n");
	buffer_append_text(out, style);
	plot_style(out);
	for (int i = 0; i < EXPLAIN_QUANTILES; i++)
		buffer_printf(out, ".s%d{background:rgba(var(--hue),%.2f)}\n",
			      i, 0.03 + 0.42 * i / (EXPLAIN_QUANTILES - 1));
	buffer_append_text(out, "</style>\n");
}

static void explain_write_row(struct buffer *out, const char *name,
			      const char *value)
{
	if (value == NULL || *value == '\0')
		return;
	markup_begin_term(out, name);
	markup_append_label(out, value);
	buffer_append_text(out, "</dd>\n");
}

static void write_parameters(struct buffer *out,
			     const struct explanation *explanation)
{
	const struct extractor *extractor = explanation->extractor;

	if (extractor->parameter_count == 0)
		return;
	markup_begin_term(out, "Parameters");
	buffer_append_text(out, "<table>\n");
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *row = &extractor->parameters[i];
		double value = explanation->parameters[i];

		buffer_printf(out, "<tr><th>%s</th><td>%.6g ", row->name,
			      value);
		markup_append_label(out, row->unit);
		if (value !=
		    row->default_value) /* NOLINT: the comparison is exact,
					   because an unchanged value is a copy
					   of the default */
			buffer_printf(out, " (default: %.6g)",
				      row->default_value);
		buffer_append_text(out, "</td><td class=\"q\">");
		markup_append_label(out, row->meaning);
		buffer_append_text(out, "</td></tr>\n");
	}
	buffer_append_text(out, "</table></dd>\n");
}

static void explain_write_counts(struct buffer *out, const struct page *page,
				 const struct verdict *verdicts)
{
	struct arena *arena = arena_create();
	const bool *is_visible = visible_texts(arena, page);
	uint32_t texts[STANDING_COUNT] = {0};
	uint64_t words[STANDING_COUNT] = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		enum standing standing =
			standing_of(is_visible[i], verdicts[i]);

		texts[standing]++;
		words[standing] += word_count(page_text(page, i));
	}
	arena_destroy(arena);
	markup_begin_term(out, "Texts");
	for (int i = 0; i < STANDING_COUNT; i++)
		buffer_printf(out, "%s%u %s (%llu words)", i == 0 ? "" : ", ",
			      texts[i], verdict_names[i],
			      (unsigned long long)words[i]);
	buffer_append_text(out, "</dd>\n");
}

static void write_method(struct buffer *out, const struct page *page,
			 const struct verdict *verdicts,
			 const struct explanation *explanation)
{
	const struct extractor *extractor = explanation->extractor;
	char pages[64];

	buffer_printf(out, "<details><summary>The method: %s</summary>\n<p>",
		      extractor->name);
	markup_append_label(out, extractor->summary);
	buffer_append_text(out, "</p>\n<dl>\n");
	if (page->title.size > 0) {
		markup_begin_term(out, "Page");
		escape_append(out, page->title);
		buffer_append_text(out, "</dd>\n");
	}
	explain_write_row(out, "Address", explanation->url);
	explain_write_row(out, "Cluster", explanation->cluster);
	if (explanation->template_counts != NULL) {
		snprintf(pages, sizeof(pages), "%u",
			 explanation->template_counts->page_count);
		explain_write_row(out, "Pages in the cluster", pages);
	}
	explain_write_row(out, "Why this method", explanation->reason);
	explain_write_row(out, "Source", extractor->source);
	write_parameters(out, explanation);
	explain_write_counts(out, page, verdicts);
	buffer_append_text(out, "</dl>\n</details>\n");
}

static void write_legend(struct buffer *out)
{
	buffer_append_text(
		out,
		"<p class=\"legend\"><span class=\"k s5\">main text</span> "
		"<span class=\"d s5\">other text</span> "
		"<span class=\"h s0\">hidden</span> "
		"<span class=\"k s0 l\">link</span> &#160; score:");
	for (int i = 0; i < EXPLAIN_QUANTILES; i++)
		buffer_printf(out, " <span class=\"k s%d\">%s</span>", i,
			      i == 0                       ? "lowest"
			      : i == EXPLAIN_QUANTILES - 1 ? "highest"
							   : "&#160;");
	buffer_append_text(
		out,
		"<br><span class=\"q\">The deeper the colour, the higher is "
		"the score among the texts of the page. Point at a text to see "
		"its score and the reason.</span></p>\n");
}

static void write_figures(struct buffer *out, const struct trace *trace)
{
	if (trace == NULL)
		return;
	for (size_t i = 0; i < trace->figure_count; i++) {
		buffer_append_text(out, "<figure>\n");
		plot_svg(&trace->figures[i], out);
		buffer_append_text(out, "</figure>\n");
	}
}

void render_explanation(const struct page *page, const struct verdict *verdicts,
			const struct trace *trace,
			const struct explanation *explanation,
			struct buffer *out)
{
	buffer_append_text(out, EXPLAIN_HEAD);
	write_style(out);
	buffer_printf(out, "<title>%s: ", explanation->extractor->name);
	escape_append(out, page->title);
	buffer_append_text(out, "</title>\n</head>\n<body>\n");
	write_legend(out);
	buffer_append_text(out, "<div class=\"page\">\n");
	explain_texts(page, verdicts, trace, explanation->template_counts, out);
	buffer_append_text(out, "</div>\n");
	write_method(out, page, verdicts, explanation);
	write_figures(out, trace);
	buffer_append_text(out, "</body>\n</html>\n");
}
