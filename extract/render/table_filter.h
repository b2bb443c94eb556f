/* extract/render/table_filter.h - the kept text without its tables. */
#ifndef EXTRACT_RENDER_TABLE_FILTER_H
#define EXTRACT_RENDER_TABLE_FILTER_H

struct arena;
struct page;
struct verdict;

/*
 * Take is_content from the texts in simple tables (table_survey.h), and in
 * tables inside these: in those that Markdown writes as tables. What stands in
 * tables that only lay out the page remains. Scratch memory in `arena`; linear.
 */
void tables_leave_out(struct arena *arena, const struct page *page,
		      struct verdict *verdicts);

#endif
