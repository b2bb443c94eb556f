/*
 * page/xml_mend.h - what is nearly XML becomes elements, attributes and text
 * that are XML, within bounds that libxml2 has not. Internal to
 * page/xml_stream.c, whose header says what is mended.
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
	XML_BROKEN, /* it is no XML */
};

/* Begin with {0}; end with xml_mend_free(). */
struct xml_mend {
	enum xml_state state;
	enum xml_state before; /* a comment: what it stands in */
	struct xml_tags tags;
	struct buffer held; /* the tag, or what was read of a reference */
	uint32_t recent;    /* the last four bytes */
	char quote;         /* that is open in a tag or declaration, or NUL */
	bool is_subset;     /* between the [] of a DOCTYPE */
};

void xml_mend_free(struct xml_mend *mend);

/*
 * Append to `out` what `text`, of whole characters, gives: at most 6 times its
 * bytes, and those of a tag that it ends. Linear.
 */
void xml_mend_feed(struct xml_mend *mend, struct slice text,
		   struct buffer *out);

#endif
