/* tests/unit/template/fields/learned.h - a template that is learned from small
 * pages. */
#ifndef TESTS_UNIT_TEMPLATE_FIELDS_LEARNED_H
#define TESTS_UNIT_TEMPLATE_FIELDS_LEARNED_H

#include "template/fields/column.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

enum { MAX_LEARNED = 600 };

/* The pages of one template, and what is learned from them. */
struct learned {
	const struct page *pages[MAX_LEARNED];
	uint32_t count;
	struct place_tree tree;
	struct column_table table;
};

/* Add a page. test_arena owns the pages. */
__attribute__((format(printf, 2, 3))) void learned_add(struct learned *site,
						       const char *format, ...);

/* Learn the places and the columns of the pages. */
void learned_run(struct learned *site);

/* Destroy the pages. */
void learned_free(struct learned *site);

/* Return the place of the text; NO_PLACE if the text is on no page. */
uint32_t place_of_text(const struct learned *site, const char *text);

/* Check the step and the label of the element that has the text. */
void check_place(const struct learned *site, const char *text, const char *step,
		 const char *label);

/*
 * Return the first column of the attribute (NULL: text), which is no series,
 * that has the value on the page, or NULL.
 */
const struct column *column_with(const struct learned *site,
				 const char *attribute, uint32_t page,
				 const char *value);

/* Check the values of a page, separated by "|"; empty for none. */
void check_values(const struct column *column, uint32_t page,
		  const char *values);

#endif
