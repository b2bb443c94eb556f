/*
 * page/xpath.h - XPath 1.0 over a page, with libxml2: only the functions of the
 * recommendation, no variables, no namespaces. Only guards use it, because the
 * scrapers of users have XPath as often as CSS, and only XPath selects
 * attributes and texts.
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
	MAX_XPATH_BYTES = 1024, /* length of an expression */
	XPATH_MAX_NODES = 30000,
	XPATH_MAX_TEXT = 1 << 20, /* bytes of the page's text */
};

/*
 * Return whether `text` is a valid expression; otherwise write an English
 * phrase to `error_out` [256], with the position (byte, from 1) if libxml2
 * reports it.
 */
bool xpath_check(const char *text, char *error_out);

/*
 * Build the tree of the page: its elements and attributes, all text, and the
 * content of script and style, without comments. White space between two tags
 * becomes one space. The page must outlive the tree. NULL if the page exceeds
 * XPATH_MAX_NODES or XPATH_MAX_TEXT. Linear; htmlReadMemory() is quadratic in
 * the attributes of a tag, and its tree would differ from that of CSS
 * selectors.
 */
struct xpath_tree *xpath_tree_create(const struct page *page);
void xpath_tree_destroy(struct xpath_tree *tree);

struct xpath_result {
	uint32_t matches; /* number of nodes; for a string 1 unless it is empty;
			     for a boolean 1 if true; for a number 1 unless it
			     is NaN */
	uint32_t node;    /* the first match in document order, or its element;
			     NO_NODE: no match */
	const char *attribute; /* name of the attribute that is the first match,
				  or NULL; valid as long as the tree */
	bool is_text;          /* the first match is a text node of `node` */
	size_t value_size;
	char value[ELEMENT_VALUE_BYTES +
		   1]; /* the value of the first match; for an element its
			  element_value() */
};

/*
 * Evaluate `text` at the root. ERR_MALFORMED: xpath_check() rejects it.
 * ERR_TOO_LARGE: too many steps, or xpath_stop() was called.
 */
enum error xpath_evaluate(struct xpath_tree *tree, const char *text,
			  struct xpath_result *result_out);

/*
 * Stop a running evaluation on the tree after its current step. For a signal
 * handler of the evaluating thread. A step takes at most a second.
 */
void xpath_stop(struct xpath_tree *tree);

/*
 * Translate a CSS selector to an XPath expression that selects the same
 * elements, in `arena`; for output only. Return NULL, with an English phrase in
 * `error_out` [256], if the selector is wrong, or has :first-of-type or
 * :nth-of-type() without a tag name before it, which XPath 1.0 cannot express.
 */
const char *css_xpath(struct arena *arena, const char *text, char *error_out);

#endif
