#include "page/xml.h"

#include <assert.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "page/charset.h"
#include "page/scanner.h"

static void *xml_malloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

static void *xml_realloc(void *memory, size_t size)
{
	return mem_resize(memory, size, 1);
}

static char *xml_strdup(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

void xml_memory_set_abort(void)
{
	xmlMemSetup(free, xml_malloc, xml_realloc, xml_strdup);
}

/*
 * Repairs the most frequent errors in XML before libxml2 parses it. Even in its
 * recovery mode, libxml2 drops parts that it cannot read, or stops at them.
 *
 * This was measured on 80 real sitemaps and feeds with 367 URLs, into which
 * errors were inserted. Number of URLs that libxml2 2.9.14 reads correctly
 * without and with the repair:
 *
 *   "?a=1&b=2" instead of "&amp;" in each URL         7  367
 *   "&nbsp;", "<3" in each title                     17  367
 *   five control characters in each file            222  356
 */

#define CDATA "<![CDATA["

enum { MAX_REFERENCE = 10 /* length of &#x10FFFF; */ };

static bool xml_text_begins_with(struct slice text, const char *begin)
{
	return text.size >= strlen(begin) &&
	       memcmp(text.data, begin, strlen(begin)) == 0;
}

/*
 * Return how many bytes of `text` can be repaired now, so that no tag,
 * reference or end of a CDATA section is split: all bytes before the last '<',
 * or nearly all if only the first byte is a '<'. Tags must not be split,
 * because libxml2 takes any '>' for the end of an incomplete tag. The result is
 * at least one byte if `text` has more than 16.
 */
static size_t xml_repair_size(struct slice text)
{
	const char *at = text.data;
	size_t i;

	for (i = text.size; i > 1; i--)
		if (at[i - 1] == '<')
			return i - 1;
	i = text.size > MAX_REFERENCE ? text.size - MAX_REFERENCE : 0;
	while (i < text.size && at[i] != '&' && at[i] != ']')
		i++;
	return i;
}

/* A text that replaces the next bytes. */
struct xml_replacement {
	size_t size; /* number of bytes that are replaced; 0: no change */
	const char *to;
};

/*
 * Replace a reference whose number is no character, because libxml2 would drop
 * it.
 */
static struct xml_replacement xml_repair_reference(struct slice text)
{
	static const struct {
		const char *name;
		const char *number;
	} rows[] = {
		{"&amp;", "&#38;"},  {"&lt;", "&#60;"},   {"&gt;", "&#62;"},
		{"&quot;", "&#34;"}, {"&apos;", "&#39;"},
	};
	size_t size = text.size < MAX_REFERENCE ? text.size : MAX_REFERENCE;

	if (xml_text_begins_with(text, "&#") &&
	    memchr(text.data, ';', size) != NULL)
		return (struct xml_replacement){0, NULL};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (xml_text_begins_with(text, rows[i].name))
			return (struct xml_replacement){strlen(rows[i].name),
							rows[i].number};
	return (struct xml_replacement){1, "&#38;"};
}

/*
 * Return whether the '<' at the beginning of `text` begins a tag, comment,
 * instruction or CDATA section.
 */
static bool begins_markup(struct slice text)
{
	const char *at = text.data;
	char byte;

	if (text.size == 1)
		return true;
	byte = at[1];
	if (byte == '!')
		return xml_text_begins_with(text, "<!--") ||
		       xml_text_begins_with(text, CDATA);
	return is_letter(byte) || (unsigned char)byte >= 0x80 ||
	       (byte != '\0' && strchr("_:/?", byte) != NULL);
}

/*
 * Return true for most bytes that need no repair. This makes the repair fast,
 * because nearly all bytes are such.
 */
static bool xml_byte_is_plain(char byte)
{
	return ((unsigned char)byte >= ' ' && byte != '<' && byte != '&' &&
		byte != ']') ||
	       byte == '\n';
}

static struct xml_replacement xml_repair_next(struct slice text, bool *is_cdata)
{
	const struct xml_replacement none = {0, NULL};
	const char *at = text.data;

	if ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t' &&
	    *at != '\r')
		return (struct xml_replacement){1, " "};
	if (*at == ']' && xml_text_begins_with(text, "]]>")) {
		bool was_cdata = *is_cdata;

		*is_cdata = false;
		return was_cdata ? none : (struct xml_replacement){1, "&#93;"};
	}
	if (*is_cdata)
		return none;
	if (*at == '&')
		return xml_repair_reference(text);
	if (*at != '<')
		return none;
	*is_cdata = xml_text_begins_with(text, CDATA);
	return begins_markup(text) ? none
				   : (struct xml_replacement){1, "&#60;"};
}

/*
 * Append the repaired `text` to `out`; it has at most 5 times its size.
 * References replace an '&' that begins no character reference and none of
 * XML's five entities, a '<' that begins no tag, comment, CDATA section or
 * instruction, and a "]]>" outside of a CDATA section. So a DOCTYPE is text,
 * and no entity is ever declared. A control character becomes a space. XML's
 * five entities are written as numbers, because libxml2 drops their names after
 * the first error. CDATA sections do not change; *is_cdata is whether one is
 * open, and false at first. Linear.
 */
static void xml_repair(struct slice text, bool *is_cdata, struct buffer *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	const char *done = at;

	for (;;) {
		struct xml_replacement change;

		while (at < end && xml_byte_is_plain(*at))
			at++;
		if (at == end)
			break;
		change = xml_repair_next((struct slice){at, (size_t)(end - at)},
					 is_cdata);
		if (change.size == 0) {
			at++;
			continue;
		}
		buffer_append(out, done, (size_t)(at - done));
		buffer_append_text(out, change.to);
		at += change.size;
		done = at;
	}
	buffer_append(out, done, (size_t)(end - done));
}

enum {
	PIECE_BYTES = LIMIT(
		16 * 1024, 256), /* number of bytes that are decoded together */
	SPARE = 1024,            /* additional open elements in libxml2 */
	ATTRIBUTE_WORDS = 5, /* pointers of libxml2 for each attribute: name,
				prefix, URI, begin and end of the value */
	/* pointers of libxml2 for each namespace: prefix, URI */
	SPACE_WORDS = 2,
};

#define SPARE_NAME "_" /* handlers do not see these elements */

struct xml_open_element {
	const xmlChar *name; /* libxml2 owns it */
	size_t begin;        /* offset in `text` of the text of the element */
};

struct xml_stream {
	struct xml_handler handler;
	xmlParserCtxt *parser;
	struct converter converter;
	/* input that was not decoded yet, up to PIECE_BYTES */
	struct buffer held;
	struct buffer decoded; /* decoded input that was not repaired yet */
	struct buffer mended;
	struct buffer text; /* text of all open elements, one after another */
	struct xml_open_element open[XML_MAX_DEPTH];
	size_t depth;
	bool has_begun;   /* the first '<' was found; the bytes before it are
			     skipped */
	bool is_cdata;    /* state of xml_repair() */
	bool is_mismatch; /* the end tag does not belong to libxml2's innermost
			     element */
	bool is_over;     /* the root element is closed */
	bool is_broken;
};

static struct slice of_xml(const xmlChar *text)
{
	return slice_of((const char *)text);
}

/* NOLINTNEXTLINE(readability-function-size): the type is libxml2's */
static void xml_on_start(void *user, const xmlChar *name, const xmlChar *prefix,
			 const xmlChar *uri, int space_count,
			 const xmlChar **spaces, int count, int default_count,
			 const xmlChar **attributes)
{
	struct xml_stream *stream = user;
	const struct xml_handler *handler = &stream->handler;

	(void)space_count;
	(void)spaces;
	(void)default_count;
	if (stream->parser->nameNr > XML_MAX_OPEN ||
	    stream->parser->nsNr > SPACE_WORDS * XML_MAX_SPACES)
		xmlStopParser(stream->parser);
	if (stream->depth == XML_MAX_DEPTH || stream->parser->disableSAX != 0 ||
	    xmlStrEqual(name, (const xmlChar *)SPARE_NAME))
		return;
	stream->open[stream->depth++] =
		(struct xml_open_element){name, stream->text.size};
	handler->start(handler->context, of_xml(name),
		       of_xml(uri == NULL ? prefix : uri));
	for (; count > 0; count--, attributes += ATTRIBUTE_WORDS) {
		struct slice value = {attributes[3],
				      (size_t)(attributes[4] - attributes[3])};

		handler->attribute(handler->context, of_xml(attributes[0]),
				   value);
	}
}

static void end_element(struct xml_stream *stream)
{
	const struct xml_handler *handler = &stream->handler;
	const struct xml_open_element *open = &stream->open[--stream->depth];
	struct slice text = slice_of("");

	if (stream->text.size > open->begin)
		text = text_trim(
			(struct slice){stream->text.data + open->begin,
				       stream->text.size - open->begin});
	handler->end(handler->context, of_xml(open->name), text);
	stream->text.size = open->begin;
}

/* Return the name in an end tag, without prefix. */
static const xmlChar *xml_end_tag_name(struct xml_stream *stream,
				       const xmlChar *name)
{
	const char *other = stream->parser->lastError.str2;
	const char *colon;

	if (!stream->is_mismatch || other == NULL)
		return name;
	colon = strrchr(other, ':');
	return (const xmlChar *)(colon == NULL ? other : colon + 1);
}

/*
 * Handle an end tag. For libxml2 it closes the innermost element, whatever its
 * name is. Here it closes the element with its name, and all elements that are
 * open inside.
 */
static void xml_on_end(void *user, const xmlChar *name, const xmlChar *prefix,
		       const xmlChar *uri)
{
	struct xml_stream *stream = user;
	size_t depth = stream->depth;

	(void)prefix;
	(void)uri;
	name = xml_end_tag_name(stream, name);
	stream->is_mismatch = false;
	while (depth > 0 && !xmlStrEqual(stream->open[depth - 1].name, name))
		depth--;
	if (depth == 0)
		return;
	while (stream->depth >= depth)
		end_element(stream);
	stream->is_over = stream->depth == 0;
	if (stream->is_over)
		xmlStopParser(stream->parser);
}

/*
 * Append to the text of the innermost element. White space at the beginning of
 * a text is skipped, because there is little other text between elements.
 */
static void on_text(void *user, const xmlChar *data, int length)
{
	struct xml_stream *stream = user;
	const char *text = (const char *)data;
	size_t size = (size_t)length;
	size_t done;

	if (stream->depth == 0)
		return;
	done = stream->text.size - stream->open[stream->depth - 1].begin;
	while (done == 0 && size > 0 && is_space(*text)) {
		text++;
		size--;
	}
	size = utf8_truncate((struct slice){text, size}, XML_MAX_TEXT - done)
		       .size;
	buffer_append(&stream->text, text, size);
}

static void xml_on_error(void *user, xmlErrorPtr error)
{
	struct xml_stream *stream = user;

	if (error->code == XML_ERR_TAG_NAME_MISMATCH)
		stream->is_mismatch = true;
}

/*
 * Create a parser. With XML_PARSE_NOENT, because libxml2 otherwise returns
 * "&#38;" for "&amp;" in a value. This is safe, because only XML's five
 * entities exist.
 */
static xmlParserCtxt *create_parser(struct xml_stream *stream)
{
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = xml_on_start,
		.endElementNs = xml_on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.serror = xml_on_error,
	};
	xmlParserCtxt *parser =
		xmlCreatePushParserCtxt(&sax, stream, NULL, 0, NULL);

	if (parser == NULL)
		mem_exhausted("libxml2");
	xmlCtxtUseOptions(parser, XML_PARSE_RECOVER | XML_PARSE_NOENT |
					  XML_PARSE_NONET | XML_PARSE_NOERROR |
					  XML_PARSE_NOWARNING |
					  XML_PARSE_IGNORE_ENC);
	xmlDictSetLimit(parser->dict, XML_MAX_NAMES);
	return parser;
}

struct xml_stream *xml_stream_create(const struct xml_handler *handler)
{
	struct xml_stream *stream = mem_alloc(1, sizeof(*stream));

	stream->handler = *handler;
	stream->parser = create_parser(stream);
	return stream;
}

void xml_stream_destroy(struct xml_stream *stream)
{
	if (stream == NULL)
		return;
	xmlFreeParserCtxt(stream->parser);
	convert_end(&stream->converter);
	buffer_free(&stream->held);
	buffer_free(&stream->decoded);
	buffer_free(&stream->mended);
	buffer_free(&stream->text);
	free(stream);
}

static bool has_stopped(const struct xml_stream *stream)
{
	return stream->is_broken || stream->is_over;
}

/*
 * Open additional elements in libxml2. It closes an element at every end tag,
 * even if there is no start tag for it, and stops when no element is open.
 */
static void open_spare(struct xml_stream *stream)
{
	xmlParserCtxt *parser = stream->parser;
	struct buffer *tags = &stream->mended;

	if (parser->nameNr >= SPARE || (parser->instate != XML_PARSER_START &&
					parser->instate != XML_PARSER_CONTENT))
		return;
	for (int i = 0; i < SPARE; i++)
		buffer_append_text(tags, "<" SPARE_NAME ">");
	xmlParseChunk(parser, tags->data, (int)tags->size, 0);
	buffer_clear(tags);
}

static void xml_parse_text(struct xml_stream *stream, struct slice text)
{
	xmlParserCtxt *parser = stream->parser;
	ptrdiff_t most;

	open_spare(stream);
	xml_repair(text, &stream->is_cdata, &stream->mended);
	xmlParseChunk(parser, stream->mended.data, (int)stream->mended.size, 0);
	buffer_clear(&stream->mended);
	stream->is_broken = !stream->is_over && parser->disableSAX != 0;
	if (has_stopped(stream))
		return;
	most = parser->instate == XML_PARSER_START_TAG ? XML_MAX_TAG
						       : XML_MAX_TOKEN;
	stream->is_broken = parser->input->end - parser->input->cur > most;
}

/*
 * Detect the encoding by a byte order mark, by the '<' of UTF-16, or by the XML
 * declaration.
 */
static const struct encoding *encoding_at(struct slice text)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *label;
	} rows[] = {
		{"\xEF\xBB\xBF", 3, "utf-8"}, {"\xFF\xFE", 2, "utf-16le"},
		{"\xFE\xFF", 2, "utf-16be"},  {"<\0", 2, "utf-16le"},
		{"\0<", 2, "utf-16be"},
	};
	const struct encoding *encoding = charset_declared(text);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (text.size >= rows[i].size &&
		    memcmp(text.data, rows[i].bytes, rows[i].size) == 0)
			return encoding_of(slice_of(rows[i].label));
	return encoding == NULL ? encoding_of(slice_of("utf-8")) : encoding;
}

/* Decode the input in `held`, except for an incomplete character at its end. */
static void xml_decode_raw(struct xml_stream *stream)
{
	struct buffer *held = &stream->held;
	struct slice text = buffer_slice(held);

	if (stream->converter.iconv == NULL)
		stream->converter = convert_begin(encoding_at(text));
	if (stream->converter.iconv == NULL)
		stream->converter =
			convert_begin(encoding_of(slice_of("utf-8")));
	convert(stream->converter, text.size, &text, &stream->decoded);
	held->size = text.size;
	memmove(held->data, text.data, text.size);
}

/*
 * Return the number of bytes at the beginning that are white space or byte
 * order marks.
 */
static size_t blank_size(const struct buffer *text)
{
	size_t i = 0;

	while (i < text->size &&
	       (is_space(text->data[i]) || text->data[i] == '\xEF' ||
		text->data[i] == '\xBB' || text->data[i] == '\xBF'))
		i++;
	return i;
}

static void xml_buffer_drop_front(struct buffer *buffer, size_t size)
{
	assert(size <= buffer->size);
	if (size == 0)
		return;
	buffer->size -= size;
	memmove(buffer->data, buffer->data + size, buffer->size);
}

static void read_held(struct xml_stream *stream, bool is_last)
{
	struct buffer *decoded = &stream->decoded;
	size_t size;

	if (stream->held.size > 0)
		xml_decode_raw(stream);
	if (!stream->has_begun)
		xml_buffer_drop_front(decoded, blank_size(decoded));
	if (decoded->size == 0)
		return;
	stream->is_broken = !stream->has_begun && *decoded->data != '<';
	stream->has_begun = true;
	if (stream->is_broken)
		return;
	size = is_last ? decoded->size : xml_repair_size(buffer_slice(decoded));
	xml_parse_text(stream, (struct slice){decoded->data, size});
	xml_buffer_drop_front(decoded, size);
}

/*
 * The input is collected to pieces of PIECE_BYTES. So the result does not
 * depend on how it is split into calls.
 */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes)
{
	struct buffer *held = &stream->held;

	while (bytes.size > 0 && !has_stopped(stream)) {
		size_t room = PIECE_BYTES - held->size;
		size_t size = bytes.size < room ? bytes.size : room;

		buffer_append(held, bytes.data, size);
		bytes.data = (const char *)bytes.data + size;
		bytes.size -= size;
		if (held->size == PIECE_BYTES)
			read_held(stream, false);
	}
	return stream->is_broken ? ERR_MALFORMED : ERR_NONE;
}

enum error xml_stream_finish(struct xml_stream *stream)
{
	if (!has_stopped(stream))
		read_held(stream, true);
	return stream->is_over ? ERR_NONE : ERR_MALFORMED;
}
