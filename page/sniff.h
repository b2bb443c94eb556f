/* page/sniff.h - distinguishing pages from binary files. Internal to page/. */
#ifndef PAGE_SNIFF_H
#define PAGE_SNIFF_H

#include <stdbool.h>

#include "store/slice.h"

/*
 * Whether `body` begins as a known binary format does, or is full of control
 * characters in its first 4 KB without being UTF-16 by its byte order mark or
 * by `charset`.
 */
bool sniff_is_binary(struct slice body, struct slice charset);

#endif
