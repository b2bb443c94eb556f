#include "daemon/nodes/nodes_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/log_append.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

/* The first bytes of an encrypted job. No JSON text begins with these bytes. */
static const char mark[] = {'T', 'P', 'L', 'S', 'E', 'A', 'L', '1'};

/*
 * Write the text that binds an encrypted job to its subject: it cannot be
 * decrypted under another one.
 */
static void import_job_write_context(const char *subject, struct buffer *out)
{
	buffer_append_text(out, "templated job 1 ");
	buffer_append_text(out, subject);
}

void import_job_encrypt(const struct encryption_keys *keys, const char *subject,
			struct slice job, struct buffer *out)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);
	struct buffer about = {0};

	import_job_write_context(subject, &about);
	buffer_append(out, mark, sizeof(mark));
	cipher->seal(cipher->context, buffer_slice(&about), job, out);
	buffer_free(&about);
}

enum error import_job_decrypt(const struct encryption_keys *keys,
			      const char *subject, struct slice bytes,
			      struct buffer *out)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);
	struct buffer about = {0};
	enum error error = ERR_NO_ENCRYPTION_KEY;

	if (bytes.size < sizeof(mark) ||
	    memcmp(bytes.data, mark, sizeof(mark)) != 0) {
		buffer_append_slice(out, bytes);
		return ERR_NONE;
	}
	import_job_write_context(subject, &about);
	if (cipher != NULL)
		error = cipher->open(
			cipher->context, buffer_slice(&about),
			(struct slice){(const char *)bytes.data + sizeof(mark),
				       bytes.size - sizeof(mark)},
			out);
	buffer_free(&about);
	return error;
}

/*
 * Execute the jobs of the partitions that this node owns, in the order of the
 * stream, tpl.job.<P>.<verb>. The progress is stored in the partition, so that
 * the next owner continues there. If a node fails, the next owner repeats the
 * last few jobs, except seeds: the transaction of a seed stores the progress
 * too.
 */

enum {
	BUSY_MS = 500,         /* wait after a job that cannot be executed
				  now */
	TOLD_MS = 60000,       /* log a job that waits this long, and again
				  after this time */
	JOBS_NOTED = 64,       /* store the progress after this many jobs; a
				  failed node repeats at most as many */
	NUMBERS_KEPT = 64,     /* the servers never change the number of an
				  entry by more than this */
	GROUP_JOBS = 256,      /* maximum number of seeds per transaction */
	GROUP_BYTES = 1 << 20, /* approximate size per transaction */
};

static uint64_t import_jobs_lower_bound(uint64_t number)
{
	return number > NUMBERS_KEPT ? number - NUMBERS_KEPT : 0;
}

static enum error read_place(struct node_group *group, unsigned number,
			     struct import_job_progress *place)
{
	struct txn txn = txn_begin_read(group->store);
	char name[COUNTER_NAME_BYTES];

	*place = (struct import_job_progress){0};
	counter_name(name, "job", number);
	place->last.number = store_last_number(&txn, name);
	counter_name(name, "jobtime", number);
	place->last.time_ms = store_last_number(&txn, name);
	counter_name(name, "jobhash", number);
	place->last.hash = store_last_number(&txn, name);
	place->noted = place->last.hash;
	return txn_end(&txn);
}

/*
 * The range of numbers in which to search for a job, and the time when the job
 * was stored (0 = any time).
 */
struct import_job_search {
	uint64_t from;
	uint64_t end;
	uint64_t time_ms;
};

/*
 * Search for the job of place->last.hash in the range `search`, and set the
 * number and time of place->last. ERR_NOT_FOUND: it is not there.
 */
static enum error find_between(struct node_group *group, unsigned number,
			       struct import_job_progress *place,
			       struct import_job_search search)
{
	const struct broker_subject subject =
		broker_subject(JOBS_SUBJECT, number, "*");
	struct broker_message message = {0};
	enum error error = ERR_NOT_FOUND;
	bool is_it = false;

	while (place->last.hash != 0 && search.from <= search.end && !is_it) {
		error = group->ops->next_of_leader(group->bus, BROKER_JOBS,
						   subject.text, search.from,
						   &message);
		if (error != ERR_NONE)
			break;
		is_it = message.number <= search.end &&
			(search.time_ms == 0 ||
			 message.time_ms == search.time_ms) &&
			log_entry_hash(buffer_slice(&message.data)) ==
				place->last.hash;
		search.from = message.number + 1;
	}
	if (is_it) {
		place->last.number = message.number;
		place->last.time_ms = message.time_ms;
	} else if (error == ERR_NONE) {
		error = ERR_NOT_FOUND;
	}
	broker_message_free(&message);
	return error;
}

/*
 * The last executed job is missing, because it was too old or the stream was
 * replaced: continue from a smaller number. Let import_job_is_done() skip the
 * jobs that are older than the last executed one: they must not undo changes
 * that users have made in other ways since.
 */
static enum error go_back(struct node_group *group, unsigned number,
			  struct import_job_progress *place, bool is_new)
{
	struct broker_message last = {0};
	uint64_t job = place->last.number;
	enum error error = group->ops->last(
		group->bus, BROKER_JOBS,
		broker_subject(JOBS_SUBJECT, number, "*").text, &last);

	broker_message_free(&last);
	if (error != ERR_NONE && error != ERR_NOT_FOUND)
		return error;
	/* the place has no hash, so only its number can be checked */
	if (error == ERR_NONE && !is_new && last.number >= job)
		return ERR_NONE;
	if (job > place->done)
		place->done = job;
	if (place->last.time_ms > place->done_time_ms)
		place->done_time_ms = place->last.time_ms;
	place->last.number = 0;
	if (error == ERR_NONE && last.number >= import_jobs_lower_bound(job))
		place->last.number = import_jobs_lower_bound(
			last.number < job ? last.number : job);
	place->last.hash = 0;
	return ERR_NONE;
}

/*
 * Find the last executed job in the stream. Servers of version 2.9 that were
 * killed may renumber entries, each server differently. So the hash of its
 * bytes identifies a job, and its number only says where to search. Two jobs
 * with equal bytes differ in their time. `is_new`: `place` was just read from
 * the store.
 */
static enum error find_last_done(struct node_group *group, unsigned number,
				 struct import_job_progress *place, bool is_new)
{
	uint64_t job = place->last.number;
	struct import_job_search search = {job, job, place->last.time_ms};
	enum error error;

	if (job == 0)
		return ERR_NONE;
	error = find_between(group, number, place, search);
	search.from = import_jobs_lower_bound(job) + 1;
	search.end = job + NUMBERS_KEPT;
	if (error == ERR_NOT_FOUND)
		error = find_between(group, number, place, search);
	search.time_ms = 0;
	if (error == ERR_NOT_FOUND)
		error = find_between(group, number, place, search);
	if (error == ERR_NOT_FOUND)
		error = go_back(group, number, place,
				is_new || place->last.hash != 0);
	return error;
}

static bool import_job_is_done(const struct import_job_progress *place,
			       const struct broker_message *message)
{
	return message->number <= place->done &&
	       (place->done_time_ms == 0 ||
		message->time_ms < place->done_time_ms);
}

/*
 * If the store has another position than `place`, continue from the stored one
 * and return true. They differ if an unconfirmed entry of the log was applied,
 * or if other nodes have executed more jobs.
 */
static bool catch_up(struct node_group *group, unsigned number,
		     struct import_job_progress *place)
{
	struct import_job_progress stored;

	if (read_place(group, number, &stored) != ERR_NONE ||
	    stored.noted == place->noted)
		return false;
	stored.done = place->done;
	stored.done_time_ms = place->done_time_ms;
	*place = stored;
	return true;
}

static enum error note_place(struct node_group *group, unsigned number,
			     struct import_job_progress *place)
{
	struct change change = {
		.kind = CHANGE_JOBS,
		.jobs = {.partition = number,
			 .mark = place->last,
			 .before = place->noted},
	};
	enum error error = pipeline_command(group->pipeline, &change);

	if (error == ERR_NONE) {
		place->unnoted = 0;
		place->noted = place->last.hash;
	}
	if (error == ERR_BUSY)
		catch_up(group, number, place);
	return error;
}

static void import_job_wipe(struct buffer *job)
{
	if (job->data != NULL)
		explicit_bzero(job->data, job->capacity);
	buffer_free(job);
}

static void tell_passed_over(const struct broker_message *message,
			     const struct buffer *why)
{
	log_warn_limited("job %s, number %" PRIu64 ": %.*s; skipping it",
			 (const char *)message->subject.data, message->number,
			 (int)why->size, why->size == 0 ? "" : why->data);
}

/*
 * Log that a job waits, because it blocks the jobs after it: after TOLD_MS and
 * at most once a minute, but a missing encryption key immediately.
 */
static void tell_waiting(struct node_group *group,
			 struct import_job_progress *place,
			 const struct broker_message *message, enum error error,
			 const struct buffer *why)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t patience_ms = error == ERR_NO_ENCRYPTION_KEY ? 0 : TOLD_MS;
	bool tells;

	if (place->waiting != message->number) {
		place->waiting = message->number;
		place->since_ms = now_ms;
	}
	lock_acquire(&group->lock);
	tells = now_ms >= place->since_ms + patience_ms &&
		reminder_is_due(&group->job_told_ms);
	lock_release(&group->lock);
	if (tells)
		log_warn_limited(
			"job %s, number %" PRIu64 ": not executed for %" PRIu64
			" s: %.*s; retrying; later jobs of this partition wait",
			(const char *)message->subject.data, message->number,
			(now_ms - place->since_ms) / 1000U, (int)why->size,
			why->size == 0 ? "" : why->data);
}

static bool import_jobs_is_own(struct node_group *group, unsigned number)
{
	bool is_own;

	lock_acquire(&group->lock);
	is_own = group->partitions[number].state == PARTITION_OWNED &&
		 !group->is_ending && group->worker != NULL;
	lock_release(&group->lock);
	return is_own;
}

/*
 * Execute a job. ERR_BUSY: retry it later. ERR_NO_ENCRYPTION_KEY: it waits
 * until this node has the key. A job that fails otherwise is skipped.
 */
static enum error try_job(struct node_group *group, unsigned number,
			  struct import_job_progress *place,
			  const struct broker_message *message)
{
	const struct import_job_runner *worker;
	struct buffer why = {0};
	struct buffer job = {0};
	void *context;
	enum error error = import_job_decrypt(
		group->options.secret_keys, message->subject.data,
		buffer_slice(&message->data), &job);

	if (error != ERR_NONE) {
		buffer_printf(&why, "cannot decrypt it: %s", error_text(error));
	} else if ((worker = nodes_begin_job(group, &context)) == NULL) {
		error = ERR_BUSY;
	} else {
		error = worker->run(context, number, buffer_slice(&job), &why);
		nodes_end_call(group);
	}
	import_job_wipe(&job);
	/*
	 * a failed job of a partition that this node has lost is left to the
	 * next owner
	 */
	if (error != ERR_NONE && !import_jobs_is_own(group, number))
		error = ERR_BUSY;
	if (error == ERR_BUSY || error == ERR_NO_ENCRYPTION_KEY) {
		tell_waiting(group, place, message, error, &why);
	} else {
		if (error != ERR_NONE)
			tell_passed_over(message, &why);
		group->jobs++;
		error = ERR_NONE;
	}
	buffer_free(&why);
	return error;
}

/*
 * Consecutive jobs that are executed together: several seeds, or one job of
 * another kind.
 */
struct import_job_batch {
	struct broker_message messages[GROUP_JOBS];
	struct buffer texts[GROUP_JOBS]; /* decrypted */
	size_t count;
	size_t seeds; /* number of seeds; 0 = the batch is one job of another
			 kind */
	size_t bytes;
};

/*
 * Read the next job into the batch. If it is a seed, read the seeds that follow
 * it, too. ERR_NOT_FOUND: there is no job now.
 */
static enum error read_group(struct node_group *group, unsigned number,
			     const struct import_job_progress *place,
			     struct import_job_batch *batch)
{
	const struct broker_subject subject =
		broker_subject(JOBS_SUBJECT, number, "*");
	uint64_t from = place->last.number + 1;
	enum error error = ERR_NONE;
	bool goes_on = true;

	while (goes_on && batch->count < (place->singly > 0 ? 1 : GROUP_JOBS) &&
	       batch->bytes < GROUP_BYTES) {
		struct broker_message *message = &batch->messages[batch->count];
		struct buffer *text = &batch->texts[batch->seeds];
		const char *verb;

		error = group->ops->next_of_leader(group->bus, BROKER_JOBS,
						   subject.text, from, message);
		if (error != ERR_NONE)
			break;
		/*
		 * whether this job is a seed that can be executed together with
		 * others
		 */
		verb = strrchr(message->subject.data, '.');
		goes_on = verb != NULL && strcmp(verb, ".seed") == 0 &&
			  place->waiting != message->number &&
			  !import_job_is_done(place, message) &&
			  import_job_decrypt(group->options.secret_keys,
					     message->subject.data,
					     buffer_slice(&message->data),
					     text) == ERR_NONE;
		batch->seeds += goes_on;
		batch->bytes += goes_on ? text->size : 0;
		from = message->number + 1;
		if (goes_on || batch->count == 0)
			batch->count++;
	}
	return batch->count > 0 ? ERR_NONE : error;
}

static struct job_mark import_job_mark(const struct broker_message *message)
{
	return (struct job_mark){
		.number = message->number,
		.time_ms = message->time_ms,
		.hash = log_entry_hash(buffer_slice(&message->data)),
	};
}

/*
 * Execute the seeds of the batch and store the progress. Return how many were
 * executed, from the first one on.
 */
static size_t do_seeds(struct node_group *group, unsigned number,
		       const struct import_job_batch *batch, uint64_t before)
{
	struct import_site *seeds = mem_alloc(batch->seeds, sizeof(*seeds));
	const struct import_job_runner *worker;
	void *context;
	size_t done = 0;

	for (size_t i = 0; i < batch->seeds; i++)
		seeds[i] = (struct import_site){
			.data = buffer_slice(&batch->texts[i]),
			.mark = import_job_mark(&batch->messages[i]),
		};
	worker = nodes_begin_job(group, &context);
	if (worker != NULL) {
		done = worker->seed(context, number, seeds, batch->seeds,
				    before);
		nodes_end_call(group);
	}
	for (size_t i = 0; i < batch->seeds; i++) {
		if (i < done && seeds[i].why.size > 0)
			tell_passed_over(&batch->messages[i], &seeds[i].why);
		buffer_free(&seeds[i].why);
	}
	group->jobs += done;
	free(seeds);
	return done;
}

/*
 * Execute the jobs of a batch: seeds together, other jobs and failed seeds one
 * by one.
 */
static enum error do_group(struct node_group *group, unsigned number,
			   struct import_job_progress *place,
			   const struct import_job_batch *batch)
{
	const struct broker_message *first = &batch->messages[0];
	enum error error = ERR_NONE;
	size_t done = batch->seeds == 0
			      ? 0
			      : do_seeds(group, number, batch, place->noted);

	if (place->singly > 0)
		place->singly--;
	else
		place->singly = (unsigned)(batch->seeds - done);
	if (done > 0) {
		place->last = import_job_mark(&batch->messages[done - 1]);
		place->unnoted = 0;
		place->noted = place->last.hash;
		return ERR_NONE;
	}
	/* the seeds may have failed because the position has changed */
	if (batch->seeds > 0 && catch_up(group, number, place))
		return ERR_BUSY;
	if (!import_job_is_done(place, first)) {
		error = try_job(group, number, place, first);
		place->unnoted += error == ERR_NONE;
	}
	if (error == ERR_NONE)
		place->last = import_job_mark(first);
	return error;
}

/*
 * Execute the jobs of a partition until there are no more (ERR_NOT_FOUND).
 * ERR_BUSY: the next job cannot be executed now.
 */
static enum error do_jobs(struct node_group *group, unsigned number,
			  struct import_job_progress *place)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && import_jobs_is_own(group, number)) {
		struct import_job_batch *batch = mem_alloc(1, sizeof(*batch));

		error = read_group(group, number, place, batch);
		if (error == ERR_NONE)
			error = do_group(group, number, place, batch);
		for (size_t i = 0; i < GROUP_JOBS; i++) {
			import_job_wipe(&batch->texts[i]);
			broker_message_free(&batch->messages[i]);
		}
		free(batch);
		if (place->unnoted >= JOBS_NOTED)
			error = note_place(group, number, place);
	}
	if (place->unnoted > 0)
		note_place(group, number, place);
	return error;
}

/*
 * Return the partition whose jobs have waited longest among those that are due,
 * or ALL_PARTITIONS if none is due. Call with the lock held.
 */
static unsigned find_turn(const struct node_group *group, uint64_t now_ms)
{
	const struct partition *partitions = group->partitions;
	unsigned found = ALL_PARTITIONS;

	if (group->worker == NULL)
		return found;
	for (unsigned i = 0; i < PARTITIONS; i++)
		if (partitions[i].state == PARTITION_OWNED &&
		    !partitions[i].is_working &&
		    partitions[i].job_ms <= now_ms &&
		    (found == ALL_PARTITIONS ||
		     partitions[i].job_ms < partitions[found].job_ms))
			found = i;
	return found;
}

/*
 * Wait until a partition is due, mark it as in work, and return its number.
 * Return false if the thread must stop.
 */
static bool take_turn(struct node_group *group, unsigned *number_out)
{
	bool goes_on;

	lock_acquire(&group->lock);
	*number_out = find_turn(group, clock_steady_ms());
	while (*number_out == ALL_PARTITIONS && !group->is_ending) {
		condition_wait_until(&group->has_jobs, &group->lock,
				     clock_steady_ms() + BUSY_MS);
		*number_out = find_turn(group, clock_steady_ms());
	}
	goes_on = !group->is_ending;
	if (goes_on) {
		group->partitions[*number_out].is_working = true;
		group->partitions[*number_out].has_jobs = false;
	}
	lock_release(&group->lock);
	return goes_on;
}

void *import_jobs_main(void *argument)
{
	struct node_group *group = argument;
	unsigned number;

	while (take_turn(group, &number)) {
		struct partition *partition = &group->partitions[number];
		struct import_job_progress place;
		enum error error;
		bool is_known;

		lock_acquire(&group->lock);
		is_known = partition->is_job_known;
		partition->is_job_known = true;
		place = partition->jobs;
		lock_release(&group->lock);
		error = is_known ? ERR_NONE : read_place(group, number, &place);
		if (error == ERR_CORRUPT)
			replica_check_partition(group, number);
		if (error == ERR_NONE)
			error = find_last_done(group, number, &place,
					       !is_known);
		is_known |= error == ERR_NONE;
		error = error == ERR_NONE ? do_jobs(group, number, &place)
					  : ERR_BUSY;
		lock_acquire(&group->lock);
		partition->jobs = place;
		partition->is_job_known &= is_known;
		partition->is_working = false;
		/*
		 * a hint that came during this turn makes the partition due
		 * again
		 */
		partition->job_ms =
			partition->has_jobs
				? 0
				: clock_steady_ms() + (error == ERR_BUSY
							       ? BUSY_MS
							       : LOOK_MS);
		lock_release(&group->lock);
	}
	return NULL;
}
