/*
 * template/document.h - facts about a page's content that are computed from it,
 * in addition to the metadata.
 */
#ifndef TEMPLATE_DOCUMENT_H
#define TEMPLATE_DOCUMENT_H

#include <stdint.h>

#include "base/slice.h"
#include "extract/render/reference_list.h"
#include "extract/text/direction.h"

struct base_address;
struct extraction_result;

/* All of it belongs to the page's arena. */
struct document {
	struct slice hostname; /* of the page's URL, or of the canonical one,
				  without a port; or empty */
	struct slice excerpt;  /* extract/render/excerpt.h */
	uint32_t words;        /* of the text: extract/text/word.h */
	enum direction direction;
	uint64_t fingerprint;  /* of the text: extract/text/simhash.h */
	struct slice comments; /* the text of EXTRA_COMMENTS_APART; data is NULL
				  if not requested */
	struct reference_list images; /* of EXTRA_IMAGES: the lead image first,
					 even if only the head names it */
	struct reference_list links;  /* of EXTRA_LINKS */
};

/*
 * Compute the document of a result that has its metadata, its blocks and its
 * verdicts; `text` is its content as TXT. `extras` selects the last three
 * fields. Linear in the page.
 */
struct document document_make(const struct extraction_result *answer,
			      struct slice text, uint32_t extras,
			      const struct base_address *base);

#endif
