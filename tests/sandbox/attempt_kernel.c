#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sandbox/attempt.h"

enum { X32 = 0x40000000, SESSION_KEYRING = -3, IO_URING_BYTES = 120 };

static int result(long value)
{
	return value < 0 ? errno : 0;
}

/* For calls that would do harm outside a sandbox: with arguments that make the
 * call fail otherwise, too. */
static int forbidden(long value)
{
	return value < 0 && errno == EPERM ? EPERM : 0;
}

static int mount_memory(const struct surroundings *around)
{
	return forbidden(
		mount("none", around->folder, "no such type", 0, NULL));
}

static int open_tree_here(const struct surroundings *around)
{
	return result(syscall(428, AT_FDCWD, around->folder, 1U)); /* cloned */
}

static int unshare_users(const struct surroundings *around)
{
	(void)around;
	return result(unshare(CLONE_NEWUSER));
}

static int unshare_mounts(const struct surroundings *around)
{
	(void)around;
	return result(unshare(CLONE_NEWUSER | CLONE_NEWNS));
}

/* By its number: glibc has no function for it without a new stack. */
static int clone_users(const struct surroundings *around)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | 17UL, 0UL, 0UL, 0UL,
			     0UL); /* SIGCHLD */

	(void)around;
	if (child == 0)
		_exit(0);
	return result(child);
}

static int join_namespace(const struct surroundings *around)
{
	int file = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	(void)around;
	return forbidden(setns(file, CLONE_NEWNET));
}

static int change_root(const struct surroundings *around)
{
	return result(chroot(around->folder));
}

static int load_bpf(const struct surroundings *around)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
	};

	(void)around;
	return result(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)));
}

static int count_events(const struct surroundings *around)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1,
	};

	(void)around;
	return result(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0UL));
}

static int find_keyring(const struct surroundings *around)
{
	(void)around;
	return result(syscall(SYS_keyctl, 0, SESSION_KEYRING, 1));
}

static int make_ring(const struct surroundings *around)
{
	char parameters[IO_URING_BYTES] = {0};

	(void)around;
	return result(syscall(SYS_io_uring_setup, 1, parameters));
}

static int handle_faults(const struct surroundings *around)
{
	(void)around;
	return result(syscall(SYS_userfaultfd, O_CLOEXEC | 1)); /* of users */
}

static int set_name_of_host(const struct surroundings *around)
{
	(void)around;
	return forbidden(syscall(SYS_sethostname, NULL, -1));
}

static int type_for_user(const struct surroundings *around)
{
	char letter = 'x';

	(void)around;
	/* with the upper half set, which the kernel ignores */
	return syscall(SYS_ioctl, 0L, TIOCSTI | 0xffffffff00000000L, &letter) !=
				       0 &&
			       errno == EPERM
		       ? EPERM
		       : 0;
}

static int call_of_x32(const struct surroundings *around)
{
	(void)around;
	return result(syscall(X32 | SYS_getpid));
}

const struct attempt_row kernel_attempts[] = {
	{"mount", mount_memory, "-----", 0},
	{"open a tree of mounts", open_tree_here, "-----", 0},
	{"make a namespace of users", unshare_users, "-?---", 0},
	{"make a namespace of mounts", unshare_mounts, "-----", 0},
	{"make a namespace by clone", clone_users, "-----", 0},
	{"join a namespace", join_namespace, "-----", 0},
	{"change the root", change_root, "-r---", 0},
	{"load BPF", load_bpf, "-----", 0},
	{"count events of the processor", count_events, "-----", 0},
	{"find the keyring", find_keyring, "-----", 0},
	{"make a ring of calls (io_uring)", make_ring, "-----", 0},
	{"handle faults (userfaultfd)", handle_faults, "-----", 0},
	{"name the host", set_name_of_host, "-----", 0},
	{"type into the terminal", type_for_user, "-----", 0},
#ifdef __x86_64__
	{"make a call of x32", call_of_x32, "kkkkk", 0},
#endif
	{0},
};
