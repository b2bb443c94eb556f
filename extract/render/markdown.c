#include "extract/render/markdown.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "extract/render/element_role.h"
#include "extract/render/layout.h"
#include "extract/render/markdown_inline.h"
#include "extract/render/note.h"
#include "extract/render/outline.h"
#include "extract/render/render.h"
#include "extract/render/table.h"
#include "page/page.h"

/*
 * The functions below write CommonMark blocks: before each line of a block,
 * they write the marks and spaces of the lists, items and quotes around the
 * block.
 */

/* Maximum number of open containers, which are lists, items and quotes. */
enum { MAX_MARKDOWN_DEPTH = 3 * MAX_OUTLINE_NESTING };

enum {
	QUOTE_WIDTH = 2,       /* of "> " */
	MAX_PREFIX_WIDTH = 32, /* columns before each line of a block; an item
				  or quote that needs more has no marks */
};

/* The spaces before the further lines of a note, and their number. */
static const char note_indent[] = "    ";
enum { NOTE_WIDTH = sizeof(note_indent) - 1 };

enum markdown_container_kind {
	CONTAINER_LIST,
	CONTAINER_ITEM,
	CONTAINER_QUOTE,
	CONTAINER_NONE, /* an item or a quote without marks */
};

struct markdown_container {
	enum markdown_container_kind kind;
	char marker;         /* for a list and its items: one of - * . ) */
	bool is_written;     /* for an item: the marker was written */
	uint32_t number;     /* for a list, the number of its next item; for an
				item, its own number */
	uint32_t width;      /* columns before each line; 0 for a list */
	struct slice note;   /* for a note: its label */
	const char *callout; /* for a quote: the kind of the callout to write
				before its first block, or NULL */
	uint32_t node;       /* for a quote: its element, or NO_NODE */
};

/* The state of the writer. Initialise with only the buffer `out`. */
struct markdown_blocks {
	struct buffer *out;
	struct markdown_container open[MAX_MARKDOWN_DEPTH]; /* [count] */
	uint32_t count;
	uint32_t width; /* of the open containers */
	uint32_t kept;  /* number of the open containers that contained the
			   previous block, too */
	bool has_block;
	bool was_bare; /* the previous block was the text of an item */
	/* The list that was closed last, if no block was written after it. */
	struct markdown_container closed;
	uint32_t closed_depth; /* index that `closed` had in `open` */
	bool has_closed;
	struct buffer
		prefix; /* start of the second and further lines of the block */
};

static void markdown_push_container(struct markdown_blocks *blocks,
				    struct markdown_container container)
{
	assert(blocks->count < MAX_MARKDOWN_DEPTH);
	if (blocks->width + container.width > MAX_PREFIX_WIDTH) {
		container.kind = CONTAINER_NONE;
		container.width = 0;
		container.callout = NULL;
	}
	blocks->width += container.width;
	blocks->open[blocks->count++] = container;
}

/*
 * Return `usual`, or `other` if `usual` is the marker of a list directly
 * before, because a parser would merge two lists with the same marker.
 */
static char choose_marker(const struct markdown_blocks *blocks, char usual,
			  char other)
{
	if (blocks->has_closed && blocks->closed_depth == blocks->count &&
	    blocks->closed.marker == usual)
		return other;
	return usual;
}

/* Open a list. `start` is the number of the first item of an ordered list. */
static void markdown_open_list(struct markdown_blocks *blocks, bool is_ordered,
			       uint32_t start)
{
	struct markdown_container list = {
		.kind = CONTAINER_LIST,
		.marker = choose_marker(blocks, '-', '*'),
		.number = start,
	};

	if (is_ordered)
		list.marker = choose_marker(blocks, '.', ')');
	markdown_push_container(blocks, list);
}

static bool is_ordered(const struct markdown_container *container)
{
	return container->marker == '.' || container->marker == ')';
}

/* Open an item, which is a note if `note` is not empty. */
static void markdown_open_item(struct markdown_blocks *blocks,
			       struct slice note)
{
	struct markdown_container *list = &blocks->open[blocks->count - 1];
	struct markdown_container item = *list;

	item.kind = CONTAINER_ITEM;
	item.is_written = false;
	item.width = note.size > 0 ? NOTE_WIDTH : 2;
	item.note = note;
	for (uint32_t left = item.number; is_ordered(list) && note.size == 0;
	     left /= 10) {
		item.width++;
		if (left < 10)
			break;
	}
	if (list->number < MAX_WHOLE_ATTRIBUTE)
		list->number++;
	markdown_push_container(blocks, item);
}

/* Open a note that is no item of a list. */
static void markdown_open_note(struct markdown_blocks *blocks,
			       struct slice label)
{
	markdown_push_container(
		blocks, (struct markdown_container){.kind = CONTAINER_ITEM,
						    .width = NOTE_WIDTH,
						    .note = label});
}

/* Close the innermost container. */
static void markdown_close(struct markdown_blocks *blocks)
{
	assert(blocks->count > 0);
	blocks->count--;
	blocks->width -= blocks->open[blocks->count].width;
	if (blocks->open[blocks->count].kind == CONTAINER_LIST) {
		blocks->closed = blocks->open[blocks->count];
		blocks->closed_depth = blocks->count;
		blocks->has_closed = true;
	}
	if (blocks->kept > blocks->count)
		blocks->kept = blocks->count;
}

static void markdown_trim_block_line(struct buffer *out)
{
	while (out->size > 0 && out->data[out->size - 1] == ' ')
		out->size--;
}

/*
 * Write the start of a line that is inside the `count` outermost containers,
 * but not the first line of their items.
 */
static void write_prefix(const struct markdown_blocks *blocks, uint32_t count,
			 struct buffer *out)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct markdown_container *container = &blocks->open[i];

		if (container->kind == CONTAINER_QUOTE)
			buffer_append_text(out, "> ");
		if (container->kind != CONTAINER_ITEM)
			continue;
		for (uint32_t k = 0; k < container->width; k++)
			buffer_append_byte(out, ' ');
	}
}

static void write_marker(const struct markdown_container *item,
			 struct buffer *out)
{
	if (item->note.size > 0) {
		buffer_append_text(out, "[^");
		buffer_append_slice(out, item->note);
		buffer_append_text(out, "]: ");
		return;
	}
	if (is_ordered(item))
		buffer_printf(out, "%u", item->number);
	buffer_printf(out, "%c ", item->marker);
}

/*
 * Write the line that names the callout open[index], and begin the next line
 * inside its containers. Only a paragraph may follow without a blank line.
 */
static void write_callout(struct markdown_blocks *blocks, uint32_t index,
			  struct buffer *out)
{
	buffer_printf(out, "[!%s]\n", blocks->open[index].callout);
	blocks->open[index].callout = NULL;
	write_prefix(blocks, index + 1, out);
	if (index + 1 == blocks->count)
		return;
	markdown_trim_block_line(out);
	buffer_append_byte(out, '\n');
	write_prefix(blocks, index + 1, out);
}

/*
 * Write the start of the first line of a block, with the markers of the items
 * and the kinds of the callouts that were not written yet.
 */
static void write_first_prefix(struct markdown_blocks *blocks,
			       struct buffer *out)
{
	for (uint32_t i = 0; i < blocks->count; i++) {
		struct markdown_container *container = &blocks->open[i];

		if (container->kind == CONTAINER_QUOTE)
			buffer_append_text(out, "> ");
		if (container->callout != NULL)
			write_callout(blocks, i, out);
		if (container->kind != CONTAINER_ITEM)
			continue;
		if (!container->is_written)
			write_marker(container, out);
		for (uint32_t k = 0;
		     container->is_written && k < container->width; k++)
			buffer_append_byte(out, ' ');
		container->is_written = true;
	}
}

static void markdown_end_block_line(struct markdown_blocks *blocks)
{
	markdown_trim_block_line(blocks->out);
	buffer_append_byte(blocks->out, '\n');
}

/*
 * Return true if the next block needs no blank line before it. This is so if it
 * is the text of an item, and the previous block was the text of the item
 * before or of the item around it. An exception is a nested list that does not
 * begin with number 1, because a parser would read the number as text.
 */
static bool is_tight(const struct markdown_blocks *blocks, bool is_bare)
{
	const struct markdown_container *first = &blocks->open[blocks->kept];

	if (!is_bare || !blocks->was_bare || blocks->kept == 0 ||
	    blocks->kept == blocks->count)
		return false;
	if (first->kind == CONTAINER_LIST)
		return first[1].kind == CONTAINER_ITEM &&
		       (!is_ordered(first) || first[1].number == 1);
	return first->kind == CONTAINER_ITEM;
}

/*
 * End the previous block, begin a block, and write the marks before its first
 * line. If is_bare, the block is the text of an item.
 */
static void markdown_begin_block(struct markdown_blocks *blocks, bool is_bare)
{
	if (blocks->has_block) {
		markdown_end_block_line(blocks);
		if (!is_tight(blocks, is_bare)) {
			write_prefix(blocks, blocks->kept, blocks->out);
			markdown_end_block_line(blocks);
		}
	}
	write_first_prefix(blocks, blocks->out);
	buffer_clear(&blocks->prefix);
	write_prefix(blocks, blocks->count, &blocks->prefix);
	blocks->has_block = true;
	blocks->has_closed = false;
	blocks->was_bare = is_bare;
	blocks->kept = blocks->count;
}

/*
 * Begin the next line of the block. If is_empty, write no space at the end of
 * the line.
 */
static void markdown_begin_line(struct markdown_blocks *blocks, bool is_empty)
{
	buffer_append_byte(blocks->out, '\n');
	buffer_append_slice(blocks->out, buffer_slice(&blocks->prefix));
	if (is_empty)
		markdown_trim_block_line(blocks->out);
}

/* Append lines to the block; the first one continues the current line. */
static void markdown_append_lines(struct markdown_blocks *blocks,
				  struct slice text)
{
	const char *bytes = text.data;
	size_t at = 0;

	while (at < text.size) {
		const char *end = memchr(bytes + at, '\n', text.size - at);
		size_t length = end == NULL ? text.size - at
					    : (size_t)(end - bytes) - at;

		if (at > 0)
			markdown_begin_line(blocks, length == 0);
		buffer_append(blocks->out, bytes + at, length);
		at += length + 1;
	}
}

/*
 * The functions below write simple tables (extract/render/table.h) as GFM
 * tables. A GFM table has a head, a line below it, and rows with as many cells
 * as the head.
 */

/*
 * The state of the table writer. Initialise with only the first three fields.
 */
struct markdown_table {
	const struct page *page;
	struct table_survey survey;
	struct markdown_blocks *blocks;
	uint32_t opened; /* number of tables that were opened up to now */
	const struct table_shape *shape; /* shape of the simple table around the
					    current text, or NULL */
	uint32_t rows;    /* number of rows of that table that were begun */
	uint32_t columns; /* number of columns that were written in the current
			     row */
	uint32_t span;    /* number of columns of the current cell */
	uint32_t lines;   /* number of lines in the current cell */
	bool has_line;    /* a line was written in the current row */
	size_t row_begin; /* size of `out` before the current row */
	uint32_t note_depth; /* number of open items and quotes in a note in
				the cell, including the note */
	struct slice note;   /* the label of that note, if no line of it was
				written; otherwise "" */
	struct buffer notes; /* the notes in the cells, to write after the
				table */
};

static void write_cells(struct markdown_table *table, const char *cell,
			uint32_t count)
{
	while (count-- > 0)
		buffer_append_text(table->blocks->out, cell);
}

/*
 * markdown_table_open() handles the start of a table, tr, td or th, and
 * markdown_table_close() the end. They write nothing for tables that are not
 * simple.
 */
static void markdown_table_open(struct markdown_table *table,
				const struct layout_element *element)
{
	if (element->tag == TAG_table) {
		const struct table_shape *shape =
			&table->survey.tables[table->opened++];

		if (shape->is_simple) {
			table->shape = shape;
			table->rows = 0;
		}
	} else if (table->shape == NULL) {
		return;
	} else if (element->tag == TAG_tr) {
		table->row_begin = table->blocks->out->size;
		table->has_line = false;
		if (table->rows++ == 0)
			markdown_begin_block(table->blocks, false);
		else
			markdown_begin_line(table->blocks, false);
		buffer_append_byte(table->blocks->out, '|');
		table->columns = 0;
	} else {
		table->span = table_cell_span(table->page, element->node);
		table->columns += table->span;
		table->lines = 0;
		buffer_append_byte(table->blocks->out, ' ');
	}
}

/* Write the notes in the cells of the table as blocks. */
static void markdown_table_write_notes(struct markdown_table *table)
{
	if (table->notes.size == 0)
		return;
	markdown_begin_block(table->blocks, false);
	markdown_append_lines(table->blocks, buffer_slice(&table->notes));
	buffer_clear(&table->notes);
}

/* Fill the row up to the number of columns of the table, and end it. */
static void markdown_table_end_row(struct markdown_table *table)
{
	if (table->rows > 1 && !table->has_line) {
		/* it has only notes */
		table->blocks->out->size = table->row_begin;
		return;
	}
	write_cells(table, "  |", table->shape->columns - table->columns);
	if (table->rows != 1)
		return;
	/* the line below the head */
	markdown_begin_line(table->blocks, false);
	buffer_append_byte(table->blocks->out, '|');
	write_cells(table, " --- |", table->shape->columns);
}

static void markdown_table_close(struct markdown_table *table, uint16_t tag)
{
	if (table->shape == NULL)
		return;
	if (tag == TAG_table) {
		table->shape = NULL;
		markdown_table_write_notes(table);
	} else if (tag == TAG_tr) {
		markdown_table_end_row(table);
	} else {
		buffer_append_text(table->blocks->out, " |");
		write_cells(table, "  |", table->span - 1);
	}
}

/* A list of references under construction. */
struct reference_builder {
	struct page_reference *items; /* [count] */
	size_t count;
	size_t capacity;
};

struct reference_collector {
	struct arena *arena;
	struct reference_builder images;
	struct reference_builder links;
	struct hash_table seen; /* the URLs of the images up to now */
	struct buffer text;     /* text of the open link */
	struct slice address;   /* URL of the open link */
	uint32_t node;          /* node of the open link, or NO_NODE */
};

static struct slice reference_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

static void reference_add(struct reference_collector *collecting,
			  struct reference_builder *list, struct slice address,
			  struct slice text)
{
	if (list->count == MAX_REFERENCES)
		return;
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = (struct page_reference){
		address, reference_copy_text(collecting->arena, text)};
}

/* Add the open link, if there is one, to the list of links. */
static void end_link(struct reference_collector *collecting)
{
	if (collecting->node != NO_NODE)
		reference_add(collecting, &collecting->links,
			      collecting->address,
			      buffer_slice(&collecting->text));
	buffer_clear(&collecting->text);
	collecting->node = NO_NODE;
}

/*
 * Begin a link. Do nothing if the element is the link that is already open,
 * because it continues from the previous line.
 */
static void reference_open_element(void *context,
				   const struct layout_element *element)
{
	struct reference_collector *collecting = context;

	if (element->tag != TAG_a || element->node == collecting->node)
		return;
	end_link(collecting);
	collecting->node = element->node;
	collecting->address =
		reference_copy_text(collecting->arena, element->href);
}

static void reference_close_element(void *context, uint16_t tag)
{
	struct reference_collector *collecting = context;

	if (tag == TAG_a)
		end_link(collecting);
}

static void reference_add_gap(void *context, enum separator separator,
			      struct slice blank)
{
	struct reference_collector *collecting = context;

	(void)blank;
	if (separator != SEPARATOR_NONE && collecting->text.size > 0)
		buffer_append_byte(&collecting->text, ' ');
}

static void reference_add_text(void *context, uint32_t index, struct slice text)
{
	struct reference_collector *collecting = context;

	(void)index;
	if (collecting->node != NO_NODE)
		buffer_append_slice(&collecting->text, text);
}

static void reference_add_image(void *context, const struct layout_image *image)
{
	struct reference_collector *collecting = context;
	struct slice source = image->source;
	uint32_t count = collecting->seen.count;

	hash_table_add(&collecting->seen, hash64(source.data, source.size, 0));
	if (collecting->seen.count > count)
		reference_add(collecting, &collecting->images,
			      reference_copy_text(collecting->arena, source),
			      image->label);
}

/* Copy the list into the arena, and free it. */
static struct reference_list reference_finish(struct arena *arena,
					      struct reference_builder *list)
{
	struct page_reference *items =
		ARENA_NEW(arena, struct page_reference, list->count);

	for (size_t i = 0; i < list->count; i++)
		items[i] = list->items[i];
	free(list->items);
	return (struct reference_list){items, list->count};
}

struct references references_make(struct arena *arena,
				  const struct render_request *request)
{
	struct reference_collector collecting = {
		.arena = arena,
		.seen = hash_table_make(arena, sizeof(uint64_t)),
		.node = NO_NODE,
	};
	struct references references;

	layout(request, &(struct layout_writer){
				.context = &collecting,
				.open = reference_open_element,
				.close = reference_close_element,
				.gap = reference_add_gap,
				.text = reference_add_text,
				.image = reference_add_image,
				.has_links = true,
			});
	end_link(&collecting);
	references.images = reference_finish(arena, &collecting.images);
	references.links = reference_finish(arena, &collecting.links);
	buffer_free(&collecting.text);
	return references;
}

enum {
	MIN_FENCE = 3,
	MAX_SOURCE_DEPTH = 4, /* elements from a text to the source that has it
			       */
};

struct markdown {
	const struct render_request *request;
	const struct page *page;
	struct markdown_blocks blocks;
	struct markdown_line line; /* the content of the current line */
	struct buffer code;        /* the code of the current pre up to now */
	struct slice language;     /* programming language of the code */
	/* in pre */
	bool is_verbatim;
	bool is_bare;
	struct markdown_table table;
	struct notes notes;
};

/* Return the label of the note that is the innermost container, or "". */
static struct slice
markdown_innermost_note(const struct markdown_blocks *blocks)
{
	return blocks->count == 0 ? (struct slice){"", 0}
				  : blocks->open[blocks->count - 1].note;
}

static void render_markdown_open_line(struct markdown *markdown,
				      const struct layout_element *element)
{
	markdown_line_clear(&markdown->line);
	markdown->is_bare =
		element->is_bare && element->outer == TAG_li &&
		markdown_innermost_note(&markdown->blocks).size == 0;
	if (element->tag != TAG_pre)
		return;
	markdown->is_verbatim = true;
	markdown->language = code_language(markdown->page, element->node);
	buffer_clear(&markdown->code);
}

/* Return true in a cell of a table that is written as a table. */
static bool is_in_cell(const struct markdown *markdown)
{
	return markdown->table.shape != NULL && markdown->table.rows > 0;
}

/* Return true if a cell has no container for an element. */
static bool is_line_in_cell(const struct markdown *markdown, uint16_t tag)
{
	/* the items of a list and the paragraphs of a note are lines */
	return is_in_cell(markdown) && (tag == TAG_ul || tag == TAG_ol ||
					tag == TAG_li || tag == TAG_blockquote);
}

/* Open an element in a cell, which may be a note. */
static void open_in_cell(struct markdown *markdown,
			 const struct layout_element *element)
{
	struct markdown_table *table = &markdown->table;

	if (element->tag != TAG_li && element->tag != TAG_blockquote)
		return;
	if (table->note_depth == 0)
		table->note = notes_label(&markdown->notes, element->node);
	table->note_depth += table->note_depth > 0 || table->note.size > 0;
}

static void close_in_cell(struct markdown *markdown, uint16_t tag)
{
	if ((tag == TAG_li || tag == TAG_blockquote) &&
	    markdown->table.note_depth > 0)
		markdown->table.note_depth--;
}

static void open_quote(struct markdown *markdown, uint32_t node)
{
	struct slice note = notes_label(&markdown->notes, node);

	if (note.size > 0)
		markdown_open_note(&markdown->blocks, note);
	else
		markdown_push_container(&markdown->blocks,
					(struct markdown_container){
						.kind = CONTAINER_QUOTE,
						.width = QUOTE_WIDTH,
						.callout = element_callout(
							markdown->page, node),
						.node = node});
}

static void open_block(struct markdown *markdown,
		       const struct layout_element *element)
{
	if (is_line_in_cell(markdown, element->tag)) {
		open_in_cell(markdown, element);
		return;
	}
	switch (element->tag) {
	case TAG_ul:
	case TAG_ol:
		markdown_open_list(&markdown->blocks, element->tag == TAG_ol,
				   whole_attribute(markdown->page,
						   element->node, "start", 1));
		break;
	case TAG_li:
		markdown_open_item(
			&markdown->blocks,
			notes_label(&markdown->notes, element->node));
		break;
	case TAG_blockquote:
		open_quote(markdown, element->node);
		break;
	case TAG_table:
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		markdown_table_open(&markdown->table, element);
		break;
	case TAG_figure:
		break;
	default:
		render_markdown_open_line(markdown, element);
		break;
	}
}

static void render_markdown_open(void *context,
				 const struct layout_element *element)
{
	struct markdown *markdown = context;

	if (inline_kind(element->tag) == INLINE_NONE)
		open_block(markdown, element);
	else if (!markdown->is_verbatim)
		markdown_line_add(&markdown->line, RUN_OPEN, element->tag,
				  element->href);
}

static void write_fence(struct markdown *markdown, size_t length)
{
	while (length-- > 0)
		buffer_append_byte(markdown->blocks.out, '`');
}

static void write_code(struct markdown *markdown)
{
	const struct buffer *code = &markdown->code;
	size_t ticks = markdown_longest_ticks(buffer_slice(code));
	size_t fence = ticks < MIN_FENCE ? MIN_FENCE : ticks + 1;
	size_t size = code->size;

	while (size > 0 && code->data[size - 1] == '\n')
		size--;
	markdown_begin_block(&markdown->blocks, false);
	write_fence(markdown, fence);
	buffer_append_slice(markdown->blocks.out, markdown->language);
	if (size > 0) {
		markdown_begin_line(&markdown->blocks, code->data[0] == '\n');
		markdown_append_lines(&markdown->blocks,
				      (struct slice){code->data, size});
	}
	markdown_begin_line(&markdown->blocks, false);
	write_fence(markdown, fence);
	markdown->is_verbatim = false;
}

/* Add the line of a note in a cell to the notes to write after the table. */
static void write_note_line(struct markdown *markdown)
{
	struct markdown_table *table = &markdown->table;

	if (table->notes.size > 0)
		buffer_append_text(&table->notes, "\n\n");
	if (table->note.size > 0)
		buffer_printf(&table->notes, "[^%.*s]: ", (int)table->note.size,
			      (const char *)table->note.data);
	else
		buffer_append_text(&table->notes, note_indent);
	table->note.size = 0;
	markdown_line_write(&markdown->line, MARKDOWN_PARAGRAPH,
			    slice_of(note_indent), &table->notes);
}

/* Return true if the line has no letters but those of `name`, in any case. */
static bool markdown_line_is(const struct markdown_line *line, const char *name)
{
	const size_t length = strlen(name);
	size_t count = 0;

	for (size_t i = 0; i < line->count; i++) {
		const struct markdown_run *run = &line->runs[i];

		if (run->kind == RUN_IMAGE || run->kind == RUN_PIECE)
			return false;
		for (size_t k = 0; k < run->length && run->kind == RUN_TEXT;
		     k++) {
			char byte = line->bytes.data[run->begin + k];

			if ((unsigned char)byte < 0x80 &&
			    !is_alphanumeric(byte))
				continue;
			if (count == length ||
			    lower(byte) != lower(name[count]))
				return false;
			count++;
		}
	}
	return count == length;
}

/*
 * Return true if the line is the heading of a callout and repeats its kind,
 * which is written before the next block of the callout.
 */
static bool repeats_callout(const struct markdown *markdown, uint16_t tag)
{
	const struct markdown_blocks *blocks = &markdown->blocks;
	const char *callout = blocks->count == 0
				      ? NULL
				      : blocks->open[blocks->count - 1].callout;

	return callout != NULL && (tag_flags(tag) & TAG_IS_HEADING) != 0 &&
	       markdown_line_is(&markdown->line, callout);
}

static void close_line(struct markdown *markdown, uint16_t tag)
{
	struct buffer *out = markdown->blocks.out;
	enum markdown_block block = MARKDOWN_PARAGRAPH;
	struct slice prefix = slice_of("");

	if (tag == TAG_pre) {
		write_code(markdown);
		return;
	}
	if (repeats_callout(markdown, tag))
		return;
	if (markdown->table.note_depth > 0) {
		write_note_line(markdown);
		return;
	}
	if (is_in_cell(markdown)) {
		/* a line in a cell of the table, not the caption */
		markdown->table.has_line = true;
		block = MARKDOWN_CELL;
		if (markdown->table.lines++ > 0)
			buffer_append_text(out, "<br>");
	} else if ((tag_flags(tag) & TAG_IS_HEADING) != 0) {
		block = MARKDOWN_HEADING;
		markdown_begin_block(&markdown->blocks, false);
		for (uint16_t level = TAG_h1; level <= tag; level++)
			buffer_append_byte(out, '#');
		buffer_append_byte(out, ' ');
	} else {
		markdown_begin_block(&markdown->blocks, markdown->is_bare);
		prefix = buffer_slice(&markdown->blocks.prefix);
	}
	markdown_line_write(&markdown->line, block, prefix, out);
}

/*
 * Return true if text `index` is in a source that readers see: a cite, footer
 * or figcaption, or a link with the address `cite`.
 */
static bool is_in_source(const struct page *page, uint32_t index,
			 struct slice cite)
{
	uint32_t node = page->texts[index].node;

	for (unsigned i = 0; i < MAX_SOURCE_DEPTH && node != NO_NODE; i++) {
		uint16_t tag = page->nodes[node].tag;

		if (tag == TAG_cite || tag == TAG_footer ||
		    tag == TAG_figcaption ||
		    (tag == TAG_a &&
		     slice_equal(page_attribute(page, node, "href"), cite)))
			return true;
		node = page->nodes[node].parent;
	}
	return false;
}

/*
 * Return true if readers see the source of the quote: in it, or directly before
 * or after it in a figure.
 */
static bool has_visible_source(const struct render_request *request,
			       uint32_t quote, struct slice cite)
{
	const struct page *page = request->page;
	const struct node *element = &page->nodes[quote];
	uint32_t begin = element->first_text;
	uint32_t end = element->end_text;

	if (element->parent != NO_NODE &&
	    page->nodes[element->parent].tag == TAG_figure) {
		begin -= begin > page->nodes[element->parent].first_text;
		end += end < page->nodes[element->parent].end_text;
	}
	for (uint32_t i = begin; i < end; i++)
		if (request->verdicts[i].is_content &&
		    is_in_source(page, i, cite))
			return true;
	return false;
}

/* Return true for an address; some pages have names in the attribute cite. */
static bool is_address(struct slice cite)
{
	const char *bytes = cite.data;

	return cite.size > 0 && strchr("hH./", bytes[0]) != NULL &&
	       memchr(bytes, '/', cite.size) != NULL &&
	       memchr(bytes, ' ', cite.size) == NULL;
}

/* If readers see no source of the quote, write the address of its attribute. */
static void write_source(struct markdown *markdown, uint32_t quote)
{
	struct markdown_line *line = &markdown->line;
	struct buffer address = {0};
	struct slice cite = page_attribute(markdown->page, quote, "cite");

	if (is_address(cite) &&
	    !has_visible_source(markdown->request, quote, cite) &&
	    link_address_append(&address, markdown->request, cite)) {
		markdown_line_clear(line);
		markdown_line_add(line, RUN_TEXT, 0, slice_of("\xE2\x80\x94"));
		markdown_line_add(line, RUN_SPACE, 0, slice_of(NULL));
		markdown_line_add(line, RUN_OPEN, TAG_a,
				  buffer_slice(&address));
		markdown_line_add(line, RUN_TEXT, 0, buffer_slice(&address));
		markdown_line_add(line, RUN_CLOSE, TAG_a, slice_of(NULL));
		markdown->is_bare = false;
		close_line(markdown, TAG_p);
	}
	buffer_free(&address);
}

static void close_quote(struct markdown *markdown)
{
	struct markdown_blocks *blocks = &markdown->blocks;
	const struct markdown_container *quote =
		&blocks->open[blocks->count - 1];

	if (quote->node != NO_NODE)
		write_source(markdown, quote->node);
	/* a callout that has only its kind */
	if (quote->callout != NULL)
		markdown_begin_block(blocks, false);
	markdown_close(blocks);
}

static void render_markdown_close_block(struct markdown *markdown, uint16_t tag)
{
	if (is_line_in_cell(markdown, tag)) {
		close_in_cell(markdown, tag);
		return;
	}
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_li:
		markdown_close(&markdown->blocks);
		break;
	case TAG_blockquote:
		close_quote(markdown);
		break;
	case TAG_table:
	case TAG_tr:
	case TAG_td:
	case TAG_th:
		markdown_table_close(&markdown->table, tag);
		break;
	case TAG_figure:
		break;
	default:
		close_line(markdown, tag);
		break;
	}
}

static void render_markdown_close(void *context, uint16_t tag)
{
	struct markdown *markdown = context;

	if (inline_kind(tag) == INLINE_NONE)
		render_markdown_close_block(markdown, tag);
	else if (!markdown->is_verbatim)
		markdown_line_add(&markdown->line, RUN_CLOSE, tag,
				  slice_of(NULL));
}

static void render_markdown_gap(void *context, enum separator separator,
				struct slice blank)
{
	struct markdown *markdown = context;

	if (markdown->is_verbatim)
		gap_append(&markdown->code, separator, blank, "\n");
	else
		markdown_line_add(&markdown->line,
				  separator == SEPARATOR_SPACE ? RUN_SPACE
							       : RUN_BREAK,
				  0, slice_of(NULL));
}

/*
 * Add a text to the line. RUN_TEXT must not begin or end with a space, so add
 * spaces there as RUN_SPACE.
 */
static void render_markdown_text(void *context, uint32_t index,
				 struct slice text)
{
	struct markdown *markdown = context;
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;

	(void)index;
	if (markdown->is_verbatim) {
		buffer_append_slice(&markdown->code, text);
		return;
	}
	while (begin < end && bytes[begin] == ' ')
		begin++;
	while (end > begin && bytes[end - 1] == ' ')
		end--;
	if (begin > 0)
		markdown_line_add(&markdown->line, RUN_SPACE, 0,
				  slice_of(NULL));
	markdown_line_add(&markdown->line, RUN_TEXT, 0,
			  (struct slice){bytes + begin, end - begin});
	if (end < text.size)
		markdown_line_add(&markdown->line, RUN_SPACE, 0,
				  slice_of(NULL));
}

static void render_markdown_piece(void *context, uint32_t index,
				  struct slice text)
{
	struct markdown *markdown = context;

	(void)index;
	markdown_line_add(&markdown->line, RUN_PIECE, 0, text);
}

static void render_markdown_image(void *context,
				  const struct layout_image *image)
{
	struct markdown *markdown = context;

	markdown_line_add(&markdown->line, RUN_IMAGE, 0, image->label);
	markdown_line_add(&markdown->line, RUN_ADDRESS, 0, image->source);
}

/* Add a link to the media, because CommonMark has no players. */
static void add_media(void *context, const struct layout_media *media)
{
	struct markdown *markdown = context;

	markdown_line_add(&markdown->line, RUN_OPEN, TAG_a, media->source);
	markdown_line_add(&markdown->line, RUN_TEXT, 0, media->title);
	markdown_line_add(&markdown->line, RUN_CLOSE, TAG_a, slice_of(NULL));
}

void render_as_markdown(const struct render_request *request,
			struct buffer *out)
{
	struct arena *arena = arena_create();
	struct render_request noted = *request;
	const size_t begin = out->size;
	size_t text_begin;
	struct markdown markdown = {
		.request = request,
		.page = request->page,
		.blocks = {.out = out},
		.notes = notes_find(arena, request),
	};

	if (markdown.notes.count > 0)
		noted.notes = &markdown.notes;
	markdown.table = (struct markdown_table){
		.page = request->page,
		.survey = table_survey_make(arena, &noted, true),
		.blocks = &markdown.blocks,
	};
	if (request->title.size > 0) {
		render_markdown_text(&markdown, 0, request->title);
		close_line(&markdown, TAG_h1);
	}
	text_begin = out->size;
	layout(&noted, &(struct layout_writer){
			       .context = &markdown,
			       .open = render_markdown_open,
			       .close = render_markdown_close,
			       .gap = render_markdown_gap,
			       .text = render_markdown_text,
			       .piece = render_markdown_piece,
			       .image = render_markdown_image,
			       .media = add_media,
			       .has_links = true,
			       .has_callouts = true,
		       });
	if (out->size == text_begin)
		buffer_truncate(out, begin); /* no title above nothing */
	else if (markdown.blocks.has_block)
		markdown_end_block_line(&markdown.blocks);
	buffer_free(&markdown.blocks.prefix);
	buffer_free(&markdown.table.notes);
	markdown_line_free(&markdown.line);
	buffer_free(&markdown.code);
	arena_destroy(arena);
}
