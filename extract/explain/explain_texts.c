#include "extract/explain/explain_texts.h"

#include "base/arena.h"
#include "extract/core/markup.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/explain/quantile.h"
#include "extract/render/html_writer.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "extract/text/word.h"
#include "page/page.h"

struct text_explainer {
	struct html_writer
		html; /* must be first: html_writer.h gets the same context */
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

static const char *why_hidden(uint32_t flags)
{
	if ((flags & TEXT_IS_TITLE) != 0)
		return "the page's title, never content";
	if ((flags & TEXT_IS_HIDDEN) != 0)
		return "hidden by style, never content";
	if ((flags & TEXT_IS_TEMPLATE) != 0)
		return "in template, svg or iframe, never content";
	return "in a form field, never content";
}

/*
 * Write the title: "kept, score 0.82; on 1 of 40 pages; ratio 0.82, over 0.8"
 */
static void write_text_title(const struct text_explainer *explaining,
			     uint32_t index, enum standing standing,
			     struct buffer *out)
{
	const struct template_counts *counts = explaining->counts;
	const struct trace *trace = explaining->trace;

	if (standing == STANDING_HIDDEN)
		buffer_append_text(
			out, why_hidden(explaining->page->texts[index].flags));
	else
		buffer_append_text(out, standing == STANDING_KEPT ? "kept"
								  : "dropped");
	buffer_printf(out, "; score %.4g",
		      (double)explaining->verdicts[index].score);
	if (counts != NULL)
		buffer_printf(out, "; on %u of %u pages",
			      counts->document_frequency[index],
			      counts->page_count);
	if (trace != NULL && trace->reasons[index] != NULL) {
		buffer_append_text(out, "; ");
		markup_append_label(out, trace->reasons[index]);
	}
}

static void write_explained_text(void *context, uint32_t index,
				 struct slice text)
{
	static const char *const classes[STANDING_COUNT] = {
		[STANDING_KEPT] = "k",
		[STANDING_DROPPED] = "d",
		[STANDING_HIDDEN] = "h",
	};
	struct text_explainer *explaining = context;
	struct buffer *out = explaining->html.out;
	enum standing standing = standing_of(explaining->is_visible[index],
					     explaining->verdicts[index]);
	uint32_t flags = explaining->page->texts[index].flags;

	buffer_printf(out, "<span class=\"%s s%u%s\" title=\"",
		      classes[standing], explaining->quantiles[index],
		      (flags & TEXT_IS_LINK) != 0 ? " l" : "");
	write_text_title(explaining, index, standing, out);
	buffer_append_text(out, "\">");
	html_text(context, index, text);
	buffer_append_text(out, "</span>");
}

static const uint8_t *quantile_scores(struct arena *arena,
				      const struct verdict *verdicts,
				      uint32_t count)
{
	float *scores = ARENA_NEW(arena, float, count);

	for (uint32_t i = 0; i < count; i++)
		scores[i] = verdicts[i].score;
	return quantiles_by_rank(arena, scores, count, EXPLAIN_QUANTILES);
}

void explain_texts(const struct page *page, const struct verdict *verdicts,
		   const struct trace *trace,
		   const struct template_counts *counts, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct text_explainer explaining = {
		.html = {.page = page, .out = out},
		.page = page,
		.verdicts = verdicts,
		.trace = trace,
		.counts = counts,
		.is_visible = visible_texts(arena, page),
		.quantiles = quantile_scores(arena, verdicts, page->text_count),
	};
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

struct explained_counts explain_count(const struct page *page,
				      const struct verdict *verdicts)
{
	struct arena *arena = arena_create();
	const bool *is_visible = visible_texts(arena, page);
	struct explained_counts explained = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		enum standing standing =
			standing_of(is_visible[i], verdicts[i]);

		explained.texts[standing]++;
		explained.words[standing] += word_count(page_text(page, i));
	}
	arena_destroy(arena);
	return explained;
}
