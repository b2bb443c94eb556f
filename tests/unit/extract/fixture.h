/* tests/unit/extract/fixture.h - small pages, and the results of methods for
 * them. */
#ifndef TESTS_UNIT_EXTRACT_FIXTURE_H
#define TESTS_UNIT_EXTRACT_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "page/page.h"

struct trace;

/* Parse `html`; page_destroy() it. */
struct page *parse(const char *html);

/*
 * Run `method` on `page` with its defaults and `assignment` ("radius=1", or
 * NULL) over them. The verdicts belong to page->arena.
 */
const struct verdict *run(const struct page *page, const char *method,
			  const char *assignment,
			  const struct template_counts *counts);

/* What it tells of that; it belongs to page->arena. */
const struct trace *trace_of(const struct page *page, const char *method,
			     const char *assignment,
			     const struct template_counts *counts);

/*
 * run() for pages[0], as a member of the cluster of all `count` pages, from
 * which the method counts and learns. Verdicts that it does not write are NaN.
 */
const struct verdict *run_sampled(const struct page *const *pages,
				  uint32_t count, const char *method,
				  const char *assignment);

/* The same with a trace, or NULL. */
const struct verdict *run_traced(const struct page *const *pages,
				 uint32_t count, const char *method,
				 const char *assignment, struct trace *trace);

/* Everything visible of `html` as text, or as HTML; free() it. */
char *text_of(const char *html);
char *html_of(const char *html);

/* A page of random pieces of markup, the same for the same seed; free() it. */
char *random_html(uint64_t seed);

/* The same with the given pieces. */
char *random_pieces(uint64_t seed, const char *const *from, size_t count);

/* Return the length of `extractors`. */
int method_count(void);

/* xorshift64; *state is never 0. */
uint64_t random_next(uint64_t *state);

#endif
