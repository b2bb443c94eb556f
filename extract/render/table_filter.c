#include "extract/render/table_filter.h"

#include "base/arena.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "extract/render/table_survey.h"
#include "page/page.h"

struct table_filter_state {
	struct table_survey survey;
	uint32_t opened;     /* number of tables opened */
	uint32_t depth;      /* number of open tables; the outermost one */
	uint32_t left_depth; /* to leave out is at this depth; 0: none */
	bool *is_left_out;   /* [text_count] */
};

static void table_filter_open(void *context,
			      const struct layout_element *element)
{
	struct table_filter_state *filtering = context;

	if (element->tag != TAG_table)
		return;
	filtering->depth++;
	if (filtering->survey.tables[filtering->opened++].is_simple &&
	    filtering->left_depth == 0)
		filtering->left_depth = filtering->depth;
}

static void table_filter_close(void *context, uint16_t tag)
{
	struct table_filter_state *filtering = context;

	if (tag == TAG_table && filtering->depth-- == filtering->left_depth)
		filtering->left_depth = 0;
}

static void table_filter_skip_gap(void *context, enum separator separator,
				  struct slice blank)
{
	(void)context;
	(void)separator;
	(void)blank;
}

static void note_text(void *context, uint32_t index, struct slice text)
{
	struct table_filter_state *filtering = context;

	(void)text;
	filtering->is_left_out[index] = filtering->left_depth != 0;
}

static void table_filter_skip_image(void *context,
				    const struct layout_image *image)
{
	(void)context;
	(void)image;
}

void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts)
{
	const struct render_request request = {.page = page,
					       .verdicts = verdicts};
	struct table_filter_state filtering = {
		.survey = table_survey_make(arena, &request),
		.is_left_out = ARENA_NEW(arena, bool, page->text_count),
	};

	if (filtering.survey.count == 0)
		return;
	layout(&request, &(struct layout_writer){
				 .context = &filtering,
				 .open = table_filter_open,
				 .close = table_filter_close,
				 .gap = table_filter_skip_gap,
				 .text = note_text,
				 .image = table_filter_skip_image,
			 });
	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i].is_content &= !filtering.is_left_out[i];
}
