/*
 * tests/nodes/host_faults.c - the faults of $HOST_FAULTS (faults.h) for a
 * process that asks the C library for its disk and its clock: loaded before
 * that (LD_PRELOAD).
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "faults.h"

static const struct faults *faults;

__attribute__((constructor)) static void load(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread yet */
	const char *path = getenv("HOST_FAULTS");

	faults = path == NULL ? NULL : faults_map(path);
}

static void wait_for_disk(void)
{
	if (faults != NULL && faults->sync_ms > 0)
		poll(NULL, 0, (int)faults->sync_ms);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libc's have
 * reserved names */
typedef int syncer(int fd);
typedef int clock_reader(clockid_t clock, struct timespec *now);

__attribute__((visibility("default"))) int fsync(int fd)
{
	static syncer *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "fsync");
	wait_for_disk();
	return real(fd);
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
	static syncer *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	wait_for_disk();
	return real(fd);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
							 struct timespec *now)
{
	static clock_reader *real;
	int status;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	status = real(clock, now);
	if (faults != NULL && clock == CLOCK_REALTIME)
		faults_shift(faults, now);
	return status;
}

__attribute__((visibility("default"))) time_t time(time_t *out)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	if (out != NULL)
		*out = now.tv_sec;
	return now.tv_sec;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *out,
							void *zone)
{
	struct timespec now = {0};

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	out->tv_sec = now.tv_sec;
	out->tv_usec = now.tv_nsec / 1000;
	return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
