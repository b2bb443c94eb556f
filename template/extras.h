/* template/extras.h - what a request wants besides the text, or without it. */
#ifndef TEMPLATE_EXTRAS_H
#define TEMPLATE_EXTRAS_H

#include <stdbool.h>
#include <stdint.h>

/* Any number of them. Those of a format are of no effect in others. */
enum extra {
	EXTRA_COMMENTS = 1,       /* what readers have written, in the text */
	EXTRA_COMMENTS_APART = 2, /* the same; JSON: in a field of its own */
	EXTRA_IMAGES = 4,         /* JSON: a list of the images */
	EXTRA_LINKS = 8,          /* JSON: a list of the links */
	EXTRA_FRONT_MATTER = 16,  /* MD: the metadata before it, in YAML */
	EXTRA_NO_TABLES = 32,     /* leave out what stands in tables */
	EXTRAS = 63,              /* all of them */
};

/*
 * Add those of a list of words with commas between them: "comments",
 * "comments-apart", "images", "links", "front-matter". False: another word.
 */
bool extras_read(const char *list, uint32_t *extras);

/* The words that extras_read() knows, for messages. */
#define EXTRAS_WORDS "comments, comments-apart, images, links, front-matter"

/* The word of one of these; NULL for EXTRA_NO_TABLES, which has none. */
const char *extra_word(enum extra extra);

#endif
