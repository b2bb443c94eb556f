/*
 * extract/text/class_words.h - the meaning of class and id attributes: groups
 * of words with the same meaning. These names are English in pages of any
 * language; the text of the page is not read.
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
 * Return the groups, one bit 1 << GROUP_* each, of the words of a class or id
 * attribute. Words are runs of ASCII letters, each part of a camelCase run, and
 * the whole of a run of two or three parts. Linear.
 */
uint32_t class_groups_of(struct slice names);

/*
 * Return [page->node_count], in `arena`: the groups of class and id of each
 * element that holds a passage; 0 for the root, whose classes describe the
 * browser, and for elements without a passage. Linear; 4 bytes an element, and
 * 64 an attribute during the call.
 */
const uint32_t *class_groups_make(struct arena *arena,
				  const struct passages *passages);

#endif
