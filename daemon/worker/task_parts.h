/* daemon/worker/task_parts.h - the functions of the tasks, and what a worker
 * keeps. Internal to daemon/worker. */
#ifndef DAEMON_WORKER_TASK_PARTS_H
#define DAEMON_WORKER_TASK_PARTS_H

#include "daemon/worker/task.h"

typedef enum error task_function(struct task *task, struct message *answer);

task_function analyse_task;
task_function guard_task;

struct packer;

/* What saves time from task to task; each is made when it is first needed. */
struct worker {
	struct packer *packer; /* its tables are as large as a page's tree */
};

/* The one of the task, or one that is thrown away with it. */
struct packer *worker_packer(struct worker *worker);

#endif
