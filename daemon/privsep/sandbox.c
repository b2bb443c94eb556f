#include "daemon/privsep/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"

/*
 * Create a folder, open it and remove it: it is empty, and no process can
 * create a file in it. An empty mount would do the same, but the filter
 * inherited from the spawner forbids mounts.
 */
static int open_removed(void)
{
	char places[][24] = {"/tmp/empty-XXXXXX", "/run/empty-XXXXXX",
			     "/var/tmp/empty-XXXXXX", "/dev/shm/empty-XXXXXX"};
	int folder = -1;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (mkdtemp(places[i]) == NULL)
			continue;
		folder = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		rmdir(places[i]);
		if (folder >= 0)
			break;
	}
	return folder;
}

/*
 * If the process cannot create namespaces, it may still be root and thus be
 * able to change its root folder.
 */
unsigned empty_root_enter(void)
{
	unsigned holds = 0;
	int folder = open_removed();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0)
		holds |= SANDBOX_NAMESPACES;
	if (folder < 0)
		return holds;
	if (fchdir(folder) == 0 && chroot(".") == 0 && chdir("/") == 0)
		holds |= SANDBOX_EMPTY_ROOT;
	close(folder);
	return holds;
}

/*
 * Copied from linux/landlock.h, because the installed header may be older than
 * the kernel. The system call numbers are the same on all architectures.
 */
enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	GIVE_VERSION = 1,
	RULE_PATH_BENEATH = 1,
	ABI_REFER = 2,
	ABI_TRUNCATE = 3,
	ABI_TCP = 4,
	ABI_IOCTL = 5,
	ABI_SCOPES = 6,
};

static const uint64_t read_file = 1U << 2;
static const uint64_t read_folder = 1U << 3;
static const uint64_t first_files = (1U << 13) - 1; /* all rights of ABI 1 */
static const uint64_t refer = 1U << 13;
static const uint64_t truncating = 1U << 14;
static const uint64_t device_ioctl = 1U << 15;
static const uint64_t bind_tcp = 1U << 0;
static const uint64_t connect_tcp = 1U << 1;
static const uint64_t abstract_sockets = 1U << 0;
static const uint64_t signals = 1U << 1;

struct ruleset {
	uint64_t files;
	uint64_t tcp;
	uint64_t scopes;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static uint64_t files_of(long abi)
{
	uint64_t files = first_files;

	if (abi >= ABI_REFER)
		files |= refer;
	if (abi >= ABI_TRUNCATE)
		files |= truncating;
	if (abi >= ABI_IOCTL)
		files |= device_ioctl;
	return files;
}

/*
 * Allow to read a file, or the files in a folder. If the path does not exist,
 * the process does not need it.
 */
static bool allow_path(int set, const char *path)
{
	struct path_beneath rule = {.allowed = read_file};
	struct stat status;
	bool is_allowed = true;

	rule.parent = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0)
		return true;
	if (fstat(rule.parent, &status) == 0 && S_ISDIR(status.st_mode))
		rule.allowed |= read_folder;
	is_allowed = syscall(ADD_RULE, set, RULE_PATH_BENEATH, &rule, 0) == 0;
	close(rule.parent);
	return is_allowed;
}

static bool allow_paths(int set, const struct landlock_rules *rules)
{
	bool is_allowed = true;

	for (size_t i = 0; i < MAX_LISTS; i++) {
		const char *const *paths = rules->readable[i];

		for (; paths != NULL && *paths != NULL; paths++)
			is_allowed &= allow_path(set, *paths);
	}
	return is_allowed;
}

/*
 * The kernel accepts a structure that is larger than its own if the additional
 * fields are zero.
 */
static struct ruleset ruleset_of(const struct landlock_rules *rules, long abi)
{
	struct ruleset set = {0};

	if (rules->has_files)
		set.files = files_of(abi);
	if (abi >= ABI_TCP)
		set.tcp = bind_tcp | (rules->may_connect ? 0 : connect_tcp);
	if (abi >= ABI_SCOPES)
		set.scopes =
			signals | (rules->may_notify ? 0 : abstract_sockets);
	return set;
}

unsigned landlock_restrict(const struct landlock_rules *rules)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, GIVE_VERSION);
	struct ruleset set = ruleset_of(rules, abi);
	bool is_done = false;
	int file;

	if (abi < 1 || (set.files | set.tcp | set.scopes) == 0)
		return 0;
	file = (int)syscall(CREATE_RULESET, &set, sizeof(set), 0);
	if (file < 0)
		return 0;
	if (allow_paths(file, rules))
		is_done = syscall(RESTRICT_SELF, file, 0) == 0;
	close(file);
	if (!is_done)
		return 0;
	return (set.files != 0 ? SANDBOX_FILES : 0U) |
	       (set.tcp != 0 ? SANDBOX_TCP : 0U) |
	       (set.scopes != 0 ? SANDBOX_SCOPES : 0U);
}

const char *role_name(enum role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_MAIN] = "main",         [ROLE_SPAWNER] = "spawner",
		[ROLE_FETCHER] = "fetcher",   [ROLE_WORKER] = "worker",
		[ROLE_NOTIFIER] = "notifier", [ROLE_LAUNCHER] = "launcher",
		[ROLE_RENDERER] = "renderer",
	};

	assert(role < ROLE_COUNT);
	return names[role];
}

/*
 * The system calls that seccomp allows a role. A refused call returns EPERM; it
 * returns ENOSYS if libraries then use an older call. A call of another
 * architecture kills the process.
 */

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Sets of roles, as bits. */
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
	LAST_PLAIN_COMMAND = 7, /* F_SETLKW; the next ones concern signals */
	FIRST_LINUX_COMMAND = 1024,
	NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
		     CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
	OPEN_TO_WRITE = O_ACCMODE | O_CREAT | O_TRUNC,
};

/*
 * System calls that are allowed or refused with any arguments. A name that the
 * architecture or the version of libseccomp does not have is skipped.
 */
struct calls {
	unsigned roles;
	const char *names[MAX_WORDS];
};

static const struct calls allowed[] = {
	/* memory, waiting for threads, exit */
	{LISTED,
	 {"brk", "munmap", "mremap", "madvise", "membarrier", "futex",
	  "futex_time64", "futex_waitv", "set_robust_list", "get_robust_list",
	  "rseq", "sched_yield", "sched_getaffinity", "getcpu", "exit",
	  "exit_group", "restart_syscall"}},
	/* read, write and inspect open descriptors */
	{LISTED,
	 {"read", "write", "readv", "writev", "pread64", "preadv", "preadv2",
	  "lseek", "_llseek", "close", "dup", "dup2", "dup3", "fstat",
	  "fstat64", "fstatat64", "newfstatat", "statx", "close_range"}},
	/*
	 * The address space limit does not count the memory of such a file, so
	 * a worker may not create one. In a fetcher, RLIMIT_FSIZE limits its
	 * size, which CA certificates need.
	 */
	{THREADED, {"memfd_create"}},
	/* extend inherited files, such as a log */
	{KEEPER,
	 {"fallocate", "ftruncate", "ftruncate64", "pwrite64", "pwritev",
	  "pwritev2"}},
	{LISTED,
	 {"poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6",
	  "pselect6_time64"}},
	/* each of these calls allocates memory in the kernel */
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
	/* time, signals to the process itself, its ids */
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
	/* read the attributes of files */
	{THREADED,
	 {"stat", "stat64", "lstat", "lstat64", "access", "faccessat",
	  "faccessat2", "readlink", "readlinkat"}},
	{THREADED,
	 {"getdents", "getdents64", "statfs", "statfs64", "fstatfs",
	  "fstatfs64", "getcwd"}},
	{THREADED,
	 {"fadvise64", "fadvise64_64", "arm_fadvise64_64", "readahead"}},
	/* wait for the spawner, which the main process may have started */
	{KEEPER, {"wait4", "waitid", "waitpid"}},
	/* write files, and flush them to disk */
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

/*
 * System calls that the spawner and its commands must not use; they may use all
 * others.
 */
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

/* A system call with conditions on its arguments, all of which must hold. */
struct case_of {
	unsigned roles;
	int error; /* errno that the call returns, or ALLOWED */
	const char *name;
	/* op 0 = end of the list */
	struct scmp_arg_cmp arguments[MAX_ARGUMENTS];
};

/* A condition: the number of the argument, and the value to compare it with. */
/* clang-format off */
#define NONE              {0, 0, 0, 0}
#define IS(number, value) {(number), SCMP_CMP_EQ, (value), 0}
#define UP_TO(number, value) {(number), SCMP_CMP_LE, (value), 0}
#define FROM(number, value) {(number), SCMP_CMP_GE, (value), 0}
#define BITS(number, mask, value) \
	{(number), SCMP_CMP_MASKED_EQ, (mask), (value)}
#define ALLOW(roles, name, ...) {(roles), ALLOWED, (name), {__VA_ARGS__}}
#define REFUSE(roles, name, ...) {(roles), EPERM, (name), {__VA_ARGS__}}
#define INTERNET(family, type, protocol)                           \
	ALLOW(FETCHING, "socket", IS(0, family),                   \
	      BITS(1, TYPE_OF_SOCKET, type), UP_TO(2, protocol))
#define LIBRARY(name)                                                    \
	ALLOW(FETCHING, name, BITS(2, PROT_EXEC | PROT_WRITE, PROT_EXEC), \
	      BITS(3, MAP_ANONYMOUS, 0))

static const struct case_of cases[] = {
	/*
	 * Allow no new executable memory, except mapped libraries, which the
	 * resolver and OpenSSL load.
	 */
	ALLOW(LISTED, "mmap", BITS(2, PROT_EXEC, 0)),
	ALLOW(LISTED, "mmap2", BITS(2, PROT_EXEC, 0)),
	ALLOW(LISTED, "mprotect", BITS(2, PROT_EXEC, 0)),
	LIBRARY("mmap"),
	LIBRARY("mmap2"),
	/*
	 * Do not allow commands that set the owner of signals. The commands 36
	 * to 38 are the locks of open files.
	 */
	ALLOW(LISTED, "fcntl", UP_TO(1, LAST_PLAIN_COMMAND)),
	ALLOW(LISTED, "fcntl", FROM(1, FIRST_LINUX_COMMAND)),
	ALLOW(LISTED, "fcntl64", UP_TO(1, LAST_PLAIN_COMMAND)),
	ALLOW(LISTED, "fcntl64", FROM(1, FIRST_LINUX_COMMAND)),
	ALLOW(KEEPER, "fcntl", IS(1, F_OFD_GETLK)),
	ALLOW(KEEPER, "fcntl", IS(1, F_OFD_SETLK)),
	ALLOW(KEEPER, "fcntl", IS(1, F_OFD_SETLKW)),
	ALLOW(LISTED, "ioctl", IS(1, FIONBIO)),
	ALLOW(LISTED, "ioctl", IS(1, FIONREAD)),
	ALLOW(LISTED, "ioctl", IS(1, TCGETS)),
	/* check how much clients have not read yet (http/exchange.c) */
	ALLOW(KEEPER, "ioctl", IS(1, SIOCOUTQ)),
	ALLOW(LISTED, "prctl", IS(0, PR_SET_NAME)),
	ALLOW(LISTED, "prctl", IS(0, PR_SET_VMA)),
	/* a process may lower its own limits */
	ALLOW(LISTED, "prlimit64", IS(0, 0)),
	ALLOW(LISTED, "setrlimit", NONE),
	/*
	 * no datagram socket pairs, because such a socket can send to any named
	 * socket; a worker needs only its channel
	 */
	ALLOW(THREADED, "socketpair", IS(0, AF_UNIX),
	      BITS(1, TYPE_OF_SOCKET, SOCK_STREAM)),
	ALLOW(KEEPER, "socket", IS(0, AF_UNIX),
	      BITS(1, TYPE_OF_SOCKET, SOCK_STREAM)),
	/*
	 * the main process accepts TCP connections, but must not connect to
	 * other addresses
	 */
	ALLOW(KEEPER, "sendto", BITS(3, MSG_FASTOPEN, 0)),
	ALLOW(KEEPER, "sendmsg", BITS(2, MSG_FASTOPEN, 0)),
	ALLOW(KEEPER, "sendmmsg", BITS(3, MSG_FASTOPEN, 0)),
	INTERNET(AF_INET, SOCK_STREAM, IPPROTO_TCP),
	INTERNET(AF_INET6, SOCK_STREAM, IPPROTO_TCP),
	INTERNET(AF_INET, SOCK_DGRAM, IPPROTO_UDP),
	INTERNET(AF_INET6, SOCK_DGRAM, IPPROTO_UDP),
	ALLOW(FETCHING, "open", BITS(1, OPEN_TO_WRITE, 0)),
	ALLOW(FETCHING, "openat", BITS(2, OPEN_TO_WRITE, 0)),
	/* allow threads, but no processes */
	ALLOW(THREADED, "clone",
	      BITS(0, CLONE_THREAD | NAMESPACES, CLONE_THREAD)),
	/*
	 * a filter cannot read the arguments of these calls, which are in
	 * memory
	 */
	{LISTED | STARTER, ENOSYS, "clone3", {NONE}},
	{LISTED, ENOSYS, "openat2", {NONE}},
	/*
	 * a worker inherits this filter and must be able to create user,
	 * network and IPC namespaces
	 */
	REFUSE(STARTER, "unshare", BITS(0, CLONE_NEWNS, CLONE_NEWNS)),
	REFUSE(STARTER, "unshare", BITS(0, CLONE_NEWPID, CLONE_NEWPID)),
	REFUSE(STARTER, "unshare", BITS(0, CLONE_NEWUTS, CLONE_NEWUTS)),
	REFUSE(STARTER, "unshare", BITS(0, CLONE_NEWCGROUP, CLONE_NEWCGROUP)),
	REFUSE(STARTER, "clone", BITS(0, CLONE_NEWUSER, CLONE_NEWUSER)),
	REFUSE(STARTER, "clone", BITS(0, CLONE_NEWNS, CLONE_NEWNS)),
	/*
	 * no input into the terminal; no sockets for packets, kernel
	 * cryptography and virtual machines
	 */
	REFUSE(STARTER, "ioctl", BITS(1, UINT32_MAX, TIOCSTI)),
	REFUSE(STARTER, "socket", FROM(0, AF_NETLINK + 1)),
};
/* clang-format on */

/*
 * Add a rule to the filter. Return false if the rule is invalid or there is no
 * memory.
 */
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

/*
 * Restrict the system calls of all threads. If `connects` is set, the process
 * also gets the rights of a fetcher. Return false if the kernel does not
 * support this; then nothing has changed.
 */
static bool system_calls_restrict(enum role role, bool connects)
{
	unsigned roles = 1U << role | (connects ? 1U << ROLE_FETCHER : 0);
	scmp_filter_ctx filter = seccomp_init(
		role == ROLE_SPAWNER ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM));
	bool is_done = filter != NULL &&
		       seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
					SCMP_ACT_KILL_PROCESS) == 0 &&
		       system_calls_add_rules(filter, roles);

	/*
	 * These attributes need a newer kernel, but only if there are other
	 * threads to synchronise.
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

enum { MAX_ENTRY_BYTES = 16384 };

/*
 * Return whether all ids are these. All three of each kind are compared,
 * because any of them could allow a return to root.
 */
static bool is_only(uid_t user, gid_t group)
{
	uid_t users[3];
	gid_t groups[3];

	return getresuid(&users[0], &users[1], &users[2]) == 0 &&
	       getresgid(&groups[0], &groups[1], &groups[2]) == 0 &&
	       users[0] == user && users[1] == user && users[2] == user &&
	       groups[0] == group && groups[1] == group && groups[2] == group;
}

static enum error user_change(uid_t user, gid_t group, char *reason)
{
	const char *why = NULL;

	if (geteuid() == 0 &&
	    (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0 ||
	     setresuid(user, user, user) != 0))
		/* NOLINTNEXTLINE(bugprone-branch-clone): prctl() fails last */
		why = strerrordesc_np(errno);
	else if (!is_only(user, group))
		why = "only root can become another user";
	/* try it, because the kernel checks capabilities in addition to ids */
	else if (setresuid(0, 0, 0) == 0 || seteuid(0) == 0 ||
		 setresgid(0, 0, 0) == 0)
		why = "the process can become root again";
	else if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		why = strerrordesc_np(errno);
	if (why == NULL)
		return ERR_NONE;
	snprintf(reason, USER_REASON_BYTES, "%s", why);
	return ERR_ADDRESS_FORBIDDEN;
}

/*
 * Find the ids of the user. ERR_NOT_FOUND; ERR_ADDRESS_FORBIDDEN: the user is
 * root or in root's group.
 */
static enum error user_find(const char *name, uid_t *user_out, gid_t *group_out,
			    char *reason)
{
	char text[MAX_ENTRY_BYTES];
	struct passwd entry;
	struct passwd *found = NULL;

	reason[0] = '\0';
	if (getpwnam_r(name, &entry, text, sizeof(text), &found) != 0 ||
	    found == NULL) {
		snprintf(reason, USER_REASON_BYTES, "there is no such user");
		return ERR_NOT_FOUND;
	}
	if (entry.pw_uid == 0 || entry.pw_gid == 0) {
		snprintf(reason, USER_REASON_BYTES,
			 "it is root, or in root's group");
		return ERR_ADDRESS_FORBIDDEN;
	}
	*user_out = entry.pw_uid;
	*group_out = entry.pw_gid;
	return ERR_NONE;
}

enum error user_become(const char *name, char reason[USER_REASON_BYTES])
{
	uid_t user;
	gid_t group;
	enum error error = user_find(name, &user, &group, reason);

	return error == ERR_NONE ? user_change(user, group, reason) : error;
}

enum error user_check(const char *name, char reason[USER_REASON_BYTES])
{
	return user_find(name, &(uid_t){0}, &(gid_t){0}, reason);
}

enum error user_make_folder(const char *name, const char *path, mode_t mode)
{
	char reason[USER_REASON_BYTES];
	uid_t user;
	gid_t group;
	enum error error = user_find(name, &user, &group, reason);

	if (error != ERR_NONE)
		return error;
	if (mkdir(path, mode) != 0)
		return errno == EEXIST ? ERR_NONE : ERR_IO;
	return lchown(path, user, group) == 0 ? ERR_NONE : ERR_IO;
}

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

#ifndef PR_SET_MDWE /* Linux 6.3 */
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

enum {
	EVERY_ROLE = SANDBOX_NO_NEW_PRIVILEGES | SANDBOX_SYSTEM_CALLS |
		     SANDBOX_LIMITS,
	LANDLOCKED = SANDBOX_FILES | SANDBOX_TCP | SANDBOX_SCOPES,
	LINKS_OF_ONE_THREAD = 3,      /* "." and ".." and one thread */
	AUTHORITIES_BYTES = 33 << 20, /* maximum size of the CA certificates */
	WORKER_FILES = 32, /* its channel, its log, the body of a request */
};

static const unsigned walls[ROLE_COUNT] = {
	[ROLE_MAIN] = EVERY_ROLE | SANDBOX_TCP | SANDBOX_SCOPES | SANDBOX_CODE,
	[ROLE_SPAWNER] = EVERY_ROLE,
	[ROLE_FETCHER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE,
	[ROLE_WORKER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE |
			SANDBOX_NAMESPACES | SANDBOX_EMPTY_ROOT,
	[ROLE_NOTIFIER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE,
	[ROLE_LAUNCHER] = SANDBOX_NO_NEW_PRIVILEGES | SANDBOX_LIMITS,
	[ROLE_RENDERER] = SANDBOX_NO_NEW_PRIVILEGES | SANDBOX_LIMITS,
};

static const char *const resolver[] = {
	"/etc/resolv.conf",
	"/etc/hosts",
	"/etc/nsswitch.conf",
	"/etc/host.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/hostname",
	"/etc/ld.so.cache",
	"/etc/localtime",
	NULL,
};

/*
 * Files and folders that a fetcher may read. The resolver (nsswitch.conf) and
 * OpenSSL load the libraries.
 */
static const char *const network[] = {
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager",
	"/etc/resolvconf",
	"/etc/ssl",
	"/etc/pki",
	"/etc/ca-certificates",
	"/etc/crypto-policies",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/usr/share/pki",
	"/usr/share/publicsuffix",
	"/usr/share/zoneinfo",
	"/lib",
	"/lib64",
	"/usr/lib",
	"/usr/lib64",
	"/dev/null",
	"/dev/random",
	"/dev/urandom",
	NULL,
};

static bool is_networked(enum role role)
{
	return role == ROLE_FETCHER || role == ROLE_NOTIFIER;
}

/* Return whether a browser is a descendant of the process. */
static bool has_browser(enum role role)
{
	return role == ROLE_LAUNCHER || role == ROLE_RENDERER;
}

static bool drop_privileges(enum role role)
{
	/*
	 * The leak checker of the sanitizers traces its own process. For that,
	 * a process that was root must be dumpable. The user of a process that
	 * is not dumpable cannot map its ids into a namespace.
	 */
	const unsigned long is_dumpable = IS_SANITIZED || has_browser(role);

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0) == 0;
}

/*
 * Drop all capabilities. Then the root user of the new namespace has no rights,
 * and the real root is an ordinary user.
 */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	(void)syscall(SYS_capset, &header, none);
}

/*
 * Lower the limit of `resource` to `most`; never raise the hard limit. The soft
 * limit becomes the hard limit.
 */
static bool sandbox_limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now) != 0)
		return false;
	if (most < now.rlim_max)
		now.rlim_max = most;
	now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now) == 0;
}

/* Return whether the log goes to a regular file, which may have any size. */
static bool logs_to_file(void)
{
	struct stat status;

	return fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

static bool sandbox_set_limits(const struct sandbox_options *options)
{
	bool is_set = sandbox_limit(RLIMIT_CORE, 0);

	if (options->max_files != 0)
		is_set &= sandbox_limit(RLIMIT_NOFILE, options->max_files);
	else if (options->role == ROLE_WORKER)
		is_set &= sandbox_limit(RLIMIT_NOFILE, WORKER_FILES);
	else if (options->role != ROLE_SPAWNER && !has_browser(options->role))
		/*
		 * Connections and clients need many descriptors, so use all
		 * that the hard limit allows. Commands of the spawner keep the
		 * limit with which the daemon was started.
		 */
		is_set &= sandbox_limit(RLIMIT_NOFILE, RLIM_INFINITY);
	if (options->memory_bytes != 0 && !IS_SANITIZED)
		is_set &= sandbox_limit(RLIMIT_AS, options->memory_bytes);
	/* the leak checker of sanitizer builds starts a process */
	if (options->role == ROLE_WORKER && !IS_SANITIZED)
		is_set &= sandbox_limit(RLIMIT_NPROC, 0);
	if (!IS_SANITIZED && !logs_to_file() && options->role == ROLE_WORKER)
		is_set &= sandbox_limit(RLIMIT_FSIZE, 0);
	if (!IS_SANITIZED && !logs_to_file() && is_networked(options->role))
		is_set &= sandbox_limit(RLIMIT_FSIZE, AUTHORITIES_BYTES);
	return is_set;
}

static unsigned restrict_files(const struct sandbox_options *options)
{
	struct landlock_rules rules = {
		.has_files = options->role != ROLE_MAIN,
		.may_connect = is_networked(options->role) || options->connects,
		.may_notify = options->role == ROLE_MAIN,
	};

	if (is_networked(options->role)) {
		rules.readable[0] = resolver;
		rules.readable[1] = network;
		rules.readable[2] = options->readable;
	}
	return landlock_restrict(&rules);
}

/*
 * Apply the layers that sanitizer builds skip, and return those that hold. Of
 * these layers, commands inherit only the system call filter.
 */
static unsigned build_walls(const struct sandbox_options *options)
{
	unsigned wanted = walls[options->role];
	unsigned holds = 0;

	if ((wanted & SANDBOX_EMPTY_ROOT) != 0)
		holds |= empty_root_enter();
	if (is_networked(options->role) || options->role == ROLE_WORKER)
		drop_capabilities();
	if ((wanted & SANDBOX_CODE) != 0 &&
	    prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0)
		holds |= SANDBOX_CODE;
	if ((wanted & LANDLOCKED) != 0)
		holds |= restrict_files(options);
	if ((wanted & SANDBOX_SYSTEM_CALLS) != 0 &&
	    system_calls_restrict(options->role, options->connects))
		holds |= SANDBOX_SYSTEM_CALLS;
	return holds;
}

enum error sandbox_enter(const struct sandbox_options *options,
			 struct sandbox_report *report_out)
{
	unsigned holds = SANDBOX_NO_NEW_PRIVILEGES | SANDBOX_LIMITS;
	struct stat tasks;

	*report_out = (struct sandbox_report){0};
	/* if /proc is missing, assume that the process has one thread */
	if (!IS_SANITIZED && stat("/proc/self/task", &tasks) == 0 &&
	    tasks.st_nlink > LINKS_OF_ONE_THREAD)
		return ERR_BUSY;
	if (!drop_privileges(options->role) || !sandbox_set_limits(options))
		return ERR_IO;
	if (!IS_SANITIZED)
		holds |= build_walls(options);
	report_out->holds = holds & walls[options->role];
	report_out->lacks = walls[options->role] & ~holds;
	return ERR_NONE;
}

void sandbox_list_layers(unsigned set, struct buffer *out)
{
	static const char *const names[] = {
		"no new privileges", "system calls", "files",  "TCP",  "scopes",
		"namespaces",        "empty root",   "limits", "code",
	};
	const char *before = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((set >> i & 1U) == 0)
			continue;
		buffer_append_text(out, before);
		buffer_append_text(out, names[i]);
		before = ", ";
	}
}

void sandbox_describe(const struct sandbox_report *report, struct buffer *out)
{
	sandbox_list_layers(report->holds, out);
	if (report->lacks == 0)
		return;
	buffer_append_text(out, IS_SANITIZED ? "; sanitizer builds omit "
					     : "; kernel or unit refuse ");
	sandbox_list_layers(report->lacks, out);
}

uint64_t sandbox_resolver_stamp(void)
{
	uint64_t stamp = 0;

	for (size_t i = 0; resolver[i] != NULL; i++) {
		struct stat status;

		if (stat(resolver[i], &status) != 0)
			status = (struct stat){0};
		stamp = hash_chain((uint64_t)status.st_dev, stamp);
		stamp = hash_chain((uint64_t)status.st_ino, stamp);
	}
	return stamp;
}
