#include "template/request.h"

#include <stdio.h>

#include "base/arena.h"
#include "extract/choose.h"
#include "extract/extractors.h"
#include "extract/settings.h"
#include "page/selector.h"

enum { MAX_ERROR = 256 };

bool request_parameters(const struct text_request *request,
			const struct extractor *extractor, const char *settings,
			double *parameters, char *error_out)
{
	const char *const *given = request->parameters;

	extractor_defaults(extractor, parameters);
	if (settings != NULL &&
	    !settings_apply(settings, extractor, parameters, error_out))
		return false;
	if (!preference_apply(request->preference, extractor, parameters,
			      error_out))
		return false;
	for (; given != NULL && *given != NULL; given++)
		if (!extractor_set(extractor, *given, parameters, error_out))
			return false;
	return true;
}

static bool request_compile_selector(struct arena *arena, const char *name,
				     const char *text,
				     const struct selector **selector_out,
				     char *error_out)
{
	char reason[MAX_ERROR];

	*selector_out = NULL;
	if (text == NULL)
		return true;
	*selector_out = selector_compile(arena, text, reason);
	if (*selector_out == NULL)
		snprintf(error_out, MAX_ERROR, "%s: %.240s", name, reason);
	return *selector_out != NULL;
}

bool request_separates_comments(const struct text_request *request)
{
	return (request->extras & EXTRA_COMMENTS_APART) != 0 &&
	       request->format == FORMAT_JSON;
}

/*
 * Return whether comments are in the text: formats without a field for comments
 * put them there.
 */
static bool request_mixes_comments(const struct text_request *request)
{
	return (request->extras & (EXTRA_COMMENTS | EXTRA_COMMENTS_APART)) !=
		       0 &&
	       !request_separates_comments(request);
}

bool request_selection(const struct text_request *request, struct arena *arena,
		       struct selection *selection_out, char *error_out)
{
	*selection_out = (struct selection){
		.with_comments = request_mixes_comments(request)};
	return request_compile_selector(arena, "include", request->include,
					&selection_out->include, error_out) &&
	       request_compile_selector(arena, "exclude", request->exclude,
					&selection_out->exclude, error_out);
}

enum error request_check(const struct text_request *request, char *error_out)
{
	const struct extractor *extractor = extractor_find(
		request->method == NULL ? DEFAULT_METHOD : request->method);
	double parameters[MAX_PARAMETERS];
	struct selection selection;
	struct arena *arena;
	bool is_right;

	if (extractor == NULL) {
		snprintf(error_out, MAX_ERROR, "there is no such method");
		return ERR_NOT_FOUND;
	}
	arena = arena_create();
	is_right = request_parameters(request, extractor, NULL, parameters,
				      error_out) &&
		   request_selection(request, arena, &selection, error_out);
	arena_destroy(arena);
	return is_right ? ERR_NONE : ERR_MALFORMED;
}
