/*
 * daemon/runtime/time_histogram.h - how long something took, counted by bounds
 * that are the same for everything, for the metrics.
 */
#ifndef DAEMON_RUNTIME_TIME_HISTOGRAM_H
#define DAEMON_RUNTIME_TIME_HISTOGRAM_H

#include <stdint.h>

enum { TIME_BOUNDS = 16 };

/* Microseconds, ascending. */
extern const uint64_t time_bounds_us[TIME_BOUNDS];

/* {0} is empty. Its owner's lock guards it. */
struct time_histogram {
	/* the first has those of time_bounds_us[0] at most, each other those
	 * above the bound before it; the last those above all */
	uint64_t counts[TIME_BOUNDS + 1];
	uint64_t sum_us;
};

/* Some nanoseconds. */
void time_histogram_add(struct time_histogram *histogram, uint64_t time_us);

/* Add all that `more` has. */
void time_histogram_join(struct time_histogram *histogram,
			 const struct time_histogram *more);

/* How many were added. */
uint64_t time_histogram_count(const struct time_histogram *histogram);

#endif
