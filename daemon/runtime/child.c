#include "daemon/runtime/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "store/store.h"

/*
 * Functions that find all processes that a command has started. They also find
 * processes that have left its process group and session, as setsid does, and
 * processes whose parents have exited.
 */

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
 * Read a file of /proc/PID. Return false if the process has exited or belongs
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
 * Return the parent of a process: the fourth field of its stat file. The second
 * field, a name, may contain any characters, so search for the field from the
 * end.
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
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): used by one thread */
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
 * Mark all descendants before any of them is killed, because the children of a
 * killed process get another parent.
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
 * Kill the marked processes. Return their number, not counting `root`, which
 * its parent must reap.
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

/*
 * Kill the process `root` and its descendants. These are its children, their
 * children and so on, and every process that has `mark` in its environment, a
 * variable "NAME=value" that only this command gets. Processes that fork faster
 * than they are found may survive.
 */
static void descendants_kill(pid_t root, const char *mark)
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

/* The process that does the work. */
struct child_run {
	pid_t pid;
	int file; /* pipe for the result */
	const struct child_work_position *place;
};

enum { LEAST_MS = 60000, MIB_MS = 1000, CHUNK_BYTES = 65536 };

uint64_t child_work_limit_ms(const char *path)
{
	char name[MAX_PATH_BYTES];
	struct stat status;

	if (!folder_name(name, path, FOLDER_DATA) || stat(name, &status) != 0)
		return LEAST_MS;
	return LEAST_MS + ((uint64_t)status.st_size >> 20) * MIB_MS;
}

/* Do the work in the new process. */
static _Noreturn void child_run_main(const struct child_work *trial,
				     struct child_work_position *place,
				     int file, pid_t parent)
{
	struct buffer out = {0};
	enum error error = ERR_STOPPED;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* write no core dump */
	if (getppid() == parent)
		error = trial->work(trial->context, place, &out);
	(void)file_write_all(file, buffer_slice(&out));
	_exit(-(int)error);
}

/*
 * Read the result until the end of the file. Return false if the time is over
 * before.
 */
static bool child_run_read(int file, uint64_t until_ms, struct buffer *out)
{
	struct pollfd poll_file = {.fd = file, .events = POLLIN};

	for (;;) {
		uint64_t now_ms = clock_steady_ms();
		uint64_t left_ms = now_ms < until_ms ? until_ms - now_ms : 0;
		ssize_t size;
		int ready = poll(&poll_file, 1,
				 left_ms > CHUNK_BYTES ? CHUNK_BYTES
						       : (int)left_ms);

		if (ready == 0 && left_ms == 0)
			return false;
		if (ready <= 0)
			continue;
		size = read(file, buffer_reserve(out, CHUNK_BYTES),
			    CHUNK_BYTES);
		if (size > 0)
			out->size += (size_t)size;
		else if (size == 0 || errno != EINTR)
			return true;
	}
}

static enum error tell_end(int status, bool is_late,
			   const struct child_work_position *place,
			   const struct child_work *trial, char *why)
{
	char text[CHILD_WORK_POSITION_BYTES / 4];

	if (!is_late && WIFEXITED(status))
		return (enum error) - WEXITSTATUS(status);
	if (is_late)
		snprintf(text, sizeof(text), "took more than %llu s",
			 (unsigned long long)trial->limit_ms / 1000);
	else
		snprintf(text, sizeof(text), "was killed by signal %d (%s)",
			 WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
	snprintf(why, CHILD_WORK_POSITION_BYTES, "the check %s%s%.128s", text,
		 place->text[0] == '\0' ? "" : " at ", place->text);
	return ERR_STOPPED;
}

/*
 * Read the result and wait until the process exits. Return the error of the
 * work.
 */
static enum error child_run_wait(const struct child_work *trial,
				 const struct child_run *worker,
				 struct buffer *out, char *why)
{
	bool is_late = !child_run_read(
		worker->file, clock_steady_ms() + trial->limit_ms, out);
	int status = 0;

	if (is_late)
		kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	return tell_end(status, is_late, worker->place, trial, why);
}

enum error run_in_child(const struct child_work *trial, struct buffer *out,
			char *why)
{
	struct child_work_position *place =
		mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum error error = ERR_IO;
	pid_t parent = getpid();
	struct child_run worker = {.place = place};
	int ends[2];

	snprintf(why, CHILD_WORK_POSITION_BYTES, "no process is available");
	if (place == MAP_FAILED)
		return ERR_IO;
	if (pipe2(ends, O_CLOEXEC) == 0) {
		/* otherwise both processes would write pending output */
		fflush(NULL);
		worker.file = ends[0];
		worker.pid = fork();
		if (worker.pid == 0) {
			close(ends[0]);
			child_run_main(trial, place, ends[1], parent);
		}
		close(ends[1]);
		if (worker.pid > 0)
			error = child_run_wait(trial, &worker, out, why);
		close(ends[0]);
	}
	munmap(place, sizeof(*place));
	return error;
}

enum { MAX_ACCOUNT_BYTES = 16384 };

/*
 * Interval between checks whether a child has exited; it grows from the first
 * to the second value.
 */
enum { FIRST_NAP_NS = 50 * 1000, MAX_NAP_NS = 10 * 1000 * 1000 };

/*
 * Return a memory file that contains the input. With a pipe, a thread would
 * have to write the input.
 */
static int child_open_input(struct slice input)
{
	int file = memfd_create("event", MFD_CLOEXEC);

	if (file >= 0 && file_write_all(file, input) != ERR_NONE) {
		close(file);
		return -1;
	}
	if (file >= 0)
		lseek(file, 0, SEEK_SET);
	return file;
}

/*
 * Unblock all signals in the child. The threads of the daemon block signals,
 * and a child would inherit this.
 */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none;
	sigset_t all;
	int failed = 0;

	sigemptyset(&none);
	sigfillset(&all);
	failed |= posix_spawnattr_setsigmask(attributes, &none);
	failed |= posix_spawnattr_setsigdefault(attributes, &all);
	failed |= posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
				    POSIX_SPAWN_SETSIGDEF);
	return failed;
}

static int set_files(posix_spawn_file_actions_t *actions, int input)
{
	int failed = 0;

	failed |=
		posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
	failed |= posix_spawn_file_actions_addopen(actions, STDOUT_FILENO,
						   "/dev/null", O_WRONLY, 0);
	failed |= posix_spawn_file_actions_addclosefrom_np(actions,
							   STDERR_FILENO + 1);
	failed |= posix_spawn_file_actions_addchdir_np(actions, "/");
	return failed;
}

/* Append the variables of a clean environment; each ends with a NUL. */
static void append_clean(struct buffer *out)
{
	static const char fixed[] = "PATH=/usr/local/bin:/usr/bin:/bin\0"
				    "LANG=C.UTF-8\0SHELL=/bin/sh";
	char text[MAX_ACCOUNT_BYTES];
	struct passwd entry;
	struct passwd *account = NULL;

	buffer_append(out, fixed, sizeof(fixed));
	getpwuid_r(geteuid(), &entry, text, sizeof(text), &account);
	buffer_printf(out, "HOME=%s", account != NULL ? account->pw_dir : "/");
	buffer_append_byte(out, '\0');
	if (account == NULL)
		return;
	buffer_printf(out, "USER=%s", account->pw_name);
	buffer_append_byte(out, '\0');
	buffer_printf(out, "LOGNAME=%s", account->pw_name);
	buffer_append_byte(out, '\0');
}

/* [count] variables, followed by NULL. */
struct variables {
	char **items;
	size_t count;
	size_t capacity;
};

static void add_variable(struct variables *variables, char *variable)
{
	variables->items =
		mem_grow(variables->items, variables->count,
			 &variables->capacity, sizeof(*variables->items));
	variables->items[variables->count] = variable;
	variables->count += variable != NULL;
}

/*
 * Return the environment of the command. It contains the mark exactly once. The
 * variables point into `clean`.
 */
static struct variables list_variables(struct child *child,
				       const struct child_command *command,
				       struct buffer *clean)
{
	struct variables variables = {0};
	char *const *inherited = command->inherits ? environ : NULL;

	if (!command->inherits)
		append_clean(clean);
	for (size_t at = 0; at < clean->size;
	     at += strlen(clean->data + at) + 1)
		add_variable(&variables, clean->data + at);
	for (; inherited != NULL && *inherited != NULL; inherited++)
		add_variable(&variables, *inherited);
	for (size_t i = 0; command->environment[i] != NULL; i++)
		add_variable(&variables, command->environment[i]);
	snprintf(child->mark, sizeof(child->mark),
		 "TEMPLATED_RUN=%ld.%" PRIu64 ".%p", (long)getpid(),
		 clock_read_us(CLOCK_MONOTONIC), (void *)child);
	add_variable(&variables, child->mark);
	add_variable(&variables, NULL);
	return variables;
}

/* Start the command. Return 0 or an errno. */
static int spawn(struct child *child, const struct child_command *command,
		 int input)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct buffer clean = {0};
	struct variables variables = list_variables(child, command, &clean);
	int failed;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	failed = set_files(&actions, input) | set_attributes(&attributes);
	if (failed == 0)
		failed = posix_spawn(&child->pid, command->words[0], &actions,
				     &attributes, command->words,
				     variables.items);
	free(variables.items);
	buffer_free(&clean);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

enum child_state child_fail(struct child *child, int number)
{
	snprintf(child->message, sizeof(child->message), "cannot run: %s",
		 strerrordesc_np(number));
	return CHILD_FAILED;
}

int child_spawn(struct child *child_out, const struct child_command *command)
{
	int input = child_open_input(command->input);
	int failed;

	*child_out =
		(struct child){.file = -1, .deadline_ms = command->deadline_ms};
	if (input < 0)
		return errno;
	failed = spawn(child_out, command, input);
	close(input);
	if (failed == 0)
		child_out->file = pidfd_open(child_out->pid, 0);
	return failed;
}

enum child_state child_start(struct child *child_out,
			     const struct child_command *command)
{
	int failed = child_spawn(child_out, command);

	return failed == 0 ? CHILD_RUNS : child_fail(child_out, failed);
}

void child_release(struct child *child)
{
	if (child->file >= 0)
		close(child->file);
	child->file = -1;
	child->pid = 0;
}

int child_await(pid_t pid, uint32_t timeout_ms, int *status_out)
{
	uint64_t end_ms = clock_steady_ms() + timeout_ms;
	struct timespec pause = {.tv_nsec = FIRST_NAP_NS};
	pid_t ended;

	for (;;) {
		ended = waitpid(pid, status_out, WNOHANG);
		if (ended > 0)
			return 0;
		if (ended < 0 && errno != EINTR)
			return errno;
		if (clock_steady_ms() >= end_ms)
			return ETIMEDOUT;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < MAX_NAP_NS)
			pause.tv_nsec *= 2;
	}
}

void child_kill(struct child *child)
{
	int status;

	descendants_kill(child->pid, child->mark);
	kill(-child->pid, SIGKILL);
	child_await(child->pid, CHILD_KILL_MS, &status);
	child_release(child);
}

int child_wait(struct child *child)
{
	int status = 0;
	pid_t pid = waitpid(child->pid, &status, WNOHANG);
	int failed = pid < 0 ? -errno : 0;

	if (pid == 0)
		return -EAGAIN;
	child_release(child);
	return failed != 0 ? failed : status;
}

enum child_state child_expire(struct child *child)
{
	snprintf(child->message, sizeof(child->message),
		 "took too long and was killed");
	return CHILD_FAILED;
}

enum child_state child_judge(struct child *child, int status)
{
	if (status == -EAGAIN)
		return CHILD_RUNS;
	if (status == -ECHILD)
		snprintf(child->message, sizeof(child->message),
			 "another thread has reaped it");
	else if (status < 0)
		snprintf(child->message, sizeof(child->message),
			 "it ended for an unknown reason");
	else if (!WIFEXITED(status))
		snprintf(child->message, sizeof(child->message), "signal %d",
			 WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		snprintf(child->message, sizeof(child->message),
			 "exit status %d", WEXITSTATUS(status));
	else
		return CHILD_DONE;
	return CHILD_FAILED;
}

enum child_state child_check(struct child *child, uint64_t now_ms)
{
	int status = child_wait(child);

	if (status != -EAGAIN || now_ms < child->deadline_ms)
		return child_judge(child, status);
	child_kill(child);
	return child_expire(child);
}
