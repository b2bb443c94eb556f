#include "daemon/privsep/cpu_timer.h"

#include <signal.h>
#include <unistd.h>

/* Some versions of glibc have the field, but not this name. */
#ifdef sigev_notify_thread_id
#define THREAD_ID_FIELD sigev_notify_thread_id
#else
#define THREAD_ID_FIELD _sigev_un._tid
#endif

enum {
	EXPIRY_SIGNAL = SIGVTALRM,
	AGAIN_NS = 10 * 1000 * 1000,
	US_PER_S = 1000000,
	NS_PER_US = 1000,
};

static void cpu_timer_on_signal(int number, siginfo_t *info, void *state)
{
	const struct cpu_timer *timer = info->si_value.sival_ptr;

	(void)number;
	(void)state;
	if (info->si_code == SI_TIMER)
		timer->expiry(timer->context);
}

void cpu_timer_create(struct cpu_timer *timer, cpu_timer_expiry *expiry,
		      void *context)
{
	struct sigaction action = {
		.sa_sigaction = cpu_timer_on_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = EXPIRY_SIGNAL,
		.sigev_value = {.sival_ptr = timer},
	};
	sigset_t signals;

	*timer = (struct cpu_timer){.expiry = expiry, .context = context};
	event.THREAD_ID_FIELD = gettid();
	sigemptyset(&action.sa_mask);
	sigemptyset(&signals);
	sigaddset(&signals, EXPIRY_SIGNAL);
	timer->is_created = sigaction(EXPIRY_SIGNAL, &action, NULL) == 0 &&
			    pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0 &&
			    timer_create(CLOCK_THREAD_CPUTIME_ID, &event,
					 &timer->timer) == 0;
}

void cpu_timer_destroy(struct cpu_timer *timer)
{
	if (timer->is_created)
		timer_delete(timer->timer);
	timer->is_created = false;
}

void cpu_timer_start(struct cpu_timer *timer, uint64_t time_us)
{
	uint64_t us = time_us == 0 ? 1 : time_us; /* 0 would stop the timer */
	const struct itimerspec times = {
		.it_interval = {.tv_nsec = AGAIN_NS},
		.it_value = {.tv_sec = (time_t)(us / US_PER_S),
			     .tv_nsec = (long)(us % US_PER_S) * NS_PER_US},
	};

	if (timer->is_created)
		timer_settime(timer->timer, 0, &times, NULL);
}

void cpu_timer_stop(struct cpu_timer *timer)
{
	const struct itimerspec none = {{0}, {0}};

	if (timer->is_created)
		timer_settime(timer->timer, 0, &none, NULL);
}

uint64_t cpu_time_us(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * US_PER_S +
	       (uint64_t)time.tv_nsec / NS_PER_US;
}
