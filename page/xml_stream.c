#include "page/xml_stream.h"

#include <limits.h>
#include <stdlib.h>

#include <libxml/parser.h>

#include "page/attribute.h"
#include "page/xml_decode.h"
#include "page/xml_mend.h"
#include "store/buffer.h"
#include "store/memory.h"

enum {
	PIECE_BYTES = 4096,
	/* Of all names and namespaces; a sitemap has some 20. */
	MAX_NAME_BYTES = 64 * 1024,
	ATTRIBUTE_WORDS = 5, /* name, prefix, URI, begin and end of the value */
};

struct xml_stream {
	struct xml_handler handler;
	struct xml_decode decode;
	struct xml_mend mend;
	struct buffer decoded;
	struct buffer mended;
	xmlParserCtxt *parser;
	struct buffer text;           /* text of all open elements */
	size_t begins[XML_MAX_DEPTH]; /* where the text of each open element
					 begins in `text` */
	size_t depth;
	bool is_broken;
};

static struct slice of_xml(const xmlChar *text)
{
	return slice_of((const char *)text);
}

/* NOLINTNEXTLINE(readability-function-size): the type is libxml2's */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int space_count,
		     const xmlChar **spaces, int count, int default_count,
		     const xmlChar **attributes)
{
	struct xml_stream *stream = user;
	const struct xml_handler *handler = &stream->handler;

	(void)space_count;
	(void)spaces;
	(void)default_count;
	if (stream->depth == XML_MAX_DEPTH) {
		xmlStopParser(stream->parser);
		return;
	}
	stream->begins[stream->depth++] = stream->text.size;
	handler->start(handler->context, of_xml(name),
		       of_xml(uri == NULL ? prefix : uri));
	for (; count > 0; count--, attributes += ATTRIBUTE_WORDS) {
		struct slice value = {attributes[3],
				      (size_t)(attributes[4] - attributes[3])};

		handler->attribute(handler->context, of_xml(attributes[0]),
				   value);
	}
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct xml_stream *stream = user;
	const struct xml_handler *handler = &stream->handler;
	struct slice text = buffer_slice(&stream->text);
	size_t begin;

	(void)prefix;
	(void)uri;
	if (stream->depth == 0)
		return;
	begin = stream->begins[--stream->depth];
	if (text.size > begin)
		text = text_trim((struct slice){(const char *)text.data + begin,
						text.size - begin});
	else
		text = slice_of("");
	handler->end(handler->context, of_xml(name), text);
	stream->text.size = begin;
}

/* White space before the text of an element is not kept: between elements
 * there is little else. */
static void on_text(void *user, const xmlChar *data, int length)
{
	struct xml_stream *stream = user;
	const char *text = (const char *)data;
	size_t size = (size_t)length;
	size_t done;

	if (stream->depth == 0)
		return;
	done = stream->text.size - stream->begins[stream->depth - 1];
	while (done == 0 && size > 0 && is_space(*text)) {
		text++;
		size--;
	}
	if (size > XML_MAX_TEXT - done) {
		size = XML_MAX_TEXT - done;
		while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
			size--;
	}
	buffer_append(&stream->text, text, size);
}

static void on_error(void *user, xmlErrorPtr error)
{
	(void)user;
	(void)error;
}

/*
 * NOENT, because libxml2 otherwise gives "&amp;" in a value as "&#38;"; there
 * are no other entities than the five.
 */
static xmlParserCtxt *create_parser(struct xml_stream *stream)
{
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.serror = on_error,
	};
	xmlParserCtxt *parser =
		xmlCreatePushParserCtxt(&sax, stream, NULL, 0, NULL);

	if (parser == NULL)
		mem_exhausted("libxml2");
	xmlCtxtUseOptions(parser, XML_PARSE_RECOVER | XML_PARSE_NOENT |
					  XML_PARSE_NONET | XML_PARSE_NOERROR |
					  XML_PARSE_NOWARNING |
					  XML_PARSE_IGNORE_ENC);
	xmlDictSetLimit(parser->dict, MAX_NAME_BYTES);
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
	xml_decode_free(&stream->decode);
	xml_mend_free(&stream->mend);
	xmlFreeParserCtxt(stream->parser);
	buffer_free(&stream->decoded);
	buffer_free(&stream->mended);
	buffer_free(&stream->text);
	free(stream);
}

/* Mend and parse what was decoded. */
static void parse(struct xml_stream *stream)
{
	struct xml_mend *mend = &stream->mend;

	xml_mend_feed(mend, buffer_slice(&stream->decoded), &stream->mended);
	/* a piece gives at most 6 times its bytes, and a tag */
	if (stream->mended.size > 0)
		xmlParseChunk(stream->parser, stream->mended.data,
			      (int)stream->mended.size, 0);
	buffer_clear(&stream->decoded);
	buffer_clear(&stream->mended);
	stream->is_broken =
		mend->state == XML_BROKEN || stream->parser->disableSAX != 0;
}

enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes)
{
	while (bytes.size > 0 && !stream->is_broken &&
	       stream->mend.state != XML_AFTER) {
		struct slice piece = bytes;

		if (piece.size > PIECE_BYTES)
			piece.size = PIECE_BYTES;
		xml_decode_feed(&stream->decode, piece, &stream->decoded);
		parse(stream);
		bytes.data = (const char *)bytes.data + piece.size;
		bytes.size -= piece.size;
	}
	return stream->is_broken ? ERR_MALFORMED : ERR_NONE;
}

enum error xml_stream_finish(struct xml_stream *stream)
{
	if (!stream->is_broken && stream->mend.state != XML_AFTER) {
		xml_decode_finish(&stream->decode, &stream->decoded);
		parse(stream);
	}
	return stream->mend.state == XML_AFTER && !stream->is_broken
		       ? ERR_NONE
		       : ERR_MALFORMED;
}
