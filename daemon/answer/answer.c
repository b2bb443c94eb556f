#include "daemon/answer/answer.h"

#include <stdio.h>

#include "daemon/answer/site_model.h"
#include "daemon/answer/stored_page.h"
#include "daemon/answer/stored_site.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"
#include "template/extraction.h"

enum { MAX_HOPS = 6, MAX_TRIES = 5 };

/* A stored page that was found, with everything needed besides its row. */
struct stored {
	struct site_row site;
	struct page_row row;
	uint64_t key;
};

/* Put the reason into the answer why the page of `url` is not stored. */
static void explain_absence(struct txn *txn, const struct site_row *site,
			    const struct url *url, struct text_answer *answer)
{
	struct frontier_row row;

	if (site == NULL)
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site %.150s is not known; add it, or ask with "
			 "fetch=missing",
			 url->host);
	else if (!frontier_row_get(txn, site->id,
				   page_key_of(slice_of(url->text)), &row))
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site is known, but not this page; ask with "
			 "fetch=missing");
	else if (row.state == FRONTIER_FAILED || row.state == FRONTIER_DENIED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "it was not fetched: %s (HTTP status %u)",
			 error_text((enum error)row.error), row.http_status);
	else
		snprintf(answer->reason, sizeof(answer->reason),
			 "it waits to be fetched");
}

/*
 * Find the page of `url`, behind redirects. Its URL is in answer->url then.
 * ERR_NOT_FOUND, with the reason in the answer.
 */
static enum error find_page(struct txn *txn, const struct url *url,
			    struct stored *stored_out,
			    struct text_answer *answer)
{
	struct url here = *url;

	for (int hop = 0; hop < MAX_HOPS; hop++) {
		bool is_known =
			site_get(txn, slice_of(here.host), &stored_out->site);
		struct page_row *row = &stored_out->row;

		snprintf(answer->url, sizeof(answer->url), "%s", here.text);
		stored_out->key = page_key_of(slice_of(here.text));
		if (!is_known ||
		    !page_row_get(txn, stored_out->site.id, stored_out->key,
				  row) ||
		    !slice_equal(row->url, slice_of(here.text))) {
			explain_absence(txn,
					is_known ? &stored_out->site : NULL,
					&here, answer);
			return ERR_NOT_FOUND;
		}
		if (row->redirect.size == 0)
			return ERR_NONE;
		if (url_parse(&here, row->redirect, NULL) != ERR_NONE)
			return ERR_CORRUPT;
	}
	snprintf(answer->reason, sizeof(answer->reason),
		 "it redirects more than %d times", MAX_HOPS - 1);
	return ERR_NOT_FOUND;
}

/* All that is computed from, copied: no transaction is open any more. */
struct copied {
	struct stored_site site;
	const struct site_view *view;
	struct known_page known;
	struct copied_page packed;
	uint64_t fetched_ms;
};

static enum error copy_page(struct txn *txn, const struct stored *stored,
			    const struct answer_rules *rules,
			    struct copied *copied, struct text_answer *answer)
{
	const struct stored_pages pages = {txn, stored->site.id,
					   stored->row.cluster, &rules->limits};
	enum error error;

	copied->view = stored_site_open(&copied->site, txn->store,
					&stored->site, rules);
	if (copied->view == NULL)
		return ERR_CORRUPT;
	error = copied_page_read(&pages, stored->key, &stored->row,
				 &copied->packed);
	if (error == ERR_NOT_KEPT)
		snprintf(answer->reason, sizeof(answer->reason),
			 "see retention.bodies_age, retention.bodies_count and "
			 "retention.bodies_bytes; ask with fetch=always");
	copied->known = stored_site_keep(
		&copied->site, stored_site_known(stored->key, &stored->row));
	copied->fetched_ms = stored->row.fetched_ms;
	return error;
}

static enum error read_page(struct store *store,
			    const struct answer_rules *rules,
			    const struct url *url, struct copied *copied,
			    struct text_answer *answer)
{
	struct txn txn = txn_begin_read(store);
	struct stored stored = {0};
	enum error error = find_page(&txn, url, &stored, answer);

	if (error == ERR_NONE && txn.error == ERR_NONE)
		error = copy_page(&txn, &stored, rules, copied, answer);
	if (error == ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

static enum error compute_text(const struct answer_rules *rules,
			       const struct text_request *request,
			       const struct copied *copied,
			       struct text_answer *answer)
{
	struct extraction extraction = {
		.rules = rules,
		.request = request,
		.site = copied->view,
		.load_model = site_model_load,
	};
	enum error error = copied_page_parse(&copied->packed, &rules->limits,
					     &answer->page);

	if (error != ERR_NONE)
		return error;
	answer->fetched_ms = copied->fetched_ms;
	return extraction_of_known(&extraction, answer->page, &copied->known,
				   answer);
}

/* ERR_BUSY when the page has changed between two transactions. */
static enum error try_text(struct store *store,
			   const struct answer_rules *rules,
			   const struct text_request *request,
			   struct text_answer *answer)
{
	struct copied copied = {0};
	enum error error =
		read_page(store, rules, request->url, &copied, answer);

	if (error == ERR_NONE)
		error = compute_text(rules, request, &copied, answer);
	copied_page_free(&copied.packed);
	stored_site_close(&copied.site);
	return error;
}

/* The same, of a page that is handed in. */
static enum error try_extract(struct store *store,
			      const struct answer_rules *rules,
			      const struct text_request *request,
			      struct text_answer *answer)
{
	struct extraction extraction = {.rules = rules,
					.request = request,
					.load_model = site_model_load};
	struct stored_site stored = {0};
	struct site_row row;
	enum error error;

	if (store != NULL && request->url != NULL) {
		struct txn txn = txn_begin_read(store);

		if (site_get(&txn, slice_of(request->url->host), &row))
			extraction.site =
				stored_site_open(&stored, store, &row, rules);
		error = txn.error;
		txn_abort(&txn);
		if (error != ERR_NONE)
			goto out;
	}
	error = extraction_of_body(&extraction, answer);
out:
	stored_site_close(&stored);
	return error;
}

/* Again, as long as the page changes under our hands. */
static enum error answer_by(
	enum error (*try)(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer),
	struct store *store, const struct answer_rules *rules,
	const struct text_request *request, struct text_answer *answer_out)
{
	enum error error = ERR_BUSY;

	*answer_out = (struct text_answer){0};
	for (int i = 0; i < MAX_TRIES && error == ERR_BUSY; i++) {
		text_answer_free(answer_out);
		*answer_out = (struct text_answer){0};
		error = try(store, rules, request, answer_out);
	}
	return error;
}

enum error answer_text(struct store *store, const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out)
{
	return answer_by(try_text, store, rules, request, answer_out);
}

enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out)
{
	return answer_by(try_extract, store, rules, request, answer_out);
}

/* Fill in the state of a page from its frontier row. */
static void tell_visit(const struct frontier_row *row,
		       struct page_standing *standing)
{
	bool has_failed =
		row->state == FRONTIER_FAILED || row->state == FRONTIER_DENIED;

	if (standing->state != PAGE_PRESENT)
		standing->state = has_failed ? PAGE_REFUSED : PAGE_AWAITED;
	if (!has_failed)
		return;
	standing->error = (enum error)row->error;
	standing->http_status = row->http_status;
}

enum error answer_standing(struct store *store, const struct url *url,
			   struct page_standing *standing_out)
{
	struct page_standing *standing = standing_out;
	struct text_answer scratch = {0};
	struct txn txn = txn_begin_read(store);
	struct stored stored = {0};
	struct frontier_row row;

	*standing = (struct page_standing){.state = PAGE_UNKNOWN};
	if (find_page(&txn, url, &stored, &scratch) == ERR_NONE) {
		if ((stored.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			standing->state = PAGE_PRESENT;
		standing->fetched_ms = stored.row.fetched_ms;
		standing->cluster_pages = stored_site_pages(
			&txn, stored.site.id, stored.row.cluster);
	}
	if (stored.site.id != 0 &&
	    frontier_row_get(&txn, stored.site.id, stored.key, &row))
		tell_visit(&row, standing);
	standing->site_pending = stored.site.pending_count;
	standing->is_sample = (stored.site.options.flags & SITE_IS_SAMPLE) != 0;
	return txn_end(&txn);
}
