/*
 * extract/metadata/metadata_author.h - parses names in author fields and
 * bylines, joins short texts as a reader sees them, and compares titles and
 * names of sites.
 */
#ifndef EXTRACT_METADATA_METADATA_AUTHOR_H
#define EXTRACT_METADATA_METADATA_AUTHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

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

enum { MAX_LABEL = 160, MAX_HEADING = 1024 };

/*
 * Return the texts inside a node as one text, collapsed, with a space between
 * texts in different blocks; empty at MAX_HEADING bytes or more.
 * O(MAX_HEADING). It belongs to `arena`.
 */
struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node);

/*
 * Return the same with " | " between texts that are not in one line or that
 * touch each other ("By" and "Ann"); empty at MAX_LABEL bytes or more.
 */
struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node);

/*
 * Return letters and digits of `text` in lower case, without anything between
 * them; it belongs to `arena`. Reads at most the first 1,024 bytes.
 */
struct slice name_fold(struct arena *arena, struct slice text);

enum { MAX_TITLE_WORDS = 64 };

/*
 * The first words of a title, as hashes of their lower case. A letter of a
 * script without spaces is a word.
 */
struct title_words {
	uint64_t words[MAX_TITLE_WORDS];
	size_t count;
};

struct title_words title_words_of(struct slice text);

/*
 * Return twice the number of shared words over the words of both (Dice's
 * coefficient), in [0, 1]; 0 if one is empty.
 */
double title_overlap(const struct title_words *a, const struct title_words *b);

/* The names that identify a part of a title as the name of the site. */
struct site_names {
	struct slice name;   /* folded og:site_name; or empty */
	struct slice host;   /* folded host of the page's address; or empty */
	struct slice domain; /* folded longest label of the host; or empty */
};

/*
 * Return the names. `name` is as the page writes it; everything belongs to
 * `arena`.
 */
struct site_names site_names_of(struct arena *arena, struct slice name,
				struct slice url);

/* Return true if `part` is a name of the site. */
bool site_is_named(struct arena *arena, const struct site_names *site,
		   struct slice part);

/*
 * Return `title` without the parts at its ends that name the site or are equal
 * to `other`, a folded heading that is not the title, and without the part
 * after a firm separator ("|"). A slice of `title`.
 */
struct slice title_without_site(struct arena *arena,
				const struct site_names *site,
				struct slice other, struct slice title);

#endif
