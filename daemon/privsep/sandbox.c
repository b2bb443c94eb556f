#include "daemon/privsep/sandbox.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "daemon/privsep/empty_root.h"
#include "daemon/privsep/landlock.h"
#include "daemon/privsep/system_calls.h"

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
	LINKS_OF_ONE_THREAD = 3,      /* "." and ".." and the thread */
	AUTHORITIES_BYTES = 33 << 20, /* CA certificates */
	WORKER_FILES = 32, /* its channel, its log, the body of a request */
};

static const unsigned walls[ROLE_COUNT] = {
	[ROLE_MAIN] = EVERY_ROLE | SANDBOX_TCP | SANDBOX_SCOPES | SANDBOX_CODE,
	[ROLE_SPAWNER] = EVERY_ROLE,
	[ROLE_FETCHER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE,
	[ROLE_WORKER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE |
			SANDBOX_NAMESPACES | SANDBOX_EMPTY_ROOT,
	[ROLE_NOTIFIER] = EVERY_ROLE | LANDLOCKED | SANDBOX_CODE,
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

/* Libraries: the resolver (nsswitch.conf) and OpenSSL load them. */
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

/* Without /proc, assume that the process has one thread. */
static bool has_threads(void)
{
	struct stat tasks;

	return stat("/proc/self/task", &tasks) == 0 &&
	       tasks.st_nlink > LINKS_OF_ONE_THREAD;
}

static bool drop_privileges(void)
{
	/*
	 * The leak checker of the sanitizers traces its own process; a former
	 * root process must be dumpable for that.
	 */
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, IS_SANITIZED, 0, 0, 0) == 0;
}

/*
 * Drop all capabilities: root of the new namespace then has no rights, and root
 * is an ordinary user.
 */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	(void)syscall(SYS_capset, &header, none);
}

/* Lower the limit of `resource` to `most`; never raise it. */
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
	else if (options->role != ROLE_SPAWNER)
		/*
		 * As many descriptors as the hard limit allows, because
		 * connections and clients need them. Commands of the spawner
		 * keep the limit that the daemon was started with.
		 */
		is_set &= sandbox_limit(RLIMIT_NOFILE, RLIM_INFINITY);
	if (options->memory_bytes != 0 && !IS_SANITIZED)
		is_set &= sandbox_limit(RLIMIT_AS, options->memory_bytes);
	/* The leak checker starts a process. */
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
 * Apply the layers that sanitizer builds skip. Commands inherit only the
 * filter.
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
	if (system_calls_restrict(options->role, options->connects))
		holds |= SANDBOX_SYSTEM_CALLS;
	return holds;
}

enum error sandbox_enter(const struct sandbox_options *options,
			 struct sandbox_report *report_out)
{
	unsigned holds = SANDBOX_NO_NEW_PRIVILEGES | SANDBOX_LIMITS;

	*report_out = (struct sandbox_report){0};
	if (!IS_SANITIZED && has_threads())
		return ERR_BUSY;
	if (!drop_privileges() || !sandbox_set_limits(options))
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
