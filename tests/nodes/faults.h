/*
 * tests/nodes/faults.h - a slow disk and a wrong clock for one process, as a
 * file says. It is read again at every call, and mapped at the start, since
 * processes in a sandbox can open nothing later.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>
#include <time.h>

struct faults {
	volatile int64_t sync_ms;  /* that each write to the disk waits */
	volatile int64_t clock_ms; /* that the system's clock is ahead */
};

/* NULL: it cannot be read. Never unmapped. */
const struct faults *faults_map(const char *path);

/* The system's clock as the process must see it. */
void faults_shift(const struct faults *faults, struct timespec *now);

#endif
