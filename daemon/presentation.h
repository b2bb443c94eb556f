/*
 * daemon/presentation.h - verdicts to an answer: its text in the format that
 * was asked for, and what is told beside it. Internal to extraction.c.
 */
#ifndef DAEMON_PRESENTATION_H
#define DAEMON_PRESENTATION_H

#include "daemon/extraction.h"

/* The method's `input` has its parameters, its template and its trace. */
void present(const struct extraction *extraction,
	     const struct extractor *extractor,
	     const struct extractor_input *input,
	     const struct verdict *verdicts, struct text_answer *answer);

#endif
