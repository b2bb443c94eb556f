#include "daemon/ctl/ctl_help.h"

#include <stdio.h>

#include "daemon/ctl/usage_form.h"
#include "daemon/runtime/table.h"

const char *verb_group_title(enum verb_group group)
{
	static const char *const titles[VERB_GROUP_COUNT] = {
		[VERBS_WATCH] = "Watch sites",
		[VERBS_READ] = "Read content",
		[VERBS_CRAWL] = "Steer the crawl",
		[VERBS_LOOK] = "Look at templates",
		[VERBS_OPERATE] = "Operate the daemon",
	};

	return titles[group];
}

static const struct column help_columns[] = {
	{.title = NULL},
	{.title = NULL},
};

static void print_options(const struct verb_option *option)
{
	struct text_table *table = table_create(help_columns, 2);

	for (; option != NULL && option->name != NULL; option++) {
		const char *value =
			option->kind == OPTION_FLAG ? "" : option->value;

		if (option->letter == '\0')
			table_printf(table, "  --%s %s", option->name, value);
		else
			table_printf(table, "  -%c, --%s %s", option->letter,
				     option->name, value);
		table_add_text(table, option->meaning);
	}
	table_print(table);
	table_destroy(table);
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

static void print_group(const struct verb *const *verbs, enum verb_group group)
{
	struct text_table *table = table_create(help_columns, 2);

	printf("\n%s:\n", verb_group_title(group));
	for (; *verbs != NULL; verbs++)
		if ((*verbs)->group == group) {
			/* as wide in every group */
			table_printf(table, "  %-11s", (*verbs)->name);
			table_add_text(table, (*verbs)->summary);
		}
	table_print(table);
	table_destroy(table);
}

void help_print(const struct verb *const *verbs)
{
	printf("usage: templatectl [-s SOCKET] [--json] VERB [OPTION]... "
	       "[OPERAND]...\n");
	for (unsigned group = 0; group < VERB_GROUP_COUNT; group++)
		print_group(verbs, (enum verb_group)group);
	printf("\nOptions before or behind any verb, whose own `templatectl "
	       "VERB --help` lists:\n");
	print_options(global_options);
	printf("\nExit status: 0 done, 1 failed, 2 usage, 3 no daemon.\n");
}
