#include "daemon/runtime/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/descendants.h"

enum { MAX_ACCOUNT_BYTES = 16384 };

/* Interval of checks for a child that is about to exit. */
enum { FIRST_NAP_NS = 50 * 1000, MAX_NAP_NS = 10 * 1000 * 1000 };

/* Return a memory file with the input, so that no thread has to fill a pipe. */
static int child_open_input(struct slice input)
{
	int file = memfd_create("event", MFD_CLOEXEC);
	const char *at = input.data;
	size_t left = input.size;

	while (file >= 0 && left > 0) {
		ssize_t written = write(file, at, left);

		if (written <= 0) {
			close(file);
			return -1;
		}
		at += written;
		left -= (size_t)written;
	}
	if (file >= 0)
		lseek(file, 0, SEEK_SET);
	return file;
}

/*
 * Unblock all signals: the daemon's threads block signals, and a child would
 * inherit that.
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

/* Append the variables of a clean environment, each with its NUL. */
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

/* [count] variables, then NULL. */
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
 * Return the environment of the command, with its mark exactly once; it points
 * into `clean`.
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

/* Start the command; return 0 or an errno. */
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
