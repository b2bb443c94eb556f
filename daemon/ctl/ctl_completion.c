/* daemon/ctl/ctl_completion.c - templatectl completion. */
#include "daemon/ctl/ctl_client.h"

#include <stdio.h>
#include <string.h>

#include "daemon/ctl/completion.h"
#include "daemon/ctl/shells.h"
#include "daemon/ctl/verb_table.h"

static void print_script(const char *shell)
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
		if (strcmp(shell, shells[i].name) == 0)
			fputs(shells[i].script, stdout);
}

static void completion_print_table(const struct ctl *ctl)
{
	json_t *table = verb_table_json(ctl->verbs);

	client_print_json(table);
	json_decref(table);
}

/* The completion scripts call this. */
static void completion_print_words(const struct ctl *ctl)
{
	struct buffer out = {0};

	completion_append(ctl, ctl->operands + 1, ctl->operand_count - 1, &out);
	if (out.size > 0)
		fwrite(out.data, 1, out.size, stdout);
	buffer_free(&out);
}

static enum ctl_status run_completion(const struct ctl *ctl)
{
	const char *what = ctl->operands[0];

	if (strcmp(what, "words") == 0)
		completion_print_words(ctl);
	else if (strcmp(what, "table") == 0)
		completion_print_table(ctl);
	else
		print_script(what);
	return CTL_DONE;
}

const struct verb verb_completion = {
	.name = "completion",
	.group = VERBS_OPERATE,
	.operands = "bash|zsh|fish | table | words WORD...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary = "Print completions for a shell, or the table of verbs",
	.run = run_completion,
};
