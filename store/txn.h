/*
 * store/txn.h - an LMDB transaction that stores its first error. After an error
 * every call does nothing, so the caller checks only once, at txn_end().
 */
#ifndef STORE_TXN_H
#define STORE_TXN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct journal;
struct store;

/* Every table, with the layout of its keys (numbers big-endian) and values. */
#define TABLE_LIST(X)                                                          \
	X(TABLE_META, "meta")       /* name -> u64: schema, next ids */        \
	X(TABLE_SITES, "sites")     /* HOST -> site_row */                     \
	X(TABLE_PAGES, "pages")     /* site32 page64 -> page_row */            \
	X(TABLE_BODIES, "bodies")   /* site32 page64 -> store/content.h */     \
	X(TABLE_RECORDS, "records") /* site32 page64 -> store/content.h */     \
	X(TABLE_DICTIONARIES,                                                  \
	  "dictionaries")             /* site32 number32 -> dictionary_row */  \
	X(TABLE_SHINGLES, "shingles") /* site32 id32 -> u64 shingle */         \
	X(TABLE_SETS, "sets")         /* site32 set32 -> shingles, packed */   \
	X(TABLE_CLUSTERS, "clusters") /* site32 cluster32 -> cluster_row */    \
	X(TABLE_MEMBERS, "members")   /* site32 cluster32 page64 -> set32 */   \
	X(TABLE_DF, "frequencies")    /* site32 cluster32 fragment64 ->        \
					 store/document_frequency.h */         \
	X(TABLE_FRONTIER, "frontier") /* site32 url64 -> frontier_row */       \
	X(TABLE_PATTERNS, "patterns") /* site32 pattern64 -> pattern_row */    \
	X(TABLE_DUE, "due")           /* site32 due_ms64 url64 -> nothing */   \
	X(TABLE_HOSTS, "hosts")       /* AUTHORITY -> host_row */              \
	X(TABLE_EVENTS, "events")     /* seq64 -> event_row */                 \
	X(TABLE_TEMPLATES, "templates") /* site32 cluster32 -> template_row */ \
	X(TABLE_VERSIONS, "versions")   /* site32 cluster32 version32          \
					   -> version_row */                   \
	X(TABLE_SAMPLE_PAGES,                                                  \
	  "sample_pages") /* site32 cluster32 page64 -> sample_page_row        \
			   */                                                  \
	X(TABLE_GUARDS, "guards")   /* site32 guard32 -> guard_row */          \
	X(TABLE_GUARDED, "guarded") /* site32 guard32 page64 -> guarded_row    \
				     */                                        \
	X(TABLE_QUARANTINE, "quarantine") /* site32 page64 -> poison_row */    \
	X(TABLE_HOOKS, "hooks")           /* hook32 -> hook_row */             \
	X(TABLE_OUTBOX, "outbox")         /* hook32 seq64 -> event_row */      \
	X(TABLE_SILENCES, "silences")     /* silence32 -> silence_row */

enum table {
#define X(name, text) name,
	TABLE_LIST(X)
#undef X
		TABLE_COUNT
};

/* The tables whose keys begin with the number of a site. */
#define TABLES_OF_SITES                                                       \
	{                                                                     \
		TABLE_PAGES, TABLE_BODIES, TABLE_RECORDS, TABLE_DICTIONARIES, \
			TABLE_SHINGLES, TABLE_SETS, TABLE_CLUSTERS,           \
			TABLE_MEMBERS, TABLE_DF, TABLE_FRONTIER,              \
			TABLE_PATTERNS, TABLE_DUE, TABLE_TEMPLATES,           \
			TABLE_VERSIONS, TABLE_SAMPLE_PAGES, TABLE_GUARDS,     \
			TABLE_GUARDED, TABLE_QUARANTINE                       \
	}

struct txn {
	struct store *store;
	struct MDB_txn *mdb; /* NULL after commit or abort, and before begin */
	enum error error;    /* first error; later calls do nothing */
	int cause;           /* errno of that error, or 0 */
	bool is_writer;
	struct journal *journal; /* collects the changed rows, or NULL */
};

/*
 * Begin a transaction. A reader sees one snapshot and must be short: no
 * network, no waiting. There is one writer at a time; a second one waits. A
 * transaction ends in the thread that began it. Never begin one inside another:
 * a thread that replaces the file would wait for the outer one, and the inner
 * one for the replacement.
 */
struct txn txn_begin_read(struct store *store);
struct txn txn_begin_write(struct store *store);

/*
 * Return whether this thread has an open transaction. For assertions: such a
 * thread must not wait for another thread.
 */
bool txn_is_open(void);

/*
 * Allow the open transaction to wait for another thread until txn_wait_end():
 * for the log of the node group, which must be appended before the commit.
 */
void txn_wait_begin(void);
void txn_wait_end(void);

/*
 * Insert or replace a row. `key` has 1 to 511 bytes (LMDB's limit), otherwise
 * ERR_MALFORMED. Key and value must not point into the map. Errors of any step:
 * ERR_STORE_FULL, ERR_TOO_LARGE (more changes than a transaction can hold),
 * ERR_BUSY (512 readers), ERR_CORRUPT (a damaged page, or a wrong checksum of a
 * value, which txn_get() and scans compare), ERR_IO.
 */
void txn_put(struct txn *txn, enum table table, struct slice key,
	     struct slice value);

/*
 * Return the value at `key`, or {NULL, 0} if it is absent or the transaction
 * has failed. It points into the map: valid until txn_end() or, in a writer,
 * the next put or delete. An existing empty value has data != NULL.
 */
struct slice txn_get(struct txn *txn, enum table table, struct slice key);

/*
 * Return the row with the largest key below `key`; false if there is none. The
 * value and `*key_out` are valid as in txn_get(). Not while a scan of the table
 * is open.
 */
bool txn_get_before(struct txn *txn, enum table table, struct slice key,
		    struct slice *key_out, struct slice *value_out);

/*
 * Delete `key`; an absent key is no error, and a key of an invalid size is
 * absent.
 */
void txn_delete(struct txn *txn, enum table table, struct slice key);

/* Delete every key that begins with `prefix`; return their number. */
uint64_t txn_delete_prefix(struct txn *txn, enum table table,
			   struct slice prefix);

/* The size of a table: rows, and bytes of its pages in the map. */
struct table_usage {
	uint64_t rows;
	uint64_t bytes;
};

/* Return the size as this transaction sees it. O(1). */
struct table_usage txn_usage(struct txn *txn, enum table table);

/* Store `error` if it is the first. */
void txn_fail(struct txn *txn, enum error error);

/*
 * Commit (a writer) if every step succeeded, otherwise abort; always end the
 * transaction. Return the first error of any step or of the commit.
 */
enum error txn_end(struct txn *txn);

/* Abort without a commit. */
void txn_abort(struct txn *txn);

/*
 * Visit the keys of `table` that begin with `prefix` (empty: all), ascending:
 *
 *         struct scan scan = scan_begin(&txn, TABLE_DF, prefix);
 *         while (scan_next(&scan))
 *                 ... scan.key, scan.value ...
 *         scan_end(&scan);
 *
 * Key and value are valid until the next scan_next(); in a writer, until the
 * next put or delete. Do not change the table while a scan of it is open,
 * except with scan_delete(). End a scan before its transaction.
 */
struct scan {
	struct txn *txn;
	struct MDB_cursor *cursor;
	unsigned char start[512]; /* begins with the prefix */
	size_t prefix_size;
	enum table table;
	bool is_started;   /* false: the next step seeks from `start` */
	bool is_keys_only; /* do not read the values; may be set before the
			      first step */
	struct slice key;
	struct slice value;
};

struct scan scan_begin(struct txn *txn, enum table table, struct slice prefix);

/* Visit the rows of one site, and of one cluster or guard of it. */
struct scan scan_site(struct txn *txn, enum table table, uint32_t site);
struct scan scan_cluster(struct txn *txn, enum table table, uint32_t site,
			 uint32_t cluster);

/*
 * Like scan_begin(), but begin at the first key >= `from`, which has the prefix
 * `prefix_size` bytes long.
 */
struct scan scan_begin_at(struct txn *txn, enum table table, struct slice from,
			  size_t prefix_size);
bool scan_next(struct scan *scan);

/*
 * Read the value of the current row into scan.value, in a scan of keys only.
 * Return false if it is damaged; scan_read() also logs that and fails the
 * transaction, scan_try() does not.
 */
bool scan_read(struct scan *scan);
bool scan_try(struct scan *scan);

/* Delete the current row of the scan, which continues after it. */
void scan_delete(struct scan *scan);
void scan_end(struct scan *scan);

#endif
