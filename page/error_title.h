/* page/error_title.h - what titles say of errors. Internal to page/. */
#ifndef PAGE_ERROR_TITLE_H
#define PAGE_ERROR_TITLE_H

#include <stdbool.h>

#include "store/slice.h"

/*
 * Is `title`, of a document or its first heading, that of an error and of
 * nothing else: "404 Not Found", "Page introuvable | Site", "Error 500"? In the
 * languages of the web; a bare number is none, nor is what has over 256 bytes.
 * Linear.
 */
bool is_error_title(struct slice title);

#endif
