/*
 * template/request.h - what a request for text asks for, made into what a
 * method takes. Internal to template/.
 */
#ifndef TEMPLATE_REQUEST_H
#define TEMPLATE_REQUEST_H

#include <stdbool.h>

#include "extract/selection.h"
#include "template/text_answer.h"

struct arena;
struct extractor;

/*
 * The parameters [MAX_PARAMETERS] of the method: its defaults, `settings` (as
 * in extract/settings.h; or NULL) over them, what is favored over these, and
 * those of the request over all. False, with an English sentence in `error_out`
 * [256], where one is wrong.
 */
bool request_parameters(const struct text_request *request,
			const struct extractor *extractor, const char *settings,
			double *parameters, char *error_out);

/* What is wanted beside the method's choice; compiled in `arena`. The same. */
bool request_selection(const struct text_request *request, struct arena *arena,
		       struct selection *selection_out, char *error_out);

/*
 * Is it right, whatever the page? ERR_NOT_FOUND: no such method;
 * ERR_MALFORMED: with an English sentence in `error_out` [256].
 */
enum error request_check(const struct text_request *request, char *error_out);

#endif
