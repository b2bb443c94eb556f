/*
 * extract/choose.h - selects a method by its name and decides whether it gets
 * the template.
 */
#ifndef EXTRACT_CHOOSE_H
#define EXTRACT_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "extract/core/extractor.h"

/* The method that runs if the request names none. */
#define DEFAULT_METHOD "auto"

struct method_selection {
	const struct extractor *extractor; /* the method that runs */
	const struct extractor *named; /* the method that the request names */
	bool has_template; /* the method gets the template of the page's cluster
			    */
	char reason[160];  /* an English phrase: the evidence that the method
			      uses */
};

/*
 * Select the method `method`; NULL selects the default. A cluster has a
 * template if it has at least `min_cluster_pages` pages; `cluster_pages` is 0
 * for a page in no cluster. If a method needs a template and there is none, the
 * default method runs instead if the method falls back (struct extractor).
 * ERR_NOT_FOUND: there is no such method. ERR_ADDRESS_FORBIDDEN: the method
 * needs a template, there is none, and the method does not fall back.
 * choice_out->reason explains every result.
 */
enum error method_select(const char *method, uint32_t cluster_pages,
			 uint32_t min_cluster_pages,
			 struct method_selection *choice_out);

#endif
