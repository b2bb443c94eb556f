#include "daemon/ctl/ctl_help.h"

#include <stdio.h>

#include "daemon/runtime/table.h"

static void print_option(struct text_table *table,
			 const struct verb_option *option)
{
	const char *value = option->kind == OPTION_FLAG ? "" : option->value;

	if (option->letter == '\0')
		table_printf(table, "  --%s %s", option->name, value);
	else
		table_printf(table, "  -%c, --%s %s", option->letter,
			     option->name, value);
	table_add_text(table, option->meaning);
}

static const struct column help_columns[] = {
	{.title = NULL},
	{.title = NULL},
};

void help_print_verb(const struct verb *verb)
{
	struct text_table *table = table_create(help_columns, 2);
	const struct verb_option *option = verb->options;

	printf("usage: templatectl [-s SOCKET] [--json] %s%s%s%s\n\n%s.\n",
	       verb->name, option == NULL ? "" : " [OPTION]...",
	       *verb->operands == '\0' ? "" : " ", verb->operands,
	       verb->summary);
	if (option != NULL)
		printf("\n");
	for (; option != NULL && option->name != NULL; option++)
		print_option(table, option);
	table_print(table);
	table_destroy(table);
}

void help_print(const struct verb *const *verbs)
{
	struct text_table *table = table_create(help_columns, 2);

	printf("usage: templatectl [-s SOCKET] [--json] VERB [OPTION]... "
	       "[OPERAND]...\n\n");
	for (; *verbs != NULL; verbs++) {
		table_printf(table, "  %s %s", (*verbs)->name,
			     (*verbs)->operands);
		table_add_text(table, (*verbs)->summary);
	}
	table_print(table);
	table_destroy(table);
	printf("\n"
	       "  -s, --socket SOCKET  the daemon's socket (default: "
	       "$TEMPLATED_SOCKET,\n"
	       "                       else " DEFAULT_SOCKET ")\n"
	       "  --json               print JSON\n"
	       "  --help, --version    also after a verb\n\n"
	       "Exit status: 0 done, 1 failed, 2 usage, 3 no daemon.\n");
}
