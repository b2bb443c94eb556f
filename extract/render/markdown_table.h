/*
 * extract/render/markdown_table.h - simple tables
 * (extract/render/table_survey.h) as those of GFM: a head, a line under it, and
 * rows of as many cells as the head has.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_TABLE_H
#define EXTRACT_RENDER_MARKDOWN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/render/table_survey.h"

struct layout_element;
struct markdown_blocks;
struct page;

/* Begin with the first three. */
struct markdown_table {
	const struct page *page;
	struct table_survey survey;
	struct markdown_blocks *blocks;
	uint32_t opened;                 /* tables, so far */
	const struct table_shape *shape; /* of the simple one around, or NULL */
	uint32_t rows;                   /* of it, begun */
	uint32_t columns;                /* of its row, written */
	uint32_t span;                   /* of its cell */
	uint32_t lines;                  /* of that */
};

/* A table, tr, td or th begins or ends; of other tables nothing is written. */
void markdown_table_open(struct markdown_table *table,
			 const struct layout_element *element);
void markdown_table_close(struct markdown_table *table, uint16_t tag);

/* Whether a line that ends here stands in a cell, not in the caption. */
bool markdown_table_has_cell(const struct markdown_table *table);

/* Separate a line of a cell from the one before it. */
void markdown_table_begin_line(struct markdown_table *table);

#endif
