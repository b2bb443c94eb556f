/*
 * extract/choose.h - choosing a method by name, and whether it gets a template.
 */
#ifndef EXTRACT_CHOOSE_H
#define EXTRACT_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "store/error.h"

/* The method that is used when none is named. */
#define DEFAULT_METHOD "auto"

struct choice {
	const struct extractor *extractor; /* that runs */
	const struct extractor *named; /* in whose place it runs, or itself */
	bool has_template; /* it gets the template of the page's cluster */
	char reason[160];  /* an English phrase: the evidence that is used */
};

/*
 * `method` is a name of the table, NULL the default. A cluster has a template
 * when it has at least `min_cluster_pages` pages; `cluster_pages` is 0 for a
 * page in no cluster. A method that needs a template, where there is none,
 * gives way to the default method if it falls back (struct extractor); the
 * reason says so. ERR_NOT_FOUND: no such method; ERR_REFUSED: it needs a
 * template, there is none, and it does not fall back; choice_out->reason says
 * so in both cases.
 */
enum error choose_extractor(const char *method, uint32_t cluster_pages,
			    uint32_t min_cluster_pages,
			    struct choice *choice_out);

#endif
