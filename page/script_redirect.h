/*
 * page/script_redirect.h - recognises scripts that only redirect. Internal to
 * page/.
 */
#ifndef PAGE_SCRIPT_REDIRECT_H
#define PAGE_SCRIPT_REDIRECT_H

#include "base/slice.h"

/*
 * Return the target, as written, of a script that redirects immediately:
 * location = "URL", location.href = "URL", location.replace("URL"),
 * location.assign("URL"). Return {NULL, 0} if it does not redirect, redirects
 * under a condition, or is longer than 1,024 bytes. Linear.
 */
struct slice script_redirect(struct slice script);

#endif
