/*
 * page/skeleton.h - what the tree builder sees of a page: its tags and where
 * there is text, and nothing else. Internal to page/.
 *
 * libxml2's HTML parser knows which tags close or imply which others. It is
 * also slow, or quadratic, or at odds with browsers, in attributes, entities,
 * comments and scripts, and it forgets where things stood. So the scanner
 * tokenizes, and libxml2 parses a skeleton of the page: start tags without
 * attributes, end tags, and an "x" for text. "<p class=a>Hi<br>there</p>" has
 * the skeleton "<p>x<br/>x</p><!---->". The position of libxml2 in it leads
 * back to the token, and so to the source.
 */
#ifndef PAGE_SKELETON_H
#define PAGE_SKELETON_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "store/buffer.h"

enum { MAX_UNKNOWN_TAGS = 1000 };

enum piece_kind {
	PIECE_START,
	PIECE_END,
	PIECE_TEXT, /* each one that follows another has no "x" of its own */
	PIECE_EOF,  /* the last one */
};

/* A token that has left a trace in the skeleton. */
struct piece {
	uint32_t offset; /* in the markup */
	uint8_t kind;    /* enum piece_kind */
	uint16_t tag;    /* PIECE_START, PIECE_END: as struct node's */
	struct span source;
};

struct skeleton {
	struct buffer markup;
	struct piece *pieces; /* [count] by offset, ends with PIECE_EOF */
	size_t count;
	const struct slice *unknown_tags; /* in the arena */
	uint32_t unknown_tag_count;
	uint32_t body_end;   /* behind the last </body> in the source, or 0 */
	uint32_t html_end;   /* and </html> */
	uint32_t last_begin; /* where the last token but those begins */
	bool is_truncated;
};

/*
 * Left out: attributes, comments, raw content, blank text, </html> and </body>
 * (what follows them still belongs there, as in browsers), and end tags that
 * close nothing, so that there are no more end tags than start tags. Cut
 * behind `max_nodes` start tags or `max_texts` texts. Names that HTML does not
 * have become u0, u1...: their spelling means nothing to libxml2. Linear; free
 * it with skeleton_free(), but for the names, which live in the arena.
 */
void skeleton_build(struct skeleton *skeleton, struct arena *arena,
		    struct slice source, uint32_t max_nodes, size_t max_texts);
void skeleton_free(struct skeleton *skeleton);

#endif
