/*
 * extract/text/tag_kind.h - the tag of the element that holds a passage, as a
 * number. Similar tags have adjacent numbers, so that a decision tree separates
 * them with one comparison.
 */
#ifndef EXTRACT_TEXT_TAG_KIND_H
#define EXTRACT_TEXT_TAG_KIND_H

#include <stdint.h>

struct page;

enum tag_kind {
	KIND_OTHER, /* and NO_NODE */
	KIND_P,
	KIND_LI,
	KIND_H1,
	KIND_H2,
	KIND_H3,
	KIND_H4,
	KIND_H5, /* and h6 */
	KIND_TD,
	KIND_TH,
	KIND_DT,
	KIND_DD,
	KIND_DIV,
	KIND_SPAN,
	KIND_PRE,
	KIND_BLOCKQUOTE,
	KIND_FIGCAPTION,
	KIND_BUTTON,
	KIND_LABEL,
	KIND_OPTION,
	KIND_SECTION,
	KIND_ARTICLE,
	KIND_SUMMARY,
	KIND_LEGEND,
	KIND_BODY, /* and html */
	KIND_HEADER,
	KIND_FOOTER,
	KIND_FORM,
	KIND_CAPTION,
	KIND_NAV,
	KIND_UL,
	KIND_MAIN,
	KIND_ASIDE,
	KIND_FIGURE,
	KIND_COUNT
};

/* Return the enum tag_kind of element `node`. */
uint8_t tag_kind(const struct page *page, uint32_t node);

#endif
