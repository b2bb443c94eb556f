/*
 * page/xml/xml_mend.h - what is most often wrong in XML is escaped before
 * libxml2 sees it, because libxml2, told to recover, drops what it cannot read
 * or stops there. Internal to page/xml/xml_stream.c.
 *
 * Measured on 80 real sitemaps and feeds with 367 addresses, of which libxml2
 * 2.9.14 reads so many rightly alone, and with this:
 *   "?a=1&b=2" instead of "&amp;" in each address     7  367
 *   "&nbsp;", "<3" in each title                     17  367
 *   five control characters in each file            222  356
 */
#ifndef PAGE_XML_XML_MEND_H
#define PAGE_XML_XML_MEND_H

#include <stdbool.h>
#include <stddef.h>

#include "store/buffer.h"
#include "store/slice.h"

/*
 * How much of `text` to mend now, so that no tag, reference or end of a CDATA
 * section is cut: up to the last '<', or nearly all when only the first byte is
 * one. Tags are not cut because libxml2 takes any '>' as the end of one that is
 * not yet whole. At least a byte of more than 16.
 */
size_t xml_mend_size(struct slice text);

/*
 * Append `text` to `out`, at most 5 times its bytes, with references for: an
 * '&' that begins no reference of a character or of XML's five entities, a '<'
 * that begins no tag, comment, CDATA section or instruction, so that a DOCTYPE
 * is text and no entity ever declared, and the "]]>" of no section; and a space
 * for a control character. XML's five are written as numbers: once anything was
 * wrong libxml2 drops the names. CDATA sections stay; `is_cdata` says whether
 * one is open, at first none. Linear.
 */
void xml_mend(struct slice text, bool *is_cdata, struct buffer *out);

#endif
