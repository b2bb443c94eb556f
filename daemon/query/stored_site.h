/*
 * daemon/query/stored_site.h - a site in the store as a site_view
 * (template/extraction.h). Internal to daemon/query.
 */
#ifndef DAEMON_QUERY_STORED_SITE_H
#define DAEMON_QUERY_STORED_SITE_H

#include <jansson.h>
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
	struct txn txn; /* open between begin() and end() of the view */
	bool is_read;
	enum error error; /* the first error that occurred */
	uint32_t id;
	const struct extraction_options *rules;
	struct arena *arena; /* for copied texts */
	/* [unit_count] units of each shingle, see struct found_shingles */
	uint32_t *units;
	size_t unit_count;
	size_t unit_capacity;
};

/*
 * Initialize *site from its row and return its view, which is valid as long as
 * *site and `rules`. A transaction of the site is open only between begin() and
 * end() of the view; the caller must end its own transaction before begin().
 * Return NULL if the row is damaged. Call stored_site_close() in any case.
 */
const struct site_view *
stored_site_open(struct stored_site *site, struct store *store,
		 const struct site_row *row,
		 const struct extraction_options *rules);

/* Close the site. A site that was never opened must be zeroed. */
void stored_site_close(struct stored_site *site);

/*
 * The sample_reader (daemon/privsep/model_cache.h) of a site; `context` is a
 * struct stored_site. The calling thread must have no open transaction.
 */
enum error stored_site_sample(void *context, uint32_t cluster,
			      struct buffer *list, uint32_t *changes_out);

/* Return the page `key` whose row is `row`; the charset points into the row. */
struct known_page stored_site_known_page(uint64_t key,
					 const struct page_row *row);

/* Return `page` with a copy of its charset that lives as long as the site. */
struct known_page stored_site_own_page(struct stored_site *site,
				       struct known_page page);

/* Return the state of the cluster; all 0 if the cluster does not exist. */
struct cluster_state stored_site_state(struct txn *txn, uint32_t site,
				       uint32_t cluster);

/*
 * A model that belongs to one site: the file HOST.model in the configured
 * folder.
 */

/* The model_loader (template/extraction.h) of such models. */
enum error site_model_load(void *context,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct extraction_result *answer);

/*
 * Append the content of the model file of `host`, which is not checked, to
 * `text`, and its path to `path`. If there is no file, append nothing to
 * `text`. ERR_IO, ERR_TOO_LARGE.
 */
enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text);

/*
 * The identity of a model file; all 0 = there is no file. A file that replaces
 * it has another identity.
 */
struct site_model_stamp {
	uint64_t inode;
	uint64_t bytes;
	uint64_t changed_ns;
};

/*
 * Return the identity of the model file of `host`. `folder` may be NULL or "":
 * then there is no file.
 */
struct site_model_stamp site_model_identity(const char *folder,
					    const char *host);

/*
 * The service that responds to requests of a worker for data of a site in the
 * store.
 */

struct site_service {
	/* the only site whose data the worker may request; or NULL */
	struct stored_site *site;
	const struct extraction_options *rules;
	const struct text_request *request;
	bool is_ahead; /* the worker builds models in advance; no client waits
			  for the text */
};

/* A request_handler; `context` is a struct site_service. */
bool site_service_respond(void *context, const struct task_request *inquiry,
			  struct message *answer);

/* Pages of the store. */

/*
 * Return the name of a cluster (template/template_name.h) as JSON; null if it
 * has none.
 */
json_t *stored_name_json(struct txn *txn, uint32_t site, uint32_t cluster);
/* Return whether a client has given the cluster its name. */
bool stored_name_is_given(struct txn *txn, uint32_t site, uint32_t cluster);

/*
 * Return the title of the page in memory of `arena`; {NULL, 0} if the page has
 * no record.
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
 * Append the source of the page `key` to `out`. ERR_BODY_EXPIRED, ERR_CORRUPT,
 * or the error of the transaction.
 */
enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out);

/*
 * Append the source of the page to `out` as it is stored: a frame for
 * decompress_by(), and the number of its dictionary. Errors of
 * stored_page_body().
 */
enum error stored_page_frame(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row, struct buffer *out,
			     uint32_t *dictionary_out);

/*
 * Append the page `key`, whose row is `row`, to a list of pages
 * (daemon/privsep/messages.h) that can be parsed after the end of the
 * transaction. ERR_BODY_EXPIRED, ERR_CORRUPT; then nothing is appended.
 */
enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list);

/*
 * Write the keys of a sample of the cluster to `keys_out` and return their
 * number: up to `max_count` pages whose bodies are stored, those with the
 * lowest content hashes. This sample is random but reproducible, and garbage
 * collection does not delete its bodies (daemon/engine/gc.h). It ends with the
 * page that exceeds `max_bytes` of source in total, but has at least two pages
 * if the cluster has them. Reads the row of every page of the cluster.
 */
uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t max_bytes, uint64_t *keys_out);

/*
 * Append the pages of the same sample to a list. Damaged pages are skipped, and
 * no other pages replace them. Succeeds if at least one page can be read.
 * ERR_BODY_EXPIRED: no body of the cluster is stored; otherwise the error of
 * the last page.
 */
enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list);

/* Versions of templates in the store. */

struct version_name {
	uint32_t site;
	uint32_t cluster;
	uint32_t version;
};

/*
 * Read the version `name`. row_out->packed belongs to the transaction,
 * *version_out belongs to `arena`. ERR_NOT_FOUND; ERR_CORRUPT.
 */
enum error stored_version_read(struct txn *txn, struct version_name name,
			       struct arena *arena, struct version_row *row_out,
			       struct version **version_out);

#endif
