/* sys/pidfd.h - from glibc 2.36; musl does not have it. */
#ifndef MUSL_SYS_PIDFD_H
#define MUSL_SYS_PIDFD_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int pidfd_open(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

#endif
