/*
 * daemon/worker/cpu_timer.h - a function that is called when the thread has
 * used some CPU time.
 */
#ifndef DAEMON_WORKER_CPU_TIMER_H
#define DAEMON_WORKER_CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Called by a signal handler. */
typedef void cpu_timer_expiry(void *context);

/* Belongs to the thread that created it, which does not move it. */
struct cpu_timer {
	timer_t timer;
	bool is_created; /* false: the kernel has none, and nothing is called */
	cpu_timer_expiry *expiry;
	void *context;
};

void cpu_timer_create(struct cpu_timer *timer, cpu_timer_expiry *expiry,
		      void *context);
void cpu_timer_destroy(struct cpu_timer *timer);

/*
 * Call the function when the calling thread has used `time_us` more of CPU
 * time, and then again every 10 ms, until cpu_timer_stop().
 */
void cpu_timer_start(struct cpu_timer *timer, uint64_t time_us);
void cpu_timer_stop(struct cpu_timer *timer);

/* CPU time of the calling thread so far, in microseconds. */
uint64_t cpu_time_us(void);

#endif
