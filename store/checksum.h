/*
 * store/checksum.h - the checksum that follows each value in each table: XXH3,
 * 64 bits, of the table's name, the key and the value. It detects bits that
 * flip on the disk, and a row that is stored under the wrong key. Internal to
 * store/.
 */
#ifndef STORE_CHECKSUM_H
#define STORE_CHECKSUM_H

#include <stdint.h>

#include "base/slice.h"

enum { CHECKSUM_BYTES = 8 };

uint64_t checksum_of(const char *table, struct slice key, struct slice value);

/* Write the value and its checksum to `out` [value.size + CHECKSUM_BYTES]. */
void checksum_write(const char *table, struct slice key, struct slice value,
		    void *out);

/* Return the value without its checksum, or no value if it is damaged. */
struct slice checksum_read(const char *table, struct slice key,
			   struct slice stored);

#endif
