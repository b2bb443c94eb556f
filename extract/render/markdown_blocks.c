#include "extract/render/markdown_blocks.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "extract/render/whole_attribute.h"

static void markdown_push_container(struct markdown_blocks *blocks,
				    struct markdown_container container)
{
	assert(blocks->count < MAX_MARKDOWN_DEPTH);
	blocks->open[blocks->count++] = container;
}

/*
 * Return a marker that differs from the list directly before, because a parser
 * would merge two lists with the same marker.
 */
static char choose_marker(const struct markdown_blocks *blocks, char usual,
			  char other)
{
	if (blocks->has_closed && blocks->closed_depth == blocks->count &&
	    blocks->closed.marker == usual)
		return other;
	return usual;
}

void markdown_open_list(struct markdown_blocks *blocks, bool is_ordered,
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

static uint32_t digits_of(uint32_t number)
{
	uint32_t digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

void markdown_open_item(struct markdown_blocks *blocks)
{
	struct markdown_container *list = &blocks->open[blocks->count - 1];
	struct markdown_container item = *list;

	item.kind = CONTAINER_ITEM;
	item.is_written = false;
	item.width = is_ordered(list) ? digits_of(item.number) + 2 : 2;
	if (list->number < MAX_WHOLE_ATTRIBUTE)
		list->number++;
	markdown_push_container(blocks, item);
}

void markdown_open_quote(struct markdown_blocks *blocks)
{
	markdown_push_container(
		blocks, (struct markdown_container){.kind = CONTAINER_QUOTE});
}

void markdown_close(struct markdown_blocks *blocks)
{
	assert(blocks->count > 0);
	blocks->count--;
	if (blocks->open[blocks->count].kind == CONTAINER_LIST) {
		blocks->closed = blocks->open[blocks->count];
		blocks->closed_depth = blocks->count;
		blocks->has_closed = true;
	}
	if (blocks->kept > blocks->count)
		blocks->kept = blocks->count;
}

static void write_spaces(struct buffer *out, uint32_t count)
{
	while (count-- > 0)
		buffer_append_byte(out, ' ');
}

static void write_marker(struct buffer *out,
			 const struct markdown_container *item)
{
	if (is_ordered(item))
		buffer_printf(out, "%u", item->number);
	buffer_append_byte(out, item->marker);
	buffer_append_byte(out, ' ');
}

/* Write the start of a line inside the `count` outermost containers. */
static void write_prefix(const struct markdown_blocks *blocks, uint32_t count,
			 struct buffer *out)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct markdown_container *container = &blocks->open[i];

		if (container->kind == CONTAINER_QUOTE)
			buffer_append_text(out, "> ");
		if (container->kind == CONTAINER_ITEM)
			write_spaces(out, container->width);
	}
}

static void markdown_trim_block_line(struct buffer *out)
{
	while (out->size > 0 && out->data[out->size - 1] == ' ')
		out->size--;
}

static void markdown_end_block_line(struct markdown_blocks *blocks)
{
	markdown_trim_block_line(blocks->out);
	buffer_append_byte(blocks->out, '\n');
}

/*
 * Return true if an item may follow without a blank line: after the text of the
 * item before it, or of the item around it. There a parser would read a number
 * other than 1 as text.
 */
static bool is_tight(const struct markdown_blocks *blocks, bool is_bare)
{
	const struct markdown_container *first = &blocks->open[blocks->kept];

	if (!is_bare || !blocks->was_bare || blocks->kept == 0 ||
	    blocks->kept == blocks->count)
		return false;
	if (first->kind == CONTAINER_LIST)
		return !is_ordered(first) || first[1].number == 1;
	return first->kind == CONTAINER_ITEM;
}

static void write_begin(struct markdown_blocks *blocks)
{
	struct buffer *out = blocks->out;

	for (uint32_t i = 0; i < blocks->count; i++) {
		struct markdown_container *container = &blocks->open[i];

		if (container->kind == CONTAINER_QUOTE)
			buffer_append_text(out, "> ");
		if (container->kind != CONTAINER_ITEM)
			continue;
		if (container->is_written)
			write_spaces(out, container->width);
		else
			write_marker(out, container);
		container->is_written = true;
	}
}

void markdown_begin_block(struct markdown_blocks *blocks, bool is_bare)
{
	if (blocks->has_block) {
		markdown_end_block_line(blocks);
		if (!is_tight(blocks, is_bare)) {
			write_prefix(blocks, blocks->kept, blocks->out);
			markdown_end_block_line(blocks);
		}
	}
	write_begin(blocks);
	buffer_clear(&blocks->prefix);
	write_prefix(blocks, blocks->count, &blocks->prefix);
	blocks->has_block = true;
	blocks->has_closed = false;
	blocks->was_bare = is_bare;
	blocks->kept = blocks->count;
}

void markdown_begin_line(struct markdown_blocks *blocks, bool is_empty)
{
	buffer_append_byte(blocks->out, '\n');
	buffer_append_slice(blocks->out, buffer_slice(&blocks->prefix));
	if (is_empty)
		markdown_trim_block_line(blocks->out);
}

void markdown_blocks_end(struct markdown_blocks *blocks)
{
	if (blocks->has_block)
		markdown_end_block_line(blocks);
	buffer_free(&blocks->prefix);
}
