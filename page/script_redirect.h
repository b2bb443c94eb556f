/* page/script_redirect.h - a script that only leads elsewhere. Internal to
 * page/. */
#ifndef PAGE_SCRIPT_REDIRECT_H
#define PAGE_SCRIPT_REDIRECT_H

#include "store/slice.h"

/*
 * Where the content of a script sends its reader at once, as written:
 * location = "URL", location.href = "URL", location.replace("URL"),
 * location.assign("URL"). {NULL, 0}: nowhere, or it decides something, or it
 * is over 1,024 bytes. Linear.
 */
struct slice script_redirect(struct slice script);

#endif
