#include "daemon/engine/page_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/privsep/messages.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "template/text_change.h"
#include "template/version_json.h"

_Static_assert((int)TEXT_CHANGE_QUIET == (int)CHANGE_VISITS,
	       "further visits without a change are of no interest");

/* The comparison of a visited page with the stored one. */
struct text_comparison {
	struct job *job;
	struct buffer head;
	size_t page_bytes;
	uint64_t base; /* content hash of the stored page */
};

/*
 * Return whether the analysed page can be compared with the stored page `row`,
 * and has other bytes.
 */
static bool comparison_is_possible(const struct page_row *row,
				   const struct record *record)
{
	const bool is_rendered = (record->flags & RECORD_IS_RENDERED) != 0;
	const unsigned lacks = PAGE_ROW_IS_TRUNCATED | PAGE_ROW_HAS_NO_BODY;

	return row->redirect.size == 0 && row->page_class == CLASS_PAGE &&
	       record_class(record) == CLASS_PAGE &&
	       (record->flags & RECORD_IS_TRUNCATED) == 0 &&
	       (row->flags & lacks) == 0 &&
	       row->content_hash != record->content_hash &&
	       is_rendered == ((row->flags & PAGE_ROW_IS_RENDERED) != 0);
}

/* Return whether the page has other text nodes than the stored record. */
static bool comparison_has_news(struct txn *txn, uint32_t site, uint64_t page,
				const struct record *record)
{
	struct buffer bytes = {0};
	struct record stored;
	bool has_news =
		content_record(txn, site, page, &bytes, &stored) == ERR_NONE &&
		(stored.fragment_count != record->fragment_count ||
		 (record->fragment_count > 0 &&
		  memcmp(stored.fragments, record->fragments,
			 record->fragment_count * sizeof(*record->fragments)) !=
			  0));

	buffer_free(&bytes);
	return has_news;
}

/*
 * Append the stored page to the body of the job, and encode the request. Return
 * false if there is nothing to compare.
 */
static bool comparison_read(const struct analyser *analysing, struct job *job,
			    struct text_comparison *comparison)
{
	const struct slice url = slice_of(job->url.text);
	const uint64_t page = page_key_of(url);
	struct buffer *body = &job->result.body;
	struct txn txn = txn_begin_read(analysing->store);
	struct text_change_row known = {0};
	struct record record;
	struct site_row site;
	struct page_row row;
	bool is_read =
		record_open(buffer_slice(&job->record), &record) == ERR_NONE &&
		site_get(&txn, slice_of(job->url.host), &site) &&
		page_row_get(&txn, site.id, page, &row) &&
		slice_equal(row.url, url) &&
		comparison_is_possible(&row, &record) &&
		comparison_has_news(&txn, site.id, page, &record);

	*comparison =
		(struct text_comparison){.job = job, .page_bytes = body->size};
	if (is_read)
		is_read = content_body(&txn, site.id, page, row.body_bytes,
				       body) == ERR_NONE;
	if (is_read) {
		text_change_row_get(&txn, site.id, page, &known);
		comparison->base = row.content_hash;
		comparison->head = row_codec_encode(
			&change_request_layout,
			&(struct change_request){
				.limits = analysing->limits,
				.page_bytes = comparison->page_bytes,
				.visits = known.visits,
				.quiet = known.quiet,
				.before_charset = row.charset,
				.after_charset = slice_of(job->result.charset),
				.parts = known.parts,
			});
	} else {
		buffer_truncate(body, comparison->page_bytes);
	}
	txn_abort(&txn);
	return is_read;
}

/*
 * Add the worker's result to the list of the job. Return false if it is
 * invalid.
 */
static bool comparison_store_result(void *context, struct slice head,
				    struct slice body)
{
	struct text_comparison *comparison = context;
	struct buffer *guarded = &comparison->job->guarded;
	json_t *change;
	json_t *list;

	if (body.size == 0)
		return head.size == 0;
	change = json_read(body);
	if (head.size > 0 || !text_change_is_sound(change)) {
		json_decref(change);
		return false;
	}
	list = json_read(buffer_slice(guarded));
	if (list == NULL)
		list = json_array();
	json_array_append_new(list,
			      json_pack("{s:o, s:I}", "text", change, "base",
					(json_int_t)comparison->base));
	buffer_clear(guarded);
	json_append(guarded, list, JSON_COMPACT);
	return true;
}

void page_text_compare(const struct analyser *analysing, struct job *jobs)
{
	struct text_comparison comparisons[GATHER_JOBS];
	struct pool_task tasks[GATHER_JOBS];
	size_t count = 0;

	for (struct job *job = jobs; job != NULL; job = job->next) {
		struct text_comparison *comparison = &comparisons[count];

		if (job->error != ERR_NONE ||
		    !comparison_read(analysing, job, comparison))
			continue;
		tasks[count] = (struct pool_task){
			.kind = TASK_CHANGE,
			.head = buffer_slice(&comparison->head),
			.body = buffer_slice(&job->result.body),
			.site = hash64(job->url.host, strlen(job->url.host), 0),
			.take = comparison_store_result,
			.take_context = comparison,
		};
		count++;
		assert(count <= GATHER_JOBS);
	}
	if (count > 0)
		worker_pool_run_all(analysing->pool, tasks, count);
	for (size_t i = 0; i < count; i++) {
		struct job *job = comparisons[i].job;

		buffer_truncate(&job->result.body, comparisons[i].page_bytes);
		buffer_free(&comparisons[i].head);
	}
}

json_t *page_text_change(struct slice guarded, uint64_t base)
{
	json_t *list = guarded.size == 0 ? NULL : json_read(guarded);
	json_t *change = NULL;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (change == NULL && json_object_get(item, "text") != NULL &&
		    json_member_whole(item, "base") == (json_int_t)base)
			change = json_incref(json_object_get(item, "text"));
	}
	json_decref(list);
	return change;
}

json_t *page_text_detail(const json_t *change)
{
	json_t *detail = change == NULL ? NULL : json_copy((json_t *)change);

	if (detail != NULL) {
		json_object_del(detail, "parts");
		json_object_del(detail, "visits");
	}
	return detail;
}

/* Write what the change says; the row has copies of its texts. */
static void put_text_change(struct commit *batch, const struct site *site,
			    const struct page_text_visit *visit,
			    struct text_change_row *row)
{
	json_t *detail = page_text_detail(visit->change);
	char *change = json_dumps(detail, JSON_COMPACT);
	char *parts = json_dumps(json_object_get(visit->change, "parts"),
				 JSON_COMPACT);

	row->quiet = 0;
	row->visits = (uint32_t)json_member_whole(visit->change, "visits");
	row->parts = slice_of(parts == NULL ? "" : parts);
	if (change != NULL && text_change_is_news(visit->change)) {
		row->changed_ms = batch->now_ms;
		row->before_ms = visit->before_ms;
		row->change = slice_of(change);
	}
	text_change_row_put(batch->txn, site->row.id, visit->page, row);
	free(parts);
	free(change);
	json_decref(detail);
}

void commit_page_text(struct commit *batch, const struct site *site,
		      const struct page_text_visit *visit)
{
	struct text_change_row row = {0};
	struct buffer texts = {0};
	size_t parts;

	if (!text_change_row_get(batch->txn, site->row.id, visit->page, &row) &&
	    visit->change == NULL)
		return;
	if (visit->change == NULL && row.quiet == TEXT_CHANGE_QUIET)
		return;
	/* writes invalidate LMDB's memory */
	parts = row.parts.size;
	buffer_append_slice(&texts, row.parts);
	buffer_append_slice(&texts, row.change);
	row.parts.data = texts.data;
	if (row.change.size > 0)
		row.change.data = texts.data + parts;
	if (visit->change == NULL) {
		row.quiet++;
		text_change_row_put(batch->txn, site->row.id, visit->page,
				    &row);
	} else {
		put_text_change(batch, site, visit, &row);
	}
	buffer_free(&texts);
}
