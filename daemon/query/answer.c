#include "daemon/query/answer.h"

#include <stdio.h>

#include "daemon/privsep/page_list.h"
#include "daemon/query/found_page.h"
#include "daemon/query/site_model.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"
#include "template/extraction.h"

enum { MAX_TRIES = 5 };

static enum error compute_text(const struct answer_rules *rules,
			       const struct text_request *request,
			       const struct found_page *found,
			       struct text_answer *answer)
{
	struct extraction extraction = {
		.rules = rules,
		.request = request,
		.site = found->view,
		.load_model = site_model_load,
	};
	enum error error = sample_page_parse(buffer_slice(&found->body),
					     found->known.charset,
					     &rules->limits, &answer->page);

	if (error != ERR_NONE)
		return error;
	answer->fetched_ms = found->fetched_ms;
	return extraction_of_known(&extraction, answer->page, &found->known,
				   answer);
}

/* Return ERR_BUSY if the page has changed between two transactions. */
static enum error try_text(struct store *store,
			   const struct answer_rules *rules,
			   const struct text_request *request,
			   struct text_answer *answer)
{
	struct found_page found = {0};
	enum error error =
		found_page_read(store, rules, request->url, &found, answer);

	if (error == ERR_NONE)
		error = compute_text(rules, request, &found, answer);
	found_page_close(&found);
	return error;
}

/* Like try_text(), for a submitted page. */
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

/* Retry while the page changes during the computation. */
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

enum error answer_parsed(struct store *store, const struct answer_rules *rules,
			 const struct text_request *request,
			 struct parsed_page parsed,
			 struct text_answer *answer_out)
{
	struct found_page found = {.has_page = true};
	struct extraction extraction = {.rules = rules,
					.request = request,
					.load_model = site_model_load,
					.prepared = parsed.prepared};
	enum error error;

	*answer_out = (struct text_answer){.page = parsed.page};
	error = found_page_read(store, rules, request->url, &found, answer_out);
	extraction.site = found.view;
	answer_out->fetched_ms = found.fetched_ms;
	if (error == ERR_NONE)
		error = extraction_of_known(&extraction, parsed.page,
					    &found.known, answer_out);
	found_page_close(&found);
	return error;
}

enum error answer_place(struct store *store, const struct url *url,
			struct text_answer *answer)
{
	struct txn txn = txn_begin_read(store);
	struct stored stored = {0};
	enum error error = stored_find(&txn, url, &stored, answer);
	const uint32_t cluster = stored.row.cluster;

	if (error == ERR_NONE) {
		answer->generation = stored.site.generation;
		answer->cluster_pages =
			stored_site_state(&txn, stored.site.id, cluster)
				.page_count;
		if (cluster != 0)
			snprintf(answer->cluster, sizeof(answer->cluster),
				 "%.*s/%u", (int)stored.site.host.size,
				 (const char *)stored.site.host.data, cluster);
		error = txn.error;
	}
	txn_abort(&txn);
	return error;
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
	if (stored_find(&txn, url, &stored, &scratch) == ERR_NONE) {
		if ((stored.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			standing->state = PAGE_PRESENT;
		/* an archived page does not satisfy a request to fetch it */
		if ((stored.row.flags & PAGE_ROW_IS_INGESTED) == 0)
			standing->fetched_ms = stored.row.fetched_ms;
		standing->cluster_pages =
			stored_site_state(&txn, stored.site.id,
					  stored.row.cluster)
				.page_count;
	}
	if (stored.site.id != 0 &&
	    frontier_row_get(&txn, stored.site.id, stored.key, &row))
		tell_visit(&row, standing);
	standing->site_pending = stored.site.pending_count;
	standing->is_sample = (stored.site.options.flags & SITE_IS_SAMPLE) != 0;
	return txn_end(&txn);
}
