/* Guards of a site: list, show, delete. */
#include "daemon/api/api_call.h"

#include "daemon/engine/guard_change.h"
#include "daemon/engine/guard_evidence.h"
#include "store/key.h"
#include "template/json_value.h"

static const char *state_name(const struct guard_row *row)
{
	static const char *const names[] = {
		[GUARD_UNKNOWN] = "never held",
		[GUARD_OK] = "ok",
		[GUARD_BROKEN] = "firing",
		[GUARD_SUSPENDED] = "suspended",
	};

	return row->state < GUARD_STATES ? names[row->state] : "?";
}

static json_t *guard_json(struct slice host, uint32_t number,
			  const struct guard_row *row)
{
	char expect[32];

	guard_expect(row, expect);
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:I, s:I, s:o, "
		"s:o}",
		"id", (json_int_t)number, "site", json_text(host), "cluster",
		json_cluster_id(host, row->cluster), "name",
		json_text_or_null(row->name), "language",
		row->language == GUARD_CSS ? "css" : "xpath", "selector",
		json_text(row->selector), "xpath",
		json_text_or_null(row->xpath), "expect", expect, "state",
		state_name(row), "pages", (json_int_t)row->checked, "failing",
		(json_int_t)row->failing, "created", json_time(row->created_ms),
		"changed", json_time(row->changed_ms));
}

enum http_verdict api_get_guards(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *list = json_array();
	struct site_row site;
	bool is_site = site_get(&txn, slice_of(call->host), &site);
	enum error error;

	if (is_site) {
		struct key prefix = key_site(site.id);
		struct scan scan =
			scan_begin(&txn, TABLE_GUARDS, key_slice(&prefix));
		struct guard_row row;

		while (scan_next(&scan))
			if (guard_row_decode(scan.value, &row))
				json_array_append_new(
					list,
					guard_json(site.host,
						   key_u32(scan.key, 4), &row));
		scan_end(&scan);
	}
	error = txn_end(&txn);
	if (error == ERR_NONE && !is_site)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		return call_reply_json(call, 200,
				       json_pack("{s:o}", "guards", list));
	json_decref(list);
	return call_fail_with(call, error, call->host);
}

/*
 * Return the guard with the evidence of its pages; NULL if it does not exist.
 */
json_t *call_read_guard(struct call *call, uint32_t number)
{
	static const char *const kept[] = {"seen", "agreed", "candidates"};
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct site_row site;
	struct guard_row row;

	if (site_get(&txn, slice_of(call->host), &site) &&
	    guard_row_get(&txn, site.id, number, &row)) {
		json_t *evidence = guard_evidence(&txn, site.id, number, &row);

		value = guard_json(site.host, number, &row);
		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
			json_object_set(value, kept[i],
					json_object_get(evidence, kept[i]));
		json_object_set(value, "sample",
				json_object_get(evidence, "pages"));
		json_decref(evidence);
	}
	txn_abort(&txn);
	return value;
}

enum http_verdict api_get_guard(struct call *call)
{
	json_t *value = call_read_guard(call, call->number);

	if (value == NULL)
		return call_fail_with(call, ERR_NOT_FOUND, "the guard");
	return call_reply_json(call, 200, value);
}

enum error call_guard(struct call *call, struct guard_change *guard)
{
	struct change change = {.kind = CHANGE_GUARD, .guard = guard};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	change.url = &url;
	return error == ERR_NONE
		       ? pipeline_command(call->api->pipeline, &change)
		       : error;
}

enum http_verdict api_delete_guard(struct call *call)
{
	struct guard_change guard = {.is_delete = true, .number = call->number};
	enum error error = call_guard(call, &guard);

	if (error != ERR_NONE)
		return call_fail_with(call, error, "the guard");
	return call_reply_json(
		call, 200,
		json_pack("{s:I}", "deleted", (json_int_t)call->number));
}
