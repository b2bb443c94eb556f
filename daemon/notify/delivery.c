#include "daemon/notify/delivery_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/privsep/courier.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"

enum {
	MAX_IDLE_MS = 10000,
	LOOK_MS = 100, /* polling interval of commands that have no pidfd */
	LAST_MS = 1000,
};

static uint64_t delivery_smaller_ms(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t delivery_ms_until(uint64_t time_ms, uint64_t now_ms)
{
	return time_ms > now_ms ? time_ms - now_ms : 0;
}

/* Return the time until the next scheduled action. */
static uint64_t find_pause(const struct delivery *delivery)
{
	uint64_t wall_ms = clock_wall_ms();
	uint64_t pause = MAX_IDLE_MS;

	for (size_t i = 0; i < delivery->outlet_count; i++) {
		const struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_running && outlet->is_child) {
			pause = delivery_smaller_ms(
				pause,
				delivery_ms_until(outlet->child.deadline_ms,
						  clock_steady_ms()));
			if (outlet->child.file < 0)
				pause = delivery_smaller_ms(pause, LOOK_MS);
		} else if (!outlet->is_running &&
			   wall_ms < outlet->report.next_ms) {
			pause = delivery_smaller_ms(
				pause, delivery_ms_until(outlet->report.next_ms,
							 wall_ms));
		}
	}
	assert(pause <= MAX_IDLE_MS);
	return pause;
}

static void delivery_wait_for_news(struct delivery *delivery, uint64_t pause_ms)
{
	int *files = mem_alloc(delivery->outlet_count + 1, sizeof(*files));
	size_t count = 0;

	for (size_t i = 0; i < delivery->outlet_count; i++) {
		const struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_running && outlet->is_child &&
		    outlet->child.file >= 0 && count < MAX_POST_FILES)
			files[count++] = outlet->child.file;
	}
	assert(count <= delivery->outlet_count && count <= MAX_POST_FILES);
	notifier_client_run(delivery->poster, (uint32_t)pause_ms, files, count);
	free(files);
	delivery_receive(delivery);
}

static bool delivery_is_busy(const struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->outlet_count; i++)
		if (delivery->outlets[i]->is_running)
			return true;
	return false;
}

/* Wait briefly for running deliveries; kill commands that take longer. */
static void end_all(struct delivery *delivery)
{
	uint64_t until_ms = clock_steady_ms() + LAST_MS;
	uint64_t now_ms = clock_steady_ms();

	for (; delivery_is_busy(delivery) && now_ms < until_ms;
	     now_ms = clock_steady_ms())
		delivery_wait_for_news(delivery,
				       delivery_ms_until(until_ms, now_ms));
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_running && outlet->is_child)
			command_kill(delivery->options.starter, &outlet->child);
	}
}

static void *delivery_sender_main(void *argument)
{
	struct delivery *delivery = argument;

	while (!atomic_load(&delivery->is_ended)) {
		atomic_store(&delivery->has_news, false);
		delivery_load_hooks(delivery);
		delivery_send(delivery);
		delivery_wait_for_news(delivery,
				       atomic_load(&delivery->has_news)
					       ? 0
					       : find_pause(delivery));
	}
	end_all(delivery);
	return NULL;
}

static struct delivery *delivery_create(struct store *store,
					struct pipeline *pipeline,
					const struct delivery_options *options)
{
	struct delivery *delivery = mem_alloc(1, sizeof(*delivery));

	delivery->store = store;
	delivery->pipeline = pipeline;
	delivery->options = *options;
	delivery->poster = notifier_client_create(
		options->starter,
		&(struct poster_options){
			.user_agent = options->user_agent,
			.ca_file = options->ca_file,
			.connect_timeout_ms = options->connect_timeout_ms,
			.timeout_ms = options->timeout_ms,
			.allowed = options->allowed,
			.allowed_count = options->allowed_count,
		},
		notifier_main);
	lock_init(&delivery->lock, LOCK_DELIVERY);
	condition_init(&delivery->is_wanted);
	return delivery;
}

static void delivery_destroy(struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->outlet_count; i++)
		hook_queue_destroy(delivery->outlets[i]);
	free(delivery->outlets);
	notifier_client_destroy(delivery->poster);
	condition_destroy(&delivery->is_wanted);
	lock_destroy(&delivery->lock);
	free(delivery);
}

/* Stop the saving thread; the sending thread must have stopped. */
static void end_saver(struct delivery *delivery)
{
	lock_acquire(&delivery->lock);
	delivery->is_last = true;
	condition_signal(&delivery->is_wanted);
	lock_release(&delivery->lock);
	pthread_join(delivery->saver, NULL);
}

enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options)
{
	struct delivery *delivery = delivery_create(store, pipeline, options);

	assert(store != NULL && pipeline != NULL);
	if (delivery->poster == NULL ||
	    !thread_start(&delivery->saver, NULL, delivery_save, delivery)) {
		delivery_destroy(delivery);
		return ERR_IO;
	}
	if (!thread_start(&delivery->sender, NULL, delivery_sender_main,
			  delivery)) {
		end_saver(delivery);
		delivery_destroy(delivery);
		return ERR_IO;
	}
	*delivery_out = delivery;
	return ERR_NONE;
}

void delivery_wake(struct delivery *delivery)
{
	atomic_store(&delivery->has_news, true);
	notifier_client_wake(delivery->poster);
}

void delivery_stop(struct delivery *delivery)
{
	if (delivery == NULL)
		return;
	atomic_store(&delivery->is_ended, true);
	notifier_client_wake(delivery->poster);
	pthread_join(delivery->sender, NULL);
	end_saver(delivery);
	delivery_destroy(delivery);
}
