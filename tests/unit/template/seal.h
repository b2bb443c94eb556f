/*
 * tests/unit/template/seal.h - make the sizes and checksums of a damaged bundle
 * right again, so that what is behind them is tested, too.
 */
#ifndef TESTS_UNIT_TEMPLATE_SEAL_H
#define TESTS_UNIT_TEMPLATE_SEAL_H

#include <stddef.h>

/* `file` [size]; nothing happens when it has no room for a header. */
void seal(unsigned char *file, size_t size);

#endif
