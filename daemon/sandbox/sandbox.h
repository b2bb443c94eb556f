/*
 * daemon/sandbox/sandbox.h - a process that can do no more than its role. What
 * the kernel does not have is left out and said; there is no way back.
 *
 * keeper   Files as before, Unix sockets, threads; no other socket, no process.
 *          One that has other nodes (connects) may do what a fetcher may, too.
 * starter  Nearly everything, because the commands that it runs inherit its
 *          filter: no tracing, mounting, modules, keys or odd sockets.
 * fetcher  TCP and UDP, threads, and to read: resolver, authorities, libraries.
 * courier  As the fetcher.
 * worker   The descriptors that it has, and memory of its address space alone.
 *
 * Builds with sanitizers need other calls, files and terabytes of addresses:
 * there a process only loses privileges, and has limits of files and core.
 */
#ifndef DAEMON_SANDBOX_SANDBOX_H
#define DAEMON_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/sandbox/process_role.h"
#include "daemon/sandbox/wall.h"
#include "store/error.h"

struct buffer;

struct sandbox_options {
	enum role role;
	const char *const *readable; /* files or folders that a fetcher or
					courier may read, too; ended by NULL;
					or NULL */
	uint64_t memory_bytes;       /* of address space; 0: no limit */
	uint32_t max_files;          /* descriptors; 0: as many as the role
					needs: a worker few, the starter its
					soft limit, others their hard one */
	bool connects;               /* a keeper: to other nodes */
};

/* enum sandbox_wall: disjoint, together what the role wants. */
struct sandbox_report {
	unsigned holds;
	unsigned lacks;
};

/*
 * Call once, before the first foreign byte, while the process has one thread:
 * Landlock holds the caller and what it starts. Descriptors that are open stay
 * so. ERR_BUSY: there are more threads, and nothing was done. ERR_IO: not even
 * privileges or limits could be given up; the process must end.
 */
enum error sandbox_enter(const struct sandbox_options *options,
			 struct sandbox_report *report_out);

/* Append "system calls, files, limits" for a set of enum sandbox_wall. */
void sandbox_list_walls(unsigned set, struct buffer *out);

/* Append "system calls, files, limits; kernel or unit refuse namespaces". */
void sandbox_describe(const struct sandbox_report *report, struct buffer *out);

/*
 * Which files of the resolver are there now (device and inode of each).
 * Landlock allows a file, not its name: when this number is no longer what it
 * was when a fetcher or courier was started, then resolv.conf or another one
 * has been replaced, the process cannot read the new one, and has to be started
 * again.
 */
uint64_t sandbox_resolver_stamp(void);

#endif
