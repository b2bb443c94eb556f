/*
 * template/method_run.h - choose the method, give it what it needs, run it, and
 * render the text. Internal to extraction.c.
 */
#ifndef TEMPLATE_METHOD_RUN_H
#define TEMPLATE_METHOD_RUN_H

#include "template/extraction.h"

/*
 * Fill method, reason, text and metadata of the answer, which has the cluster's
 * name and generation already. ERR_NOT_FOUND, ERR_REFUSED (method),
 * ERR_MALFORMED (parameters or model); those of struct taught.
 */
enum error method_run(const struct extraction *extraction,
		      struct text_answer *answer);

#endif
