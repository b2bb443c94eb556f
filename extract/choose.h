/* extract/choose.h - from the name of a method to what it is given. */
#ifndef EXTRACT_CHOOSE_H
#define EXTRACT_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "store/error.h"

/* The method of those who name none. */
#define DEFAULT_METHOD "auto"

struct choice {
	const struct extractor *extractor;
	bool has_template; /* it is given what the page's cluster tells */
	char reason[160];  /* an English phrase: by what the page is judged */
};

/*
 * `method` is a name of the table, NULL the default. A template is what a
 * cluster of at least `min_cluster_pages` pages tells; `cluster_pages` is 0 for
 * a page in no cluster. ERR_NOT_FOUND: no such method; ERR_REFUSED: it works by
 * a template, and there is none; choice_out->reason says so in both cases.
 */
enum error choose_extractor(const char *method, uint32_t cluster_pages,
			    uint32_t min_cluster_pages,
			    struct choice *choice_out);

#endif
