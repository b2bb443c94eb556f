#include "daemon/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/classify.h"
#include "extract/choose.h"
#include "extract/fragment.h"
#include "page/page.h"
#include "store/arena.h"
#include "store/compress.h"
#include "store/memory.h"
#include "store/rows.h"

enum { MAX_HOPS = 6 };

const struct answer_rules answer_rules_default = {
	.limits = {.max_bytes = 10000000,
		   .max_nodes = 200000,
		   .max_depth = 512,
		   .max_attributes = 256},
	.min_cluster_pages = 3,
	.fallback = "accb",
};

void text_answer_free(struct text_answer *answer)
{
	buffer_free(&answer->text);
	buffer_free(&answer->title);
	buffer_free(&answer->language);
	buffer_free(&answer->description);
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

static void copy_metadata(const struct page *page, struct text_answer *answer)
{
	buffer_append_slice(&answer->title, page->title);
	buffer_append_slice(&answer->language, page->language);
	buffer_append_slice(&answer->description, page->description);
	answer->is_truncated = page->is_truncated;
}

static enum error set_parameters(const struct extractor *extractor,
				 const struct text_request *request,
				 double *parameters, struct text_answer *answer)
{
	extractor_presets(extractor, parameters);
	if (request->parameters == NULL)
		return ERR_NONE;
	for (size_t i = 0; request->parameters[i] != NULL; i++)
		if (!extractor_set(extractor, request->parameters[i],
				   parameters, answer->reason))
			return ERR_MALFORMED;
	return ERR_NONE;
}

/*
 * Choose the method, run it and lay the text out. `counts` holds what the
 * cluster says, with page_count 0 when there is none.
 */
static enum error extract(const struct page *page,
			  const struct template_counts *counts,
			  const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer)
{
	double parameters[MAX_PARAMETERS] = {0};
	struct verdict *verdicts;
	struct choice choice = {0};
	enum error error = choose_extractor(
		request->method == NULL ? "auto" : request->method,
		rules->fallback, counts->page_count, rules->min_cluster_pages,
		&choice);

	snprintf(answer->reason, sizeof(answer->reason), "%s", choice.reason);
	if (error == ERR_NONE)
		error = set_parameters(choice.extractor, request, parameters,
				       answer);
	if (error != ERR_NONE)
		return error;
	snprintf(answer->method, sizeof(answer->method), "%s",
		 choice.extractor->name);
	verdicts = ARENA_NEW(page->arena, struct verdict, page->text_count);
	choice.extractor->run(
		&(struct extractor_input){
			.page = page,
			.template_counts =
				counts->page_count == 0 ? NULL : counts,
			.parameters = parameters,
			.arena = page->arena,
		},
		verdicts);
	if (request->format == FORMAT_HTML)
		render_html(page, verdicts, &answer->text);
	else
		render_text(page, verdicts, &answer->text);
	copy_metadata(page, answer);
	return ERR_NONE;
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

/* The body of a stored page, unpacked into `body_out`. */
static enum error load_body(struct txn *txn, const struct stored *stored,
			    struct buffer *body_out)
{
	struct key key = key_page(stored->site.id, stored->key);
	struct slice packed = txn_get(txn, TABLE_BODIES, key_slice(&key));

	if (packed.data == NULL)
		return ERR_CORRUPT;
	return decompress(packed, stored->row.body_bytes, body_out);
}

/* A page is parsed with room for all that was once let in. */
static struct page_limits limits_for(const struct answer_rules *rules,
				     size_t bytes)
{
	struct page_limits limits = rules->limits;

	if (limits.max_bytes < bytes)
		limits.max_bytes = bytes;
	return limits;
}

static enum error answer_stored(struct txn *txn, const struct stored *stored,
				const struct answer_rules *rules,
				const struct text_request *request,
				struct text_answer *answer)
{
	struct template_counts counts = {.page_count = stored->cluster_pages};
	struct page_limits limits = limits_for(rules, stored->row.body_bytes);
	struct buffer body = {0};
	struct page *page = NULL;
	enum error error = load_body(txn, stored, &body);

	if (error == ERR_NONE)
		error = page_parse(&page, buffer_slice(&body),
				   stored->row.charset, &limits);
	if (error == ERR_NONE) {
		if (stored->row.cluster != 0)
			counts.document_frequency =
				count_fragments(txn, stored->site.id,
						stored->row.cluster, page);
		name_cluster(answer, &stored->site, stored->row.cluster,
			     counts.page_count);
		answer->fetched_ms = stored->row.fetched_ms;
		error = extract(page, &counts, rules, request, answer);
	}
	page_destroy(page);
	buffer_free(&body);
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

static enum error extract_classed(struct store *store,
				  const struct answer_rules *rules,
				  const struct text_request *request,
				  const struct page *page,
				  struct text_answer *answer)
{
	struct txn txn = txn_begin_read(store);
	struct template_counts counts = {0};
	struct classed classed = {0};
	enum error error;

	if (classify_page(&txn, request->url, page, &classed)) {
		counts = count_in(&txn, &classed, request->url, page);
		name_cluster(answer, &classed.site, classed.cluster,
			     counts.page_count);
	}
	error = txn.error;
	txn_abort(&txn);
	return error != ERR_NONE
		       ? error
		       : extract(page, &counts, rules, request, answer);
}

enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out)
{
	static const struct template_counts none;
	struct page *page = NULL;
	enum error error = page_parse(&page, request->body, request->charset,
				      &rules->limits);

	*answer_out = (struct text_answer){0};
	if (request->url != NULL)
		snprintf(answer_out->url, sizeof(answer_out->url), "%s",
			 request->url->text);
	if (error != ERR_NONE)
		snprintf(answer_out->reason, sizeof(answer_out->reason),
			 "the page: %s", error_text(error));
	else if (store == NULL || request->url == NULL)
		error = extract(page, &none, rules, request, answer_out);
	else
		error = extract_classed(store, rules, request, page,
					answer_out);
	page_destroy(page);
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
