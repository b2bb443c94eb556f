/*
 * tests/unit/template/seal.h - correct the sizes and checksums of a damaged
 * bundle, so that the contents are tested, too.
 */
#ifndef TESTS_UNIT_TEMPLATE_SEAL_H
#define TESTS_UNIT_TEMPLATE_SEAL_H

#include <stddef.h>

/* `file` [size]; nothing happens when it has no room for a header. */
void seal(unsigned char *file, size_t size);

#endif
