/*
 * extract/metadata/metadata_label.h - joins short texts of a page as a reader
 * sees them. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_LABEL_H
#define EXTRACT_METADATA_METADATA_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct arena;
struct page;

enum { MAX_LABEL = 160, MAX_HEADING = 1024 };

/*
 * Return the texts inside a node as one text, collapsed, with a space between
 * texts in different blocks; empty at MAX_HEADING bytes or more.
 * O(MAX_HEADING). It belongs to `arena`.
 */
struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node);

/*
 * Return the same with " | " between texts that are not in one line or that
 * touch each other ("By" and "Ann"); empty at MAX_LABEL bytes or more.
 */
struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node);

#endif
