/*
 * page/xml_mend.h - broken XML is repaired to well-formed elements, attributes
 * and text, within limits that libxml2 does not have. Internal to
 * page/xml_stream.c, whose header lists the repairs.
 */
#ifndef PAGE_XML_MEND_H
#define PAGE_XML_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "page/xml_tag.h"
#include "store/buffer.h"
#include "store/slice.h"

enum xml_state {
	XML_BEFORE, /* the root; the initial one */
	XML_TEXT,
	XML_REFERENCE, /* behind an '&' */
	XML_OPEN,      /* behind a '<' */
	XML_TAG,
	XML_BANG, /* behind "<!" */
	XML_COMMENT,
	XML_DECLARATION, /* "<!DOCTYPE" and others */
	XML_INSTRUCTION, /* "<?" */
	XML_CDATA,
	XML_AFTER,  /* the root */
	XML_BROKEN, /* the input is not XML */
};

/* Begin with {0}; end with xml_mend_free(). */
struct xml_mend {
	enum xml_state state;
	enum xml_state before; /* the state in which a comment began */
	struct xml_tags tags;
	struct buffer held; /* the tag, or what was read of a reference */
	uint32_t recent;    /* the last four bytes */
	char quote;         /* that is open in a tag or declaration, or NUL */
	bool is_subset;     /* between the [] of a DOCTYPE */
};

void xml_mend_free(struct xml_mend *mend);

/*
 * Append the repaired form of `text`, which consists of whole characters, to
 * `out`: at most 6 times its bytes, and a tag that it completes. Linear.
 */
void xml_mend_feed(struct xml_mend *mend, struct slice text,
		   struct buffer *out);

#endif
