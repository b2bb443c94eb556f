/* daemon/ctl/completion_values.c - values for the capitals of a usage. */
#include "daemon/ctl/completion.h"

#include <inttypes.h>
#include <stdio.h>

#include <jansson.h>

#include "daemon/ctl/ctl_client.h"
#include "extract/answer_quality.h"
#include "extract/extractors.h"
#include "page/page_class.h"
#include "store/rows_event.h"

/* A user waits for the completion. */
enum { PATIENCE_MS = 400 };

/* Return the response to GET; NULL, without a message, if there is none. */
static json_t *completion_request(const struct completion *completion,
				  const char *target)
{
	struct socket_answer answer = {0};
	json_t *value = NULL;

	if (socket_request(completion->socket, "GET", target, slice_of(NULL),
			   NULL, PATIENCE_MS, &answer) == ERR_NONE &&
	    answer.status == 200 && answer.body.size > 0)
		value = json_loadb(answer.body.data, answer.body.size, 0, NULL);
	buffer_free(&answer.body);
	return value;
}

/* The array `member` of a response: its values and descriptions. */
struct value_list {
	const char *target;
	const char *member;
	const char *value;   /* member of a row */
	const char *meaning; /* another member of a row */
};

static void completion_add_row(const struct completion *completion,
			       const struct value_list *listing,
			       const json_t *row)
{
	const json_t *value = json_object_get(row, listing->value);
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64,
		 field_whole(row, listing->value));
	completion_add(
		completion,
		json_is_integer(value) ? number : json_string_value(value),
		json_string_value(json_object_get(row, listing->meaning)));
}

static void add_listing(const struct completion *completion,
			const struct value_list *listing)
{
	json_t *answer = completion_request(completion, listing->target);
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, listing->member), i, row)
		completion_add_row(completion, listing, row);
	json_decref(answer);
}

static void add_sites(struct completion *completion)
{
	add_listing(completion, &(struct value_list){"/v1/sites", "sites",
						     "host", "state"});
}

/*
 * Omit URLs where paths are possible: bash offers paths only without other
 * completions.
 */
static void add_urls(struct completion *completion)
{
	if (completion->has_files)
		return;
	add_listing(completion,
		    &(struct value_list){"/v1/sites", "sites", "url", "state"});
}

static void add_hooks(struct completion *completion)
{
	add_listing(completion,
		    &(struct value_list){"/v1/hooks", "hooks", "id", "target"});
}

static void add_silences(struct completion *completion)
{
	add_listing(completion, &(struct value_list){"/v1/silences", "silences",
						     "id", "kind"});
}

static void completion_add_tokens(struct completion *completion)
{
	add_listing(completion, &(struct value_list){"/v1/tokens", "tokens",
						     "name", "role"});
}

static void completion_add_nodes(struct completion *completion)
{
	add_listing(completion, &(struct value_list){"/v1/nodes", "nodes",
						     "name", "version"});
}

static void add_alerts(struct completion *completion)
{
	add_listing(completion,
		    &(struct value_list){"/v1/events?kinds=alerts&firing=1",
					 "events", "seq", "kind"});
}

/* Add the guards of the site in the operand before. */
static void completion_add_guards(struct completion *completion)
{
	const struct typed_line *line = completion->line;
	struct buffer target = {0};

	if (line->operand_count == 0)
		return;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, line->operands[line->operand_count - 1]);
	buffer_append_text(&target, "/guards");
	add_listing(completion, &(struct value_list){target.data, "guards",
						     "id", "selector"});
	buffer_free(&target);
}

/* Add the templates of the site `host` [length], each with its pages. */
static void add_templates_of(const struct completion *completion,
			     struct slice host)
{
	struct buffer name = {0};
	struct buffer target = {0};
	json_t *answer;
	const json_t *row;
	size_t i;

	buffer_append_slice(&name, host);
	buffer_append_byte(&name, '\0');
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, name.data);
	buffer_append_text(&target, "/templates");
	answer = completion_request(completion, target.data);
	json_array_foreach(json_object_get(answer, "templates"), i, row)
	{
		char pages[48];

		snprintf(pages, sizeof(pages), "%" PRIu64 " pages",
			 field_whole(row, "pages"));
		completion_add(completion,
			       json_string_value(json_object_get(row, "id")),
			       pages);
	}
	json_decref(answer);
	buffer_free(&target);
	buffer_free(&name);
}

/* Add "HOST/" for each site; if there is only one site, add its templates. */
static void add_sites_of_templates(const struct completion *completion)
{
	json_t *answer = completion_request(completion, "/v1/sites");
	const json_t *sites = json_object_get(answer, "sites");
	const json_t *row;
	size_t i;

	json_array_foreach(sites, i, row)
	{
		const char *host =
			json_string_value(json_object_get(row, "host"));
		struct buffer name = {0};

		if (host == NULL)
			continue;
		if (json_array_size(sites) == 1) {
			add_templates_of(completion, slice_of(host));
			continue;
		}
		buffer_printf(&name, "%s/", host);
		completion_add(
			completion, name.data,
			json_string_value(json_object_get(row, "state")));
		buffer_free(&name);
	}
	json_decref(answer);
}

static void add_templates(struct completion *completion)
{
	const char *slash = strrchr(completion->typed, '/');

	if (slash == NULL)
		add_sites_of_templates(completion);
	else
		add_templates_of(
			completion,
			(struct slice){completion->typed,
				       (size_t)(slash - completion->typed)});
}

static void add_sites_and_templates(struct completion *completion)
{
	if (strchr(completion->typed, '/') == NULL)
		add_sites(completion);
	else
		add_templates(completion);
}

static void add_methods(struct completion *completion)
{
	for (const struct extractor *const *e = extractors; *e != NULL; e++)
		completion_add(completion, (*e)->name, (*e)->summary);
}

/* Add NAME= for each parameter of the method on the command line. */
static void add_parameters(struct completion *completion)
{
	const char *method = typed_line_value(completion->line, "method");
	const struct extractor *extractor =
		extractor_find(method == NULL ? "auto" : method);

	if (extractor == NULL)
		return;
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];
		char name[64];

		snprintf(name, sizeof(name), "%s=", parameter->name);
		completion_add(completion, name, parameter->meaning);
	}
}

/*
 * Return the completion after the last comma; the text before it is the head.
 */
static struct completion last_of_list(const struct completion *completion)
{
	struct completion last = *completion;
	const char *comma = strrchr(completion->typed, ',');
	const char *word = completion->typed - completion->head.size;

	if (comma != NULL) {
		last.typed = comma + 1;
		last.head = (struct slice){word, (size_t)(last.typed - word)};
	}
	return last;
}

static void add_kinds(struct completion *completion)
{
	static const char *const names[] = {"alerts",
#define X(name, value, text) text,
					    EVENT_LIST(X)
#undef X
	};
	struct completion last = last_of_list(completion);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		completion_add(&last, names[i], NULL);
}

static void add_types(struct completion *completion)
{
	struct completion last = last_of_list(completion);

	for (unsigned i = 0; i < PAGE_CLASS_COUNT; i++)
		completion_add(&last, page_class_name(i), NULL);
}

static void add_qualities(struct completion *completion)
{
	struct completion last = last_of_list(completion);

	for (unsigned i = 0; i < QUALITY_COUNT; i++)
		completion_add(&last, text_quality_name((enum text_quality)i),
			       NULL);
}

static void add_files(struct completion *completion)
{
	completion->has_files = true;
}

static void add_folders(struct completion *completion)
{
	completion->has_folders = true;
}

static const struct {
	const char *name;
	void (*add)(struct completion *completion);
} kinds[] = {
	{"HOST", add_sites},
	{"HOST/N", add_templates},
	{"HOST[/N]", add_sites_and_templates},
	{"URL", add_urls},
	{"EVENT", add_alerts},
	{"GUARD", completion_add_guards},
	{"HOOK", add_hooks},
	{"SILENCE", add_silences},
	{"TOKEN", completion_add_tokens},
	{"NODE", completion_add_nodes},
	{"METHOD", add_methods},
	{"NAME=VALUE", add_parameters},
	{"KIND,...", add_kinds},
	{"TYPE,...", add_types},
	{"QUALITY,...", add_qualities},
	{"FILE", add_files},
	{"ARCHIVE", add_files},
	{"BUNDLE", add_files},
	{"PAGE", add_files},
	{"SOCKET", add_files},
	{"TSV", add_files},
	{"DIR", add_folders},
	{"PATH", add_folders},
	{"STORE", add_folders},
	{"OLD", add_folders},
	{"NEW", add_folders},
};

void completion_add_values(struct completion *completion, struct slice name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_equal(name, slice_of(kinds[i].name)))
			kinds[i].add(completion);
}
