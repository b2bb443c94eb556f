#include "daemon/privsep/spawner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/child.h"
#include "store/row_codec.h"

const struct row_codec spawner_number_layout =
	MESSAGE_PLAIN(spawner_number, number);

const struct row_codec spawner_command_layout = {
	.slices = offsetof(struct spawner_command, words),
	.slice_count = 2,
	.size = sizeof(struct spawner_command),
};

const struct row_codec role_init_layout =
	MESSAGE_PLAIN(role_init, memory_bytes);

const struct row_codec role_ready_layout =
	MESSAGE_PLAIN(role_ready, has_failed);

enum {
	COMMAND_UMASK = 0027,
	REAP_MS = 200, /* between two checks for ended browsers */
};

void process_execute(enum role role, int socket, char *const *environment)
{
	char name[16];
	char program[] = "templated";
	char option[] = "--role";
	char *const words[] = {program, option, name, NULL};

	snprintf(name, sizeof(name), "%s", role_name(role));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(socket, ROLE_SOCKET) != ROLE_SOCKET)
		_exit(EXIT_FAILURE);
	close_range(ROLE_SOCKET + 1, ~0U, 0);
	if (socket == ROLE_SOCKET) /* dup2() has not cleared FD_CLOEXEC */
		fcntl(ROLE_SOCKET, F_SETFD, 0);
	execve("/proc/self/exe", words, environment);
	_exit(EXIT_FAILURE);
}

/*
 * In the new process: redirect its standard input and output to /dev/null, and
 * execute the role.
 */
static void spawner_execute_role(enum role role, int socket)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	process_execute(role, socket, environ);
}

/*
 * Start a process; return its process id, or a negative errno. *socket_out gets
 * the other end of its channel.
 */
static int64_t spawner_start_role(int64_t role, int *socket_out)
{
	int ends[2];
	pid_t pid;

	if (channel_pair(ends) != ERR_NONE)
		return -errno;
	pid = fork();
	if (pid == 0)
		spawner_execute_role((enum role)role, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -errno;
	}
	*socket_out = ends[0];
	return pid;
}

/*
 * Kill and reap a process. Return its status as of waitpid(), or a negative
 * errno: -ETIMEDOUT if it was killed but still exists.
 */
static int64_t spawner_end_process(int64_t pid)
{
	int status = 0;
	int failed;
	pid_t ended;

	if (pid <= 0 || pid > INT32_MAX)
		return -EINVAL;
	ended = waitpid((pid_t)pid, &status, WNOHANG);
	if (ended > 0)
		return status;
	/* kill only child processes */
	if (ended < 0 || kill((pid_t)pid, SIGKILL) != 0)
		return -errno;
	failed = child_await((pid_t)pid, CHILD_KILL_MS, &status);
	return failed != 0 ? -failed : status;
}

/*
 * The commands that the spawner runs. They are its child processes, identified
 * by their process ids.
 */

struct spawner_commands {
	enum role starter;   /* ROLE_SPAWNER, or ROLE_LAUNCHER: no commands */
	struct child *items; /* [count] */
	size_t count;
	size_t capacity;
	size_t roles; /* processes that were started and not ended */
};

static struct child *
spawner_command_find(const struct spawner_commands *commands, int64_t pid)
{
	for (size_t i = 0; i < commands->count; i++)
		if (commands->items[i].pid == pid)
			return &commands->items[i];
	return NULL;
}

static void spawner_command_remove(struct spawner_commands *commands,
				   struct child *child)
{
	assert(commands->items != NULL && commands->count > 0);
	*child = commands->items[--commands->count];
}

/*
 * Copy the texts to `copy`, and write a pointer to each of them, and NULL at
 * the end, to words_out. Return false if there are too many texts or the last
 * one has no NUL.
 */
static bool spawner_command_split(struct slice texts, struct buffer *copy,
				  char *words_out[SPAWNER_MAX_WORDS + 1])
{
	size_t count = 0;

	buffer_append_slice(copy, texts);
	if (copy->size > 0 && copy->data[copy->size - 1] != '\0')
		return false;
	for (size_t at = 0; at < copy->size;
	     at += strlen(copy->data + at) + 1) {
		if (count == SPAWNER_MAX_WORDS)
			return false;
		words_out[count++] = copy->data + at;
	}
	words_out[count] = NULL;
	return true;
}

static int64_t spawner_command_start(struct spawner_commands *commands,
				     const struct child_command *command)
{
	struct child child;
	int failed = child_spawn(&child, command);

	if (failed != 0)
		return -failed;
	commands->items =
		mem_grow(commands->items, commands->count, &commands->capacity,
			 sizeof(*commands->items));
	commands->items[commands->count++] = child;
	return child.pid;
}

static int64_t spawner_commands_run(struct spawner_commands *commands,
				    const struct channel_frame *frame)
{
	char *words[SPAWNER_MAX_WORDS + 1];
	char *environment[SPAWNER_MAX_WORDS + 1];
	struct buffer copies[2] = {{0}, {0}};
	struct spawner_command row;
	int64_t number = -EINVAL;

	if (commands->count == SPAWNER_MAX_COMMANDS)
		return -EAGAIN;
	if (row_codec_decode(&spawner_command_layout, frame->head, &row) &&
	    row.words.size > 0 &&
	    spawner_command_split(row.words, &copies[0], words) &&
	    spawner_command_split(row.environment, &copies[1], environment))
		number = spawner_command_start(
			commands, &(struct child_command){
					  .words = words,
					  .environment = environment,
					  .input = frame->body,
				  });
	buffer_free(&copies[0]);
	buffer_free(&copies[1]);
	return number;
}

static int64_t spawner_commands_check(struct spawner_commands *commands,
				      int64_t pid)
{
	struct child *child = spawner_command_find(commands, pid);
	int status;

	if (child == NULL)
		return -ECHILD;
	status = child_wait(child);
	if (status != -EAGAIN)
		spawner_command_remove(commands, child);
	return status;
}

static int64_t spawner_commands_kill(struct spawner_commands *commands,
				     int64_t pid)
{
	struct child *child = spawner_command_find(commands, pid);

	if (child == NULL)
		return -ECHILD;
	child_kill(child);
	spawner_command_remove(commands, child);
	return 0;
}

static bool spawner_send_response(const struct channel *channel, int64_t number,
				  int file)
{
	const struct spawner_number row = {number};

	return channel_send_row(channel, SPAWNER_DONE, &spawner_number_layout,
				&row, file) == ERR_NONE;
}

/* Read the rules, which the main process sends first. */
static bool read_rules(struct channel *channel, bool *allows_commands_out)
{
	struct spawner_number rules = {0};
	struct channel_frame frame;
	bool is_read =
		channel_receive(channel, -1, &frame) == ERR_NONE &&
		frame.kind == SPAWNER_RULES &&
		row_codec_decode(&spawner_number_layout, frame.head, &rules);

	frame_free(&frame);
	*allows_commands_out = rules.number == 1;
	return is_read;
}

/* Return whether the spawner or the launcher starts the role. */
static bool spawner_may_start(enum role starter, int64_t role)
{
	if (starter == ROLE_LAUNCHER)
		return role == ROLE_RENDERER;
	return role == ROLE_FETCHER || role == ROLE_WORKER ||
	       role == ROLE_NOTIFIER;
}

/* Execute a request whose argument is a number. */
static bool serve_number(struct spawner_commands *commands,
			 const struct channel_frame *frame, int64_t *number_out,
			 int *socket_out)
{
	struct spawner_number row;

	if (!row_codec_decode(&spawner_number_layout, frame->head, &row))
		return false;
	if (frame->kind == SPAWNER_START) {
		*number_out =
			spawner_may_start(commands->starter, row.number)
				? spawner_start_role(row.number, socket_out)
				: -EINVAL;
		commands->roles += *number_out > 0;
	} else if (frame->kind == SPAWNER_CHECK)
		*number_out = spawner_commands_check(commands, row.number);
	else if (frame->kind == SPAWNER_KILL)
		*number_out = spawner_commands_kill(commands, row.number);
	else if (frame->kind != SPAWNER_END)
		return false;
	else if (spawner_command_find(commands, row.number) != NULL)
		*number_out = -EINVAL;
	else {
		*number_out = spawner_end_process(row.number);
		commands->roles -= commands->roles > 0 && *number_out >= 0;
	}
	return true;
}

/*
 * Execute a request and send the response. Return false if the request is
 * invalid or the main process has exited.
 */
static bool spawner_serve(const struct channel *channel,
			  const struct channel_frame *frame,
			  bool allows_commands,
			  struct spawner_commands *commands)
{
	int64_t number = -EPERM;
	int socket = -1;
	bool is_answered;

	if (frame->kind == SPAWNER_RUN) {
		if (allows_commands)
			number = spawner_commands_run(commands, frame);
	} else if (!serve_number(commands, frame, &number, &socket)) {
		return false;
	}
	is_answered = spawner_send_response(channel, number, socket);
	if (socket >= 0)
		close(socket);
	return is_answered;
}

/*
 * Reap the browsers of renderers that have ended, which are children of the
 * launcher then. Return the time until the next look; -1 = no process is left.
 * A renderer is reaped by its number, so wait until all have ended.
 */
static int launcher_reap(const struct spawner_commands *commands)
{
	pid_t ended = 1;

	if (commands->starter != ROLE_LAUNCHER || commands->roles > 0)
		return -1;
	while (ended > 0)
		ended = waitpid(-1, NULL, WNOHANG);
	return ended == 0 ? REAP_MS : -1;
}

static void spawner_run(enum role starter, int socket)
{
	struct channel channel = channel_of(socket, SPAWNER_MAX_INPUT);
	struct spawner_commands commands = {.starter = starter};
	struct channel_frame frame;
	bool allows_commands;
	bool goes_on = read_rules(&channel, &allows_commands);

	umask(COMMAND_UMASK);
	if (starter == ROLE_LAUNCHER)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (goes_on) {
		enum error error = channel_receive(
			&channel, launcher_reap(&commands), &frame);

		goes_on = error == ERR_TIMEOUT ||
			  (error == ERR_NONE &&
			   spawner_serve(&channel, &frame,
					 allows_commands &&
						 starter == ROLE_SPAWNER,
					 &commands));
		frame_free(&frame);
	}
	for (size_t i = 0; i < commands.count; i++)
		child_release(&commands.items[i]); /* the command continues
						      to run */
	free(commands.items);
	channel_close(&channel);
}

void spawner_main(int socket)
{
	spawner_run(ROLE_SPAWNER, socket);
}

void launcher_main(int socket)
{
	spawner_run(ROLE_LAUNCHER, socket);
}

/* The main function of a program that was executed again for a role. */

enum { MAX_HELLO_BODY = 1 };

static enum error get_hello(struct channel *channel,
			    struct channel_frame *frame,
			    struct role_init *hello)
{
	enum error error = channel_receive(channel, -1, frame);

	if (error == ERR_NONE &&
	    (frame->kind != ROLE_INIT ||
	     !row_codec_decode(&role_init_layout, frame->head, hello)))
		error = ERR_MALFORMED;
	return error;
}

/* Return the size of the address space in use, with libraries. */
static uint64_t process_used_bytes(void)
{
	struct buffer text = {0};
	uint64_t pages = 0;

	if (file_read("/proc/self/statm", 4096, &text) == ERR_NONE)
		pages = strtoull(text.data, NULL, 10);
	buffer_free(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Send the enforced and missing layers to the main process, or that entering
 * the sandbox has failed. Return `error`, or ERR_STOPPED if the main process
 * has exited.
 */
static enum error send_ready(const struct channel *channel,
			     const struct sandbox_report *report,
			     enum error error)
{
	const struct role_ready ready = {report->holds, report->lacks,
					 error != ERR_NONE};

	return channel_send_row(channel, ROLE_READY, &role_ready_layout, &ready,
				-1) == ERR_NONE
		       ? error
		       : ERR_STOPPED;
}

/*
 * Enter the sandbox, and send the enforced layers. The options come in the
 * first frame; the spawner and the launcher get none.
 */
static enum error process_enter_sandbox(enum role role, struct channel *channel)
{
	struct sandbox_report report = {0};
	struct role_init hello = {0};
	struct channel_frame frame = {.file = -1};
	enum error error = role == ROLE_SPAWNER || role == ROLE_LAUNCHER
				   ? ERR_NONE
				   : get_hello(channel, &frame, &hello);

	if (error == ERR_NONE)
		error = sandbox_enter(
			&(struct sandbox_options){
				.role = role,
				.memory_bytes =
					hello.memory_bytes == 0
						? 0
						: hello.memory_bytes +
							  process_used_bytes()},
			&report);
	frame_free(&frame);
	if (error == ERR_STOPPED || error == ERR_MALFORMED)
		return error;
	return send_ready(channel, &report, error);
}

int process_main(const char *name, const struct role_program *programs)
{
	static const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP,
				      SIGXFSZ};
	struct channel channel = channel_of(ROLE_SOCKET, MAX_HELLO_BODY);
	enum role role = ROLE_MAIN;

	while (role < ROLE_COUNT && strcmp(name, role_name(role)) != 0)
		role++;
	if (role == ROLE_COUNT || programs[role].main == NULL)
		return EXIT_FAILURE;
	/*
	 * A service manager or a terminal may signal all processes; ignore
	 * this, because the main process stops the others when it no longer
	 * needs them. Ignore SIGXFSZ, so that a write over the file size limit
	 * fails with an error.
	 */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (programs[role].prepare != NULL)
		programs[role].prepare();
	if (process_enter_sandbox(role, &channel) != ERR_NONE)
		return EXIT_FAILURE;
	free(channel.room);
	programs[role].main(ROLE_SOCKET);
	return EXIT_SUCCESS;
}
