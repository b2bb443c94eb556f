#include "daemon/query/found_page.h"

#include <stdio.h>

#include "daemon/query/stored_page.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/rows_frontier.h"

/* Write the reason why the page of `url` is not stored. */
static void explain_absence(struct txn *txn, const struct site_row *site,
			    const struct url *url,
			    struct extraction_result *answer)
{
	struct frontier_row row;

	if (site == NULL)
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site %.150s is unknown; add it, or use "
			 "fetch=missing",
			 url->host);
	else if (!frontier_row_get(txn, site->id,
				   page_key_of(slice_of(url->text)), &row))
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site is known, but not this page; use "
			 "fetch=missing");
	else if (row.state == FRONTIER_DENIED && row.error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "a client deleted the page; use fetch=missing");
	else if (row.state == FRONTIER_FAILED || row.state == FRONTIER_DENIED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "the fetch failed: %s (HTTP status %u)",
			 error_text((enum error)row.error), row.http_status);
	else
		snprintf(answer->reason, sizeof(answer->reason),
			 "it is queued for fetching");
}

enum error stored_page_find(struct txn *txn, const struct url *url,
			    struct stored_page *stored_out,
			    struct extraction_result *answer)
{
	struct url here = *url;

	for (int hop = 0; hop <= MAX_REDIRECTS; hop++) {
		bool is_known =
			site_get(txn, slice_of(here.host), &stored_out->site);
		struct page_row *row = &stored_out->row;

		snprintf(answer->url, sizeof(answer->url), "%s", here.text);
		stored_out->key = page_key_of(slice_of(here.text));
		if (!is_known ||
		    !page_row_get(txn, stored_out->site.id, stored_out->key,
				  row) ||
		    !slice_equal(row->url, slice_of(here.text))) {
			if (txn->error != ERR_NONE)
				return txn->error;
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
		 "more than %d redirects", MAX_REDIRECTS);
	return ERR_NOT_FOUND;
}

/*
 * Append the fragments of the page and their document frequencies in its
 * cluster, if a worker will need them. If the record cannot be read, append
 * nothing: the worker requests them.
 */
static void stored_text_append_fragments(struct txn *txn,
					 const struct stored_page *stored,
					 struct copied_page *found)
{
	uint32_t cluster = stored->row.cluster;
	struct df_reader reader = {
		.txn = txn, .site = stored->site.id, .cluster = cluster};
	struct buffer bytes = {0};
	struct record record = {0};

	found->page_bytes = found->body.size;
	found->state = stored_site_state(txn, stored->site.id, cluster);
	found->is_told = cluster == 0 || !found->wants_counts ||
			 content_record(txn, stored->site.id, stored->key,
					&bytes, &record) == ERR_NONE;
	if (!found->is_told)
		txn->error = ERR_NONE; /* the page itself was read */
	found->told_count = found->is_told ? record.fragment_count : 0;
	for (size_t i = 0; i < found->told_count; i++)
		buffer_append(&found->body, &record.fragments[i].hash,
			      sizeof(uint64_t));
	for (size_t i = 0; i < found->told_count; i++) {
		uint32_t pages = df_read(&reader, record.fragments[i].hash);

		buffer_append(&found->body, &pages, sizeof(pages));
	}
	buffer_free(&bytes);
}

static enum error copy_page(struct txn *txn, const struct stored_page *stored,
			    const struct extraction_options *rules,
			    struct copied_page *found,
			    struct extraction_result *answer)
{
	const struct stored_pages pages = {txn, stored->site.id,
					   stored->row.cluster, &rules->limits};
	enum error error = ERR_NONE;

	found->view = stored_site_open(&found->site, txn->store, &stored->site,
				       rules);
	if (found->view == NULL)
		return ERR_CORRUPT;
	if (!found->has_page)
		error = stored_page_body(&pages, stored->key, &stored->row,
					 &found->body);
	if (error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "see retention.bodies_age, retention.bodies_count and "
			 "retention.bodies_bytes; use fetch=always");
	found->known = stored_site_own_page(
		&found->site,
		stored_site_known_page(stored->key, &stored->row));
	found->fetched_ms = stored->row.fetched_ms;
	if (error == ERR_NONE && found->wants_told)
		stored_text_append_fragments(txn, stored, found);
	return error;
}

enum error copied_page_read(struct store *store,
			    const struct extraction_options *rules,
			    const struct url *url, struct copied_page *found,
			    struct extraction_result *answer)
{
	struct txn txn = txn_begin_read(store);
	struct stored_page stored = {0};
	enum error error = stored_page_find(&txn, url, &stored, answer);

	if (error == ERR_NONE && txn.error == ERR_NONE)
		error = copy_page(&txn, &stored, rules, found, answer);
	if (error == ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

void copied_page_close(struct copied_page *found)
{
	buffer_free(&found->body);
	stored_site_close(&found->site);
}
