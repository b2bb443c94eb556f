#include "extract/choose.h"
#include "extract/extractors.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Append to the reason; truncate a reason that is too long. */
__attribute__((format(printf, 2, 3))) static void
choice_append_reason(struct method_selection *choice, const char *format, ...)
{
	size_t used = strlen(choice->reason);
	va_list list;

	va_start(list, format);
	vsnprintf(choice->reason + used, sizeof(choice->reason) - used, format,
		  list);
	va_end(list);
}

/* Explain why a cluster of `pages` pages has no template. */
static void explain_lack(struct method_selection *choice, uint32_t pages,
			 uint32_t needed)
{
	if (pages == 0)
		choice_append_reason(choice,
				     "no template: the page is in no cluster");
	else
		choice_append_reason(
			choice,
			"no template: the page's cluster has %u page%s, "
			"%u are needed",
			pages, pages == 1 ? "" : "s", needed);
}

enum error method_select(const char *method, uint32_t cluster_pages,
			 uint32_t min_cluster_pages,
			 struct method_selection *choice_out)
{
	const struct extractor *extractor =
		extractor_find(method == NULL ? DEFAULT_METHOD : method);
	uint32_t needed = min_cluster_pages == 0 ? 1 : min_cluster_pages;

	*choice_out = (struct method_selection){0};
	if (extractor == NULL) {
		/* do not repeat the name: it is untrusted input */
		choice_append_reason(
			choice_out,
			"no such method; `templatectl methods` lists them");
		return ERR_NOT_FOUND;
	}
	if (extractor->needs == NEEDS_PAGE) {
		choice_append_reason(choice_out, "from the page only");
	} else if (cluster_pages >= needed) {
		choice_out->has_template = true;
		choice_append_reason(
			choice_out, "template: cluster of %u page%s",
			cluster_pages, cluster_pages == 1 ? "" : "s");
	} else {
		explain_lack(choice_out, cluster_pages, needed);
		if (needs_template(extractor) && !extractor->falls_back) {
			choice_append_reason(choice_out, "; %s needs it",
					     extractor->name);
			return ERR_ADDRESS_FORBIDDEN;
		}
		choice_append_reason(choice_out, "; from the page only");
		if (extractor->falls_back)
			choice_append_reason(choice_out,
					     ", by %s instead of %s",
					     DEFAULT_METHOD, extractor->name);
	}
	assert(!choice_out->has_template || extractor->needs != NEEDS_PAGE);
	choice_out->named = extractor;
	choice_out->extractor =
		extractor->falls_back && !choice_out->has_template
			? extractor_find(DEFAULT_METHOD)
			: extractor;
	return ERR_NONE;
}
