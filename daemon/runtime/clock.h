/*
 * daemon/runtime/clock.h - read the clocks. Only code in daemon/ may read them;
 * other code gets times as arguments.
 */
#ifndef DAEMON_RUNTIME_CLOCK_H
#define DAEMON_RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_us(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000U +
	       (uint64_t)time.tv_nsec / 1000U;
}

/* Return the Unix time. Use it for times that are stored. */
static inline uint64_t clock_wall_ms(void)
{
	return clock_read_us(CLOCK_REALTIME) / 1000U;
}

/* Return a time that never goes back. Use it for delays and deadlines. */
static inline uint64_t clock_steady_ms(void)
{
	return clock_read_us(CLOCK_MONOTONIC) / 1000U;
}

/*
 * Return a time that also advances while the machine sleeps. Use it for leases,
 * because other nodes wait for their end.
 */
static inline uint64_t clock_lease_ms(void)
{
	return clock_read_us(CLOCK_BOOTTIME) / 1000U;
}

/* Return the CPU time that the calling thread has used. */
static inline uint64_t clock_thread_ms(void)
{
	return clock_read_us(CLOCK_THREAD_CPUTIME_ID) / 1000U;
}

/*
 * Histograms of durations for the metrics; all of them have the same bounds.
 */

enum { TIME_BOUNDS = 16 };

/* The bounds in microseconds, ascending. */
extern const uint64_t time_bounds_us[TIME_BOUNDS];

/* Counts of durations. {0} is empty. The owner's lock guards it. */
struct time_histogram {
	/*
	 * counts[0] is the number of durations up to time_bounds_us[0],
	 * counts[i] of durations above bound i - 1 and up to bound i; the last
	 * is the number of durations above all bounds
	 */
	uint64_t counts[TIME_BOUNDS + 1];
	uint64_t sum_us;
};

/* Add a duration. Takes some nanoseconds. */
void time_histogram_add(struct time_histogram *histogram, uint64_t time_us);

/* Add the counts of `more` to `histogram`. */
void time_histogram_join(struct time_histogram *histogram,
			 const struct time_histogram *more);

/* Return the number of durations in the histogram. */
uint64_t time_histogram_count(const struct time_histogram *histogram);

#endif
