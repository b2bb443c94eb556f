#include "extract/layout_html.h"

#include "extract/markup.h"
#include "extract/outline.h"
#include "extract/separator.h"
#include "extract/walk.h"
#include "store/arena.h"

/*
 * Each element of the page is written at most once, and only when kept text
 * comes inside it, so that the output is linear in the page whatever is nested
 * in what: an inline element that a block interrupts is not taken up again.
 */

/* An element of the page that is open; levels[0] stands for the page. */
struct level {
	uint32_t node;
	uint32_t block; /* the level of the innermost block around its text */
	uint16_t line;  /* what its text stands in: p, pre or h1..h6 */
};

struct html {
	const struct page *page;
	const struct html_style *style;
	struct outline outline;
	struct level *levels; /* [level_count] */
	uint32_t level_count;
	uint32_t tried; /* levels below were written, or never will be */
	enum separator pending;
	uint32_t open_pres;
	bool is_at_pre;     /* no text since the outermost pre began */
	struct buffer text; /* the text node that is written */
	struct buffer gap;  /* the white space before it, in pre */
};

/* Write the open elements of levels below `end` that were not tried yet. */
static void open_levels(struct html *html, uint32_t end)
{
	for (; html->tried < end; html->tried++) {
		uint32_t node = html->levels[html->tried].node;
		uint16_t tag = html->page->nodes[node].tag;

		if (!outline_is_inline(tag))
			outline_open_block(&html->outline, tag, html->tried);
		else if (tag != TAG_a || html->style->has_links)
			outline_open_inline(
				&html->outline, tag,
				page_attribute(html->page, node, "href"),
				html->tried);
	}
}

static void write_separator(struct html *html)
{
	enum separator separator = html->pending;

	html->pending = SEPARATOR_NONE;
	markup_append(html->outline.out, buffer_slice(&html->gap));
	if (html->outline.is_fresh || separator == SEPARATOR_NONE)
		return;
	buffer_append_text(html->outline.out,
			   separator == SEPARATOR_SPACE ? " " : "<br>");
}

/* Verbatim, but for the line end that follows the tag of pre. */
static void take_pre(struct html *html, uint32_t index)
{
	struct slice text = page_text(html->page, index);
	const char *bytes = text.data;

	if (html->pending == SEPARATOR_NONE && !html->is_at_pre)
		markup_append_plain(&html->gap,
				    separator_in_source(html->page, index),
				    true);
	if (html->is_at_pre && text.size > 0 && bytes[0] == '\n')
		text = (struct slice){bytes + 1, text.size - 1};
	html->is_at_pre = false;
	markup_append_plain(&html->text, text, true);
}

static void take_text(struct html *html, uint32_t index)
{
	struct slice text = page_text(html->page, index);

	if (html->pending == SEPARATOR_NONE &&
	    (separator_begins(text) ||
	     separator_in_source(html->page, index).size > 0))
		html->pending = SEPARATOR_SPACE;
	markup_append_plain(&html->text, text, false);
}

static void write_text(struct html *html, uint32_t index)
{
	struct level level = html->levels[html->level_count - 1];

	buffer_clear(&html->text);
	buffer_clear(&html->gap);
	if (html->open_pres > 0)
		take_pre(html, index);
	else
		take_text(html, index);
	open_levels(html, level.block + 1);
	outline_open_line(&html->outline, level.line, level.block);
	write_separator(html);
	open_levels(html, html->level_count);
	html->style->write(html->style->context, &html->outline, index,
			   buffer_slice(&html->text));
	if (html->open_pres == 0 &&
	    separator_ends(page_text(html->page, index)))
		html->pending = SEPARATOR_SPACE;
}

static void separate(struct html *html, enum separator separator)
{
	if (separator > html->pending)
		html->pending = separator;
	if (separator >= SEPARATOR_LINE)
		outline_end_line(&html->outline);
}

/* What text right inside an element is put into, `outer` around it. */
static uint16_t line_inside(uint16_t tag, uint16_t outer)
{
	if (outer == TAG_pre)
		return outer;
	if (outline_is_line(tag))
		return tag;
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_li:
	case TAG_table:
	case TAG_td:
	case TAG_th:
	case TAG_blockquote:
		return TAG_p;
	default:
		return outer;
	}
}

static void open_element(struct html *html, uint32_t node)
{
	uint16_t tag = html->page->nodes[node].tag;
	struct level level = html->levels[html->level_count - 1];

	separate(html, separator_of_element(html->page, node));
	if (tag == TAG_br && html->pending < SEPARATOR_LINE)
		html->pending = SEPARATOR_LINE;
	if (tag == TAG_pre && html->open_pres++ == 0)
		html->is_at_pre = true;
	level.node = node;
	level.line = line_inside(tag, level.line);
	if ((tag_flags(tag) & TAG_IS_BLOCK) != 0)
		level.block = html->level_count;
	html->levels[html->level_count++] = level;
}

static void close_element(struct html *html, uint32_t node)
{
	html->level_count--;
	outline_close(&html->outline, html->level_count);
	if (html->tried > html->level_count)
		html->tried = html->level_count;
	if (html->page->nodes[node].tag == TAG_pre)
		html->open_pres--;
	separate(html, separator_of_element(html->page, node));
}

static void step_over(struct html *html, enum step step, uint32_t index)
{
	if (step == STEP_OPEN)
		open_element(html, index);
	else if (step == STEP_CLOSE)
		close_element(html, index);
	else if (!html->style->shows(html->style->context, index))
		separate(html, SEPARATOR_SPACE);
	else
		write_text(html, index);
}

static uint32_t count_levels(const struct page *page)
{
	struct walk walk = walk_begin(page);
	uint32_t open = 1;
	uint32_t most = 1;
	enum step step;
	uint32_t index;

	while ((step = walk_next(&walk, &index)) != STEP_END) {
		if (step == STEP_OPEN && ++open > most)
			most = open;
		if (step == STEP_CLOSE)
			open--;
	}
	return most;
}

void layout_html(const struct page *page, const struct html_style *style,
		 struct buffer *out)
{
	struct arena *arena = arena_create();
	uint32_t level_count = count_levels(page);
	struct html html = {
		.page = page,
		.style = style,
		.outline = outline_begin(arena, out, level_count),
		.levels = ARENA_NEW(arena, struct level, level_count),
		.level_count = 1,
		.tried = 1,
	};
	struct walk walk = walk_begin(page);
	enum step step;
	uint32_t index;

	html.levels[0] = (struct level){.node = NO_NODE, .line = TAG_p};
	while ((step = walk_next(&walk, &index)) != STEP_END)
		step_over(&html, step, index);
	outline_end_line(&html.outline);
	buffer_free(&html.text);
	buffer_free(&html.gap);
	arena_destroy(arena);
}
