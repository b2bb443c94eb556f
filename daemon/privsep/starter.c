#include "daemon/privsep/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/privsep/process.h"
#include "daemon/privsep/process_role.h"
#include "daemon/runtime/child.h"
#include "store/row.h"

static const struct row_field number_fields[] = {FIELD(spawner_number, number)};
const struct row_codec spawner_number_layout =
	LAYOUT(spawner_number, number_fields, 0, 0);

const struct row_codec spawner_command_layout = {
	.slices = offsetof(struct spawner_command, words),
	.slice_count = 2,
	.size = sizeof(struct spawner_command),
};

static const struct row_field hello_fields[] = {FIELD(role_init, memory_bytes)};
const struct row_codec role_init_layout = LAYOUT(
	role_init, hello_fields, offsetof(struct role_init, readable), 1);

static const struct row_field ready_fields[] = {
	FIELD(role_ready, holds),
	FIELD(role_ready, lacks),
	FIELD(role_ready, has_failed),
};
const struct row_codec role_ready_layout =
	LAYOUT(role_ready, ready_fields, 0, 0);

enum { COMMAND_UMASK = 0027 };

/* Runs in the new process: execute the role. Does not return. */
static void spawner_execute_role(enum role role, int socket)
{
	char name[ROLE_BYTES];
	char program[] = "templated";
	char option[] = "--role";
	char *const words[] = {program, option, name, NULL};
	int null = open("/dev/null", O_RDWR);

	snprintf(name, sizeof(name), "%s", role_name(role));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(socket, ROLE_SOCKET) < 0)
		_exit(EXIT_FAILURE);
	close_range(ROLE_SOCKET + 1, ~0U, 0);
	if (socket == ROLE_SOCKET) /* dup2() kept FD_CLOEXEC */
		fcntl(ROLE_SOCKET, F_SETFD, 0);
	execv("/proc/self/exe", words);
	_exit(EXIT_FAILURE);
}

/* Start a role; return its process id, or a negative errno. */
static int64_t spawner_start_role(int64_t role, int *socket_out)
{
	int ends[2];
	pid_t pid;

	if (role <= ROLE_SPAWNER || role >= ROLE_COUNT)
		return -EINVAL;
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
	/* Kill only child processes. */
	if (ended < 0 || kill((pid_t)pid, SIGKILL) != 0)
		return -errno;
	failed = child_await((pid_t)pid, CHILD_KILL_MS, &status);
	return failed != 0 ? -failed : status;
}

static bool spawner_send_response(const struct channel *channel, int64_t number,
				  int file)
{
	const struct spawner_number row = {number};
	struct buffer head = row_codec_encode(&spawner_number_layout, &row);
	enum error error = channel_send(
		channel, &(struct frame_parts){.kind = SPAWNER_DONE,
					       .head = buffer_slice(&head),
					       .file = file});

	buffer_free(&head);
	return error == ERR_NONE;
}

/* Read the rules that the main process sends first. */
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

/* Execute a request whose argument is a number. */
static bool serve_number(struct spawner_commands *commands,
			 const struct channel_frame *frame, int64_t *number_out,
			 int *socket_out)
{
	struct spawner_number row;

	if (!row_codec_decode(&spawner_number_layout, frame->head, &row))
		return false;
	if (frame->kind == SPAWNER_START)
		*number_out = spawner_start_role(row.number, socket_out);
	else if (frame->kind == SPAWNER_CHECK)
		*number_out = spawner_commands_check(commands, row.number);
	else if (frame->kind == SPAWNER_KILL)
		*number_out = spawner_commands_kill(commands, row.number);
	else if (frame->kind != SPAWNER_END)
		return false;
	else if (spawner_commands_have(commands, row.number))
		*number_out = -EINVAL;
	else
		*number_out = spawner_end_process(row.number);
	return true;
}

/*
 * Execute a request. Return false if the request is invalid or the main process
 * has exited.
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

void spawner_main(int socket)
{
	struct channel channel = channel_of(socket, SPAWNER_MAX_INPUT);
	struct spawner_commands commands = {0};
	struct channel_frame frame;
	bool allows_commands;
	bool goes_on = read_rules(&channel, &allows_commands);

	umask(COMMAND_UMASK);
	while (goes_on && channel_receive(&channel, -1, &frame) == ERR_NONE) {
		goes_on = spawner_serve(&channel, &frame, allows_commands,
					&commands);
		frame_free(&frame);
	}
	spawner_commands_release(&commands);
	channel_close(&channel);
}
