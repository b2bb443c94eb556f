/* extract/render/table_filter.h - removes tables from the kept text. */
#ifndef EXTRACT_RENDER_TABLE_FILTER_H
#define EXTRACT_RENDER_TABLE_FILTER_H

struct arena;
struct page;
struct verdict;

/*
 * Clear is_content of the texts in simple tables (table_survey.h) and in tables
 * inside these, which Markdown would write as tables. Texts in tables that only
 * lay out the page remain. Scratch memory in `arena`; linear.
 */
void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts);

#endif
