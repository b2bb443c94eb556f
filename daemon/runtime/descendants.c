#include "daemon/runtime/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { MAX_ROUNDS = 16, PIECE_BYTES = 4096, MAX_PROC_BYTES = 1 << 20 };

struct proc_entry {
	pid_t pid;
	pid_t parent;
	bool is_ours;
};

struct process_list {
	struct proc_entry *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Read a file of /proc/PID; return false if the process has exited, or belongs
 * to another user.
 */
static bool proc_read_file(pid_t pid, const char *name, struct buffer *out)
{
	char path[64];
	ssize_t size = 1;
	int file;

	buffer_clear(out);
	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	while (size > 0 && out->size < MAX_PROC_BYTES) {
		size = read(file, buffer_reserve(out, PIECE_BYTES),
			    PIECE_BYTES);
		out->size += size > 0 ? (size_t)size : 0;
	}
	close(file);
	buffer_append_byte(out, '\0');
	return size == 0;
}

static bool has_mark(pid_t pid, const char *mark, struct buffer *scratch)
{
	size_t at = 0;

	if (!proc_read_file(pid, "environ", scratch))
		return false;
	while (at < scratch->size) {
		if (strcmp(scratch->data + at, mark) == 0)
			return true;
		at += strlen(scratch->data + at) + 1;
	}
	return false;
}

/*
 * Read the fourth field of stat. The second field, a name, may contain any
 * characters.
 */
static pid_t proc_parent(pid_t pid, struct buffer *scratch)
{
	const char *end;

	if (!proc_read_file(pid, "stat", scratch))
		return 0;
	end = strrchr(scratch->data, ')');
	return end == NULL || strlen(end) < 4
		       ? 0
		       : (pid_t)strtol(end + 3, NULL, 10);
}

static void list_processes(struct process_list *list, pid_t root,
			   const char *mark)
{
	DIR *folder = opendir("/proc");
	struct buffer scratch = {0};
	const struct dirent *entry;

	list->count = 0;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread's stream */
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 1 || pid == getpid())
			continue;
		list->items = mem_grow(list->items, list->count,
				       &list->capacity, sizeof(*list->items));
		list->items[list->count++] = (struct proc_entry){
			.pid = pid,
			.parent = proc_parent(pid, &scratch),
			.is_ours = pid == root || has_mark(pid, mark, &scratch),
		};
	}
	if (folder != NULL)
		closedir(folder);
	buffer_free(&scratch);
}

static bool is_child(const struct process_list *list,
		     const struct proc_entry *process)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].is_ours &&
		    list->items[i].pid == process->parent)
			return true;
	return false;
}

/*
 * Add all children before killing any, because children of a killed process get
 * another parent.
 */
static void add_children(struct process_list *list)
{
	bool has_grown = true;

	while (has_grown) {
		has_grown = false;
		for (size_t i = 0; i < list->count; i++) {
			struct proc_entry *process = &list->items[i];

			if (process->is_ours || !is_child(list, process))
				continue;
			process->is_ours = true;
			has_grown = true;
		}
	}
}

/*
 * Kill the listed processes. Return their number without the root, which its
 * parent must reap.
 */
static size_t kill_listed(const struct process_list *list, pid_t root)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!list->items[i].is_ours)
			continue;
		kill(list->items[i].pid, SIGKILL);
		count += list->items[i].pid != root;
	}
	return count;
}

void descendants_kill(pid_t root, const char *mark)
{
	struct process_list list = {0};
	size_t killed = 1;

	for (unsigned i = 0; i < MAX_ROUNDS && killed > 0; i++) {
		list_processes(&list, root, mark);
		add_children(&list);
		killed = kill_listed(&list, root);
	}
	free(list.items);
}
