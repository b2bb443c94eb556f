/* daemon/ctl/ctl_compact.c - templatectl: compact. */
#include "daemon/ctl/ctl.h"

#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_store.h"
#include "daemon/runtime/clock.h"

/*
 * Compact a store without a daemon; *answer_out gets the JSON that the daemon
 * would return.
 */
static enum ctl_status ctl_store_compact(const struct ctl *ctl,
					 const char *path, json_t **answer_out)
{
	const struct store_options options = {0};
	uint64_t begin_ms = clock_steady_ms();
	struct store_sizes sizes;
	struct store *store = NULL;
	enum error error;

	if (!ctl_open_store(ctl, path, &store))
		return CTL_FAILED; /* do not create a store */
	store_close(store);
	store = NULL;
	error = store_open(&store, path, &options);
	if (error == ERR_NONE)
		error = store_compact(store, &sizes);
	store_close(store);
	if (error != ERR_NONE) {
		ctl_print_store_error(ctl, path, error);
		return CTL_FAILED;
	}
	*answer_out = json_pack("{s:I, s:I, s:I}", "before_bytes",
				(json_int_t)sizes.before, "after_bytes",
				(json_int_t)sizes.after, "elapsed_ms",
				(json_int_t)(clock_steady_ms() - begin_ms));
	return CTL_DONE;
}

static enum ctl_status run_compact(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "store");
	const struct client_request ask = {.method = "POST",
					   .target = "/v1/compact"};
	json_t *answer = NULL;
	enum ctl_status status =
		path == NULL ? client_ask_json(ctl, &ask, &answer)
			     : ctl_store_compact(ctl, path, &answer);

	if (status == CTL_DONE)
		client_print(ctl, answer);
	json_decref(answer);
	return status;
}

static const struct verb_option compact_options[] = {
	{.name = "store",
	 .kind = OPTION_TEXT,
	 .value = "PATH",
	 .meaning = "the folder of the store, while no daemon runs"},
	{.name = NULL},
};

const struct verb verb_compact = {
	.name = "compact",
	.group = VERBS_OPERATE,
	.operands = "",
	.summary = "Return unused space of the store to the disk",
	.options = compact_options,
	.run = run_compact,
};
