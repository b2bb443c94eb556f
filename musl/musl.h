/*
 * musl/musl.h - what of glibc we use and musl lacks. Included before all
 * else where CMake finds no glibc.
 */
#ifndef MUSL_MUSL_H
#define MUSL_MUSL_H

#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>

/* Its texts are static, so any thread may ask. */
#define strerrordesc_np(number) strerror(number)
#define sigdescr_np(number)     strsignal(number)

/* Its locks know no order; a writer may wait for more readers. */
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 0
#define pthread_rwlockattr_setkind_np(attributes, kind) \
	((void)(attributes), (void)(kind))

/* Where glibc has an enumeration, it has a number. */
#define __rlimit_resource_t int

/* It gives back what is free by itself. */
#define malloc_trim(left) ((void)(left))

/* As in unistd.h, whose other names some of our files have for themselves. */
long syscall(long number, ...);

static inline int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

/* Those above, which nobody opens before the first command, close on exec. */
static inline int
posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions,
					 int first)
{
	int failed = 0;

	for (int file = first; file < 256 && failed == 0; file++)
		failed = posix_spawn_file_actions_addclose(actions, file);
	return failed;
}

#endif
