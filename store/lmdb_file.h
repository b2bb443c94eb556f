/*
 * store/lmdb_file.h - check the file of a store before LMDB opens it
 *
 * LMDB trusts the pages that it maps, and a page that is missing in the file
 * would raise a signal. Internal to store/.
 */
#ifndef STORE_LMDB_FILE_H
#define STORE_LMDB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

enum lmdb_extent {
	/* the few dozen pages that are read when a store is opened */
	LMDB_ROOTS,
	LMDB_PAGES, /* all pages of all tables */
};

/*
 * Check the file in the folder of a store: its meta pages, its size, and the
 * pages that `extent` names. ERR_CORRUPT: the log names the damaged pages and
 * tables. ERR_IO. A missing or empty file is not an error. A file may be
 * shorter than its meta page states, if the missing pages are free. In this
 * case check all pages, to find out whether a page that is in use is missing.
 * Another process may write to the store during the check.
 */
enum error lmdb_file_check(const char *folder, enum lmdb_extent extent);

/*
 * A reader of files of LMDB 0.9. It reads page by page, without LMDB and
 * without a memory map, so damaged or missing data results in an error and not
 * in a signal. The layout is the one on little-endian machines with 64 bits.
 * Internal to store/.
 */

/* A table (MDB_db) in the layout of the file. */
struct lmdb_tree {
	/* size of a page; used only in the first tree of a meta page */
	uint32_t page_bytes;
	uint16_t flags;
	uint16_t depth;
	uint64_t branch_pages;
	uint64_t leaf_pages;
	uint64_t overflow_pages;
	uint64_t rows;
	uint64_t root; /* root page; LMDB_NO_PAGE = the table is empty */
};

#define LMDB_NO_PAGE UINT64_MAX

/* The content of a meta page (MDB_meta). */
struct lmdb_meta {
	uint32_t magic;
	uint32_t version;
	uint64_t address;
	uint64_t map_bytes;
	struct lmdb_tree free; /* the free pages, sorted by transaction */
	struct lmdb_tree main; /* the tables, sorted by name */
	uint64_t last_page;
	uint64_t transaction;
};

enum { LMDB_PAGE_HEAD_BYTES = 16, LMDB_MAX_PAGE_BYTES = 32768 };

struct lmdb_file {
	int file;
	uint64_t bytes;
	uint32_t page_bytes;
	/* content of the later one of the meta pages, which LMDB uses too */
	struct lmdb_meta meta;
	/* `meta` is valid; the other meta page may still be damaged */
	bool has_meta;
};

/*
 * Open the file `path`, and read its two meta pages. ERR_NOT_FOUND: the file
 * does not exist or is empty, which for LMDB is a new store. ERR_CORRUPT: a
 * meta page is damaged; the reason is in `why`. ERR_IO. Close the file also
 * after an error.
 */
enum error lmdb_file_open(struct lmdb_file *data_out, const char *path,
			  struct buffer *why);
void lmdb_file_close(struct lmdb_file *data);

/*
 * A check of every page that a table of the file uses. It finds out whether
 * LMDB can have written the page, as far as the page itself shows this. It also
 * visits the rows of the intact pages.
 */

/* A damaged page. The rows from key `low` to below key `high` are lost. */
struct lmdb_damage {
	/* name of the table; LMDB's own tables are "free" and "main" */
	const char *table;
	uint64_t page;
	const char *what;
	struct slice low;  /* empty = from the first key on */
	struct slice high; /* empty = up to the last key */
};

struct lmdb_visitor {
	void (*damage)(void *context, const struct lmdb_damage *damage);
	/*
	 * Visit a row. May be NULL. The key and the value are valid during the
	 * call. Return false to stop the walk.
	 */
	bool (*row)(void *context, const char *table, struct slice key,
		    struct slice value);
	void *context;
};

/*
 * Walk over the trees of all tables and of the free pages. For each page check
 * that it has its own number, the kind of page that its level needs, nodes that
 * fill it, and ascending keys in the range of its parent. Also check that no
 * page is used twice, and that each table has as many pages and rows as it
 * counts. The walk needs one bit of memory for each page that the meta page
 * counts, which may be up to 64 times as many as the file has. ERR_STOPPED: the
 * visitor has stopped the walk.
 */
enum error lmdb_file_walk(const struct lmdb_file *data,
			  const struct lmdb_visitor *visitor);

#endif
