/*
 * page/xml.h - reads XML with libxml2. It can also make libxml2 abort the
 * process if memory is exhausted; otherwise libxml2 would silently skip data.
 */
#ifndef PAGE_XML_H
#define PAGE_XML_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"

struct xml_stream;

/*
 * Make libxml2 abort the process if an allocation fails, as mem_alloc() does.
 * For programs, at their start; a library must not do this.
 */
void xml_memory_set_abort(void);

/*
 * Reads XML as a stream of elements and text, with libxml2's push parser: no
 * network, no DTD, no entities except XML's five, and limits for depth and
 * sizes. Broken XML is read as far as libxml2 can recover, after three repairs:
 *
 *   - The bytes are decoded to UTF-8: by byte order mark or declaration,
 *     otherwise as UTF-8; a byte that cannot be decoded becomes U+FFFD. libxml2
 *     itself would take labels literally, and stop at the first such byte.
 *   - Parts that libxml2 would drop, or at which it would stop, are escaped.
 *   - An end tag closes its own element and the elements that are open inside;
 *     without a start tag it is ignored. In libxml2 it would close the last
 *     element.
 *
 * Everything after the root element, and references to numbers that are no
 * character, are skipped.
 *
 * The limits below exist because libxml2 2.9.14 has none. It compares each
 * attribute of a tag with every other, so 1 MB of attributes takes 2.4 s; with
 * XML_MAX_TAG nothing takes more than 0.11 s per MB. 10 MB of different names
 * took 21 s.
 */

enum {
	/*
	 * maximum depth of elements that are reported; the text of deeper
	 * elements belongs to the deepest reported one
	 */
	XML_MAX_DEPTH = 64,
	/* maximum bytes of the text of an element; the rest is dropped */
	XML_MAX_TEXT = LIMIT(16 * 1024, 256),
	/* Input that exceeds one of the following limits is malformed. */
	XML_MAX_TAG = LIMIT(32 * 1024, 512), /* maximum bytes of a start tag */
	/* maximum bytes of a comment, an instruction or a CDATA section */
	XML_MAX_TOKEN = LIMIT(1024 * 1024, 2048),
	/*
	 * maximum number of open elements, including 1024 additional ones in
	 * libxml2
	 */
	XML_MAX_OPEN = LIMIT(64 * 1024, 1200),
	/* maximum number of namespaces in scope */
	XML_MAX_SPACES = LIMIT(256, 16),
	XML_MAX_NAMES = LIMIT(64 * 1024,
			      4000), /* maximum bytes of all different names */
};

/*
 * The functions that are called for the parts of a file. Slices are valid
 * during the call. Texts are UTF-8.
 */
struct xml_handler {
	/*
	 * An element begins. `name` has no prefix. `space` is its namespace, or
	 * its prefix if that is not declared, or empty
	 */
	void (*start)(void *context, struct slice name, struct slice space);
	/*
	 * An element ends. `text` is the text directly in it, trimmed and at
	 * most XML_MAX_TEXT bytes
	 */
	void (*end)(void *context, struct slice name, struct slice text);
	/* An attribute of the element that has just begun, except xmlns */
	void (*attribute)(void *context, struct slice name, struct slice value);
	void *context;
};

/*
 * Create a stream, with a copy of the handler. It needs about 200 KB of memory;
 * for hostile input up to 5 MB.
 */
struct xml_stream *xml_stream_create(const struct xml_handler *handler);
void xml_stream_destroy(struct xml_stream *stream); /* Do nothing for NULL. */

/*
 * Parse the next bytes. The handler may be called up to 16 KB of input later.
 * ERR_MALFORMED: the input is not XML, or exceeds a limit; the calls so far are
 * valid, and later calls of this function do nothing. Linear.
 */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes);

/*
 * End the input. ERR_MALFORMED: the root element is not closed; handler->end is
 * not called for open elements.
 */
enum error xml_stream_finish(struct xml_stream *stream);

#endif
