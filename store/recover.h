/*
 * store/recover.h - recovers the intact part of a damaged store into a new one.
 */
#ifndef STORE_RECOVER_H
#define STORE_RECOVER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct store;

struct recovery_report {
	uint64_t rows;        /* recovered rows */
	uint64_t sites;       /* recovered sites */
	uint64_t damaged;     /* sites that are not recovered */
	uint64_t bodies_lost; /* lost bodies of recovered pages */
	struct buffer text;   /* one line per loss, at most the first 1000 */
};

/*
 * Read the file of the store in the folder `from` without the map and without
 * writing to it, and write every intact row to a new store in `to`. Recover a
 * site if all of it except bodies is intact; pages without a body are marked
 * like pages whose body has expired. Recover every intact row that belongs to
 * no site. Of the other sites, copy the intact rows of TABLE_SITES, PAGES,
 * BODIES, DICTIONARIES, FRONTIER and GUARDS to `remains`, an empty store
 * without invariants, from which the sites can be built again. `remains` may be
 * NULL. Two or three passes over the file. ERR_NOT_FOUND: `from` has no store;
 * ERR_CORRUPT: both meta pages or the list of tables are unreadable, or no
 * checksum is correct; ERR_ADDRESS_FORBIDDEN: `to` has a store; otherwise the
 * errors of store_open(). Free report_out->text.
 */
enum error store_recover_intact(const char *from, const char *to,
				struct store *remains,
				struct recovery_report *report_out);

#endif
