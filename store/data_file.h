/*
 * store/data_file.h - reads the file of LMDB 0.9 page by page, without LMDB and
 * without a map, so that damaged or missing data cause an error and not a
 * signal. The layout is for little-endian machines with 64 bits. Internal to
 * store/.
 */
#ifndef STORE_DATA_FILE_H
#define STORE_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

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
 * Return whether the file contains all pages that the meta page counts. A
 * complete store can be a few pages shorter: its last transaction freed them
 * immediately.
 */
bool lmdb_file_is_long_enough(const struct lmdb_file *data);

/*
 * Read `size` bytes from `offset` of the page; return false if the file is too
 * short.
 */
bool lmdb_file_read(const struct lmdb_file *data, uint64_t page, size_t offset,
		    void *out, size_t size);

#endif
