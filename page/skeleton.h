/*
 * page/skeleton.h - the part of a page that the tree builder sees: its tags,
 * and the places of text. Internal to page/.
 *
 * libxml2's HTML parser knows which tags close or imply which others. But
 * attributes, entities, comments and scripts make it slow or even quadratic, or
 * are read otherwise than by browsers, and it does not keep positions in the
 * source. So the scanner tokenizes, and libxml2 parses a skeleton of the page:
 * start tags without attributes, end tags, and an "x" for text. "<p
 * class=a>Hi<br>there</p>" has the skeleton "<p>x<br/>x</p><!---->". The
 * position of libxml2 in the skeleton gives the token, and so the position in
 * the source.
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
	PIECE_TEXT, /* a text directly behind another text has no "x" of its own
		     */
	PIECE_EOF,  /* the last one */
};

/* A token that is in the skeleton. */
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
	uint32_t last_begin; /* begin of the last token that is not </body> or
				</html> */
	bool is_truncated;
};

/*
 * Left out: attributes, comments, raw content, blank text, </html> and </body>
 * (what follows them still belongs to the body, as in browsers), and end tags
 * that close nothing, so that there are no more end tags than start tags. Cut
 * behind `max_nodes` start tags or `max_texts` texts. Names that HTML does not
 * have become u0, u1...: libxml2 needs no spelling. Linear; free it with
 * skeleton_free(), but for the names, which live in the arena.
 */
void skeleton_build(struct skeleton *skeleton, struct arena *arena,
		    struct slice source, uint32_t max_nodes, size_t max_texts);
void skeleton_free(struct skeleton *skeleton);

#endif
