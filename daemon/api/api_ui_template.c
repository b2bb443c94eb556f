/* The UI pages of templates. */
#include "daemon/api/api_ui.h"

#include "daemon/runtime/clock.h"
#include "daemon/web/site_report.h"
#include "daemon/web/ui_html.h"
#include "daemon/web/ui_pages.h"

static void web_template_append_tree(struct call *call, struct buffer *out)
{
	const struct extraction_options rules = call_rules(call);
	const struct site_report_source source = {
		.store = call->api->store,
		.pool = call->api->pool,
		.limits = rules.limits,
		.min_cluster_pages = rules.min_cluster_pages,
		.now_ms = clock_wall_ms(),
	};

	if (site_report_tree(&source, call->host, call->number, out) !=
	    ERR_NONE)
		buffer_append_text(
			out, "<p>The template has no pages any longer.</p>");
}

/*
 * Read the data of the tab in addition to the template; on failure respond with
 * the error and return false.
 */
static bool web_template_read_tab(struct call *call, struct ui_template *shown,
				  json_t **part, struct buffer *tree)
{
	*part = NULL;
	switch (shown->tab) {
	case UI_MEMBERS:
		if (ui_whole(shown->template, "pages") == 0)
			return true;
		if (!ui_ask(call, api_get_pages, part))
			return false;
		shown->pages = *part;
		return true;
	case UI_VERSIONS:
		if (http_argument(call->exchange, "from") == NULL)
			return true;
		if (!ui_ask(call, api_get_diff, part))
			return false;
		shown->diff = *part;
		return true;
	case UI_TEXTS:
		return true;
	default:
		web_template_append_tree(call, tree);
		shown->tree = buffer_slice(tree);
		return true;
	}
}

enum http_verdict api_ui_template(struct call *call)
{
	struct ui_template shown = {
		.host = call->host,
		.number = call->number,
		.tab = ui_template_tab_of(ui_last_segment(call)),
	};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	struct buffer tree = {0};
	json_t *part = NULL;
	json_t *template;

	if (shown.tab == UI_TEMPLATE_TABS)
		shown.tab = UI_TREE;
	if (!ui_ask(call, api_get_template, &template)) {
		json_decref(template);
		return HTTP_ANSWERED;
	}
	shown.template = template;
	if (web_template_read_tab(call, &shown, &part, &tree)) {
		ui_open(call, &page, call->host, UI_SITES);
		ui_template(&page, &shown);
		verdict = ui_reply_styled(call, &page);
	}
	buffer_free(&tree);
	json_decref(part);
	json_decref(template);
	return verdict;
}
