#include "extract/choose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const auto_method = "auto";
static const char *const template_method = "df";

/* Append to the reason; one that is full is cut. */
__attribute__((format(printf, 2, 3))) static void
explain(struct choice *choice, const char *format, ...)
{
	size_t used = strlen(choice->reason);
	va_list list;

	va_start(list, format);
	vsnprintf(choice->reason + used, sizeof(choice->reason) - used, format,
		  list);
	va_end(list);
}

/* The name itself is a stranger's and may be anything: it is not repeated. */
static enum error refuse_name(const char *what, struct choice *choice)
{
	choice->reason[0] = '\0';
	explain(choice, "no such %s; `templatectl methods` lists them", what);
	return ERR_NOT_FOUND;
}

/* Why a cluster of `pages` pages gives no template. */
static void explain_lack(struct choice *choice, uint32_t pages, uint32_t needed)
{
	if (pages == 0)
		explain(choice, "no template: the page is in no cluster");
	else
		explain(choice,
			"no template: the page's cluster has %u page%s, "
			"%u are needed",
			pages, pages == 1 ? "" : "s", needed);
}

static enum error choose_named(const char *method, uint32_t pages,
			       uint32_t needed, struct choice *choice)
{
	const struct extractor *extractor = extractor_find(method);

	if (extractor == NULL)
		return refuse_name("method", choice);
	if (needs_template(extractor) && pages < needed) {
		explain_lack(choice, pages, needed);
		explain(choice, "; %s works by it", method);
		return ERR_REFUSED;
	}
	choice->extractor = extractor;
	explain(choice, "asked for by name");
	return ERR_NONE;
}

static enum error choose_fallback(const char *fallback, uint32_t pages,
				  uint32_t needed, struct choice *choice)
{
	const struct extractor *extractor = extractor_find(fallback);

	if (extractor == NULL)
		return refuse_name("fallback method", choice);
	explain_lack(choice, pages, needed);
	if (needs_template(extractor)) {
		explain(choice, "; the fallback %s works by it", fallback);
		return ERR_REFUSED;
	}
	choice->extractor = extractor;
	explain(choice, "; fell back to %s", fallback);
	return ERR_NONE;
}

enum error choose_extractor(const char *method, const char *fallback,
			    uint32_t cluster_pages, uint32_t min_cluster_pages,
			    struct choice *choice_out)
{
	uint32_t needed = min_cluster_pages == 0 ? 1 : min_cluster_pages;

	*choice_out = (struct choice){0};
	if (strcmp(method, auto_method) != 0)
		return choose_named(method, cluster_pages, needed, choice_out);
	if (cluster_pages < needed)
		return choose_fallback(fallback, cluster_pages, needed,
				       choice_out);
	choice_out->extractor = extractor_find(template_method);
	explain(choice_out,
		"template: cluster of %u page%s (at least %u %s needed)",
		cluster_pages, cluster_pages == 1 ? "" : "s", needed,
		needed == 1 ? "is" : "are");
	return ERR_NONE;
}
