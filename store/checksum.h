/*
 * store/checksum.h - what stands behind each value of each table: XXH3, 64
 * bits, of the table's name, the key and the value, so that a bit that turns
 * over on the disk is found, and a row in the place of another, too. Internal
 * to store/.
 */
#ifndef STORE_CHECKSUM_H
#define STORE_CHECKSUM_H

#include <stdint.h>

#include "store/slice.h"

enum { CHECKSUM_BYTES = 8 };

uint64_t checksum_of(const char *table, struct slice key, struct slice value);

/* Write the value and its checksum to `out` [value.size + CHECKSUM_BYTES]. */
void checksum_write(const char *table, struct slice key, struct slice value,
		    void *out);

/* The value in what is stored; no value when it is damaged. */
struct slice checksum_read(const char *table, struct slice key,
			   struct slice stored);

#endif
