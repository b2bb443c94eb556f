/*
 * daemon/runtime/clock.h - the clocks. Code outside of daemon/ gets times as
 * arguments.
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

/* Unix time: for stored times. */
static inline uint64_t clock_wall_ms(void)
{
	return clock_read_us(CLOCK_REALTIME) / 1000U;
}

/* Never goes back: for delays and deadlines. */
static inline uint64_t clock_steady_ms(void)
{
	return clock_read_us(CLOCK_MONOTONIC) / 1000U;
}

/* Continues while the machine sleeps: for leases, whose end others wait for. */
static inline uint64_t clock_lease_ms(void)
{
	return clock_read_us(CLOCK_BOOTTIME) / 1000U;
}

/* CPU time of the calling thread. */
static inline uint64_t clock_thread_ms(void)
{
	return clock_read_us(CLOCK_THREAD_CPUTIME_ID) / 1000U;
}

/*
 * Histograms of durations for the metrics; all of them have the same bounds.
 */

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
