#include "template/request.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "page/selector.h"

static const struct {
	const char *word;
	enum extra extra;
} words[] = {
	{"comments", EXTRA_COMMENTS},
	{"comments-apart", EXTRA_COMMENTS_APART},
	{"images", EXTRA_IMAGES},
	{"links", EXTRA_LINKS},
	{"front-matter", EXTRA_FRONT_MATTER},
	{"tables", EXTRA_NO_TABLES},
	{"title", EXTRA_NO_TITLE},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

bool extra_is_omission(enum extra extra)
{
	return extra == EXTRA_NO_TABLES || extra == EXTRA_NO_TITLE;
}

static bool extras_read_word(const char *word, size_t length, bool is_omission,
			     uint32_t *extras)
{
	for (size_t i = 0; i < WORDS; i++)
		if (extra_is_omission(words[i].extra) == is_omission &&
		    strlen(words[i].word) == length &&
		    memcmp(words[i].word, word, length) == 0) {
			*extras |= words[i].extra;
			return true;
		}
	return false;
}

static bool extras_read_list(const char *list, bool is_omission,
			     uint32_t *extras)
{
	for (;;) {
		size_t length = strcspn(list, ",");

		if (!extras_read_word(list, length, is_omission, extras))
			return false;
		if (list[length] == '\0')
			return true;
		list += length + 1;
	}
}

bool extras_read(const char *list, uint32_t *extras)
{
	return extras_read_list(list, false, extras);
}

bool extras_read_omitted(const char *list, uint32_t *extras)
{
	return extras_read_list(list, true, extras);
}

const char *extra_word(enum extra extra)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].extra == extra)
			return words[i].word;
	return NULL;
}

const struct extraction_options extraction_options_default = {
	.limits = {.max_bytes = 10000000,
		   .max_nodes = 200000,
		   .max_depth = 512,
		   .max_attributes = 256},
	.min_cluster_pages = 3,
};

void extraction_result_free(struct extraction_result *answer)
{
	buffer_free(&answer->text);
	page_destroy(answer->page);
	buffer_free(&answer->detached.head);
	buffer_free(&answer->detached.rest);
}

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

bool request_selection(const struct text_request *request, struct arena *arena,
		       struct selection *selection_out, char *error_out)
{
	*selection_out = (struct selection){
		.with_comments =
			((request->extras &
			  (EXTRA_COMMENTS | EXTRA_COMMENTS_APART)) != 0 &&
			 !request_separates_comments(request))};
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
