/*
 * page/xpath_tree.h - builds a libxml2 document from a page. Internal to
 * page/.
 */
#ifndef PAGE_XPATH_TREE_H
#define PAGE_XPATH_TREE_H

#include <libxml/tree.h>
#include <libxml/xpath.h>

#include "page/xpath.h"

struct xpath_tree {
	const struct page *page;
	xmlDocPtr document; /* _private of elements and texts is an index of
			       `nodes` */
	uint32_t *nodes; /* nodes of the page by serial number: the element, or
			    the element of the text */
	size_t text_bytes;
	xmlXPathContextPtr volatile running; /* the context of the running
						evaluation, or NULL */
};

/*
 * Return the serial number in document order of an element, a text, or the
 * element of an attribute; 0 for the document.
 */
uintptr_t xpath_order_of(const xmlNode *node);

/* Return the node of the page, or NO_NODE. */
uint32_t xpath_node_of(const xmlNode *node);

/*
 * Return a context at the root with a limit of steps; free it with
 * xmlXPathFreeContext().
 */
xmlXPathContextPtr xpath_context(xmlDocPtr document, unsigned long steps);

#endif
