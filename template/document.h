/*
 * template/document.h - what is to be said of a page's content, besides the
 * content and what the page says of itself.
 */
#ifndef TEMPLATE_DOCUMENT_H
#define TEMPLATE_DOCUMENT_H

#include <stdint.h>

#include "extract/render/reference_list.h"
#include "extract/text/direction.h"
#include "store/slice.h"

struct base_address;
struct text_answer;

/* All of it belongs to the page's arena. */
struct document {
	struct slice hostname; /* of the page's URL, else of the canonical one,
				  without a port; or empty */
	struct slice excerpt;  /* extract/render/excerpt.h */
	uint32_t words;        /* of the text: extract/text/word.h */
	enum direction direction;
	uint64_t fingerprint;  /* of the text: extract/text/simhash.h */
	struct slice comments; /* the text of EXTRA_COMMENTS_APART; data is
				  NULL when it was not asked for */
	struct reference_list images; /* of EXTRA_IMAGES: the lead image first,
					 also where it stands in the head alone
				       */
	struct reference_list links;  /* of EXTRA_LINKS */
};

/*
 * Of an answer that has its metadata, its blocks and its verdicts; `text` is
 * its content as TXT. Only what `extras` asks for of the last three. Linear in
 * the page.
 */
struct document document_make(const struct text_answer *answer,
			      struct slice text, uint32_t extras,
			      const struct base_address *base);

#endif
