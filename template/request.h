/*
 * template/request.h - the options of a request as parameters and selectors for
 * a method. Internal to template/.
 */
#ifndef TEMPLATE_REQUEST_H
#define TEMPLATE_REQUEST_H

#include <stdbool.h>

#include "extract/selection.h"
#include "template/text_answer.h"

struct arena;
struct extractor;

/*
 * The parameters [MAX_PARAMETERS] of the method: its defaults, overridden by
 * `settings` (as in extract/settings.h; or NULL), then by what the request
 * prefers, then by the parameters of the request. False, with an English
 * sentence in `error_out` [256], where one is wrong.
 */
bool request_parameters(const struct text_request *request,
			const struct extractor *extractor, const char *settings,
			double *parameters, char *error_out);

/* Whether the comments stand in a field of their own. */
bool request_parts_comments(const struct text_request *request);

/*
 * The selectors that change the method's choice, compiled in `arena`. Errors as
 * above.
 */
bool request_selection(const struct text_request *request, struct arena *arena,
		       struct selection *selection_out, char *error_out);

/*
 * Check the request, independent of the page. ERR_NOT_FOUND: no such method;
 * ERR_MALFORMED: with an English sentence in `error_out` [256].
 */
enum error request_check(const struct text_request *request, char *error_out);

#endif
