/*
 * daemon/runtime/thread.h - start threads, and explain failures: the system has
 * one error code for every limit.
 */
#ifndef DAEMON_RUNTIME_THREAD_H
#define DAEMON_RUNTIME_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Start a thread; `attributes` may be NULL. Return false after logging the
 * error with thread_limits().
 */
bool thread_start(pthread_t *thread_out, const pthread_attr_t *attributes,
		  void *(*run)(void *context), void *context);

enum { THREAD_LIMITS_BYTES = 160 };

/*
 * Write an English phrase to `out` [THREAD_LIMITS_BYTES] that lists the limits
 * which may have prevented a new thread or process: memory (ulimit -v) if
 * limited, processes (ulimit -u), and the limit of the service's unit.
 */
void thread_limits(char *out);

#endif
