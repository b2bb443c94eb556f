/*
 * extract/text/class_words.h - the meaning of class and id attributes: each
 * word in an attribute may belong to groups of words with similar meanings.
 * Names in these attributes are English on pages of any language. The text of
 * the page is not read.
 */
#ifndef EXTRACT_TEXT_CLASS_WORDS_H
#define EXTRACT_TEXT_CLASS_WORDS_H

#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct passages;

enum class_group {
	GROUP_NAVIGATION,
	GROUP_HEADER,
	GROUP_FOOTER,
	GROUP_SIDEBAR,
	GROUP_COMMENT,
	GROUP_RELATED,
	GROUP_SOCIAL,
	GROUP_POPUP,
	GROUP_ADVERTISEMENT,
	GROUP_CONTENT,
	GROUP_ARTICLE_BODY,
	GROUP_PRODUCT,
	GROUP_DESCRIPTION,
	GROUP_REVIEW,
	GROUP_ITEM,
	GROUP_FILTER,
	GROUP_METADATA,
	GROUP_FORUM,
	GROUP_DOCUMENTATION,
	GROUP_ACCORDION,
	GROUP_MEDIA,
	GROUP_ACTION,
	GROUP_COUNT
};

/*
 * Return the groups of all words in a class or id attribute, as the bits 1 <<
 * GROUP_*. A word is a run of ASCII letters. If the run is camelCase, each part
 * is a word, and so is the whole run if it has two or three parts. Linear.
 */
uint32_t class_groups_of(struct slice names);

/*
 * Return the groups of each element's class and id: [page->node_count], owned
 * by `arena`. They are 0 for elements without a passage, and for the root
 * element, whose classes describe the browser. Linear; 4 bytes an element, and
 * 64 more bytes for each attribute during the call.
 */
const uint32_t *class_groups_make(struct arena *arena,
				  const struct passages *passages);

#endif
