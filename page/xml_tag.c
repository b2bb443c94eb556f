#include "page/xml_tag.h"

#include <string.h>

#include <libxml/tree.h>

#include "page/attribute.h"
#include "page/escape.h"
#include "store/ascii.h"

enum {
	MAX_REFERENCE = 10,                  /* &#x10FFFF; */
	MAX_SPACES = 2 * XML_MAX_ATTRIBUTES, /* in force at one place */
};

void xml_tags_free(struct xml_tags *tags)
{
	buffer_free(&tags->names);
	buffer_free(&tags->name);
}

bool xml_begins_name(char byte)
{
	return is_letter(byte) || byte == '_' || byte == ':' ||
	       (unsigned char)byte >= 0x80;
}

static bool is_of_name(char byte)
{
	return xml_begins_name(byte) || is_digit(byte) || byte == '-' ||
	       byte == '.';
}

/* The longest name that begins at `at`. */
static struct slice name_at(const char *at, const char *end)
{
	const char *begin = at;

	while (at < end && is_of_name(*at))
		at++;
	return (struct slice){begin, (size_t)(at - begin)};
}

/* Whether libxml2 accepts the name; it stops at a start tag with any other. */
static bool is_name(struct xml_tags *tags, struct slice text)
{
	buffer_clear(&tags->name);
	buffer_append_slice(&tags->name, text);
	return text.size > 0 &&
	       xmlValidateQName((const xmlChar *)tags->name.data, 0) == 0;
}

/* XML 1.0, section 2.2: no character, not even by a reference. */
static bool is_control(char byte)
{
	return (unsigned char)byte < ' ' && byte != '\n' && byte != '\t' &&
	       byte != '\r';
}

void xml_put(struct buffer *out, char byte)
{
	const char *escape = escape_of(byte);

	if (escape != NULL)
		buffer_append_text(out, escape);
	else
		buffer_append_byte(out, (char)(is_control(byte) ? ' ' : byte));
}

/* Whether there are only digits up to the ';'; `at` is behind "&#". */
static bool is_number(const char *at, const char *end)
{
	bool is_hex = at < end && *at == 'x';
	const char *begin;

	at += is_hex;
	begin = at;
	while (at < end && (is_digit(*at) ||
			    (is_hex && lower(*at) >= 'a' && lower(*at) <= 'f')))
		at++;
	return at > begin && at == end;
}

size_t xml_reference(struct slice text)
{
	static const char *const names[] = {"&amp", "&lt", "&gt", "&quot",
					    "&apos"};
	const char *begin = text.data;
	size_t most = text.size < MAX_REFERENCE ? text.size : MAX_REFERENCE;
	const char *end = most == 0 ? NULL : memchr(begin, ';', most);
	size_t size = end == NULL ? 0 : (size_t)(end - begin);

	if (size < 3 || *begin != '&')
		return 0;
	if (begin[1] == '#')
		return is_number(begin + 2, end) ? size + 1 : 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == size &&
		    memcmp(names[i], begin, size) == 0)
			return size + 1;
	return 0;
}

static void put_value(struct buffer *out, struct slice value)
{
	const char *at = value.data;

	for (size_t i = 0; i < value.size; i++) {
		struct slice rest = {at + i, value.size - i};
		size_t size = at[i] == '&' ? xml_reference(rest) : 0;

		if (size == 0) {
			xml_put(out, at[i]);
			continue;
		}
		buffer_append(out, at + i, size);
		i += size - 1;
	}
}

static bool is_space_declaration(struct slice name)
{
	return name.size >= 5 && memcmp(name.data, "xmlns", 5) == 0;
}

/* Write the attributes of a tag; returns how many namespaces were declared. */
static size_t put_attributes(struct xml_tags *tags,
			     struct attribute_cursor *cursor,
			     struct buffer *out)
{
	size_t count = 0;
	size_t spaces = 0;

	while (attribute_next(cursor)) {
		bool is_declaration = is_space_declaration(cursor->name);

		if (count == XML_MAX_ATTRIBUTES ||
		    !is_name(tags, cursor->name) ||
		    (is_declaration &&
		     tags->space_count + spaces == MAX_SPACES))
			continue;
		count++;
		spaces += is_declaration;
		buffer_append_byte(out, ' ');
		buffer_append_slice(out, cursor->name);
		buffer_append_text(out, "=\"");
		put_value(out, cursor->value);
		buffer_append_byte(out, '"');
	}
	return spaces;
}

static void put_as_text(const struct xml_tags *tags, struct slice source,
			struct buffer *out)
{
	const char *bytes = source.data;

	for (size_t i = 0; tags->depth > 0 && i < source.size; i++)
		xml_put(out, bytes[i]);
}

static void put_start(struct xml_tags *tags, struct slice source,
		      struct buffer *out)
{
	const char *begin = source.data;
	const char *end = begin + source.size;
	struct slice name = name_at(begin + 1, end);
	struct attribute_cursor cursor = {.at = begin + 1 + name.size,
					  .end = end};
	size_t spaces;

	if (!is_name(tags, name)) {
		put_as_text(tags, source, out);
		return;
	}
	if (tags->depth == XML_MAX_DEPTH)
		return;
	buffer_append_byte(out, '<');
	buffer_append_slice(out, name);
	spaces = put_attributes(tags, &cursor, out);
	if (cursor.is_empty) {
		buffer_append_text(out, "/>");
		tags->is_over = tags->depth == 0;
		return;
	}
	buffer_append_byte(out, '>');
	tags->begins[tags->depth] = tags->names.size;
	tags->spaces[tags->depth++] = spaces;
	tags->space_count += spaces;
	buffer_append_slice(&tags->names, name);
}

static struct slice top_name(const struct xml_tags *tags, size_t depth)
{
	size_t begin = tags->begins[depth - 1];
	size_t end =
		depth == tags->depth ? tags->names.size : tags->begins[depth];

	return (struct slice){tags->names.data + begin, end - begin};
}

static void pop(struct xml_tags *tags, struct buffer *out)
{
	buffer_append_text(out, "</");
	buffer_append_slice(out, top_name(tags, tags->depth));
	buffer_append_byte(out, '>');
	tags->depth--;
	tags->names.size = tags->begins[tags->depth];
	tags->space_count -= tags->spaces[tags->depth];
	tags->is_over = tags->depth == 0;
}

static void put_end(struct xml_tags *tags, struct slice source,
		    struct buffer *out)
{
	const char *begin = source.data;
	struct slice name = name_at(begin + 2, begin + source.size);
	size_t depth = tags->depth;

	while (depth > 0 && !slice_equal(top_name(tags, depth), name))
		depth--;
	if (depth == 0)
		return;
	while (tags->depth >= depth)
		pop(tags, out);
}

void xml_tags_put(struct xml_tags *tags, struct slice source,
		  struct buffer *out)
{
	if (((const char *)source.data)[1] == '/')
		put_end(tags, source, out);
	else
		put_start(tags, source, out);
}
