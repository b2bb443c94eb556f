#include "faults.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NS_OF_S = 1000000000, NS_OF_MS = 1000000, MS_OF_S = 1000 };

const struct faults *faults_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd < 0)
		return NULL;
	map = mmap(NULL, sizeof(struct faults), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

void faults_shift(const struct faults *faults, struct timespec *now)
{
	int64_t ahead_ms = faults->clock_ms;
	int64_t ns = now->tv_nsec + ahead_ms % MS_OF_S * NS_OF_MS;

	now->tv_sec += ahead_ms / MS_OF_S;
	if (ns < 0) {
		ns += NS_OF_S;
		now->tv_sec--;
	}
	now->tv_sec += ns / NS_OF_S;
	now->tv_nsec = ns % NS_OF_S;
}
