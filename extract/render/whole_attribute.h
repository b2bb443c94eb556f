/* extract/render/whole_attribute.h - attributes of HTML that are whole numbers.
 */
#ifndef EXTRACT_RENDER_WHOLE_ATTRIBUTE_H
#define EXTRACT_RENDER_WHOLE_ATTRIBUTE_H

#include <stdint.h>

struct page;

enum { MAX_WHOLE_ATTRIBUTE = 999999999 };

/*
 * The number that attribute `name` of `node` begins with, as HTML's "rules for
 * parsing non-negative integers"; `otherwise` when `node` is NO_NODE, has none,
 * or it is over MAX_WHOLE_ATTRIBUTE.
 */
uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise);

#endif
