/* daemon/engine/packing_parts.h - the parts of packing_step(). Internal to
 * packing*.c. */
#ifndef DAEMON_ENGINE_PACKING_PARTS_H
#define DAEMON_ENGINE_PACKING_PARTS_H

#include "daemon/engine/packing.h"
#include "store/compress.h"

struct packed_pages {
	uint32_t pages;
	uint64_t packed; /* bytes */
	uint64_t source;
};

/* A dictionary, but for its bytes. */
struct known_dictionary {
	uint32_t number;
	uint32_t cluster;
	uint64_t created_ms;
	bool is_current; /* the newest of a cluster that there is */
	bool is_used;    /* by a value that was seen in this walk */
	/* the bodies by it, by whether they came later; of this walk */
	struct packed_pages before;
	struct packed_pages since;
};

enum { MAX_PACKERS = 16 };

/* A packer that is kept for the next page. */
struct kept_packer {
	uint32_t dictionary;
	enum table table;
	struct packer *packer;
};

struct packing_site {
	struct known_dictionary *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
	uint32_t *by_cluster; /* [count], places in `items`, ascending by the
				 cluster and then by number */
	uint32_t common;      /* for pages of clusters without one; 0: none */
	struct kept_packer packers[MAX_PACKERS];
	size_t next_packer; /* the one that is replaced */
};

/* The dictionary of that number, or NULL. */
struct known_dictionary *known_find(const struct packing_site *site,
				    uint32_t number);

/* The current one of the cluster, or NULL. */
struct known_dictionary *known_of(const struct packing_site *site,
				  uint32_t cluster);

/* Read which ones there are. */
struct packing_site *known_read(struct txn *txn, uint32_t site);
void known_free(struct packing_site *site);

/* Add a row; its value is {0}. */
struct pack_row *packing_add(struct packing *packing, enum table table,
			     struct key key);

/* Make the dictionaries that clusters lack; a few at a time. */
void packing_make(const struct packing_walk *walk, struct txn *txn,
		  struct packing *packing);

/* The same where the pages that came later pack worse, after a walk. */
void packing_make_anew(const struct packing_walk *walk, struct txn *txn,
		       struct packing *packing);

#endif
