/*
 * extract/metadata/metadata_name.h - compares titles and site names, ignoring
 * separators. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_NAME_H
#define EXTRACT_METADATA_METADATA_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct arena;

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
