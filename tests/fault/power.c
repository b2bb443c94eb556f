/*
 * Replaces the system calls with which LMDB writes its file, and appends each
 * to the log $POWER_LOG. From it, test_power.py makes the possible states after
 * a loss of power. Load it with LD_PRELOAD.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

/* The first four bytes of a record, which its bytes follow. */
enum power_record {
	POWER_WRITE = 1,
	POWER_SYNC = 2,
	POWER_SYNCED_WRITE = 3,
	POWER_HOLE = 4, /* its bytes are the size of the hole */
};

struct power_head {
	uint32_t what;
	uint32_t size;
	uint64_t offset;
};

enum { MAX_PARTS = 256, MAX_NAME_BYTES = 4096 };

static bool is_data(int file)
{
	static const char ending[] = "/data.mdb";
	char link[64];
	char name[MAX_NAME_BYTES];
	ssize_t size;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	size = readlink(link, name, sizeof(name));
	return size >= (ssize_t)strlen(ending) &&
	       memcmp(name + size - strlen(ending), ending, strlen(ending)) ==
		       0;
}

/* One record is one write: no other thread's is in it. */
static void keep(uint32_t what, uint64_t offset, const struct iovec *parts,
		 int count)
{
	struct iovec all[MAX_PARTS + 1];
	struct power_head head = {what, 0, offset};
	const char *name = getenv("POWER_LOG"); /* NOLINT(concurrency-*) */
	int log = name == NULL ? -1
			       : open(name,
				      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
				      0600);
	ssize_t done;

	if (log < 0 || count > MAX_PARTS)
		abort();
	all[0] = (struct iovec){&head, sizeof(head)};
	for (int i = 0; i < count; i++) {
		all[i + 1] = parts[i];
		head.size += (uint32_t)parts[i].iov_len;
	}
	done = syscall(SYS_writev, log, all, count + 1);
	if (done != (ssize_t)(sizeof(head) + head.size))
		abort();
	close(log);
}

static void keep_write(int file, uint64_t offset, const struct iovec *parts,
		       int count)
{
	bool is_synced = (fcntl(file, F_GETFL) & O_DSYNC) != 0;

	keep(is_synced ? POWER_SYNCED_WRITE : POWER_WRITE, offset, parts,
	     count);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
VISIBLE ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
	struct iovec part = {(void *)data, size};
	ssize_t done = syscall(SYS_pwrite64, file, data, size, at);

	if (done == (ssize_t)size && is_data(file))
		keep_write(file, (uint64_t)at, &part, 1);
	return done;
}

VISIBLE ssize_t writev(int file, const struct iovec *parts, int count)
{
	bool is_ours = is_data(file);
	off_t at = is_ours ? lseek(file, 0, SEEK_CUR) : 0;
	ssize_t done = syscall(SYS_writev, file, parts, count);

	if (done > 0 && is_ours)
		keep_write(file, (uint64_t)at, parts, count);
	return done;
}

VISIBLE int fallocate(int file, int mode, off_t at, off_t size)
{
	int result = (int)syscall(SYS_fallocate, file, mode, at, size);
	struct iovec part = {&size, sizeof(size)};

	if (result == 0 && is_data(file))
		keep(POWER_HOLE, (uint64_t)at, &part, 1);
	return result;
}

VISIBLE int fdatasync(int file)
{
	if (is_data(file))
		keep(POWER_SYNC, 0, NULL, 0);
	return (int)syscall(SYS_fdatasync, file);
}

VISIBLE int fsync(int file)
{
	if (is_data(file))
		keep(POWER_SYNC, 0, NULL, 0);
	return (int)syscall(SYS_fsync, file);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
