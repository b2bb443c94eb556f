#include "daemon/tuner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/survey.h"
#include "store/log.h"
#include "store/memory.h"

enum {
	MIN_PAGES = 20, /* nothing is chosen earlier while it grows */
	MIN_PAUSE_MS = 200,
	MAX_PAUSE_MS = 60000,
	PAUSE_FACTOR = 10, /* rests so many times the CPU time it took */
};

struct tuner {
	struct store *store;
	struct pipeline *pipeline;
	size_t max_leaves;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t is_wanted;
	bool has_news;        /* under the mutex */
	atomic_bool is_ended; /* set under the mutex */
};

bool tuner_wants(const struct site_row *site)
{
	if ((site->flags & SITE_IS_AUTO) == 0 ||
	    site->tuned == site->generation)
		return false;
	return site->pending_count == 0 ||
	       (site->page_count >= MIN_PAGES &&
		site->page_count / 2 >= site->tuned_pages);
}

/* The seeds of the sites whose turn it is: [count] strings. */
struct turns {
	char **seeds;
	size_t count;
	size_t capacity;
};

static void find_turns(struct store *store, struct turns *turns)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan)) {
		if (!site_decode(scan.value, &row) || !tuner_wants(&row))
			continue;
		turns->seeds = mem_grow(turns->seeds, turns->count,
					&turns->capacity, sizeof(char *));
		turns->seeds[turns->count++] =
			mem_copy_text(row.seed.data, row.seed.size);
	}
	scan_end(&scan);
	txn_abort(&txn);
}

static bool goes_on(void *context, uint64_t done, uint64_t total)
{
	struct tuner *tuner = context;

	(void)done;
	(void)total;
	return !atomic_load(&tuner->is_ended);
}

/* False when it failed for a reason that may last. */
static bool tune(struct tuner *tuner, const char *seed)
{
	const struct dendrogram_options options = {
		.max_leaves = tuner->max_leaves,
		.goes_on = goes_on,
		.context = tuner,
	};
	struct url url;
	struct change change;
	struct choice choice;
	enum error error = url_parse(&url, slice_of(seed), NULL);

	if (error == ERR_NONE)
		error = survey_choose(tuner->store, url.host, &options,
				      &choice);
	if (error == ERR_NONE) {
		change = choice_change(&choice, &url);
		error = pipeline_command(tuner->pipeline, &change);
	}
	if (error == ERR_NONE)
		log_debug("site %s: threshold %g: %s", url.host,
			  choice.threshold / 1000.0, choice.reason);
	if (error == ERR_NONE || error == ERR_STOPPED || error == ERR_NOT_FOUND)
		return true;
	log_warn("site %s: no threshold can be chosen now: %s", seed,
		 error_text(error));
	return false;
}

static bool tune_all(struct tuner *tuner)
{
	struct turns turns = {0};
	bool is_well = true;

	find_turns(tuner->store, &turns);
	for (size_t i = 0; i < turns.count; i++) {
		if (!atomic_load(&tuner->is_ended))
			is_well &= tune(tuner, turns.seeds[i]);
		free(turns.seeds[i]);
	}
	free(turns.seeds);
	return is_well;
}

/* Wait for news, but not before the pause is over; false at the end. */
static bool wait_for_news(struct tuner *tuner, uint64_t pause_ms)
{
	uint64_t until_ms = clock_steady_ms() + pause_ms;
	struct timespec until = {
		.tv_sec = (time_t)(until_ms / 1000U),
		.tv_nsec = (long)(until_ms % 1000U) * 1000000L,
	};
	bool goes_on;

	pthread_mutex_lock(&tuner->mutex);
	while (!atomic_load(&tuner->is_ended) &&
	       pthread_cond_timedwait(&tuner->is_wanted, &tuner->mutex,
				      &until) == 0) {
	}
	while (!atomic_load(&tuner->is_ended) && !tuner->has_news)
		pthread_cond_wait(&tuner->is_wanted, &tuner->mutex);
	tuner->has_news = false;
	goes_on = !atomic_load(&tuner->is_ended);
	pthread_mutex_unlock(&tuner->mutex);
	return goes_on;
}

static void *tuner_main(void *argument)
{
	struct tuner *tuner = argument;
	uint64_t pause_ms = 0;

	while (wait_for_news(tuner, pause_ms)) {
		uint64_t begin_ms = clock_thread_ms();
		bool is_well = tune_all(tuner);

		pause_ms = (clock_thread_ms() - begin_ms) * PAUSE_FACTOR;
		if (pause_ms < MIN_PAUSE_MS)
			pause_ms = MIN_PAUSE_MS;
		if (pause_ms > MAX_PAUSE_MS || !is_well)
			pause_ms = MAX_PAUSE_MS;
	}
	return NULL;
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &steady);
	pthread_condattr_destroy(&steady);
}

enum error tuner_start(struct tuner **tuner_out, struct store *store,
		       struct pipeline *pipeline, size_t max_leaves)
{
	struct tuner *tuner = mem_alloc(1, sizeof(*tuner));

	tuner->store = store;
	tuner->pipeline = pipeline;
	tuner->max_leaves = max_leaves;
	tuner->has_news = true; /* what an earlier run left */
	pthread_mutex_init(&tuner->mutex, NULL);
	init_condition(&tuner->is_wanted);
	if (pthread_create(&tuner->thread, NULL, tuner_main, tuner) == 0) {
		*tuner_out = tuner;
		return ERR_NONE;
	}
	pthread_cond_destroy(&tuner->is_wanted);
	pthread_mutex_destroy(&tuner->mutex);
	free(tuner);
	return ERR_IO;
}

void tuner_wake(struct tuner *tuner)
{
	pthread_mutex_lock(&tuner->mutex);
	tuner->has_news = true;
	pthread_cond_signal(&tuner->is_wanted);
	pthread_mutex_unlock(&tuner->mutex);
}

void tuner_stop(struct tuner *tuner)
{
	if (tuner == NULL)
		return;
	pthread_mutex_lock(&tuner->mutex);
	atomic_store(&tuner->is_ended, true);
	pthread_cond_signal(&tuner->is_wanted);
	pthread_mutex_unlock(&tuner->mutex);
	pthread_join(tuner->thread, NULL);
	pthread_cond_destroy(&tuner->is_wanted);
	pthread_mutex_destroy(&tuner->mutex);
	free(tuner);
}
