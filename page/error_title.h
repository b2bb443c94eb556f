/*
 * page/error_title.h - recognises titles of error pages. Internal to
 * page/.
 */
#ifndef PAGE_ERROR_TITLE_H
#define PAGE_ERROR_TITLE_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Return whether `title`, the title or the first heading of a document, names
 * only an error: "404 Not Found", "Page introuvable | Site", "Error 500". Knows
 * the most common languages. False for only a number and for titles longer than
 * 256 bytes. Linear.
 */
bool error_title_is_error(struct slice title);

#endif
