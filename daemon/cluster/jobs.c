/*
 * Doing what users ask for: jobs of our partitions, in the order of their
 * stream, tpl.job.<P>.<verb>. How far we are is in the partition, so that who
 * takes it goes on there; the last few may be done again, which does no harm.
 */
#include "daemon/cluster/cluster_parts.h"

#include <stdio.h>
#include <string.h>

#include "daemon/cluster/sealed_job.h"
#include "daemon/runtime/clock.h"
#include "store/log.h"
#include "store/partitions.h"

enum {
	LOOK_MS = 60000, /* hints may be lost */
	BUSY_MS = 500,   /* after one that cannot be done now */
	JOBS_NOTED = 64, /* at most are done again */
};

static uint64_t read_place(struct cluster *cluster, unsigned number)
{
	struct txn txn = txn_begin_read(cluster->store);
	char name[COUNTER_NAME_BYTES];
	uint64_t job;

	job_counter_name(number, name);
	job = store_last_number(&txn, name);
	txn_end(&txn);
	return job;
}

static enum error note_place(struct cluster *cluster, unsigned number,
			     uint64_t job)
{
	struct change change = {
		.kind = CHANGE_JOBS,
		.jobs = {.partition = number, .number = job},
	};

	return pipeline_command(cluster->pipeline, &change);
}

static enum error give_job(struct cluster *cluster, struct slice data)
{
	void *context;
	cluster_worker *worker = cluster_begin_work(cluster, &context);
	enum error error;

	if (worker == NULL)
		return ERR_BUSY;
	error = worker(context, data);
	cluster_end_call(cluster);
	return error;
}

/* One that is sealed by a key that is not here waits for it. */
static enum error do_job(struct cluster *cluster,
			 const struct bus_message *message)
{
	const char *subject = message->subject.data;
	struct buffer job = {0};
	enum error error =
		sealed_job_read(cluster->options.secret_keys, subject,
				buffer_slice(&message->data), &job);

	if (error == ERR_NONE)
		error = give_job(cluster, buffer_slice(&job));
	else
		log_error("job %s: it is sealed: %s%s", subject,
			  error_text(error),
			  error == ERR_NO_KEY ? "; it waits for that"
					      : "; it is passed over");
	if (job.data != NULL)
		explicit_bzero(job.data, job.capacity);
	buffer_free(&job);
	return error;
}

static void count_job(struct cluster *cluster)
{
	lock_acquire(&cluster->lock);
	cluster->jobs++;
	lock_release(&cluster->lock);
}

/* Do the next job; ERR_NOT_FOUND: there is none now. */
static enum error do_next(struct cluster *cluster, unsigned number,
			  uint64_t *job)
{
	char subject[BUS_SUBJECT_BYTES];
	struct bus_message message = {0};
	enum error error;

	snprintf(subject, sizeof(subject), "tpl.job.%03u.*", number);
	error = cluster->ops->next(cluster->bus, BUS_JOBS, subject, *job + 1,
				   &message);
	if (error == ERR_NONE) {
		error = do_job(cluster, &message);
		if (error != ERR_BUSY && error != ERR_NO_KEY) {
			count_job(cluster);
			*job = message.number;
			error = ERR_NONE; /* what cannot be done was told */
		}
	}
	buffer_free(&message.data);
	buffer_free(&message.subject);
	return error;
}

static bool is_own(struct cluster *cluster, unsigned number)
{
	bool is_own;

	lock_acquire(&cluster->lock);
	is_own = cluster->partitions[number].state == PARTITION_OWN &&
		 !cluster->is_ending && cluster->worker != NULL;
	lock_release(&cluster->lock);
	return is_own;
}

/* The jobs of a partition, as long as there are some. ERR_BUSY: the next one
 * cannot be done now. */
static enum error do_jobs(struct cluster *cluster, unsigned number,
			  uint64_t *job)
{
	uint64_t noted = *job;
	enum error error = ERR_NONE;
	unsigned done = 0;

	while (error == ERR_NONE && is_own(cluster, number)) {
		uint64_t before = *job;

		error = do_next(cluster, number, job);
		done += *job != before;
		if (done == JOBS_NOTED) {
			error = note_place(cluster, number, *job);
			noted = *job;
			done = 0;
		}
	}
	if (*job != noted)
		note_place(cluster, number, *job);
	return error;
}

/* A partition whose turn it is, or ALL_PARTITIONS; with the lock held. */
static unsigned find_turn(const struct cluster *cluster, uint64_t now_ms)
{
	const struct partition *partitions = cluster->partitions;
	unsigned found = ALL_PARTITIONS;

	if (cluster->worker == NULL)
		return found;
	for (unsigned i = 0; i < PARTITIONS; i++)
		if (partitions[i].state == PARTITION_OWN &&
		    !partitions[i].is_working &&
		    partitions[i].job_ms <= now_ms &&
		    (found == ALL_PARTITIONS ||
		     partitions[i].job_ms < partitions[found].job_ms))
			found = i;
	return found;
}

/* Wait for a turn; false: all ends. */
static bool take_turn(struct cluster *cluster, unsigned *number_out)
{
	bool goes_on;

	lock_acquire(&cluster->lock);
	*number_out = find_turn(cluster, clock_steady_ms());
	while (*number_out == ALL_PARTITIONS && !cluster->is_ending) {
		condition_wait_until(&cluster->has_jobs, &cluster->lock,
				     clock_steady_ms() + BUSY_MS);
		*number_out = find_turn(cluster, clock_steady_ms());
	}
	goes_on = !cluster->is_ending;
	if (goes_on) {
		cluster->partitions[*number_out].is_working = true;
		cluster->partitions[*number_out].has_jobs = false;
	}
	lock_release(&cluster->lock);
	return goes_on;
}

void *jobs_main(void *argument)
{
	struct cluster *cluster = argument;
	unsigned number;

	while (take_turn(cluster, &number)) {
		struct partition *partition = &cluster->partitions[number];
		enum error error;
		bool is_known;
		uint64_t job;

		lock_acquire(&cluster->lock);
		is_known = partition->is_job_known;
		partition->is_job_known = true;
		job = partition->job;
		lock_release(&cluster->lock);
		if (!is_known)
			job = read_place(cluster, number);
		error = do_jobs(cluster, number, &job);
		lock_acquire(&cluster->lock);
		partition->job = job;
		partition->is_working = false;
		/* a hint that came meanwhile counts */
		partition->job_ms =
			partition->has_jobs
				? 0
				: clock_steady_ms() + (error == ERR_BUSY
							       ? BUSY_MS
							       : LOOK_MS);
		lock_release(&cluster->lock);
	}
	return NULL;
}
