#include "extract/render/table.h"

#include "base/arena.h"
#include "extract/render/element_role.h"
#include "extract/render/layout.h"
#include "extract/render/note.h"
#include "extract/render/outline.h"
#include "extract/render/render.h"
#include "page/page.h"

/* A table that is open, and its innermost row and cell. */
struct surveyed_table {
	uint32_t table;      /* index of the shape of this table */
	uint32_t columns;    /* number of columns of the row up to now */
	uint32_t lines;      /* number of lines of the cell up to now */
	bool has_heading;    /* a line of the cell is a heading */
	uint32_t note_depth; /* open items and quotes in a note and its own */
};

struct table_surveyor {
	const struct page *page;
	const struct notes *notes;  /* or NULL */
	struct table_shape *tables; /* [max_count] */
	uint32_t count;
	struct surveyed_table open[MAX_OUTLINE_NESTING]; /* [open_count] */
	uint32_t open_count;
};

uint32_t table_cell_span(const struct page *page, uint32_t node)
{
	uint32_t span = whole_attribute(page, node, "colspan", 1);

	if (span == 0)
		return 1;
	return span > MAX_TABLE_COLUMNS ? MAX_TABLE_COLUMNS : span;
}

static void survey_open_cell(struct table_surveyor *survey,
			     struct surveyed_table *open, uint32_t node)
{
	struct table_shape *shape = &survey->tables[open->table];

	open->lines = 0;
	open->has_heading = false;
	open->columns += table_cell_span(survey->page, node);
	if (open->columns > shape->columns)
		shape->columns = open->columns;
}

/*
 * Open an item or a quote in a cell. A table with a quote that is not in a note
 * is not simple.
 */
static void survey_open_note(struct table_surveyor *survey,
			     struct surveyed_table *open,
			     const struct layout_element *element)
{
	if (open->note_depth > 0 ||
	    notes_label(survey->notes, element->node).size > 0)
		open->note_depth++;
	else if (element->tag == TAG_blockquote)
		survey->tables[open->table].is_simple = false;
}

/*
 * Count an element in the innermost table. A cell may have a heading as its
 * only line, because such a heading labels a row or a column. The lines of
 * notes do not count, because Markdown writes them after the table.
 */
static void open_inside(struct table_surveyor *survey,
			const struct layout_element *element)
{
	struct surveyed_table *open = &survey->open[survey->open_count - 1];
	struct table_shape *shape = &survey->tables[open->table];
	bool is_heading;

	switch (element->tag) {
	case TAG_tr:
		shape->rows++;
		open->columns = 0;
		break;
	case TAG_td:
	case TAG_th:
		survey_open_cell(survey, open, element->node);
		break;
	case TAG_caption:
	case TAG_ul:
	case TAG_ol:
		break;
	case TAG_li:
	case TAG_blockquote:
		survey_open_note(survey, open, element);
		break;
	default:
		is_heading = (tag_flags(element->tag) & TAG_IS_HEADING) != 0;
		if (open->note_depth > 0 &&
		    (element->tag == TAG_p || is_heading))
			break;
		open->has_heading = open->has_heading || is_heading;
		if (element->tag == TAG_p || is_heading)
			shape->is_simple &=
				++open->lines <=
				(open->has_heading ? 1 : MAX_CELL_LINES);
		else if (inline_kind(element->tag) == INLINE_NONE)
			shape->is_simple = false;
		break;
	}
}

static void survey_open_element(void *context,
				const struct layout_element *element)
{
	struct table_surveyor *survey = context;

	if (survey->open_count > 0)
		open_inside(survey, element);
	if (element->tag == TAG_table) {
		survey->tables[survey->count].is_simple = true;
		survey->open[survey->open_count++] =
			(struct surveyed_table){.table = survey->count++};
	}
}

static void survey_close_element(void *context, uint16_t tag)
{
	struct table_surveyor *survey = context;
	struct table_shape *shape;

	if ((tag == TAG_li || tag == TAG_blockquote) &&
	    survey->open_count > 0 &&
	    survey->open[survey->open_count - 1].note_depth > 0)
		survey->open[survey->open_count - 1].note_depth--;
	if (tag != TAG_table)
		return;
	shape = &survey->tables[survey->open[--survey->open_count].table];
	if (shape->rows < 2 || shape->columns < 2 ||
	    shape->columns > MAX_TABLE_COLUMNS)
		shape->is_simple = false;
}

/*
 * Return the maximum number of tables that layout() may open. Kept texts and
 * images are in nodes that are near a kept text, or in figures with one.
 */
static uint32_t survey_count_tables(const struct render_request *request)
{
	const struct page *page = request->page;
	uint32_t next_kept = 0;
	uint32_t figure_end = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->node_count; i++) {
		bool is_near = node_is_near(request, i, &next_kept);

		if (is_near && page->nodes[i].tag == TAG_figure &&
		    page->nodes[i].end > figure_end)
			figure_end = page->nodes[i].end;
		if (is_near || i < figure_end)
			count += element_may_be_table(page, i);
		else
			i = page->nodes[i].end - 1;
	}
	return count;
}

static void media_ignore(void *context, const struct layout_media *media)
{
	(void)context;
	(void)media;
}

struct table_survey table_survey_make(struct arena *arena,
				      const struct render_request *request,
				      bool is_markdown)
{
	const struct page *page = request->page;
	struct table_surveyor survey = {.page = page, .notes = request->notes};
	uint32_t max_count = survey_count_tables(request);

	if (max_count == 0)
		return (struct table_survey){NULL, 0};
	survey.tables = ARENA_NEW(arena, struct table_shape, max_count);
	layout(request, &(struct layout_writer){
				.context = &survey,
				.open = survey_open_element,
				.close = survey_close_element,
				.image = image_ignore,
				.media = is_markdown ? media_ignore : NULL,
				.has_callouts = is_markdown,
			});
	return (struct table_survey){survey.tables, survey.count};
}

struct table_filter_state {
	struct table_survey survey;
	uint32_t opened;     /* number of tables that were opened up to now */
	uint32_t depth;      /* number of open tables */
	uint32_t left_depth; /* depth of the outermost table that is left out; 0
				= none */
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

static void note_text(void *context, uint32_t index, struct slice text)
{
	struct table_filter_state *filtering = context;

	(void)text;
	filtering->is_left_out[index] = filtering->left_depth != 0;
}

void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts)
{
	const struct render_request request = {.page = page,
					       .verdicts = verdicts};
	struct table_filter_state filtering = {
		.survey = table_survey_make(arena, &request, false),
		.is_left_out = ARENA_NEW(arena, bool, page->text_count),
	};

	if (filtering.survey.count == 0)
		return;
	layout(&request, &(struct layout_writer){
				 .context = &filtering,
				 .open = table_filter_open,
				 .close = table_filter_close,
				 .text = note_text,
				 .image = image_ignore,
			 });
	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i].is_content &= !filtering.is_left_out[i];
}
