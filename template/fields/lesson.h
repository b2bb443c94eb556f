/*
 * template/fields/lesson.h - examples that are not copied from a page: the
 * values that a CSS selector or an XPath expression selects, and values that
 * were transformed.
 */
#ifndef TEMPLATE_FIELDS_LESSON_H
#define TEMPLATE_FIELDS_LESSON_H

#include <stdbool.h>
#include <stdint.h>

#include "template/fields/field.h"

struct arena;
struct page;
struct transform;

/*
 * Check a selector of examples_select(): a CSS selector (page/selector.h), at
 * its end optionally "::attr(NAME)" with a name in value_attributes. If it is
 * invalid, write an English phrase to `error_out` [256] and return false.
 */
bool field_selector_check(const char *text, char *error_out);

/*
 * Write what the valid selector `text` selects on the pages [count] to
 * `examples_out` [count], in `arena`: the texts of the elements, or an
 * attribute. Return the number of pages with a value.
 */
uint32_t examples_select(const char *text, const struct page *const *pages,
			 uint32_t count, struct arena *arena,
			 struct example *examples_out);

#define SEVERAL_SELECTED UINT32_MAX

/*
 * Do the same with a valid XPath expression (page/xpath.h), which selects one
 * value on a page: an element, an attribute or a text. Return SEVERAL_SELECTED
 * if it selects several. A page that is too large has no value.
 */
uint32_t examples_select_xpath(const char *text,
			       const struct page *const *pages, uint32_t count,
			       struct arena *arena,
			       struct example *examples_out);

/* The sample pages, and what was learned from them. */
struct learned_pages {
	const struct column_table *table;
	const struct page *const *pages; /* [table->page_count] */
};

/*
 * Replace transformed values of the examples [count] by the texts of the column
 * that has these values after the transform on most of the example pages.
 * Return false, and change nothing, if none has those of more than half.
 */
bool examples_restore(const struct learned_pages *learned,
		      const struct transform *transform,
		      struct example *examples, uint32_t count,
		      struct arena *arena);

#endif
