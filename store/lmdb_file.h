/*
 * store/lmdb_file.h - checks the file of a store before LMDB opens it:
 * LMDB trusts the pages that it maps, and a missing page is a signal. Internal
 * to store/.
 */
#ifndef STORE_LMDB_FILE_H
#define STORE_LMDB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum lmdb_extent {
	LMDB_ROOTS, /* the pages that opening a store reads: a few dozen */
	LMDB_PAGES, /* all pages of all tables */
};

/*
 * Check the file in the folder of a store: its meta pages, its size, and the
 * pages. ERR_CORRUPT, after log lines that name the pages and tables; ERR_IO. A
 * missing or empty file is ERR_NONE. If the file is shorter than its meta page
 * states, check all pages, because the missing end may be free pages. Another
 * process may write during the check.
 */
enum error lmdb_file_check(const char *folder, enum lmdb_extent extent);

/*
 * Reads the file of LMDB 0.9 page by page, without LMDB and without a map, so
 * that damaged or missing data cause an error and not a signal. The layout is
 * for little-endian machines with 64 bits. Internal to store/.
 */

/* A table (MDB_db) in the layout of the file. */
struct lmdb_tree {
	uint32_t page_bytes; /* only in the first tree of a meta page */
	uint16_t flags;
	uint16_t depth;
	uint64_t branch_pages;
	uint64_t leaf_pages;
	uint64_t overflow_pages;
	uint64_t rows;
	uint64_t root; /* LMDB_NO_PAGE: the table is empty */
};

#define LMDB_NO_PAGE UINT64_MAX

/* The content of a meta page (MDB_meta). */
struct lmdb_meta {
	uint32_t magic;
	uint32_t version;
	uint64_t address;
	uint64_t map_bytes;
	struct lmdb_tree free; /* the free pages, by transaction */
	struct lmdb_tree main; /* the tables, by name */
	uint64_t last_page;
	uint64_t transaction;
};

enum { LMDB_PAGE_HEAD_BYTES = 16, LMDB_MAX_PAGE_BYTES = 32768 };

struct lmdb_file {
	int file;
	uint64_t bytes;
	uint32_t page_bytes;
	struct lmdb_meta meta; /* the later one, which LMDB uses, too */
	bool has_meta;         /* although the other one may be damaged */
};

/*
 * Open the file `path` and read its two meta pages. ERR_NOT_FOUND, also for an
 * empty file, which is a new store for LMDB; ERR_CORRUPT if a meta page is
 * damaged, with the reason in `why`; ERR_IO. Close it in any case.
 */
enum error lmdb_file_open(struct lmdb_file *data_out, const char *path,
			  struct buffer *why);
void lmdb_file_close(struct lmdb_file *data);

/*
 * Checks every page that a table of the file uses, with store/lmdb_file.h:
 * whether LMDB can have written it, as far as one page shows that. Also visits
 * the rows of the intact pages.
 */

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

#endif
