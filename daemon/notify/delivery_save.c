/* Commit the results of deliveries, all available results in one commit. */
#include "daemon/notify/delivery_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"

enum { RETRY_MS = 1000 };

/* The reports of one commit, and the texts that they point to. */
struct saving {
	struct hook_report *reports; /* [count] */
	char (*errors)[sizeof(((struct hook_queue *)NULL)->error)];
	size_t count;
};

static void free_saving(struct saving *saving)
{
	free(saving->reports);
	free(saving->errors);
	*saving = (struct saving){0};
}

/* With the lock held. */
static void delivery_copy_report(struct saving *saving,
				 struct hook_queue *outlet)
{
	struct hook_report *report = &saving->reports[saving->count];
	char *error = saving->errors[saving->count++];

	assert(outlet->has_news && !outlet->is_saving);
	memcpy(error, outlet->error, sizeof(outlet->error));
	*report = outlet->report;
	hook_report_drop(report, outlet->saved);
	report->error = slice_of(error);
	outlet->saving = report->number_count;
	outlet->has_news = false;
	outlet->is_saving = true;
}

/* With the lock held. */
static void take_reports(struct delivery *delivery, struct saving *saving)
{
	size_t room = delivery->outlet_count;

	assert(lock_is_held(&delivery->lock));
	saving->reports = mem_alloc(room + 1, sizeof(*saving->reports));
	saving->errors = mem_alloc(room + 1, sizeof(*saving->errors));
	for (size_t i = 0; i < room; i++)
		if (delivery->outlets[i]->has_news)
			delivery_copy_report(saving, delivery->outlets[i]);
	assert(saving->count <= room);
}

/* Wait for reports; return false if none will follow. */
static bool wait_for_reports(struct delivery *delivery, struct saving *saving)
{
	bool is_last;

	lock_acquire(&delivery->lock);
	take_reports(delivery, saving);
	while (saving->count == 0 && !delivery->is_last) {
		free_saving(saving);
		condition_wait(&delivery->is_wanted, &delivery->lock);
		take_reports(delivery, saving);
	}
	is_last = delivery->is_last;
	lock_release(&delivery->lock);
	return saving->count > 0 || !is_last;
}

/*
 * After a commit: remove the saved reports, or report them again if the commit
 * failed.
 */
static void end_reports(struct delivery *delivery, bool is_saved)
{
	assert(!lock_is_held(&delivery->lock));
	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		if (!outlet->is_saving)
			continue;
		if (is_saved)
			outlet->saved += outlet->saving;
		else
			outlet->has_news = !outlet->is_replaced;
		outlet->saving = 0;
		outlet->is_saving = false;
	}
	lock_release(&delivery->lock);
	delivery_wake(delivery);
}

static enum error delivery_commit_reports(struct delivery *delivery,
					  const struct saving *saving)
{
	struct alert_change alert = {
		.action = HOOKS_REPORT,
		.reports = saving->reports,
		.report_count = saving->count,
	};
	struct change change = {.kind = CHANGE_ALERTS, .alert = &alert};

	assert(saving->count > 0);
	return pipeline_command(delivery->pipeline, &change);
}

/* Wait before the next attempt; return false if the delivery stops. */
static bool delivery_wait_for_retry(struct delivery *delivery)
{
	uint64_t until_ms = clock_steady_ms() + RETRY_MS;
	bool goes_on;

	lock_acquire(&delivery->lock);
	while (!delivery->is_last &&
	       condition_wait_until(&delivery->is_wanted, &delivery->lock,
				    until_ms))
		;
	goes_on = !delivery->is_last;
	lock_release(&delivery->lock);
	return goes_on;
}

void *delivery_save(void *argument)
{
	struct delivery *delivery = argument;
	struct saving saving = {0};
	bool goes_on = true;

	while (goes_on && wait_for_reports(delivery, &saving)) {
		enum error error = delivery_commit_reports(delivery, &saving);

		free_saving(&saving);
		end_reports(delivery, error == ERR_NONE);
		if (error == ERR_NONE)
			continue;
		log_warn("hooks: cannot save the results of deliveries: %s; "
			 "retrying",
			 error_text(error));
		goes_on = delivery_wait_for_retry(delivery);
	}
	free_saving(&saving);
	return NULL;
}
