#include "daemon/pipeline/guarding.h"

#include <stdlib.h>

#include "daemon/engine/guard_change.h"
#include "daemon/engine/guard_state.h"
#include "page/select/element.h"
#include "page/select/selector.h"
#include "page/select/xpath.h"
#include "store/arena.h"
#include "store/key.h"
#include "store/rows_site.h"
#include "template/candidates.h"
#include "template/json_value.h"

void guarded_page_end(struct guarded_page *guarded)
{
	xpath_tree_destroy(guarded->tree);
	guarded->tree = NULL;
}

static struct xpath_tree *tree_of(struct guarded_page *guarded)
{
	if (guarded->tree == NULL && !guarded->has_no_tree) {
		guarded->tree = xpath_tree_create(guarded->page);
		guarded->has_no_tree = guarded->tree == NULL;
	}
	return guarded->tree;
}

static void find_xpath(struct guarded_page *guarded, const char *selector,
		       struct xpath_result *result)
{
	struct xpath_tree *tree = tree_of(guarded);

	if (tree == NULL || xpath_evaluate(tree, selector, result) != ERR_NONE)
		*result = (struct xpath_result){.matches = UINT32_MAX,
						.node = NO_NODE};
}

static void find_css(const struct guarded_page *guarded, const char *selector,
		     struct xpath_result *result)
{
	const struct page *page = guarded->page;
	struct arena *arena = arena_create();
	char error[256];
	const struct selector *compiled =
		selector_compile(arena, selector, error);
	const bool *is_selected;

	*result = (struct xpath_result){.node = NO_NODE};
	if (compiled == NULL) {
		result->matches = UINT32_MAX;
		arena_destroy(arena);
		return;
	}
	is_selected = selector_match(compiled, page, arena);
	for (uint32_t i = 0; i < page->node_count; i++) {
		if (is_selected[i] && result->node == NO_NODE)
			result->node = i;
		result->matches += is_selected[i];
	}
	if (result->node != NO_NODE)
		result->value_size =
			element_value(page, result->node, result->value);
	arena_destroy(arena);
}

static json_t *path_json(const struct page *page,
			 const struct xpath_result *result)
{
	struct buffer path = {0};
	json_t *value;

	if (result->node != NO_NODE)
		element_path(page, result->node, &path);
	if (result->attribute != NULL)
		buffer_printf(&path, "/@%s", result->attribute);
	else if (result->is_text)
		buffer_append_text(&path, "/text()");
	value = json_text(buffer_slice(&path));
	buffer_free(&path);
	return value;
}

json_t *guarding_find(struct guarded_page *guarded,
		      const struct guard_row *guard)
{
	char selector[MAX_SELECTOR_BYTES + 1] = "";
	struct xpath_result result;

	if (guard->selector.size <= MAX_SELECTOR_BYTES)
		memcpy(selector, guard->selector.data, guard->selector.size);
	if (guard->language == GUARD_CSS)
		find_css(guarded, selector, &result);
	else
		find_xpath(guarded, selector, &result);
	return json_pack(
		"{s:I, s:o, s:o}", "matches",
		result.matches == UINT32_MAX ? (json_int_t)-1
					     : (json_int_t)result.matches,
		"value",
		json_text((struct slice){result.value, result.value_size}),
		"path", path_json(guarded->page, &result));
}

/* A guard and its last result on the page, copied. */
struct known {
	uint32_t number;
	struct guard_row guard;
	bool is_known; /* it has held on the page */
	struct slice value;
	struct slice path;
};

static struct slice copy(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

static void read_guard(struct txn *txn, uint32_t site, uint64_t page,
		       struct arena *arena, struct known *known)
{
	struct guarded_row row;

	known->guard.selector = copy(arena, known->guard.selector);
	known->guard.name = slice_of("");
	known->guard.xpath = slice_of("");
	if (!guarded_row_get(txn, site, known->number, page, &row) ||
	    row.good_ms == 0)
		return;
	known->is_known = true;
	known->value = copy(arena, row.value);
	known->path = copy(arena, row.path);
}

/* The guards of the site, copied into the arena. */
static struct known *read_guards(struct store *store, const char *host,
				 uint64_t page, struct arena *arena,
				 uint32_t *count_out)
{
	struct txn txn = txn_begin_read(store);
	struct known *guards = NULL;
	struct site_row site;
	struct scan scan;
	struct key prefix;
	uint32_t count = 0;

	if (site_get(&txn, slice_of(host), &site)) {
		prefix = key_site(site.id);
		scan = scan_begin(&txn, TABLE_GUARDS, key_slice(&prefix));
		while (count < MAX_SITE_GUARDS && scan_next(&scan)) {
			struct known known = {.number = key_u32(scan.key, 4)};

			if (!guard_row_decode(scan.value, &known.guard))
				continue;
			if (guards == NULL)
				guards = ARENA_NEW(arena, struct known,
						   MAX_SITE_GUARDS);
			read_guard(&txn, site.id, page, arena, &known);
			guards[count++] = known;
		}
		scan_end(&scan);
	}
	txn_abort(&txn);
	*count_out = count;
	return guards;
}

static json_t *candidates_json(struct arena *arena, const struct page *page,
			       const struct known *known)
{
	const struct lost lost = {
		.value = known->value,
		.path = known->path,
		.minimum = known->guard.minimum,
		.maximum = known->guard.maximum,
	};
	const struct candidate *candidates;
	uint32_t count = candidates_find(arena, page, &lost, &candidates);
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:o, s:f, s:I, s:o}", "selector",
				  json_text(slice_of(candidates[i].selector)),
				  "score", candidates[i].score, "node",
				  (json_int_t)candidates[i].node, "value",
				  json_text(slice_of(candidates[i].value))));
	return list;
}

static json_t *check_guard(struct guarded_page *guarded, struct arena *arena,
			   const struct known *known)
{
	json_t *found = guarding_find(guarded, &known->guard);
	json_int_t matches =
		json_integer_value(json_object_get(found, "matches"));

	json_object_set_new(found, "guard", json_integer(known->number));
	if (known->is_known && matches >= 0 &&
	    guard_fails(&known->guard, (uint32_t)matches))
		json_object_set_new(
			found, "candidates",
			candidates_json(arena, guarded->page, known));
	return found;
}

static void check_guards(struct page *page, const struct known *guards,
			 uint32_t count, struct buffer *out)
{
	struct guarded_page guarded = {.page = page};
	json_t *list = json_array();
	char *text;

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list, check_guard(&guarded, page->arena, &guards[i]));
	text = json_dumps(list, JSON_COMPACT);
	if (text != NULL)
		buffer_append_text(out, text);
	free(text);
	json_decref(list);
	guarded_page_end(&guarded);
}

void guarding_check(struct store *store, const char *host, struct slice url,
		    struct page *page, struct buffer *out)
{
	struct arena *arena = arena_create();
	uint32_t count;
	const struct known *guards =
		read_guards(store, host, page_key_of(url), arena, &count);

	if (count > 0)
		check_guards(page, guards, count, out);
	arena_destroy(arena);
}
