#include "extract/render/layout_level.h"

#include <assert.h>

#include "extract/render/table_survey.h"
#include "page/page.h"

/* Return true if text inside `tag` leaves the line `outer` around it. */
static bool makes_line(uint16_t tag, uint16_t outer)
{
	if (tag == TAG_pre)
		return outer != TAG_pre;
	if (outer == TAG_pre || outer == TAG_caption || outer == TAG_figcaption)
		return false;
	return outline_is_line(tag) && (tag != TAG_p || outer == TAG_p);
}

static bool holds_lines(uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_li:
	case TAG_table:
	case TAG_td:
	case TAG_th:
	case TAG_blockquote:
	case TAG_figure:
		return true;
	default:
		return false;
	}
}

static void set_line(struct layout_level *level,
		     const struct layout_level *outer, uint16_t tag)
{
	level->line = outer->line;
	level->line_node = outer->line_node;
	if (makes_line(tag, outer->line)) {
		level->line = tag;
		level->line_node = level->node;
	} else if (outer->line != TAG_pre && holds_lines(tag)) {
		level->line = TAG_p;
		level->line_node = NO_NODE;
	}
}

/* Set the columns of a cell, after the cells before it. */
static void set_columns(struct layout_level *cell, struct layout_level *row,
			const struct page *page)
{
	cell->columns.begin = row->columns.end;
	row->columns.end += table_cell_span(page, cell->node);
	if (row->columns.end > MAX_TABLE_COLUMNS)
		row->columns.end = MAX_TABLE_COLUMNS;
	cell->columns.end = row->columns.end;
	assert(cell->columns.begin <= cell->columns.end &&
	       cell->columns.end <= MAX_TABLE_COLUMNS);
}

/* Set block and line around the level's text; in pre a block is only a line. */
static void set_surroundings(struct layout_level *levels, uint32_t count,
			     uint16_t tag)
{
	struct layout_level *level = &levels[count];
	const struct layout_level *outer = &levels[count - 1];

	level->block = outer->block;
	level->inline_level = outer->inline_level;
	if ((tag_flags(tag) & TAG_IS_BLOCK) != 0) {
		if (outer->line != TAG_pre)
			level->block = count;
	} else if (inline_kind(tag) != INLINE_NONE) {
		level->inlines = levels[outer->inline_level].inlines;
		level->inline_level = count;
		inline_chain_add(
			&level->inlines,
			(struct inline_element){level->node, count, tag});
	}
	assert(level->block <= count && level->inline_level <= count);
}

void level_begin(struct layout_level *levels)
{
	levels[0] = (struct layout_level){
		.node = NO_NODE, .line = TAG_p, .line_node = NO_NODE};
}

void level_enter(struct layout_level *levels, uint32_t count,
		 const struct page *page, uint32_t node)
{
	struct layout_level *level = &levels[count];
	uint16_t tag = page->nodes[node].tag;

	assert(count > 0);
	level->node = node;
	level->uses = 0;
	level->columns = (struct columns){0, 0};
	if (tag == TAG_td || tag == TAG_th)
		set_columns(level, &levels[count - 1], page);
	set_line(level, &levels[count - 1], tag);
	set_surroundings(levels, count, tag);
}
