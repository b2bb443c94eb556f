/*
 * store/txn.h - LMDB transactions. A transaction stores its first error. After
 * an error every call does nothing, so callers need to check only once, at
 * txn_end().
 */
#ifndef STORE_TXN_H
#define STORE_TXN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct journal;
struct store;

/*
 * All tables, with the format of their keys and values. Numbers in keys are
 * big-endian; "site32" is a number of 32 bits.
 */
#define TABLE_LIST(X)                                                          \
	X(TABLE_META, "meta")       /* name -> u64: schema, next ids */        \
	X(TABLE_SITES, "sites")     /* HOST -> site_row */                     \
	X(TABLE_PAGES, "pages")     /* site32 page64 -> page_row */            \
	X(TABLE_BODIES, "bodies")   /* site32 page64 -> store/content.h */     \
	X(TABLE_RECORDS, "records") /* site32 page64 -> store/content.h */     \
	X(TABLE_BODY_PIECES,                                                   \
	  "body_pieces") /* site32 page64 piece8 -> part of a value of         \
			    TABLE_BODIES (store/content.h); since schema 9 */  \
	X(TABLE_RECORD_PIECES,                                                 \
	  "record_pieces") /* site32 page64 piece8 -> part of a value of       \
			      TABLE_RECORDS; since schema 9 */                 \
	X(TABLE_DICTIONARIES,                                                  \
	  "dictionaries")             /* site32 number32 -> dictionary_row */  \
	X(TABLE_SHINGLES, "shingles") /* site32 id32 -> u64 shingle */         \
	X(TABLE_SETS, "sets")         /* site32 set32 -> shingles, packed */   \
	X(TABLE_WEIGHTS,                                                       \
	  "weights") /* site32 -> cluster/shingle_weights.h; since schema 2 */ \
	X(TABLE_CLUSTERS, "clusters")   /* site32 cluster32 -> cluster_row */  \
	X(TABLE_MEMBERS, "members")     /* site32 cluster32 page64 -> set32 */ \
	X(TABLE_DF, "frequencies")      /* site32 cluster32 fragment64 ->      \
					   store/document_frequency.h */       \
	X(TABLE_FRONTIER, "frontier")   /* site32 url64 -> frontier_row */     \
	X(TABLE_PATTERNS, "patterns")   /* site32 pattern64 -> pattern_row */  \
	X(TABLE_DUE, "due")             /* site32 due_ms64 url64 -> nothing */ \
	X(TABLE_HOSTS, "hosts")         /* AUTHORITY -> host_row */            \
	X(TABLE_EVENTS, "events")       /* seq64 -> event_row */               \
	X(TABLE_TEMPLATES, "templates") /* site32 cluster32 -> template_row */ \
	X(TABLE_NAMES, "names") /* site32 cluster32 -> name_row; since schema  \
				   2 */                                        \
	X(TABLE_FIELDS, "fields") /* site32 cluster32 -> fields_row; since     \
				     schema 5 */                               \
	X(TABLE_FIELD_VALUES,                                                  \
	  "field_values") /* site32 cluster32 page64 -> field_values_row;      \
			     since schema 5 */                                 \
	X(TABLE_RENDERS, "renders")   /* site32 cluster32 -> render_row; since \
					 schema 6 */                           \
	X(TABLE_VERSIONS, "versions") /* site32 cluster32 version32            \
					 -> version_row */                     \
	X(TABLE_SAMPLE_PAGES,                                                  \
	  "sample_pages") /* site32 cluster32 page64 -> sample_page_row        \
			   */                                                  \
	X(TABLE_GUARDS, "guards")   /* site32 guard32 -> guard_row */          \
	X(TABLE_GUARDED, "guarded") /* site32 guard32 page64 -> guarded_row    \
				     */                                        \
	X(TABLE_INCIDENTS, "incidents") /* site32 incident64 -> incident_row;  \
					   since schema 3 */                   \
	X(TABLE_COOKIES, "cookies") /* site32 scheme32 -> cookies_row; since   \
				       schema 3 */                             \
	X(TABLE_QUARANTINE, "quarantine") /* site32 page64 ->                  \
					     quarantine_row */                 \
	X(TABLE_WAITING, "waiting") /* site32 page64 -> waiting_row; since     \
				       schema 3 */                             \
	X(TABLE_HEALTH, "health")   /* site32 -> health_row; since schema 3 */ \
	X(TABLE_SCREENSHOTS, "screenshots") /* site32 page64 ->                \
					       screenshot_row; since schema    \
					       6 */                            \
	X(TABLE_INCIDENT_SCREENSHOTS,                                          \
	  "incident_screenshots") /* site32 incident64 ->                      \
				     incident_screenshots_row; since schema 6  \
				   */                                          \
	X(TABLE_INCIDENT_COMMENTS,                                             \
	  "incident_comments") /* site32 incident64 ->                         \
				     incident_comments_row; since schema 6 */  \
	X(TABLE_SITE_DAYS,                                                     \
	  "site_days") /* site32 -> site_days_row; since schema                \
			  6 */                                                 \
	X(TABLE_TEXT_CHANGES,                                                  \
	  "text_changes") /* site32 page64 -> text_change_row; since schema 7  \
			   */                                                  \
	X(TABLE_HOOKS, "hooks")   /* hook32 -> hook_row */                     \
	X(TABLE_OUTBOX, "outbox") /* hook32 seq64 -> event_row */              \
	X(TABLE_REFUSED,                                                       \
	  "refused") /* hook32 seq64 -> refused_row; since schema 8 */         \
	X(TABLE_SILENCES, "silences") /* silence32 -> silence_row */

enum table {
#define X(name, text) name,
	TABLE_LIST(X)
#undef X
		TABLE_COUNT
};

/* The tables whose keys begin with the number of a site. */
#define TABLES_OF_SITES                                                      \
	{                                                                    \
		TABLE_PAGES, TABLE_BODIES, TABLE_RECORDS, TABLE_BODY_PIECES, \
			TABLE_RECORD_PIECES, TABLE_DICTIONARIES,             \
			TABLE_SHINGLES, TABLE_SETS, TABLE_WEIGHTS,           \
			TABLE_CLUSTERS, TABLE_MEMBERS, TABLE_DF,             \
			TABLE_FRONTIER, TABLE_PATTERNS, TABLE_DUE,           \
			TABLE_TEMPLATES, TABLE_NAMES, TABLE_VERSIONS,        \
			TABLE_SAMPLE_PAGES, TABLE_GUARDS, TABLE_GUARDED,     \
			TABLE_INCIDENTS, TABLE_COOKIES, TABLE_QUARANTINE,    \
			TABLE_WAITING, TABLE_HEALTH, TABLE_FIELDS,           \
			TABLE_FIELD_VALUES, TABLE_SCREENSHOTS,               \
			TABLE_INCIDENT_SCREENSHOTS, TABLE_RENDERS,           \
			TABLE_INCIDENT_COMMENTS, TABLE_SITE_DAYS,            \
			TABLE_TEXT_CHANGES                                   \
	}

struct txn {
	struct store *store;
	/* NULL before the begin, and after a commit or abort */
	struct MDB_txn *mdb;
	enum error error; /* the first error */
	int cause;        /* the errno of that error, or 0 */
	bool is_writer;
	/* journal that collects the changed rows, or NULL */
	struct journal *journal;
};

/*
 * Begin a transaction. A reader sees one snapshot. It must be short: no network
 * access and no waiting. Only one writer can exist at a time; a second one
 * waits. A transaction must end in the thread that began it. Never begin a
 * transaction inside another one: if a thread replaced the file meanwhile, it
 * would wait for the outer transaction, and the inner one would wait for that
 * thread.
 */
struct txn txn_begin_read(struct store *store);
struct txn txn_begin_write(struct store *store);

/*
 * Return a number to pass to store_is_same(), which returns whether no commit
 * has begun or ended since then: all transactions in between read the same
 * data.
 */
uint64_t store_commits(const struct store *store);
bool store_is_same(const struct store *store, uint64_t commits);

/*
 * Return whether this thread has an open transaction. Use it only in
 * assertions: such a thread must not wait for another thread.
 */
bool txn_is_open(void);

/*
 * Permit the open transaction to wait for another thread until txn_wait_end().
 * This is needed for the log of the node group, which is appended before the
 * commit.
 */
void txn_wait_begin(void);
void txn_wait_end(void);

/*
 * Insert or replace a row. `key` has 1 to 511 bytes (LMDB's limit); otherwise
 * ERR_MALFORMED. Key and value must not point into the memory map. This and all
 * other functions may set these errors of the transaction: ERR_STORE_FULL.
 * ERR_TOO_LARGE: there are more changes than a transaction can hold. ERR_BUSY:
 * there are 512 readers. ERR_CORRUPT: a page is damaged, or txn_get() or a scan
 * has found a wrong checksum. ERR_IO.
 */
void txn_put(struct txn *txn, enum table table, struct slice key,
	     struct slice value);

/*
 * Return the value at `key`. It is {NULL, 0} if there is no such row or the
 * transaction has failed; an empty value of an existing row has data != NULL.
 * The value points into the memory map. It is valid until txn_end() or, in a
 * writer, until the next put or delete.
 */
struct slice txn_get(struct txn *txn, enum table table, struct slice key);

/*
 * Return the row with the largest key below `key`; return false if no key is
 * lower. The value and *key_out are valid as in txn_get(). Do not call this
 * while a scan of the table is open.
 */
bool txn_get_before(struct txn *txn, enum table table, struct slice key,
		    struct slice *key_out, struct slice *value_out);

/*
 * Delete the row at `key`. It is not an error if there is no such row or if the
 * size of the key is invalid.
 */
void txn_delete(struct txn *txn, enum table table, struct slice key);

/* Delete all rows whose keys begin with `prefix`. Return their number. */
uint64_t txn_delete_prefix(struct txn *txn, enum table table,
			   struct slice prefix);

/* The size of a table: its rows, and the size of its pages. */
struct table_usage {
	uint64_t rows;
	uint64_t bytes;
};

/* Return the size of the table as this transaction sees it. O(1). */
struct table_usage txn_usage(struct txn *txn, enum table table);

/* Fail the transaction with `error`, unless it has failed already. */
void txn_fail(struct txn *txn, enum error error);

/*
 * End the transaction. A writer is committed if no step has failed; otherwise
 * the transaction is aborted. Return the first error of any step or of the
 * commit.
 */
enum error txn_end(struct txn *txn);

/* Abort the transaction. */
void txn_abort(struct txn *txn);

/*
 * A scan visits the rows of `table` whose keys begin with `prefix` (empty = all
 * rows), in ascending order:
 *
 *         struct scan scan = scan_begin(&txn, TABLE_DF, prefix);
 *         while (scan_next(&scan))
 *                 ... scan.key, scan.value ...
 *         scan_end(&scan);
 *
 * The key and the value are valid until the next scan_next() and, in a writer,
 * until the next put or delete. Do not change the table while a scan of it is
 * open, except with scan_delete(). End the scan before its transaction.
 */
struct scan {
	struct txn *txn;
	struct MDB_cursor *cursor;
	/* key to search for in the next step; it begins with the prefix */
	unsigned char start[512];
	size_t prefix_size;
	enum table table;
	bool is_started; /* false = the next step searches for `start` */
	/* the values are not read; set it before the first step */
	bool is_keys_only;
	struct slice key;
	struct slice value;
};

struct scan scan_begin(struct txn *txn, enum table table, struct slice prefix);

/*
 * scan_site() visits the rows of one site, scan_cluster() the rows of one
 * cluster or guard of a site.
 */
struct scan scan_site(struct txn *txn, enum table table, uint32_t site);
struct scan scan_cluster(struct txn *txn, enum table table, uint32_t site,
			 uint32_t cluster);

/*
 * Begin a scan at the first key >= `from`. The prefix of the scan is the first
 * `prefix_size` bytes of `from`.
 */
struct scan scan_begin_at(struct txn *txn, enum table table, struct slice from,
			  size_t prefix_size);
bool scan_next(struct scan *scan);

/*
 * Read the value of the current row into scan.value, in a scan with
 * is_keys_only. Return false if the value is damaged. scan_read() then also
 * logs this and fails the transaction; scan_try() does not.
 */
bool scan_read(struct scan *scan);
bool scan_try(struct scan *scan);

/* Delete the current row. The scan continues after it. */
void scan_delete(struct scan *scan);
void scan_end(struct scan *scan);

#endif
