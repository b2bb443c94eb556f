#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/ctl/ctl_help.h"
#include "daemon/ctl/nearest.h"
#include "daemon/ctl/usage_form.h"
#include "daemon/runtime/own_places.h"
#include "daemon/runtime/terminal.h"

#ifndef TEMPLATED_VERSION
#define TEMPLATED_VERSION "unknown"
#endif

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

const struct verb_option global_options[] = {
	{.name = "socket",
	 .letter = 's',
	 .kind = OPTION_TEXT,
	 .value = "SOCKET",
	 .meaning = "the daemon's socket (default: $TEMPLATED_SOCKET, then the "
		    "socket of your own daemon, then " DEFAULT_SOCKET ")"},
	{.name = "json", .kind = OPTION_FLAG, .meaning = "print JSON"},
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

const struct verb *verb_find(const struct verb *const *verbs, const char *name)
{
	for (; *verbs != NULL; verbs++)
		if (strcmp((*verbs)->name, name) == 0)
			return *verbs;
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

/* The command line during parsing. */
struct command_line_parser {
	struct ctl ctl;
	const char *const *arguments;
	size_t count;
	size_t next;
	bool is_ended; /* after "--" all arguments are operands */
	bool wants_help;
	bool wants_version;
};

/* Return the value after `=` of the argument, or the next argument. */
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
		try_options(&nearest,
			    ctl->verb == NULL ? NULL : ctl->verb->options);
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

	for (const struct verb *const *verb = ctl->verbs; *verb != NULL; verb++)
		suggest_name(&nearest, (*verb)->name);
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
				  : option_named(ctl->verb->options, argument)};
	bool is_global = value.option == NULL;

	if (is_global)
		value.option = option_named(global_options, argument);
	if (value.option == NULL) {
		complain_option(ctl, argument);
		return false;
	}
	if (value.option->kind != OPTION_FLAG) {
		value.text = command_line_value(reader, argument);
		if (value.text == NULL ||
		    !check_value(ctl, value.option, value.text))
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
	ctl->verb = verb_find(ctl->verbs, argument);
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

static bool fits_usage(const struct ctl *ctl)
{
	struct usage_forms forms = usage_forms_of(ctl->verb->operands);
	struct slice form;

	while (usage_forms_next(&forms, &form))
		if (usage_fits(form, ctl->operands, ctl->operand_count))
			return true;
	return false;
}

static void complain_usage(const struct ctl *ctl)
{
	const struct verb *verb = ctl->verb;
	const char *what = "";

	if (ctl->operand_count < verb->min_operands)
		what = "too few operands; ";
	else if (ctl->operand_count > verb->max_operands)
		what = "too many operands; ";
	ctl_print_error(ctl, "%susage: templatectl %s%s%s%s", what, verb->name,
			verb->options == NULL ? "" : " [OPTION]...",
			*verb->operands == '\0' ? "" : " ", verb->operands);
}

static enum ctl_status check_and_run(const struct ctl *ctl)
{
	if (ctl->verb == NULL) {
		ctl_print_error(ctl,
				"the verb is missing; see templatectl --help");
		return CTL_USAGE;
	}
	if (!fits_usage(ctl)) {
		complain_usage(ctl);
		return CTL_USAGE;
	}
	return ctl->verb->run(ctl);
}

static enum ctl_status command_line_run(struct command_line_parser *reader)
{
	enum ctl_status status = CTL_DONE;

	if (reader->wants_version)
		printf("templatectl " TEMPLATED_VERSION "\n");
	else if (reader->wants_help && reader->ctl.verb != NULL)
		help_print_verb(reader->ctl.verb);
	else if (reader->wants_help)
		help_print(reader->ctl.verbs);
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

static enum ctl_status
command_line_parse_and_run(struct command_line_parser reader)
{
	struct ctl *ctl = &reader.ctl;
	enum ctl_status status = CTL_USAGE;
	char own[XDG_SOCKET_BYTES];
	struct ctl_warnings told = {false, false};

	ctl->told = &told;
	ctl->socket =
		getenv("TEMPLATED_SOCKET"); /* NOLINT(concurrency-mt-unsafe):
					       one thread */
	if (ctl->socket == NULL || *ctl->socket == '\0')
		ctl->socket = xdg_socket_find(own) ? own : DEFAULT_SOCKET;
	ctl->operands = mem_alloc(reader.count + 1, sizeof(*ctl->operands));
	ctl->values = mem_alloc(reader.count + 1, sizeof(*ctl->values));
	if (command_line_read_all(&reader))
		status = command_line_run(&reader);
	free(ctl->operands);
	free(ctl->values);
	return status;
}

enum ctl_status ctl_run(const struct verb *const *verbs, size_t count,
			const char *const *arguments)
{
	return command_line_parse_and_run((struct command_line_parser){
		.ctl.verbs = verbs, .arguments = arguments, .count = count});
}

enum ctl_status ctl_run_with_roles(const struct verb *const *verbs,
				   size_t count, const char *const *arguments)
{
	return command_line_parse_and_run((struct command_line_parser){
		.ctl = {.verbs = verbs, .has_roles = true},
		.arguments = arguments,
		.count = count});
}
