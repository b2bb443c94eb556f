#include "daemon/engine/guard_evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "daemon/engine/guard_state.h"
#include "page/css_xpath.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_guard.h"
#include "template/candidates.h"
#include "template/json_value.h"

enum {
	MAX_SHOWN = 10, /* number of listed pages */
	MAX_READ = 64,  /* number of pages whose candidates are merged */
	MAX_SCANNED = 100000,
	MAX_OFFERED = 5, /* number of listed candidates */
};

/* The evidence gathered from the pages of a guard. */
struct evidence {
	const struct guard_row *guard;
	struct arena *arena;
	json_t *pages;
	struct page_replacement *kept; /* [kept_count] */
	uint32_t kept_count;
	uint32_t page_count; /* pages whose candidates were read */
	char attribute[80];  /* "/@href", if the guard matched attributes */
};

void guard_expect(const struct guard_row *guard, char out[32])
{
	if (guard->minimum == guard->maximum)
		snprintf(out, 32, "%u", guard->minimum);
	else if (guard->maximum == UINT32_MAX)
		snprintf(out, 32, "%u..", guard->minimum);
	else
		snprintf(out, 32, "%u..%u", guard->minimum, guard->maximum);
}

static void guard_evidence_add_page(struct evidence *evidence,
				    const struct guarded_row *row)
{
	if (json_array_size(evidence->pages) == MAX_SHOWN)
		return;
	json_array_append_new(
		evidence->pages,
		json_pack("{s:o, s:o, s:o, s:o, s:o}", "url",
			  json_text(row->url), "matches",
			  row->matches == UINT32_MAX
				  ? json_null()
				  : json_integer((json_int_t)row->matches),
			  "value", json_text_or_null(row->value), "path",
			  json_text_or_null(row->path), "good",
			  json_time(row->good_ms)));
}

static void keep_candidate(struct evidence *evidence, const json_t *item)
{
	const char *selector =
		json_string_value(json_object_get(item, "selector"));
	const char *value = json_string_value(json_object_get(item, "value"));

	if (selector == NULL || value == NULL)
		return;
	evidence->kept[evidence->kept_count++] = (struct page_replacement){
		.selector =
			arena_copy(evidence->arena, selector, strlen(selector)),
		.value = arena_copy(evidence->arena, value, strlen(value)),
		.score = json_number_value(json_object_get(item, "score")),
		.page = evidence->page_count,
		.node = (uint32_t)json_integer_value(
			json_object_get(item, "node")),
	};
}

static void guard_evidence_read_attribute(struct evidence *evidence,
					  struct slice path)
{
	const char *at = memmem(path.data, path.size, "/@", 2);

	if (at != NULL)
		snprintf(evidence->attribute, sizeof(evidence->attribute),
			 "%.*s",
			 (int)((const char *)path.data + path.size - at), at);
}

static void read_candidates(struct evidence *evidence,
			    const struct guarded_row *row)
{
	json_t *list;
	const json_t *item;
	size_t i;

	if (row->good_ms == 0 || evidence->page_count == MAX_READ)
		return;
	guard_evidence_read_attribute(evidence, row->path);
	list = json_loadb(row->candidates.size == 0 ? "" : row->candidates.data,
			  row->candidates.size, 0, NULL);
	json_array_foreach(list, i, item)
	{
		if (i < MAX_CANDIDATES)
			keep_candidate(evidence, item);
	}
	json_decref(list);
	evidence->page_count++;
}

/*
 * Read the pages on which the guard fails, or those on which it holds if it
 * fails on none.
 */
static void guard_evidence_read_pages(struct txn *txn, uint32_t site,
				      uint32_t number,
				      struct evidence *evidence)
{
	struct key prefix = key_cluster(site, number);
	struct scan scan = scan_begin(txn, TABLE_GUARDED, key_slice(&prefix));
	bool is_failing = evidence->guard->failing > 0;

	for (uint32_t i = 0; i < MAX_SCANNED && scan_next(&scan); i++) {
		struct guarded_row row;

		if (!guarded_row_decode(scan.value, &row) ||
		    guard_fails(evidence->guard, row.matches) != is_failing)
			continue;
		guard_evidence_add_page(evidence, &row);
		if (is_failing)
			read_candidates(evidence, &row);
		else if (json_array_size(evidence->pages) == MAX_SHOWN)
			break;
	}
	scan_end(&scan);
}

static json_t *xpath_json(const struct evidence *evidence, const char *selector)
{
	char error[256];
	const char *xpath = css_xpath(evidence->arena, selector, error);
	struct buffer text = {0};
	json_t *value;

	if (xpath == NULL)
		return json_null();
	buffer_printf(&text, "%s%s", xpath, evidence->attribute);
	value = json_text(buffer_slice(&text));
	buffer_free(&text);
	return value;
}

static json_t *guard_evidence_candidates(const struct evidence *evidence)
{
	struct merged_replacement offered[MAX_OFFERED];
	json_t *list = json_array();
	uint32_t count =
		replacements_merge(evidence->arena,
				   &(struct page_replacements){
					   evidence->kept, evidence->kept_count,
					   evidence->page_count},
				   offered, MAX_OFFERED);

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:f, s:I, s:o}", "selector",
				  json_text(slice_of(offered[i].selector)),
				  "xpath",
				  xpath_json(evidence, offered[i].selector),
				  "score", offered[i].score, "pages",
				  (json_int_t)offered[i].pages, "example",
				  json_text(slice_of(offered[i].value))));
	return list;
}

/* Return how many of the recent pages agree with the state. */
static uint32_t guard_evidence_agreed(const struct guard_row *guard)
{
	uint32_t bad = guard_recent_bad(guard);

	return guard->state == GUARD_BROKEN ? bad : guard->recent_count - bad;
}

json_t *guard_evidence(struct txn *txn, uint32_t site, uint32_t number,
		       const struct guard_row *guard)
{
	struct evidence evidence = {
		.guard = guard,
		.arena = arena_create(),
		.pages = json_array(),
	};
	char expect[32];
	json_t *value;

	evidence.kept = ARENA_NEW(evidence.arena, struct page_replacement,
				  (size_t)MAX_READ * MAX_CANDIDATES);
	guard_expect(guard, expect);
	value = json_pack("{s:I, s:o, s:o, s:s, s:o, s:s, s:I, s:I, s:I, s:I}",
			  "guard", (json_int_t)number, "name",
			  json_text_or_null(guard->name), "selector",
			  json_text(guard->selector), "language",
			  guard->language == GUARD_CSS ? "css" : "xpath",
			  "xpath", json_text_or_null(guard->xpath), "expect",
			  expect, "seen", (json_int_t)guard->recent_count,
			  "agreed", (json_int_t)guard_evidence_agreed(guard),
			  "failed", (json_int_t)guard->failing, "checked",
			  (json_int_t)guard->checked);
	guard_evidence_read_pages(txn, site, number, &evidence);
	json_object_set_new(value, "pages", evidence.pages);
	json_object_set_new(value, "candidates",
			    guard_evidence_candidates(&evidence));
	arena_destroy(evidence.arena);
	return value;
}
