/*
 * daemon/query/stored_site.h - the site_view (template/site_view.h) of a site
 * in the store. Internal to answer.c and similar files.
 */
#ifndef DAEMON_QUERY_STORED_SITE_H
#define DAEMON_QUERY_STORED_SITE_H

#include <stdint.h>

#include "store/rows_page.h"
#include "store/rows_site.h"
#include "store/txn.h"
#include "template/site_view.h"
#include "template/text_answer.h"

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
 * Append the sample of a cluster, see sample_reader of
 * daemon/privsep/learned.h. This thread must have no open transaction.
 */
enum error stored_site_sample(struct stored_site *site, uint32_t cluster,
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

#endif
