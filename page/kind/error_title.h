/* page/kind/error_title.h - titles of error pages. Internal to page/. */
#ifndef PAGE_KIND_ERROR_TITLE_H
#define PAGE_KIND_ERROR_TITLE_H

#include <stdbool.h>

#include "store/slice.h"

/*
 * Whether `title`, of a document or its first heading, names an error and
 * nothing else: "404 Not Found", "Page introuvable | Site", "Error 500". Knows
 * the most common languages; false for a number alone and for titles of over
 * 256 bytes. Linear.
 */
bool is_error_title(struct slice title);

#endif
