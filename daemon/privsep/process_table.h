/*
 * daemon/privsep/process_table.h - the table of the daemon's processes: their
 * sandbox layers, CPU time and crashes. Any thread may call these functions.
 */
#ifndef DAEMON_PRIVSEP_PROCESS_TABLE_H
#define DAEMON_PRIVSEP_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/privsep/sandbox.h"

struct process_table;

struct process_table *process_table_create(void);

/* NULL is a no-op. */
void process_table_destroy(struct process_table *roster);

struct process_entry {
	enum role role;
	pid_t pid;
	uint64_t started_ms; /* Unix time */
	struct sandbox_report walls;
	uint64_t cpu_us; /* CPU time when it was last measured */
};

/*
 * Add a process. Log its sandbox layers if it is the first process of its role,
 * or if the last process of its role had other layers.
 */
void process_table_add(struct process_table *roster,
		       const struct process_entry *entry);

/*
 * Set the layers of a process that has entered its sandbox later. Do nothing if
 * `pid` is not in the table.
 */
void process_table_change(struct process_table *roster, pid_t pid,
			  const struct sandbox_report *walls);

/*
 * Measure the CPU time of a process; call this before the process is removed.
 */
void process_table_measure(struct process_table *roster, pid_t pid);

/*
 * Remove the process. `has_died`: count it as a crash. Do nothing if `pid` is
 * not in the table.
 */
void process_table_remove(struct process_table *roster, pid_t pid,
			  bool has_died);

/* A copy of the table. */
struct process_snapshot {
	struct process_entry *entries; /* [count], in the order of their
					  start */
	size_t count;
	/* By role, since the start of the daemon: */
	uint64_t starts[ROLE_COUNT];
	uint64_t deaths[ROLE_COUNT];
	uint64_t cpu_us[ROLE_COUNT]; /* CPU time of all processes, also of
					removed ones; never decreases */
};

/*
 * Copy the table. The caller frees the copy with process_snapshot_free(). Makes
 * one system call for each process.
 */
struct process_snapshot process_table_snapshot(struct process_table *roster);

void process_snapshot_free(struct process_snapshot *view);

#endif
