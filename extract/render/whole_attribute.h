/*
 * extract/render/whole_attribute.h - reads HTML attributes that are whole
 * numbers.
 */
#ifndef EXTRACT_RENDER_WHOLE_ATTRIBUTE_H
#define EXTRACT_RENDER_WHOLE_ATTRIBUTE_H

#include <stdint.h>

struct page;

enum { MAX_WHOLE_ATTRIBUTE = 999999999 };

/*
 * Return the number at the start of attribute `name` of `node`, by HTML's
 * "rules for parsing non-negative integers"; `otherwise` if `node` is NO_NODE
 * or has no such number, or the number is over MAX_WHOLE_ATTRIBUTE.
 */
uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise);

#endif
