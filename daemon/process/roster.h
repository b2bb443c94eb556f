/*
 * daemon/process/roster.h - which processes the daemon has, what keeps each in
 * its role, and how many have ended that should not. Any thread.
 */
#ifndef DAEMON_PROCESS_ROSTER_H
#define DAEMON_PROCESS_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/sandbox/sandbox.h"

struct roster;

struct roster *roster_create(void);

/* NULL is a no-op. */
void roster_destroy(struct roster *roster);

struct roster_entry {
	enum role role;
	pid_t pid;
	uint64_t started_ms; /* Unix time */
	struct sandbox_report walls;
	uint64_t cpu_us; /* of its CPU time, what was known last */
};

/* A process is there. What keeps it in its role is said in the log when it is
 * the first of its role, or is kept in by something else than the last one. */
void roster_add(struct roster *roster, const struct roster_entry *entry);

/* It is about to be removed: see what CPU time it has used. */
void roster_measure(struct roster *roster, pid_t pid);

/* It is not any more. Nothing happens when it is not there. */
void roster_remove(struct roster *roster, pid_t pid, bool has_died);

/* A moment of it. */
struct roster_view {
	struct roster_entry *entries; /* [count], in order of their start */
	size_t count;
	/* of a role, since the start: */
	uint64_t starts[ROLE_COUNT];
	uint64_t deaths[ROLE_COUNT];
	uint64_t cpu_us[ROLE_COUNT]; /* of all its processes, gone or not; it
					never becomes less */
};

/* To be given to roster_view_free(). A system call for each process. */
struct roster_view roster_look(struct roster *roster);

void roster_view_free(struct roster_view *view);

#endif
