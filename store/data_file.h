/*
 * store/data_file.h - the file of LMDB 0.9 read page by page, without LMDB and
 * without a map: what is damaged or missing gives an answer, not a signal. The
 * layout is that of little-endian machines of 64 bits. Internal to store/.
 */
#ifndef STORE_DATA_FILE_H
#define STORE_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* A table (MDB_db), as the file has it. */
struct data_tree {
	uint32_t page_bytes; /* in the first tree of a meta page */
	uint16_t flags;
	uint16_t depth;
	uint64_t branch_pages;
	uint64_t leaf_pages;
	uint64_t overflow_pages;
	uint64_t rows;
	uint64_t root; /* DATA_NO_PAGE: it is empty */
};

#define DATA_NO_PAGE UINT64_MAX

/* What a meta page says (MDB_meta). */
struct data_meta {
	uint32_t magic;
	uint32_t version;
	uint64_t address;
	uint64_t map_bytes;
	struct data_tree free; /* pages that are not used, by transaction */
	struct data_tree main; /* the tables, by name */
	uint64_t last_page;
	uint64_t transaction;
};

enum { DATA_PAGE_HEAD_BYTES = 16, DATA_MAX_PAGE_BYTES = 32768 };

struct data_file {
	int file;
	uint64_t bytes;
	uint32_t page_bytes;
	struct data_meta meta; /* the later one, which LMDB uses, too */
	bool has_meta;         /* although the other may be damaged */
};

/*
 * Open the file `path` and read its two meta pages. ERR_NOT_FOUND, also when
 * it has no bytes, which is a new store to LMDB; ERR_CORRUPT
 * when one of them is damaged, with the reason in `why`; ERR_IO. Close it in
 * any case.
 */
enum error data_file_open(struct data_file *data_out, const char *path,
			  struct buffer *why);
void data_file_close(struct data_file *data);

/* Whether there are as many bytes as the meta page has pages for. A whole store
 * can have a few less: pages that its last transaction gave up at once. */
bool data_file_is_long_enough(const struct data_file *data);

/* Read `size` bytes from `offset` of the page; false: the file has not so many.
 */
bool data_file_read(const struct data_file *data, uint64_t page, size_t offset,
		    void *out, size_t size);

#endif
