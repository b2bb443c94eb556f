/*
 * daemon/runtime/thread.h - starting threads, and saying why one cannot be
 * started: the system has one error for every limit.
 */
#ifndef DAEMON_RUNTIME_THREAD_H
#define DAEMON_RUNTIME_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Start a thread; `attributes` may be NULL. False, with a line in the log that
 * has thread_limits(), when it cannot be started.
 */
bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context);

enum { THREAD_LIMITS_BYTES = 160 };

/*
 * Which limits of this process may have refused a thread or a process, an
 * English phrase to `out` [THREAD_LIMITS_BYTES]: of memory (ulimit -v), when
 * there is one, of processes (ulimit -u), and that of the service's unit.
 */
void thread_limits(char *out);

#endif
