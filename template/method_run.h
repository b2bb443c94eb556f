/*
 * template/method_run.h - select the method, prepare its inputs, run it, and
 * render the text. Internal to extraction.c.
 */
#ifndef TEMPLATE_METHOD_RUN_H
#define TEMPLATE_METHOD_RUN_H

#include "template/extraction.h"

/*
 * Fill method, reason, text and metadata of the result, which already has the
 * cluster's name and generation. ERR_NOT_FOUND, ERR_ADDRESS_FORBIDDEN (method),
 * ERR_MALFORMED (parameters or model); errors of struct template_model.
 */
enum error method_run(const struct extraction *extraction,
		      struct extraction_result *answer);

#endif
