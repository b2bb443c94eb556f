/*
 * extract/metadata/metadata_byline.h - the names in what tells an author, for
 * machines and for readers. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_BYLINE_H
#define EXTRACT_METADATA_METADATA_BYLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

/* `text` without the punctuation around it. */
struct slice byline_trim(struct slice text);

/*
 * What stands behind a "by" of some 20 languages at the beginning of `text`,
 * which is collapsed: empty when there is nothing more, {NULL, 0} when it does
 * not begin with one.
 */
struct slice byline_rest(struct slice text);

/*
 * The names in `text`, which is collapsed: without a "by", addresses, and words
 * that stand for nobody ("admin"); of what is written for readers (`is_prose`)
 * also without what follows a name: dates, places, what its owner does. Split
 * at commas, semicolons and "and" of some languages; degrees ("PhD") stay with
 * the name before. At most `max`; slices of `text`. Linear.
 */
size_t byline_names(struct slice text, bool is_prose, struct slice *items,
		    size_t max);

/* Whether a reader would take `name` for that of a person: at most 5 words
   that begin in upper case where their script has it. */
bool byline_is_person(struct slice name);

#endif
