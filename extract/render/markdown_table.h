/*
 * extract/render/markdown_table.h - writes simple tables
 * (extract/render/table_survey.h) as GFM tables: a head, a line below it, and
 * rows with as many cells as the head.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_TABLE_H
#define EXTRACT_RENDER_MARKDOWN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/render/table_survey.h"

struct layout_element;
struct markdown_blocks;
struct page;

/* Initialise with the first three fields. */
struct markdown_table {
	const struct page *page;
	struct table_survey survey;
	struct markdown_blocks *blocks;
	uint32_t opened; /* number of tables opened */
	const struct table_shape
		*shape;   /* the simple table around the text, or NULL */
	uint32_t rows;    /* number of its rows begun */
	uint32_t columns; /* number of columns written in its row */
	uint32_t span;    /* span of its cell */
	uint32_t lines;   /* number of lines in the cell */
};

/*
 * Handle the start or the end of a table, tr, td or th; write nothing for
 * tables that are not simple.
 */
void markdown_table_open(struct markdown_table *table,
			 const struct layout_element *element);
void markdown_table_close(struct markdown_table *table, uint16_t tag);

/* Return true if a line that ends here is in a cell, not in the caption. */
bool markdown_table_has_cell(const struct markdown_table *table);

/* Separate a line of a cell from the line before it. */
void markdown_table_begin_line(struct markdown_table *table);

#endif
