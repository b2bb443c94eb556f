/*
 * store/lmdb_file_walk.h - checks every page that a table of the file uses,
 * with store/data_file.h: whether LMDB can have written it, as far as one page
 * shows that. Also visits the rows of the intact pages. Internal to store/.
 */
#ifndef STORE_DATA_WALK_H
#define STORE_DATA_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "store/data_file.h"

/* A damaged page. The keys from `low` to below `high` are lost. */
struct lmdb_damage {
	const char
		*table; /* its name; LMDB's own tables are "free" and "main" */
	uint64_t page;
	const char *what;
	struct slice low;  /* empty: from the first key */
	struct slice high; /* empty: up to the last key */
};

struct lmdb_visitor {
	void (*damage)(void *context, const struct lmdb_damage *damage);
	/*
	 * May be NULL. Key and value are valid during the call. Return false to
	 * stop the walk.
	 */
	bool (*row)(void *context, const char *table, struct slice key,
		    struct slice value);
	void *context;
};

/*
 * Walk the trees of all tables, and of the free pages. Check that a page has
 * its own number, the kind of its level, nodes that fill it, and ascending keys
 * between the keys of its parent; that no page is used twice; and that a table
 * has as many pages and rows as it counts. Uses one bit of memory per page of
 * the meta page, which may count 64 times as many as the file has. ERR_STOPPED:
 * the visitor stopped the walk.
 */
enum error lmdb_file_walk(const struct lmdb_file *data,
			  const struct lmdb_visitor *visitor);

/*
 * Do the same for the pages that opening a store reads: the roots of LMDB's own
 * tables, the list of tables, and the root of each table.
 */
enum error lmdb_file_walk_roots(const struct lmdb_file *data,
				const struct lmdb_visitor *visitor);

#endif
