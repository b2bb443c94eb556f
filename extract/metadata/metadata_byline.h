/*
 * extract/metadata/metadata_byline.h - names in fields and bylines that give an
 * author. Internal to the metadata.
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
 * that name nobody ("admin"); in text for readers (`is_prose`) also without
 * what follows a name: dates, places, professions. Split at commas, semicolons
 * and "and" of some languages; degrees ("PhD") stay with the name before. At
 * most `max`; slices of `text`. Linear.
 */
size_t byline_names(struct slice text, bool is_prose, struct slice *items,
		    size_t max);

/*
 * Whether `name` looks like that of a person: at most 5 words that begin in
 * upper case where their script has it.
 */
bool byline_is_person(struct slice name);

#endif
