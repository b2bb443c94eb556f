#include "daemon/ctl/completion.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/runtime/terminal.h"
#include "extract/extractors.h"
#include "page/page_class.h"
#include "store/rows.h"

/* Parsing an incomplete command line, to find the role of its last word. */

/* The role of the last word. */
enum typed_part {
	TYPED_VERB,
	TYPED_OPTION,  /* it begins with "-" */
	TYPED_VALUE,   /* the value of `option` */
	TYPED_OPERAND, /* an operand after those in `ctl` */
	TYPED_NOTHING, /* unknown, because the verb does not exist */
};

/* The parsed command line. Its pointers point into the words and the tables. */
struct typed_line {
	struct ctl ctl; /* the values of its options are not checked */
	enum typed_part part;
	const struct verb_option *option;
	struct slice head; /* part of the last word before the value:
			      "--format=" */
	const char *last;  /* the rest of the last word */
	bool is_ended;     /* "--" was read, so all further words are
			      operands */
};

static bool is_option(const struct typed_line *line, const char *word)
{
	return !line->is_ended && word[0] == '-';
}

/*
 * Return the option of the word; NULL if it is unknown, or a flag, which has no
 * value.
 */
static const struct verb_option *
option_with_value(const struct typed_line *line, const char *word)
{
	const struct verb_option *option = NULL;

	if (line->ctl.verb != NULL)
		option = verb_option_named(line->ctl.verb, word);
	if (option == NULL)
		option = option_named(global_options, word);
	return option == NULL || option->kind == OPTION_FLAG ? NULL : option;
}

static void typed_line_read_option(struct typed_line *line, const char *word)
{
	const struct verb_option *option;
	const char *equals = strchr(word, '=');

	if (strcmp(word, "--") == 0) {
		line->is_ended = true;
		return;
	}
	option = option_with_value(line, word);
	if (option == NULL)
		return;
	if (word[1] != '-' || equals == NULL)
		line->option = option;
	else
		line->ctl.values[line->ctl.value_count++] =
			(struct option_value){option, equals + 1};
}

/* Read one of the words before the last one. */
static void typed_line_read_word(struct typed_line *line, const char *word)
{
	if (line->option != NULL) {
		line->ctl.values[line->ctl.value_count++] =
			(struct option_value){line->option, word};
		line->option = NULL;
	} else if (is_option(line, word) && word[1] != '\0') {
		typed_line_read_option(line, word);
	} else if (line->part == TYPED_VERB) {
		line->ctl.verb = verb_find(word);
		line->part =
			line->ctl.verb == NULL ? TYPED_NOTHING : TYPED_OPERAND;
	} else {
		line->ctl.operands[line->ctl.operand_count++] = word;
	}
}

static void typed_line_read_last(struct typed_line *line, const char *word)
{
	const char *equals = strchr(word, '=');

	line->last = word;
	if (line->option != NULL) {
		line->part = TYPED_VALUE;
	} else if (is_option(line, word)) {
		line->part = TYPED_OPTION;
		if (word[1] != '-' || equals == NULL)
			return;
		line->option = option_with_value(line, word);
		line->part = line->option == NULL ? TYPED_NOTHING : TYPED_VALUE;
		line->last = equals + 1;
		line->head = (struct slice){word, (size_t)(line->last - word)};
	}
}

/* Parse the words. Ignore errors in the words before the last one. */
static struct typed_line typed_line_read(const char *const *words, size_t count)
{
	struct typed_line line = {
		.part = TYPED_VERB,
		.ctl.operands = mem_alloc(count, sizeof(*line.ctl.operands)),
		.ctl.values = mem_alloc(count, sizeof(*line.ctl.values)),
	};

	for (size_t i = 0; i + 1 < count; i++)
		typed_line_read_word(&line, words[i]);
	typed_line_read_last(&line, words[count - 1]);
	return line;
}

/*
 * Return whether no byte of the word has a special meaning in shells and
 * terminals.
 */
static bool completion_is_safe(struct slice word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._:/@%+,=[]-";

	for (size_t i = 0; i < word.size; i++)
		if (slice_byte(word, i) == '\0' ||
		    strchr(safe, slice_byte(word, i)) == NULL)
			return false;
	return word.size > 0;
}

static void add_line(const struct completion *completion, const char *word,
		     const char *meaning)
{
	struct buffer *out = completion->out;
	size_t begin = out->size;

	if (strncmp(word, completion->typed, strlen(completion->typed)) != 0)
		return;
	buffer_append_slice(out, completion->head);
	buffer_append_text(out, word);
	if (!completion_is_safe(
		    (struct slice){out->data + begin, out->size - begin})) {
		out->size = begin;
		return;
	}
	buffer_append_byte(out, '\t');
	terminal_clean(slice_of(meaning == NULL ? "" : meaning), out);
	buffer_append_byte(out, '\n');
}

void completion_add(const struct completion *completion, const char *value,
		    const char *meaning)
{
	if (value != NULL && value[0] != '\0' && value[0] != '-')
		add_line(completion, value, meaning);
}

/* Values for the placeholders in a usage. */

/* Short, because a user waits for the completion. */
enum { PATIENCE_MS = 400 };

/*
 * Send GET and return the response as JSON. Return NULL, without a message, if
 * there is none.
 */
static json_t *completion_request(const struct completion *completion,
				  const char *target)
{
	struct socket_answer answer = {0};
	json_t *value = NULL;

	if (socket_ask(completion->socket,
		       &(struct socket_request){.target = target,
						.timeout_ms = PATIENCE_MS},
		       &answer) == ERR_NONE &&
	    answer.status == 200 && answer.body.size > 0)
		value = json_loadb(answer.body.data, answer.body.size, 0, NULL);
	buffer_free(&answer.body);
	return value;
}

/*
 * An array in the response to GET, and the members of its rows that become
 * completions.
 */
struct value_list {
	const char *name; /* placeholder in a usage */
	const char *target;
	const char *member;
	const char *value;
	const char *meaning;
};

static const struct value_list value_lists[] = {
	{"HOST", "/v1/sites", "sites", "host", "state"},
	{"URL", "/v1/sites", "sites", "url", "state"},
	{"EVENT", "/v1/events?kinds=alerts&firing=1", "events", "seq", "kind"},
	{"INCIDENT", "/v1/incidents?open=1", "incidents", "id", "summary"},
	{"HOOK", "/v1/hooks", "hooks", "id", "target"},
	{"SILENCE", "/v1/silences", "silences", "id", "kind"},
	{"FORM", "/v1/hook-forms", "forms", "name", "label"},
	{"FEED", "/v1/feeds", "feeds", "name", "site"},
	{"TOKEN", "/v1/tokens", "tokens", "name", "role"},
	{"NODE", "/v1/nodes", "nodes", "name", "version"},
};

static void add_list(const struct completion *completion,
		     const struct value_list *list)
{
	json_t *answer = completion_request(completion, list->target);
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, list->member), i, row)
	{
		const json_t *value = json_object_get(row, list->value);
		char number[32];

		snprintf(number, sizeof(number), "%" PRIu64, whole_of(value));
		completion_add(
			completion,
			json_is_integer(value) ? number
					       : json_string_value(value),
			json_string_value(json_object_get(row, list->meaning)));
	}
	json_decref(answer);
}

/* Add the guards of the site, which is the previous operand. */
static void completion_add_guards(struct completion *completion)
{
	const struct typed_line *line = completion->line;
	struct buffer target = {0};

	if (line->ctl.operand_count == 0)
		return;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target,
			      line->ctl.operands[line->ctl.operand_count - 1]);
	buffer_append_text(&target, "/guards");
	add_list(completion, &(struct value_list){"GUARD", target.data,
						  "guards", "id", "selector"});
	buffer_free(&target);
}

/* Add the fields of the template, which is the previous operand. */
static void completion_add_fields(struct completion *completion)
{
	const struct ctl *ctl = &completion->line->ctl;
	const char *name = ctl->operand_count == 0
				   ? ""
				   : ctl->operands[ctl->operand_count - 1];
	const char *slash = strrchr(name, '/');
	struct buffer host = {0};
	struct buffer target = {0};

	if (slash == NULL)
		return;
	buffer_append(&host, name, (size_t)(slash - name));
	buffer_append_byte(&host, '\0');
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host.data);
	buffer_append_text(&target, "/templates/");
	client_append_escaped(&target, slash + 1);
	buffer_append_text(&target, "/fields");
	add_list(completion, &(struct value_list){"FIELD", target.data,
						  "fields", "name", "type"});
	buffer_free(&target);
	buffer_free(&host);
}

/*
 * Add the templates of the site `host`, each with its name and its number
 * of pages as description.
 */
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
		const char *title =
			json_string_value(json_object_get(row, "name"));
		char pages[256];

		snprintf(pages, sizeof(pages), "%.160s%s%" PRIu64 " pages",
			 title == NULL ? "" : title, title == NULL ? "" : ", ",
			 field_whole(row, "pages"));
		completion_add(completion,
			       json_string_value(json_object_get(row, "id")),
			       pages);
	}
	json_decref(answer);
	buffer_free(&target);
	buffer_free(&name);
}

/*
 * Add "HOST/" for each site. If there is only one site, add its templates
 * instead.
 */
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
		add_list(completion, &value_lists[0]);
	else
		add_templates(completion);
}

static void add_methods(struct completion *completion)
{
	for (const struct extractor *const *e = extractors; *e != NULL; e++)
		completion_add(completion, (*e)->name, (*e)->summary);
}

/*
 * Add "NAME=" for each parameter of the extraction method that the command line
 * names.
 */
static void add_parameters(struct completion *completion)
{
	const char *method = option_text(&completion->line->ctl, "method");
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
 * Return a completion of the text after the last comma; the text before it is
 * the head.
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
	{"HOST/N", add_templates},
	{"HOST[/N]", add_sites_and_templates},
	{"GUARD", completion_add_guards},
	{"FIELD", completion_add_fields},
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

static void completion_add_values(struct completion *completion,
				  struct slice name)
{
	/* bash offers paths only if there are no other completions */
	bool is_path =
		completion->has_files && slice_equal(name, slice_of("URL"));

	for (size_t i = 0; i < sizeof(value_lists) / sizeof(value_lists[0]);
	     i++)
		if (!is_path &&
		    slice_equal(name, slice_of(value_lists[i].name)))
			add_list(completion, &value_lists[i]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_equal(name, slice_of(kinds[i].name)))
			kinds[i].add(completion);
}

static void completion_add_options(const struct completion *completion,
				   const struct verb_option *option)
{
	for (; option != NULL && option->name != NULL; option++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option->name);
		add_line(completion, name, option->meaning);
	}
}

static void add_choices(struct completion *completion, struct slice word)
{
	struct slice choice;
	char text[64];

	while (usage_take_choice(&word, &choice)) {
		snprintf(text, sizeof(text), "%.*s", (int)choice.size,
			 (const char *)choice.data);
		if (usage_is_literal(choice))
			completion_add(completion, text, NULL);
		else
			completion_add_values(completion, choice);
	}
}

/*
 * Return whether the operands on the line may be the first operands of the
 * action.
 */
static bool typed_line_begins(const struct typed_line *line,
			      const struct verb_action *action)
{
	return usage_begins(slice_of(action->usage), line->ctl.operands,
			    line->ctl.operand_count);
}

/*
 * Add the options of all actions that fit the line. Add an option that several
 * actions have only once.
 */
static void add_options_of_actions(const struct completion *completion)
{
	const struct typed_line *line = completion->line;
	const struct verb_action *actions = line->ctl.verb->actions;

	for (const struct verb_action *a = actions; a->usage != NULL; a++) {
		const struct verb_option *option = a->options;

		if (!typed_line_begins(line, a))
			continue;
		for (; option != NULL && option->name != NULL; option++) {
			const struct verb_action *first = actions;
			struct verb_option row[] = {*option, {.name = NULL}};

			while (!typed_line_begins(line, first) ||
			       option_find(first->options, option->name,
					   strlen(option->name)) == NULL)
				first++;
			if (first == a)
				completion_add_options(completion, row);
		}
	}
}

static void add_operands(struct completion *completion)
{
	const struct typed_line *line = completion->line;
	struct slice word;

	for (const struct verb_action *a = line->ctl.verb->actions; a->usage;
	     a++)
		if (typed_line_begins(line, a) &&
		    usage_word(slice_of(a->usage), line->ctl.operand_count,
			       &word))
			add_choices(completion, word);
}

void completion_append(const struct ctl *ctl, const char *const *words,
		       size_t count, struct buffer *out)
{
	struct typed_line line = typed_line_read(words, count);
	const char *socket = option_text(&line.ctl, "socket");
	struct completion completion = {
		.line = &line,
		.socket = socket == NULL ? ctl->socket : socket,
		.typed = line.last,
		.head = line.head,
		.out = out,
	};

	switch (line.part) {
	case TYPED_VERB:
		for (const struct verb *verb = verbs; verb->name != NULL;
		     verb++)
			completion_add(&completion, verb->name, verb->summary);
		break;
	case TYPED_OPTION:
		if (line.ctl.verb != NULL)
			add_options_of_actions(&completion);
		completion_add_options(&completion, global_options);
		break;
	case TYPED_VALUE:
		add_choices(&completion, slice_of(line.option->value));
		break;
	case TYPED_OPERAND:
		add_operands(&completion);
		break;
	case TYPED_NOTHING:
		break;
	}
	if (completion.has_files)
		buffer_append_text(out, "?files\n");
	else if (completion.has_folders)
		buffer_append_text(out, "?folders\n");
	free(line.ctl.operands);
	free(line.ctl.values);
}

/* The actions of templatectl completion. */

enum ctl_status run_completion_script(const struct ctl *ctl)
{
	static const struct {
		const char *name;
		const char *script;
	} shells[] = {
		{"bash", shell_bash},
		{"zsh", shell_zsh},
		{"fish", shell_fish},
	};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(ctl->operands[0], shells[i].name) == 0)
			fputs(shells[i].script, stdout);
	return CTL_DONE;
}

enum ctl_status run_completion_table(const struct ctl *ctl)
{
	json_t *table = verb_table_json();

	(void)ctl;
	client_print_json(table);
	json_decref(table);
	return CTL_DONE;
}

/* Print completions; called by the completion scripts. */
enum ctl_status run_completion_words(const struct ctl *ctl)
{
	struct buffer out = {0};

	completion_append(ctl, ctl->operands, ctl->operand_count, &out);
	if (out.size > 0)
		fwrite(out.data, 1, out.size, stdout);
	buffer_free(&out);
	return CTL_DONE;
}
