#include "daemon/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/classify.h"
#include "daemon/extraction.h"
#include "daemon/stored_page.h"
#include "extract/fragment.h"
#include "page/page.h"
#include "store/arena.h"
#include "store/memory.h"
#include "store/rows.h"

enum { MAX_HOPS = 6 };

const struct answer_rules answer_rules_default = {
	.limits = {.max_bytes = 10000000,
		   .max_nodes = 200000,
		   .max_depth = 512,
		   .max_attributes = 256},
	.min_cluster_pages = 3,
};

void text_answer_free(struct text_answer *answer)
{
	buffer_free(&answer->text);
	page_destroy(answer->page);
}

/* A stored page, found: everything that is needed after its row. */
struct stored {
	struct site_row site;
	struct page_row row;
	uint64_t key;
	uint32_t cluster_pages;
};

/* Say in the answer why the page of `url` is not there. */
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

static uint32_t pages_of_cluster(struct txn *txn, uint32_t site,
				 uint32_t cluster)
{
	struct cluster_row row;

	return cluster != 0 && cluster_row_get(txn, site, cluster, &row)
		       ? row.page_count
		       : 0;
}

/* The document frequency of every text node: [page->text_count]. */
static uint32_t *count_fragments(struct txn *txn, uint32_t site,
				 uint32_t cluster, const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *counts = ARENA_NEW(page->arena, uint32_t, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++)
		counts[i] = df_get(txn, site, cluster, fragments[i].hash);
	return counts;
}

static void name_cluster(struct text_answer *answer,
			 const struct site_row *site, uint32_t cluster,
			 uint32_t pages)
{
	answer->generation = site->generation;
	answer->cluster_pages = pages;
	if (cluster != 0)
		snprintf(answer->cluster, sizeof(answer->cluster), "%.*s/%u",
			 (int)site->host.size, (const char *)site->host.data,
			 cluster);
}

static enum error answer_stored(struct txn *txn, const struct stored *stored,
				const struct answer_rules *rules,
				const struct text_request *request,
				struct text_answer *answer)
{
	struct extraction extraction = {
		.rules = rules,
		.request = request,
		.counts = {.page_count = stored->cluster_pages},
		.txn = txn,
		.site = stored->site.id,
		.cluster = stored->row.cluster,
		.http_status = stored->row.http_status,
	};
	const struct stored_pages pages = {txn, stored->site.id,
					   stored->row.cluster, &rules->limits};
	enum error error = stored_page_parse(&pages, stored->key, &stored->row,
					     &answer->page);

	if (error == ERR_NONE) {
		const struct page *page = answer->page;

		extraction.page = page;
		if (stored->row.cluster != 0)
			extraction.counts.document_frequency =
				count_fragments(txn, stored->site.id,
						stored->row.cluster, page);
		name_cluster(answer, &stored->site, stored->row.cluster,
			     stored->cluster_pages);
		answer->fetched_ms = stored->row.fetched_ms;
		error = extraction_run(&extraction, answer);
	}
	return error;
}

enum error answer_text(struct store *store, const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out)
{
	struct txn txn = txn_begin_read(store);
	struct stored stored = {0};
	enum error error;

	*answer_out = (struct text_answer){0};
	error = find_page(&txn, request->url, &stored, answer_out);
	if (txn.error == ERR_NONE && error == ERR_NONE) {
		stored.cluster_pages = pages_of_cluster(&txn, stored.site.id,
							stored.row.cluster);
		error = answer_stored(&txn, &stored, rules, request,
				      answer_out);
	}
	if (error == ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

/*
 * Count the page that was handed in as one of its cluster: it takes the place
 * of the stored page of the same URL, if that is a member, else it is one more.
 */
static struct template_counts count_in(struct txn *txn,
				       const struct classed *classed,
				       const struct url *url,
				       const struct page *page)
{
	uint32_t site = classed->site.id;
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint32_t *frequencies =
		count_fragments(txn, site, classed->cluster, page);
	uint32_t pages = pages_of_cluster(txn, site, classed->cluster);
	struct record record = {0};
	void *old = classify_load_member(txn, classed, url, &record);

	if (old == NULL)
		pages++;
	for (uint32_t i = 0; i < page->text_count; i++)
		if (old == NULL ||
		    !classify_has_fragment(&record, fragments[i].hash))
			frequencies[i]++;
	free(old);
	return (struct template_counts){pages, frequencies};
}

/* Class the page of `unclassed` with those of its site. */
static enum error extract_classed(struct store *store,
				  const struct extraction *unclassed,
				  struct text_answer *answer)
{
	struct extraction extraction = *unclassed;
	const struct url *url = extraction.request->url;
	struct txn txn = txn_begin_read(store);
	struct classed classed = {0};
	enum error error;

	if (classify_page(&txn, url, extraction.page, &classed)) {
		extraction.counts =
			count_in(&txn, &classed, url, extraction.page);
		extraction.txn = &txn;
		extraction.site = classed.site.id;
		extraction.cluster = classed.cluster;
		name_cluster(answer, &classed.site, classed.cluster,
			     extraction.counts.page_count);
	}
	error = txn.error;
	if (error == ERR_NONE)
		error = extraction_run(&extraction, answer);
	txn_abort(&txn);
	return error;
}

enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out)
{
	struct extraction extraction = {.rules = rules, .request = request};
	enum error error;

	*answer_out = (struct text_answer){0};
	error = page_parse(&answer_out->page, request->body, request->charset,
			   &rules->limits);
	extraction.page = answer_out->page;
	if (request->url != NULL)
		snprintf(answer_out->url, sizeof(answer_out->url), "%s",
			 request->url->text);
	if (error != ERR_NONE)
		snprintf(answer_out->reason, sizeof(answer_out->reason),
			 "the page: %s", error_text(error));
	else if (store == NULL || request->url == NULL)
		error = extraction_run(&extraction, answer_out);
	else
		error = extract_classed(store, &extraction, answer_out);
	return error;
}

/* What the frontier says of a page that is there, or is not. */
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
		standing->state = PAGE_PRESENT;
		standing->fetched_ms = stored.row.fetched_ms;
		standing->cluster_pages = pages_of_cluster(&txn, stored.site.id,
							   stored.row.cluster);
	}
	if (stored.site.id != 0 &&
	    frontier_row_get(&txn, stored.site.id, stored.key, &row))
		tell_visit(&row, standing);
	standing->site_pending = stored.site.pending_count;
	standing->is_sample = (stored.site.flags & SITE_IS_SAMPLE) != 0;
	return txn_end(&txn);
}
