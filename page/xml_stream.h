/*
 * page/xml_stream.h - XML as a stream of elements and text (libxml2's push
 * parser), hardened: no network, no external or declared entities, no DTD is
 * read, bounded depth and sizes. Broken XML is read as far as it can be.
 */
#ifndef PAGE_XML_STREAM_H
#define PAGE_XML_STREAM_H

#include <stdbool.h>

#include "store/error.h"
#include "store/slice.h"

struct xml_stream;

enum { XML_MAX_DEPTH = 64, XML_MAX_TEXT = 64 * 1024 };

/* Local names, without prefix; slices are valid during the call. */
struct xml_handler {
	void (*start)(void *context, struct slice name, struct slice space);
	/* `text` is what stood in the element itself, collapsed at its ends, at
	 * most XML_MAX_TEXT bytes of it */
	void (*end)(void *context, struct slice name, struct slice text);
	/* an attribute of the element that has just begun */
	void (*attribute)(void *context, struct slice name, struct slice value);
	void *context;
};

/* The handler is copied. */
struct xml_stream *xml_stream_create(const struct xml_handler *handler);
void xml_stream_destroy(struct xml_stream *stream); /* NULL is a no-op */

/* ERR_MALFORMED once it is not XML any more; later calls do nothing. */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes);

/* The last bytes were fed. ERR_MALFORMED: it ended too early. */
enum error xml_stream_finish(struct xml_stream *stream);

#endif
