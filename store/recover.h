/* store/recover.h - copy the intact part of a damaged store to a new store. */
#ifndef STORE_RECOVER_H
#define STORE_RECOVER_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct store;

struct recovery_report {
	uint64_t rows;    /* number of recovered rows */
	uint64_t sites;   /* number of recovered sites */
	uint64_t damaged; /* number of sites that are not recovered */
	/* number of pages of recovered sites whose body is lost */
	uint64_t bodies_lost;
	struct buffer text; /* one line for each loss, at most 1000 lines */
};

/*
 * Copy the intact rows of the store in the folder `from` to a new store in the
 * folder `to`. The caller frees report_out->text.
 *
 * `from`: its file is read without a memory map, in two or three passes, and is
 * not changed.
 *
 * `to`: a site is recovered if all its rows except bodies are intact; its pages
 * without a body are marked like pages whose body has expired. Rows that belong
 * to no site are recovered if they are intact.
 *
 * `remains`: an empty store, or NULL. Of the sites that are not recovered, the
 * intact rows of TABLE_SITES, PAGES, BODIES, DICTIONARIES, FRONTIER and GUARDS
 * are copied to `remains`, so that these sites can be built again. The tables
 * of `remains` need not agree with each other.
 *
 * ERR_NOT_FOUND: `from` has no store. ERR_CORRUPT: both meta pages or the list
 * of tables cannot be read, or no checksum is correct. ERR_ADDRESS_FORBIDDEN:
 * `to` has a store. Otherwise the errors of store_open().
 */
enum error store_recover_intact(const char *from, const char *to,
				struct store *remains,
				struct recovery_report *report_out);

#endif
