#include "daemon/query/query.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "daemon/query/stored_text.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/extraction.h"

enum { MAX_TRIES = 5 };

static enum error compute_text(const struct extraction_options *rules,
			       const struct text_request *request,
			       const struct copied_page *found,
			       struct extraction_result *answer)
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
	answer->waiting_ms = found->waiting_ms;
	return extraction_of_known(&extraction, answer->page, &found->known,
				   answer);
}

/*
 * Extract the content of a stored page. Return ERR_BUSY if the page has changed
 * between two transactions.
 */
static enum error query_try_text(struct store *store,
				 const struct extraction_options *rules,
				 const struct text_request *request,
				 struct extraction_result *answer)
{
	struct copied_page found = {0};
	enum error error =
		copied_page_read(store, rules, request->url, &found, answer);

	if (error == ERR_NONE)
		error = compute_text(rules, request, &found, answer);
	copied_page_close(&found);
	return error;
}

/*
 * Extract the content of a submitted page. Return ERR_BUSY if the site has
 * changed between two transactions.
 */
static enum error try_extract(struct store *store,
			      const struct extraction_options *rules,
			      const struct text_request *request,
			      struct extraction_result *answer)
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

/* Call `try` again while it returns ERR_BUSY, at most MAX_TRIES times. */
static enum error
query_retry(enum error (*try)(struct store *store,
			      const struct extraction_options *rules,
			      const struct text_request *request,
			      struct extraction_result *answer),
	    struct store *store, const struct extraction_options *rules,
	    const struct text_request *request,
	    struct extraction_result *answer_out)
{
	enum error error = ERR_BUSY;

	*answer_out = (struct extraction_result){0};
	for (int i = 0; i < MAX_TRIES && error == ERR_BUSY; i++) {
		extraction_result_free(answer_out);
		*answer_out = (struct extraction_result){0};
		error = try(store, rules, request, answer_out);
	}
	return error;
}

enum error query_text(struct store *store,
		      const struct extraction_options *rules,
		      const struct text_request *request,
		      struct extraction_result *answer_out)
{
	return query_retry(query_try_text, store, rules, request, answer_out);
}

enum error query_extract(struct store *store,
			 const struct extraction_options *rules,
			 const struct text_request *request,
			 struct extraction_result *answer_out)
{
	return query_retry(try_extract, store, rules, request, answer_out);
}

enum error query_parsed_page(struct store *store,
			     const struct extraction_options *rules,
			     const struct text_request *request,
			     struct parsed_page parsed,
			     struct extraction_result *answer_out)
{
	struct copied_page found = {.has_page = true};
	struct extraction extraction = {.rules = rules,
					.request = request,
					.load_model = site_model_load,
					.prepared = parsed.prepared};
	enum error error;

	*answer_out = (struct extraction_result){.page = parsed.page};
	error = copied_page_read(store, rules, request->url, &found,
				 answer_out);
	extraction.site = found.view;
	answer_out->fetched_ms = found.fetched_ms;
	answer_out->waiting_ms = found.waiting_ms;
	if (error == ERR_NONE)
		error = extraction_of_known(&extraction, parsed.page,
					    &found.known, answer_out);
	copied_page_close(&found);
	return error;
}

enum error query_page_place(struct store *store, const struct url *url,
			    struct extraction_result *answer)
{
	struct txn txn = txn_begin_read(store);
	struct stored_page stored = {0};
	enum error error = stored_page_find(&txn, url, &stored, answer);
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

/* Fill in the state of a page from the row of its URL in the frontier. */
static void tell_visit(const struct frontier_row *row,
		       struct page_status *standing)
{
	bool has_failed =
		row->state == FRONTIER_FAILED || row->state == FRONTIER_DENIED;

	if (standing->state != PAGE_STORED)
		standing->state = has_failed ? PAGE_REFUSED : PAGE_QUEUED;
	if (!has_failed)
		return;
	standing->error = (enum error)row->error;
	standing->http_status = row->http_status;
}

/* Return whether the URL is waiting for its fetch or being fetched. */
static bool is_awaited_url(struct txn *txn, const struct url *url)
{
	struct site_row site;
	struct frontier_row row;

	return site_get(txn, slice_of(url->host), &site) &&
	       frontier_row_get(txn, site.id, page_key_of(slice_of(url->text)),
				&row) &&
	       (row.state == FRONTIER_PENDING || row.state == FRONTIER_LEASED);
}

enum error query_page_status(struct store *store, const struct url *url,
			     struct page_status *standing_out)
{
	struct page_status *standing = standing_out;
	struct extraction_result scratch = {0};
	struct txn txn = txn_begin_read(store);
	struct stored_page stored = {0};
	struct frontier_row row;

	*standing = (struct page_status){.state = PAGE_UNKNOWN};
	if (stored_page_find(&txn, url, &stored, &scratch) == ERR_NONE) {
		if ((stored.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			standing->state = PAGE_STORED;
		/*
		 * a page from an archive does not satisfy a request to fetch
		 * the page
		 */
		if ((stored.row.flags & PAGE_ROW_IS_INGESTED) == 0)
			standing->fetched_ms = stored.row.fetched_ms;
		standing->is_rendered =
			(stored.row.flags & PAGE_ROW_IS_RENDERED) != 0;
		standing->cluster_pages =
			stored_site_state(&txn, stored.site.id,
					  stored.row.cluster)
				.page_count;
	}
	if (stored.site.id != 0 &&
	    frontier_row_get(&txn, stored.site.id, stored.key, &row))
		tell_visit(&row, standing);
	standing->is_awaited = is_awaited_url(&txn, url);
	standing->site_pending = stored.site.pending_count;
	standing->is_sample = (stored.site.options.flags & SITE_IS_SAMPLE) != 0;
	return txn_end(&txn);
}

enum { MAX_SAMPLES = 16, ANSWER_TEMPLATE_MAX_SAMPLE_BYTES = 16 << 20 };

void template_result_free(struct template_result *answer)
{
	free(answer->fragments);
	arena_destroy(answer->arena);
}

static int highest_first(const void *left, const void *right)
{
	const struct template_fragment *a = left;
	const struct template_fragment *b = right;

	if (a->document_frequency != b->document_frequency)
		return a->document_frequency > b->document_frequency ? -1 : 1;
	return (a->hash > b->hash) - (a->hash < b->hash);
}

/*
 * Find the fragments that occur in more than a third of the pages of the
 * cluster (Gottron 2008, section 6). They are ascending by hash, like the rows
 * of the table.
 */
static void find_fragments(struct txn *txn, uint32_t site, uint32_t cluster,
			   struct template_result *answer)
{
	struct df_scan scan = df_scan_begin(txn, site, cluster);
	size_t capacity = 0;

	while (df_scan_next(&scan)) {
		if (scan.now.pages == 0) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		if ((uint64_t)scan.now.pages * 3 <= answer->page_count)
			continue;
		answer->fragments =
			mem_grow(answer->fragments, answer->count, &capacity,
				 sizeof(*answer->fragments));
		answer->fragments[answer->count++] = (struct template_fragment){
			.hash = scan.now.fragment,
			.document_frequency = scan.now.pages,
		};
	}
	df_scan_end(&scan);
}

/*
 * Read the texts of the fragments from the response of a worker. Return false
 * if the response is invalid.
 */
static bool take_texts(void *context, struct slice head, struct slice body)
{
	struct template_result *answer = context;
	struct slice item;
	uint32_t index;

	(void)head;
	while (item_next(&body, &item)) {
		struct template_fragment *fragment;

		if (item.size != sizeof(index))
			return false;
		memcpy(&index, item.data, sizeof(index));
		if (index >= answer->count || !item_next(&body, &item))
			return false;
		fragment = &answer->fragments[index];
		fragment->is_known = true;
		fragment->text = (struct slice){
			arena_copy(answer->arena, item.data, item.size),
			item.size};
	}
	return body.size == 0;
}

/*
 * Make a worker find the texts of the fragments in the pages. Fragments that it
 * does not find keep is_known = false.
 */
static void find_texts(struct worker_pool *pool, const char *host,
		       const struct page_limits *limits, struct slice pages,
		       struct template_result *answer)
{
	const struct fragments_request request = {*limits, answer->count};
	struct buffer head =
		row_codec_encode(&fragments_request_layout, &request);
	struct buffer body = {0};
	struct pool_task task = {
		.kind = TASK_FRAGMENTS,
		.head = buffer_slice(&head),
		.take = take_texts,
		.take_context = answer,
	};

	for (size_t i = 0; i < answer->count; i++)
		buffer_append(&body, &answer->fragments[i].hash,
			      sizeof(answer->fragments[i].hash));
	buffer_append_slice(&body, pages);
	task.body = buffer_slice(&body);
	if (worker_pool_run(pool, &task) != ERR_NONE)
		log_warn_limited_about(
			(struct log_subject){.site = slice_of(host)},
			"cannot read the texts of a template: %s", task.reason);
	buffer_free(&head);
	buffer_free(&body);
}

enum error query_template(struct worker_pool *pool, struct store *store,
			  const struct extraction_options *rules,
			  const struct template_name *name,
			  struct template_result *answer_out)
{
	struct buffer pages = {0};
	struct txn txn = txn_begin_read(store);
	struct cluster_row cluster;
	struct site_row site;
	enum error error = ERR_NOT_FOUND;

	*answer_out = (struct template_result){.arena = arena_create()};
	if (site_get(&txn, slice_of(name->host), &site) &&
	    cluster_row_get(&txn, site.id, name->cluster, &cluster)) {
		answer_out->page_count = cluster.page_count;
		answer_out->generation = site.generation;
		find_fragments(&txn, site.id, name->cluster, answer_out);
		stored_sample_append(
			&(struct stored_pages){&txn, site.id, name->cluster,
					       &rules->limits},
			MAX_SAMPLES, ANSWER_TEMPLATE_MAX_SAMPLE_BYTES, &pages);
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE)
		find_texts(pool, name->host, &rules->limits,
			   buffer_slice(&pages), answer_out);
	buffer_free(&pages);
	if (answer_out->count > 1)
		qsort(answer_out->fragments, answer_out->count,
		      sizeof(*answer_out->fragments), highest_first);
	if (error != ERR_NONE) {
		template_result_free(answer_out);
		*answer_out = (struct template_result){0};
	}
	return error;
}
