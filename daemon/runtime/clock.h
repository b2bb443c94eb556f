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

#endif
