#include "template/candidate_selector.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "page/element.h"
#include "page/page.h"
#include "page/selector.h"
#include "template/candidates.h"

enum {
	MAX_NAMES = 12,  /* ways to name one element */
	MAX_CLASSES = 6, /* limit per element */
	MAX_CLASS_BYTES = 64,
	MAX_ANCESTORS = 12, /* limit per element */
	MAX_PARENT_STEPS = 6,
};

/* Selectors of one element by its own tag, id, class and attributes. */
struct element_names {
	struct element_selector items[MAX_NAMES];
	uint32_t count;
};

struct selector_search {
	struct arena *arena;
	const struct page *page;
	uint32_t node;
	const struct element_query *query;
	struct selector_budget *budget;
	struct element_selector *found; /* [count], highest trust first */
	uint32_t count;
};

/*
 * Return how stable a name probably is: generated names (numbers, hashes)
 * change often.
 */
static double element_name_trust(struct slice name)
{
	const unsigned char *bytes = name.data;
	size_t digits = 0;

	for (size_t i = 0; i < name.size; i++)
		digits += isdigit(bytes[i]) != 0;
	if (digits >= 3)
		return 0.5;
	return digits > 0 ? 0.9 : 1;
}

static void element_names_add(struct element_names *names, struct arena *arena,
			      const struct buffer *text, double trust)
{
	if (names->count == MAX_NAMES)
		return;
	names->items[names->count++] = (struct element_selector){
		arena_copy(arena, text->data, text->size), trust};
}

static void begin_with_tag(struct buffer *text, const struct page *page,
			   uint32_t node)
{
	buffer_clear(text);
	element_escape(page_tag_name(page, page->nodes[node].tag), text);
}

static void element_names_add_classes(struct element_names *names,
				      struct arena *arena,
				      const struct page *page, uint32_t node)
{
	struct slice classes = page_attribute(page, node, "class");
	const char *at = classes.data;
	const char *end = at + classes.size;
	struct buffer text = {0};

	for (int i = 0; i < MAX_CLASSES && at < end; i++) {
		struct slice word;

		while (at < end && isspace((unsigned char)*at))
			at++;
		word.data = at;
		while (at < end && !isspace((unsigned char)*at))
			at++;
		word.size = (size_t)(at - (const char *)word.data);
		if (word.size == 0 || word.size > MAX_CLASS_BYTES)
			continue;
		begin_with_tag(&text, page, node);
		buffer_append_byte(&text, '.');
		element_escape(word, &text);
		element_names_add(names, arena, &text,
				  0.97 * element_name_trust(word));
	}
	buffer_free(&text);
}

/* Append the value as a quoted CSS string. */
static void selector_append_quoted(struct slice value, struct buffer *out)
{
	const char *bytes = value.data;

	buffer_append_byte(out, '"');
	for (size_t i = 0; i < value.size; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, bytes[i]);
	}
	buffer_append_byte(out, '"');
}

/* Add selectors by attributes that describe the purpose of an element. */
static void element_names_add_attributes(struct element_names *names,
					 struct arena *arena,
					 const struct page *page, uint32_t node)
{
	static const char *const known[] = {
		"name", "property",    "itemprop", "rel",
		"role", "data-testid", "type",     "aria-label",
	};
	struct buffer text = {0};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct slice value = page_attribute(page, node, known[i]);

		if (value.size == 0 || value.size > MAX_CLASS_BYTES ||
		    memchr(value.data, '\n', value.size) != NULL)
			continue;
		begin_with_tag(&text, page, node);
		buffer_printf(&text, "[%s=", known[i]);
		selector_append_quoted(value, &text);
		buffer_append_byte(&text, ']');
		element_names_add(names, arena, &text,
				  0.98 * element_name_trust(value));
	}
	buffer_free(&text);
}

/* Set all selectors of the element itself; its tag comes last. */
static void read_names(struct element_names *names, struct arena *arena,
		       const struct page *page, uint32_t node)
{
	struct slice id = page_attribute(page, node, "id");
	struct buffer text = {0};

	names->count = 0;
	if (id.size > 0 && id.size <= MAX_CLASS_BYTES) {
		buffer_append_byte(&text, '#');
		element_escape(id, &text);
		element_names_add(names, arena, &text, element_name_trust(id));
	}
	element_names_add_attributes(names, arena, page, node);
	if (page_attribute(page, node, "class").size > 0)
		element_names_add_classes(names, arena, page, node);
	begin_with_tag(&text, page, node);
	if (names->count == MAX_NAMES)
		names->count--;
	element_names_add(names, arena, &text, 0.95);
	buffer_free(&text);
}

static bool is_right(const struct selector_search *search, const char *text)
{
	const struct page *page = search->page;
	struct arena *arena = arena_create();
	char error[256];
	const struct selector *selector = selector_compile(arena, text, error);
	uint32_t first = NO_NODE;
	uint32_t count = 0;

	search->budget->nodes -= page->node_count;
	if (selector != NULL) {
		const bool *is_selected = selector_match(selector, page, arena);

		for (uint32_t i = 0; i < page->node_count; i++) {
			if (is_selected[i] && first == NO_NODE)
				first = i;
			count += is_selected[i];
		}
	}
	arena_destroy(arena);
	return first == search->node && count >= search->query->minimum &&
	       count <= search->query->maximum;
}

/* Return whether a selector with this trust would be among the best. */
static bool selector_search_accepts(const struct selector_search *search,
				    double trust)
{
	return search->budget->nodes > 0 &&
	       !search_is_stopped(search->budget->is_stopped) &&
	       (search->count < MAX_ELEMENT_SELECTORS ||
		search->found[search->count - 1].trust < trust);
}

static void selector_search_try(struct selector_search *search,
				const char *text, double trust)
{
	uint32_t at;

	if (!selector_search_accepts(search, trust) || !is_right(search, text))
		return;
	if (search->count < MAX_ELEMENT_SELECTORS)
		search->count++;
	for (at = search->count - 1;
	     at > 0 && search->found[at - 1].trust < trust; at--)
		search->found[at] = search->found[at - 1];
	search->found[at] = (struct element_selector){
		arena_copy(search->arena, text, strlen(text)), trust};
}

static void try_joined(struct selector_search *search,
		       const struct element_selector *outer, const char *joint,
		       const struct element_selector *inner, double trust)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s%s%s", outer->text, joint, inner->text);
	selector_search_try(search, text.data,
			    trust * outer->trust * inner->trust);
	buffer_free(&text);
}

static bool is_landmark(uint16_t tag)
{
	switch (tag) {
	case TAG_head:
	case TAG_header:
	case TAG_footer:
	case TAG_main:
	case TAG_article:
	case TAG_nav:
	case TAG_aside:
		return true;
	default:
		return false;
	}
}

/* Try selectors that begin with an ancestor, the nearest first. */
static void try_around(struct selector_search *search,
		       const struct element_names *own)
{
	const struct node *nodes = search->page->nodes;
	uint32_t node = nodes[search->node].parent;

	for (int i = 0; i < MAX_ANCESTORS && node != NO_NODE;
	     i++, node = nodes[node].parent) {
		bool is_parent = i == 0;
		double trust = 0.95 - 0.01 * i;
		struct element_names outer;

		read_names(&outer, search->arena, search->page, node);
		if (!is_landmark(nodes[node].tag))
			outer.count--; /* only "div" would select too much */
		for (uint32_t k = 0; k < outer.count; k++) {
			for (uint32_t j = 0; j < own->count; j++)
				try_joined(search, &outer.items[k], " ",
					   &own->items[j], trust);
			if (is_parent)
				try_joined(search, &outer.items[k], " > ",
					   &own->items[own->count - 1],
					   trust - 0.02);
		}
	}
}

static uint32_t type_index(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;
	uint32_t index = 1;

	for (uint32_t n = parent == NO_NODE ? node : parent + 1; n < node;
	     n = page->nodes[n].end)
		index += page->nodes[n].tag == page->nodes[node].tag;
	return index;
}

/*
 * Try selectors by the position among the siblings, below an ancestor with a
 * selector.
 */
static void try_places(struct selector_search *search)
{
	const struct page *page = search->page;
	uint32_t node = search->node;
	struct buffer chain = {0};

	for (int i = 0; i < MAX_PARENT_STEPS; i++) {
		uint32_t parent = page->nodes[node].parent;
		struct buffer longer = {0};
		struct element_selector place;
		struct element_names outer;

		if (parent == NO_NODE)
			break;
		begin_with_tag(&longer, page, node);
		buffer_printf(&longer, ":nth-of-type(%u)",
			      type_index(page, node));
		if (chain.size > 0)
			buffer_printf(&longer, " > %s", chain.data);
		buffer_free(&chain);
		chain = longer;
		place = (struct element_selector){chain.data, 1};
		read_names(&outer, search->arena, page, parent);
		for (uint32_t k = 0; k < outer.count; k++)
			try_joined(search, &outer.items[k], " > ", &place,
				   0.75 - 0.05 * i);
		node = parent;
	}
	buffer_free(&chain);
}

uint32_t element_selectors(struct arena *arena,
			   const struct element_query *query,
			   struct selector_budget *budget,
			   struct element_selector *selectors_out)
{
	struct selector_search search = {
		.arena = arena,
		.page = query->page,
		.node = query->node,
		.query = query,
		.budget = budget,
		.found = selectors_out,
	};
	struct element_names own;

	read_names(&own, arena, query->page, query->node);
	for (uint32_t i = 0; i < own.count; i++)
		selector_search_try(&search, own.items[i].text,
				    own.items[i].trust);
	try_around(&search, &own);
	if (search.count < 2)
		try_places(&search);
	return search.count;
}
