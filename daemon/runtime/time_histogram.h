/*
 * daemon/runtime/time_histogram.h - histograms of durations for the metrics;
 * all of them have the same bounds.
 */
#ifndef DAEMON_RUNTIME_TIME_HISTOGRAM_H
#define DAEMON_RUNTIME_TIME_HISTOGRAM_H

#include <stdint.h>

enum { TIME_BOUNDS = 16 };

/* Microseconds, ascending. */
extern const uint64_t time_bounds_us[TIME_BOUNDS];

/* {0} is empty. Guarded by the owner's lock. */
struct time_histogram {
	/*
	 * the first counts durations up to time_bounds_us[0], each other those
	 * above the previous bound, the last those above all bounds
	 */
	uint64_t counts[TIME_BOUNDS + 1];
	uint64_t sum_us;
};

/* Takes some nanoseconds. */
void time_histogram_add(struct time_histogram *histogram, uint64_t time_us);

/* Add the counts of `more`. */
void time_histogram_join(struct time_histogram *histogram,
			 const struct time_histogram *more);

/* Return the number of durations added. */
uint64_t time_histogram_count(const struct time_histogram *histogram);

#endif
