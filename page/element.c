#include "page/element.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "page/attribute.h"

enum {
	MAX_STEP_BYTES = 128,
	MAX_STEPS = 40,
	MAX_READ = 4 * ELEMENT_VALUE_BYTES, /* of one text, before white space
					       is collapsed */
};

size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1])
{
	char collapsed[MAX_READ];
	size_t size = utf8_truncate(text, MAX_READ).size;

	size = text_collapse((struct slice){text.data, size}, collapsed);
	size = utf8_truncate((struct slice){collapsed, size},
			     ELEMENT_VALUE_BYTES)
		       .size;
	assert(size <= ELEMENT_VALUE_BYTES);
	memcpy(out, collapsed, size);
	out[size] = '\0';
	return size;
}

/* Return whether a block-level element begins or ends between two nodes. */
static bool element_is_line_broken(const struct page *page, uint32_t left,
				   uint32_t right)
{
	const struct node *nodes = page->nodes;

	assert(left < page->node_count && right < page->node_count);
	for (uint32_t n = left; n != NO_NODE && nodes[n].end <= right;
	     n = nodes[n].parent)
		if ((tag_flags(nodes[n].tag) & TAG_IS_BLOCK) != 0)
			return true;
	for (uint32_t n = right; n != NO_NODE && n > left; n = nodes[n].parent)
		if ((tag_flags(nodes[n].tag) & TAG_IS_BLOCK) != 0)
			return true;
	return false;
}

/*
 * Return whether the source between two texts contains white space or a <br>.
 */
static bool is_spaced(const char *at, const char *end)
{
	bool is_tag = false;

	if (end - at > MAX_READ)
		return true;
	for (; at < end; at++) {
		if (*at == '<')
			is_tag = true;
		else if (*at == '>')
			is_tag = false;
		else if (!is_tag && is_space(*at))
			return true;
		if (*at == '<' && end - at > 3 && lower(at[1]) == 'b' &&
		    lower(at[2]) == 'r')
			return true;
	}
	return false;
}

static bool element_text_is_separate(const struct page *page, uint32_t index)
{
	const struct text *before = &page->texts[index - 1];
	const struct text *text = &page->texts[index];
	const char *source = page->source.data;

	assert(index > 0 && index < page->text_count);
	return before->node == NO_NODE || text->node == NO_NODE ||
	       element_is_line_broken(page, before->node, text->node) ||
	       is_spaced(source + before->source.end,
			 source + text->source.begin);
}

static bool ends_blank(struct slice text)
{
	return text.size > 0 &&
	       is_space(((const char *)text.data)[text.size - 1]);
}

static size_t element_read_text(const struct page *page,
				const struct node *element,
				char out[ELEMENT_VALUE_BYTES + 1])
{
	char joined[2 * MAX_READ];
	size_t size = 0;

	for (uint32_t i = element->first_text;
	     i < element->end_text && size < ELEMENT_VALUE_BYTES; i++) {
		struct slice text = page_text(page, i);
		char piece[ELEMENT_VALUE_BYTES + 1];
		size_t length = element_cut(text, piece);

		if (length == 0)
			continue;
		if (size > 0 && (is_space(*(const char *)text.data) ||
				 ends_blank(page_text(page, i - 1)) ||
				 element_text_is_separate(page, i)))
			joined[size++] = ' ';
		assert(size + length <= sizeof(joined));
		memcpy(joined + size, piece, length);
		size += length;
	}
	return element_cut((struct slice){joined, size}, out);
}

size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1])
{
	static const char *const names[] = {"content",  "alt", "title", "value",
					    "datetime", "src", "href"};
	size_t size = element_read_text(page, &page->nodes[node], out);

	assert(node < page->node_count);
	for (size_t i = 0; size == 0 && i < sizeof(names) / sizeof(*names);
	     i++) {
		struct slice value = page_attribute(page, node, names[i]);

		if (value.size > 0)
			size = element_cut(value, out);
	}
	return size;
}

void element_escape(struct slice name, struct buffer *out)
{
	const unsigned char *bytes = name.data;

	for (size_t i = 0; i < name.size; i++) {
		bool is_first = i == 0 || (i == 1 && bytes[0] == '-');

		if ((isdigit(bytes[i]) && is_first) || bytes[i] < ' ' ||
		    bytes[i] == 0x7f)
			buffer_printf(out, "\\%x ", bytes[i]);
		else if (bytes[i] >= 0x80 || isalnum(bytes[i]) ||
			 bytes[i] == '_' || (bytes[i] == '-' && name.size > 1))
			buffer_append_byte(out, (char)bytes[i]);
		else
			buffer_printf(out, "\\%c", bytes[i]);
	}
}

static void element_append_classes(struct slice classes, size_t begin,
				   struct buffer *out)
{
	const char *at = classes.data;
	const char *end = at + classes.size;

	while (at < end && out->size - begin < MAX_STEP_BYTES) {
		const char *word = at;

		while (at < end && !is_space(*at))
			at++;
		if (at > word && (size_t)(at - word) < MAX_STEP_BYTES) {
			buffer_append_byte(out, '.');
			element_escape(
				(struct slice){word, (size_t)(at - word)}, out);
		}
		while (at < end && is_space(*at))
			at++;
	}
}

static void element_append_step(const struct page *page, uint32_t node,
				struct buffer *out)
{
	size_t begin = out->size;
	struct slice id = page_attribute(page, node, "id");
	struct slice classes = page_attribute(page, node, "class");

	assert(node < page->node_count);
	element_escape(page_tag_name(page, page->nodes[node].tag), out);
	if (id.size > 0 && id.size < MAX_STEP_BYTES) {
		buffer_append_byte(out, '#');
		element_escape(id, out);
	}
	if (classes.size > 0)
		element_append_classes(classes, begin, out);
}

void element_path(const struct page *page, uint32_t node, struct buffer *out)
{
	uint32_t steps[MAX_STEPS];
	size_t count = 0;

	for (uint32_t n = node; n != NO_NODE && count < MAX_STEPS;
	     n = page->nodes[n].parent)
		steps[count++] = n;
	assert(count <= MAX_STEPS);
	while (count > 0) {
		element_append_step(page, steps[--count], out);
		if (count > 0)
			buffer_append_byte(out, '>');
	}
}
