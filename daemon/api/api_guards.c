#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "daemon/api/api.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "daemon/runtime/clock.h"
#include "page/page_class.h"
#include "page/selector.h"
#include "page/xpath.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/* POST guards: add a guard to a site, after a trial on stored pages. */

enum {
	MAX_CHECKED = 64, /* maximum number of pages in a trial */
	MAX_SEEN = 4096,  /* maximum number of rows that are searched for these
			     pages */
	MAX_NAME_BYTES = 64,
	MAX_ERROR_BYTES = 256,
	MAX_EXAMPLES = 5,
	TRIAL_MS = 5000, /* after this time no further page is tried */
};

/*
 * Parse the expected number of matches: "1", "1.." or "2..5". Return false if
 * it is invalid.
 */
static bool read_expect(const char *text, struct guard_row *guard)
{
	char *end;
	unsigned long first = strtoul(text, &end, 10);
	unsigned long last = first;

	if (text[0] < '0' || text[0] > '9' || end - text > 9)
		return false;
	if (strncmp(end, "..", 2) == 0) {
		const char *at = end + 2;

		last = UINT32_MAX;
		if (*at != '\0' && (*at < '0' || *at > '9'))
			return false;
		if (*at != '\0')
			last = strtoul(at, &end, 10);
		else
			end += 2;
		if (end - at > 9)
			return false;
	}
	guard->minimum = (uint32_t)first;
	guard->maximum = (uint32_t)last;
	return *end == '\0' && first <= last;
}

static bool guard_name_is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * Read all members of the request except the selector. If one is invalid,
 * respond with the error and return false.
 */
static bool guard_read_members(struct call *call, const json_t *request,
			       struct guard_row *guard)
{
	const json_t *cluster = json_object_get(request, "cluster");
	const char *expect = json_member_text(request, "expect");
	const char *name = json_member_text(request, "name");

	if (!read_expect(expect == NULL ? "1" : expect, guard))
		return call_refuse(
			call,
			"expect: %.32s: must be a number of matches, for "
			"example 1, 1.. or 2..5",
			expect);
	if (name != NULL &&
	    (strlen(name) > MAX_NAME_BYTES || !guard_name_is_printable(name) ||
	     name[strspn(name, "0123456789")] == '\0'))
		return call_refuse(
			call,
			"name: must be a text of at most %d bytes, and not a "
			"number",
			MAX_NAME_BYTES);
	guard->name = slice_of(name == NULL ? "" : name);
	if (cluster != NULL && (json_integer_value(cluster) < 1 ||
				json_integer_value(cluster) > UINT32_MAX))
		return call_refuse(call, "cluster: must be the number of a "
					 "cluster, the N of HOST/N");
	guard->cluster = (uint32_t)json_integer_value(cluster);
	return true;
}

/*
 * Receive the response of a worker: the error text of the XPath expression, or
 * "" if the expression is valid. Return false if the response is invalid.
 */
static bool take_error(void *context, struct slice head, struct slice body)
{
	char *error = context;

	if (head.size >= MAX_ERROR_BYTES || body.size > 0)
		return false;
	for (size_t i = 0; i < head.size; i++) {
		char byte = slice_byte(head, i);

		error[i] = '?';
		if ((unsigned char)byte >= ' ')
			error[i] = byte;
	}
	error[head.size] = '\0';
	return true;
}

bool call_check_xpath(struct call *call, const char *xpath, char *error)
{
	struct pool_task task = {
		.kind = TASK_XPATH,
		.head = slice_of(xpath),
		.take = take_error,
		.take_context = error,
	};

	if (task.head.size > MAX_SELECTOR_BYTES)
		snprintf(error, MAX_ERROR_BYTES, "longer than %d bytes",
			 MAX_SELECTOR_BYTES);
	else if (worker_pool_run(call->api->pool, &task) != ERR_NONE)
		snprintf(error, MAX_ERROR_BYTES, "%s", task.reason);
	return *error == '\0';
}

/*
 * Read and check the selector; the guard's XPath belongs to `arena`. If it is
 * invalid, respond with the error and return false.
 */
static bool guard_read_selector(struct call *call, const json_t *request,
				struct arena *arena, struct guard_row *guard)
{
	const char *xpath = json_member_text(request, "xpath");
	const char *css = json_member_text(request, "css");
	const char *translated = xpath;
	char error[MAX_ERROR_BYTES] = "";
	bool is_right;

	if ((xpath == NULL) == (css == NULL))
		return call_refuse(
			call, "the body must have either \"css\", \"xpath\" "
			      "or \"text\"");
	if (xpath != NULL)
		is_right = call_check_xpath(call, xpath, error);
	else
		is_right = selector_compile(arena, css, error) != NULL;
	if (!is_right)
		return call_refuse(call, "%s: %s",
				   xpath != NULL ? "xpath" : "css", error);
	if (xpath == NULL)
		translated = css_xpath(arena, css, error);
	guard->language = xpath != NULL ? GUARD_XPATH : GUARD_CSS;
	guard->selector = slice_of(xpath != NULL ? xpath : css);
	guard->xpath = slice_of(translated == NULL ? "" : translated);
	return true;
}

/*
 * Find pages for the trial of a new guard, and write their keys to `keys`
 * [*count_out]. Page keys are hashes, so the first ones are a random sample.
 */
static enum error list_pages(struct call *call, const struct guard_row *guard,
			     uint32_t *site_out, uint64_t *keys,
			     size_t *count_out)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct site_row site = {0};
	size_t count = 0;
	bool is_site = site_get(&txn, slice_of(call->host), &site);
	struct key prefix = guard->cluster == 0
				    ? key_site(site.id)
				    : key_cluster(site.id, guard->cluster);
	enum table table = guard->cluster == 0 ? TABLE_PAGES : TABLE_MEMBERS;
	struct scan scan = scan_begin(&txn, table, key_slice(&prefix));

	for (size_t i = 0;
	     i < MAX_SEEN && count < MAX_CHECKED && is_site && scan_next(&scan);
	     i++) {
		struct page_row row;
		uint64_t key = key_u64(scan.key, prefix.size);

		if (page_row_get(&txn, site.id, key, &row) &&
		    row.redirect.size == 0 && row.page_class == CLASS_PAGE &&
		    (row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			keys[count++] = key;
	}
	scan_end(&scan);
	*site_out = site.id;
	*count_out = count;
	txn_end(&txn);
	return txn.error == ERR_NONE && !is_site ? ERR_NOT_FOUND : txn.error;
}

/* A copy of a stored page. */
struct guard_page_copy {
	struct buffer body;
	struct buffer url;
	struct buffer charset;
	uint64_t hash; /* hash of the content */
};

static void free_copy(struct guard_page_copy *copy)
{
	buffer_free(&copy->body);
	buffer_free(&copy->url);
	buffer_free(&copy->charset);
}

/*
 * Copy a stored page. Return false if it does not exist or its body is not
 * stored.
 */
static bool read_copy(struct store *store, uint32_t site, uint64_t page,
		      struct guard_page_copy *copy)
{
	struct txn txn = txn_begin_read(store);
	struct page_row row;
	bool is_read = false;

	if (page_row_get(&txn, site, page, &row)) {
		is_read = content_body(&txn, site, page, row.body_bytes,
				       &copy->body) == ERR_NONE;
		copy->hash = row.content_hash;
		buffer_append_slice(&copy->url, row.url);
		buffer_append_slice(&copy->charset, row.charset);
	}
	txn_abort(&txn);
	return is_read;
}

/*
 * Return whether the result of a worker has the members and types of
 * daemon/privsep/analyse_task.h.
 */
static bool guard_is_found(const json_t *found)
{
	return json_is_integer(json_object_get(found, "matches")) &&
	       json_is_integer(json_object_get(found, "us")) &&
	       json_is_string(json_object_get(found, "value")) &&
	       json_is_string(json_object_get(found, "path"));
}

/*
 * Receive the response of a worker: an array with a result for each guard, or
 * nothing if the page is not HTML. Return false if the response is invalid.
 */
static bool take_found(void *context, struct slice head, struct slice body)
{
	json_t **list_out = context;
	struct analyse_answer row;
	const json_t *found;
	json_t *list;
	size_t i;

	if (!row_codec_decode(&analyse_answer_layout, head, &row))
		return false;
	if (row.error != ERR_NONE)
		return body.size == 0;
	list = json_loadb(body.data, body.size, 0, NULL);
	json_array_foreach(list, i, found) if (!guard_is_found(found))
	{
		json_decref(list);
		return false;
	}
	*list_out = list;
	return json_array_size(list) > 0;
}

/*
 * Evaluate guards on a page. copy->body contains the page and, from
 * `page_bytes` on, the guards. *list_out is the array of results, or NULL if
 * the page is not HTML. The worker suspends no guard here, even if it is slow:
 * each guard may use the time limit of all guards. Errors of worker_pool_run().
 */
static enum error find_in(struct call *call, const struct guard_page_copy *copy,
			  size_t page_bytes, json_t **list_out)
{
	const struct extraction_options rules = call_rules(call);
	const uint32_t limit_ms = call->config->guards_ms;
	const struct analyse_request request = {
		.limits = rules.limits,
		.page_bytes = page_bytes,
		.guard_limits = {limit_ms, limit_ms},
		.charset = buffer_slice(&copy->charset),
	};
	struct buffer head =
		row_codec_encode(&analyse_request_layout, &request);
	struct pool_task task = {
		.kind = TASK_GUARD,
		.take = take_found,
		.take_context = list_out,
	};
	enum error error;

	*list_out = NULL;
	task.head = buffer_slice(&head);
	task.body = buffer_slice(&copy->body);
	error = worker_pool_run(call->api->pool, &task);
	if (error != ERR_NONE) {
		json_decref(*list_out);
		*list_out = NULL;
	}
	buffer_free(&head);
	return error;
}

enum error call_try_guard(struct call *call, const struct wanted_guard *wanted,
			  uint32_t site, uint64_t page, json_t **found_out)
{
	struct guard_page_copy copy = {0};
	json_t *list = NULL;
	json_t *found;
	enum error error = ERR_NONE;

	if (read_copy(call->api->store, site, page, &copy)) {
		size_t page_bytes = copy.body.size;

		item_append_row(&copy.body, &wanted_guard_layout, wanted);
		error = find_in(call, &copy, page_bytes, &list);
	}
	found = json_incref(json_array_get(list, 0));
	if (found != NULL) {
		json_object_set_new(found, "url",
				    json_text(buffer_slice(&copy.url)));
		json_object_set_new(found, "hash",
				    json_integer((json_int_t)copy.hash));
	}
	*found_out = found;
	json_decref(list);
	free_copy(&copy);
	return error;
}

static struct wanted_guard guard_wanted(const struct guard_row *guard)
{
	return (struct wanted_guard){
		.language = guard->language,
		.minimum = guard->minimum,
		.maximum = guard->maximum,
		.selector = guard->selector,
	};
}

static json_int_t guard_us(const json_t *found)
{
	return json_member_whole(found, "us");
}

/*
 * Return whether the evaluation of the guard took `limit_ms` or longer, or was
 * aborted.
 */
static bool guard_is_slow(const json_t *found, uint32_t limit_ms)
{
	return guard_us(found) >= (json_int_t)limit_ms * 1000 ||
	       json_object_get(found, "over") != NULL;
}

/* The trial of a new guard on stored pages. */
struct guard_trial {
	uint32_t site;
	uint64_t keys[MAX_CHECKED]; /* keys of the pages */
	size_t count;
	json_t *found; /* array of the results */
	/* page with the longest evaluation, or with the error */
	uint64_t slowest;
	enum error error; /* error of worker_pool_run(), if a worker could not
			     evaluate the guard */
	json_int_t slowest_us;
	bool is_slow;
	json_int_t sum_us; /* time for all guards of the site on that page */
	bool is_sum_slow;
};

/*
 * Evaluate the guards of the site together with the new guard on the slowest
 * page.
 */
static void guard_try_all(struct call *call, const struct wanted_guard *wanted,
			  struct guard_trial *trial)
{
	const uint32_t limit_ms = call->config->guards_ms;
	struct guard_page_copy copy = {0};
	json_t *list = NULL;
	const json_t *found;
	size_t i;

	if (read_copy(call->api->store, trial->site, trial->slowest, &copy)) {
		size_t page_bytes = copy.body.size;

		guard_check_read(call->api->store, call->host,
				 buffer_slice(&copy.url), &copy.body);
		item_append_row(&copy.body, &wanted_guard_layout, wanted);
		trial->error = find_in(call, &copy, page_bytes, &list);
	}
	json_array_foreach(list, i, found)
	{
		trial->sum_us += guard_us(found);
		trial->is_sum_slow |= guard_is_slow(found, limit_ms);
	}
	trial->is_sum_slow |= trial->sum_us >= (json_int_t)limit_ms * 1000;
	json_decref(list);
	free_copy(&copy);
}

/* Evaluate the new guard on one page. */
static void guard_try_page(struct call *call, const struct wanted_guard *wanted,
			   uint64_t page, struct guard_trial *trial)
{
	json_t *found;

	trial->error = call_try_guard(call, wanted, trial->site, page, &found);
	if (trial->error != ERR_NONE)
		trial->slowest = page;
	if (found == NULL)
		return;
	json_array_append_new(trial->found, found);
	trial->is_slow = guard_is_slow(found, call->config->guard_ms);
	if (trial->is_slow || guard_us(found) > trial->slowest_us) {
		trial->slowest = page;
		trial->slowest_us = guard_us(found);
	}
}

/*
 * Evaluate the new guard on the pages until TRIAL_MS have passed, or until the
 * guard fails or is too slow on a page. Then evaluate all guards on the slowest
 * page.
 */
static void guard_try(struct call *call, const struct guard_row *guard,
		      struct guard_trial *trial)
{
	const struct wanted_guard wanted = guard_wanted(guard);
	uint64_t end_ms = clock_steady_ms() + TRIAL_MS;

	for (size_t i = 0;
	     i < trial->count && !trial->is_slow && trial->error == ERR_NONE &&
	     clock_steady_ms() < end_ms;
	     i++)
		guard_try_page(call, &wanted, trial->keys[i], trial);
	if (trial->slowest_us >= 0 && !trial->is_slow &&
	    trial->error == ERR_NONE)
		guard_try_all(call, &wanted, trial);
}

/*
 * Respond that the guard was not added, because it fails or is too slow on the
 * page `url`.
 */
static void guard_refuse(struct call *call, const struct guard_trial *trial,
			 const char *url)
{
	const struct config *config = call->config;

	if (trial->error == ERR_QUARANTINED)
		call_fail(call, 422, "quarantined",
			  "the worker crashed or reached a limit while it "
			  "evaluated the expression on %.200s "
			  "(workers.cpu_limit, workers.memory_limit)",
			  url);
	else if (trial->error != ERR_NONE)
		call_fail_with(call, trial->error, url);
	else if (trial->is_slow)
		call_fail(call, 422, "too_slow",
			  "the expression needs %.2g s of CPU time on %.200s; "
			  "the limit is %g s (guards.cpu_limit)",
			  (double)trial->slowest_us / 1e6, url,
			  (double)config->guard_ms / 1e3);
	else
		call_fail(call, 422, "too_slow",
			  "with this guard, the guards of the site need %.2g s "
			  "of CPU time on %.200s; the limit is %g s "
			  "(guards.page_cpu_limit)",
			  (double)trial->sum_us / 1e6, url,
			  (double)config->guards_ms / 1e3);
}

/* If the trial failed, respond with the error. Return whether it failed. */
static bool guard_is_refused(struct call *call, const struct guard_trial *trial)
{
	struct guard_page_copy copy = {0};

	if (trial->error == ERR_NONE && !trial->is_slow && !trial->is_sum_slow)
		return false;
	read_copy(call->api->store, trial->site, trial->slowest, &copy);
	buffer_append(&copy.url, "", 1);
	guard_refuse(call, trial, copy.url.data);
	free_copy(&copy);
	return true;
}

/* Return a summary of the trial as JSON. */
static json_t *guard_trial_summary(const json_t *found,
				   const struct guard_row *guard)
{
	json_t *examples = json_array();
	const json_t *item;
	json_int_t holding = 0;
	json_int_t unknown = 0;
	size_t i;

	json_array_foreach(found, i, item)
	{
		json_int_t matches = json_member_whole(item, "matches");
		bool holds = matches >= 0 && matches < UINT32_MAX &&
			     guard_holds(guard, (uint32_t)matches);

		holding += holds;
		unknown += matches < 0;
		if (holds && json_array_size(examples) < MAX_EXAMPLES)
			json_array_append_new(
				examples,
				json_pack("{s:O, s:O, s:O}", "url",
					  json_object_get(item, "url"),
					  "matches",
					  json_object_get(item, "matches"),
					  "value",
					  json_object_get(item, "value")));
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "checked",
			 (json_int_t)json_array_size(found), "holding", holding,
			 "not_evaluated", unknown, "examples", examples);
}

/* Return whether the page whose text the guard watches is stored. */
static bool guard_has_page(struct call *call, const struct guard_row *guard)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct site_row site;
	struct page_row page;
	bool is_stored = site_get(&txn, slice_of(call->host), &site) &&
			 page_row_get(&txn, site.id,
				      page_key_of(guard->selector), &page);

	txn_abort(&txn);
	return is_stored;
}

static const char *warning_of(struct call *call, const struct guard_row *guard,
			      const json_t *tried)
{
	json_int_t checked = json_member_whole(tried, "checked");

	if (guard->language == GUARD_TEXT)
		return guard->selector.size == 0 || guard_has_page(call, guard)
			       ? NULL
			       : "the page is not stored yet; the guard "
				 "watches it when it is";
	if (checked == 0)
		return "no page is stored yet; the guard watches a page from "
		       "its first match on";
	if (json_member_whole(tried, "not_evaluated") == checked)
		return "the guard is inactive: it needed too many steps on "
		       "every tested page";
	if (json_member_whole(tried, "holding") == 0)
		return "the guard matches on no tested page; it watches a page "
		       "from its first match on";
	return NULL;
}

static const char *state_name(const struct guard_row *row)
{
	static const char *const names[] = {
		[GUARD_UNKNOWN] = "never held",
		[GUARD_OK] = "ok",
		[GUARD_BROKEN] = "firing",
		[GUARD_SUSPENDED] = "suspended",
		[GUARD_UNMATCHED] = "unmatched",
		[GUARD_ALTERNATING] = "alternates",
		[GUARD_SUSPECTED] = "checking",
		[GUARD_RECHECKED] = "checking",
	};

	return row->state < GUARD_STATES ? names[row->state] : "?";
}

static const char *guard_state_name(const struct guard_row *row)
{
	return row->language == GUARD_TEXT && row->state == GUARD_UNKNOWN
		       ? "learning"
		       : state_name(row);
}

static json_t *guard_json(struct txn *txn, const struct site_row *site,
			  uint32_t number, const struct guard_row *row)
{
	char expect[32];

	guard_expect(row, expect);
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:I, s:I, "
		"s:o, s:o}",
		"id", (json_int_t)number, "site", json_text(site->host),
		"template_name", stored_name_json(txn, site->id, row->cluster),
		"cluster", json_cluster_id(site->host, row->cluster), "name",
		json_text_or_null(row->name), "language",
		guard_language_name(row), "selector", guard_selector_json(row),
		"xpath", json_text_or_null(row->xpath), "expect", expect,
		"state", guard_state_name(row), "pages",
		(json_int_t)row->checked, "failing", (json_int_t)row->failing,
		"created", json_time(row->created_ms), "changed",
		json_time(row->changed_ms));
}

/*
 * Commit the addition or the deletion of a guard
 * (daemon/engine/commit_guard.h).
 */
static enum error call_guard(struct call *call, struct guard_change *guard)
{
	struct change change = {.kind = CHANGE_GUARD, .guard = guard};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	change.url = &url;
	return error == ERR_NONE
		       ? pipeline_command(call->api->pipeline, &change)
		       : error;
}

/*
 * Return the guard as JSON, with its evidence; NULL if the guard does not
 * exist.
 */
static json_t *call_read_guard(struct call *call, uint32_t number)
{
	static const char *const kept[] = {"seen", "agreed", "candidates"};
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct site_row site;
	struct guard_row row;

	if (site_get(&txn, slice_of(call->host), &site) &&
	    guard_row_get(&txn, site.id, number, &row)) {
		json_t *evidence = guard_evidence(&txn, site.id, number, &row);

		value = guard_json(&txn, &site, number, &row);
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

/*
 * Commit the guard, and respond with the guard and the summary of its trial.
 * `found` is the array of the trial's results.
 */
static enum http_verdict put_guard(struct call *call,
				   struct guard_change *change, json_t *found)
{
	json_t *tried = guard_trial_summary(found, &change->guard);
	const char *warning = warning_of(call, &change->guard, tried);
	char *text = json_dumps(found, JSON_COMPACT);
	enum error error;
	json_t *value;

	change->found = slice_of(text == NULL ? "" : text);
	error = call_guard(call, change);
	free(text);
	value = error == ERR_NONE ? call_read_guard(call, change->number)
				  : NULL;
	if (value == NULL) {
		json_decref(tried);
		if (error == ERR_ADDRESS_FORBIDDEN)
			return call_fail(
				call, 409, "conflict",
				"a guard of the site already has this name");
		if (error == ERR_BUSY)
			return call_fail(
				call, 503, "busy",
				"the limit of %d guards for each site is "
				"reached; remove one",
				MAX_SITE_GUARDS);
		return call_fail_with(call, error, "the guard was not added");
	}
	json_object_update(value, tried);
	json_decref(tried);
	json_object_set_new(value, "warning",
			    warning == NULL ? json_null()
					    : json_string(warning));
	return call_reply_json(call, 201, value);
}

/*
 * Find the page of the site whose text the guard watches, and copy its URL into
 * `arena`. A redirect leads to another page. If the URL is invalid, respond
 * with the error and return false.
 */
static bool guard_find_page(struct call *call, struct arena *arena,
			    const char *text, struct guard_row *guard)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct site_row site;
	struct page_row page;
	struct url base;
	struct url url;
	bool is_found = false;

	if (site_get(&txn, slice_of(call->host), &site) &&
	    url_parse(&base, site.seed, NULL) == ERR_NONE &&
	    url_parse(&url, slice_of(text), &base) == ERR_NONE &&
	    slice_equal(slice_of(url.host), site.host)) {
		guard->selector = arena_slice(arena, slice_of(url.text));
		if (page_row_get(&txn, site.id, page_key_of(guard->selector),
				 &page) &&
		    page.redirect.size > 0)
			guard->selector = arena_slice(arena, page.redirect);
		is_found = true;
	}
	txn_abort(&txn);
	return is_found ||
	       call_refuse(call, "text: %.200s: must be a URL of the site",
			   text);
}

/*
 * Read "text": the URL of a page, or "all" for the pages of a template. If it
 * is invalid, respond with the error and return false.
 */
static bool guard_read_text(struct call *call, const json_t *request,
			    struct arena *arena, struct guard_row *guard)
{
	const char *text = json_member_text(request, "text");
	bool is_template = strcmp(text, GUARD_ALL_TEXTS) == 0;

	guard->language = GUARD_TEXT;
	guard->xpath = slice_of("");
	guard->selector = slice_of("");
	if (json_object_get(request, "css") != NULL ||
	    json_object_get(request, "xpath") != NULL ||
	    json_object_get(request, "expect") != NULL)
		return call_refuse(call, "text: excludes \"css\", \"xpath\" "
					 "and \"expect\"");
	if (is_template != (json_object_get(request, "cluster") != NULL))
		return call_refuse(call,
				   "text: must be \"all\" with a \"cluster\", "
				   "and otherwise a URL");
	return is_template || guard_find_page(call, arena, text, guard);
}

/* Add a guard of a text, which needs no trial. */
static enum http_verdict api_guards_add_text(struct call *call,
					     struct guard_change *change)
{
	json_t *found = json_array();
	enum http_verdict verdict = put_guard(call, change, found);

	json_decref(found);
	return verdict;
}

static enum http_verdict api_guards_add(struct call *call,
					struct guard_change *change)
{
	struct guard_trial trial = {.slowest_us = -1};
	enum error error = list_pages(call, &change->guard, &trial.site,
				      trial.keys, &trial.count);
	enum http_verdict verdict = HTTP_ANSWERED;

	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	trial.found = json_array();
	guard_try(call, &change->guard, &trial);
	change->site = trial.site;
	if (!guard_is_refused(call, &trial))
		verdict = put_guard(call, change, trial.found);
	json_decref(trial.found);
	return verdict;
}

enum http_verdict api_post_guard(struct call *call)
{
	struct guard_change change = {0};
	struct arena *arena;
	json_t *request;
	enum http_verdict verdict = HTTP_ANSWERED;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	arena = arena_create();
	if (json_member_text(request, "text") != NULL) {
		if (guard_read_text(call, request, arena, &change.guard) &&
		    guard_read_members(call, request, &change.guard))
			verdict = api_guards_add_text(call, &change);
	} else if (guard_read_selector(call, request, arena, &change.guard) &&
		   guard_read_members(call, request, &change.guard)) {
		verdict = api_guards_add(call, &change);
	}
	arena_destroy(arena);
	json_decref(request);
	return verdict;
}

/* Guards of a site: list, show, delete. */

static json_t *guard_row_json(struct call_rows *rows)
{
	struct guard_row row;

	return guard_row_decode(rows->scan.value, &row)
		       ? guard_json(&rows->txn, &rows->site,
				    key_u32(rows->scan.key, 4), &row)
		       : NULL;
}

enum http_verdict api_get_guards(struct call *call)
{
	return call_reply_rows(call, TABLE_GUARDS, "guards", SIZE_MAX,
			       guard_row_json);
}

enum http_verdict api_get_guard(struct call *call)
{
	json_t *value = call_read_guard(call, call->number);

	if (value == NULL)
		return call_fail_with(call, ERR_NOT_FOUND, "the guard");
	return call_reply_json(call, 200, value);
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
