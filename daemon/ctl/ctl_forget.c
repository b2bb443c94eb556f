/* daemon/ctl/ctl_forget.c - templatectl: forget. */
#include "daemon/ctl/ctl_client.h"

#include <stdint.h>

static enum ctl_status page_delete(const struct ctl *ctl, const char *url)
{
	struct buffer target = {0};
	enum ctl_status status;
	json_t *answer = NULL;

	buffer_append_text(&target, "/v1/pages?url=");
	client_append_escaped(&target, url);
	status = client_ask_value(ctl, "DELETE", target.data, NULL, &answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

/* If a page cannot be deleted, continue with the next one. */
static enum ctl_status run_forget(const struct ctl *ctl)
{
	enum ctl_status status = CTL_DONE;

	for (size_t i = 0; i < ctl->operand_count && status != CTL_NO_DAEMON;
	     i++) {
		enum ctl_status one = page_delete(ctl, ctl->operands[i]);

		if (one != CTL_DONE)
			status = one;
	}
	return status;
}

static const struct verb_option forget_options[] = {{.name = NULL}};

const struct verb verb_forget = {
	.name = "forget",
	.group = VERBS_CRAWL,
	.operands = "URL...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary = "Delete pages; the daemon fetches them only on request",
	.options = forget_options,
	.run = run_forget,
};
