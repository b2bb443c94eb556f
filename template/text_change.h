/*
 * template/text_change.h - what has changed in the main text of a page between
 * two visits, without the parts that change at each visit
 *
 * A part is a place in the text: a passage by the path of its element and its
 * position among the passages with this path, or a number in a passage. A part
 * has changed if its text is no longer there at the next visit, so a list to
 * which entries are added has no such part. It is volatile if it has changed at
 * CHANGE_MIN_VISITS or more of the last CHANGE_VISITS visits, and at more than
 * half of them, the present one included. Changes of volatile parts are
 * ignored.
 */
#ifndef TEMPLATE_TEXT_CHANGE_H
#define TEMPLATE_TEXT_CHANGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct page;

enum {
	CHANGE_VISITS = 8, /* visits that are remembered */
	CHANGE_MIN_VISITS = 3,
	/* parts that are remembered; those that change rarely are left out */
	CHANGE_PARTS = 128,
	CHANGE_LIST = 20,      /* changes that are listed */
	CHANGE_BYTES = 4096,   /* of the list as JSON */
	CHANGE_EXCERPT = 300,  /* bytes of a passage that are listed */
	CHANGE_PASSAGES = 256, /* changed passages that are looked at */
};

/* A page as it was stored, as a visit returned it, and what is known of it. */
struct text_visit {
	struct page *before;
	struct page *after;
	/* "parts" of the last change, a JSON array; or empty */
	struct slice parts;
	uint32_t visits; /* "visits" of the last change */
	/* later visits at which the text had not changed */
	uint32_t quiet;
};

/*
 * Return the change; NULL if the text is the same:
 *
 *   {"changes": [{"before": TEXT, "after": TEXT, "removed": [WORDS, ...],
 *    "added": [WORDS, ...]}, ...], "ignored": N, "truncated": true,
 *    "parts": [...], "visits": N}
 *
 * An item is a passage that has changed; a passage that was only added or
 * removed has the other text null, and no lists. Long passages are cut around
 * the changed words, with "…" in place of the rest. "ignored" is the number of
 * changes of volatile parts. "truncated" is present if not all changes are
 * listed. "parts" and "visits" are for the next comparison. Whether a passage
 * is main text is decided by the default method without a template. The arenas
 * of the pages grow.
 */
json_t *text_change_make(const struct text_visit *visit);

/*
 * Return whether the value, which comes from a worker, is a change with the
 * limits above.
 */
bool text_change_is_sound(const json_t *change);

/* Return whether the change has a change that is not ignored. */
bool text_change_is_news(const json_t *change);

#endif
