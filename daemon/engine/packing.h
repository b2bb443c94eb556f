/*
 * daemon/engine/packing.h - compress stored content again if the dictionary of
 * its template makes it smaller (store/content.h). This code only reads, one
 * bounded step at a time; CHANGE_PACK writes the result.
 *
 * Arriving pages may bring a dictionary (daemon/engine/page_packer.h).
 * Otherwise a cluster gets one when at least PACKING_MIN_PAGES of its bodies
 * are stored. It gets a new dictionary when half of its bodies are newer than
 * the old one and compress worse. A page whose cluster has no dictionary uses
 * the dictionary of the largest cluster of the site that has one. A dictionary
 * is retired when no page uses it and its cluster was deleted or has a newer
 * dictionary. The next walk deletes it if still no page uses it.
 */
#ifndef DAEMON_ENGINE_PACKING_H
#define DAEMON_ENGINE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

struct cluster_name;
struct listed_site;

enum {
	PACKING_MIN_PAGES = 3,
	/* the dictionary of a cluster with as many pages has several of them */
	PACKING_ENOUGH_PAGES = 16,
	/* maximum number of changing rows per step */
	PACKING_AT_ONCE = 64,
	/*
	 * maximum uncompressed size of the content of a step; the last page may
	 * exceed it
	 */
	PACKING_STEP_BYTES = 4 << 20,
};

/*
 * Write the first byte of a dictionary to `out`: a line feed, so that the bytes
 * of a page cannot be mistaken for a header (base/compress.h).
 */
void packing_begin_dictionary(struct buffer *out);

/* Return the number of the newest dictionary of the cluster; 0 = none. */
uint32_t packing_find_dictionary(struct txn *txn,
				 const struct cluster_name *name);

/*
 * Join the bodies of typical pages of the cluster, and their records in packed
 * form, to a new dictionary. Return false if it has fewer than
 * PACKING_MIN_PAGES stored bodies.
 */
bool packing_join_dictionary(struct txn *txn, const struct cluster_name *name,
			     struct buffer *bodies, struct buffer *records);

/*
 * Compress the two parts of a dictionary to `packed`, and set their sizes and
 * slices in the row.
 */
void packing_compress_dictionary(struct dictionary_row *row,
				 struct buffer packed[static 2],
				 struct slice bodies, struct slice records);

/* A row that changes. */
struct pack_row {
	enum table table; /* TABLE_BODIES, TABLE_RECORDS, TABLE_SAMPLE_PAGES,
			     or TABLE_DICTIONARIES */
	/* key of the row; for a new dictionary, its site and cluster */
	struct key key;
	uint64_t before;     /* hash64() of the value to replace */
	struct buffer value; /* the new value; empty = delete the dictionary */
	bool retires;        /* let no other page use the dictionary, instead */
};

/* The result of a step. Initialize with {0}; free with packing_free(). */
struct packing {
	struct pack_row *rows; /* [count] */
	size_t count;
	size_t capacity;
	/* number of uncompressed bytes that the step has read */
	uint64_t bytes;
};

void packing_free(struct packing *packing);

/*
 * The position of a walk in a site. Initialize with {.site}; free with
 * packing_walk_end().
 */
struct packing_walk {
	uint32_t site;
	uint64_t now_ms;
	unsigned stage; /* number of the current stage */
	struct key from;
	bool is_ended;
	/* dictionaries of the site; NULL before the first step */
	struct packing_site *known;
};

/*
 * Take one step. The result is written to *packing_out, which is {0} before the
 * call. If the result is not empty, commit it before the next step. At the end
 * of the site is_ended is set. A step reads up to PACKING_AT_ONCE changing rows
 * in one read transaction, or all rows of a site without their values. ERR_IO,
 * ERR_BUSY.
 */
enum error packing_step(struct packing_walk *walk, struct store *store,
			struct packing *packing_out);
void packing_walk_end(struct packing_walk *walk);

/* A site that was walked, and the state of its row at that time. */
struct walked_site {
	uint32_t site;
	bool is_done; /* the walk has changed nothing */
	uint64_t generation;
	uint64_t rests_until_ms; /* by the steady clock */
};

/*
 * Return the state of a site whose walk ends now. `site` was read before the
 * walk, which has changed `packed` rows. The next walk comes no earlier than 1
 * ms for each page later, which is about 40 times as long as a walk takes.
 */
struct walked_site walked_site_note(const struct listed_site *site,
				    uint64_t packed, uint64_t now_ms);

/*
 * Return whether the site need not be walked now. A walk reads all pages of the
 * site. So a large site is not walked again for each page that changes.
 * `last` may be NULL.
 */
bool walked_site_rests(const struct walked_site *last,
		       const struct listed_site *site, uint64_t now_ms);

#endif
