/*
 * daemon/engine/packing.h - what is kept of a page is packed anew when it can
 * be smaller: by the dictionary of its template (store/content.h). Reads alone,
 * a bounded step at a time; what is found is written by CHANGE_PACK.
 *
 * A cluster has a dictionary once PACKING_MIN_PAGES of its bodies are kept, and
 * another one when half of them came after it and pack worse by it. A page
 * whose cluster has none is packed by that of the site's largest one that has.
 * A dictionary goes when no page needs it and its cluster has another, or is no
 * more.
 */
#ifndef DAEMON_ENGINE_PACKING_H
#define DAEMON_ENGINE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/key.h"
#include "store/store.h"
#include "store/txn.h"

enum {
	PACKING_MIN_PAGES = 3,
	PACKING_AT_ONCE = 64,         /* rows in a step */
	PACKING_STEP_BYTES = 4 << 20, /* unpacked; one page more at most */
};

/* A row that changes. */
struct pack_row {
	enum table table;    /* TABLE_BODIES, TABLE_RECORDS, TABLE_SAMPLE_PAGES,
				or TABLE_DICTIONARIES */
	struct key key;      /* of a new dictionary: its site and cluster */
	uint64_t before;     /* hash64 of the value that is replaced */
	struct buffer value; /* empty: the dictionary goes */
};

/* What was found. Begin with {0}; end with packing_free(). */
struct packing {
	struct pack_row *rows; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t bytes; /* that were unpacked for it */
};

void packing_free(struct packing *packing);

/* The way through a site. Begin with {.site}; end with packing_walk_end(). */
struct packing_walk {
	uint32_t site;
	uint64_t now_ms;
	int level;      /* zstd's, 1 to 19 */
	unsigned stage; /* what is looked at */
	struct key from;
	bool is_ended;
	struct packing_site *known; /* of the walk; or NULL */
};

/*
 * Take one step: *packing_out, which is {0}, has what it found. When that is
 * something, commit it before the next step. The walk is ended once nothing is
 * left to be looked at. A step reads up to PACKING_AT_ONCE rows that change in
 * one read transaction, or a site's rows without their values. ERR_IO,
 * ERR_BUSY.
 */
enum error packing_step(struct packing_walk *walk, struct store *store,
			struct packing *packing_out);
void packing_walk_end(struct packing_walk *walk);

#endif
