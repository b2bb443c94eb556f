/* The quarantine: pages whose bytes crashed or stalled a worker. */
#include "daemon/api/api_call.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compress.h"
#include "store/key.h"
#include "store/rows_poison.h"
#include "store/rows_site.h"
#include "template/json_value.h"

enum { MAX_LISTED = 1000 };

static json_t *poison_json(const struct quarantine_row *row)
{
	char hash[17];

	snprintf(hash, sizeof(hash), "%016" PRIx64, row->content_hash);
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:s}", "url",
			 json_text(row->url), "time", json_time(row->time_ms),
			 "reason", json_text(row->reason), "charset",
			 json_text_or_null(row->charset), "bytes",
			 (json_int_t)row->body_bytes, "hash", hash);
}

/* GET /v1/quarantine: list all quarantined pages, by site. */
static enum http_verdict quarantine_list(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan = scan_begin(&txn, TABLE_QUARANTINE, slice_of(""));
	json_t *pages = json_array();
	struct quarantine_row row;
	enum error error;

	while (json_array_size(pages) < MAX_LISTED && scan_next(&scan))
		if (quarantine_row_decode(scan.value, &row))
			json_array_append_new(pages, poison_json(&row));
	scan_end(&scan);
	error = txn_end(&txn);
	if (error == ERR_NONE)
		return call_reply_json(call, 200,
				       json_pack("{s:o}", "pages", pages));
	json_decref(pages);
	return call_fail_with(call, error, "the store");
}

/* Copy the bytes of the page at the URL. ERR_NOT_FOUND. */
static enum error quarantine_read_body(struct store *store,
				       const struct url *url,
				       struct buffer *out)
{
	struct txn txn = txn_begin_read(store);
	enum error error = ERR_NOT_FOUND;
	struct quarantine_row row;
	struct site_row site;

	if (site_get(&txn, slice_of(url->host), &site) &&
	    quarantine_row_get(&txn, site.id, page_key_of(slice_of(url->text)),
			       &row))
		error = decompress_slice(row.body, (size_t)row.body_bytes, out);
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

enum http_verdict api_get_quarantine(struct call *call)
{
	const char *text = http_argument(call->exchange, "url");
	struct buffer body = {0};
	struct url url;
	enum error error;

	if (text == NULL)
		return quarantine_list(call);
	if (!call_read_url(call, text, &url))
		return HTTP_ANSWERED;
	error = quarantine_read_body(call->api->store, &url, &body);
	if (error != ERR_NONE) {
		buffer_free(&body);
		return call_fail_with(call, error, url.text);
	}
	/* a type that no browser displays */
	http_reply(call->exchange, 200, "application/octet-stream", &body);
	return HTTP_ANSWERED;
}

enum http_verdict api_delete_quarantine(struct call *call)
{
	struct change change = {.kind = CHANGE_UNQUARANTINE};
	struct url url;
	enum error error;

	if (!call_read_url(call, http_argument(call->exchange, "url"), &url))
		return HTTP_ANSWERED;
	change.url = &url;
	error = pipeline_command(call->api->pipeline, &change);
	if (error != ERR_NONE)
		return call_fail_with(call, error, url.text);
	return call_reply_json(call, 200, json_pack("{s:s}", "url", url.text));
}
