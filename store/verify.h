/*
 * store/verify.h - recompute from the records everything that the other tables
 * derive from them, and compare (promise 2 of the manual). The partition, which
 * needs clustering, is checked by daemon/engine/verify_laws.h.
 */
#ifndef STORE_VERIFY_H
#define STORE_VERIFY_H

#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/txn.h"

struct verify_report {
	uint64_t sites;
	uint64_t pages;
	uint64_t clusters;
	uint64_t df_counts; /* (cluster, fragment) pairs compared */
	uint64_t urls;      /* frontier rows */
	uint64_t problems;
	struct buffer text; /* a line a problem, at most the first 100 */
	char *place;        /* [VERIFY_PLACE_BYTES] for who watches from another
			       process: what is being read; or NULL */
};

enum { VERIFY_PLACE_BYTES = 128 };

/*
 * Check every site in the snapshot of `txn`: each page has a record and, unless
 * its row says that it is no longer kept, a body that unpacks to its content
 * hash, a signature, and one member row of an existing cluster (none for a page
 * that is truncated or of another class); cluster sizes and DF counts are
 * exact, with no superfluous row; the frontier and its due index agree, and the
 * counters of patterns and of the site row are right; every row belongs to a
 * site. Problems are counted and listed in `report`; an error is returned only
 * when the store cannot be read. Memory: the DF table of one cluster, or three
 * numbers for each pattern, at a time.
 */
enum error store_verify(struct txn *txn, struct verify_report *report);

/*
 * Read the pages of every table without the map (store/data_walk.h), and
 * compare the checksum of every value: what is damaged is a problem each, by
 * table and page or row. What reports a problem must not be read through the
 * map. In the snapshot that the file has then. ERR_IO, ERR_BUSY.
 */
struct store;
enum error store_verify_pages(struct store *store,
			      struct verify_report *report);

/* Say what is read from now on. */
void verify_place(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a problem to the report. */
void verify_problem(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
