#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/render/screenshot.h"
#include "daemon/api/api.h"
#include "daemon/engine/commit_screenshot.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * The screenshots of a template and of an incident. A browser that a page may
 * have taken over has made them: they are never decoded, and sent as WebP and
 * nothing else.
 */

json_t *screenshot_base64(struct slice picture)
{
	const size_t length = BASE64_ENCODE_RAW_LENGTH(picture.size);
	char *coded = mem_alloc(1, length + 1);
	json_t *value;

	base64_encode_raw(coded, picture.size, picture.data);
	value = json_stringn(coded, length);
	free(coded);
	return value;
}

/* Return a picture for the web interface; NULL if it is invalid. */
static json_t *screenshot_json(struct slice url, uint64_t taken_ms,
			       struct slice picture)
{
	if (!screenshot_is_valid(picture))
		return NULL;
	return json_pack("{s:o, s:o, s:o}", "url", json_text(url), "taken",
			 json_time(taken_ms), "data",
			 screenshot_base64(picture));
}

json_t *call_template_screenshot(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct screenshot_row row;
	struct site_row site;
	struct slice url;
	json_t *value = NULL;

	if (site_get(&txn, slice_of(call->host), &site) &&
	    screenshot_find(&txn, site.id, call->number, &row, &url))
		value = screenshot_json(url, row.taken_ms, row.picture);
	txn_abort(&txn);
	return value;
}

/* Add headers with which a browser takes the picture for nothing else. */
static void add_picture_headers(struct http_exchange *exchange, const char *url)
{
	static const char type_options[] = "X-Content-Type-Options";

	if (http_added_header(exchange, type_options) == NULL)
		http_add_header(exchange, type_options, "nosniff");
	http_add_header(exchange, "Content-Security-Policy",
			"default-src 'none'; sandbox");
	http_add_header(exchange, "Cross-Origin-Resource-Policy",
			"same-origin");
	http_add_header(exchange, "X-Templated-Url", url);
}

/* End the transaction, and send the picture with the URL of its page. */
static enum http_verdict reply_screenshot(struct call *call, struct txn *txn,
					  struct slice url,
					  struct slice picture)
{
	struct buffer address = {0};
	struct buffer body = {0};
	enum error error;

	buffer_append_slice(&body, picture);
	buffer_append_slice(&address, url);
	buffer_append_byte(&address, '\0');
	error = txn_end(txn);
	if (error == ERR_NONE && !screenshot_is_valid(buffer_slice(&body)))
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		add_picture_headers(call->exchange, address.data);
	buffer_free(&address);
	if (error == ERR_NONE)
		return call_reply_tagged(call, SCREENSHOT_TYPE, &body);
	buffer_free(&body);
	return call_fail_with(call, error, "the screenshot");
}

enum http_verdict api_get_screenshot(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct screenshot_row row = {0};
	struct slice url = slice_of("");
	struct site_row site;

	if (site_get(&txn, slice_of(call->host), &site))
		screenshot_find(&txn, site.id, call->number, &row, &url);
	return reply_screenshot(call, &txn, url, row.picture);
}

enum http_verdict api_get_incident_screenshot(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	const char *side = strrchr(http_path(call->exchange), '/') + 1;
	struct incident_screenshots_row row = {0};
	bool is_found = false;
	struct site_row site;

	while (!is_found && scan_next(&scan))
		is_found = site_decode(scan.value, &site) &&
			   incident_screenshots_row_get(&txn, site.id,
							call->event, &row);
	scan_end(&scan);
	return reply_screenshot(call, &txn, row.url,
				strcmp(side, "before") == 0 ? row.before
							    : row.after);
}
