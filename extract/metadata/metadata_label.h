/*
 * extract/metadata/metadata_label.h - short texts of a page, joined as a reader
 * sees them. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_LABEL_H
#define EXTRACT_METADATA_METADATA_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;
struct page;

enum { MAX_LABEL = 160, MAX_HEADING = 1024 };

/*
 * The texts inside of a node as one, collapsed, a space between those that
 * stand in blocks of their own; empty when there are MAX_HEADING bytes or more.
 * O(MAX_HEADING). It belongs to `arena`.
 */
struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node);

/*
 * The same with " | " between texts that a reader would not read as one line,
 * or that touch each other ("By" and "Ann"); empty from MAX_LABEL bytes on.
 */
struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node);

#endif
