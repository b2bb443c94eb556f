/*
 * store/data_check.h - whether LMDB may be let onto the file of a store: it
 * trusts what it maps, and a page that is not there is a signal. Internal to
 * store/.
 */
#ifndef STORE_DATA_CHECK_H
#define STORE_DATA_CHECK_H

#include <stdbool.h>

#include "store/error.h"

enum data_extent {
	DATA_ROOTS, /* what opening a store reads: a few dozen pages */
	DATA_PAGES, /* all pages of all tables */
};

/*
 * Check the file in the folder of a store: its meta pages, its size, and the
 * pages. ERR_CORRUPT, after lines in the log that name the pages and tables;
 * ERR_IO; no file, or an empty one, is ERR_NONE. When the file is shorter than
 * its meta page says all pages are checked, for the end may have been free.
 * Another process may write meanwhile.
 */
enum error data_check(const char *folder, enum data_extent extent);

#endif
