#include "daemon/query/payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "template/version_json.h"

enum {
	MAX_TAG_BYTES = 512,
	MAX_LIMIT = 100000,
	MAX_PIECE_BYTES = 8, /* a filtered character */
	ASCII_END = 0x7f,
	XML_FORBIDDEN = 0xfffe,  /* and the next one */
	FIRST_OF_PAIR = 0x10000, /* two UTF-16 code units from here on */
};

#define VALUE_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

enum payload_filter {
	FILTER_NONE,
	FILTER_SLACK,
	FILTER_MARKDOWN,
	FILTER_HTML,
	FILTERS
};

static const char *const filter_names[FILTERS] = {"", "slack", "markdown",
						  "html"};

struct payload_tag {
	char mark; /* '?', '/', or 'v' for a value */
	char name[64];
	size_t limit;
	enum payload_filter filter;
	const char *map; /* the pairs "A=X,B=Y"; NULL = none */
	char text[MAX_TAG_BYTES + 1];
};

struct payload_work {
	enum payload_type type;
	const json_t *values;
	struct buffer *out;
	char section[64]; /* name of the open section, or "" */
	bool is_skipped;  /* the open section is left out */
	const struct failure_text *why;
};

enum payload_type payload_type_of(const char *media_type)
{
	if (strstr(media_type, "json") != NULL)
		return PAYLOAD_JSON;
	if (strncasecmp(media_type, "application/x-www-form-urlencoded",
			strlen("application/x-www-form-urlencoded")) == 0)
		return PAYLOAD_FORM;
	return strstr(media_type, "xml") != NULL ||
			       strstr(media_type, "html") != NULL
		       ? PAYLOAD_XML
		       : PAYLOAD_TEXT;
}

/* Append a byte that is escaped as in XML, or unchanged. */
static void payload_append_xml(struct buffer *out, char byte)
{
	switch (byte) {
	case '&':
		buffer_append_text(out, "&amp;");
		break;
	case '<':
		buffer_append_text(out, "&lt;");
		break;
	case '>':
		buffer_append_text(out, "&gt;");
		break;
	case '"':
		buffer_append_text(out, "&quot;");
		break;
	case '\'':
		buffer_append_text(out, "&#39;");
		break;
	default:
		buffer_append_byte(out, byte);
		break;
	}
}

static void payload_append_json(struct buffer *out, char byte)
{
	if (byte == '\n')
		buffer_append_text(out, "\\n");
	else if ((unsigned char)byte < ' ' || byte == ASCII_END)
		buffer_printf(out, "\\u%04x", (unsigned)byte);
	else if (byte == '"' || byte == '\\')
		buffer_printf(out, "\\%c", byte);
	else
		buffer_append_byte(out, byte);
}

/* Append a byte of a value, escaped for the type. */
static void payload_append_byte(struct payload_work *work, char byte)
{
	bool is_control = (unsigned char)byte < ' ' || byte == ASCII_END;

	switch (work->type) {
	case PAYLOAD_JSON:
		payload_append_json(work->out, byte);
		break;
	case PAYLOAD_FORM:
		if (is_alphanumeric(byte) ||
		    (byte != '\0' && strchr("-._~:", byte) != NULL))
			buffer_append_byte(work->out, byte);
		else
			buffer_printf(work->out, "%%%02X", (unsigned char)byte);
		break;
	case PAYLOAD_XML:
		payload_append_xml(
			work->out,
			(char)(is_control && byte != '\n' ? ' ' : byte));
		break;
	default:
		buffer_append_byte(
			work->out,
			(char)(is_control && (byte != '\n' ||
					      work->type == PAYLOAD_LINE)
				       ? ' '
				       : byte));
		break;
	}
}

/* Write a character as the filter has it. Return the number of bytes. */
static size_t payload_filter_apply(enum payload_filter filter, uint32_t code,
				   char piece[MAX_PIECE_BYTES])
{
	struct buffer xml = {0};
	size_t size = 0;

	if (filter == FILTER_MARKDOWN && code > 0 && code < ASCII_END &&
	    strchr("\\`*_~|>#[]()<", (int)code) != NULL)
		piece[size++] = '\\';
	if ((filter == FILTER_HTML && code < ASCII_END) ||
	    (filter == FILTER_SLACK &&
	     (code == '&' || code == '<' || code == '>'))) {
		payload_append_xml(&xml, (char)code);
		size = xml.size;
		memcpy(piece, xml.data, size);
		buffer_free(&xml);
		return size;
	}
	return size + utf8_encode(code, piece + size);
}

/*
 * Append the text of a value. If it has more than tag->limit UTF-16 code units,
 * it ends with an ellipsis.
 */
static void payload_append_text(struct payload_work *work,
				const struct payload_tag *tag, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = at + strlen(text);
	struct buffer whole = {0};
	size_t used = 0;
	size_t fits = 0; /* bytes that leave room for the ellipsis */

	while (at < end && used <= tag->limit) {
		char piece[MAX_PIECE_BYTES];
		uint32_t code = utf8_next(&at, end);
		size_t size;

		if (work->type == PAYLOAD_XML &&
		    (code == XML_FORBIDDEN || code == XML_FORBIDDEN + 1))
			code = UTF8_REPLACEMENT;
		size = payload_filter_apply(tag->filter, code, piece);
		used += code < ASCII_END ? size : code < FIRST_OF_PAIR ? 1 : 2;
		buffer_append(&whole, piece, size);
		if (used < tag->limit)
			fits = whole.size;
	}
	if (used > tag->limit) {
		buffer_truncate(&whole, fits);
		buffer_append_text(&whole, tag->limit > 0 ? "\u2026" : "");
	}
	for (size_t i = 0; i < whole.size; i++)
		payload_append_byte(work, whole.data[i]);
	buffer_free(&whole);
}

/* Append the links as lines "NAME: URL". */
static void payload_append_links(const json_t *links, struct buffer *out)
{
	const json_t *link;
	size_t i;

	json_array_foreach(links, i, link)
	{
		const char *name = json_member_text(link, "name");
		const char *url = json_member_text(link, "url");

		if (name != NULL && url != NULL)
			buffer_printf(out, "%s%s: %s", i == 0 ? "" : "\n", name,
				      url);
	}
}

/* Append the value as a text, which is not escaped. */
static void payload_value_text(const json_t *value, struct buffer *out)
{
	if (json_is_string(value))
		buffer_append_text(out, json_string_value(value));
	else if (json_is_array(value))
		payload_append_links(value, out);
	else if (value != NULL && !json_is_null(value))
		json_append(out, json_incref((json_t *)value), VALUE_FLAGS);
	buffer_append_byte(out, '\0');
}

/* Return the output of the first pair whose key is `text`; NULL = none. */
static bool payload_map_find(const char *map, const char *text,
			     char out[MAX_TAG_BYTES + 1])
{
	size_t length = strlen(text);

	while (*map != '\0') {
		size_t size = strcspn(map, ",");
		const char *equals = memchr(map, '=', size);
		size_t key = equals == NULL ? size : (size_t)(equals - map);

		if (equals != NULL &&
		    ((key == length && memcmp(map, text, key) == 0) ||
		     (key == 1 && *map == '*'))) {
			memcpy(out, equals + 1, size - key - 1);
			out[size - key - 1] = '\0';
			return true;
		}
		map += size + (map[size] == ',');
	}
	return false;
}

static bool payload_fail(const struct payload_work *work, const char *what,
			 const char *text)
{
	snprintf(work->why->text, work->why->size, "{%.60s}: %s", text, what);
	return false;
}

static bool payload_write_value(struct payload_work *work,
				const struct payload_tag *tag)
{
	const json_t *value = json_object_get(work->values, tag->name);
	char output[MAX_TAG_BYTES + 1];
	struct buffer text = {0};

	if (tag->map == NULL && work->type == PAYLOAD_JSON && value != NULL &&
	    !json_is_string(value)) {
		json_append(work->out, json_incref((json_t *)value),
			    VALUE_FLAGS);
		return true;
	}
	payload_value_text(value, &text);
	payload_append_text(
		work, tag,
		tag->map != NULL &&
				payload_map_find(tag->map, text.data, output)
			? output
			: text.data);
	buffer_free(&text);
	return true;
}

static bool payload_is_empty(const json_t *value)
{
	return value == NULL || json_is_null(value) ||
	       (json_is_string(value) && json_string_length(value) == 0) ||
	       (json_is_array(value) && json_array_size(value) == 0);
}

static bool payload_apply_tag(struct payload_work *work,
			      const struct payload_tag *tag)
{
	const json_t *value = json_object_get(work->values, tag->name);

	if (value == NULL)
		return payload_fail(work, "there is no such value", tag->text);
	if (tag->mark == 'v')
		return work->is_skipped || payload_write_value(work, tag);
	if ((tag->mark == '?') != (*work->section == '\0') ||
	    (tag->mark == '/' && strcmp(work->section, tag->name) != 0))
		return payload_fail(work,
				    "the parts do not begin and end in pairs",
				    tag->text);
	snprintf(work->section, sizeof(work->section), "%s",
		 tag->mark == '?' ? tag->name : "");
	work->is_skipped = tag->mark == '?' && payload_is_empty(value);
	return true;
}

/* Parse the part after the name: a limit, a filter or a map. */
static bool payload_read_rest(struct payload_tag *tag, char *rest)
{
	char *end;

	if (*rest == '.') {
		tag->limit = strtoul(rest + 1, &end, 10);
		if (!is_digit(rest[1]) || tag->limit > MAX_LIMIT)
			return false;
		rest = end;
	}
	if (*rest == ':') {
		tag->map = rest + 1;
		return tag->mark == 'v' && strchr(tag->map, '=') != NULL;
	}
	if (*rest == '|') {
		for (int i = FILTER_SLACK; i < FILTERS; i++)
			if (strcmp(rest + 1, filter_names[i]) == 0)
				tag->filter = (enum payload_filter)i;
		return tag->mark == 'v' && tag->filter != FILTER_NONE;
	}
	return *rest == '\0';
}

/*
 * Parse the tag at the beginning of *rest, which follows the "{", and remove
 * it. Return false if it is malformed.
 */
static bool payload_read_tag(struct slice *rest, struct payload_tag *tag)
{
	const char *begin = rest->data;
	const char *end = memchr(begin, '}', rest->size);
	size_t size = end == NULL ? rest->size : (size_t)(end - begin);
	size_t length;
	char *name = tag->text;

	*tag = (struct payload_tag){.mark = 'v', .limit = MAX_LIMIT};
	if (size > MAX_TAG_BYTES)
		size = MAX_TAG_BYTES;
	memcpy(tag->text, begin, size);
	if (end == NULL || size < (size_t)(end - begin))
		return false;
	slice_advance(rest, size + 1);
	if (*name == '?' || *name == '/')
		tag->mark = *name++;
	length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
	if (length == 0 || length >= sizeof(tag->name))
		return false;
	memcpy(tag->name, name, length);
	return payload_read_rest(tag, name + length);
}

bool payload_write(struct slice text, enum payload_type type,
		   const json_t *values, struct buffer *out,
		   const struct failure_text *why)
{
	struct payload_work work = {
		.type = type, .values = values, .out = out, .why = why};
	size_t before = out->size;
	struct payload_tag tag;

	while (text.size > 0) {
		char byte = slice_byte(text, 0);
		char next = (char)(text.size > 1 ? slice_byte(text, 1) : '\0');

		slice_advance(&text, 1);
		if (byte != '{' || !((next >= 'a' && next <= 'z') ||
				     next == '?' || next == '/')) {
			if (!work.is_skipped)
				buffer_append_byte(out, byte);
		} else if (!payload_read_tag(&text, &tag)) {
			return payload_fail(&work, "not a tag", tag.text);
		} else if (!payload_apply_tag(&work, &tag)) {
			return false;
		}
		if (out->size - before > MAX_PAYLOAD_BYTES) {
			snprintf(why->text, why->size,
				 "the text is over %d bytes",
				 MAX_PAYLOAD_BYTES);
			return false;
		}
	}
	if (*work.section != '\0')
		return payload_fail(&work, "this part has no end",
				    work.section);
	return true;
}
