/*
 * extract/render/table.h - finds the simple tables in the kept text of a page,
 * and removes them from the kept text.
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
 * Set is_content to false for the texts in simple tables and in tables inside
 * simple tables. Texts in other tables, which only lay out the page, do not
 * change. Scratch memory comes from `arena`. Linear.
 */
void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts);

/*
 * A table is simple if its cells have only a few lines of text, which may be
 * items of lists, or a heading.
 * Markdown writes only simple tables as tables. Other tables are mostly used
 * for the layout of the page; of these, only the content is written.
 */

enum {
	MAX_TABLE_COLUMNS = 64,
	MAX_CELL_LINES = 8,
};

struct table_shape {
	uint32_t columns; /* number of columns of the widest row, including
			     spans */
	uint32_t rows;
	bool is_simple;
};

struct table_survey {
	const struct table_shape *
		tables; /* [count], in the order in which layout() opens them */
	uint32_t count;
};

/*
 * Find the tables in the kept text. If is_markdown, find the tables of a writer
 * with media and callouts, otherwise of a writer without both: a table may have
 * only media, or cells with only media. The result belongs to `arena`. Linear;
 * almost no cost on a page without tables.
 */
struct table_survey table_survey_make(struct arena *arena,
				      const struct render_request *request,
				      bool is_markdown);

/* Return the number of columns that cell `node` spans, 1..MAX_TABLE_COLUMNS. */
uint32_t table_cell_span(const struct page *page, uint32_t node);

#endif
