#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/ctl/client.h"
#include "daemon/runtime/systemd.h"
#include "daemon/runtime/terminal.h"

/* Usages and --help, which are made from the tables. */

static struct slice usage_text_from(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

/*
 * Return the number of bytes before the first `byte`; if there is none, the
 * size of the text.
 */
static size_t size_before(struct slice text, char byte)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, byte, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

static bool cut_end(struct slice *word, const char *end)
{
	size_t size = strlen(end);

	if (word->size < size ||
	    memcmp((const char *)word->data + word->size - size, end, size) !=
		    0)
		return false;
	word->size -= size;
	return true;
}

/*
 * Remove the brackets of words such as "[HOST]", "[V1" and "V2]", but not those
 * in "HOST[/N]".
 */
static struct slice usage_word_strip(struct slice word)
{
	if (slice_byte(word, 0) == '[')
		word = usage_text_from(word, 1);
	if (size_before(word, '[') == word.size)
		cut_end(&word, "]");
	return word;
}

/*
 * Do the same as usage_word(). *is_needed_out: the command is incomplete
 * without an operand at this position.
 */
static bool usage_find_word(struct slice form, size_t position,
			    struct slice *word_out, bool *is_needed_out)
{
	for (size_t i = 0; form.size > 0; i++) {
		struct slice word = {form.data, size_before(form, ' ')};
		bool repeats;

		form = usage_text_from(form, word.size < form.size
						     ? word.size + 1
						     : form.size);
		repeats = cut_end(&word, "...");
		if (i == position || (repeats && form.size == 0)) {
			*is_needed_out =
				i == position && slice_byte(word, 0) != '[';
			*word_out = usage_word_strip(word);
			return true;
		}
	}
	return false;
}

bool usage_word(struct slice form, size_t position, struct slice *word_out)
{
	bool is_needed;

	return usage_find_word(form, position, word_out, &is_needed);
}

bool usage_allows(struct slice word, const char *operand)
{
	struct slice choice;

	while (usage_take_choice(&word, &choice))
		if (!usage_is_literal(choice) ||
		    slice_equal(choice, slice_of(operand)))
			return true;
	return false;
}

bool usage_begins(struct slice form, const char *const *operands, size_t count)
{
	struct slice word;

	for (size_t i = 0; i < count; i++)
		if (!usage_word(form, i, &word) ||
		    !usage_allows(word, operands[i]))
			return false;
	return true;
}

bool usage_fits(struct slice form, const char *const *operands, size_t count)
{
	struct slice word;
	bool is_needed = false;

	usage_find_word(form, count, &word, &is_needed);
	return usage_begins(form, operands, count) && !is_needed;
}

bool usage_take_choice(struct slice *word, struct slice *choice_out)
{
	size_t size = size_before(*word, '|');

	if (word->size == 0)
		return false;
	*choice_out = (struct slice){word->data, size};
	*word = usage_text_from(*word, size < word->size ? size + 1 : size);
	return true;
}

bool usage_is_literal(struct slice choice)
{
	char first = slice_byte(choice, 0);

	return first >= 'a' && first <= 'z';
}

const char *verb_group_title(enum verb_group group)
{
	static const char *const titles[VERB_GROUP_COUNT] = {
		[VERBS_WATCH] = "Watch sites",
		[VERBS_READ] = "Read content",
		[VERBS_CRAWL] = "Control the crawl",
		[VERBS_LOOK] = "Inspect templates",
		[VERBS_OPERATE] = "Operate the daemon",
	};

	return titles[group];
}

/* Widths of the help, independent of the width of the terminal. */
enum { LINE_COLUMNS = 80, ACTION_COLUMNS = 24, MAX_ACTIONS = 8 };

/*
 * Print the words of `text`, wrapped, and indented by `indent` columns. The
 * cursor is at that column already.
 */
static void help_print_words(const char *text, int indent)
{
	int column = indent;

	for (size_t size; *text != '\0'; text += size + (text[size] == ' ')) {
		size = strcspn(text, " ");
		if (column > indent && column + 1 + (int)size > LINE_COLUMNS) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		column += printf("%s%.*s", column > indent ? " " : "",
				 (int)size, text);
	}
	printf("\n");
}

/* Print two columns; the first has the width `width`. */
static void help_print_row(const char *name, int width, const char *meaning)
{
	printf("  %-*s  ", width, name);
	help_print_words(meaning, width + 4);
}

/* Write a text such as "-o, --out FILE" to `text` [size]. Return its length. */
static int option_usage(const struct verb_option *option, char *text,
			size_t size)
{
	char letter[] = {'-', option->letter, ',', ' ', '\0'};
	bool is_flag = option->kind == OPTION_FLAG;

	return snprintf(text, size, "%s--%s%s%s",
			option->letter == '\0' ? "" : letter, option->name,
			is_flag ? "" : " ", is_flag ? "" : option->value);
}

static void print_options(const struct verb_option *options)
{
	char text[128];
	int width = 0;

	if (options == NULL)
		return;
	for (const struct verb_option *o = options; o->name != NULL; o++) {
		int length = option_usage(o, text, sizeof(text));

		width = length > width ? length : width;
	}
	for (const struct verb_option *o = options; o->name != NULL; o++) {
		option_usage(o, text, sizeof(text));
		help_print_row(text, width, o->meaning);
	}
}

/*
 * Return the length of the word of the action: for "show HOST" of "show"; 0 if
 * it has no word.
 */
static size_t action_name_length(const struct verb_action *action)
{
	size_t length = strcspn(action->usage, " ");

	return usage_is_literal(slice_of(action->usage)) &&
			       memchr(action->usage, '|', length) == NULL
		       ? length
		       : 0;
}

/* Return whether the action has this name. If `name` is NULL, return true. */
static bool action_is_named(const struct verb_action *action, const char *name)
{
	return name == NULL ||
	       slice_equal((struct slice){action->usage,
					  action_name_length(action)},
			   slice_of(name));
}

/* Append a usage such as "site show [OPTION]... HOST". */
static void usage_append(const struct verb *verb,
			 const struct verb_action *action, struct buffer *out)
{
	size_t length = action_name_length(action);
	const char *operands = action->usage + length;

	operands += *operands == ' ';
	buffer_printf(out, "%s%s%.*s%s%s%s", verb->name, length > 0 ? " " : "",
		      (int)length, action->usage,
		      action->options == NULL ? "" : " [OPTION]...",
		      *operands == '\0' ? "" : " ", operands);
}

static void help_print_usage(const struct verb *verb, const char *name)
{
	const char *head = "usage:";

	for (const struct verb_action *a = verb->actions; a->usage; a++) {
		struct buffer usage = {0};

		if (!action_is_named(a, name))
			continue;
		usage_append(verb, a, &usage);
		printf("%s templatectl [-s SOCKET] [--json] %s\n", head,
		       usage.data);
		buffer_free(&usage);
		head = "      ";
	}
}

static void help_print_actions(const struct verb *verb, const char *name)
{
	for (const struct verb_action *a = verb->actions; a->usage; a++)
		if (action_is_named(a, name))
			help_print_row(a->usage, ACTION_COLUMNS, a->summary);
	for (const struct verb_action *a = verb->actions; a->usage; a++) {
		if (a->options == NULL || !action_is_named(a, name))
			continue;
		printf("\nOptions of %.*s:\n", (int)action_name_length(a),
		       a->usage);
		print_options(a->options);
	}
}

/*
 * Print the help of the verb or, if `name` is not NULL, of its actions with
 * this name.
 */
static void help_print_verb(const struct verb *verb, const char *name)
{
	help_print_usage(verb, name);
	printf("\n%s.\n", verb->summary);
	if (verb->actions->options != NULL || verb->actions->summary != NULL)
		printf("\n");
	if (verb->actions->summary != NULL)
		help_print_actions(verb, name);
	else
		print_options(verb->actions->options);
	if (verb->example != NULL)
		printf("\nExample: templatectl %s\n", verb->example);
}

/* Print the help of templatectl: all verbs and the global options. */
static void help_print(void)
{
	int width = 0;

	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		if ((int)strlen(verb->name) > width)
			width = (int)strlen(verb->name);
	printf("usage: templatectl [-s SOCKET] [--json] VERB [OPTION]... "
	       "[OPERAND]...\n");
	for (unsigned group = 0; group < VERB_GROUP_COUNT; group++) {
		printf("\n%s:\n", verb_group_title((enum verb_group)group));
		for (const struct verb *verb = verbs; verb->name != NULL;
		     verb++)
			if (verb->group == group)
				help_print_row(verb->name, width,
					       verb->summary);
	}
	printf("\nOptions before or after any verb; see also `templatectl "
	       "VERB --help`:\n");
	print_options(global_options);
	printf("\nExit status: 0 done, 1 failed, 2 usage, 3 no daemon, "
	       "4 done in part.\n");
}

/* Print what people do first, if there is no verb. */
static void help_print_start(void)
{
	static const char *const rows[][2] = {
		{"watch --wait https://example.org/",
		 "crawl a site, and watch it"},
		{"event list --follow", "print an alert when it changes"},
		{"texts example.org -o texts.jsonl",
		 "write the text of its pages"},
		{"batch FOLDER --out TEXTS", "the same for saved pages"},
		{"ui", "look at all of it in a browser"},
	};

	printf("What people do first; all except batch need the daemon, "
	       "templated:\n\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("  templatectl %-33s  %s\n", rows[i][0], rows[i][1]);
	printf("\n`templatectl status` shows whether all is well, and\n"
	       "`templatectl --help` lists all verbs.\n");
}

enum { MAX_LENGTH = 31, FAR = 1000 };

/*
 * Return the number of typing errors between two words (optimal string
 * alignment: Damerau-Levenshtein without repeated edits of the same part).
 */
static unsigned edit_distance(const char *a, size_t a_length, const char *b,
			      size_t b_length)
{
	/*
	 * cost[i][j]: distance of the first i letters of `a` from the first j
	 * letters of `b`
	 */
	unsigned cost[MAX_LENGTH + 1][MAX_LENGTH + 1];

	for (size_t i = 0; i <= a_length; i++)
		for (size_t j = 0; j <= b_length; j++) {
			unsigned least = (unsigned)(i + j);

			if (i > 0 && j > 0) {
				least = cost[i - 1][j - 1] +
					(a[i - 1] != b[j - 1]);
				least = MIN(least, cost[i - 1][j] + 1);
				least = MIN(least, cost[i][j - 1] + 1);
			}
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				least = MIN(least, cost[i - 2][j - 2] + 1);
			cost[i][j] = least;
		}
	return cost[a_length][b_length];
}

/*
 * Return the distance of the words; FAR if it is too large for a typing error.
 */
static unsigned try_one(const char *word, const char *name)
{
	size_t length = strlen(word);
	size_t name_length = strlen(name);
	unsigned distance;

	if (length > MAX_LENGTH || name_length > MAX_LENGTH)
		return FAR;
	if (length >= 2 && strncmp(name, word, length) == 0)
		return 1;
	distance = edit_distance(word, length, name, name_length);
	return distance > length / 3 ? FAR : distance;
}

void suggest_name(struct name_suggestion *nearest, const char *name)
{
	unsigned distance = try_one(nearest->word, name);

	if (distance == FAR ||
	    (nearest->name != NULL && distance >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = distance;
}

static const char *kind_name(enum ctl_option_kind kind)
{
	static const char *const names[] = {
		[OPTION_FLAG] = "flag",          [OPTION_TEXT] = "text",
		[OPTION_CHOICE] = "choice",      [OPTION_WHOLE] = "whole",
		[OPTION_AUTO_THRESHOLD] = "cut",
	};

	return names[kind];
}

static json_t *choices_json(const struct verb_option *option)
{
	json_t *choices;
	struct slice rest;
	struct slice choice;

	if (option->kind != OPTION_CHOICE)
		return json_null();
	choices = json_array();
	rest = slice_of(option->value);
	while (usage_take_choice(&rest, &choice))
		json_array_append_new(choices,
				      json_stringn(choice.data, choice.size));
	return choices;
}

static json_t *verb_option_json(const struct verb_option *option)
{
	bool is_whole = option->kind == OPTION_WHOLE;

	return json_pack(
		"{s:s, s:o, s:s, s:s?, s:o, s:o, s:o, s:s?, s:s}", "name",
		option->name, "letter",
		option->letter == '\0' ? json_null()
				       : json_stringn(&option->letter, 1),
		"kind", kind_name(option->kind), "value", option->value,
		"choices", choices_json(option), "minimum",
		is_whole ? json_integer((json_int_t)option->minimum)
			 : json_null(),
		"maximum",
		is_whole ? json_integer((json_int_t)option->maximum)
			 : json_null(),
		"member", option->member, "meaning", option->meaning);
}

static json_t *options_json(const struct verb_option *option)
{
	json_t *options = json_array();

	for (; option != NULL && option->name != NULL; option++)
		json_array_append_new(options, verb_option_json(option));
	return options;
}

/* Return whether this is the first option of the verb with its name. */
static bool option_is_first(const struct verb *verb,
			    const struct verb_option *option)
{
	const struct verb_option *found = NULL;

	for (const struct verb_action *a = verb->actions; found == NULL; a++)
		found = option_find(a->options, option->name,
				    strlen(option->name));
	return found == option;
}

static json_t *verb_json(const struct verb *verb)
{
	json_t *actions = json_array();
	json_t *usages = json_array();
	json_t *options = json_array();

	for (const struct verb_action *a = verb->actions; a->usage; a++) {
		const struct verb_option *option = a->options;

		for (; option != NULL && option->name != NULL; option++)
			if (option_is_first(verb, option))
				json_array_append_new(options,
						      verb_option_json(option));
		json_array_append_new(usages, json_string(a->usage));
		json_array_append_new(
			actions, json_pack("{s:s, s:s, s:s?, s:o}", "usage",
					   a->usage, "summary",
					   a->summary == NULL ? verb->summary
							      : a->summary,
					   "request", a->request, "options",
					   options_json(a->options)));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", verb->name,
			 "summary", verb->summary, "usages", usages, "options",
			 options, "actions", actions);
}

json_t *verb_table_json(void)
{
	json_t *groups = json_array();

	for (unsigned group = 0; group < VERB_GROUP_COUNT; group++) {
		json_t *rows = json_array();

		for (const struct verb *verb = verbs; verb->name != NULL;
		     verb++)
			if (verb->group == group)
				json_array_append_new(rows, verb_json(verb));
		json_array_append_new(
			groups,
			json_pack("{s:s, s:o}", "title",
				  verb_group_title((enum verb_group)group),
				  "verbs", rows));
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "program", "templatectl",
			 "version", TEMPLATED_VERSION, "options",
			 options_json(global_options), "groups", groups);
}

static void ctl_print_message(const char *verb, const char *format,
			      va_list list)
	__attribute__((format(printf, 2, 0)));

static void ctl_print_message(const char *verb, const char *format,
			      va_list list)
{
	struct buffer line = {0};
	char text[4096];

	vsnprintf(text, sizeof(text), format, list);
	terminal_clean(slice_of(text), &line);
	fprintf(stderr, "templatectl: %s%s%s\n", verb == NULL ? "" : verb,
		verb == NULL ? "" : ": ", line.size == 0 ? "" : line.data);
	buffer_free(&line);
}

void ctl_print_error(const struct ctl *ctl, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	ctl_print_message(ctl->verb == NULL ? NULL : ctl->verb->name, format,
			  list);
	va_end(list);
}

bool ctl_write_file(const struct ctl *ctl, const char *path, struct slice bytes,
		    enum error (*write_file)(const char *path,
					     struct slice bytes))
{
	enum error error = write_file(path, bytes);

	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	return error == ERR_NONE;
}

const struct verb_option global_options[] = {
	{.name = "socket",
	 .letter = 's',
	 .kind = OPTION_TEXT,
	 .value = "SOCKET",
	 .meaning = "the daemon's socket (default: $TEMPLATED_SOCKET, then the "
		    "socket of your own daemon, then " DEFAULT_SOCKET ")"},
	{.name = "json", .kind = OPTION_FLAG, .meaning = "print JSON"},
	{.name = "progress",
	 .kind = OPTION_FLAG,
	 .meaning = "show the progress of long work also without a terminal"},
	{.name = "help",
	 .letter = 'h',
	 .kind = OPTION_FLAG,
	 .meaning = "print the usage; after a verb, the usage of the verb"},
	{.name = "version",
	 .kind = OPTION_FLAG,
	 .meaning = "print the version"},
	{.name = NULL},
};

const struct verb_option *option_find(const struct verb_option *options,
				      const char *name, size_t length)
{
	for (; options != NULL && options->name != NULL; options++)
		if (strlen(options->name) == length &&
		    memcmp(options->name, name, length) == 0)
			return options;
	return NULL;
}

static const struct verb_option *find_letter(const struct verb_option *options,
					     char letter)
{
	for (; options != NULL && options->name != NULL; options++)
		if (options->letter != '\0' && options->letter == letter)
			return options;
	return NULL;
}

const struct verb_option *option_named(const struct verb_option *options,
				       const char *argument)
{
	if (strncmp(argument, "--", 2) == 0)
		return option_find(options, argument + 2,
				   strcspn(argument + 2, "="));
	return argument[1] != '\0' && argument[2] == '\0'
		       ? find_letter(options, argument[1])
		       : NULL;
}

const struct verb_option *verb_option_named(const struct verb *verb,
					    const char *argument)
{
	const struct verb_option *option = NULL;

	for (const struct verb_action *a = verb->actions;
	     a->usage != NULL && option == NULL; a++)
		option = option_named(a->options, argument);
	return option;
}

const struct verb *verb_find(const char *name)
{
	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		if (strcmp(verb->name, name) == 0)
			return verb;
	return NULL;
}

static const char *find_value(const struct ctl *ctl, const char *name)
{
	for (size_t i = ctl->value_count; i-- > 0;)
		if (strcmp(ctl->values[i].option->name, name) == 0)
			return ctl->values[i].text == NULL
				       ? ""
				       : ctl->values[i].text;
	return NULL;
}

const char *option_text(const struct ctl *ctl, const char *name)
{
	return find_value(ctl, name);
}

bool option_given(const struct ctl *ctl, const char *name)
{
	return find_value(ctl, name) != NULL;
}

uint64_t option_whole(const struct ctl *ctl, const char *name,
		      uint64_t default_value)
{
	const char *text = find_value(ctl, name);

	return text == NULL ? default_value : strtoull(text, NULL, 10);
}

unsigned option_threshold(const struct ctl *ctl, const char *name,
			  unsigned default_value)
{
	const char *text = find_value(ctl, name);

	if (text == NULL)
		return default_value;
	if (strcmp(text, "auto") == 0)
		return THRESHOLD_AUTO;
	return (unsigned)lround(strtod(text, NULL) * 1000);
}

static bool is_choice(const char *words, const char *text)
{
	size_t length = strlen(text);

	for (;;) {
		size_t end = strcspn(words, "|");

		if (end == length && memcmp(words, text, length) == 0)
			return true;
		if (words[end] == '\0')
			return false;
		words += end + 1;
	}
}

static bool option_is_whole(const struct verb_option *option, const char *text)
{
	unsigned long long number;

	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	number = strtoull(text, NULL, 10);
	return errno == 0 && number >= option->minimum &&
	       number <= option->maximum;
}

static bool is_ratio(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end != text && *end == '\0' &&
	       text[strspn(text, "0123456789.")] == '\0' && number >= 0 &&
	       number <= 1;
}

static bool check_value(const struct ctl *ctl, const struct verb_option *option,
			const char *text)
{
	switch (option->kind) {
	case OPTION_FLAG:
	case OPTION_TEXT:
		return true;
	case OPTION_CHOICE:
		if (is_choice(option->value, text))
			return true;
		ctl_print_error(ctl, "--%s: \"%s\" is not one of %s",
				option->name, text, option->value);
		return false;
	case OPTION_WHOLE:
		if (option_is_whole(option, text))
			return true;
		ctl_print_error(
			ctl,
			"--%s: \"%s\" is not a whole number from %" PRIu64
			" to %" PRIu64,
			option->name, text, option->minimum, option->maximum);
		return false;
	case OPTION_AUTO_THRESHOLD:
		if (strcmp(text, "auto") == 0 || is_ratio(text))
			return true;
		ctl_print_error(
			ctl,
			"--%s: \"%s\" must be auto or a number from 0 to "
			"1, for example 0.25",
			option->name, text);
		return false;
	}
	return false;
}

/* The state of parsing the command line. */
struct command_line_parser {
	struct ctl ctl;
	const char *const *arguments;
	size_t count;
	size_t next;
	bool is_ended; /* "--" was read, so all further arguments are
			  operands */
	bool wants_help;
	bool wants_version;
};

/*
 * Return the text after '=' in the argument or, if it has no '=', the next
 * argument. Return NULL after an error message.
 */
static const char *command_line_value(struct command_line_parser *reader,
				      const char *argument)
{
	const char *equals = strchr(argument, '=');

	if (strncmp(argument, "--", 2) == 0 && equals != NULL)
		return equals + 1;
	if (reader->next < reader->count)
		return reader->arguments[reader->next++];
	ctl_print_error(&reader->ctl, "%s needs a value", argument);
	return NULL;
}

static void set_global(struct command_line_parser *reader,
		       const struct option_value *value)
{
	const char *name = value->option->name;

	if (strcmp(name, "json") == 0)
		reader->ctl.is_json = true;
	else if (strcmp(name, "help") == 0)
		reader->wants_help = true;
	else if (strcmp(name, "version") == 0)
		reader->wants_version = true;
	else if (strcmp(name, "progress") == 0)
		progress_force();
	else
		reader->ctl.socket = value->text;
}

static void try_options(struct name_suggestion *nearest,
			const struct verb_option *options)
{
	for (; options != NULL && options->name != NULL; options++)
		suggest_name(nearest, options->name);
}

static void complain_option(const struct ctl *ctl, const char *argument)
{
	char word[64];
	struct name_suggestion nearest = {.word = word};

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(argument, "="),
		 argument);
	if (strncmp(word, "--", 2) == 0) {
		nearest.word = word + 2;
		for (const struct verb_action *a =
			     ctl->verb == NULL ? NULL : ctl->verb->actions;
		     a != NULL && a->usage != NULL; a++)
			try_options(&nearest, a->options);
		try_options(&nearest, global_options);
	}
	ctl_print_error(ctl,
			"%s: unknown option; %s%s%ssee templatectl%s%s --help",
			argument, nearest.name == NULL ? "" : "did you mean --",
			nearest.name == NULL ? "" : nearest.name,
			nearest.name == NULL ? "" : "? Or ",
			ctl->verb == NULL ? "" : " ",
			ctl->verb == NULL ? "" : ctl->verb->name);
}

static void complain_verb(const struct ctl *ctl, const char *argument)
{
	struct name_suggestion nearest = {.word = argument};

	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		suggest_name(&nearest, verb->name);
	ctl_print_error(ctl, "%s: unknown verb; %s%s%ssee templatectl --help",
			argument, nearest.name == NULL ? "" : "did you mean ",
			nearest.name == NULL ? "" : nearest.name,
			nearest.name == NULL ? "" : "? Or ");
}

static bool command_line_read_option(struct command_line_parser *reader,
				     const char *argument)
{
	struct ctl *ctl = &reader->ctl;
	struct option_value value = {
		.option = ctl->verb == NULL
				  ? NULL
				  : verb_option_named(ctl->verb, argument)};
	bool is_global = value.option == NULL;

	if (is_global)
		value.option = option_named(global_options, argument);
	if (value.option == NULL) {
		complain_option(ctl, argument);
		return false;
	}
	if (value.option->kind != OPTION_FLAG) {
		value.text = command_line_value(reader, argument);
		if (value.text == NULL)
			return false;
	} else if (strchr(argument, '=') != NULL) {
		ctl_print_error(ctl, "--%s takes no value", value.option->name);
		return false;
	}
	if (is_global)
		set_global(reader, &value);
	else
		ctl->values[ctl->value_count++] = value;
	return true;
}

static bool read_operand(struct command_line_parser *reader,
			 const char *argument)
{
	struct ctl *ctl = &reader->ctl;

	if (ctl->verb != NULL) {
		ctl->operands[ctl->operand_count++] = argument;
		return true;
	}
	ctl->verb = verb_find(argument);
	if (ctl->verb == NULL)
		complain_verb(ctl, argument);
	return ctl->verb != NULL;
}

static bool command_line_read_all(struct command_line_parser *reader)
{
	while (reader->next < reader->count) {
		const char *argument = reader->arguments[reader->next++];
		bool is_option = !reader->is_ended && argument[0] == '-' &&
				 argument[1] != '\0';

		if (is_option && strcmp(argument, "--") == 0)
			reader->is_ended = true;
		else if (is_option ? !command_line_read_option(reader, argument)
				   : !read_operand(reader, argument))
			return false;
	}
	return true;
}

/* Return the first action with this name; NULL if there is none. */
static const struct verb_action *action_named(const struct verb *verb,
					      const char *name)
{
	for (const struct verb_action *a = verb->actions; a->usage; a++)
		if (name != NULL && action_is_named(a, name))
			return a;
	return NULL;
}

static void complain_action(const struct ctl *ctl, const char *name)
{
	char names[MAX_ACTIONS][ACTION_COLUMNS];
	struct name_suggestion nearest = {.word = name};

	for (size_t i = 0; ctl->verb->actions[i].usage != NULL; i++) {
		snprintf(names[i], sizeof(names[i]), "%.*s",
			 (int)action_name_length(&ctl->verb->actions[i]),
			 ctl->verb->actions[i].usage);
		suggest_name(&nearest, names[i]);
	}
	ctl_print_error(ctl,
			"%s: unknown action; %s%s%ssee templatectl %s --help",
			name, nearest.name == NULL ? "" : "did you mean ",
			nearest.name == NULL ? "" : nearest.name,
			nearest.name == NULL ? "" : "? Or ", ctl->verb->name);
}

/* Print an error that explains why no action fits the operands. */
static void complain_usage(const struct ctl *ctl)
{
	const struct verb *verb = ctl->verb;
	const char *name = ctl->operands[0];
	const struct verb_action *action = action_named(verb, name);
	struct buffer usage = {0};
	struct slice word;
	const char *what = "";
	const char *head = "";

	if (name != NULL && action == NULL && verb->actions[1].usage != NULL) {
		complain_action(ctl, name);
		return;
	}
	if (action == NULL) {
		action = verb->actions;
		name = NULL;
	}
	if (usage_begins(slice_of(action->usage), ctl->operands,
			 ctl->operand_count))
		what = "too few operands; ";
	else if (!usage_word(slice_of(action->usage), ctl->operand_count - 1,
			     &word))
		what = "too many operands; ";
	for (const struct verb_action *a = verb->actions; a->usage; a++) {
		if (!action_is_named(a, name))
			continue;
		buffer_append_text(&usage, head);
		usage_append(verb, a, &usage);
		head = " | ";
	}
	ctl_print_error(ctl, "%susage: templatectl %s", what, usage.data);
	buffer_free(&usage);
}

/*
 * Find the action whose usage fits the operands, and remove its word from the
 * operands.
 */
static bool command_line_find_action(struct ctl *ctl)
{
	for (const struct verb_action *a = ctl->verb->actions; a->usage; a++) {
		size_t named = action_name_length(a) > 0;

		if (!usage_fits(slice_of(a->usage), ctl->operands,
				ctl->operand_count))
			continue;
		ctl->action = a;
		ctl->operand_count -= named;
		memmove(ctl->operands, ctl->operands + named,
			(ctl->operand_count + 1) * sizeof(*ctl->operands));
		return true;
	}
	complain_usage(ctl);
	return false;
}

/*
 * Check the options of the command line. An option of another action of the
 * verb is an error, too.
 */
static bool command_line_check_options(const struct ctl *ctl)
{
	for (size_t i = 0; i < ctl->value_count; i++) {
		const char *name = ctl->values[i].option->name;
		const struct verb_option *option =
			option_find(ctl->action->options, name, strlen(name));

		if (option == NULL) {
			ctl_print_error(ctl,
					"--%s: unknown option of %s %.*s; see "
					"templatectl %s --help",
					name, ctl->verb->name,
					(int)action_name_length(ctl->action),
					ctl->action->usage, ctl->verb->name);
			return false;
		}
		ctl->values[i].option = option;
		if (!check_value(ctl, option, ctl->values[i].text))
			return false;
	}
	return true;
}

static enum ctl_status check_and_run(struct ctl *ctl)
{
	if (ctl->verb == NULL) {
		help_print_start();
		return CTL_USAGE;
	}
	if (!command_line_find_action(ctl) || !command_line_check_options(ctl))
		return CTL_USAGE;
	return ctl->action->run == NULL ? action_run(ctl)
					: ctl->action->run(ctl);
}

static enum ctl_status command_line_run(struct command_line_parser *reader)
{
	enum ctl_status status = CTL_DONE;

	if (reader->wants_version)
		printf("templatectl " TEMPLATED_VERSION "\n");
	else if (reader->wants_help && reader->ctl.verb != NULL)
		help_print_verb(reader->ctl.verb,
				action_named(reader->ctl.verb,
					     reader->ctl.operands[0]) == NULL
					? NULL
					: reader->ctl.operands[0]);
	else if (reader->wants_help)
		help_print();
	else
		status = check_and_run(&reader->ctl);
	if ((fflush(stdout) != 0 || ferror(stdout) != 0) &&
	    status == CTL_DONE) {
		ctl_print_error(
			&reader->ctl,
			"cannot write to standard output: "
			"%s",
			strerror(errno)); /* NOLINT(concurrency-mt-unsafe):
					     one thread */
		status = CTL_FAILED;
	}
	return status;
}

enum ctl_status ctl_run(size_t count, const char *const *arguments,
			bool has_roles)
{
	struct ctl_warnings told = {false, false};
	struct command_line_parser reader = {
		.ctl = {.has_roles = has_roles, .told = &told},
		.arguments = arguments,
		.count = count,
	};
	struct ctl *ctl = &reader.ctl;
	enum ctl_status status = CTL_USAGE;
	char own[XDG_SOCKET_BYTES];

	ctl->socket =
		getenv("TEMPLATED_SOCKET"); /* NOLINT(concurrency-mt-unsafe):
					       one thread */
	if (ctl->socket == NULL || *ctl->socket == '\0')
		ctl->socket = xdg_socket_find(own) ? own : DEFAULT_SOCKET;
	ctl->operands = mem_alloc(count + 1, sizeof(*ctl->operands));
	ctl->values = mem_alloc(count + 1, sizeof(*ctl->values));
	if (command_line_read_all(&reader))
		status = command_line_run(&reader);
	free(ctl->operands);
	free(ctl->values);
	return status;
}
