#include "extract/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "extract/core/markup.h"
#include "extract/core/trace.h"
#include "extract/explain/explain_texts.h"
#include "extract/explain/figure_svg.h"
#include "page/escape.h"
#include "page/page.h"

/*
 * The explanation loads nothing and runs nothing, whatever the page contains:
 * it contains only escaped text of the page, and the content security policy
 * also blocks scripts.
 */
static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n";

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
	"body{font:16px/1.5 system-ui,sans-serif;margin:1.5em auto;"
	"max-width:64em;padding:0 1em;background:var(--paper);"
	"color:var(--ink)}\n"
	"h1,h2{line-height:1.2}h1 small,.q{color:var(--quiet);"
	"font-weight:400}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;"
	"gap:.2em 1.2em}dt{color:var(--quiet)}dd{margin:0;"
	"overflow-wrap:anywhere}\n"
	"table{border-collapse:collapse}td,th{text-align:start;"
	"vertical-align:top;padding:.1em .8em .1em 0}\n"
	".page{border:1px solid var(--rule);padding:.2em 1em;"
	"max-height:85vh;overflow:auto;resize:vertical;"
	"overflow-wrap:anywhere}\n"
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
	buffer_printf(out, "<dt>%s</dt><dd>", name);
	markup_append_label(out, value);
	buffer_append_text(out, "</dd>\n");
}

static void write_parameters(struct buffer *out,
			     const struct explanation *explanation)
{
	const struct extractor *extractor = explanation->extractor;

	if (extractor->parameter_count == 0)
		return;
	buffer_append_text(out, "<dt>Parameters</dt><dd><table>\n");
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *row = &extractor->parameters[i];
		double value = explanation->parameters[i];

		buffer_printf(out, "<tr><th>%s</th><td>%.6g ", row->name,
			      value);
		markup_append_label(out, row->unit);
		if (value !=
		    row->default_value) /* NOLINT: exact, because it was set
					 */
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
	struct explained_counts explained = explain_count(page, verdicts);

	buffer_append_text(out, "<dt>Texts</dt><dd>");
	for (int i = 0; i < STANDING_COUNT; i++)
		buffer_printf(out, "%s%u %s (%llu words)", i == 0 ? "" : ", ",
			      explained.texts[i], verdict_names[i],
			      (unsigned long long)explained.words[i]);
	buffer_append_text(out, "</dd>\n");
}

static void write_header(struct buffer *out, const struct page *page,
			 const struct verdict *verdicts,
			 const struct explanation *explanation)
{
	const struct extractor *extractor = explanation->extractor;
	char pages[64];

	buffer_printf(out, "<h1>%s <small>", extractor->name);
	markup_append_label(out, extractor->summary);
	buffer_append_text(out, "</small></h1>\n<dl>\n");
	if (page->title.size > 0) {
		buffer_append_text(out, "<dt>Page</dt><dd>");
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
	buffer_append_text(out, "</dl>\n");
}

static void write_legend(struct buffer *out)
{
	buffer_append_text(
		out, "<p class=\"legend\"><span class=\"k s5\">kept</span> "
		     "<span class=\"d s5\">dropped</span> "
		     "<span class=\"h s0\">hidden</span> "
		     "<span class=\"k s0 l\">link</span> &#160; score:");
	for (int i = 0; i < EXPLAIN_QUANTILES; i++)
		buffer_printf(out, " <span class=\"k s%d\">%s</span>", i,
			      i == 0                       ? "lowest"
			      : i == EXPLAIN_QUANTILES - 1 ? "highest"
							   : "&#160;");
	buffer_append_text(
		out,
		"<br><span class=\"q\">The colour shows the rank of the text's "
		"score among all scores of the page. Point at a text to see "
		"its score and the reason for its verdict.</span></p>\n");
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
	buffer_append_text(out, head);
	write_style(out);
	buffer_printf(out, "<title>%s: ", explanation->extractor->name);
	escape_append(out, page->title);
	buffer_append_text(out, "</title>\n</head>\n<body>\n");
	write_header(out, page, verdicts, explanation);
	write_legend(out);
	buffer_append_text(out, "<div class=\"page\">\n");
	explain_texts(page, verdicts, trace, explanation->template_counts, out);
	buffer_append_text(out, "</div>\n");
	write_figures(out, trace);
	buffer_append_text(out, "</body>\n</html>\n");
}
