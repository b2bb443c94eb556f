#include "daemon/pipeline/job.h"

#include <stdlib.h>

#include "store/memory.h"

struct job *job_create(struct work *work)
{
	struct job *job = mem_alloc(1, sizeof(*job));

	job->work = *work;
	*work = (struct work){0};
	if (url_parse(&job->url, slice_of(job->work.lease.url), NULL) ==
	    ERR_NONE)
		return job;
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
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->is_changed, NULL);
}

void job_queue_finish(struct job_queue *queue)
{
	struct job *job = queue->first;

	while (job != NULL) {
		struct job *next = job->next;

		job_destroy(job);
		job = next;
	}
	pthread_cond_destroy(&queue->is_changed);
	pthread_mutex_destroy(&queue->mutex);
}

void job_queue_push(struct job_queue *queue, struct job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&queue->mutex);
	if (queue->last == NULL)
		queue->first = job;
	else
		queue->last->next = job;
	queue->last = job;
	queue->count++;
	pthread_cond_signal(&queue->is_changed);
	pthread_mutex_unlock(&queue->mutex);
}

struct job *job_queue_wait(struct job_queue *queue)
{
	struct job *job;

	pthread_mutex_lock(&queue->mutex);
	while (queue->first == NULL && !queue->is_closed)
		pthread_cond_wait(&queue->is_changed, &queue->mutex);
	job = queue->first;
	if (job != NULL) {
		queue->first = job->next;
		queue->count--;
		if (queue->first == NULL)
			queue->last = NULL;
	}
	pthread_mutex_unlock(&queue->mutex);
	return job;
}

struct job *job_queue_take_all(struct job_queue *queue)
{
	struct job *jobs;

	pthread_mutex_lock(&queue->mutex);
	jobs = queue->first;
	queue->first = NULL;
	queue->last = NULL;
	queue->count = 0;
	pthread_mutex_unlock(&queue->mutex);
	return jobs;
}

void job_queue_close(struct job_queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->is_closed = true;
	pthread_cond_broadcast(&queue->is_changed);
	pthread_mutex_unlock(&queue->mutex);
}

size_t job_queue_count(struct job_queue *queue)
{
	size_t count;

	pthread_mutex_lock(&queue->mutex);
	count = queue->count;
	pthread_mutex_unlock(&queue->mutex);
	return count;
}
