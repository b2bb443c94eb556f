/*
 * tests/unit/template/small_site.h - a site of six pages as a bundle. Pages
 * /a/1 to /a/4 are of template 1: a menu, a heading, a text and a foot; /b is
 * of template 2, a table with a word of that menu, without pages to learn from;
 * /gone looks like template 1, but has none: its status was 404. The signature
 * of /b occurs a second time, as one of template 1.
 */
#ifndef TESTS_UNIT_TEMPLATE_SMALL_SITE_H
#define TESTS_UNIT_TEMPLATE_SMALL_SITE_H

#include "base/buffer.h"
#include "template/bundle.h"

enum { SMALL_PAGES = 6, SMALL_TABLE = 4, SMALL_GONE = 5 };

/* The page number 0..5, or another of template 1. */
void small_page(struct buffer *out, unsigned number);

/* Its URL, `out` [64]. */
const char *small_url(unsigned number, char *out);

/* Write everything up to the samples, for tests that add more. `model` may be
 * empty. */
void small_begin(struct bundle_writer *writer, struct slice model);

/* The samples and the version of template 1. */
void small_put_template(struct bundle_writer *writer);

/* An encoded set of template 1 with the field "heading". */
void small_fields(struct buffer *out);

void small_bundle(struct buffer *out);

/* Open a copy; NULL, with the reason, when it is refused. */
struct bundle *small_open(const struct buffer *bytes, char *reason);

/* The answer for page `number` at `address` (NULL: none). */
enum error small_ask(struct bundle *bundle, unsigned number,
		     const char *address, const char *method,
		     struct extraction_result *answer);

#endif
