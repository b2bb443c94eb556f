/*
 * store/data_walk.h - every page that a table of the file uses, as
 * store/data_file.h reads it: whether it is what LMDB wrote, as far as a page
 * shows that, and the rows of those that are. Internal to store/.
 */
#ifndef STORE_DATA_WALK_H
#define STORE_DATA_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/data_file.h"
#include "store/error.h"
#include "store/slice.h"

/* A page that is damaged: with it go the keys from `low` to below `high`. */
struct data_damage {
	const char *table; /* its name; of LMDB's own: "free", "main" */
	uint64_t page;
	const char *what;
	struct slice low;  /* empty: from the first */
	struct slice high; /* empty: to the last */
};

struct data_visitor {
	void (*damage)(void *context, const struct data_damage *damage);
	/* May be NULL; key and value are valid during the call. false: go no
	 * further. */
	bool (*row)(void *context, const char *table, struct slice key,
		    struct slice value);
	void *context;
};

/*
 * Walk the trees of all tables, and of the free pages. Checked are: that a page
 * has its own number, the kind of its level, nodes that fill it and ascending
 * keys between those of its parent; that no page is used twice; and that a
 * table has the pages and rows that it counts. One bit of memory a page of
 * the meta page, which may have 64 times as many as the file.
 * ERR_STOPPED: a visitor wanted no more.
 */
enum error data_walk(const struct data_file *data,
		     const struct data_visitor *visitor);

/* The same of the pages that opening a store reads: those of LMDB's own tables'
 * roots and the list of tables, and the root of each. */
enum error data_walk_roots(const struct data_file *data,
			   const struct data_visitor *visitor);

#endif
