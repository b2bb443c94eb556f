/* store/salvage.h - what is whole of a damaged store, in a new one. */
#ifndef STORE_SALVAGE_H
#define STORE_SALVAGE_H

#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"

struct store;

struct salvage_report {
	uint64_t rows;        /* saved */
	uint64_t sites;       /* saved */
	uint64_t damaged;     /* sites that are not */
	uint64_t bodies_lost; /* of pages that are saved */
	struct buffer text;   /* a line for each thing that is not whole, at
				 most the first 1000 */
};

/*
 * Read the file of the store in the folder `from` without the map and without
 * writing to it, and write every whole row to a new store in `to`. A site is
 * saved when all of it is whole but for bodies: pages without one say so, as if
 * it were no longer kept. Of what belongs to no site every whole row is saved.
 * Of the other sites the whole rows of TABLE_SITES, PAGES, BODIES,
 * DICTIONARIES, FRONTIER and GUARDS go to `remains`, an empty store, which no
 * law holds for: from these they can be learned anew. May be NULL.
 * Two passes over the file, or three. ERR_NOT_FOUND: there is none;
 * ERR_CORRUPT: neither meta page, or not the list of tables, can be read, so
 * that nothing is found; ERR_VERSION: its values have no checksums, so that
 * nothing tells what is whole; ERR_REFUSED: there is a store in `to`; else as
 * store_open(). Free report_out->text.
 */
enum error store_salvage(const char *from, const char *to,
			 struct store *remains,
			 struct salvage_report *report_out);

#endif
