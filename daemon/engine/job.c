#include "daemon/engine/job.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"

struct job *job_create(struct work *work)
{
	struct job *job = mem_alloc(1, sizeof(*job));

	job->work = *work;
	*work = (struct work){0};
	if (url_parse(&job->url, slice_of(job->work.lease.url), NULL) ==
	    ERR_NONE)
		return job;
	log_error_limited_about(
		(struct log_subject){.url = slice_of(job->work.lease.url)},
		"the stored URL cannot be parsed");
	job_destroy(job);
	return NULL;
}

void job_destroy(struct job *job)
{
	if (job == NULL)
		return;
	fetch_result_free(&job->result);
	work_free(&job->work);
	buffer_free(&job->listing);
	buffer_free(&job->record);
	buffer_free(&job->guarded);
	buffer_free(&job->packed);
	free(job);
}

void job_queue_init(struct job_queue *queue)
{
	*queue = (struct job_queue){0};
	lock_init(&queue->lock, LOCK_QUEUE);
	condition_init(&queue->is_changed);
}

void job_queue_finish(struct job_queue *queue)
{
	struct job *job = queue->first;

	while (job != NULL) {
		struct job *next = job->next;

		job_destroy(job);
		job = next;
	}
	condition_destroy(&queue->is_changed);
	lock_destroy(&queue->lock);
}

size_t job_queue_push(struct job_queue *queue, struct job *job)
{
	size_t count;

	assert(job != NULL);
	job->next = NULL;
	lock_acquire(&queue->lock);
	if (queue->last == NULL)
		queue->first = job;
	else
		queue->last->next = job;
	queue->last = job;
	assert(!queue->is_closed);
	count = ++queue->count;
	/* a gathering thread checks again without a signal */
	if (count == 1 || count >= GATHER_JOBS)
		condition_signal(&queue->is_changed);
	lock_release(&queue->lock);
	return count;
}

/*
 * Wait for jobs that fit together; another thread may have taken them
 * meanwhile.
 */
static void wait_for_jobs(struct job_queue *queue)
{
	uint64_t until_ms;

	assert(lock_is_held(&queue->lock));
	while (queue->first == NULL && !queue->is_closed)
		condition_wait(&queue->is_changed, &queue->lock);
	until_ms = clock_steady_ms() + GATHER_MS;
	while (queue->count > 0 && queue->count < GATHER_JOBS &&
	       !queue->is_urgent && !queue->is_closed &&
	       condition_wait_until(&queue->is_changed, &queue->lock, until_ms))
		continue;
}

/* Remove the first jobs that fit together. */
static struct job *take_some(struct job_queue *queue)
{
	struct job *jobs = queue->first;
	struct job **end = &queue->first;
	size_t bytes = 0;
	size_t count = 0;

	assert(lock_is_held(&queue->lock) && jobs != NULL);
	do {
		bytes += (*end)->result.body.size;
		end = &(*end)->next;
		count++;
	} while (*end != NULL && count < GATHER_JOBS &&
		 bytes + (*end)->result.body.size <= GATHER_BYTES);
	queue->first = *end;
	*end = NULL;
	assert(queue->count >= count);
	queue->count -= count;
	if (queue->first == NULL) {
		queue->last = NULL;
		queue->is_urgent = false;
	}
	return jobs;
}

struct job *job_queue_gather(struct job_queue *queue)
{
	struct job *jobs = NULL;

	lock_acquire(&queue->lock);
	do
		wait_for_jobs(queue);
	while (queue->first == NULL && !queue->is_closed);
	if (queue->first != NULL)
		jobs = take_some(queue);
	if (queue->first != NULL)
		condition_signal(&queue->is_changed);
	lock_release(&queue->lock);
	return jobs;
}

void job_queue_flush(struct job_queue *queue)
{
	lock_acquire(&queue->lock);
	queue->is_urgent = queue->first != NULL;
	if (queue->is_urgent)
		condition_broadcast(&queue->is_changed);
	lock_release(&queue->lock);
}

struct job *job_queue_take_all(struct job_queue *queue)
{
	struct job *jobs;

	lock_acquire(&queue->lock);
	assert((queue->first == NULL) == (queue->count == 0));
	jobs = queue->first;
	queue->first = NULL;
	queue->last = NULL;
	queue->count = 0;
	lock_release(&queue->lock);
	return jobs;
}

void job_queue_close(struct job_queue *queue)
{
	lock_acquire(&queue->lock);
	queue->is_closed = true;
	condition_broadcast(&queue->is_changed);
	lock_release(&queue->lock);
}

size_t job_queue_count(struct job_queue *queue)
{
	size_t count;

	lock_acquire(&queue->lock);
	count = queue->count;
	lock_release(&queue->lock);
	return count;
}
