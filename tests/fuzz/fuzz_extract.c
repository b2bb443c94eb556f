/* Parse, every extractor, both renderers; the HTML must parse again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "extract/extractor.h"
#include "extract/fragment.h"
#include "extract/render.h"
#include "page/page.h"
#include "store/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Some frequency for every text node: what it is does not matter. */
static struct template_counts counts_for(const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *frequencies =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	uint32_t distinct;

	fragments_distinct(page->arena, fragments, page->text_count, &distinct);
	for (uint32_t i = 0; i < page->text_count; i++)
		frequencies[i] = (uint32_t)(fragments[i].hash % 4);
	return (struct template_counts){3, frequencies};
}

static void parse_again(struct slice html)
{
	struct page *page;

	if (page_parse(&page, html, slice_of("utf-8"), &page_limits_default) ==
	    ERR_NONE)
		page_destroy(page);
	else if (html.size > 0)
		abort();
}

static void extract(const struct page *page, const struct extractor *extractor)
{
	struct template_counts counts = counts_for(page);
	double parameters[MAX_PARAMETERS];
	const struct sample sample = {&page, 1};
	struct extractor_input input = {
		.page = page,
		.template_counts = &counts,
		.parameters = parameters,
		.arena = page->arena,
	};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct buffer text = {0};
	struct buffer html = {0};

	extractor_presets(extractor, parameters);
	if (extractor->learn != NULL)
		input.learned =
			extractor->learn(&sample, parameters, page->arena);
	extractor->run(&input, verdicts);
	render_text(page, verdicts, &text);
	render_html(page, verdicts, &html);
	if ((text.size == 0) != (html.size == 0))
		abort();
	parse_again(buffer_slice(&html));
	buffer_free(&text);
	buffer_free(&html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page *page;

	if (page_parse(&page, (struct slice){data, size}, slice_of("utf-8"),
		       &page_limits_default) != ERR_NONE)
		return 0;
	for (size_t i = 0; extractors[i] != NULL; i++)
		extract(page, extractors[i]);
	page_destroy(page);
	return 0;
}
