/*
 * template/request.h - converts the options of a request to the parameters and
 * selectors of an extraction method.
 */
#ifndef TEMPLATE_REQUEST_H
#define TEMPLATE_REQUEST_H

#include <stdbool.h>

#include "extract/extractors.h"
#include "template/result.h"

struct arena;
struct extractor;

/*
 * Set the parameters [MAX_PARAMETERS] of a method. The defaults of the method
 * are overridden by `settings` (may be NULL), then by the preference, then by
 * the parameters of the request. If a parameter is invalid, write an English
 * sentence to `error_out` [256] and return false.
 */
bool request_parameters(const struct text_request *request,
			const struct extractor *extractor, const char *settings,
			double *parameters, char *error_out);

/* Return whether the readers' comments are returned in a separate field. */
bool request_separates_comments(const struct text_request *request);

/*
 * Compile the selectors that include or exclude texts, in `arena`. If a
 * selector is invalid, write an English sentence to `error_out` [256] and
 * return false.
 */
bool request_selection(const struct text_request *request, struct arena *arena,
		       struct selection *selection_out, char *error_out);

/*
 * Check the request without a page. ERR_NOT_FOUND: there is no such method.
 * ERR_MALFORMED: an option is invalid; `error_out` [256] contains an English
 * sentence.
 */
enum error request_check(const struct text_request *request, char *error_out);

#endif
