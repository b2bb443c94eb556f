/* store/rewrite.h - a copy of the store whose pages are full. Internal to
 * store/. */
#ifndef STORE_REWRITE_H
#define STORE_REWRITE_H

#include <stdbool.h>

#include "store/error.h"
#include "store/store.h"

/*
 * Write every row of `from`, table by table and in order, to the empty file
 * `name`; with `is_upgrade` as rows of this schema, and its number: they have
 * checksums, and their secrets are added to those of `from`. LMDB's own
 * compaction keeps its pages as they are, which may be a quarter full; here
 * each is filled. Not synchronized. One read transaction. ERR_STORE_FULL,
 * ERR_CORRUPT, ERR_IO.
 */
enum error store_rewrite(struct store *from, const char *name, bool is_upgrade);

#endif
