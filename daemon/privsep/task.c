#include "daemon/privsep/task.h"

#include "daemon/privsep/task_parts.h"

void message_free(struct message *message)
{
	buffer_free(&message->head);
	buffer_free(&message->body);
}

enum error task_run(struct task *task, struct message *answer)
{
	static task_function *const functions[TASK_KINDS] = {
		[TASK_ANALYSE] = analyse_task,
		[TASK_GUARD] = guard_task,
		[TASK_XPATH] = xpath_task,
		[TASK_TEXT] = text_task,
		[TASK_VERSION] = version_task,
		[TASK_FRAGMENTS] = fragments_task,
		[TASK_TREE] = tree_task,
		[TASK_ARCHIVE] = archive_task,
	};

	*answer = (struct message){0};
	if ((unsigned)task->kind >= TASK_KINDS || functions[task->kind] == NULL)
		return ERR_MALFORMED;
	return functions[task->kind](task, answer);
}

bool task_send_request(struct task *task, const struct task_request *inquiry,
		       struct message *answer)
{
	*answer = (struct message){0};
	if (task->has_stopped || task->serve == NULL)
		return false;
	task->has_stopped = !task->serve(task->serve_context, inquiry, answer);
	return !task->has_stopped;
}
