/*
 * extract/selection.h - applies the selectors of a request to the choice of any
 * method.
 */
#ifndef EXTRACT_SELECTION_H
#define EXTRACT_SELECTION_H

#include <stdbool.h>

struct arena;
struct page;
struct selector;
struct trace;
struct verdict;

struct selection {
	const struct selector *include; /* choose all visible text in these
					   elements; or NULL */
	const struct selector
		*exclude;   /* choose no text in these elements; or NULL */
	bool with_comments; /* choose the texts of auto_comments(), too */
	const bool *apart; /* [text_count]: never choose these texts; or NULL */
};

/*
 * Change the verdicts [page->text_count]; `exclude` takes precedence. Scores do
 * not change; reasons go to `trace`, which may be NULL. Memory from
 * page->arena. Linear in the page, within the bounds of page/selector.h.
 */
void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace);

#endif
