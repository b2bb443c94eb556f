/*
 * extract/render/table_survey.h - which kept tables are simple: their cells
 * hold only a few lines of text or a heading. Other tables, which mostly are
 * layout, are dissolved into their content.
 */
#ifndef EXTRACT_RENDER_TABLE_SURVEY_H
#define EXTRACT_RENDER_TABLE_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;
struct render_request;

enum {
	MAX_TABLE_COLUMNS = 64,
	MAX_CELL_LINES = 8,
};

struct table_shape {
	uint32_t columns; /* of the widest row, with the cells' spans */
	uint32_t rows;
	bool is_simple;
};

struct table_survey {
	const struct table_shape *tables; /* [count], as layout() opens them */
	uint32_t count;
};

/* The tables belong to `arena`. Linear; next to nothing without tables. */
struct table_survey table_survey_make(struct arena *arena,
				      const struct render_request *request);

/* Columns that a cell takes, 1..MAX_TABLE_COLUMNS. */
uint32_t table_cell_span(const struct page *page, uint32_t node);

#endif
