/*
 * extract/text/passage_scope.h - properties that an element passes to all text
 * inside it. Internal to extract/text/passage.c.
 */
#ifndef EXTRACT_TEXT_PASSAGE_SCOPE_H
#define EXTRACT_TEXT_PASSAGE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct page;

struct passage_scope_scope {
	uint32_t block;   /* the nearest block-level element, or NO_NODE */
	uint8_t place;    /* enum passage_place */
	uint8_t hiding;   /* enum passage_hiding; not set for elements without
			     text */
	bool is_link;     /* is inside an a element */
	bool is_boundary; /* is block-level itself */
};

/* Return the scope of text outside of all elements. */
struct passage_scope_scope scope_of_page(void);

/* Return the scope of element `node`; `around` is its parent's scope. */
struct passage_scope_scope
scope_of_node(const struct page *page, uint32_t node,
	      const struct passage_scope_scope *around);

#endif
