/*
 * page/select/xpath.h - XPath 1.0 over a page, by libxml2. No functions but
 * those of the recommendation, no variables, no namespaces. It is for guards
 * alone: those watch the expressions of people's scrapers, which are XPath as
 * often as CSS, and only XPath tells of attributes and texts. Everything else
 * selects by page/select/selector.h.
 */
#ifndef PAGE_SELECT_XPATH_H
#define PAGE_SELECT_XPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/select/element.h"
#include "store/error.h"

struct arena;
struct page;
struct xpath_tree;

enum {
	MAX_XPATH_BYTES = 1024, /* of an expression */
	XPATH_MAX_NODES = 30000,
	XPATH_MAX_TEXT = 1 << 20, /* bytes of the page's text */
};

/*
 * Whether `text` is a valid expression. If not, an English phrase in
 * `error_out` [256] says why, with the position (byte, from 1) if libxml2
 * reports it.
 */
bool xpath_check(const char *text, char *error_out);

/*
 * The tree of the page: its elements and attributes as in `page`, all text, and
 * the content of script and style; neither comments nor doctype. White space
 * between two tags is one space. The page must outlive the tree; end it with
 * xpath_tree_destroy(). NULL: the page is over XPATH_MAX_NODES or
 * XPATH_MAX_TEXT. Linear.
 *
 * It is made from the flat page, and not by htmlReadMemory(): its time is
 * quadratic in the attributes of a tag, and its tree would differ from the one
 * that CSS selectors and clusters use.
 */
struct xpath_tree *xpath_tree_create(const struct page *page);
void xpath_tree_destroy(struct xpath_tree *tree);

struct xpath_result {
	uint32_t matches;      /* nodes. for a string: 1 unless it is empty; for
				  a boolean: 1 if true; for a number: 1 unless
				  it is NaN */
	uint32_t node;         /* the first match, in document order, or the
				  element that it belongs to; NO_NODE: none */
	const char *attribute; /* name of the attribute that is the first match,
				  or NULL; lives as long as the tree */
	bool is_text;          /* the first match is a text node of `node` */
	size_t value_size;
	char value[ELEMENT_VALUE_BYTES + 1]; /* of the first match: of an
						element its element_value() */
};

/*
 * Evaluate `text`, which passes xpath_check(), at the root. ERR_MALFORMED: it
 * does not. ERR_TOO_LARGE: it takes too many steps, or xpath_stop() was called.
 * Without that a hostile page may make an expression take seconds.
 */
enum error xpath_evaluate(struct xpath_tree *tree, const char *text,
			  struct xpath_result *result_out);

/*
 * End the evaluation on the tree after its current step; do nothing when none
 * is running. For a signal handler of the thread that evaluates. A step is
 * linear in the page, but for one that joins two sets of nodes: at most a
 * second for XPATH_MAX_NODES.
 */
void xpath_stop(struct xpath_tree *tree);

#endif
