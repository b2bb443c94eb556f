/*
 * daemon/privsep/roster.h - the table of the daemon's processes: their sandbox
 * layers, CPU time and crashes. Any thread may call these functions.
 */
#ifndef DAEMON_PRIVSEP_ROSTER_H
#define DAEMON_PRIVSEP_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/privsep/sandbox.h"

struct roster;

struct roster *roster_create(void);

/* NULL is a no-op. */
void roster_destroy(struct roster *roster);

struct roster_entry {
	enum role role;
	pid_t pid;
	uint64_t started_ms; /* Unix time */
	struct sandbox_report walls;
	uint64_t cpu_us; /* CPU time, as last measured */
};

/*
 * Add a process. Log its sandbox layers if it is the first process of its role,
 * or if they differ from the last one's.
 */
void roster_add(struct roster *roster, const struct roster_entry *entry);

/* Update the CPU time of a process before its removal. */
void roster_measure(struct roster *roster, pid_t pid);

/* Remove the process. Do nothing if `pid` is not in the table. */
void roster_remove(struct roster *roster, pid_t pid, bool has_died);

/* A copy of the table. */
struct roster_view {
	struct roster_entry *entries; /* [count], ordered by start */
	size_t count;
	/* Counts of a role since the daemon's start: */
	uint64_t starts[ROLE_COUNT];
	uint64_t deaths[ROLE_COUNT];
	uint64_t cpu_us[ROLE_COUNT]; /* of all its processes, past and present;
					never decreases */
};

/*
 * Copy the table; free the copy with roster_view_free(). Makes one system call
 * per process.
 */
struct roster_view roster_look(struct roster *roster);

void roster_view_free(struct roster_view *view);

#endif
