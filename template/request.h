/*
 * template/request.h - convert the options of a request to parameters and
 * selectors of a method.
 */
#ifndef TEMPLATE_REQUEST_H
#define TEMPLATE_REQUEST_H

#include <stdbool.h>

#include "extract/extractors.h"
#include "template/result.h"

struct arena;
struct extractor;

/*
 * Set the parameters [MAX_PARAMETERS] of the method: its defaults, overridden
 * by `settings` (or NULL), by the preference and by the parameters of the
 * request. If one is invalid, write an English sentence to `error_out` [256]
 * and return false.
 */
bool request_parameters(const struct text_request *request,
			const struct extractor *extractor, const char *settings,
			double *parameters, char *error_out);

/* Return whether the comments are in a separate field. */
bool request_separates_comments(const struct text_request *request);

/*
 * Compile the selectors that change the method's choice, in `arena`. Errors as
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
