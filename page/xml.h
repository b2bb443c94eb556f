/*
 * page/xml.h - reads XML with libxml2, and makes libxml2 abort when memory runs
 * out; otherwise it silently skips the data.
 */
#ifndef PAGE_XML_H
#define PAGE_XML_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"

struct xml_stream;

/*
 * From now on libxml2 ends the process if an allocation fails, as mem_alloc()
 * does. For programs, at their start; a library must not do this to its user.
 */
void xml_memory_set_abort(void);

/*
 * XML as a stream of elements and text, with libxml2's push parser: no network,
 * no entities except XML's five, no DTD, bounded depth and sizes. Broken XML is
 * read as far as libxml2 recovers, after three repairs:
 * - The bytes become UTF-8 (by BOM or declaration, otherwise UTF-8), because
 *   libxml2 takes labels literally and stops at the first byte that does not
 *   decode; here it becomes U+FFFD.
 * - The parts that libxml2 would drop or stop at are escaped.
 * - An end tag ends the elements that are open inside its own element, and does
 *   nothing without a start tag. In libxml2 it would end the last element.
 * Everything after the root element is skipped, and references to no character.
 *
 * The limits exist because libxml2 2.9.14 has none: it compares each attribute
 * of a tag with every other (1 MB of attributes take 2.4 s); with XML_MAX_TAG
 * nothing takes more than 0.11 s per MB. 10 MB of different names took 21 s.
 */

enum {
	XML_MAX_DEPTH = 64, /* levels of reported elements; text of deeper
			       elements belongs to the deepest one */
	/* bytes of an element's text; the rest is dropped */
	XML_MAX_TEXT = LIMIT(16 * 1024, 256),
	/* Input over one of these limits is malformed: */
	XML_MAX_TAG = LIMIT(32 * 1024, 512), /* bytes of a start tag */
	/* bytes of a comment, an instruction or CDATA */
	XML_MAX_TOKEN = LIMIT(1024 * 1024, 2048),
	/*
	 * start tags without an end tag, with 1024 additional ones of libxml2
	 */
	XML_MAX_OPEN = LIMIT(64 * 1024, 1200),
	XML_MAX_SPACES = LIMIT(256, 16),        /* namespaces in scope */
	XML_MAX_NAMES = LIMIT(64 * 1024, 4000), /* bytes of all names */
};

/* Slices are valid during the call; text is UTF-8. */
struct xml_handler {
	/*
	 * `name` has no prefix; `space` is the namespace, or an undeclared
	 * prefix, or empty
	 */
	void (*start)(void *context, struct slice name, struct slice space);
	/* `text` is the direct text, trimmed, at most XML_MAX_TEXT bytes */
	void (*end)(void *context, struct slice name, struct slice text);
	/* an attribute of the element that has just begun; never xmlns */
	void (*attribute)(void *context, struct slice name, struct slice value);
	void *context;
};

/* Copies the handler. Uses about 200 KB, with hostile input up to 5 MB. */
struct xml_stream *xml_stream_create(const struct xml_handler *handler);
void xml_stream_destroy(struct xml_stream *stream); /* Do nothing for NULL. */

/*
 * Parse `bytes`. The handler gets its calls up to 16 KB later. ERR_MALFORMED:
 * the input is not XML, or over a limit; the calls so far are valid, later
 * calls of this function do nothing. Linear.
 */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes);

/*
 * End the input. ERR_MALFORMED: the root has not ended; `end` is not called for
 * open elements.
 */
enum error xml_stream_finish(struct xml_stream *stream);

#endif
