/*
 * extract/metadata/metadata_author.h - parses names in author fields and
 * bylines, joins the short texts inside an element, and compares titles and
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
struct page_titles;

/* Return `text` without punctuation at its start and end. */
struct slice byline_trim(struct slice text);

/*
 * Return the bytes of `text` that are equal to `word`, which is in lower case,
 * in any case of the letters of any script; 0 if `text` does not begin with
 * `word`.
 */
size_t byline_match(struct slice text, struct slice word);

/*
 * If `text` begins with "by" in one of about 20 languages, return the text
 * after it, which may be empty; otherwise return {NULL, 0}. The white space of
 * `text` must be collapsed.
 */
struct slice byline_rest(struct slice text);

/*
 * Write at most `max` names in `text` to `items`, as slices of `text`; return
 * their number. The white space of `text` must be collapsed. Leave out a "by",
 * addresses, and words that are not names ("admin"). If the text is for readers
 * (`is_prose`), also leave out the text after a name, such as dates, places and
 * professions. Commas, semicolons, and "and" in some languages separate names;
 * degrees ("PhD") are part of the name before them. Leave out dates with their
 * labels ("updated May 5") and, after a name, roles ("Staff Writer"). Linear.
 */
size_t byline_names(struct slice text, bool is_prose, struct slice *items,
		    size_t max);

/*
 * Return a name that begins with the family name ("Ames, Lena") in the usual
 * order ("Lena Ames"), in `arena`. Do this for each name if semicolons separate
 * the names. Return other text unchanged.
 */
struct slice byline_family_last(struct arena *arena, struct slice text);

/*
 * Return the same as byline_family_last() if the text before " | ", if there is
 * one, is only a family name and a given name of one word each; other text
 * unchanged. `text` is not empty.
 */
struct slice byline_given_first(struct arena *arena, struct slice text);

/*
 * Return `text` without the tags of HTML. The result belongs to `arena` or is
 * `text`.
 */
struct slice byline_without_tags(struct arena *arena, struct slice text);

/*
 * Return true if `name` looks like a person's name: it has at most 5 words, and
 * they begin with a capital if their script has capitals.
 */
bool byline_is_person(struct slice name);

/*
 * Return true if `name` looks like the full name of a person: two words or
 * more, each with a capital or a particle ("de"), and none of them of a group,
 * such as "Institute".
 */
bool byline_is_full(struct slice name);

/* Return true if `name` has the legal form of a firm, such as "Ltd". */
bool byline_is_firm(struct slice name);

enum { MAX_LABEL = 160, MAX_HEADING = 1024 };

/*
 * Return the texts inside a node as one text with collapsed white space, and
 * with a space between texts in different blocks. Return an empty text if it
 * has MAX_HEADING bytes or more. The result belongs to `arena`. O(MAX_HEADING).
 */
struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node);

/*
 * Return the same as heading_of(), but with " | " between texts that are in
 * different blocks and between texts without white space between them ("By" and
 * "Ann"). Return an empty text if it has MAX_LABEL bytes or more.
 */
struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node);

/*
 * Return only the letters and digits of the first 1,024 bytes of `text`, in
 * lower case ("folded"). The result belongs to `arena`.
 */
struct slice name_fold(struct arena *arena, struct slice text);

enum { MAX_TITLE_WORDS = 64 };

/*
 * The hashes of the first words of a title in lower case. In a script without
 * spaces, each letter is a word.
 */
struct title_words {
	uint64_t words[MAX_TITLE_WORDS];
	size_t count;
};

struct title_words title_words_of(struct slice text);

/*
 * Return the overlap of two titles, in [0, 1]: twice the number of shared words
 * divided by the sum of the numbers of their words (Dice's coefficient). Return
 * 0 if one title has no words.
 */
double title_overlap(const struct title_words *a, const struct title_words *b);

/*
 * The names by which a part of a title is recognised as the name of the site.
 */
struct site_names {
	struct slice name;   /* folded og:site_name, or empty */
	struct slice host;   /* folded host of the page's URL, or empty */
	struct slice domain; /* folded longest label of the host, or empty */
	struct slice home;   /* folded text of the first link to the home page,
				or empty */
	bool is_home;        /* the page is the home page */
	const struct page_titles *titles; /* of other pages, or NULL */
};

/*
 * Return the names of the site. `name` is og:site_name as in the page, and
 * `url` is the URL of the page. Everything belongs to `arena`. `home` is empty
 * and `titles` NULL.
 */
struct site_names site_names_of(struct arena *arena, struct slice name,
				struct slice url);

/*
 * Return the text of the first link to the home page of the site of `url`, as
 * in the page; empty if the page has no such link among its first links.
 */
struct slice home_link_of(const struct page *page, struct slice url);

/* Return the host of a URL, or an empty slice. */
struct slice host_of_address(struct slice url);

/* Return true if `href` is a host without a path, or "/". */
bool is_home_address(struct slice href);

/*
 * Return true if `text` looks like the name of a host, such as "example.org",
 * and not like that of a file or a library, such as "node.js".
 */
bool is_host_name(struct slice text);

/* Return true if `part` is a name of the site. */
bool site_is_named(struct arena *arena, const struct site_names *site,
		   struct slice part);

/* Return true if `part` is the whole name of the site or a part of its domain.
 */
bool is_whole_site(struct arena *arena, const struct site_names *site,
		   struct slice part);

/*
 * Return `title`, as a slice, without the parts at its ends that name the site,
 * that more than half of the other pages' titles have, or that are equal to
 * `other`, and without the part after a firm separator ("|"). `other` is a
 * folded heading that is not the title.
 */
struct slice title_without_site(struct arena *arena,
				const struct site_names *site,
				struct slice other, struct slice title);

/*
 * Return `title`, as a slice, without the name of the site before the first
 * colon or after the last one, as "The Herald: Hats are worn". The title of a
 * home page is returned unchanged.
 */
struct slice title_without_colon(struct arena *arena,
				 const struct site_names *site,
				 struct slice title);

#endif
