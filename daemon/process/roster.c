#include "daemon/process/roster.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/runtime/lock.h"
#include "store/buffer.h"
#include "store/log.h"
#include "store/memory.h"

struct roster {
	struct lock lock; /* guards what follows */
	struct buffer entries;
	uint64_t deaths[ROLE_COUNT];
	struct sandbox_report said[ROLE_COUNT]; /* in the log */
};

static size_t count_entries(const struct roster *roster)
{
	return roster->entries.size / sizeof(struct roster_entry);
}

struct roster *roster_create(void)
{
	struct roster *roster = mem_alloc(1, sizeof(*roster));

	lock_init(&roster->lock, LOCK_ROSTER);
	return roster;
}

void roster_destroy(struct roster *roster)
{
	if (roster == NULL)
		return;
	lock_destroy(&roster->lock);
	buffer_free(&roster->entries);
	free(roster);
}

static void say(const struct roster_entry *entry)
{
	struct buffer text = {0};

	sandbox_describe(&entry->walls, &text);
	log_info("%s: %s", role_name(entry->role), text.data);
	buffer_free(&text);
}

void roster_add(struct roster *roster, const struct roster_entry *entry)
{
	struct sandbox_report *said = &roster->said[entry->role];
	bool is_new;

	lock_acquire(&roster->lock);
	buffer_append(&roster->entries, entry, sizeof(*entry));
	is_new = said->holds != entry->walls.holds ||
		 said->lacks != entry->walls.lacks;
	*said = entry->walls;
	lock_release(&roster->lock);
	if (is_new)
		say(entry);
}

void roster_remove(struct roster *roster, pid_t pid, bool has_died)
{
	struct roster_entry *entries;
	size_t count;
	size_t at = 0;

	lock_acquire(&roster->lock);
	entries = (struct roster_entry *)(void *)roster->entries.data;
	count = count_entries(roster);
	while (at < count && entries[at].pid != pid)
		at++;
	if (at < count) {
		roster->deaths[entries[at].role] += has_died;
		memmove(&entries[at], &entries[at + 1],
			(count - at - 1) * sizeof(*entries));
		roster->entries.size -= sizeof(*entries);
	}
	lock_release(&roster->lock);
}

struct roster_view roster_look(struct roster *roster)
{
	struct roster_view view;

	lock_acquire(&roster->lock);
	view.count = count_entries(roster);
	view.entries = mem_alloc(view.count + 1, sizeof(*view.entries));
	if (view.count > 0)
		memcpy(view.entries, roster->entries.data,
		       roster->entries.size);
	memcpy(view.deaths, roster->deaths, sizeof(view.deaths));
	lock_release(&roster->lock);
	return view;
}

void roster_view_free(struct roster_view *view)
{
	free(view->entries);
	*view = (struct roster_view){0};
}
