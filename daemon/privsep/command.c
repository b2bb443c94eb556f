#include "daemon/privsep/command.h"

#include <errno.h>
#include <string.h>
#include <sys/pidfd.h>

#include "base/buffer.h"
#include "daemon/privsep/starter.h"

/* Join the texts, each with its NUL. */
static struct buffer command_join_texts(char *const *texts)
{
	struct buffer joined = {0};

	for (size_t i = 0; texts[i] != NULL; i++)
		buffer_append(&joined, texts[i], strlen(texts[i]) + 1);
	return joined;
}

/* Return the process id of the command, or a negative errno. */
static int64_t command_request_run(struct spawner *starter,
				   const struct child_command *command)
{
	struct buffer words = command_join_texts(command->words);
	struct buffer environment = command_join_texts(command->environment);
	const struct spawner_command row = {buffer_slice(&words),
					    buffer_slice(&environment)};
	struct buffer head = row_codec_encode(&spawner_command_layout, &row);
	int64_t number = -E2BIG;

	if (head.size <= FRAME_MAX_HEAD &&
	    command->input.size <= SPAWNER_MAX_INPUT &&
	    spawner_request(starter,
			    &(struct frame_parts){.kind = SPAWNER_RUN,
						  .head = buffer_slice(&head),
						  .body = command->input,
						  .file = -1},
			    &number, NULL) != ERR_NONE)
		number = -EIO;
	buffer_free(&head);
	buffer_free(&environment);
	buffer_free(&words);
	return number;
}

enum child_state command_start(struct spawner *starter, struct child *child_out,
			       const struct child_command *command)
{
	int64_t number;

	if (starter == NULL)
		return child_start(child_out, command);
	*child_out =
		(struct child){.file = -1, .deadline_ms = command->deadline_ms};
	number = command_request_run(starter, command);
	if (number <= 0)
		return child_fail(child_out, number == 0 ? EIO : (int)-number);
	child_out->pid = (pid_t)number;
	/*
	 * The spawner reaps the process only on request, so the process id is
	 * still valid.
	 */
	child_out->file = pidfd_open(child_out->pid, 0);
	return CHILD_RUNS;
}

void command_kill(struct spawner *starter, struct child *child)
{
	int64_t number;

	if (starter == NULL) {
		child_kill(child);
		return;
	}
	/* Without the spawner, nothing can be done. */
	(void)spawner_request_number(starter, SPAWNER_KILL, child->pid, &number,
				     NULL);
	child_release(child);
}

enum child_state command_check(struct spawner *starter, struct child *child,
			       uint64_t now_ms)
{
	int64_t status;

	if (starter == NULL)
		return child_check(child, now_ms);
	if (spawner_request_number(starter, SPAWNER_CHECK, child->pid, &status,
				   NULL) != ERR_NONE)
		status = -EIO;
	if (status == -EAGAIN && now_ms < child->deadline_ms)
		return CHILD_RUNS;
	if (status == -EAGAIN) {
		command_kill(starter, child);
		return child_expire(child);
	}
	child_release(child);
	return child_judge(child, (int)status);
}
