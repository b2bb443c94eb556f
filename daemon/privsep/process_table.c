#include "daemon/privsep/process_table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"

struct process_table {
	struct lock lock; /* guards the fields below */
	struct buffer entries;
	uint64_t starts[ROLE_COUNT];
	uint64_t deaths[ROLE_COUNT];
	uint64_t gone_us[ROLE_COUNT]; /* total CPU time of removed processes */
	struct sandbox_report said[ROLE_COUNT]; /* layers that were logged
						   last */
};

static size_t count_entries(const struct process_table *roster)
{
	return roster->entries.size / sizeof(struct process_entry);
}

struct process_table *process_table_create(void)
{
	struct process_table *roster = mem_alloc(1, sizeof(*roster));

	lock_init(&roster->lock, LOCK_PROCESS_TABLE);
	return roster;
}

void process_table_destroy(struct process_table *roster)
{
	if (roster == NULL)
		return;
	lock_destroy(&roster->lock);
	buffer_free(&roster->entries);
	free(roster);
}

static void process_table_log_entry(const struct process_entry *entry)
{
	struct buffer text = {0};

	sandbox_describe(&entry->walls, &text);
	log_info("%s: %s", role_name(entry->role), text.data);
	buffer_free(&text);
}

void process_table_add(struct process_table *roster,
		       const struct process_entry *entry)
{
	struct sandbox_report *said = &roster->said[entry->role];
	bool is_new;

	lock_acquire(&roster->lock);
	buffer_append(&roster->entries, entry, sizeof(*entry));
	is_new = said->holds != entry->walls.holds ||
		 said->lacks != entry->walls.lacks;
	*said = entry->walls;
	roster->starts[entry->role]++;
	lock_release(&roster->lock);
	if (is_new)
		process_table_log_entry(entry);
}

/*
 * With the lock held: measure the CPU time of the process. If the process has
 * exited, keep the last value.
 */
static void process_entry_measure(struct process_entry *entry)
{
	clockid_t clock;
	uint64_t used_us;

	if (clock_getcpuclockid(entry->pid, &clock) != 0)
		return;
	used_us = clock_read_us(clock);
	if (used_us > entry->cpu_us)
		entry->cpu_us = used_us;
}

static struct process_entry *entries_of(struct process_table *roster)
{
	return (struct process_entry *)(void *)roster->entries.data;
}

void process_table_change(struct process_table *roster, pid_t pid,
			  const struct sandbox_report *walls)
{
	struct process_entry changed = {0};

	lock_acquire(&roster->lock);
	for (size_t i = 0; i < count_entries(roster); i++) {
		struct process_entry *entry = &entries_of(roster)[i];
		struct sandbox_report *said = &roster->said[entry->role];

		if (entry->pid != pid)
			continue;
		entry->walls = *walls;
		if (said->holds != walls->holds || said->lacks != walls->lacks)
			changed = *entry;
		*said = *walls;
	}
	lock_release(&roster->lock);
	if (changed.pid != 0)
		process_table_log_entry(&changed);
}

void process_table_measure(struct process_table *roster, pid_t pid)
{
	lock_acquire(&roster->lock);
	for (size_t i = 0; i < count_entries(roster); i++)
		if (entries_of(roster)[i].pid == pid)
			process_entry_measure(&entries_of(roster)[i]);
	lock_release(&roster->lock);
}

void process_table_remove(struct process_table *roster, pid_t pid,
			  bool has_died)
{
	struct process_entry *entries;
	size_t count;
	size_t at = 0;

	lock_acquire(&roster->lock);
	entries = entries_of(roster);
	count = count_entries(roster);
	while (at < count && entries[at].pid != pid)
		at++;
	if (at < count) {
		roster->deaths[entries[at].role] += has_died;
		roster->gone_us[entries[at].role] += entries[at].cpu_us;
		memmove(&entries[at], &entries[at + 1],
			(count - at - 1) * sizeof(*entries));
		roster->entries.size -= sizeof(*entries);
	}
	lock_release(&roster->lock);
}

struct process_snapshot process_table_snapshot(struct process_table *roster)
{
	struct process_snapshot view;

	lock_acquire(&roster->lock);
	memcpy(view.cpu_us, roster->gone_us, sizeof(view.cpu_us));
	view.count = count_entries(roster);
	for (size_t i = 0; i < view.count; i++) {
		struct process_entry *entry = &entries_of(roster)[i];

		process_entry_measure(entry);
		view.cpu_us[entry->role] += entry->cpu_us;
	}
	view.entries = mem_alloc(view.count + 1, sizeof(*view.entries));
	if (view.count > 0)
		memcpy(view.entries, roster->entries.data,
		       roster->entries.size);
	memcpy(view.starts, roster->starts, sizeof(view.starts));
	memcpy(view.deaths, roster->deaths, sizeof(view.deaths));
	lock_release(&roster->lock);
	return view;
}

void process_snapshot_free(struct process_snapshot *view)
{
	free(view->entries);
	*view = (struct process_snapshot){0};
}
