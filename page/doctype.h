/*
 * page/doctype.h - decides from the doctype whether a page is in quirks mode.
 * Internal to page/.
 */
#ifndef PAGE_DOCTYPE_H
#define PAGE_DOCTYPE_H

#include <stdbool.h>

#include "base/slice.h"

/* Return whether a doctype begins at `at`, in any case. */
bool doctype_begins(const char *at, const char *end);

/*
 * Return whether a page with this doctype ("<!doctype html>", to its ">") is in
 * quirks mode, where a paragraph may contain a table. Source: the HTML
 * standard, sections 13.2.5.53 to 13.2.5.68 and 13.2.6.4.1.
 */
bool doctype_is_quirky(struct slice doctype);

#endif
