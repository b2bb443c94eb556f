/* page/select/xpath_tree.h - a page as a document of libxml2. Internal to
 * page/. */
#ifndef PAGE_SELECT_XPATH_TREE_H
#define PAGE_SELECT_XPATH_TREE_H

#include <libxml/tree.h>
#include <libxml/xpath.h>

#include "page/select/xpath.h"

struct xpath_tree {
	const struct page *page;
	xmlDocPtr document; /* _private of elements and texts: in `nodes` */
	uint32_t *nodes;    /* node of the page by serial number: the element,
			       or the element of the text */
	size_t text_bytes;
	xmlXPathContextPtr volatile running; /* that of the evaluation, or NULL
					      */
};

/*
 * Serial number in document order of an element, a text, or the element of an
 * attribute; 0: the document.
 */
uintptr_t xpath_order_of(const xmlNode *node);

/* The node of the page, or NO_NODE. */
uint32_t xpath_node_of(const xmlNode *node);

/* A context with a limit of steps, at the root; xmlXPathFreeContext() it. */
xmlXPathContextPtr xpath_context(xmlDocPtr document, unsigned long steps);

#endif
