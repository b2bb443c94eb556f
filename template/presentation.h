/*
 * template/presentation.h - create a result from verdicts: the text in the
 * requested format, and metadata.
 */
#ifndef TEMPLATE_PRESENTATION_H
#define TEMPLATE_PRESENTATION_H

#include "template/extraction.h"

/* The method's `input` has its parameters, its template and its trace. */
void present(const struct extraction *extraction,
	     const struct extractor *extractor,
	     const struct extractor_input *input,
	     const struct verdict *verdicts, struct text_answer *answer);

/* Read the metadata of the result's page. */
void answer_describe(struct text_answer *answer);

/*
 * Return whether the page can be cited: it has a title, a date of publication,
 * and a URL or canonical URL. Reads the metadata if the format did not.
 */
bool answer_is_citable(struct text_answer *answer);

/* Read the metadata and compute the document, for any format. */
void answer_document(struct text_answer *answer);

#endif
