/* tests/bench/corpus.h - many signatures to be grouped: of real pages, such
 * pages again and again with small differences, or made up. */
#ifndef TESTS_BENCH_CORPUS_H
#define TESTS_BENCH_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"

struct arena;

/* Begin with {.arena = arena_create()}; end with corpus_free(). */
struct corpus {
	struct arena *arena;
	struct signature *pages; /* [count] */
	size_t count;
	size_t parsed;        /* real pages */
	double parse_seconds; /* CPU, of these */
	double sign_seconds;
};

void corpus_free(struct corpus *corpus);

/* Add the pages of a source (samples.h); false, told, when that fails. */
bool corpus_read(struct corpus *corpus, const char *source,
		 enum measure measure);

/*
 * Make it `count` pages by repeating the existing ones. One repetition in two
 * is exact; the other has lost one to three shingles, or got them from one of
 * the next pages or from nowhere.
 */
void corpus_repeat(struct corpus *corpus, size_t count);

/* The same order in every run. */
void corpus_shuffle(struct corpus *corpus);

/*
 * Add `count` artificial pages, of sites with templates. Sizes of templates
 * follow a Pitman-Yor process, that is Zipf's law, and templates grow as
 * count^0.6. A page has what all pages have, the frame of its site, the core of
 * its template, some of the template's optional parts, and sometimes shingles
 * of the site's content or shingles that no other page has. The sets are as
 * large as those of the measure `like`: MEASURE_CP or MEASURE_CTSS.
 */
void corpus_generate(struct corpus *corpus, size_t count, enum measure like);

#endif
