/*
 * template/presentation.h - create a result from verdicts: the text in the
 * requested format, and metadata.
 */
#ifndef TEMPLATE_PRESENTATION_H
#define TEMPLATE_PRESENTATION_H

#include "template/extraction.h"

/* The method's `input` has its parameters, its template and its trace. */
void result_present(const struct extraction *extraction,
		    const struct extractor *extractor,
		    const struct extractor_input *input,
		    const struct verdict *verdicts,
		    struct extraction_result *answer);

/* Read the metadata of the result's page. */
void result_read_metadata(struct extraction_result *answer);

/*
 * Return whether the page can be cited: it has a title, a date of publication,
 * and a URL or canonical URL. Reads the metadata if the format did not.
 */
bool result_is_citable(struct extraction_result *answer);

/* Read the metadata and compute the document, for any format. */
void result_compute_document(struct extraction_result *answer);

#endif
