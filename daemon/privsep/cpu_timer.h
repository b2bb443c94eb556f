/*
 * daemon/privsep/cpu_timer.h - call a function after the thread has used a given
 * CPU time.
 */
#ifndef DAEMON_PRIVSEP_CPU_TIMER_H
#define DAEMON_PRIVSEP_CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Called from a signal handler. */
typedef void cpu_timer_expiry(void *context);

/* Belongs to the thread that created it, and must not be moved. */
struct cpu_timer {
	timer_t timer;
	bool is_created; /* false: the kernel has no such timer; the function is
			    never called */
	cpu_timer_expiry *expiry;
	void *context;
};

void cpu_timer_create(struct cpu_timer *timer, cpu_timer_expiry *expiry,
		      void *context);
void cpu_timer_destroy(struct cpu_timer *timer);

/*
 * Call the function after the calling thread has used `time_us` of additional
 * CPU time, and then every 10 ms, until cpu_timer_stop().
 */
void cpu_timer_start(struct cpu_timer *timer, uint64_t time_us);
void cpu_timer_stop(struct cpu_timer *timer);

/* Return the CPU time of the calling thread in microseconds. */
uint64_t cpu_time_us(void);

#endif
