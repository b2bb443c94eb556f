/*
 * daemon/query/stored_site.h - the site_view (template/extraction.h) of a site
 * in the store. Internal to query.c and similar files.
 */
#ifndef DAEMON_QUERY_STORED_SITE_H
#define DAEMON_QUERY_STORED_SITE_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/privsep/messages.h"
#include "page/page.h"
#include "store/rows.h"
#include "store/txn.h"
#include "template/extraction.h"
#include "template/result.h"
#include "template/version.h"

struct arena;

struct stored_site {
	struct site_view view;
	struct store *store;
	struct txn txn; /* open while the view is read */
	bool is_read;
	enum error error; /* the first error */
	uint32_t id;
	const struct extraction_options *rules;
	struct arena *arena; /* for copied texts */
};

/*
 * Initialize *site from its row and return its view, valid as long as *site and
 * `rules`. A transaction is open only between begin() and end() of the view:
 * end the caller's transaction first. NULL: the row is damaged. Close it in any
 * case.
 */
const struct site_view *
stored_site_open(struct stored_site *site, struct store *store,
		 const struct site_row *row,
		 const struct extraction_options *rules);

/* Close a site; an unopened one must be zeroed. */
void stored_site_close(struct stored_site *site);

/*
 * A sample_reader (daemon/privsep/model_cache.h) for a struct stored_site. This
 * thread must have no open transaction.
 */
enum error stored_site_sample(void *context, uint32_t cluster,
			      struct buffer *list, uint32_t *changes_out);

/* Return the page `key` with its row; the charset points into the row. */
struct known_page stored_site_known_page(uint64_t key,
					 const struct page_row *row);

/* Return the page with a charset that lives as long as the site. */
struct known_page stored_site_own_page(struct stored_site *site,
				       struct known_page page);

/* Return all 0 if there is no such cluster. */
struct cluster_state stored_site_state(struct txn *txn, uint32_t site,
				       uint32_t cluster);

/* A site's own model: the file HOST.model in the configured folder. */

/* A model_loader of template/extraction.h. */
enum error site_model_load(void *context,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct extraction_result *answer);

/*
 * Append the unchecked content of the file of `host` to `text`, and its path to
 * `path`. If there is no file, append nothing to `text`. ERR_IO, ERR_TOO_LARGE.
 */
enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text);

/*
 * The identity of the file; all 0 = no file. A replaced file has another
 * identity.
 */
struct site_model_stamp {
	uint64_t inode;
	uint64_t bytes;
	uint64_t changed_ns;
};

/* `folder` NULL or "" = no file. */
struct site_model_stamp site_model_identity(const char *folder,
					    const char *host);

/* Respond to a worker's requests for data of a site in the store. */

struct site_service {
	struct stored_site
		*site; /* the only site that the worker may request; or NULL */
	const struct extraction_options *rules;
	const struct text_request *request;
	bool is_ahead; /* no client waits for the text */
};

/* An request_handler, whose context is a struct site_service. */
bool site_service_respond(void *context, const struct task_request *inquiry,
			  struct message *answer);

/* Parse pages of the store. */

/*
 * Return the title of a page, in `arena`; {NULL, 0} if the page has no record.
 */
struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page);

/* The pages of a cluster. */
struct stored_pages {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	const struct page_limits *limits;
};

/*
 * Append the source of the page. ERR_BODY_EXPIRED, ERR_CORRUPT; or the error of
 * the transaction.
 */
enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out);

/*
 * Append the page `key` of the site, whose row is `row`, to a list of
 * daemon/privsep/messages.h, to be parsed without a transaction.
 * ERR_BODY_EXPIRED, ERR_CORRUPT: nothing is appended.
 */
enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list);

/*
 * Find up to `max_count` pages whose bodies are stored: those with the lowest
 * content hashes, a random but reproducible sample; garbage collection
 * preserves their bodies (daemon/engine/gc.h). After `max_bytes` of source add
 * no more, except to reach two. Write their keys and return their number. Reads
 * the row of every page of the cluster.
 */
uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t max_bytes, uint64_t *keys_out);

/*
 * Append these pages; a damaged one is skipped, but counts as one of them.
 * ERR_BODY_EXPIRED: no body of the cluster is stored; other errors if no page
 * can be read.
 */
enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list);

/* Versions of templates, read from the store. */

struct version_name {
	uint32_t site;
	uint32_t cluster;
	uint32_t version;
};

/*
 * Read a version. row_out->packed belongs to the transaction, *version_out to
 * `arena`. ERR_NOT_FOUND; ERR_CORRUPT.
 */
enum error stored_version_read(struct txn *txn, struct version_name name,
			       struct arena *arena, struct version_row *row_out,
			       struct version **version_out);

#endif
