#include <string.h>

#include "extract/markup.h"
#include "extract/render.h"
#include "extract/separator.h"
#include "extract/walk.h"

struct layout {
	const struct page *page;
	struct buffer *out;
	size_t begin;           /* where our text begins in `out` */
	enum separator pending; /* between the last text and the next */
	uint32_t open_pres;     /* pre elements around us */
	bool is_at_pre;         /* no text since the outermost one began */
};

static void separate(struct layout *layout, enum separator separator)
{
	if (layout->open_pres > 0 && separator > SEPARATOR_LINE)
		separator = SEPARATOR_LINE;
	if (separator > layout->pending)
		layout->pending = separator;
}

/* A second br makes a blank line, as it does on the screen. */
static void add_break(struct layout *layout)
{
	layout->pending = layout->pending < SEPARATOR_LINE
				  ? SEPARATOR_LINE
				  : SEPARATOR_BLANK_LINE;
}

/* Lines of pre may end in white space; nothing else does. */
static void trim_end(struct layout *layout)
{
	struct buffer *out = layout->out;

	while (out->size > layout->begin &&
	       strchr(" \t\n", out->data[out->size - 1]) != NULL)
		out->size--;
	if (out->data != NULL)
		out->data[out->size] = '\0';
}

static void write_separator(struct layout *layout)
{
	enum separator separator = layout->pending;

	layout->pending = SEPARATOR_NONE;
	if (separator >= SEPARATOR_LINE)
		trim_end(layout);
	if (layout->out->size == layout->begin)
		return;
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(layout->out, ' ');
	if (separator >= SEPARATOR_LINE)
		buffer_append_byte(layout->out, '\n');
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_byte(layout->out, '\n');
}

/* Verbatim, but for the line end that follows the tag of pre. */
static void write_pre(struct layout *layout, uint32_t index)
{
	struct slice text = page_text(layout->page, index);
	const char *bytes = text.data;

	if (layout->pending == SEPARATOR_NONE && !layout->is_at_pre)
		markup_append_plain(layout->out,
				    separator_in_source(layout->page, index),
				    true);
	if (layout->is_at_pre && text.size > 0 && bytes[0] == '\n')
		text = (struct slice){bytes + 1, text.size - 1};
	layout->is_at_pre = false;
	write_separator(layout);
	markup_append_plain(layout->out, text, true);
}

static void write_text(struct layout *layout, uint32_t index)
{
	struct slice text = page_text(layout->page, index);

	if (layout->pending == SEPARATOR_NONE &&
	    (separator_begins(text) ||
	     separator_in_source(layout->page, index).size > 0))
		layout->pending = SEPARATOR_SPACE;
	write_separator(layout);
	markup_append_plain(layout->out, text, false);
	if (separator_ends(text))
		layout->pending = SEPARATOR_SPACE;
}

static void open_element(struct layout *layout, uint32_t node)
{
	uint16_t tag = layout->page->nodes[node].tag;

	if (tag == TAG_br)
		add_break(layout);
	separate(layout, separator_of_element(layout->page, node));
	if (tag == TAG_pre && layout->open_pres++ == 0)
		layout->is_at_pre = true;
}

static void close_element(struct layout *layout, uint32_t node)
{
	if (layout->page->nodes[node].tag == TAG_pre)
		layout->open_pres--;
	separate(layout, separator_of_element(layout->page, node));
}

static void take_text(struct layout *layout, uint32_t index, bool is_content)
{
	if (!is_content || markup_is_blank(page_text(layout->page, index)))
		separate(layout, SEPARATOR_SPACE);
	else if (layout->open_pres > 0)
		write_pre(layout, index);
	else
		write_text(layout, index);
}

void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	struct layout layout = {.page = page, .out = out, .begin = out->size};
	struct walk walk = walk_begin(page);
	enum step step;
	uint32_t index;

	while ((step = walk_next(&walk, &index)) != STEP_END) {
		if (step == STEP_OPEN)
			open_element(&layout, index);
		else if (step == STEP_CLOSE)
			close_element(&layout, index);
		else
			take_text(&layout, index, verdicts[index].is_content);
	}
	trim_end(&layout);
	if (out->size > layout.begin)
		buffer_append_byte(out, '\n');
}
