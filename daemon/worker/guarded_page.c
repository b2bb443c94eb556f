#include "daemon/worker/guarded_page.h"

#include <stdlib.h>

#include <jansson.h>

#include "daemon/worker/item_list.h"
#include "daemon/worker/requests.h"
#include "page/select/element.h"
#include "page/select/selector.h"
#include "page/select/xpath.h"
#include "store/arena.h"
#include "store/rows_guard.h"
#include "template/candidates.h"
#include "template/json_value.h"

/* A page on which guards are evaluated. */
struct guarded_page {
	const struct page *page;
	struct xpath_tree *tree; /* made when it is first needed; NULL: not yet
				  */
	bool has_no_tree;        /* it cannot be made */
};

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

/* Evaluate the selector: an object with matches, value and path. */
static json_t *find(struct guarded_page *guarded,
		    const struct wanted_guard *guard)
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

static json_t *candidates_json(struct arena *arena, const struct page *page,
			       const struct wanted_guard *known)
{
	const struct lost lost = {
		.value = known->value,
		.path = known->path,
		.minimum = known->minimum,
		.maximum = known->maximum,
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

static json_t *check(struct guarded_page *guarded, struct arena *arena,
		     const struct wanted_guard *guard)
{
	json_t *found = find(guarded, guard);
	json_int_t matches =
		json_integer_value(json_object_get(found, "matches"));

	json_object_set_new(found, "guard", json_integer(guard->number));
	if (guard->is_known != 0 && matches >= 0 &&
	    (matches < guard->minimum || matches > guard->maximum))
		json_object_set_new(
			found, "candidates",
			candidates_json(arena, guarded->page, guard));
	return found;
}

void guards_check(struct page *page, struct slice guards, struct buffer *out)
{
	struct guarded_page guarded = {.page = page};
	json_t *list = json_array();
	struct slice item;
	char *text;

	while (item_next(&guards, &item)) {
		struct wanted_guard guard;

		if (row_layout_decode(&wanted_guard_layout, item, &guard))
			json_array_append_new(
				list, check(&guarded, page->arena, &guard));
	}
	text = json_dumps(list, JSON_COMPACT);
	if (text != NULL)
		buffer_append_text(out, text);
	free(text);
	json_decref(list);
	xpath_tree_destroy(guarded.tree);
}
