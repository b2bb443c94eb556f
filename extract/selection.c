#include "extract/selection.h"

#include "base/arena.h"
#include "extract/auto/auto_comments.h"
#include "extract/core/extractor.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "page/page.h"
#include "page/selector.h"

/* Return [text_count]: true for texts inside a selected element. */
static bool *texts_inside(const struct page *page,
			  const struct selector *selector)
{
	const bool *is_selected = selector_match(selector, page, page->arena);
	bool *is_inside = ARENA_NEW(page->arena, bool, page->text_count);
	uint32_t end =
		0; /* end of the texts of the selected elements up to now */

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (!is_selected[i])
			continue;
		if (end < node->first_text)
			end = node->first_text;
		while (end < node->end_text)
			is_inside[end++] = true;
	}
	return is_inside;
}

/* A new verdict for several texts. */
struct verdict_change {
	const bool *is_meant; /* [text_count] */
	bool is_content;
	const char *reason;
};

static void change_verdicts(const struct verdict_change *change,
			    const struct page *page, struct verdict *verdicts,
			    struct trace *trace)
{
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (!change->is_meant[i] ||
		    verdicts[i].is_content == change->is_content)
			continue;
		verdicts[i].is_content = change->is_content;
		trace_reason(trace, i, "%s", change->reason);
	}
}

static const bool *visible_inside(const struct page *page,
				  const struct selector *selector)
{
	const bool *is_visible = visible_texts(page->arena, page);
	bool *is_meant = texts_inside(page, selector);

	for (uint32_t i = 0; i < page->text_count; i++)
		is_meant[i] &= is_visible[i];
	return is_meant;
}

void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace)
{
	if (selection->with_comments)
		change_verdicts(
			&(struct verdict_change){
				auto_comments(page->arena, page), true,
				"it is a comment, and the request "
				"includes comments"},
			page, verdicts, trace);
	if (selection->apart != NULL)
		change_verdicts(
			&(struct verdict_change){
				selection->apart, false,
				"it is a comment, which the result "
				"lists separately"},
			page, verdicts, trace);
	if (selection->include != NULL)
		change_verdicts(
			&(struct verdict_change){
				visible_inside(page, selection->include), true,
				"the request includes it"},
			page, verdicts, trace);
	if (selection->exclude != NULL)
		change_verdicts(
			&(struct verdict_change){
				texts_inside(page, selection->exclude), false,
				"the request excludes it"},
			page, verdicts, trace);
}
