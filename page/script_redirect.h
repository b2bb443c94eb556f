/* page/script_redirect.h - scripts that only redirect. Internal to page/. */
#ifndef PAGE_SCRIPT_REDIRECT_H
#define PAGE_SCRIPT_REDIRECT_H

#include "store/slice.h"

/*
 * The target of a script that redirects at once, as written: location = "URL",
 * location.href = "URL", location.replace("URL"), location.assign("URL").
 * {NULL, 0}: it does not redirect, does so on a condition, or has over 1,024
 * bytes. Linear.
 */
struct slice script_redirect(struct slice script);

#endif
