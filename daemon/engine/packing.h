/*
 * daemon/engine/packing.h - compress stored content again if it becomes smaller
 * with the dictionary of its template (store/content.h). Only reads, one
 * bounded step at a time; CHANGE_PACK writes the result.
 *
 * A cluster gets a dictionary when PACKING_MIN_PAGES of its bodies are stored,
 * and a new one when half of its bodies are newer than the dictionary and
 * compress worse. A page whose cluster has no dictionary uses the one of the
 * largest cluster of the site that has one. A dictionary is deleted when no
 * page uses it and its cluster has another one or was deleted.
 */
#ifndef DAEMON_ENGINE_PACKING_H
#define DAEMON_ENGINE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/key.h"
#include "store/store.h"
#include "store/txn.h"

enum {
	PACKING_MIN_PAGES = 3,
	PACKING_AT_ONCE = 64,         /* rows per step */
	PACKING_STEP_BYTES = 4 << 20, /* uncompressed; at most one page more */
};

/* A row that changes. */
struct pack_row {
	enum table table;    /* TABLE_BODIES, TABLE_RECORDS, TABLE_SAMPLE_PAGES,
				or TABLE_DICTIONARIES */
	struct key key;      /* of a new dictionary: its site and cluster */
	uint64_t before;     /* hash64 of the value to replace */
	struct buffer value; /* empty = delete the dictionary */
};

/* The result of a step. Initialize with {0}; free with packing_free(). */
struct packing {
	struct pack_row *rows; /* [count] */
	size_t count;
	size_t capacity;
	uint64_t bytes; /* uncompressed bytes read for it */
};

void packing_free(struct packing *packing);

/*
 * The position in a site. Initialize with {.site}; free with
 * packing_walk_end().
 */
struct packing_walk {
	uint32_t site;
	uint64_t now_ms;
	int level;      /* zstd's, 1 to 19 */
	unsigned stage; /* current stage */
	struct key from;
	bool is_ended;
	struct packing_site *known; /* state of the walk; or NULL */
};

/*
 * Take one step; *packing_out, which is {0}, gets the result. If it is not
 * empty, commit it before the next step. The walk has ended when nothing
 * remains. A step reads up to PACKING_AT_ONCE changing rows in one read
 * transaction, or the rows of a site without their values. ERR_IO, ERR_BUSY.
 */
enum error packing_step(struct packing_walk *walk, struct store *store,
			struct packing *packing_out);
void packing_walk_end(struct packing_walk *walk);

#endif
