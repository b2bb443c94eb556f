/* Sites: add, list, show, delete. */
#include "daemon/api/api_call.h"

#include <string.h>

#include "daemon/api/site_json.h"
#include "daemon/api/site_request.h"
#include "store/rows_site.h"

enum http_verdict api_get_sites(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan =
		scan_begin(&txn, TABLE_SITES, (struct slice){NULL, 0});
	json_t *list = json_array();
	enum error error;

	while (scan_next(&scan)) {
		struct site_row row;

		if (site_decode(scan.value, &row))
			json_array_append_new(list, site_json(&txn, &row));
	}
	scan_end(&scan);
	error = txn_end(&txn);
	if (error != ERR_NONE) {
		json_decref(list);
		return call_fail_with(call, error, "the store");
	}
	return call_reply_json(call, 200, json_pack("{s:o}", "sites", list));
}

static enum http_verdict reply_site(struct call *call, unsigned status,
				    const char *host)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct site_row row;

	if (site_get(&txn, slice_of(host), &row))
		value = site_json(&txn, &row);
	txn_abort(&txn);
	if (txn.error != ERR_NONE || value == NULL) {
		json_decref(value);
		return call_fail_with(
			call, txn.error == ERR_NONE ? ERR_NOT_FOUND : txn.error,
			host);
	}
	return call_reply_json(call, status, value);
}

enum http_verdict api_get_site(struct call *call)
{
	return reply_site(call, 200, call->host);
}

/* The row of a site without its slices; false when it is not known. */
static bool find_known(struct store *store, const char *host,
		       struct site_row *row_out)
{
	struct txn txn = txn_begin_read(store);
	bool is_known = site_get(&txn, slice_of(host), row_out);

	txn_abort(&txn);
	row_out->host = (struct slice){NULL, 0};
	row_out->seed = (struct slice){NULL, 0};
	row_out->options.headers = (struct slice){NULL, 0};
	row_out->options.proxy = (struct slice){NULL, 0};
	row_out->missing = (struct slice){NULL, 0};
	return is_known;
}

static enum http_verdict add_site(struct call *call, json_t *request)
{
	const char *text = json_string_value(json_object_get(request, "url"));
	struct change change = {.kind = CHANGE_SITE_ADD};
	struct site_request options;
	struct site_row known;
	bool is_known;
	bool is_read;
	struct url url;
	enum error error = ERR_NONE;

	if (text == NULL)
		return call_fail(call, 400, "bad_request",
				 "the body must be {\"url\": ADDRESS, ...}");
	if (!call_read_url(call, text, &url))
		return HTTP_ANSWERED;
	is_known = find_known(call->api->store, url.host, &known);
	is_read = site_request_read(&options, request, &call->config, &url,
				    is_known ? &known : NULL);
	change.url = &url;
	change.site_add = options.options;
	if (is_read)
		error = pipeline_command(call->api->pipeline, &change);
	site_request_free(&options);
	if (!is_read)
		return call_fail(call, 400, "bad_request", "%s",
				 options.message);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the site was not added");
	return reply_site(call, is_known ? 200 : 201, url.host);
}

enum http_verdict api_post_site(struct call *call)
{
	enum http_verdict verdict;
	json_t *request;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	verdict = add_site(call, request);
	json_decref(request);
	return verdict;
}

enum http_verdict api_delete_site(struct call *call)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	change.url = &url;
	if (error == ERR_NONE)
		error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->host));
}
