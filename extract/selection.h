/*
 * extract/selection.h - selectors of a request that change the choice of any
 * method afterwards.
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
	const struct selector *include; /* all visible text in them; or NULL */
	const struct selector *exclude; /* no text in them; or NULL */
	bool with_comments;             /* auto_comments() */
	const bool *apart; /* [text_count]: never these texts; or NULL */
};

/*
 * Change the verdicts [page->text_count]; `exclude` wins. Scores do not change;
 * reasons go to `trace`, unless it is NULL. Memory from page->arena. Linear in
 * the page, as page/select/selector.h says.
 */
void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace);

#endif
