/*
 * daemon/privsep/sandbox.h - restrict a process to what its role needs,
 * permanently. A report lists the layers that the kernel does not support.
 *
 * What the roles may use:
 *
 * - main: files as before, Unix sockets, threads; no other sockets and no
 *   processes. If `connects` is set (other nodes), also what a fetcher may use.
 * - spawner: nearly everything, because the commands that it runs inherit its
 *   system call filter; no tracing, mounts, kernel modules, keys or rare
 *   sockets.
 * - fetcher: TCP, UDP and threads; it can read resolver files, CA certificates
 *   and libraries.
 * - notifier: the same as the fetcher.
 * - worker: its open descriptors, and memory within its address space limit.
 * - launcher: everything; it only starts renderers.
 * - renderer: everything until it has started its browser, then what a worker
 *   may use.
 *
 * Sanitizer builds need other system calls, files and terabytes of address
 * space. In such builds the sandbox only drops privileges and limits open files
 * and core dumps.
 */
#ifndef DAEMON_PRIVSEP_SANDBOX_H
#define DAEMON_PRIVSEP_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct buffer;

enum role {
	ROLE_MAIN,     /* store, engine, API; no network */
	ROLE_SPAWNER,  /* starts other roles and commands */
	ROLE_FETCHER,  /* network and TLS; no store */
	ROLE_WORKER,   /* parses and extracts; no network, no files */
	ROLE_NOTIFIER, /* sends webhooks; limits of the fetcher */
	ROLE_LAUNCHER, /* starts renderers */
	ROLE_RENDERER, /* starts a browser, and speaks with it */
	ROLE_COUNT
};

/* Return the role as one word, such as "fetcher"; static memory. */
const char *role_name(enum role role);

/* The layers of the sandbox, as bits of a set. */
enum sandbox_layer {
	SANDBOX_NO_NEW_PRIVILEGES = 1U << 0, /* also: the process is not
						dumpable */
	SANDBOX_SYSTEM_CALLS = 1U << 1,      /* seccomp */
	SANDBOX_FILES = 1U << 2,             /* Landlock */
	SANDBOX_TCP = 1U << 3,               /* Landlock, ABI 4 */
	SANDBOX_SCOPES = 1U << 4,     /* Landlock, ABI 6: no signals to other
					 processes and no abstract Unix
					 sockets */
	SANDBOX_NAMESPACES = 1U << 5, /* user, network and IPC namespaces */
	SANDBOX_EMPTY_ROOT = 1U << 6,
	SANDBOX_LIMITS = 1U << 7, /* core size 0, descriptors, address space,
				     file size; for a worker also: no
				     processes */
	SANDBOX_CODE = 1U << 8,   /* memory that was written cannot be
				     executed */
};

struct sandbox_options {
	enum role role;
	const char *const
		*readable; /* files or folders that a fetcher or notifier may
			      read in addition; NULL ends the list; or NULL */
	uint64_t memory_bytes; /* limit of the address space; 0 = unlimited */
	uint32_t max_files;    /* maximum number of descriptors; 0 = default of
				  the role: few for a worker, the soft limit for
				  the spawner, the hard limit for the others */
	bool connects;         /* the main process connects to other nodes */
};

/*
 * Two sets of enum sandbox_layer: the layers that are enforced (`holds`) and
 * those that are missing (`lacks`). Together they are all layers of the role.
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
 * Append the names of the layers in `set` (bits of enum sandbox_layer), for
 * example "system calls, files, limits".
 */
void sandbox_list_layers(unsigned set, struct buffer *out);

/*
 * Append the names of the enforced layers and, if layers are missing, their
 * names, for example "system calls, files, limits; kernel or unit refuse
 * namespaces".
 */
void sandbox_describe(const struct sandbox_report *report, struct buffer *out);

/*
 * Return a hash of the device and inode of each resolver file. Landlock allows
 * a file by its inode, not by its name. So if a file such as resolv.conf has
 * been replaced since a fetcher or notifier was started, the hash has changed:
 * the process cannot read the new file and must be restarted.
 */
uint64_t sandbox_resolver_stamp(void);

/*
 * Enter new user, network and IPC namespaces, and a root folder that stays
 * empty. Return the layers that the kernel enforces afterwards (bits of enum
 * sandbox_layer). Call it while the process has one thread.
 */
unsigned empty_root_enter(void);

enum { MAX_LISTS = 3 };

/* What to restrict with Landlock. The paths in `readable` can still be read. */
struct landlock_rules {
	const char *const *readable[MAX_LISTS]; /* lists of paths, each
						   ending with NULL; or NULL */
	bool has_files;                         /* restrict files */
	bool may_connect; /* may connect by TCP; no process may bind */
	bool may_notify;  /* may connect to abstract Unix sockets */
};

/*
 * Restrict the calling thread, and all threads and processes that it starts
 * later. Return the layers that the kernel enforces (bits of enum
 * sandbox_layer); 0 if the kernel has no Landlock.
 */
unsigned landlock_restrict(const struct landlock_rules *rules);

enum { USER_REASON_BYTES = 128 };

/*
 * Become the user `name` permanently, with the user's group and no other: set
 * all ids, drop all capabilities, forbid tracing and core dumps. This needs
 * root, or a process that already runs as that user and cannot become root.
 * Call it while the process has one thread. ERR_NOT_FOUND: there is no such
 * user. ERR_ADDRESS_FORBIDDEN: the user is root, the caller has no permission,
 * or the process could become root again; then the process must exit. `reason`
 * gets the text of the error.
 */
enum error user_become(const char *name, char reason[USER_REASON_BYTES]);

/* Check that the user exists and is not root. Errors as of user_become(). */
enum error user_check(const char *name, char reason[USER_REASON_BYTES]);

/*
 * Create the folder `path`, owned by the user `name`. An existing folder keeps
 * its owner and mode. Parent folders are not created. ERR_NOT_FOUND: there is
 * no such user; ERR_IO: see errno.
 */
enum error user_make_folder(const char *name, const char *path, mode_t mode);

#endif
