/*
 * daemon/privsep/worker_process.h - a site_view (template/extraction.h) of a
 * site that the main process owns.
 */
#ifndef DAEMON_PRIVSEP_WORKER_PROCESS_H
#define DAEMON_PRIVSEP_WORKER_PROCESS_H

#include "daemon/privsep/messages.h"
#include "template/extraction.h"

struct arena;
struct model_cache;
struct packer;

/* The site's data about the stored page of the task, sent with the task. */
struct page_site_data {
	bool is_there; /* false: request it from the main process */
	uint32_t cluster;
	uint32_t page_count;
	uint32_t changes; /* struct cluster_state */
	size_t count;
	const uint64_t *fragments;   /* [count], ascending */
	const uint32_t *frequencies; /* [count] */
};

struct site_client {
	struct site_view view;
	struct task *task;
	struct arena *arena; /* for copied texts */
	struct model_cache *learned;
	const struct page_limits *limits;
	uint64_t site; /* identifies the site; 0 = no site */
	struct page_site_data told;
};

/* Set the source of the view; the caller sets its other fields. */
void site_client_init(struct site_client *site);

/* A model_loader; its context is the task. */
enum error site_client_load_model(void *context,
				  const struct extraction_options *rules,
				  const struct text_request *request,
				  struct ridge_model **model_out,
				  struct extraction_result *answer);

/* The functions of the tasks, and the state of a worker. */

typedef enum error task_function(struct task *task, struct message *answer);

task_function analyse_task;
task_function guard_task;
task_function xpath_task;
task_function text_task;
task_function fragments_task;
task_function version_task;
task_function tree_task;
task_function archive_task;

/* Caches kept between tasks; each is created when needed. */
struct worker {
	struct packer *packer; /* its tables are as large as a page's tree */
	struct model_cache *learned;
};

struct packer *worker_packer(struct worker *worker);
struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes);

#endif
