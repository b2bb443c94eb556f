/* daemon/ctl/ctl_salvage.c - templatectl: salvage, what is whole of a damaged
 * store. */
#include "daemon/ctl/ctl.h"

#include <stdio.h>

#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/runtime/terminal.h"
#include "store/salvage.h"

static void print_lines(struct slice text)
{
	struct buffer clean = {0};

	terminal_clean_lines(text, &clean);
	fwrite(clean.data, 1, clean.size, stderr);
	buffer_free(&clean);
}

static void complain(const struct ctl *ctl, enum error error)
{
	const char *from = ctl->operands[0];
	const char *to = ctl->operands[1];

	if (error == ERR_REFUSED)
		ctl_complain(ctl, "%s: there is a store already", to);
	else if (error == ERR_VERSION)
		ctl_complain(ctl,
			     "%s: its values have no checksums: nothing tells "
			     "what is whole",
			     from);
	else
		ctl_complain_store(ctl, from, error);
}

static enum ctl_status run_salvage(const struct ctl *ctl)
{
	const char *to = ctl->operands[1];
	struct salvage_report report;
	struct verify_report verified;
	enum error error = store_salvage(ctl->operands[0], to, &report);
	bool is_good = error == ERR_NONE;
	json_t *answer;

	if (report.text.size > 0)
		print_lines(buffer_slice(&report.text));
	buffer_free(&report.text);
	if (!is_good) {
		complain(ctl, error);
		return CTL_FAILED;
	}
	/* the new store must be as good as any */
	is_good = ctl_check_store(ctl, to, &verified);
	answer = json_pack("{s:s, s:I, s:I, s:I, s:I}", "store", to,
			   "sites_saved", (json_int_t)report.sites,
			   "sites_lost", (json_int_t)report.lost, "bodies_lost",
			   (json_int_t)report.bodies_lost, "rows_saved",
			   (json_int_t)report.rows);
	client_print(ctl, answer);
	json_decref(answer);
	return is_good ? CTL_DONE : CTL_FAILED;
}

const struct verb verb_salvage = {
	.name = "salvage",
	.operands = "OLD NEW",
	.min_operands = 2,
	.max_operands = 2,
	.summary = "Save what is whole of the damaged store in OLD to a new "
		   "one",
	.run = run_salvage,
};
