/*
 * tests/cluster/host_faults.c - a slow disk and a wrong clock, for one process:
 * loaded before the C library (LD_PRELOAD). $HOST_FAULTS names a file of two
 * int64_t, which are read again at every call; it is mapped at the start, since
 * processes in a sandbox can open nothing later.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct faults {
	volatile int64_t sync_ms;  /* that each write to the disk waits */
	volatile int64_t clock_ms; /* that the system's clock is ahead */
};

static const struct faults *faults;

__attribute__((constructor)) static void load(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread yet */
	const char *path = getenv("HOST_FAULTS");
	int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, sizeof(*faults), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED)
		faults = map;
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
	int64_t ns;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	status = real(clock, now);
	if (faults == NULL || clock != CLOCK_REALTIME)
		return status;
	ns = now->tv_nsec + faults->clock_ms % 1000 * 1000000;
	now->tv_sec += faults->clock_ms / 1000;
	if (ns < 0) {
		ns += 1000000000;
		now->tv_sec--;
	}
	now->tv_sec += ns / 1000000000;
	now->tv_nsec = ns % 1000000000;
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
