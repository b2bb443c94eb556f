/* Replaces the system calls of libc that change files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/fault/fault.h"

#define VISIBLE __attribute__((visibility("default")))

/* The names of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
/* The disk is full, or broken, by turns. */
static bool strikes(void)
{
	uint32_t number = fault_strikes(FAULT_WRITE);

	if (number != 0)
		errno = number % 2 == 0 ? EIO : ENOSPC;
	return number != 0;
}

/* Writes to sockets, pipes and the log do not count. */
static bool strikes_file(int file)
{
	struct stat status;

	return file > STDERR_FILENO && fstat(file, &status) == 0 &&
	       S_ISREG(status.st_mode) && strikes();
}

VISIBLE ssize_t write(int file, const void *data, size_t size)
{
	return strikes_file(file) ? -1 : syscall(SYS_write, file, data, size);
}

VISIBLE ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
	return strikes_file(file) ? -1
				  : syscall(SYS_pwrite64, file, data, size, at);
}

VISIBLE ssize_t writev(int file, const struct iovec *parts, int count)
{
	return strikes_file(file) ? -1
				  : syscall(SYS_writev, file, parts, count);
}

VISIBLE ssize_t pwritev(int file, const struct iovec *parts, int count,
			off_t at)
{
	if (strikes_file(file))
		return -1;
	return syscall(SYS_pwritev, file, parts, count, at, 0);
}

VISIBLE int fsync(int file)
{
	return strikes() ? -1 : (int)syscall(SYS_fsync, file);
}

VISIBLE int fdatasync(int file)
{
	return strikes() ? -1 : (int)syscall(SYS_fdatasync, file);
}

VISIBLE int ftruncate(int file, off_t size)
{
	return strikes() ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

VISIBLE int rename(const char *from, const char *to)
{
	return strikes() ? -1
			 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD,
					to, 0);
}

VISIBLE int mkdir(const char *path, mode_t mode)
{
	return strikes() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

VISIBLE int open(const char *path, int flags, ...)
{
	va_list list;
	int mode;

	va_start(list, flags);
	mode = va_arg(list, int); /* ignored without O_CREAT */
	va_end(list);
	if ((flags & O_ACCMODE) != O_RDONLY && strikes())
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
