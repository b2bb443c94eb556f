#include "extract/render/layout.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/render/element_role.h"
#include "extract/render/formula.h"
#include "extract/render/media.h"
#include "extract/render/note.h"
#include "extract/render/outline.h"
#include "extract/render/render.h"
#include "extract/render/table.h"
#include "extract/text/characters.h"
#include "page/entity.h"
#include "page/markup.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tag.h"

enum {
	MAX_UNIT_LETTERS = 2,   /* as of "km" before a raised number */
	MAX_POWER_BYTES = 6,    /* of a raised number */
	MAX_BOX_DEPTH = 4,      /* elements between a box and its item */
	MAX_ROW_SPAN = 1000,    /* larger spans are ignored */
	MAX_LAYOUT_TABLES = 32, /* maximum number of tables in tables whose
				   rows are counted */
	MAX_LINE_NODES = 8 /* maximum number of nodes in an empty line of pre */
};

static const uint8_t inline_kinds[TAG_COUNT] = {
	[TAG_a] = INLINE_LINK,        [TAG_b] = INLINE_STRONG,
	[TAG_strong] = INLINE_STRONG, [TAG_em] = INLINE_EMPHASIS,
	[TAG_i] = INLINE_EMPHASIS,    [TAG_code] = INLINE_CODE,
	[TAG_kbd] = INLINE_CODE,      [TAG_samp] = INLINE_CODE,
	[TAG_tt] = INLINE_CODE,       [TAG_del] = INLINE_DELETED,
	[TAG_s] = INLINE_DELETED,     [TAG_strike] = INLINE_DELETED,
	[TAG_sub] = INLINE_SUBSCRIPT, [TAG_sup] = INLINE_SUPERSCRIPT,
};

enum inline_kind inline_kind(uint16_t tag)
{
	return tag < TAG_COUNT ? (enum inline_kind)inline_kinds[tag]
			       : INLINE_NONE;
}

/*
 * Add an element, which is inside the elements of the chain, unless the chain
 * has an element of its kind.
 */
static void inline_chain_add(struct inline_chain *chain,
			     struct inline_element element)
{
	enum inline_kind kind = inline_kind(element.tag);
	uint32_t place = chain->count;

	if (kind == INLINE_NONE)
		return;
	/* a change of the font would divide the code */
	if (place > 0 && (kind == INLINE_STRONG || kind == INLINE_EMPHASIS) &&
	    inline_kind(chain->items[place - 1].tag) == INLINE_CODE)
		return;
	for (uint32_t i = 0; i < chain->count; i++)
		if (inline_kind(chain->items[i].tag) == kind)
			return;
	if (place > 0 &&
	    inline_kind(chain->items[place - 1].tag) == INLINE_CODE) {
		chain->items[place] = chain->items[place - 1];
		place--;
	}
	assert(place < INLINE_KIND_COUNT && place <= chain->count);
	chain->items[place] = element;
	chain->count++;
}

/*
 * Return how many elements at the start of `open` can stay open for a text
 * inside `wanted`. A link or code element can stay open if `wanted` has the
 * same element at its place; another element if `wanted` has an element of the
 * same kind there.
 */
static uint32_t inline_chain_shared(const struct inline_chain *open,
				    const struct inline_chain *wanted)
{
	uint32_t count = 0;

	for (; count < open->count && count < wanted->count; count++) {
		const struct inline_element *a = &open->items[count];
		const struct inline_element *b = &wanted->items[count];
		enum inline_kind kind = inline_kind(a->tag);

		if (kind != inline_kind(b->tag) ||
		    (a->node != b->node &&
		     (kind == INLINE_LINK || kind == INLINE_CODE)))
			break;
	}
	return count;
}

/* An open element of the page. Level 0 is the page itself. */
struct layout_level {
	uint32_t node;
	uint16_t tag;   /* the tag as which the element is written */
	uint32_t block; /* the level of the innermost block around the text in
			   this element */
	/* the element of that line */
	uint32_t line_node;
	uint16_t line; /* tag of the line that contains the text:
			  outline_is_line() */
	uint16_t uses; /* for a: number of lines in which the link was opened */
	struct columns columns; /* for td and th: the columns of this cell; for
				   tr: the columns of all cells up to now */
	uint32_t inline_level;  /* the level whose `inlines` are around the text
				 */
	struct inline_chain inlines; /* for an inline element: itself and the
					inline elements around it */
};

/*
 * Return true if an element `tag` inside the line `outer` begins a separate
 * line.
 */
static bool makes_line(uint16_t tag, uint16_t outer)
{
	if (tag == TAG_pre)
		return outer != TAG_pre;
	if (outer == TAG_pre || outer == TAG_caption || outer == TAG_figcaption)
		return false;
	return outline_is_line(tag) && (tag != TAG_p || outer == TAG_p);
}

static bool holds_lines(uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_li:
	case TAG_table:
	case TAG_td:
	case TAG_th:
	case TAG_blockquote:
	case TAG_figure:
		return true;
	default:
		return false;
	}
}

static void set_line(struct layout_level *level,
		     const struct layout_level *outer, uint16_t tag)
{
	level->line = outer->line;
	level->line_node = outer->line_node;
	if (makes_line(tag, outer->line)) {
		level->line = tag;
		level->line_node = level->node;
	} else if (outer->line != TAG_pre && holds_lines(tag)) {
		level->line = TAG_p;
		level->line_node = NO_NODE;
	}
}

/*
 * Return true for an element inside a heading that does not begin a line or a
 * block of its own. The heading continues before, in and after it.
 */
static bool is_in_heading(const struct layout_level *level)
{
	return level->line_node != level->node &&
	       (tag_flags(level->line) & TAG_IS_HEADING) != 0;
}

/*
 * Set the block and the line around the text in levels[count], whose element is
 * a `tag`. In pre and in headings, a block is only a line.
 */
static void set_surroundings(struct layout_level *levels, uint32_t count,
			     uint16_t tag)
{
	struct layout_level *level = &levels[count];
	const struct layout_level *outer = &levels[count - 1];

	level->block = outer->block;
	level->inline_level = outer->inline_level;
	if ((tag_flags(tag) & TAG_IS_BLOCK) != 0) {
		if (outer->line != TAG_pre && !is_in_heading(level))
			level->block = count;
	} else if (inline_kind(tag) != INLINE_NONE) {
		level->inlines = levels[outer->inline_level].inlines;
		level->inline_level = count;
		inline_chain_add(
			&level->inlines,
			(struct inline_element){level->node, count, tag});
	}
}

/*
 * The rows that the cells of an open table still cover, beginning with the
 * current row.
 */
struct row_spans {
	uint16_t rows[MAX_TABLE_COLUMNS];
};

/* Begin the columns of a cell: the next ones that no other cell covers. */
static struct columns columns_of_cell(struct row_spans *spans,
				      struct columns *row,
				      const struct page *page, uint32_t node)
{
	uint32_t rows = whole_attribute(page, node, "rowspan", 1);
	struct columns columns;

	while (row->end < MAX_TABLE_COLUMNS && spans->rows[row->end] > 0)
		row->end++;
	columns.begin = row->end;
	row->end += table_cell_span(page, node);
	if (row->end > MAX_TABLE_COLUMNS)
		row->end = MAX_TABLE_COLUMNS;
	columns.end = row->end;
	for (uint32_t i = columns.begin; i < columns.end; i++)
		spans->rows[i] = (uint16_t)(rows > MAX_ROW_SPAN ? 1 : rows);
	return columns;
}

static void row_spans_end_row(struct row_spans *spans)
{
	for (uint32_t i = 0; i < MAX_TABLE_COLUMNS; i++)
		if (spans->rows[i] > 0)
			spans->rows[i]--;
}

/*
 * Fill in levels[count] for element `node`, which is written as a `tag` and is
 * inside the element of levels[count - 1]. `count` > 0.
 */
static void level_enter(struct layout_level *levels, uint32_t count,
			uint32_t node, uint16_t tag)
{
	struct layout_level *level = &levels[count];

	level->node = node;
	level->tag = tag;
	level->uses = 0;
	level->columns = (struct columns){0, 0};
	set_line(level, &levels[count - 1], tag);
	set_surroundings(levels, count, tag);
}

/* Write the text in levels[count] as code. */
static void level_add_code(struct layout_level *levels, uint32_t count)
{
	struct layout_level *level = &levels[count];

	level->inlines = levels[level->inline_level].inlines;
	level->inline_level = count;
	inline_chain_add(&level->inlines,
			 (struct inline_element){level->node, count, TAG_code});
}

bool node_is_near(const struct render_request *request, uint32_t node,
		  uint32_t *next_kept)
{
	const struct node *element = &request->page->nodes[node];
	const struct verdict *verdicts = request->verdicts;
	uint32_t count = request->page->text_count;

	if (verdicts == NULL)
		return true;
	while (*next_kept < count && (*next_kept < element->first_text ||
				      !verdicts[*next_kept].is_content))
		++*next_kept;
	return (*next_kept < count && *next_kept <= element->end_text) ||
	       (element->first_text > 0 &&
		verdicts[element->first_text - 1].is_content);
}

bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href)
{
	struct buffer absolute = {0};
	bool is_found;

	if (href.size == 0 || href.size > MAX_ADDRESS_BYTES)
		return false;
	if (request->resolve == NULL)
		return markup_append_address(out, href);
	is_found =
		request->resolve(request->resolve_context, href, &absolute) &&
		markup_append_address(out, buffer_slice(&absolute));
	buffer_free(&absolute);
	return is_found;
}

/* The state of the reading of a character, an rt. */
enum ruby_state {
	RUBY_NONE,
	RUBY_BEGINS, /* no text of it was passed */
	RUBY_IS_OPEN,
};

/*
 * The state of layout(). Each block of the page is opened at most once, and
 * only if something inside it is kept, so that the output is linear in the page
 * at any nesting. Inline elements are opened again in each line; at most one of
 * each kind is open.
 */

struct layout_state {
	const struct render_request *request;
	const struct page *page;
	const struct layout_writer *writer;
	struct block_outline outline;
	struct layout_level *levels; /* [level_count] */
	uint32_t level_count;
	struct row_spans *spans; /* [MAX_LAYOUT_TABLES], of the open tables */
	uint32_t open_tables;
	uint32_t tried; /* for all levels below this one, opening the block was
			   tried */
	struct inline_chain
		open;  /* the inline elements that are open in the line */
	uint32_t told; /* the elements of `open` that were passed to the writer,
			  one bit each */
	/* the separator before the next text */
	enum separator pending;
	/* number of open pre elements */
	uint32_t open_pres;
	struct role_context around;
	uint32_t ignored; /* the open element that is not written, or NO_NODE */
	uint32_t next_kept; /* for node_is_near() */
	bool is_signature;  /* the element opened last is ELEMENT_SIGNATURE */
	bool is_near;       /* node_is_near() of the element opened last */
	uint32_t open_figures;
	uint16_t *tags; /* [depth]: the tags as which the open elements of the
			   page are written */
	uint32_t open_codes; /* number of open code elements, inside or outside
				of pre */
	bool is_at_pre; /* no text was passed since the start of the outermost
			   pre */
	enum ruby_state ruby;
	uint32_t source_text; /* the first text of the source of a quote */
	bool has_break;     /* in pre: an element ended the line, so that a line
			       end of the source adds no line */
	uint32_t piece_end; /* end of the last image or formula in the source */
	char last;          /* in pre: the last byte of the last text */
	uint32_t source_at; /* in pre: up to here, the white space of the source
			       is in `gap` */
	bool is_fresh;      /* the line has no text and no image yet */
	struct image_filter images;
	struct media_filter media;
	struct readable readable;
	struct buffer text;    /* the text that is passed to the writer */
	struct buffer gap;     /* in pre, the white space after the last text */
	struct buffer clean;   /* the result of layout_clean_text() */
	struct buffer address; /* address of a link */
};

/*
 * Return true if the writer needs elements, and not only texts and gaps. Only
 * then the levels are needed.
 */
static bool has_structure(const struct layout_state *layout)
{
	return layout->writer->open != NULL;
}

static const struct layout_level *
layout_innermost(const struct layout_state *layout)
{
	return &layout->levels[layout->level_count - 1];
}

/* Return the inline elements around the current position. */
static const struct inline_chain *
inlines_here(const struct layout_state *layout)
{
	return &layout->levels[layout_innermost(layout)->inline_level].inlines;
}

static void close_inlines(struct layout_state *layout, uint32_t count)
{
	while (layout->open.count > count) {
		uint32_t last = --layout->open.count;

		if ((layout->told >> last & 1) != 0)
			layout->writer->close(layout->writer->context,
					      layout->open.items[last].tag);
	}
}

/*
 * Open the inline elements around the next text. Open a link only if its
 * address may be written, and only in the first MAX_LINK_LINES lines.
 */
static void open_inlines(struct layout_state *layout)
{
	const struct inline_chain *wanted = inlines_here(layout);

	for (uint32_t i = layout->open.count; i < wanted->count; i++) {
		const struct inline_element item = wanted->items[i];
		struct layout_element element = {.tag = item.tag,
						 .node = item.node};

		assert(layout->open.count < INLINE_KIND_COUNT);
		layout->open.items[layout->open.count++] = item;
		layout->told &= ~(UINT32_C(1) << i);
		if (item.tag == TAG_a) {
			buffer_clear(&layout->address);
			if (!layout->writer->has_links ||
			    layout->levels[item.level].uses++ >=
				    MAX_LINK_LINES ||
			    !link_address_append(
				    &layout->address, layout->request,
				    page_attribute(layout->page, item.node,
						   "href")))
				continue;
			element.href = buffer_slice(&layout->address);
		}
		layout->told |= UINT32_C(1) << i;
		layout->writer->open(layout->writer->context, &element);
	}
}

static void layout_end_line(struct layout_state *layout)
{
	if (!has_structure(layout))
		return;
	close_inlines(layout, 0);
	outline_end_line(&layout->outline);
}

static void layout_pass_gap(struct layout_state *layout)
{
	enum separator separator = layout->pending;

	layout->pending = SEPARATOR_NONE;
	if (layout->is_fresh && has_structure(layout))
		return;
	if (layout->writer->gap != NULL &&
	    (separator != SEPARATOR_NONE || layout->gap.size > 0))
		layout->writer->gap(layout->writer->context, separator,
				    buffer_slice(&layout->gap));
}

/*
 * Unless a line is open, open the blocks around the next text that are not open
 * yet, and then a line.
 */
static void layout_open_line(struct layout_state *layout)
{
	const struct layout_level *level = layout_innermost(layout);

	if (outline_is_in_line(&layout->outline))
		return;
	for (; layout->tried <= level->block; layout->tried++) {
		const struct layout_level *tried =
			&layout->levels[layout->tried];

		outline_open_block(&layout->outline, tried->tag, tried->node,
				   layout->tried, tried->columns);
	}
	outline_open_line(&layout->outline, level->line, level->line_node,
			  level->block);
	layout->is_fresh = true;
}

/* Pass the mark of a note to the writer. */
static void layout_pass_mark(const struct layout_state *layout,
			     struct slice label)
{
	const struct layout_writer *writer = layout->writer;
	struct buffer mark = {0};

	if (writer->piece == NULL)
		return;
	buffer_append_text(&mark, "[^");
	buffer_append_slice(&mark, label);
	buffer_append_byte(&mark, ']');
	writer->piece(writer->context, 0, buffer_slice(&mark));
	buffer_free(&mark);
}

/*
 * Open the blocks, the line and the inline elements around a text or an image,
 * and pass on the gap before it.
 */
static void begin_piece(struct layout_state *layout)
{
	if (!has_structure(layout)) {
		layout_pass_gap(layout);
		return;
	}
	layout_open_line(layout);
	close_inlines(layout,
		      inline_chain_shared(&layout->open, inlines_here(layout)));
	layout_pass_gap(layout);
	open_inlines(layout);
	layout->is_fresh = false;
}

/* Return true if a reader sees no white space directly in the element. */
static bool has_no_blank(uint16_t tag)
{
	switch (tag) {
	case TAG_table:
	case TAG_thead:
	case TAG_tbody:
	case TAG_tfoot:
	case TAG_tr:
		return true;
	default:
		return false;
	}
}

/*
 * In pre, add `blank` to the gap, as a browser shows it: without the line ends
 * at the start, and without a line end after an element that ended the line.
 */
static void layout_add_blank(struct layout_state *layout, struct slice blank)
{
	size_t begin = layout->gap.size;
	size_t skipped = 0;

	markup_append_plain(&layout->gap, blank, true);
	while (begin + skipped < layout->gap.size &&
	       layout->gap.data[begin + skipped] == '\n' &&
	       ((layout->is_at_pre && begin == 0) ||
		(layout->has_break && skipped == 0)))
		skipped++;
	if (begin + skipped < layout->gap.size)
		layout->has_break = false;
	memmove(layout->gap.data + begin, layout->gap.data + begin + skipped,
		layout->gap.size - begin - skipped);
	layout->gap.size -= skipped;
}

/*
 * In pre, add the white space of the source up to byte `end`, which is directly
 * in the element `around`, to the gap. (page->texts has no blank texts.)
 */
static void layout_copy_blank(struct layout_state *layout, uint32_t end,
			      uint32_t around)
{
	const char *source = layout->page->source.data;
	struct scanner scanner = {0};
	struct token token;

	if (end <= layout->source_at)
		return;
	source += layout->source_at;
	scanner.source = (struct slice){source, end - layout->source_at};
	layout->source_at = end;
	if (around != NO_NODE && has_no_blank(layout->page->nodes[around].tag))
		return;
	while (scanner_next(&scanner, &token)) {
		struct slice blank = {source + token.source.begin,
				      token.source.end - token.source.begin};
		char *decoded;

		if (token.kind != TOKEN_TEXT)
			continue;
		buffer_clear(&layout->text);
		decoded =
			buffer_reserve(&layout->text, entity_room(blank.size));
		blank.size = entity_decode(blank, false, decoded);
		blank.data = decoded;
		if (text_is_blank(blank))
			layout_add_blank(layout, blank);
	}
}

/* In pre, end the line unless the line is empty. */
static void layout_break_pre(struct layout_state *layout)
{
	char last = layout->last;

	if (layout->gap.size > 0)
		last = layout->gap.data[layout->gap.size - 1];
	if ((layout->is_at_pre && layout->gap.size == 0) || last == '\n')
		return;
	buffer_append_byte(&layout->gap, '\n');
	layout->has_break = true;
}

/*
 * In pre, handle the end of a block: an empty block is an empty line, unless it
 * has a br, which is one already.
 */
static void layout_close_in_pre(struct layout_state *layout, uint32_t node)
{
	const struct node *block = &layout->page->nodes[node];
	bool is_line = block->first_text == block->end_text;

	for (uint32_t i = node + 1; i < block->end && is_line; i++)
		is_line = i < node + MAX_LINE_NODES &&
			  layout->page->nodes[i].tag != TAG_br &&
			  (tag_flags(layout->page->nodes[i].tag) &
			   TAG_IS_BLOCK) == 0;
	if (is_line && layout->has_break)
		buffer_append_byte(&layout->gap, '\n');
	else
		layout_break_pre(layout);
}

/*
 * Copy text `index`, which is in pre, to layout->text, unchanged. Before the
 * first text of a pre, add the spaces at the start of the line.
 */
static void layout_copy_pre(struct layout_state *layout, uint32_t index,
			    struct slice text)
{
	const struct text *source = &layout->page->texts[index];

	layout_copy_blank(layout, source->source.begin, source->node);
	buffer_clear(&layout->text);
	if (layout->is_at_pre) {
		buffer_append_slice(&layout->text, buffer_slice(&layout->gap));
		buffer_clear(&layout->gap);
	}
	layout->is_at_pre = false;
	layout->has_break = false;
	if (source->source.end > layout->source_at)
		layout->source_at = source->source.end;
	markup_append_plain(&layout->text, text, true);
	layout->last = layout->text.data[layout->text.size - 1];
}

/* Return true for characters of scripts that write no spaces. */
static bool is_without_spaces(uint32_t code)
{
	return (code >= 0x2E80 && code <= 0x9FFF) ||
	       (code >= 0xF900 && code <= 0xFAFF) ||
	       (code >= 0xFF00 && code <= 0xFFEF) ||
	       (code >= 0x20000 && code <= 0x3FFFF);
}

static bool is_invisible(uint32_t code)
{
	return code == 0xAD || code == 0x200B;
}

/*
 * Return false if layout_clean_text() would not change the text. Most texts
 * have only ASCII, or neither the last byte of an invisible character nor a
 * line end.
 */
static bool may_need_cleaning(struct slice text)
{
	const char *bytes = text.data;
	unsigned all = 0;

	for (size_t i = 0; i < text.size; i++)
		all |= (unsigned char)bytes[i];
	return all >= 0x80 && (memchr(bytes, 0xAD, text.size) != NULL ||
			       memchr(bytes, 0x8B, text.size) != NULL ||
			       memchr(bytes, '\n', text.size) != NULL);
}

/*
 * Return `text` without soft hyphens and zero-width spaces, which only tell
 * where a line may be broken, and without line ends between two characters of
 * scripts that write no spaces. The result is `text` or in layout->clean.
 */
static struct slice layout_clean_text(struct layout_state *layout,
				      struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	const unsigned char *copied = at;
	const unsigned char *blank = NULL; /* start of the white space */
	uint32_t previous = ' ';           /* the character before it */
	bool has_line_end = false;

	if (!may_need_cleaning(text))
		return text;
	buffer_clear(&layout->clean);
	while (at < end) {
		const unsigned char *begin = at;
		uint32_t code = *at < 0x80 ? *at++ : utf8_next(&at, end);

		if (is_space((int)code)) {
			blank = blank == NULL ? begin : blank;
			has_line_end |= code == '\n';
			continue;
		}
		if (has_line_end && is_without_spaces(previous) &&
		    is_without_spaces(code)) {
			buffer_append(&layout->clean, copied,
				      (size_t)(blank - copied));
			copied = begin;
		}
		if (is_invisible(code)) {
			buffer_append(&layout->clean, copied,
				      (size_t)(begin - copied));
			copied = at;
		}
		previous = code;
		blank = NULL;
		has_line_end = false;
	}
	if (copied == text.data)
		return text;
	buffer_append(&layout->clean, copied, (size_t)(end - copied));
	return buffer_slice(&layout->clean);
}

/*
 * Return true if a raised number of `digits` digits after `text` is a power.
 * The text ends with a bracket, a unit, or a number that is no price. Two
 * raised digits are mostly the cents of a price, except after 2 and 10.
 */
static bool is_base(struct slice text, size_t digits)
{
	const char *bytes = text.data;
	size_t begin = text.size;
	size_t size;

	while (begin > 0 && is_digit(bytes[begin - 1]))
		begin--;
	size = text.size - begin;
	if (size > 0)
		return (begin == 0 ||
			strchr(" \t\n(+-*/=<>^", bytes[begin - 1]) != NULL) &&
		       (digits == 1 || (size == 1 && bytes[begin] == '2') ||
			(size == 2 && memcmp(bytes + begin, "10", 2) == 0));
	while (begin > 0 && is_letter(bytes[begin - 1]))
		begin--;
	size = text.size - begin;
	if (size == 0)
		return text.size > 0 && bytes[text.size - 1] == ')';
	return digits == 1 && size <= MAX_UNIT_LETTERS &&
	       (begin == 0 || (unsigned char)bytes[begin - 1] < 0x80);
}

/* Return true if text `index` is a raised number directly after its base. */
static bool is_power(const struct page *page, uint32_t index)
{
	const struct text *text = &page->texts[index];
	struct slice power = page_text(page, index);
	size_t digits;

	if (index == 0 || text->node == NO_NODE ||
	    page->nodes[text->node].tag != TAG_sup ||
	    (text->flags & TEXT_IS_LINK) != 0 || power.size > MAX_POWER_BYTES)
		return false;
	digits = power.size;
	if (power.size > 3 && memcmp(power.data, "\xE2\x88\x92", 3) == 0)
		slice_advance(&power, 3);
	else if (power.size > 1 && slice_byte(power, 0) == '-')
		slice_advance(&power, 1);
	for (size_t i = 0; i < power.size; i++)
		if (!is_digit(slice_byte(power, i)))
			return false;
	/* a number with a sign cannot be cents */
	return is_base(page_text(page, index - 1),
		       digits > power.size ? 1 : digits);
}

/* Return true if `text` begins with a sign that introduces the source. */
static bool begins_source(struct slice text)
{
	const unsigned char *at = text.data;
	uint32_t code = text.size == 0 ? 0 : utf8_next(&at, at + text.size);

	return code == '-' || code == '~' || code == '(' ||
	       (code >= 0x2010 && code <= 0x2015);
}

/* Pass a sign before a text, such as ^, to the writer. */
static void layout_pass_sign(const struct layout_state *layout, uint32_t index,
			     const char *sign)
{
	if (layout->writer->text != NULL)
		layout->writer->text(layout->writer->context, index,
				     slice_of(sign));
}

/* Pass text `index` to the writer; `text` is its readable part. */
static void layout_pass_text(struct layout_state *layout, uint32_t index,
			     struct slice text)
{
	bool is_raised;
	bool is_source;

	if (layout->open_pres > 0) {
		layout_copy_pre(layout, index, text);
	} else {
		text = layout_clean_text(layout, text);
		buffer_clear(&layout->text);
		markup_append_plain(&layout->text, text, false);
	}
	if (layout->open_pres == 0 && layout->pending == SEPARATOR_NONE &&
	    (separator_begins(text) ||
	     separator_in_source(layout->page, index).size > 0))
		layout->pending = SEPARATOR_SPACE;
	is_raised = layout->writer->has_powers && layout->open_pres == 0 &&
		    layout->pending == SEPARATOR_NONE &&
		    is_power(layout->page, index);
	is_source = layout->source_text == index && layout->open_pres == 0 &&
		    layout->pending >= SEPARATOR_LINE && !begins_source(text);
	begin_piece(layout);
	if (is_source)
		layout_pass_sign(layout, index, "\xE2\x80\x94 ");
	if (is_raised)
		layout_pass_sign(layout, index, "^");
	buffer_clear(&layout->gap);
	if (layout->ruby == RUBY_BEGINS) {
		/* the reading of a character follows it in brackets */
		layout->ruby = RUBY_IS_OPEN;
		layout_pass_sign(layout, index, "(");
	}
	if (layout->writer->text != NULL)
		layout->writer->text(layout->writer->context, index,
				     buffer_slice(&layout->text));
	if (layout->open_pres == 0 && separator_ends(text))
		layout->pending = SEPARATOR_SPACE;
}

/*
 * If there is white space between the previous text, image or formula and
 * element `node`, separate the element by a space.
 */
static void layout_find_space(struct layout_state *layout, uint32_t node)
{
	const struct node *element = &layout->page->nodes[node];
	uint32_t begin = layout->piece_end;

	if (element->first_text > 0 &&
	    layout->page->texts[element->first_text - 1].source.end > begin)
		begin = layout->page->texts[element->first_text - 1].source.end;
	if (layout->pending == SEPARATOR_NONE &&
	    blank_in_source(layout->page, begin, element->source.begin).size >
		    0)
		layout->pending = SEPARATOR_SPACE;
	if (element->source.end > layout->piece_end)
		layout->piece_end = element->source.end;
}

static void layout_pass_image(struct layout_state *layout, uint32_t node)
{
	const struct inline_chain *inlines;
	struct layout_image image;

	if (layout->request->verdicts == NULL || layout->writer->image == NULL)
		return;
	/* in code, formats allow no images */
	inlines = inlines_here(layout);
	if (layout->open_pres > 0 ||
	    (inlines->count > 0 &&
	     inline_kind(inlines->items[inlines->count - 1].tag) ==
		     INLINE_CODE) ||
	    !image_filter_next(&layout->images, layout->request, node, &image))
		return;
	layout_find_space(layout, node);
	begin_piece(layout);
	layout->writer->image(layout->writer->context, &image);
}

/*
 * Separate the next text from the previous text by `separator` or a stronger
 * one. In pre and in headings, a block only begins a new line.
 */
static void layout_separate(struct layout_state *layout,
			    enum separator separator)
{
	if (layout->open_pres > 0) {
		if (separator >= SEPARATOR_LINE)
			layout_break_pre(layout);
		return;
	}
	if (separator >= SEPARATOR_LINE && has_structure(layout) &&
	    is_in_heading(layout_innermost(layout)))
		separator = SEPARATOR_LINE;
	else if (separator >= SEPARATOR_LINE)
		layout_end_line(layout);
	if (separator > layout->pending)
		layout->pending = separator;
}

/*
 * Pass media to the writer, but not inside of inline elements, because formats
 * without players show media as links, and a link must not contain another
 * link.
 */
static void layout_pass_media(struct layout_state *layout, uint32_t node)
{
	struct layout_media media;

	if (layout->request->verdicts == NULL ||
	    layout->writer->media == NULL || inlines_here(layout)->count > 0 ||
	    layout->open_pres > 0 ||
	    !media_filter_next(&layout->media, layout->request, node, &media))
		return;
	layout_separate(layout, SEPARATOR_BLANK_LINE);
	begin_piece(layout);
	layout->writer->media(layout->writer->context, &media);
	layout_separate(layout, SEPARATOR_BLANK_LINE);
}

/*
 * Handle br. A second br begins a paragraph, because on a screen it makes a
 * blank line.
 */
static void layout_handle_break(struct layout_state *layout)
{
	if (layout->open_pres > 0) {
		buffer_append_byte(&layout->gap, '\n');
		layout->has_break = true;
		return;
	}
	if (layout->pending < SEPARATOR_LINE) {
		layout->pending = SEPARATOR_LINE;
		return;
	}
	layout->pending = SEPARATOR_BLANK_LINE;
	if (has_structure(layout) && layout_innermost(layout)->line == TAG_p)
		layout_end_line(layout);
}

/* Begin a pre, which is the outermost one. */
static void layout_begin_pre(struct layout_state *layout, uint32_t node)
{
	layout->is_at_pre = true;
	layout->has_break = false;
	layout->last = '\0';
	layout->source_at = layout->page->nodes[node].source.begin;
	layout->around.pre = node;
	layout->around.pre_code = code_inside(layout->page, node);
	layout->around.numbers =
		layout->request->verdicts == NULL
			? NO_NODE
			: line_numbers_inside(layout->page, node);
	buffer_clear(&layout->gap);
}

static void layout_end_pre(struct layout_state *layout)
{
	layout->around.pre = NO_NODE;
	layout->around.pre_code = NO_NODE;
	layout->around.numbers = NO_NODE;
	buffer_clear(&layout->gap);
}

/* Pass a piece that is not a text of the page; `index` is a text next to it. */
static void layout_pass_piece(struct layout_state *layout, uint32_t index,
			      struct slice piece)
{
	const struct layout_writer *writer = layout->writer;

	if (index >= layout->page->text_count)
		index = layout->page->text_count - 1;
	begin_piece(layout);
	if (writer->piece != NULL)
		writer->piece(writer->context, index, piece);
	else if (writer->text != NULL)
		writer->text(writer->context, index, piece);
}

/*
 * If the formula `node` is kept, pass it to the writer as TeX, and return true.
 */
static bool layout_pass_formula(struct layout_state *layout, uint32_t node,
				bool is_display)
{
	const struct node *element = &layout->page->nodes[node];
	const char *mark = is_display ? "$$" : "$";
	size_t size;

	if (layout->open_codes > 0 || !formula_is_kept(layout->request, node))
		return false;
	buffer_clear(&layout->text);
	buffer_append_text(&layout->text, mark);
	size = layout->text.size;
	if (!formula_append(layout->page, node, &layout->text) ||
	    memchr(layout->text.data + size, '$', layout->text.size - size) !=
		    NULL)
		return false;
	buffer_append_text(&layout->text, mark);
	if (is_display)
		layout_separate(layout, SEPARATOR_BLANK_LINE);
	else
		layout_find_space(layout, node);
	layout_pass_piece(layout, element->first_text,
			  buffer_slice(&layout->text));
	if (is_display)
		layout_separate(layout, SEPARATOR_BLANK_LINE);
	return true;
}

/* Return true for an item of a list. */
static bool is_item(const struct page *page, uint32_t node)
{
	uint32_t parent = page->nodes[node].parent;

	return page->nodes[node].tag == TAG_li && parent != NO_NODE &&
	       (page->nodes[parent].tag == TAG_ol ||
		page->nodes[parent].tag == TAG_ul);
}

/*
 * If the element is a mark of a note or a link back to one, write the mark, and
 * set layout->ignored. Return true if it is a note that is no item of a list.
 */
static bool layout_handle_note(struct layout_state *layout, uint32_t node)
{
	const struct note_place *place = notes_at(layout->request->notes, node);

	if (place == NULL || layout->open_pres > 0 || layout->open_codes > 0)
		return false;
	if (place->kind == NOTE_TEXT)
		return !is_item(layout->page, node);
	layout->ignored = node;
	if (place->kind == NOTE_BACK)
		return false;
	layout_find_space(layout, node);
	begin_piece(layout);
	layout_pass_mark(layout, place->label);
	return false;
}

/*
 * If the element is a player, pass it to the writer, and ignore what is inside,
 * which browsers do not show.
 */
static void layout_handle_player(struct layout_state *layout, uint32_t node)
{
	const struct node *element = &layout->page->nodes[node];

	if (element->tag != TAG_video && element->tag != TAG_audio)
		return;
	layout_pass_media(layout, node);
	if (element->first_text < element->end_text)
		layout_separate(layout, SEPARATOR_SPACE);
	layout->ignored = node;
}

/*
 * Return the tag as which element `node` is written. If the element is not
 * written, or already written, set layout->ignored.
 */
static uint16_t layout_find_role(struct layout_state *layout, uint32_t node)
{
	struct element_role role;
	bool is_note = false;

	if (layout->request->verdicts == NULL)
		return layout->page->nodes[node].tag;
	layout_handle_player(layout, node);
	if (layout->ignored == node || !layout->is_near)
		return layout->page->nodes[node].tag;
	if (layout->request->notes != NULL) {
		is_note = layout_handle_note(layout, node);
		if (layout->ignored == node)
			return layout->page->nodes[node].tag;
	}
	role = element_role_of(layout->page, node, layout->around);
	/* in tables, tools mark labels and names of items as headings */
	if (layout->open_tables > 0 &&
	    (tag_flags(role.tag) & TAG_IS_HEADING) != 0)
		role.tag = layout->page->nodes[node].tag;
	if (is_note ||
	    (role.kind == ELEMENT_CALLOUT && layout->writer->has_callouts &&
	     layout->open_tables == 0))
		role.tag = TAG_blockquote;
	layout->is_signature = role.kind == ELEMENT_SIGNATURE;
	if (role.kind == ELEMENT_IGNORED ||
	    ((role.kind == ELEMENT_FORMULA ||
	      role.kind == ELEMENT_DISPLAY_FORMULA) &&
	     layout_pass_formula(layout, node,
				 role.kind == ELEMENT_DISPLAY_FORMULA)))
		layout->ignored = node;
	return role.tag;
}

/*
 * If the input is the box of a task, that is, before the text of an item, pass
 * it to the writer: [x] or [ ].
 */
static void layout_pass_box(struct layout_state *layout, uint32_t node)
{
	const struct page *page = layout->page;
	uint32_t item = page->nodes[node].parent;
	uint32_t text = page->nodes[node].end_text;

	if (layout->request->verdicts == NULL || layout->open_pres > 0 ||
	    !text_is(page_attribute(page, node, "type"), "checkbox"))
		return;
	for (unsigned i = 0; i < MAX_BOX_DEPTH && item != NO_NODE &&
			     page->nodes[item].tag != TAG_li;
	     i++)
		item = page->nodes[item].parent;
	if (item == NO_NODE || page->nodes[item].tag != TAG_li ||
	    page->nodes[item].first_text != text ||
	    text >= page->nodes[item].end_text ||
	    !layout->request->verdicts[text].is_content)
		return;
	layout_pass_piece(
		layout, text,
		slice_of(page_attribute(page, node, "checked").data != NULL
				 ? "[x]"
				 : "[ ]"));
	layout->pending = SEPARATOR_SPACE;
}

static enum separator layout_separator(const struct layout_state *layout,
				       uint32_t node, uint16_t tag)
{
	uint32_t parent = layout->page->nodes[node].parent;

	return separator_of_tag(
		tag, parent == NO_NODE
			     ? (uint16_t)TAG_html
			     : layout->tags[layout->page->nodes[parent].depth]);
}

/* Return the spans of the innermost table, or NULL. */
static struct row_spans *spans_here(const struct layout_state *layout)
{
	return layout->open_tables == 0 ||
			       layout->open_tables > MAX_LAYOUT_TABLES
		       ? NULL
		       : &layout->spans[layout->open_tables - 1];
}

/* Begin a table, or set the columns of a cell. */
static void layout_open_in_table(struct layout_state *layout, uint32_t node,
				 uint16_t tag)
{
	struct layout_level *level = &layout->levels[layout->level_count - 1];
	struct row_spans *spans;

	spans = spans_here(layout);
	if (spans == NULL)
		return;
	if (tag == TAG_table)
		*spans = (struct row_spans){{0}};
	if (tag == TAG_td || tag == TAG_th)
		level->columns = columns_of_cell(spans, &level[-1].columns,
						 layout->page, node);
}

static void layout_close_in_table(struct layout_state *layout, uint16_t tag)
{
	struct row_spans *spans = spans_here(layout);

	if (tag == TAG_tr && spans != NULL)
		row_spans_end_row(spans);
}

static void layout_open_element(struct layout_state *layout, uint32_t node)
{
	const struct node *element = &layout->page->nodes[node];
	uint16_t tag;

	layout->is_signature = false;
	layout->is_near =
		node_is_near(layout->request, node, &layout->next_kept);
	tag = layout_find_role(layout, node);
	layout->tags[element->depth] = tag;
	if (layout->open_pres > 0)
		layout_copy_blank(layout, element->source.begin,
				  element->parent);
	if (layout->ignored != NO_NODE)
		return;
	if (tag == TAG_br)
		layout_handle_break(layout);
	if (element->tag == TAG_table && tag != TAG_table &&
	    layout->around.code_table == NO_NODE)
		layout->around.code_table = node;
	layout->open_tables += tag == TAG_table;
	layout->open_figures += element->tag == TAG_figure;
	if (has_structure(layout)) {
		level_enter(layout->levels, layout->level_count++, node, tag);
		if (layout->is_signature)
			level_add_code(layout->levels, layout->level_count - 1);
		layout_open_in_table(layout, node, tag);
	}
	layout_separate(layout, layout_separator(layout, node, tag));
	if (tag == TAG_rt && element->tag != TAG_rt)
		layout_separate(layout, SEPARATOR_SPACE);
	if (tag == TAG_pre && layout->open_pres++ == 0)
		layout_begin_pre(layout, node);
	if (inline_kind(tag) == INLINE_CODE)
		layout->open_codes++;
	if (tag == TAG_img)
		layout_pass_image(layout, node);
	if (layout->request->verdicts != NULL &&
	    element_is_source(layout->page, node))
		layout->source_text = element->first_text;
	if (tag == TAG_input)
		layout_pass_box(layout, node);
	if (tag == TAG_rt && layout->open_pres == 0 &&
	    layout->request->verdicts != NULL)
		layout->ruby = RUBY_BEGINS;
	if (tag == TAG_iframe || tag == TAG_embed)
		layout_pass_media(layout, node);
}

/*
 * Return true if nothing inside the element that was opened last changes the
 * output: it has no kept text and no image next to one, it begins no row or
 * cell, and nothing can separate texts more than the end of the line before it
 * does.
 */
static bool layout_is_empty(const struct layout_state *layout, uint32_t node)
{
	uint16_t tag = layout->tags[layout->page->nodes[node].depth];

	return !layout->is_near && layout->pending == SEPARATOR_BLANK_LINE &&
	       layout->open_pres == 0 && layout->open_figures == 0 &&
	       separator_of_tag(tag, TAG_html) != SEPARATOR_LINE &&
	       !(has_structure(layout) && outline_is_in_line(&layout->outline));
}

static void layout_close_element(struct layout_state *layout, uint32_t node)
{
	const struct node *element = &layout->page->nodes[node];
	uint16_t tag = layout->tags[element->depth];

	if (layout->ignored == node) {
		layout->ignored = NO_NODE;
		if (element->source.end > layout->source_at)
			layout->source_at = element->source.end;
		return;
	}
	if (tag == TAG_rt && layout->open_pres == 0) {
		if (layout->ruby == RUBY_IS_OPEN)
			layout_pass_piece(layout, element->first_text,
					  slice_of(")"));
		layout->ruby = RUBY_NONE;
	}
	if (layout->open_pres > 0)
		layout_copy_blank(layout, element->source.end, node);
	if (tag == TAG_pre && --layout->open_pres == 0)
		layout_end_pre(layout);
	if (inline_kind(tag) == INLINE_CODE)
		layout->open_codes--;
	if (layout->open_pres > 0 && (tag_flags(tag) & TAG_IS_BLOCK) != 0 &&
	    (tag_flags(tag) & TAG_IS_VOID) == 0)
		layout_close_in_pre(layout, node);
	layout_separate(layout, layout_separator(layout, node, tag));
	if (has_structure(layout))
		layout_close_in_table(layout, tag);
	if (layout->around.code_table == node)
		layout->around.code_table = NO_NODE;
	layout->open_tables -= tag == TAG_table;
	layout->open_figures -= element->tag == TAG_figure;
	if (!has_structure(layout))
		return;
	assert(layout->level_count > 1);
	layout->level_count--;
	outline_close(&layout->outline, layout->level_count);
	if (layout->tried > layout->level_count)
		layout->tried = layout->level_count;
}

/*
 * Pass text `index` to the writer if it is kept. Without verdicts, pass every
 * text unchanged.
 */
static void layout_handle_text(struct layout_state *layout, uint32_t index)
{
	const struct verdict *verdicts = layout->request->verdicts;
	struct slice text = page_text(layout->page, index);

	if (verdicts == NULL) {
		layout_pass_text(layout, index, text);
		return;
	}
	if (verdicts[index].is_content && layout->open_pres == 0 &&
	    layout->open_codes == 0)
		text = readable_text(&layout->readable, index);
	if (verdicts[index].is_content && !markup_is_blank(text)) {
		layout_pass_text(layout, index, text);
		return;
	}
	if (layout->open_pres > 0 &&
	    layout->page->texts[index].source.end > layout->source_at)
		layout->source_at = layout->page->texts[index].source.end;
	layout_separate(layout, SEPARATOR_SPACE);
}

void layout(const struct render_request *request,
	    const struct layout_writer *writer)
{
	struct arena *arena = arena_create();
	struct layout_state layout = {
		.request = request,
		.page = request->page,
		.writer = writer,
		.readable = readable_begin(request->page),
		.around = {NO_NODE, NO_NODE, NO_NODE, NO_NODE},
		.ignored = NO_NODE,
		.source_text = UINT32_MAX,
	};
	struct page_walk walk = walk_begin(request->page);
	uint32_t level_count = 2;
	enum step step;
	uint32_t index;

	for (uint32_t i = 0; i < request->page->node_count; i++)
		if (request->page->nodes[i].depth + 2U > level_count)
			level_count = request->page->nodes[i].depth + 2U;
	layout.tags = ARENA_NEW(arena, uint16_t, level_count);
	if (has_structure(&layout)) {
		layout.outline = outline_begin(arena, writer, level_count);
		layout.levels =
			ARENA_NEW(arena, struct layout_level, level_count);
		layout.spans =
			ARENA_NEW(arena, struct row_spans, MAX_LAYOUT_TABLES);
		layout.levels[0] = (struct layout_level){
			.node = NO_NODE, .line = TAG_p, .line_node = NO_NODE};
		layout.level_count = 1;
		layout.tried = 1;
	}
	while ((step = walk_next(&walk, &index)) != STEP_END) {
		if (step == STEP_OPEN) {
			layout_open_element(&layout, index);
			if (layout.ignored == index ||
			    layout_is_empty(&layout, index))
				walk_skip_inside(&walk);
		} else if (step == STEP_CLOSE) {
			layout_close_element(&layout, index);
		} else {
			layout_handle_text(&layout, index);
		}
	}
	layout_end_line(&layout);
	buffer_free(&layout.text);
	buffer_free(&layout.gap);
	buffer_free(&layout.clean);
	buffer_free(&layout.address);
	image_filter_end(&layout.images);
	media_filter_end(&layout.media);
	readable_end(&layout.readable);
	arena_destroy(arena);
}

struct block_collector {
	const struct verdict *verdicts;
	struct content_block *items; /* [count] */
	size_t count;
	size_t capacity;
	struct buffer text;
	struct content_block block; /* the open block */
	double score; /* sum of score * bytes of the texts of the block */
	/* sum of the bytes of these texts */
	size_t scored;
	/* the tags of the open li and blockquote elements */
	uint16_t around[2 * MAX_OUTLINE_NESTING];
	uint32_t around_count;
	uint32_t lists; /* number of li elements in `around` */
	/* number of blockquote elements in `around` */
	uint32_t quotes;
	struct table_survey survey;
	uint32_t tables;  /* number of tables that were opened up to now */
	bool is_in_table; /* inside a simple table */
	bool is_in_row;   /* inside a row; the row is then the open block */
	uint32_t cells;   /* number of cells opened in this row */
};

const char *content_kind_name(enum content_kind kind)
{
	static const char *const names[CONTENT_KIND_COUNT] = {
		[CONTENT_PARAGRAPH] = "paragraph",
		[CONTENT_HEADING] = "heading",
		[CONTENT_LIST_ITEM] = "list-item",
		[CONTENT_TABLE_ROW] = "table-row",
		[CONTENT_CODE] = "code",
		[CONTENT_QUOTE] = "quote",
		[CONTENT_CAPTION] = "caption",
	};

	return names[kind];
}

static void begin_block(struct block_collector *collecting,
			enum content_kind kind, uint32_t level)
{
	collecting->block = (struct content_block){
		.kind = kind,
		.level = level,
		.begin = collecting->text.size,
	};
	collecting->score = 0.0;
	collecting->scored = 0;
}

static void content_block_end(struct block_collector *collecting)
{
	struct content_block *block = &collecting->block;
	struct buffer *text = &collecting->text;

	while (text->size > block->begin &&
	       (text->data[text->size - 1] == '\n' ||
		text->data[text->size - 1] == ' '))
		text->size--;
	block->length = text->size - block->begin;
	if (block->length == 0)
		return; /* the block has only images */
	if (collecting->scored > 0)
		block->score =
			(float)(collecting->score / (double)collecting->scored);
	collecting->items =
		mem_grow(collecting->items, collecting->count,
			 &collecting->capacity, sizeof(*collecting->items));
	collecting->items[collecting->count++] = *block;
}

static void content_block_open_line(struct block_collector *collecting,
				    uint16_t tag)
{
	uint32_t count = collecting->around_count;

	if (collecting->is_in_row) {
		if (collecting->scored > 0 &&
		    collecting->text.data[collecting->text.size - 1] != '\t')
			buffer_append_byte(&collecting->text, '\n');
	} else if ((tag_flags(tag) & TAG_IS_HEADING) != 0) {
		begin_block(collecting, CONTENT_HEADING,
			    (uint32_t)(tag - TAG_h1 + 1));
	} else if (tag == TAG_pre) {
		begin_block(collecting, CONTENT_CODE, 0);
	} else if (tag != TAG_p) {
		begin_block(collecting, CONTENT_CAPTION, 0);
	} else if (count == 0) {
		begin_block(collecting, CONTENT_PARAGRAPH, 0);
	} else if (collecting->around[count - 1] == TAG_li) {
		begin_block(collecting, CONTENT_LIST_ITEM, collecting->lists);
	} else {
		begin_block(collecting, CONTENT_QUOTE, collecting->quotes);
	}
}

static void open_in_table(struct block_collector *collecting, uint16_t tag)
{
	if (!collecting->is_in_table)
		return;
	if (tag == TAG_tr) {
		begin_block(collecting, CONTENT_TABLE_ROW, 0);
		collecting->is_in_row = true;
		collecting->cells = 0;
	} else if (collecting->cells++ > 0) {
		buffer_append_byte(&collecting->text, '\t');
	}
}

static void content_block_open(void *context,
			       const struct layout_element *element)
{
	struct block_collector *collecting = context;

	switch (element->tag) {
	case TAG_li:
	case TAG_blockquote:
		collecting->around[collecting->around_count++] = element->tag;
		collecting->lists += element->tag == TAG_li;
		collecting->quotes += element->tag == TAG_blockquote;
		break;
	case TAG_table:
		collecting->is_in_table =
			collecting->survey.tables[collecting->tables++]
				.is_simple;
		break;
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		open_in_table(collecting, element->tag);
		break;
	default:
		if (outline_is_line(element->tag))
			content_block_open_line(collecting, element->tag);
		break;
	}
}

static void content_block_close(void *context, uint16_t tag)
{
	struct block_collector *collecting = context;
	bool is_row = tag == TAG_tr && collecting->is_in_row;

	if (tag == TAG_li || tag == TAG_blockquote) {
		collecting->around_count--;
		collecting->lists -= tag == TAG_li;
		collecting->quotes -= tag == TAG_blockquote;
	}
	if (is_row || (outline_is_line(tag) && !collecting->is_in_row))
		content_block_end(collecting);
	if (is_row)
		collecting->is_in_row = false;
	if (tag == TAG_table)
		collecting->is_in_table = false;
}

static void content_block_add_gap(void *context, enum separator separator,
				  struct slice blank)
{
	struct block_collector *collecting = context;

	gap_append(&collecting->text, separator, blank, "\n");
}

static void content_block_add_text(void *context, uint32_t index,
				   struct slice text)
{
	struct block_collector *collecting = context;

	buffer_append_slice(&collecting->text, text);
	collecting->score +=
		(double)collecting->verdicts[index].score * (double)text.size;
	collecting->scored += text.size;
}

struct content_blocks content_blocks_make(struct arena *arena,
					  const struct page *page,
					  const struct verdict *verdicts)
{
	const struct render_request request = {.page = page,
					       .verdicts = verdicts};
	struct block_collector collecting = {
		.verdicts = verdicts,
		.survey = table_survey_make(arena, &request, false),
	};
	struct content_block *items;
	struct content_blocks blocks;

	layout(&request, &(struct layout_writer){
				 .context = &collecting,
				 .open = content_block_open,
				 .close = content_block_close,
				 .gap = content_block_add_gap,
				 .text = content_block_add_text,
				 .image = image_ignore,
				 .has_powers = true,
			 });
	items = ARENA_NEW(arena, struct content_block, collecting.count);
	for (size_t i = 0; i < collecting.count; i++)
		items[i] = collecting.items[i];
	blocks = (struct content_blocks){
		.items = items,
		.count = collecting.count,
		.text = arena_copy(arena, collecting.text.data,
				   collecting.text.size),
	};
	free(collecting.items);
	buffer_free(&collecting.text);
	return blocks;
}

void image_ignore(void *context, const struct layout_image *image)
{
	(void)context;
	(void)image;
}

void gap_append(struct buffer *out, enum separator separator,
		struct slice blank, const char *line)
{
	buffer_append_slice(out, blank);
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(out, ' ');
	if (separator >= SEPARATOR_LINE)
		buffer_append_text(out, line);
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_text(out, line);
}

uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise)
{
	struct slice value;
	const char *bytes;
	size_t at = 0;
	uint64_t number = 0;

	if (node == NO_NODE)
		return otherwise;
	value = page_attribute(page, node, name);
	bytes = value.data;
	while (at < value.size && is_space(bytes[at]))
		at++;
	if (at < value.size && bytes[at] == '+')
		at++;
	if (at == value.size || !is_digit(bytes[at]))
		return otherwise;
	for (; at < value.size && is_digit(bytes[at]); at++) {
		number = 10 * number + (uint64_t)(bytes[at] - '0');
		if (number > MAX_WHOLE_ATTRIBUTE)
			return otherwise;
	}
	return (uint32_t)number;
}
