/*
 * page/xml_tag.h - repairing tags as XML requires: well-formed, nested, and
 * with few attributes, because libxml2 compares every attribute with every
 * other. Internal to page/xml_stream.c.
 */
#ifndef PAGE_XML_TAG_H
#define PAGE_XML_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "page/xml_stream.h"
#include "store/buffer.h"
#include "store/slice.h"

/* The elements that are open. Begin with {0}; end with xml_tags_free(). */
struct xml_tags {
	struct buffer names; /* names of the open elements, one behind the other
			      */
	size_t begins[XML_MAX_DEPTH];
	size_t spaces[XML_MAX_DEPTH]; /* number of namespaces that each declares
				       */
	size_t space_count;           /* their sum */
	size_t depth;
	struct buffer name; /* the last one, with its NUL */
	bool is_over;       /* the root has ended */
};

void xml_tags_free(struct xml_tags *tags);

/*
 * Append the tag `source`, "<" and "</" with a letter behind it up to ">" or
 * less, to `out`. Attributes are read as HTML's are; those whose name is none
 * are dropped, and so are those over a bound. A start tag whose
 * name is none gives text, when an element is open, and one too deep nothing.
 * An end tag ends the elements that are still open inside its own; one without
 * a start gives nothing.
 */
void xml_tags_put(struct xml_tags *tags, struct slice source,
		  struct buffer *out);

/* Append a byte of text or of a value: escaped, and a control as a space. */
void xml_put(struct buffer *out, char byte);

/*
 * Bytes of the reference that `text` begins with: of a character by number, or
 * one of XML's five names; 0 for anything else.
 */
size_t xml_reference(struct slice text);

/*
 * Whether a name may begin with the byte: a letter, '_', ':', or a byte over
 * 127.
 */
bool xml_begins_name(char byte);

#endif
