/* extract/render/excerpt.h - the first words of a text, to show it in a list.
 */
#ifndef EXTRACT_RENDER_EXCERPT_H
#define EXTRACT_RENDER_EXCERPT_H

#include "extract/render/content_block.h"
#include "store/slice.h"

struct arena;

enum { MAX_EXCERPT = 300 /* characters */ };

/*
 * The first paragraph of ten words or more, else the longest block; white space
 * collapsed. A longer one is cut behind a word, or anywhere in scripts without
 * spaces, and ends in U+2026. Empty without blocks. Belongs to `arena`.
 */
struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks);

#endif
