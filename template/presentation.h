/*
 * template/presentation.h - from verdicts to an answer: the text in the
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

/* Read the metadata of the answer's page. */
void answer_describe(struct text_answer *answer);

/*
 * Whether it can be cited: it has a title, a date of publication and an
 * address, of its own or that it calls canonical. Reads the metadata if the
 * format did not.
 */
bool answer_is_citable(struct text_answer *answer);

/* The same, and its document, whatever the format. */
void answer_document(struct text_answer *answer);

#endif
