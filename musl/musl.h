/*
 * musl/musl.h - defines the functions of glibc that templated uses and musl
 * does not have. Included before everything else if CMake finds no glibc.
 */
#ifndef MUSL_MUSL_H
#define MUSL_MUSL_H

#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>

/* The texts of musl are static, so any thread may call it. */
#define strerrordesc_np(number) strerror(number)
#define sigdescr_np(number)     strsignal(number)

/* musl's locks have no preference: a writer may wait for new readers. */
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 0
#define pthread_rwlockattr_setkind_np(attributes, kind) \
	((void)(attributes), (void)(kind))

/* glibc has an enumeration for it, musl an int. */
#define __rlimit_resource_t int

/* musl returns free memory automatically. */
#define malloc_trim(left) ((void)(left))

/* Declared as in unistd.h, whose other names clash with names in some files. */
long syscall(long number, ...);

static inline int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

/*
 * Close the descriptors from `first` to 255. Higher ones, which the process
 * opens only after its first command, close on exec.
 */
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
