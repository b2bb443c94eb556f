#include "daemon/privsep/guarded_page.h"

#include <signal.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/arena.h"
#include "daemon/privsep/cpu_timer.h"
#include "daemon/privsep/item_list.h"
#include "page/element.h"
#include "page/selector.h"
#include "page/xpath.h"
#include "store/rows_guard.h"
#include "template/candidates.h"
#include "template/json_value.h"

enum { US_PER_MS = 1000 };

/* A page on which guards are evaluated. */
struct guarded_page {
	const struct page *page;
	struct xpath_tree *tree; /* created when needed; NULL until then */
	bool has_no_tree;        /* creating the tree has failed */
	struct cpu_timer timer;  /* stops an expression, or a search */
	volatile sig_atomic_t is_over; /* the timer has expired */
	uint64_t guard_us;             /* limit of each guard */
	uint64_t page_us;              /* limit of all guards */
	uint64_t end_us; /* CPU time at which all guards must be done */
};

static uint64_t guards_time_us(uint32_t limit_ms)
{
	return limit_ms == 0 ? UINT64_MAX / 2 : (uint64_t)limit_ms * US_PER_MS;
}

/* Return the remaining time of all guards; 0 = none. */
static uint64_t guards_left_us(const struct guarded_page *guarded)
{
	uint64_t now_us = cpu_time_us();

	return now_us < guarded->end_us ? guarded->end_us - now_us : 0;
}

static void guards_stop(void *context)
{
	struct guarded_page *guarded = context;

	guarded->is_over = 1;
	if (guarded->tree != NULL)
		xpath_stop(guarded->tree);
}

/*
 * Start the timer: it stops the evaluation after `time_us`, or when the time of
 * all guards is over. Return false if there is no timer to stop it.
 */
static bool guards_start(struct guarded_page *guarded, uint64_t time_us)
{
	uint64_t left_us = guards_left_us(guarded);

	guarded->is_over = 0;
	cpu_timer_start(&guarded->timer, left_us < time_us ? left_us : time_us);
	return guarded->timer.is_created;
}

/*
 * Create the tree, which all expressions share; its time counts for no guard
 * and not for the sum.
 */
static void guards_make_tree(struct guarded_page *guarded,
			     const struct wanted_guard *guard)
{
	uint64_t begin_us = cpu_time_us();

	if (guard->language == GUARD_CSS || guarded->tree != NULL ||
	    guarded->has_no_tree)
		return;
	guarded->tree = xpath_tree_create(guarded->page);
	guarded->has_no_tree = guarded->tree == NULL;
	guarded->end_us += cpu_time_us() - begin_us;
}

static void find_xpath(struct guarded_page *guarded, const char *selector,
		       struct xpath_result *result)
{
	enum error error = ERR_TOO_LARGE;

	if (guarded->tree != NULL && guards_start(guarded, guarded->guard_us)) {
		error = xpath_evaluate(guarded->tree, selector, result);
		cpu_timer_stop(&guarded->timer);
	}
	if (error != ERR_NONE)
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

/* Evaluate the selector if time remains. */
static void guards_find(struct guarded_page *guarded,
			const struct wanted_guard *guard,
			struct xpath_result *result)
{
	char selector[MAX_SELECTOR_BYTES + 1] = "";

	*result = (struct xpath_result){.matches = UINT32_MAX, .node = NO_NODE};
	if (guards_left_us(guarded) == 0)
		return;
	if (guard->selector.size <= MAX_SELECTOR_BYTES)
		memcpy(selector, guard->selector.data, guard->selector.size);
	if (guard->language == GUARD_CSS)
		find_css(guarded, selector, result);
	else
		find_xpath(guarded, selector, result);
}

static json_t *guards_replacements_json(struct arena *arena,
					const struct guarded_page *guarded,
					const struct wanted_guard *known)
{
	const struct lost_element lost = {
		.is_stopped = &guarded->is_over,
		.value = known->value,
		.path = known->path,
		.minimum = known->minimum,
		.maximum = known->maximum,
	};
	const struct replacement *candidates;
	uint32_t count =
		replacements_find(arena, guarded->page, &lost, &candidates);
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

/* Return the result of the guard, and its CPU time. */
static json_t *guards_check_one(struct guarded_page *guarded,
				const struct wanted_guard *guard)
{
	struct xpath_result result;
	uint64_t begin_us;
	uint64_t used_us;
	json_t *found;

	guards_make_tree(guarded, guard);
	begin_us = cpu_time_us();
	guards_find(guarded, guard, &result);
	used_us = cpu_time_us() - begin_us;
	found = json_pack(
		"{s:I, s:I, s:o, s:o, s:I}", "guard", (json_int_t)guard->number,
		"matches",
		result.matches == UINT32_MAX ? (json_int_t)-1
					     : (json_int_t)result.matches,
		"value",
		json_text((struct slice){result.value, result.value_size}),
		"path", path_json(guarded->page, &result), "us",
		(json_int_t)used_us);
	if (used_us >= guarded->guard_us)
		json_object_set_new(found, "over", json_string("guard"));
	else if (result.matches == UINT32_MAX &&
		 (guards_left_us(guarded) == 0 || !guarded->timer.is_created))
		json_object_set_new(found, "skipped", json_true());
	return found;
}

/*
 * When the time is over, mark the guard that took the longest, unless it took
 * less than half of an equal share.
 */
static void guards_blame(const struct guarded_page *guarded, json_t *list)
{
	json_t *longest = NULL;
	json_int_t longest_us = -1;
	uint64_t evaluated = 1; /* the stopped guard counts, too */
	json_t *found;
	size_t i;

	json_array_foreach(list, i, found)
	{
		json_int_t us =
			json_integer_value(json_object_get(found, "us"));

		if (json_object_get(found, "over") != NULL)
			return;
		evaluated += json_object_get(found, "skipped") == NULL;
		if (us > longest_us) {
			longest = found;
			longest_us = us;
		}
	}
	if (longest == NULL ||
	    (uint64_t)longest_us < guarded->page_us / (2 * evaluated))
		return;
	json_object_del(longest, "skipped");
	json_object_set_new(longest, "over", json_string("page"));
}

/* Search for replacements while time remains. */
static void guards_add_candidates(struct guarded_page *guarded,
				  struct arena *arena, struct slice guards,
				  json_t *list)
{
	struct slice item;
	size_t i = 0;

	while (item_next(&guards, &item) && guards_left_us(guarded) > 0) {
		struct wanted_guard guard;
		json_t *found;
		json_int_t matches;

		if (!row_codec_decode(&wanted_guard_layout, item, &guard))
			continue;
		found = json_array_get(list, i++);
		matches = json_integer_value(json_object_get(found, "matches"));
		if (guard.is_known == 0 || matches < 0 ||
		    (matches >= guard.minimum && matches <= guard.maximum))
			continue;
		if (guards_start(guarded, guarded->page_us))
			json_object_set_new(found, "candidates",
					    guards_replacements_json(
						    arena, guarded, &guard));
		cpu_timer_stop(&guarded->timer);
	}
}

void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out)
{
	struct guarded_page guarded = {
		.page = page,
		.guard_us = guards_time_us(limits->guard_ms),
		.page_us = guards_time_us(limits->page_ms),
		.end_us = cpu_time_us() + guards_time_us(limits->page_ms),
	};
	json_t *list = json_array();
	struct slice rest = guards;
	struct slice item;
	char *text;

	cpu_timer_create(&guarded.timer, guards_stop, &guarded);
	while (item_next(&rest, &item)) {
		struct wanted_guard guard;

		if (row_codec_decode(&wanted_guard_layout, item, &guard))
			json_array_append_new(
				list, guards_check_one(&guarded, &guard));
	}
	if (guards_left_us(&guarded) == 0)
		guards_blame(&guarded, list);
	guards_add_candidates(&guarded, page->arena, guards, list);
	text = json_dumps(list, JSON_COMPACT);
	if (text != NULL)
		buffer_append_text(out, text);
	free(text);
	json_decref(list);
	cpu_timer_destroy(&guarded.timer);
	xpath_tree_destroy(guarded.tree);
}
