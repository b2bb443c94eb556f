/*
 * daemon/answer/stored_site.h - a site of the store as template/site_view.h has
 * it. Internal to answer.c and its like.
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
	struct txn *txn;
	uint32_t id;
	const struct answer_rules *rules;
};

/* Fill *site and return its view: valid as long as it, `rules` and the
 * transaction, whose errors are the view's. NULL: the row is damaged. */
const struct site_view *stored_site_view(struct stored_site *site,
					 struct txn *txn,
					 const struct site_row *row,
					 const struct answer_rules *rules);

/* The page `key` with its row. */
struct known_page stored_site_known(uint64_t key, const struct page_row *row);

/* Pages of a cluster; 0 when there is none. */
uint32_t stored_site_pages(struct txn *txn, uint32_t site, uint32_t cluster);

#endif
