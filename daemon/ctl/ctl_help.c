#include "daemon/ctl/ctl_help.h"

#include <stdio.h>
#include <string.h>

#include "daemon/ctl/usage_form.h"

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

/* Columns of a help line, whatever the width of the terminal. */
enum { LINE_COLUMNS = 80 };

/*
 * Print the words of `text`, wrapped and indented by `indent` columns. The
 * cursor is at this column.
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

/* Print two columns; the first is `width` wide. */
static void help_print_row(const char *name, int width, const char *meaning)
{
	printf("  %-*s  ", width, name);
	help_print_words(meaning, width + 4);
}

/* Write "-o, --out FILE" to `text` of `size` bytes; return its length. */
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

void help_print_verb(const struct verb *verb)
{
	struct usage_forms forms = usage_forms_of(verb->operands);
	struct slice form;
	const char *head = "usage:";

	while (usage_forms_next(&forms, &form)) {
		printf("%s templatectl [-s SOCKET] [--json] %s%s%s%.*s\n", head,
		       verb->name, verb->options == NULL ? "" : " [OPTION]...",
		       form.size == 0 ? "" : " ", (int)form.size,
		       (const char *)form.data);
		head = "      ";
	}
	printf("\n%s.\n", verb->summary);
	if (verb->options != NULL)
		printf("\n");
	print_options(verb->options);
}

static int longest_name(const struct verb *const *verbs)
{
	size_t width = 0;

	for (; *verbs != NULL; verbs++)
		if (strlen((*verbs)->name) > width)
			width = strlen((*verbs)->name);
	return (int)width;
}

static void print_group(const struct verb *const *verbs, enum verb_group group)
{
	int width = longest_name(verbs);

	printf("\n%s:\n", verb_group_title(group));
	for (; *verbs != NULL; verbs++)
		if ((*verbs)->group == group)
			help_print_row((*verbs)->name, width,
				       (*verbs)->summary);
}

void help_print(const struct verb *const *verbs)
{
	printf("usage: templatectl [-s SOCKET] [--json] VERB [OPTION]... "
	       "[OPERAND]...\n");
	for (unsigned group = 0; group < VERB_GROUP_COUNT; group++)
		print_group(verbs, (enum verb_group)group);
	printf("\nOptions before or after any verb; see also `templatectl "
	       "VERB --help`:\n");
	print_options(global_options);
	printf("\nExit status: 0 done, 1 failed, 2 usage, 3 no daemon.\n");
}
