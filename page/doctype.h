/* page/doctype.h - quirks mode. Internal to page/. */
#ifndef PAGE_DOCTYPE_H
#define PAGE_DOCTYPE_H

#include <stdbool.h>

#include "store/slice.h"

/* Whether `at` begins a doctype, in any case. */
bool doctype_begins(const char *at, const char *end);

/*
 * Whether the page of this doctype ("<!doctype html>", to its ">") is in quirks
 * mode, where a table may stand in a paragraph. Source: the HTML standard,
 * sections 13.2.5.53 to 13.2.5.68 and 13.2.6.4.1.
 */
bool doctype_is_quirky(struct slice doctype);

#endif
