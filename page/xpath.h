/*
 * page/xpath.h - XPath 1.0 for a page, with libxml2. It has only the functions
 * of the recommendation, no variables and no namespaces. Only guards
 * and lessons of fields use it: the scrapers of users contain XPath as often as
 * CSS, and only XPath can select attributes and texts.
 */
#ifndef PAGE_XPATH_H
#define PAGE_XPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "page/selector.h"

struct arena;
struct page;
struct xpath_tree;

enum {
	MAX_XPATH_BYTES = 1024, /* maximum length of an expression */
	XPATH_MAX_NODES = 30000,
	XPATH_MAX_TEXT = 1 << 20, /* maximum bytes of the text of a page */
};

/*
 * Return whether `text` is a valid expression. If it is not, write an English
 * phrase to `error_out` [256], with the position (byte, from 1) if libxml2
 * reports it.
 */
bool xpath_check(const char *text, char *error_out);

/*
 * Create the tree of a page. It contains all elements, attributes and texts,
 * and the content of scripts and styles, but no comments. White space between
 * two tags becomes one space. The page must exist as long as the tree. Return
 * NULL if the page exceeds XPATH_MAX_NODES or XPATH_MAX_TEXT. Linear.
 * htmlReadMemory() is not used, because its time is quadratic in the attributes
 * of a tag, and its tree would differ from the tree that CSS selectors match.
 */
struct xpath_tree *xpath_tree_create(const struct page *page);
void xpath_tree_destroy(struct xpath_tree *tree);

struct xpath_result {
	uint32_t matches; /* number of selected nodes. If the result is a
			     string, 1 unless it is empty; if a boolean, 1 if it
			     is true; if a number, 1 unless it is NaN */
	uint32_t node; /* the first match in document order; for an attribute or
			  text, its element; NO_NODE: there is no match */
	/*
	 * name of the attribute if the first match is one, otherwise NULL;
	 * valid as long as the tree
	 */
	const char *attribute;
	bool is_text; /* the first match is a text in `node` */
	size_t value_size;
	char value[ELEMENT_VALUE_BYTES + 1]; /* value of the first match; for an
						element its element_value() */
};

/*
 * Evaluate the expression `text` at the root of the page. ERR_MALFORMED:
 * xpath_check() rejects it. ERR_TOO_LARGE: it needs too many steps, or
 * xpath_stop() was called.
 */
enum error xpath_evaluate(struct xpath_tree *tree, const char *text,
			  struct xpath_result *result_out);

/*
 * Stop the evaluation that is running on the tree, after its current step,
 * which takes at most a second. Call it in a signal handler of the thread that
 * evaluates.
 */
void xpath_stop(struct xpath_tree *tree);

/*
 * Translate a CSS selector to an XPath expression that selects the same
 * elements; the result is in `arena`. It is only for output. If the selector is
 * invalid, or XPath 1.0 cannot express it (:first-of-type or :nth-of-type()
 * without a tag name before it), write an English phrase to `error_out` [256]
 * and return NULL.
 */
const char *css_xpath(struct arena *arena, const char *text, char *error_out);

#endif
