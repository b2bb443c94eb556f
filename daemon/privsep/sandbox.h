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

#include "base/error.h"
#include "daemon/privsep/process_role.h"
#include "daemon/privsep/wall.h"

struct buffer;

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

#endif
