/*
 * daemon/ctl/ctl_salvage.c - templatectl: salvage, recover the undamaged part
 * of a store.
 */
#include "daemon/ctl/ctl.h"

#include <stdio.h>

#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/ctl/relearning.h"
#include "daemon/ctl/temporary_store.h"
#include "daemon/runtime/terminal.h"
#include "store/salvage.h"

static void recover_print_lines(struct slice text)
{
	struct buffer clean = {0};

	terminal_clean_lines(text, &clean);
	fwrite(clean.data, 1, clean.size, stderr);
	buffer_free(&clean);
}

static void recover_report(const struct ctl *ctl, enum error error)
{
	if (error == ERR_ADDRESS_FORBIDDEN)
		ctl_print_error(ctl, "%s: contains a store already",
				ctl->operands[1]);
	else
		ctl_print_store_error(ctl, ctl->operands[0], error);
}

/* Rebuild damaged sites from their pages in the new store. */
static enum error recover_rebuild_sites(struct store *remains, const char *to,
					struct site_rebuild_report *report)
{
	const struct store_options options = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, to, &options);

	if (error == ERR_NONE)
		error = rebuild_sites(remains, store, report);
	store_close(store);
	if (report->text.size > 0)
		recover_print_lines(buffer_slice(&report->text));
	buffer_free(&report->text);
	return error;
}

/* The report has no text. */
static enum error recover_to_new_store(const struct ctl *ctl,
				       struct recovery_report *report,
				       struct site_rebuild_report *relearned)
{
	struct store *remains = NULL;
	enum error error = temporary_store_open(ctl, &remains);

	*report = (struct recovery_report){0};
	*relearned = (struct site_rebuild_report){0};
	if (error == ERR_NONE)
		error = store_recover_intact(ctl->operands[0], ctl->operands[1],
					     remains, report);
	if (report->text.size > 0)
		recover_print_lines(buffer_slice(&report->text));
	buffer_free(&report->text);
	if (error == ERR_NONE)
		error = recover_rebuild_sites(remains, ctl->operands[1],
					      relearned);
	store_close(remains);
	return error;
}

static enum ctl_status run_salvage(const struct ctl *ctl)
{
	const char *to = ctl->operands[1];
	struct recovery_report report;
	struct site_rebuild_report relearned;
	struct verify_report verified;
	enum error error = recover_to_new_store(ctl, &report, &relearned);
	bool is_good;
	json_t *answer;

	if (error != ERR_NONE) {
		recover_report(ctl, error);
		return CTL_FAILED;
	}
	/* the new store must pass the same check as any store */
	is_good = ctl_check_store(ctl, to, &verified);
	answer = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "store", to,
			   "sites_saved", (json_int_t)report.sites,
			   "sites_learned", (json_int_t)relearned.sites,
			   "pages_learned", (json_int_t)relearned.pages,
			   "pages_lost", (json_int_t)relearned.lost,
			   "bodies_lost", (json_int_t)report.bodies_lost,
			   "rows_saved", (json_int_t)report.rows);
	client_print(ctl, answer);
	json_decref(answer);
	return is_good ? CTL_DONE : CTL_FAILED;
}

const struct verb verb_salvage = {
	.name = "salvage",
	.group = VERBS_OPERATE,
	.operands = "OLD NEW",
	.min_operands = 2,
	.max_operands = 2,
	.summary =
		"Recover the undamaged part of the store in OLD to a new store",
	.run = run_salvage,
};
