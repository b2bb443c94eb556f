/*
 * store/rewrite.h - copies the store so that its pages are full. Internal to
 * store/.
 */
#ifndef STORE_REWRITE_H
#define STORE_REWRITE_H

#include "base/error.h"
#include "store/store.h"

/*
 * Write every row of `from`, table by table and in order, to the empty file
 * `name`. LMDB's own compaction does not merge pages, which may be a quarter
 * full; this copy fills each page. It does not sync. One read transaction.
 * ERR_STORE_FULL, ERR_CORRUPT, ERR_IO.
 */
enum error store_rewrite(struct store *from, const char *name);

#endif
