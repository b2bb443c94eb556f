/*
 * daemon/answer/stored_site.h - the site_view (template/site_view.h) of a site
 * in the store. Internal to answer.c and its like.
 */
#ifndef DAEMON_ANSWER_STORED_SITE_H
#define DAEMON_ANSWER_STORED_SITE_H

#include <stdint.h>

#include "store/rows_page.h"
#include "store/rows_site.h"
#include "store/txn.h"
#include "template/site_view.h"
#include "template/text_answer.h"

struct stored_site {
	struct site_view view;
	struct store *store;
	struct txn txn; /* while it is read */
	bool is_read;
	enum error error; /* the first one */
	uint32_t id;
	const struct answer_rules *rules;
	struct arena *arena; /* of copied texts */
};

/*
 * Fill *site by its row and return its view: valid as long as it and `rules`.
 * Between begin() and end() of the view a transaction is open, and at no other
 * time: the caller's own must have ended. NULL: the row is damaged. Close it in
 * any case.
 */
const struct site_view *stored_site_open(struct stored_site *site,
					 struct store *store,
					 const struct site_row *row,
					 const struct answer_rules *rules);

/* What was never opened must be zero. */
void stored_site_close(struct stored_site *site);

/* Append the sample of a cluster, as sample_reader of daemon/worker/learned.h
 * says. No transaction of this thread is open. */
enum error stored_site_sample(struct stored_site *site, uint32_t cluster,
			      struct buffer *list, uint32_t *changes_out);

/* The page `key` with its row; the charset points where that of the row does.
 */
struct known_page stored_site_known(uint64_t key, const struct page_row *row);

/* The same page with a charset that lives as long as the site. */
struct known_page stored_site_keep(struct stored_site *site,
				   struct known_page page);

/* Zeros when there is no such cluster. */
struct cluster_state stored_site_state(struct txn *txn, uint32_t site,
				       uint32_t cluster);

#endif
