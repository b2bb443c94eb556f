#include "extract/render/html_writer.h"

#include "base/buffer.h"
#include "extract/render/code_language.h"
#include "extract/render/inline_chain.h"
#include "extract/render/whole_attribute.h"
#include "page/escape.h"
#include "page/page.h"

/* The maximum span of a cell, as HTML defines it for columns. */
enum { MAX_SPAN = 1000 };

static void write_attribute(struct html_writer *html, const char *name,
			    struct slice value)
{
	buffer_printf(html->out, " %s=\"", name);
	escape_append(html->out, value);
	buffer_append_byte(html->out, '"');
}

/* Write an attribute with a number from 2 to `most`; 1 is HTML's default. */
static void html_write_whole(struct html_writer *html, uint32_t node,
			     const char *name, uint32_t most)
{
	uint32_t value = whole_attribute(html->page, node, name, 1);

	if (value > 1 && value <= most)
		buffer_printf(html->out, " %s=\"%u\"", name, value);
}

static void write_attributes(struct html_writer *html,
			     const struct layout_element *element)
{
	struct slice language;

	switch (element->tag) {
	case TAG_a:
		write_attribute(html, "href", element->href);
		break;
	case TAG_td:
	case TAG_th:
		html_write_whole(html, element->node, "colspan", MAX_SPAN);
		html_write_whole(html, element->node, "rowspan", MAX_SPAN);
		break;
	case TAG_ol:
		html_write_whole(html, element->node, "start",
				 MAX_WHOLE_ATTRIBUTE);
		break;
	case TAG_pre:
		language = code_language(html->page, element->node);
		if (language.size == 0)
			break;
		buffer_append_text(html->out, " class=\"language-");
		escape_append(html->out, language);
		buffer_append_byte(html->out, '"');
		break;
	default:
		break;
	}
}

void html_open(void *context, const struct layout_element *element)
{
	struct html_writer *html = context;

	if (element->is_bare) {
		html->is_bare = true;
		return;
	}
	if (element->tag == TAG_pre)
		html->is_verbatim = true;
	buffer_append_byte(html->out, '<');
	buffer_append_slice(html->out, tag_name(element->tag));
	write_attributes(html, element);
	buffer_append_byte(html->out, '>');
}

void html_close(void *context, uint16_t tag)
{
	struct html_writer *html = context;

	if (html->is_bare && tag == TAG_p) {
		html->is_bare = false;
		return;
	}
	if (tag == TAG_pre)
		html->is_verbatim = false;
	buffer_append_text(html->out, "</");
	buffer_append_slice(html->out, tag_name(tag));
	buffer_append_byte(html->out, '>');
	if (inline_kind(tag) == INLINE_NONE)
		buffer_append_byte(html->out, '\n');
}

void html_gap(void *context, enum separator separator, struct slice blank)
{
	struct html_writer *html = context;

	escape_append(html->out, blank);
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(html->out, ' ');
	else if (separator != SEPARATOR_NONE)
		buffer_append_text(html->out,
				   html->is_verbatim ? "\n" : "<br>");
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_text(html->out,
				   html->is_verbatim ? "\n" : "<br>");
}

void html_text(void *context, uint32_t index, struct slice text)
{
	struct html_writer *html = context;

	(void)index;
	escape_append(html->out, text);
}

void html_image(void *context, const struct layout_image *image)
{
	struct html_writer *html = context;

	buffer_append_text(html->out, "<img");
	write_attribute(html, "src", image->source);
	write_attribute(html, "alt", image->label);
	buffer_append_byte(html->out, '>');
}
