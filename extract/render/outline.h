/*
 * extract/render/outline.h - opens and closes the blocks around kept text, so
 * that every block is closed and is only where HTML allows it.
 *
 * A level is the depth of an element of the page; level 0 is the page itself.
 * An open block belongs to a level, and is closed with this level.
 *
 * A frame is an open block. The frames are a stack: the first is the page, and
 * each other frame is inside the one before it.
 */
#ifndef EXTRACT_RENDER_OUTLINE_H
#define EXTRACT_RENDER_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/render/media.h"

struct arena;
struct layout_writer;
struct page;

/*
 * The maximum nesting of lists in lists, of tables in tables, of quotes in
 * quotes, and of figures in figures.
 */
enum { MAX_OUTLINE_NESTING = 16 };

/* An open block. */
struct outline_frame {
	uint32_t level;    /* the block is closed with this level */
	uint32_t home;     /* the level that opened the block */
	uint16_t tag;      /* enum tag; the outermost frame has TAG_html */
	uint8_t nested[4]; /* number of open lists, tables, quotes and figures,
			      including this frame */
	bool has_child;    /* a block was opened inside this block */
	uint32_t columns; /* for tr: number of columns of the cells up to now */
};

/* The columns [begin, end) of a cell in its tr; {0, 0} = unknown. */
struct columns {
	uint32_t begin;
	uint32_t end;
};

struct block_outline {
	const struct layout_writer *writer;
	struct outline_frame *frames; /* [frame_count]; the first is the page */
	uint32_t frame_count;
	uint32_t max_frames;
	/*
	 * The frames from this index on were opened for a line of text. They
	 * are closed before the next block.
	 */
	uint32_t line_frame;
};

/*
 * Return an outline with only the page open, for at most `level_count` levels.
 * The frames belong to `arena`.
 */
struct block_outline outline_begin(struct arena *arena,
				   const struct layout_writer *writer,
				   uint32_t level_count);

/*
 * Return true for an element that contains text and no blocks: p, pre, h1..h6,
 * caption, figcaption.
 */
bool outline_is_line(uint16_t tag);

/*
 * Open the block `tag` of `node` at `level`, if it can contain blocks (ul, ol,
 * li, table, tr, td, th, blockquote, figure) and is allowed at this position.
 * First open a missing item, row or cell around it. `columns` is for td and th:
 * if earlier cells of the row have no kept content, empty cells are opened and
 * closed instead, so that the cell is in its column.
 */
void outline_open_block(struct block_outline *outline, uint16_t tag,
			uint32_t node, uint32_t level, struct columns columns);

/* Return true if a line is open. */
bool outline_is_in_line(const struct block_outline *outline);

/*
 * Unless a line is open, open the line `line` of `node` (see
 * outline_is_line()), for text whose innermost block is at `level`.
 */
void outline_open_line(struct block_outline *outline, uint16_t line,
		       uint32_t node, uint32_t level);

/*
 * End the open line of text: close the frames from line_frame on. Call this
 * before a block of the page starts or ends.
 */
void outline_end_line(struct block_outline *outline);

/* Close the blocks that belong to `level` and to levels inside it. */
void outline_close(struct block_outline *outline, uint32_t level);

enum { MAX_CODE_LANGUAGE = 32 };

/*
 * Return the programming language of the pre `node`, or an empty slice if it is
 * unknown. It is a known name of a language after "language-", "lang-",
 * "highlight-source-", "brush:" or similar in a class, or in an attribute such
 * as data-lang, of the pre, of its first elements, or of elements around it.
 */
struct slice code_language(const struct page *page, uint32_t node);

/*
 * The readable part of a text node. It does not have marks that are not for
 * readers, which remain if some software did not run, or ran twice:
 *
 * - Tags that are text directly in noscript: &lt;img src="x"&gt;.
 * - Character references that are text: &amp;#8217; or &amp;eacute;. They are
 *   decoded if they are numbers, HTML 4's names of ISO-8859-1, or the usual
 *   names of quotation marks and dashes. They are not decoded if they are the
 *   names of < and >, if they are in quotation marks or brackets, or if the
 *   page has references in its code.
 * - Shortcodes of WordPress (extract/render/media.h).
 */

/*
 * The state of readable_text() for one page. The texts of the page must be
 * passed in order.
 */
struct readable {
	const struct page *page;
	struct shortcodes shortcodes;
	bool is_judged;     /* is_on_markup was computed */
	bool is_on_markup;  /* the page has character references in code */
	struct buffer text; /* the result that was returned last */
	struct buffer spare;
};

struct readable readable_begin(const struct page *page);
void readable_end(struct readable *readable);

/*
 * Return the readable part of text `index`, which must not be in code. The
 * result may be blank; it points into the page, or is valid until the next
 * call. Linear in the page for all texts together.
 */
struct slice readable_text(struct readable *readable, uint32_t index);

#endif
