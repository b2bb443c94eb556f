/* daemon/ctl/ctl_explain_url.c - templatectl explain-url. */
#include "daemon/ctl/ctl_client.h"

static enum ctl_status run_explain_url(const struct ctl *ctl)
{
	struct buffer target = {0};
	json_t *answer = NULL;
	enum ctl_status status;

	buffer_append_text(&target, "/v1/pages?url=");
	client_append_escaped(&target, ctl->operands[0]);
	status = client_ask_json(
		ctl,
		&(struct client_request){.target = target.data,
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);
	if (status == CTL_DONE)
		client_print(ctl, answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

const struct verb verb_explain_url = {
	.name = "explain-url",
	.group = VERBS_CRAWL,
	.operands = "URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Show which rule allows or excludes a URL",
	.run = run_explain_url,
};
