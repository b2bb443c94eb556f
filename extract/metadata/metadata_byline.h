/*
 * extract/metadata/metadata_byline.h - parses names in author fields and
 * bylines. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_BYLINE_H
#define EXTRACT_METADATA_METADATA_BYLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Return `text` without the punctuation around it. */
struct slice byline_trim(struct slice text);

/*
 * Return the text after a "by" in one of some 20 languages at the start of
 * `text`, which must be collapsed: empty if nothing follows, {NULL, 0} if
 * `text` does not begin with a "by".
 */
struct slice byline_rest(struct slice text);

/*
 * Write the names in `text`, which must be collapsed, to `items`; return their
 * number. Leaves out a "by", addresses, and words that are no names ("admin");
 * in text for readers (`is_prose`) also the text after a name: dates, places,
 * professions. Splits at commas, semicolons and "and" of some languages;
 * degrees ("PhD") stay with the name before. At most `max`; slices of `text`.
 * Linear.
 */
size_t byline_names(struct slice text, bool is_prose, struct slice *items,
		    size_t max);

/*
 * Return true if `name` looks like a person's name: at most 5 words, which
 * begin in upper case if their script has it.
 */
bool byline_is_person(struct slice name);

#endif
