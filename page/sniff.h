/* page/sniff.h - tells pages from binary files. Internal to page/. */
#ifndef PAGE_SNIFF_H
#define PAGE_SNIFF_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Return whether `body` begins like a known binary format, or its first 4 KB
 * are full of control characters and neither a byte order mark nor `charset`
 * declares UTF-16.
 */
bool sniff_is_binary(struct slice body, struct slice charset);

#endif
