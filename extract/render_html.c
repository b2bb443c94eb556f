#include "extract/layout_html.h"
#include "extract/markup.h"
#include "extract/outline.h"
#include "extract/render.h"
#include "page/page.h"

struct kept {
	const struct page *page;
	const struct verdict *verdicts;
};

static bool shows(const void *context, uint32_t index)
{
	const struct kept *kept = context;

	return kept->verdicts[index].is_content &&
	       !markup_is_blank(page_text(kept->page, index));
}

static void write(const void *context, struct outline *outline, uint32_t index,
		  struct slice text)
{
	(void)context;
	(void)index;
	outline_text(outline, text);
}

void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	const struct kept kept = {page, verdicts};
	const struct html_style style = {
		.shows = shows,
		.write = write,
		.context = &kept,
		.has_links = true,
	};

	layout_html(page, &style, out);
}
