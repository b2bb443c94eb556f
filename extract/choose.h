/* extract/choose.h - the rule that chooses a method for a page. */
#ifndef EXTRACT_CHOOSE_H
#define EXTRACT_CHOOSE_H

#include <stdint.h>

#include "extract/extractor.h"
#include "store/error.h"

struct choice {
	const struct extractor *extractor;
	char reason[160]; /* an English phrase: why this one */
};

/*
 * `method` is "auto" or a name of the table. auto: DF when the page's cluster
 * has at least `min_cluster_pages` pages, else `fallback` (a name). A method
 * that needs a template is refused where the cluster is too small, with
 * `cluster_pages` 0 for a page in no cluster. ERR_NOT_FOUND: no such method;
 * ERR_REFUSED: no template; choice_out->reason says so in both cases.
 */
enum error choose_extractor(const char *method, const char *fallback,
			    uint32_t cluster_pages, uint32_t min_cluster_pages,
			    struct choice *choice_out);

#endif
