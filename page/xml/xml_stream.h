/*
 * page/xml/xml_stream.h - XML as a stream of elements and text, by libxml2's
 * push parser: no network, no entities but XML's five, no DTD, bounded depth
 * and sizes.
 *
 * Broken XML is read as far as libxml2 recovers, which is nearly all. Three
 * things are done for it:
 * - bytes become UTF-8 before (BOM, declaration, else UTF-8), because libxml2
 *   takes labels literally (gb2312 is GBK on the web) and stops at the first
 *   byte that does not decode; here it becomes U+FFFD. White space and BOMs
 *   before the first '<' are skipped.
 * - what it would drop or stop at is escaped: page/xml/xml_mend.h.
 * - an end tag ends the elements left open inside its own, and does nothing
 *   when there is no start. libxml2 has it end the last one, whatever it is
 *   called, so the open elements are told apart here, and it is given some of
 *   its own to end.
 * A value without quotes ends the tag: what follows is text. What follows the
 * root is not read. References of no character (&#0;) give nothing.
 *
 * The bounds are those that libxml2 2.9.14 does not have. It compares each
 * attribute of a tag with each: 10 KB of them take 1 ms, 100 KB 25 ms, 1 MB
 * 2.4 s, 3 MB 25 s; with XML_MAX_TAG nothing takes over 0.11 s for a megabyte
 * of input. 10 MB of different names take 21 s, 1 MB of namespaces in one
 * another 0.5 s, 10 MB of start tags 128 MB of memory: reading ends before.
 */
#ifndef PAGE_XML_XML_STREAM_H
#define PAGE_XML_XML_STREAM_H

#include <stdbool.h>

#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

struct xml_stream;

enum {
	XML_MAX_DEPTH = 64, /* of elements that are told; what stands in those
			       further down stands in the deepest */
	/* bytes of an element's text; the rest is cut */
	XML_MAX_TEXT = LIMIT(16 * 1024, 256),
	/* Over these the input is malformed: */
	XML_MAX_TAG = LIMIT(32 * 1024, 512), /* bytes of a start tag */
	/* bytes of a comment, an instruction or CDATA */
	XML_MAX_TOKEN = LIMIT(1024 * 1024, 2048),
	/* start tags without an end tag: 1024 are libxml2's spare ones */
	XML_MAX_OPEN = LIMIT(64 * 1024, 1200),
	XML_MAX_SPACES = LIMIT(256, 16), /* namespaces in force at one place */
	XML_MAX_NAMES = LIMIT(64 * 1024, 4000), /* bytes of different names */
};

/* Slices are valid during the call; text is UTF-8. */
struct xml_handler {
	/* `name` is without prefix; `space` is the namespace, or the prefix
	 * when it stands for none, or empty */
	void (*start)(void *context, struct slice name, struct slice space);
	/* `text` is what stood in the element itself, without white space at
	 * its ends, at most XML_MAX_TEXT bytes of it */
	void (*end)(void *context, struct slice name, struct slice text);
	/* an attribute of the element that has just begun; not xmlns */
	void (*attribute)(void *context, struct slice name, struct slice value);
	void *context;
};

/*
 * The handler is copied. Takes some 200 KB; hostile input can make it take 5
 * MB: XML_MAX_DEPTH * XML_MAX_TEXT, XML_MAX_TOKEN and 40 bytes for each open
 * tag.
 */
struct xml_stream *xml_stream_create(const struct xml_handler *handler);
void xml_stream_destroy(struct xml_stream *stream); /* NULL is a no-op */

/*
 * The handler is told some 16 KB later. ERR_MALFORMED: the input is not XML
 * (text before the first element), or over a bound; what was told is valid,
 * later calls do nothing. Linear.
 */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes);

/*
 * End the input. ERR_MALFORMED: the root has not ended; `end` is not called for
 * open elements.
 */
enum error xml_stream_finish(struct xml_stream *stream);

#endif
