/*
 * template/template_name.h - names of templates for people, such as
 * "list · /category/N" or "history · /index*.html · Revision history": the kind
 * of the pages, the pattern of their URLs, and words that their titles have in
 * common if the pattern says too little. Pure.
 *
 * In a pattern, '*' is any text, N a number, and YYYY, MM and DD are a date;
 * "a|b" is one of two names. URLs and titles are hostile: a name has at most
 * TEMPLATE_NAME_BYTES bytes of valid UTF-8, on one line, without control
 * characters.
 */
#ifndef TEMPLATE_TEMPLATE_NAME_H
#define TEMPLATE_TEMPLATE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;

enum {
	TEMPLATE_NAME_BYTES = 120,
	NAME_SAMPLE_PAGES = 256, /* pages that a name is derived from */
	NAME_SAMPLE_TITLES = 8,  /* pages whose titles are compared */
};

struct named_page {
	struct slice path; /* path and query of the URL, percent-encoded */
	unsigned kind;     /* enum page_kind */
};

/* A cluster with a name or without one. */
struct named_cluster {
	uint32_t page_count; /* number of all pages */
	/* the sample must not depend on the order in which pages arrived */
	const struct named_page *pages; /* [sample_count], 1 or more */
	size_t sample_count;
	const struct slice *titles; /* [title_count] */
	size_t title_count;
	/* name and pattern; if the name is not empty, it stays */
	struct slice name;
	struct slice pattern;
	unsigned kind;
};

/*
 * Set name, pattern and kind of the clusters that have no name; these belong
 * to `arena`. All names are different. The result depends only on the set of
 * clusters and pages, not on their order. O(n log n) for n pages.
 */
void template_names_derive(struct arena *arena, struct named_cluster *clusters,
			   size_t count);

/*
 * Return whether the name still describes the cluster: at least half of its
 * pages match the pattern, and most of them are not of another kind.
 */
bool template_name_fits(const struct named_cluster *cluster);

/*
 * Make a name from the words of a user: collapse white space, remove control
 * characters. Return an empty slice if nothing remains or the name is longer
 * than TEMPLATE_NAME_BYTES. The result belongs to `arena`.
 */
struct slice template_name_clean(struct arena *arena, struct slice text);

/*
 * The beginning and the end that the titles of a site have in common, such as
 * " - The Shop". More than a quarter of the titles have them, on pages of
 * several templates.
 */
struct title_frame {
	struct slice head;
	struct slice tail;
};

/* A title, and the template or the row of a table that it belongs to. */
struct framed_title {
	struct slice text;
	size_t group;
};

/* Find what the titles have in common. The slices point into the titles. */
struct title_frame title_frame_find(const struct framed_title *titles,
				    size_t count);

/* Return the title without the common parts; all of it if nothing remains. */
struct slice title_frame_cut(const struct title_frame *frame,
			     struct slice title);

#endif
