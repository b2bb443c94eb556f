/*
 * daemon/privsep/sandbox.h - restrict a process to its role, permanently. The
 * report lists the layers that the kernel does not support.
 *
 * main      Files as before, Unix sockets, threads; no other socket, no
 * process. `connects` (other nodes) adds the rights of a fetcher. spawner
 * Nearly everything, because the commands that it runs inherit its filter: no
 * tracing, mounts, modules, keys or rare sockets. fetcher   TCP and UDP,
 * threads; reads resolver files, CA certificates and libraries. notifier  Like
 * the fetcher. worker    Its open descriptors, and memory within its address
 * space limit.
 *
 * Sanitizer builds need other system calls, files and terabytes of address
 * space: there the sandbox only drops privileges and limits open files and core
 * dumps.
 */
#ifndef DAEMON_PRIVSEP_SANDBOX_H
#define DAEMON_PRIVSEP_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct buffer;

enum role {
	ROLE_MAIN,     /* main process: store, engine, API; no network */
	ROLE_SPAWNER,  /* spawner: starts other roles and commands */
	ROLE_FETCHER,  /* network and TLS; no store */
	ROLE_WORKER,   /* parses and extracts; no network, no files */
	ROLE_NOTIFIER, /* notifier: webhooks; limits of the fetcher */
	ROLE_COUNT
};

/* Return the role as one word, such as "fetcher"; static memory. */
const char *role_name(enum role role);

/* The layers of the sandbox: bits of a set. */
enum sandbox_layer {
	SANDBOX_NO_NEW_PRIVILEGES = 1U << 0, /* also not dumpable */
	SANDBOX_SYSTEM_CALLS = 1U << 1,      /* seccomp */
	SANDBOX_FILES = 1U << 2,             /* Landlock */
	SANDBOX_TCP = 1U << 3,               /* Landlock, ABI 4 */
	SANDBOX_SCOPES = 1U << 4,     /* Landlock, ABI 6: no signals to other
					 processes, no abstract Unix sockets */
	SANDBOX_NAMESPACES = 1U << 5, /* user, network and IPC namespaces */
	SANDBOX_EMPTY_ROOT = 1U << 6,
	SANDBOX_LIMITS = 1U << 7, /* core size 0, descriptors, address space,
				     file size; worker: no processes */
	SANDBOX_CODE = 1U << 8,   /* no execution of written memory */
};

struct sandbox_options {
	enum role role;
	const char *const
		*readable; /* files or folders that a fetcher or notifier may
			      also read; ends with NULL; or NULL */
	uint64_t memory_bytes; /* address space; 0 = unlimited */
	uint32_t max_files; /* descriptors; 0 = default of the role: few for a
			       worker, the soft limit for the spawner, the hard
			       limit for others */
	bool connects;      /* the main process connects to other nodes */
};

/*
 * Sets of enum sandbox_layer. The two are disjoint; together they are all
 * layers of the role.
 */
struct sandbox_report {
	unsigned holds;
	unsigned lacks;
};

/*
 * Enter the sandbox. Call it once, before the process reads untrusted data and
 * while it has one thread: Landlock restricts only the caller and its
 * descendants. Open descriptors stay open. ERR_BUSY: the process has several
 * threads; nothing has changed. ERR_IO: privileges or limits could not be
 * lowered; the process must exit.
 */
enum error sandbox_enter(const struct sandbox_options *options,
			 struct sandbox_report *report_out);

/*
 * Append the names of the layers in `set` (enum sandbox_layer), for example
 * "system calls, files, limits".
 */
void sandbox_list_layers(unsigned set, struct buffer *out);

/*
 * Append the enforced and the missing layers, for example "system calls, files,
 * limits; kernel or unit refuse namespaces".
 */
void sandbox_describe(const struct sandbox_report *report, struct buffer *out);

/*
 * Return a hash of the device and inode of each resolver file. Landlock allows
 * a file, not its name: if the hash has changed since a fetcher or notifier
 * started, a file such as resolv.conf was replaced. The process cannot read the
 * new file and must be restarted.
 */
uint64_t sandbox_resolver_stamp(void);

/*
 * Enter new user, network and IPC namespaces, and a root folder that stays
 * empty. Return the layers that the kernel enforces afterwards (set of enum
 * sandbox_layer). Call it while the process has one thread.
 */
unsigned empty_root_enter(void);

enum { MAX_LISTS = 3 };

/* What to restrict with Landlock. The paths in `readable` stay readable. */
struct landlock_rules {
	const char *const *readable[MAX_LISTS]; /* NULL-terminated, or NULL */
	bool has_files;                         /* restrict files */
	bool may_connect; /* by TCP; binding is never allowed */
	bool may_notify;  /* may connect to abstract Unix sockets */
};

/*
 * Restrict the calling thread and all threads and processes that it starts.
 * Return the layers that the kernel enforces (set of enum sandbox_layer); 0 if
 * the kernel has no Landlock.
 */
unsigned landlock_restrict(const struct landlock_rules *rules);

enum { USER_REASON_BYTES = 128 };

/*
 * Become the user `name` permanently, with the user's group and no other: set
 * all ids, drop all capabilities, forbid tracing and core dumps. This needs
 * root, or a process that already runs as that user and cannot become root.
 * Call it while the process has one thread. ERR_NOT_FOUND: no such user.
 * ERR_ADDRESS_FORBIDDEN: the user is root, the caller has no permission, or the
 * process could become root again; the process must exit then. `reason` is the
 * error text.
 */
enum error user_become(const char *name, char reason[USER_REASON_BYTES]);

/* Check that the user exists and is not root; the same errors. */
enum error user_check(const char *name, char reason[USER_REASON_BYTES]);

/*
 * Create the folder `path` for that user. An existing folder keeps its owner
 * and mode; parent folders are unchanged. ERR_NOT_FOUND: no such user; ERR_IO:
 * see errno.
 */
enum error user_make_folder(const char *name, const char *path, mode_t mode);

#endif
