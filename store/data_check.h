/*
 * store/lmdb_file_check.h - checks the file of a store before LMDB opens it:
 * LMDB trusts the pages that it maps, and a missing page is a signal. Internal
 * to store/.
 */
#ifndef STORE_DATA_CHECK_H
#define STORE_DATA_CHECK_H

#include <stdbool.h>

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

#endif
