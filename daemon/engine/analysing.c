#include "daemon/engine/analysing.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/log.h"
#include "daemon/engine/guarding.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/requests.h"
#include "page/robots_tag.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows_poison.h"
#include "store/rows_site.h"

/* Collects the worker's result for a job. */
struct analysis_result {
	struct job *job;
	size_t page_bytes;
	enum error error;
};

/* Return whether page_parse() can return this error. */
static bool is_parse_error(int32_t error)
{
	return error == ERR_NONE || error == ERR_NOT_HTML;
}

/* Free the results of an earlier attempt, or of a rejected response. */
static void drop_results(struct job *job)
{
	buffer_clear(&job->record);
	buffer_clear(&job->guarded);
	buffer_clear(&job->packed);
}

/* Store the worker's result in the job; false if it is invalid. */
static bool analysis_store_result(void *context, struct slice head,
				  struct slice body)
{
	struct analysis_result *taken = context;
	struct job *job = taken->job;
	struct analyse_answer row;
	struct record record;
	struct slice part;

	drop_results(job);
	if (!row_codec_decode(&analyse_answer_layout, head, &row) ||
	    !is_parse_error(row.error))
		return false;
	taken->error = (enum error)row.error;
	if (taken->error != ERR_NONE)
		return body.size == 0;
	if (!item_cut(&body, row.record_bytes, &part))
		return false;
	buffer_append_slice(&job->record, part);
	if (!item_cut(&body, row.guarded_bytes, &part))
		return false;
	buffer_append_slice(&job->guarded, part);
	/* zstd output is hardly larger than its input */
	if (body.size > taken->page_bytes + taken->page_bytes / 128U + 1024U)
		return false;
	buffer_append_slice(&job->packed, body);
	return record_open(buffer_slice(&job->record), &record) == ERR_NONE;
}

static struct buffer analysis_encode_head(const struct analyser *analysing,
					  const struct job *job)
{
	const struct analyse_request request = {
		.limits = limits_to_field(&analysing->limits),
		.page_bytes = job->result.body.size,
		.measure = job->work.measure,
		.width = job->work.width,
		.http_status = job->result.http_status,
		.is_cut = job->result.is_cut,
		.is_nofollow =
			(job->result.robots_tag & ROBOTS_TAG_NOFOLLOW) != 0,
		.url = slice_of(job->url.text),
		.guard_limits = analysing->guard_limits,
		.charset = slice_of(job->result.charset),
		.drop_parameters = analysing->drop_parameters,
	};

	return row_codec_encode(&analyse_request_layout, &request);
}

/* Return whether these bytes have crashed or stalled a worker before. */
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
		job->was_poisoned = !is_same;
	}
	txn_abort(&txn);
	return is_same;
}

/* Store the bytes for quarantine, with the reason. */
static void analysis_quarantine_job(struct job *job, const char *reason)
{
	const struct slice body = buffer_slice(&job->result.body);

	snprintf(job->reason, sizeof(job->reason), "%s", reason);
	job->content_hash = hash64(body.data, body.size, 0);
	compress_slice(body, &job->packed);
	log_warn_limited_about(job_subject(job),
			       "quarantined: %s; see templatectl poison",
			       reason);
}

/* The analysis of a job by a worker. */
struct analysis {
	struct analysis_result taken;
	struct buffer head;
};

static void analysis_prepare(const struct analyser *analysing, struct job *job,
			     struct analysis *analysis, struct pool_task *task)
{
	struct buffer *body = &job->result.body;

	*analysis = (struct analysis){
		.taken = {.job = job, .page_bytes = body->size},
		.head = analysis_encode_head(analysing, job),
	};
	/* append the guards after the page while the worker reads it */
	guard_check_read(analysing->store, job->url.host,
			 slice_of(job->url.text), body);
	*task = (struct pool_task){
		.kind = TASK_ANALYSE,
		.head = buffer_slice(&analysis->head),
		.body = buffer_slice(body),
		.site = hash64(job->url.host, strlen(job->url.host), 0),
		.take = analysis_store_result,
		.take_context = &analysis->taken,
	};
}

static void analysis_finish(struct analysis *analysis,
			    const struct pool_task *task)
{
	struct job *job = analysis->taken.job;

	job->result.body.size = analysis->taken.page_bytes;
	buffer_free(&analysis->head);
	job->error =
		task->error == ERR_NONE ? analysis->taken.error : task->error;
	if (task->error != ERR_NONE)
		drop_results(job);
	if (task->error == ERR_QUARANTINED)
		analysis_quarantine_job(job, task->reason);
}

void analyser_run(const struct analyser *analysing, struct job *jobs)
{
	struct analysis analyses[GATHER_JOBS];
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
}
