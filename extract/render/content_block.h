/*
 * extract/render/content_block.h - divides the kept text into blocks with a
 * kind, for JSON.
 */
#ifndef EXTRACT_RENDER_CONTENT_BLOCK_H
#define EXTRACT_RENDER_CONTENT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;
struct verdict;

enum content_kind {
	CONTENT_PARAGRAPH,
	CONTENT_HEADING,   /* level: 1..6 */
	CONTENT_LIST_ITEM, /* level: number of lists around it */
	CONTENT_TABLE_ROW, /* of a simple table: table_survey.h; tabs separate
			      the cells */
	CONTENT_CODE,      /* a code block with its lines */
	CONTENT_QUOTE,     /* level: number of quotes around it */
	CONTENT_CAPTION,   /* of a figure or a table */
	CONTENT_KIND_COUNT
};

/* Return the name: "paragraph", "list-item", "table-row", ... */
const char *content_kind_name(enum content_kind kind);

struct content_block {
	enum content_kind kind;
	uint32_t level; /* 0 for kinds without a level */
	size_t begin;   /* in `text` */
	size_t length;  /* bytes, > 0 */
	float score; /* mean of its texts' scores, weighted by length; finite */
};

struct content_blocks {
	const struct content_block *items; /* [count], document order */
	size_t count;
	const char *text; /* UTF-8, plain; the blocks are parts of it */
};

/* Divide the kept text. The blocks belong to `arena`. Linear in the page. */
struct content_blocks content_blocks_make(struct arena *arena,
					  const struct page *page,
					  const struct verdict *verdicts);

#endif
