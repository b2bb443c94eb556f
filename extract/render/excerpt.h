/* extract/render/excerpt.h - the beginning of a text, for lists. */
#ifndef EXTRACT_RENDER_EXCERPT_H
#define EXTRACT_RENDER_EXCERPT_H

#include "base/slice.h"
#include "extract/render/content_block.h"

struct arena;

enum { MAX_EXCERPT = 300 /* characters */ };

/*
 * Return the first paragraph of ten words or more; without one, the longest
 * block; white space collapsed. A longer text is truncated after a word, or
 * anywhere in scripts without spaces, and then ends in U+2026. Empty without
 * blocks. Belongs to `arena`.
 */
struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks);

#endif
