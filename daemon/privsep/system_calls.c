#include "daemon/privsep/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Sets of roles. */
enum {
	KEEPER = 1U << ROLE_MAIN,
	STARTER = 1U << ROLE_SPAWNER,
	FETCHING = 1U << ROLE_FETCHER | 1U << ROLE_NOTIFIER,
	WORKER = 1U << ROLE_WORKER,
	THREADED = KEEPER | FETCHING,
	LISTED = THREADED | WORKER,
};

enum {
	MAX_WORDS = 32,
	TYPE_OF_SOCKET = 0xf, /* mask without SOCK_CLOEXEC and SOCK_NONBLOCK */
	LAST_PLAIN_COMMAND = 7, /* F_SETLKW; then come signals */
	FIRST_LINUX_COMMAND = 1024,
	NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
		     CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
	OPEN_TO_WRITE = O_ACCMODE | O_CREAT | O_TRUNC,
};

/*
 * Calls that are allowed or refused with any arguments. Skip names that the
 * architecture or the version of libseccomp does not have.
 */
struct calls {
	unsigned roles;
	const char *names[MAX_WORDS];
};

static const struct calls allowed[] = {
	/* Memory, waiting of threads, exit. */
	{LISTED,
	 {"brk", "munmap", "mremap", "madvise", "membarrier", "futex",
	  "futex_time64", "futex_waitv", "set_robust_list", "get_robust_list",
	  "rseq", "sched_yield", "sched_getaffinity", "getcpu", "exit",
	  "exit_group", "restart_syscall"}},
	/* Open descriptors. */
	{LISTED,
	 {"read", "write", "readv", "writev", "pread64", "preadv", "preadv2",
	  "lseek", "_llseek", "close", "dup", "dup2", "dup3", "fstat",
	  "fstat64", "fstatat64", "newfstatat", "statx", "close_range"}},
	/*
	 * The address space limit does not count this memory: a worker may not
	 * create it; in a fetcher, RLIMIT_FSIZE limits the size (of CA
	 * certificates).
	 */
	{THREADED, {"memfd_create"}},
	/* Extend inherited files, such as a log. */
	{KEEPER,
	 {"fallocate", "ftruncate", "ftruncate64", "pwrite64", "pwritev",
	  "pwritev2"}},
	{LISTED,
	 {"poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6",
	  "pselect6_time64"}},
	/* These calls also hold kernel memory. */
	{THREADED,
	 {"epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
	  "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "pipe",
	  "pipe2"}},
	{LISTED,
	 {"send", "recv", "recvfrom", "recvmsg", "recvmmsg", "recvmmsg_time64",
	  "shutdown", "getsockopt", "setsockopt", "getsockname",
	  "getpeername"}},
	{FETCHING | WORKER, {"sendto", "sendmsg", "sendmmsg"}},
	{FETCHING, {"connect"}},
	/* Time, signals to itself, its own ids. */
	{LISTED,
	 {"clock_gettime", "clock_gettime64", "clock_getres",
	  "clock_getres_time64", "clock_nanosleep", "clock_nanosleep_time64",
	  "nanosleep", "gettimeofday", "time", "times", "getrusage"}},
	{LISTED,
	 {"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn",
	  "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
	  "rt_sigtimedwait_time64", "sigaltstack"}},
	{WORKER,
	 {"timer_create", "timer_settime", "timer_settime64", "timer_delete"}},
	{LISTED,
	 {"getpid",    "gettid",    "getppid",   "getuid",     "geteuid",
	  "getgid",    "getegid",   "getuid32",  "geteuid32",  "getgid32",
	  "getegid32", "getresuid", "getresgid", "getgroups",  "getpgrp",
	  "getpgid",   "getsid",    "getrlimit", "ugetrlimit", "getrandom",
	  "uname",     "sysinfo"}},
	{KEEPER, {"accept", "accept4", "bind", "listen"}},
	{THREADED,
	 {"timerfd_create", "timerfd_settime", "timerfd_gettime", "signalfd",
	  "signalfd4", "mincore", "mlock", "munlock", "sendfile",
	  "sendfile64"}},
	/* Read the attributes of files. */
	{THREADED,
	 {"stat", "stat64", "lstat", "lstat64", "access", "faccessat",
	  "faccessat2", "readlink", "readlinkat"}},
	{THREADED,
	 {"getdents", "getdents64", "statfs", "statfs64", "fstatfs",
	  "fstatfs64", "getcwd"}},
	{THREADED,
	 {"fadvise64", "fadvise64_64", "arm_fadvise64_64", "readahead"}},
	/* The main process may have started the spawner. */
	{KEEPER, {"wait4", "waitid", "waitpid"}},
	/* Write files, and flush them to disk. */
	{KEEPER, {"open",      "openat",    "creat",
		  "mkdir",     "mkdirat",   "rmdir",
		  "rename",    "renameat",  "renameat2",
		  "unlink",    "unlinkat",  "link",
		  "linkat",    "truncate",  "truncate64",
		  "chmod",     "fchmod",    "fchmodat",
		  "fchmodat2", "chown",     "fchown",
		  "fchownat",  "chown32",   "fchown32",
		  "umask",     "utimensat", "utimensat_time64",
		  "chdir",     "fchdir"}},
	{KEEPER,
	 {"fsync", "fdatasync", "syncfs", "sync_file_range", "msync", "flock",
	  "copy_file_range", "splice", "tee"}},
};

/* Calls that commands must not use; all other calls are allowed. */
static const struct calls refused[] = {
	{STARTER,
	 {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
	  "pidfd_getfd", "kcmp", "perf_event_open", "userfaultfd", "bpf",
	  "io_uring_setup", "io_uring_enter", "io_uring_register"}},
	{STARTER,
	 {"mount", "umount", "umount2", "pivot_root", "setns", "fsopen",
	  "fsconfig", "fsmount", "fspick", "move_mount", "open_tree",
	  "mount_setattr", "open_by_handle_at", "fanotify_init", "quotactl",
	  "quotactl_fd"}},
	{STARTER,
	 {"keyctl", "add_key", "request_key", "kexec_load", "kexec_file_load",
	  "init_module", "finit_module", "delete_module"}},
	{STARTER,
	 {"swapon", "swapoff", "reboot", "acct", "syslog", "iopl", "ioperm",
	  "modify_ldt", "vm86", "vm86old"}},
	{STARTER,
	 {"settimeofday", "clock_settime", "clock_settime64", "clock_adjtime",
	  "adjtimex", "stime", "sethostname", "setdomainname"}},
	{STARTER,
	 {"vhangup", "uselib", "lookup_dcookie", "nfsservctl", "_sysctl",
	  "move_pages", "migrate_pages"}},
};

enum { ALLOWED = 0, MAX_ARGUMENTS = 3 };

/* A call that the rule matches if all arguments match. */
struct case_of {
	unsigned roles;
	int error; /* errno that the call returns, or ALLOWED */
	const char *name;
	struct scmp_arg_cmp arguments[MAX_ARGUMENTS]; /* op 0 ends the list */
};

/* An argument by its number, and the value that it is compared with. */
/* clang-format off */
#define NONE              {0, 0, 0, 0}
#define IS(number, value) {(number), SCMP_CMP_EQ, (value), 0}
#define UP_TO(number, value) {(number), SCMP_CMP_LE, (value), 0}
#define FROM(number, value) {(number), SCMP_CMP_GE, (value), 0}
#define BITS(number, mask, value) \
	{(number), SCMP_CMP_MASKED_EQ, (mask), (value)}
/* clang-format on */

static const struct case_of cases[] = {
	/*
	 * Allow no new executable memory, except mapped libraries of the
	 * resolver and of OpenSSL.
	 */
	{LISTED, ALLOWED, "mmap", {BITS(2, PROT_EXEC, 0)}},
	{LISTED, ALLOWED, "mmap2", {BITS(2, PROT_EXEC, 0)}},
	{LISTED, ALLOWED, "mprotect", {BITS(2, PROT_EXEC, 0)}},
	{FETCHING,
	 ALLOWED,
	 "mmap",
	 {BITS(2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	  BITS(3, MAP_ANONYMOUS, 0)}},
	{FETCHING,
	 ALLOWED,
	 "mmap2",
	 {BITS(2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	  BITS(3, MAP_ANONYMOUS, 0)}},
	/*
	 * Refuse to set the owner of signals. The commands for locks of open
	 * files are 36 to 38.
	 */
	{LISTED, ALLOWED, "fcntl", {UP_TO(1, LAST_PLAIN_COMMAND)}},
	{LISTED, ALLOWED, "fcntl", {FROM(1, FIRST_LINUX_COMMAND)}},
	{LISTED, ALLOWED, "fcntl64", {UP_TO(1, LAST_PLAIN_COMMAND)}},
	{LISTED, ALLOWED, "fcntl64", {FROM(1, FIRST_LINUX_COMMAND)}},
	{KEEPER, ALLOWED, "fcntl", {IS(1, F_OFD_GETLK)}},
	{KEEPER, ALLOWED, "fcntl", {IS(1, F_OFD_SETLK)}},
	{KEEPER, ALLOWED, "fcntl", {IS(1, F_OFD_SETLKW)}},
	{LISTED, ALLOWED, "ioctl", {IS(1, FIONBIO)}},
	{LISTED, ALLOWED, "ioctl", {IS(1, FIONREAD)}},
	{LISTED, ALLOWED, "ioctl", {IS(1, TCGETS)}},
	/* Check whether clients read (http/patience.c). */
	{KEEPER, ALLOWED, "ioctl", {IS(1, SIOCOUTQ)}},
	{LISTED, ALLOWED, "prctl", {IS(0, PR_SET_NAME)}},
	{LISTED, ALLOWED, "prctl", {IS(0, PR_SET_VMA)}},
	/* Its own limits, which it can only lower. */
	{LISTED, ALLOWED, "prlimit64", {IS(0, 0)}},
	{LISTED, ALLOWED, "setrlimit", {NONE}},
	/*
	 * No datagram socket pairs: such a socket can send to any named socket.
	 * A worker needs only its channel.
	 */
	{THREADED,
	 ALLOWED,
	 "socketpair",
	 {IS(0, AF_UNIX), BITS(1, TYPE_OF_SOCKET, SOCK_STREAM)}},
	{KEEPER,
	 ALLOWED,
	 "socket",
	 {IS(0, AF_UNIX), BITS(1, TYPE_OF_SOCKET, SOCK_STREAM)}},
	/*
	 * The main process accepts TCP connections, and must not connect to
	 * other addresses.
	 */
	{KEEPER, ALLOWED, "sendto", {BITS(3, MSG_FASTOPEN, 0)}},
	{KEEPER, ALLOWED, "sendmsg", {BITS(2, MSG_FASTOPEN, 0)}},
	{KEEPER, ALLOWED, "sendmmsg", {BITS(3, MSG_FASTOPEN, 0)}},
	{FETCHING,
	 ALLOWED,
	 "socket",
	 {IS(0, AF_INET), BITS(1, TYPE_OF_SOCKET, SOCK_STREAM),
	  UP_TO(2, IPPROTO_TCP)}},
	{FETCHING,
	 ALLOWED,
	 "socket",
	 {IS(0, AF_INET6), BITS(1, TYPE_OF_SOCKET, SOCK_STREAM),
	  UP_TO(2, IPPROTO_TCP)}},
	{FETCHING,
	 ALLOWED,
	 "socket",
	 {IS(0, AF_INET), BITS(1, TYPE_OF_SOCKET, SOCK_DGRAM),
	  UP_TO(2, IPPROTO_UDP)}},
	{FETCHING,
	 ALLOWED,
	 "socket",
	 {IS(0, AF_INET6), BITS(1, TYPE_OF_SOCKET, SOCK_DGRAM),
	  UP_TO(2, IPPROTO_UDP)}},
	{FETCHING, ALLOWED, "open", {BITS(1, OPEN_TO_WRITE, 0)}},
	{FETCHING, ALLOWED, "openat", {BITS(2, OPEN_TO_WRITE, 0)}},
	/* Threads, not processes. */
	{THREADED,
	 ALLOWED,
	 "clone",
	 {BITS(0, CLONE_THREAD | NAMESPACES, CLONE_THREAD)}},
	/* The arguments are in memory, which a filter cannot read. */
	{LISTED | STARTER, ENOSYS, "clone3", {NONE}},
	{LISTED, ENOSYS, "openat2", {NONE}},
	/*
	 * A worker inherits this filter and creates user, network and IPC
	 * namespaces.
	 */
	{STARTER, EPERM, "unshare", {BITS(0, CLONE_NEWNS, CLONE_NEWNS)}},
	{STARTER, EPERM, "unshare", {BITS(0, CLONE_NEWPID, CLONE_NEWPID)}},
	{STARTER, EPERM, "unshare", {BITS(0, CLONE_NEWUTS, CLONE_NEWUTS)}},
	{STARTER,
	 EPERM,
	 "unshare",
	 {BITS(0, CLONE_NEWCGROUP, CLONE_NEWCGROUP)}},
	{STARTER, EPERM, "clone", {BITS(0, CLONE_NEWUSER, CLONE_NEWUSER)}},
	{STARTER, EPERM, "clone", {BITS(0, CLONE_NEWNS, CLONE_NEWNS)}},
	/*
	 * Refuse input into the terminal, and packet, kernel crypto and virtual
	 * machine sockets.
	 */
	{STARTER, EPERM, "ioctl", {BITS(1, UINT32_MAX, TIOCSTI)}},
	{STARTER, EPERM, "socket", {FROM(0, AF_NETLINK + 1)}},
};

/* Return false if the rule is invalid or memory is short. */
static bool system_calls_add(scmp_filter_ctx filter, uint32_t action,
			     const struct case_of *item)
{
	int number = seccomp_syscall_resolve_name(item->name);
	unsigned count = 0;

	while (count < MAX_ARGUMENTS && item->arguments[count].op != 0)
		count++;
	return number == __NR_SCMP_ERROR ||
	       seccomp_rule_add_array(filter, action, number, count,
				      item->arguments) == 0;
}

static bool add_calls(scmp_filter_ctx filter, unsigned role, uint32_t action,
		      const struct calls *calls)
{
	bool is_whole = true;

	for (size_t i = 0; i < MAX_WORDS && calls->names[i] != NULL; i++) {
		struct case_of item = {.name = calls->names[i]};

		if ((calls->roles & role) != 0)
			is_whole &= system_calls_add(filter, action, &item);
	}
	return is_whole;
}

static bool system_calls_add_rules(scmp_filter_ctx filter, unsigned role)
{
	struct case_of tgkill = {
		.name = "tgkill",
		.arguments = {IS(0, (scmp_datum_t)getpid())},
	};
	bool is_whole = true;

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		is_whole &=
			add_calls(filter, role, SCMP_ACT_ALLOW, &allowed[i]);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		is_whole &= add_calls(filter, role, SCMP_ACT_ERRNO(EPERM),
				      &refused[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t action =
			cases[i].error == 0
				? SCMP_ACT_ALLOW
				: SCMP_ACT_ERRNO((unsigned)cases[i].error);

		if ((cases[i].roles & role) != 0)
			is_whole &= system_calls_add(filter, action, &cases[i]);
	}
	if ((LISTED & role) != 0)
		is_whole &= system_calls_add(filter, SCMP_ACT_ALLOW, &tgkill);
	return is_whole;
}

bool system_calls_restrict(enum role role, bool connects)
{
	unsigned roles = 1U << role | (connects ? 1U << ROLE_FETCHER : 0);
	scmp_filter_ctx filter = seccomp_init(
		role == ROLE_SPAWNER ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM));
	bool is_done = filter != NULL &&
		       seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
					SCMP_ACT_KILL_PROCESS) == 0 &&
		       system_calls_add_rules(filter, roles);

	/*
	 * Without threads to synchronise, older kernels need neither of these.
	 */
	if (is_done) {
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
		is_done = seccomp_load(filter) == 0;
	}
	if (filter != NULL)
		seccomp_release(filter);
	return is_done;
}
