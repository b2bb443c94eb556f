/*
 * extract/render/table.h - finds the simple tables in the kept text, and
 * removes tables from it.
 */
#ifndef EXTRACT_RENDER_TABLE_H
#define EXTRACT_RENDER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;
struct render_request;
struct verdict;

/*
 * Clear is_content of the texts in simple tables and in tables
 * inside these, which Markdown would write as tables. Texts in tables that only
 * lay out the page remain. Scratch memory in `arena`; linear.
 */
void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts);

/*
 * Finds the simple tables in the kept text: their cells hold only a few lines
 * of text or a heading. Other tables are mostly page layout; formats write
 * only their content.
 */

enum {
	MAX_TABLE_COLUMNS = 64,
	MAX_CELL_LINES = 8,
};

struct table_shape {
	uint32_t columns; /* columns of the widest row, including spans */
	uint32_t rows;
	bool is_simple;
};

struct table_survey {
	const struct table_shape *
		tables; /* [count], in the order in which layout() opens them */
	uint32_t count;
};

/*
 * Find the tables. They belong to `arena`. Linear; almost free on a page
 * without tables.
 */
struct table_survey table_survey_make(struct arena *arena,
				      const struct render_request *request);

/* Return the number of columns of a cell, 1..MAX_TABLE_COLUMNS. */
uint32_t table_cell_span(const struct page *page, uint32_t node);

#endif
