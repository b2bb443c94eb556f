/*
 * daemon/privsep/task_parts.h - the functions of the tasks, and the state of a
 * worker. Internal to daemon/worker.
 */
#ifndef DAEMON_PRIVSEP_TASK_PARTS_H
#define DAEMON_PRIVSEP_TASK_PARTS_H

#include "daemon/privsep/task.h"

typedef enum error task_function(struct task *task, struct message *answer);

task_function analyse_task;
task_function guard_task;
task_function xpath_task;
task_function text_task;
task_function fragments_task;
task_function version_task;
task_function tree_task;
task_function archive_task;

struct model_cache;
struct packer;

/* Caches kept between tasks; each is created when needed. */
struct worker {
	struct packer *packer; /* its tables are as large as a page's tree */
	struct model_cache *learned;
};

struct packer *worker_packer(struct worker *worker);
struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes);

#endif
