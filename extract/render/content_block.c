#include "extract/render/content_block.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/render/inline_chain.h"
#include "extract/render/layout.h"
#include "extract/render/outline.h"
#include "extract/render/render.h"
#include "extract/render/table_survey.h"
#include "page/page.h"

struct block_collector {
	const struct verdict *verdicts;
	struct content_block *items; /* [count] */
	size_t count;
	size_t capacity;
	struct buffer text;
	struct content_block block; /* the open block */
	double score; /* sum of score * bytes over `scored` bytes of the block
		       */
	size_t scored;
	/* the open li and blockquote: TAG_li, TAG_blockquote */
	uint16_t around[2 * MAX_OUTLINE_NESTING];
	uint32_t around_count;
	uint32_t lists; /* number of li among them */
	uint32_t quotes;
	struct table_survey survey;
	uint32_t tables;  /* number of tables opened */
	bool is_in_table; /* inside a simple table */
	bool is_in_row;   /* inside a row, which is the open block */
	uint32_t cells;   /* number of cells opened in the row */
};

const char *content_kind_name(enum content_kind kind)
{
	static const char *const names[CONTENT_KIND_COUNT] = {
		[CONTENT_PARAGRAPH] = "paragraph",
		[CONTENT_HEADING] = "heading",
		[CONTENT_LIST_ITEM] = "list-item",
		[CONTENT_TABLE_ROW] = "table-row",
		[CONTENT_CODE] = "code",
		[CONTENT_QUOTE] = "quote",
		[CONTENT_CAPTION] = "caption",
	};

	return names[kind];
}

static void begin_block(struct block_collector *collecting,
			enum content_kind kind, uint32_t level)
{
	collecting->block = (struct content_block){
		.kind = kind,
		.level = level,
		.begin = collecting->text.size,
	};
	collecting->score = 0.0;
	collecting->scored = 0;
}

static void content_block_end(struct block_collector *collecting)
{
	struct content_block *block = &collecting->block;
	struct buffer *text = &collecting->text;

	while (text->size > block->begin &&
	       (text->data[text->size - 1] == '\n' ||
		text->data[text->size - 1] == ' '))
		text->size--;
	block->length = text->size - block->begin;
	if (block->length == 0)
		return; /* only images */
	if (collecting->scored > 0)
		block->score =
			(float)(collecting->score / (double)collecting->scored);
	collecting->items =
		mem_grow(collecting->items, collecting->count,
			 &collecting->capacity, sizeof(*collecting->items));
	collecting->items[collecting->count++] = *block;
}

static void content_block_open_line(struct block_collector *collecting,
				    uint16_t tag)
{
	uint32_t count = collecting->around_count;

	if (collecting->is_in_row) {
		if (collecting->scored > 0 &&
		    collecting->text.data[collecting->text.size - 1] != '\t')
			buffer_append_byte(&collecting->text, '\n');
	} else if ((tag_flags(tag) & TAG_IS_HEADING) != 0) {
		begin_block(collecting, CONTENT_HEADING,
			    (uint32_t)(tag - TAG_h1 + 1));
	} else if (tag == TAG_pre) {
		begin_block(collecting, CONTENT_CODE, 0);
	} else if (tag != TAG_p) {
		begin_block(collecting, CONTENT_CAPTION, 0);
	} else if (count == 0) {
		begin_block(collecting, CONTENT_PARAGRAPH, 0);
	} else if (collecting->around[count - 1] == TAG_li) {
		begin_block(collecting, CONTENT_LIST_ITEM, collecting->lists);
	} else {
		begin_block(collecting, CONTENT_QUOTE, collecting->quotes);
	}
}

static void open_in_table(struct block_collector *collecting, uint16_t tag)
{
	if (!collecting->is_in_table)
		return;
	if (tag == TAG_tr) {
		begin_block(collecting, CONTENT_TABLE_ROW, 0);
		collecting->is_in_row = true;
		collecting->cells = 0;
	} else if (collecting->cells++ > 0) {
		buffer_append_byte(&collecting->text, '\t');
	}
}

static void content_block_open(void *context,
			       const struct layout_element *element)
{
	struct block_collector *collecting = context;

	switch (element->tag) {
	case TAG_li:
	case TAG_blockquote:
		collecting->around[collecting->around_count++] = element->tag;
		collecting->lists += element->tag == TAG_li;
		collecting->quotes += element->tag == TAG_blockquote;
		break;
	case TAG_table:
		collecting->is_in_table =
			collecting->survey.tables[collecting->tables++]
				.is_simple;
		break;
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		open_in_table(collecting, element->tag);
		break;
	default:
		if (outline_is_line(element->tag))
			content_block_open_line(collecting, element->tag);
		break;
	}
}

static void content_block_close(void *context, uint16_t tag)
{
	struct block_collector *collecting = context;
	bool is_row = tag == TAG_tr && collecting->is_in_row;

	if (tag == TAG_li || tag == TAG_blockquote) {
		collecting->around_count--;
		collecting->lists -= tag == TAG_li;
		collecting->quotes -= tag == TAG_blockquote;
	}
	if (is_row || (outline_is_line(tag) && !collecting->is_in_row))
		content_block_end(collecting);
	if (is_row)
		collecting->is_in_row = false;
	if (tag == TAG_table)
		collecting->is_in_table = false;
}

static void content_block_add_gap(void *context, enum separator separator,
				  struct slice blank)
{
	struct block_collector *collecting = context;

	buffer_append_slice(&collecting->text, blank);
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(&collecting->text, ' ');
	if (separator >= SEPARATOR_LINE)
		buffer_append_byte(&collecting->text, '\n');
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_byte(&collecting->text, '\n');
}

static void content_block_add_text(void *context, uint32_t index,
				   struct slice text)
{
	struct block_collector *collecting = context;

	buffer_append_slice(&collecting->text, text);
	collecting->score +=
		(double)collecting->verdicts[index].score * (double)text.size;
	collecting->scored += text.size;
}

/*
 * Layout calls this for images and the writer ignores them; without this
 * function images would not open blocks.
 */
static void content_block_skip_image(void *context,
				     const struct layout_image *image)
{
	(void)context;
	(void)image;
}

struct content_blocks content_blocks_make(struct arena *arena,
					  const struct page *page,
					  const struct verdict *verdicts)
{
	const struct render_request request = {.page = page,
					       .verdicts = verdicts};
	struct block_collector collecting = {
		.verdicts = verdicts,
		.survey = table_survey_make(arena, &request),
	};
	struct content_block *items;
	struct content_blocks blocks;

	layout(&request, &(struct layout_writer){
				 .context = &collecting,
				 .open = content_block_open,
				 .close = content_block_close,
				 .gap = content_block_add_gap,
				 .text = content_block_add_text,
				 .image = content_block_skip_image,
			 });
	items = ARENA_NEW(arena, struct content_block, collecting.count);
	for (size_t i = 0; i < collecting.count; i++)
		items[i] = collecting.items[i];
	blocks = (struct content_blocks){
		.items = items,
		.count = collecting.count,
		.text = arena_copy(arena, collecting.text.data,
				   collecting.text.size),
	};
	free(collecting.items);
	buffer_free(&collecting.text);
	return blocks;
}
