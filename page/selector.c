#include "page/selector.h"

#include <string.h>

#include "base/arena.h"
#include "page/attribute.h"
#include "page/page.h"
#include "page/selector_parts.h"

/*
 * The matching state of the last element at one depth of the tree. Each bit is
 * a part of the selector; it is set if the element matches the part, and
 * elements before it match the parts to its left.
 */
struct selector_level {
	uint64_t matched;
	uint64_t above;  /* matched by ancestors */
	uint64_t before; /* matched by preceding siblings */
	uint32_t parent;
	uint32_t index; /* position among the children, from 1 */
};

struct matching {
	const struct page *page;
	const uint32_t *type_indices;  /* [node_count], from 1 */
	struct selector_level *levels; /* [depth of the page + 1] */
};

static bool selector_text_has_word(struct slice text, struct slice word)
{
	const char *at = text.data;
	const char *end = at + text.size;

	while (at < end) {
		const char *begin;

		while (at < end && is_space(*at))
			at++;
		begin = at;
		while (at < end && !is_space(*at))
			at++;
		if (slice_equal((struct slice){begin, (size_t)(at - begin)},
				word))
			return true;
	}
	return false;
}

static struct slice selector_text_head(struct slice text, size_t size)
{
	return (struct slice){text.data, size};
}

static struct slice tail_of(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + text.size - size, size};
}

static bool selector_text_contains(struct slice text, struct slice part)
{
	return memmem(text.data, text.size, part.data, part.size) != NULL;
}

static bool test_dash(struct slice value, struct slice wanted)
{
	return value.size >= wanted.size &&
	       slice_equal(selector_text_head(value, wanted.size), wanted) &&
	       (value.size == wanted.size ||
		((const char *)value.data)[wanted.size] == '-');
}

static bool test_value(const struct test *test, struct slice value)
{
	struct slice wanted = test->value;
	bool has_room = wanted.size > 0 && value.size >= wanted.size;

	if (value.data == NULL)
		return false;
	switch (test->kind) {
	case TEST_EXISTS:
		return true;
	case TEST_EQUALS:
		return slice_equal(value, wanted);
	case TEST_WORD:
		return has_room && selector_text_has_word(value, wanted);
	case TEST_DASH:
		return test_dash(value, wanted);
	case TEST_PREFIX:
		return has_room &&
		       slice_equal(selector_text_head(value, wanted.size),
				   wanted);
	case TEST_SUFFIX:
		return has_room &&
		       slice_equal(tail_of(value, wanted.size), wanted);
	default:
		return has_room && selector_text_contains(value, wanted);
	}
}

static bool test_type(const struct test *test, const struct page *page,
		      uint16_t tag)
{
	if (test->tag < TAG_COUNT || tag < TAG_COUNT)
		return test->tag == tag;
	return slice_equal(page_tag_name(page, tag), slice_of(test->name));
}

static bool test_last(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;

	return page->nodes[node].end ==
	       (parent == NO_NODE ? page->node_count : page->nodes[parent].end);
}

/* Return whether index = step * n + offset for an n >= 0. */
static bool test_nth(const struct test *test, uint32_t index)
{
	int64_t distance = (int64_t)index - test->offset;

	if (test->step == 0)
		return distance == 0;
	return distance / test->step >= 0 && distance % test->step == 0;
}

static bool test_holds(const struct matching *matching, const struct test *test,
		       uint32_t node, uint32_t index)
{
	const struct page *page = matching->page;

	switch (test->kind) {
	case TEST_ANY:
		return true;
	case TEST_TYPE:
		return test_type(test, page, page->nodes[node].tag);
	case TEST_LAST_CHILD:
		return test_last(page, node);
	case TEST_NTH_CHILD:
		return test_nth(test, index);
	case TEST_NTH_OF_TYPE:
		return test_nth(test, matching->type_indices[node]);
	default:
		return test_value(test, page_attribute(page, node, test->name));
	}
}

static bool part_holds(const struct matching *matching,
		       const struct selector_part *part, uint32_t node,
		       uint32_t index)
{
	for (size_t i = 0; i < part->test_count; i++)
		if (test_holds(matching, &part->tests[i], node, index) ==
		    part->tests[i].is_negated)
			return false;
	return true;
}

/*
 * Return the parts that `node` may match, given its ancestors and preceding
 * siblings.
 */
static uint64_t open_parts(const struct selector *selector,
			   const struct selector_level *here, uint64_t parent,
			   uint64_t previous)
{
	uint64_t open = 0;

	for (size_t i = 0; i < selector->part_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		uint64_t left = bit >> 1;
		bool is_open = true;

		switch (selector->parts[i].combinator) {
		case COMBINE_NONE:
			break;
		case COMBINE_DESCENDANT:
			is_open = (here->above & left) != 0;
			break;
		case COMBINE_CHILD:
			is_open = (parent & left) != 0;
			break;
		case COMBINE_NEXT:
			is_open = (previous & left) != 0;
			break;
		case COMBINE_LATER:
			is_open = (here->before & left) != 0;
			break;
		}
		if (is_open)
			open |= bit;
	}
	return open;
}

/* Match the next node in document order; return its bits. */
static uint64_t match_node(const struct matching *matching,
			   const struct selector *selector, uint32_t node)
{
	static const struct selector_level outside = {0};
	const struct node *element = &matching->page->nodes[node];
	struct selector_level *here = &matching->levels[element->depth];
	const struct selector_level *parent =
		element->depth == 0 ? &outside : here - 1;
	uint64_t previous = here->matched;
	uint64_t open;

	if (here->index == 0 || here->parent != element->parent) {
		*here = (struct selector_level){.parent = element->parent};
		previous = 0;
	}
	here->index++;
	here->before |= previous;
	here->above = parent->above | parent->matched;
	here->matched = 0;
	open = open_parts(selector, here, parent->matched, previous);
	for (size_t i = 0; open != 0; i++, open >>= 1)
		if ((open & 1) != 0 && part_holds(matching, &selector->parts[i],
						  node, here->index))
			here->matched |= UINT64_C(1) << i;
	return here->matched;
}

/*
 * Number the children of `parent` by type. `counts` [types] is 0 before and
 * after the call. Linear for all parents together.
 */
static void count_children(const struct page *page, uint32_t parent,
			   uint32_t *counts, uint32_t *indices)
{
	bool is_root = parent == NO_NODE;
	uint32_t begin = is_root ? 0 : parent + 1;
	uint32_t end = is_root ? page->node_count : page->nodes[parent].end;

	for (uint32_t n = begin; n < end; n = page->nodes[n].end)
		indices[n] = ++counts[page->nodes[n].tag];
	for (uint32_t n = begin; n < end; n = page->nodes[n].end)
		counts[page->nodes[n].tag] = 0;
}

static const uint32_t *count_types(struct arena *arena, const struct page *page)
{
	uint32_t *indices = ARENA_NEW(arena, uint32_t, page->node_count);
	uint32_t *counts =
		ARENA_NEW(arena, uint32_t, TAG_COUNT + page->unknown_tag_count);

	count_children(page, NO_NODE, counts, indices);
	for (uint32_t i = 0; i < page->node_count; i++)
		count_children(page, i, counts, indices);
	return indices;
}

const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena)
{
	struct matching matching = {.page = page};
	bool *is_selected = ARENA_NEW(arena, bool, page->node_count);
	unsigned depth = 0;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].depth > depth)
			depth = page->nodes[i].depth;
	matching.levels = ARENA_NEW(arena, struct selector_level, depth + 1);
	matching.type_indices = count_types(arena, page);
	for (uint32_t i = 0; i < page->node_count; i++)
		is_selected[i] = (match_node(&matching, selector, i) &
				  selector->last) != 0;
	return is_selected;
}
