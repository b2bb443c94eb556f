/*
 * template/extras.h - the parts of a page that a request adds to the text, or
 * removes from it.
 */
#ifndef TEMPLATE_EXTRAS_H
#define TEMPLATE_EXTRAS_H

#include <stdbool.h>
#include <stdint.h>

/* Any combination; extras of one format have no effect in others. */
enum extra {
	EXTRA_COMMENTS = 1,       /* readers' comments, in the text */
	EXTRA_COMMENTS_APART = 2, /* the same; JSON: in a separate field */
	EXTRA_IMAGES = 4,         /* JSON: a list of the images */
	EXTRA_LINKS = 8,          /* JSON: a list of the links */
	EXTRA_FRONT_MATTER = 16,  /* MD: the metadata before it, in YAML */
	EXTRA_NO_TABLES = 32,     /* omit the text in tables */
	EXTRAS = 63,              /* all extras */
};

/*
 * Add the extras of a comma-separated list: "comments", "comments-apart",
 * "images", "links", "front-matter". Return false for another word.
 */
bool extras_read(const char *list, uint32_t *extras);

/* The words that extras_read() accepts, for messages. */
#define EXTRAS_WORDS "comments, comments-apart, images, links, front-matter"

/* Return the word of an extra; NULL for EXTRA_NO_TABLES, which has none. */
const char *extra_word(enum extra extra);

#endif
