#include "daemon/engine/engine_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/log.h"
#include "crawl/http_message.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/engine/page_text.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"
#include "page/robots_tag.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"

/*
 * Return `guard` in the form for a worker, with the guard's last result on the
 * page.
 */
static struct wanted_guard wanted_of(struct txn *txn, uint32_t site,
				     uint32_t number, uint64_t page,
				     const struct guard_row *guard)
{
	struct wanted_guard wanted = {
		.number = number,
		.language = guard->language,
		.minimum = guard->minimum,
		.maximum = guard->maximum,
		.selector = guard->selector,
	};
	struct guarded_row row;

	if (guarded_row_get(txn, site, number, page, &row) &&
	    row.good_ms != 0) {
		wanted.is_known = 1;
		wanted.value = row.value;
		wanted.path = row.path;
	}
	return wanted;
}

void guard_check_read(struct store *store, const char *host, struct slice url,
		      struct buffer *list)
{
	struct txn txn = txn_begin_read(store);
	struct site_row site;
	struct scan scan;

	if (site_get(&txn, slice_of(host), &site)) {
		scan = scan_site(&txn, TABLE_GUARDS, site.id);
		for (uint32_t i = 0; i < MAX_SITE_GUARDS && scan_next(&scan);
		     i++) {
			struct wanted_guard wanted;
			struct guard_row guard;

			if (!guard_row_decode(scan.value, &guard) ||
			    guard.language == GUARD_TEXT ||
			    guard.state == GUARD_SUSPENDED)
				continue;
			wanted = wanted_of(&txn, site.id, key_u32(scan.key, 4),
					   page_key_of(url), &guard);
			item_append_row(list, &wanted_guard_layout, &wanted);
		}
		scan_end(&scan);
	}
	txn_abort(&txn);
}

/* A job whose page a worker analyses. */
struct analyser_task {
	struct job *job;
	struct buffer head;
	size_t page_bytes;
	enum error error; /* error that the worker has returned */
};

/*
 * Free the results of an earlier analysis, or of an analysis that was rejected.
 */
static void drop_results(struct job *job)
{
	buffer_clear(&job->record);
	buffer_clear(&job->guarded);
	buffer_clear(&job->packed);
	buffer_clear(&job->render.words);
}

/*
 * Store the worker's result in the job. Return false if the result is invalid.
 */
static bool analysis_store_result(void *context, struct slice head,
				  struct slice body)
{
	struct analyser_task *taken = context;
	struct job *job = taken->job;
	struct analyse_answer row;
	struct record record;
	struct slice part;

	drop_results(job);
	if (!row_codec_decode(&analyse_answer_layout, head, &row) ||
	    (row.error != ERR_NONE && row.error != ERR_NOT_HTML))
		return false;
	taken->error = (enum error)row.error;
	job->is_shell = row.is_shell != 0;
	if (taken->error != ERR_NONE)
		return body.size == 0;
	if (!item_cut(&body, row.record_bytes, &part))
		return false;
	buffer_append_slice(&job->record, part);
	if (!item_cut(&body, row.guarded_bytes, &part))
		return false;
	buffer_append_slice(&job->guarded, part);
	if (!item_cut(&body, row.word_bytes, &part) ||
	    !page_words_are_sound(part))
		return false;
	buffer_append_slice(&job->render.words, part);
	return body.size == 0 &&
	       record_open(buffer_slice(&job->record), &record) == ERR_NONE;
}

static struct buffer analysis_encode_head(const struct analyser *analysing,
					  const struct job *job)
{
	const struct analyse_request request = {
		.limits = analysing->limits,
		.page_bytes = job->result.body.size,
		.measure = job->work.measure,
		.width = job->work.width,
		.http_status = job->result.http_status,
		.is_cut = job->result.is_cut,
		.is_nofollow =
			(job->result.robots_tag & ROBOTS_TAG_NOFOLLOW) != 0,
		.is_rendered = job->is_rendered,
		.wants_words = job->render.wants_words,
		.url = slice_of(job->url.text),
		.guard_limits = analysing->guard_limits,
		.charset = slice_of(job->result.charset),
		.drop_parameters = analysing->drop_parameters,
		.refresh = fetch_result_is_redirect(&job->result)
				   ? slice_of("")
				   : slice_of(job->result.redirect),
	};

	return row_codec_encode(&analyse_request_layout, &request);
}

/*
 * Return whether a worker has crashed or stalled on the body of `job` before.
 */
static bool is_poison(const struct analyser *analysing, struct job *job)
{
	struct txn txn = txn_begin_read(analysing->store);
	struct quarantine_row row = {0};
	struct site_row site;
	const struct slice body = buffer_slice(&job->result.body);
	bool is_same = false;

	if (site_get(&txn, slice_of(job->url.host), &site) &&
	    quarantine_row_get(&txn, site.id,
			       page_key_of(slice_of(job->url.text)), &row)) {
		is_same = row.body_bytes == body.size &&
			  row.content_hash == hash64(body.data, body.size, 0);
		job->analysis.was_poisoned = !is_same;
	}
	txn_abort(&txn);
	return is_same;
}

/*
 * Prepare the job for quarantine: store the reason, the hash and the compressed
 * body in it.
 */
static void analysis_quarantine_job(struct job *job, const char *reason)
{
	const struct slice body = buffer_slice(&job->result.body);

	snprintf(job->reason, sizeof(job->reason), "%s", reason);
	job->analysis.content_hash = hash64(body.data, body.size, 0);
	compress_slice(body, &job->packed);
	log_warn_limited_about(
		job_subject(job),
		"quarantined: %s; see templatectl quarantine list", reason);
}

static void analysis_prepare(const struct analyser *analysing, struct job *job,
			     struct analyser_task *analysis,
			     struct pool_task *task)
{
	struct buffer *body = &job->result.body;

	*analysis = (struct analyser_task){
		.job = job,
		.head = analysis_encode_head(analysing, job),
		.page_bytes = body->size,
	};
	/*
	 * append the guards after the page; the worker checks them in the same
	 * run
	 */
	guard_check_read(analysing->store, job->url.host,
			 slice_of(job->url.text), body);
	*task = (struct pool_task){
		.kind = TASK_ANALYSE,
		.head = buffer_slice(&analysis->head),
		.body = buffer_slice(body),
		.site = hash64(job->url.host, strlen(job->url.host), 0),
		.take = analysis_store_result,
		.take_context = analysis,
	};
}

static void analysis_finish(struct analyser_task *analysis,
			    const struct pool_task *task)
{
	struct job *job = analysis->job;

	job->result.body.size = analysis->page_bytes;
	buffer_free(&analysis->head);
	job->error = task->error == ERR_NONE ? analysis->error : task->error;
	if (task->error != ERR_NONE)
		drop_results(job);
	if (task->error == ERR_QUARANTINED)
		analysis_quarantine_job(job, task->reason);
}

void analyser_run(const struct analyser *analysing, struct job *jobs)
{
	struct analyser_task analyses[GATHER_JOBS];
	struct pool_task tasks[GATHER_JOBS];
	size_t count = 0;

	for (struct job *job = jobs; job != NULL; job = job->next) {
		if (is_poison(analysing, job)) {
			job->error = ERR_QUARANTINED;
			continue;
		}
		assert(count < GATHER_JOBS);
		analysis_prepare(analysing, job, &analyses[count],
				 &tasks[count]);
		count++;
	}
	worker_pool_run_all(analysing->pool, tasks, count);
	for (size_t i = 0; i < count; i++)
		analysis_finish(&analyses[i], &tasks[i]);
	page_text_compare(analysing, jobs);
}

void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials)
{
	/* a sitemap is no page */
	if (job->is_archived ||
	    (job->work.lease.flags & FRONTIER_IS_SITEMAP) != 0)
		return;
	job->analysis.archived_ms = archive_fetch(
		archive, &(struct archived_fetch){
				 .url = &job->url,
				 .result = &job->result,
				 .own_headers = job->work.headers,
				 .keeps_credentials = keeps_credentials,
			 });
	job->is_archived = true;
}
