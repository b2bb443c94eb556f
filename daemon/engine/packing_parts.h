/* daemon/engine/packing_parts.h - the parts of packing_step(). Internal to
 * packing*.c. */
#ifndef DAEMON_ENGINE_PACKING_PARTS_H
#define DAEMON_ENGINE_PACKING_PARTS_H

#include "base/compress.h"
#include "daemon/engine/packing.h"

struct packed_pages {
	uint32_t pages;
	uint64_t packed; /* in bytes */
	uint64_t source;
};

/* A dictionary without its bytes. */
struct stored_dictionary {
	uint32_t number;
	uint32_t cluster;
	uint64_t created_ms;
	bool is_current; /* the newest dictionary of an existing cluster */
	bool is_used;    /* this walk has seen a value that uses it */
	/*
	 * the bodies that use it, older and newer than it; counted by this walk
	 */
	struct packed_pages before;
	struct packed_pages since;
};

enum { MAX_PACKERS = 16 };

/* A packer that is reused for the next page. */
struct cached_packer {
	uint32_t dictionary;
	enum table table;
	struct packer *packer;
};

struct packing_site {
	struct stored_dictionary *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
	uint32_t *by_cluster; /* [count], indexes of `items`, ascending by
				 cluster and then by number */
	uint32_t common; /* for pages of clusters without a dictionary; 0 = none
			  */
	struct cached_packer packers[MAX_PACKERS];
	size_t next_packer; /* the packer to replace next */
};

/* Return the dictionary of that number, or NULL. */
struct stored_dictionary *
packing_dictionary_find(const struct packing_site *site, uint32_t number);

/* Return the current dictionary of the cluster, or NULL. */
struct stored_dictionary *packing_dictionary_of(const struct packing_site *site,
						uint32_t cluster);

/* Read the list of dictionaries. */
struct packing_site *packing_site_read(struct txn *txn, uint32_t site);
void packing_site_free(struct packing_site *site);

/* Add a row; its value is {0}. */
struct pack_row *packing_add(struct packing *packing, enum table table,
			     struct key key);

/* Make missing dictionaries; a few per call. */
void packing_make_dictionaries(const struct packing_walk *walk, struct txn *txn,
			       struct packing *packing);

/* After a walk: replace dictionaries whose newer pages compress worse. */
void packing_replace_dictionaries(const struct packing_walk *walk,
				  struct txn *txn, struct packing *packing);

#endif
