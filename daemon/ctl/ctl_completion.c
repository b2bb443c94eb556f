/* daemon/ctl/ctl_completion.c - templatectl completion. */
#include "daemon/ctl/ctl_client.h"

#include <string.h>

#include "daemon/ctl/verb_table.h"

static enum ctl_status run_completion(const struct ctl *ctl)
{
	json_t *table;

	if (strcmp(ctl->operands[0], "table") != 0) {
		ctl_complain(ctl, "%s: not expected", ctl->operands[0]);
		return CTL_USAGE;
	}
	table = verb_table_json(ctl->verbs);
	client_print_json(table);
	json_decref(table);
	return CTL_DONE;
}

const struct verb verb_completion = {
	.name = "completion",
	.group = VERBS_OPERATE,
	.operands = "table",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Print the table of verbs and options as JSON",
	.run = run_completion,
};
