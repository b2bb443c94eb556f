/*
 * tests/unit/template/small_site.h - a site of five pages as a bundle. Those at
 * /a/1 to /a/4 are of template 1, which is a menu, a heading, a text and a
 * foot; that at /b is of template 2, a table, and has none to learn from.
 */
#ifndef TESTS_UNIT_TEMPLATE_SMALL_SITE_H
#define TESTS_UNIT_TEMPLATE_SMALL_SITE_H

#include "store/buffer.h"
#include "template/bundle_writer.h"

enum { SMALL_PAGES = 5, SMALL_MENU_DF = 4 };

/* The page number 0..4, or another of template 1. */
void small_page(struct buffer *out, unsigned number);

/* Its URL, `out` [64]. */
const char *small_url(unsigned number, char *out);

/* Everything up to the samples: for those who add something else. */
void small_begin(struct bundle_writer *writer);

void small_bundle(struct buffer *out);

#endif
