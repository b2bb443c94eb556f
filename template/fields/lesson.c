#include "template/fields/lesson.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "page/page.h"
#include "page/selector.h"
#include "page/xpath.h"
#include "template/fields/rule.h"
#include "template/fields/transform.h"

/* Selectors */

#define ATTRIBUTE_BEGIN "::attr("

/* Cut "::attr(NAME)" from the end of a selector; return NAME, or NULL. */
static char *cut_attribute(char *text)
{
	char *begin = strstr(text, ATTRIBUTE_BEGIN);
	size_t size = strlen(text);

	if (begin == NULL || text[size - 1] != ')')
		return NULL;
	text[size - 1] = '\0';
	*begin = '\0';
	return begin + strlen(ATTRIBUTE_BEGIN);
}

static bool is_value_attribute(const char *name)
{
	for (size_t i = 0; i < VALUE_ATTRIBUTES; i++)
		if (strcmp(value_attributes[i], name) == 0)
			return true;
	return false;
}

bool field_selector_check(const char *text, char *error_out)
{
	struct arena *arena = arena_create();
	char *css = arena_copy(arena, text, strlen(text));
	const char *attribute = cut_attribute(css);
	bool is_valid = selector_compile(arena, css, error_out) != NULL;

	if (is_valid && attribute != NULL && !is_value_attribute(attribute)) {
		snprintf(error_out, 256,
			 "::attr() supports only href, src, alt, title, "
			 "content, value, datetime, data-price, data-value and "
			 "data-src");
		is_valid = false;
	}
	arena_destroy(arena);
	return is_valid;
}

/* Return the attribute of an element, or an empty text. */
static struct slice attribute_of(const struct page *page, uint32_t node,
				 const char *name)
{
	const struct node *element = &page->nodes[node];

	for (uint32_t i = 0; i < element->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[element->first_attribute + i];

		if (slice_equal(attribute->name, slice_of(name)))
			return attribute->value;
	}
	return (struct slice){"", 0};
}

/* Return the text or the attribute of an element, as a column has it. */
static struct slice selected_value(const struct page *page, uint32_t node,
				   const char *attribute, struct arena *arena)
{
	/* what an element without a text may show, or state */
	static const char *const others[] = {"content", "value",    "datetime",
					     "src",     "data-src", "href",
					     "alt",     "title"};
	struct buffer text = {0};
	struct slice value;

	if (attribute == NULL)
		element_text(page, node, MAX_VALUE_BYTES, &text);
	else
		buffer_append_slice(&text, attribute_of(page, node, attribute));
	for (size_t i = 0; attribute == NULL && text.size == 0 &&
			   i < sizeof(others) / sizeof(others[0]);
	     i++)
		buffer_append_slice(&text, attribute_of(page, node, others[i]));
	if (text.size > 0)
		text.size = text_collapse(buffer_slice(&text), text.data);
	if (attribute != NULL && text.size > 0)
		attribute_resolve(page, attribute, &text);
	value = arena_slice(arena, buffer_slice(&text));
	buffer_free(&text);
	return value;
}

uint32_t examples_select(const char *text, const struct page *const *pages,
			 uint32_t count, struct arena *arena,
			 struct example *examples_out)
{
	char error[256];
	char *css = arena_copy(arena, text, strlen(text));
	const char *attribute = cut_attribute(css);
	const struct selector *selector = selector_compile(arena, css, error);
	uint32_t filled = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct example *example = &examples_out[i];
		const bool *is_selected =
			selector_match(selector, pages[i], arena);
		struct slice *values =
			ARENA_NEW(arena, struct slice, MAX_PAGE_VALUES);

		*example = (struct example){.page = i, .values = values};
		for (uint32_t node = 1; node < pages[i]->node_count &&
					example->count < MAX_PAGE_VALUES;
		     node++) {
			struct slice value;

			if (!is_selected[node])
				continue;
			value = selected_value(pages[i], node, attribute,
					       arena);
			if (value.size > 0 && !example_has(example, value))
				values[example->count++] = value;
		}
		filled += example->count > 0;
	}
	return filled;
}

/* Return the value that an XPath expression selects; empty for none. */
static struct slice xpath_value(const struct page *page,
				const struct xpath_result *result,
				struct arena *arena)
{
	struct slice value = {result->value, result->value_size};
	char *copy;

	if (result->matches == 0 || value.size >= ELEMENT_VALUE_BYTES)
		value.size = 0; /* the end may be missing */
	if (result->node != NO_NODE && result->attribute == NULL &&
	    !result->is_text)
		return selected_value(page, result->node, NULL, arena);
	copy = arena_room(arena, value.size + 1);
	return (struct slice){copy, text_collapse(value, copy)};
}

uint32_t examples_select_xpath(const char *text,
			       const struct page *const *pages, uint32_t count,
			       struct arena *arena,
			       struct example *examples_out)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct xpath_tree *tree = xpath_tree_create(pages[i]);
		struct slice *value = ARENA_NEW(arena, struct slice, 1);
		struct xpath_result result;

		examples_out[i] = (struct example){.page = i, .values = value};
		if (tree == NULL)
			continue;
		if (xpath_evaluate(tree, text, &result) == ERR_NONE)
			*value = xpath_value(pages[i], &result, arena);
		xpath_tree_destroy(tree);
		if (result.matches > 1)
			return SEVERAL_SELECTED;
		examples_out[i].count = value->size > 0;
		filled += value->size > 0;
	}
	return filled;
}

/* Transformed values */

enum { MAX_RESTORE_TRIED = 8 /* examples that are looked at first */ };

/* Write the texts of a column on a page [MAX_PAGE_VALUES]; return the number.
 */
static uint32_t column_texts(const struct column *column, uint32_t page,
			     struct slice *texts_out)
{
	struct value found[MAX_PAGE_VALUES];
	uint32_t count = rule_values(column, page, found);

	for (uint32_t i = 0; i < count; i++)
		texts_out[i] = found[i].text;
	return count;
}

/*
 * Return whether the column has, after the transform, exactly the values of the
 * example.
 */
static bool is_restored(const struct learned_pages *learned,
			const struct transform *transform,
			const struct column *column,
			const struct example *example)
{
	struct slice texts[MAX_PAGE_VALUES];
	uint32_t count = column_texts(column, example->page, texts);
	const struct slice *values = texts;
	struct arena *arena;
	bool is_equal;

	if (count == 0)
		return false;
	arena = arena_create();
	is_equal = transform_values(transform, learned->pages[example->page],
				    arena, &values, &count) &&
		   count == example->count;
	for (uint32_t i = 0; i < count && is_equal; i++)
		is_equal = example_has(example, values[i]);
	arena_destroy(arena);
	return is_equal;
}

/* Return on how many of the examples the column has their values. */
static uint32_t count_restored(const struct learned_pages *learned,
			       const struct transform *transform,
			       const struct column *column,
			       const struct example *examples, uint32_t count)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i == MAX_RESTORE_TRIED && right * 2 <= i)
			return 0;
		right += is_restored(learned, transform, column, &examples[i]);
	}
	return right;
}

bool examples_restore(const struct learned_pages *learned,
		      const struct transform *transform,
		      struct example *examples, uint32_t count,
		      struct arena *arena)
{
	const struct column *best = NULL;
	uint32_t most = count / 2;

	for (uint32_t i = 0; i < learned->table->count; i++) {
		const struct column *column = &learned->table->columns[i];
		uint32_t right = count_restored(learned, transform, column,
						examples, count);

		if (right > most) {
			best = column;
			most = right;
		}
	}
	for (uint32_t i = 0; i < count && best != NULL; i++) {
		struct slice *texts;

		if (!is_restored(learned, transform, best, &examples[i]))
			continue;
		texts = ARENA_NEW(arena, struct slice, MAX_PAGE_VALUES);
		examples[i].count = column_texts(best, examples[i].page, texts);
		examples[i].values = texts;
	}
	return best != NULL;
}
