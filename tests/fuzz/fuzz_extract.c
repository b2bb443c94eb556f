/*
 * Parse; run every extractor, with a trace and without, which may not differ;
 * lay out what one of them says, which must parse again.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "extract/auto/auto.h"
#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/explain/explain.h"
#include "extract/extractors.h"
#include "extract/methods/plain.h"
#include "extract/render/render.h"
#include "extract/text/fragment.h"
#include "page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any frequency for every text node: the value does not matter. */
static const uint32_t *frequencies_of(const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *frequencies =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	uint32_t distinct;

	fragments_distinct(page->arena, fragments, page->text_count, &distinct);
	for (uint32_t i = 0; i < page->text_count; i++)
		frequencies[i] = (uint32_t)(fragments[i].hash % 4);
	return frequencies;
}

static void parse_again(const struct buffer *html)
{
	struct page *page;

	if (page_parse(&page, buffer_slice(html), slice_of("utf-8"),
		       &page_limits_default) == ERR_NONE)
		page_destroy(page);
	else if (html->size > 0)
		abort();
}

static void lay_out(const struct page *page, const struct verdict *verdicts)
{
	struct buffer text = {0};
	struct buffer html = {0};

	render_text(page, verdicts, &text);
	render_html(page, verdicts, &html);
	if ((text.size == 0) != (html.size == 0))
		abort();
	parse_again(&html);
	buffer_free(&text);
	buffer_free(&html);
}

/* What the page holds becomes no script, link, or thing to be loaded. */
static void explain(const struct extractor_input *input,
		    const struct extractor *extractor,
		    const struct verdict *verdicts)
{
	const struct explanation explanation = {
		.extractor = extractor,
		.parameters = input->parameters,
		.reason = "fuzzing",
		.url = "",
		.cluster = "",
		.template_counts = input->template_counts,
	};
	struct buffer picture = {0};

	render_explanation(input->page, verdicts, input->trace, &explanation,
			   &picture);
	if (strstr(picture.data, "<script") != NULL ||
	    strstr(picture.data, "<a ") != NULL ||
	    strstr(picture.data, "<img") != NULL)
		abort();
	parse_again(&picture);
	buffer_free(&picture);
}

/* What holds for every method; `auto` may show what CSS hides. */
static void check(const struct page *page, const struct extractor *extractor,
		  const struct verdict *verdicts, const struct verdict *traced)
{
	const bool *may_show = extractor == &extractor_auto
				       ? showable_texts(page->arena, page)
				       : visible_texts(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++)
		if (!isfinite(verdicts[i].score) ||
		    (verdicts[i].is_content && !may_show[i]) ||
		    verdicts[i].is_content != traced[i].is_content)
			abort();
}

static void extract(const struct page *page, const struct extractor *extractor,
		    bool is_laid_out)
{
	const struct template_counts counts = {3, frequencies_of(page)};
	const struct sample sample = {.pages = &page, .count = 1};
	double parameters[MAX_PARAMETERS];
	struct extractor_input input = {
		.page = page,
		.template_counts = &counts,
		.parameters = parameters,
		.arena = page->arena,
	};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct verdict *traced =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	extractor_defaults(extractor, parameters);
	if (extractor->learn != NULL)
		input.learned =
			extractor->learn(&sample, parameters, page->arena);
	extractor->run(&input, verdicts);
	input.trace = trace_create(page->arena, page->text_count);
	extractor->run(&input, traced);
	check(page, extractor, verdicts, traced);
	if (!is_laid_out)
		return;
	lay_out(page, verdicts);
	explain(&input, extractor, verdicts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page *page;
	size_t count = 0;

	if (page_parse(&page, (struct slice){data, size}, slice_of("utf-8"),
		       &page_limits_default) != ERR_NONE)
		return 0;
	while (extractors[count] != NULL)
		count++;
	for (size_t i = 0; i < count; i++)
		extract(page, extractors[i], i == size % count);
	page_destroy(page);
	return 0;
}
