/* Commands that the spawner runs: its children, by process id. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/privsep/starter.h"
#include "daemon/runtime/child.h"

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
	*child = commands->items[--commands->count];
}

bool spawner_commands_have(const struct spawner_commands *commands, int64_t pid)
{
	return spawner_command_find(commands, pid) != NULL;
}

/*
 * Copy the texts to `copy` and point to each; NULL follows the last pointer.
 * Return false if there are too many, or one has no NUL.
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

int64_t spawner_commands_run(struct spawner_commands *commands,
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

int64_t spawner_commands_check(struct spawner_commands *commands, int64_t pid)
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

int64_t spawner_commands_kill(struct spawner_commands *commands, int64_t pid)
{
	struct child *child = spawner_command_find(commands, pid);

	if (child == NULL)
		return -ECHILD;
	child_kill(child);
	spawner_command_remove(commands, child);
	return 0;
}

void spawner_commands_release(struct spawner_commands *commands)
{
	for (size_t i = 0; i < commands->count; i++)
		child_release(&commands->items[i]);
	free(commands->items);
}
