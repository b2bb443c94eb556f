#include "daemon/ctl/ctl_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_offline.h"
#include "page/selector.h"
#include "template/request.h"

enum { MAX_ERROR = 256 };

/*
 * Join the values of the option `name`. Each must be a valid selector, because
 * an unclosed one would swallow the next.
 */
static bool join_selectors(const struct ctl *ctl, const char *name,
			   struct buffer *joined)
{
	for (size_t i = 0; i < ctl->value_count; i++) {
		const char *text = ctl->values[i].text;
		char error[MAX_ERROR];
		struct arena *arena;
		bool is_right;

		if (strcmp(ctl->values[i].option->name, name) != 0)
			continue;
		arena = arena_create();
		is_right = selector_compile(arena, text, error) != NULL;
		arena_destroy(arena);
		if (!is_right) {
			ctl_print_error(ctl, "--%s: \"%s\": %s", name, text,
					error);
			return false;
		}
		if (joined->size > 0)
			buffer_append_text(joined, ", ");
		buffer_append_text(joined, text);
	}
	return true;
}

static bool ctl_request_check(const struct ctl *ctl,
			      const struct text_request *request)
{
	char error[MAX_ERROR];

	switch (request_check(request, error)) {
	case ERR_NONE:
		return true;
	case ERR_NOT_FOUND:
		ctl_print_error(ctl,
				"--method: \"%s\" is not a method; see "
				"templatectl methods",
				request->method);
		return false;
	default:
		ctl_print_error(ctl, "%s", error);
		return false;
	}
}

static uint32_t ctl_request_read_extras(const struct ctl *ctl)
{
	static const struct {
		const char *name;
		enum extra extra;
	} options[] = {
		{"with", EXTRA_COMMENTS},
		{"comments", EXTRA_COMMENTS_APART},
		{"images", EXTRA_IMAGES},
		{"links", EXTRA_LINKS},
		{"no-tables", EXTRA_NO_TABLES},
		{"front-matter", EXTRA_FRONT_MATTER},
	};
	uint32_t extras = 0;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (option_given(ctl, options[i].name))
			extras |= options[i].extra;
	return extras;
}

bool ctl_request_read(const struct ctl *ctl, struct ctl_request *request_out)
{
	struct text_request *request = &request_out->request;
	const char *favor = option_text(ctl, "favor");
	const char *scope = option_text(ctl, "scope");

	*request_out =
		(struct ctl_request){.parameters = offline_parameters(ctl)};
	request->method = option_text(ctl, "method");
	request->parameters = request_out->parameters;
	request->extras = ctl_request_read_extras(ctl);
	if (favor != NULL)
		favor_from_name(favor, &request->preference.favor);
	if (scope != NULL)
		scope_from_name(scope, &request->preference.scope);
	if (!join_selectors(ctl, "include", &request_out->include) ||
	    !join_selectors(ctl, "exclude", &request_out->exclude))
		return false;
	request->include = request_out->include.data;
	request->exclude = request_out->exclude.data;
	return ctl_request_check(ctl, request);
}

void ctl_request_free(struct ctl_request *request)
{
	free(request->parameters);
	buffer_free(&request->include);
	buffer_free(&request->exclude);
}

static void ctl_request_append_argument(struct buffer *target, const char *name,
					const char *value)
{
	if (value == NULL)
		return;
	buffer_printf(target, "&%s=", name);
	client_append_escaped(target, value);
}

static void append_extras(uint32_t extras, struct buffer *target)
{
	const char *before = "&with=";

	for (uint32_t extra = 1; extra <= EXTRAS; extra *= 2) {
		const char *word = extra_word((enum extra)extra);

		if ((extras & extra) == 0 || word == NULL)
			continue;
		buffer_printf(target, "%s%s", before, word);
		before = "%2C";
	}
	if ((extras & EXTRA_NO_TABLES) != 0)
		ctl_request_append_argument(target, "without", "tables");
}

void ctl_request_append(const struct ctl_request *asked, struct buffer *target)
{
	const struct text_request *request = &asked->request;

	ctl_request_append_argument(target, "method", request->method);
	if (request->preference.favor != FAVOR_BALANCE)
		ctl_request_append_argument(
			target, "favor", favor_name(request->preference.favor));
	ctl_request_append_argument(target, "scope",
				    scope_name(request->preference.scope));
	append_extras(request->extras, target);
	ctl_request_append_argument(target, "include", request->include);
	ctl_request_append_argument(target, "exclude", request->exclude);
	for (size_t i = 0; asked->parameters[i] != NULL; i++) {
		buffer_append_text(target, i == 0 ? "&param=" : "%2C");
		client_append_escaped(target, asked->parameters[i]);
	}
}
