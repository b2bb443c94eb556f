/*
 * daemon/privsep/worker_process.h - a worker, and the site_view
 * (template/extraction.h) through which it reads a site that the main process
 * owns.
 */
#ifndef DAEMON_PRIVSEP_WORKER_PROCESS_H
#define DAEMON_PRIVSEP_WORKER_PROCESS_H

#include "daemon/privsep/messages.h"
#include "template/extraction.h"

struct arena;
struct model_cache;

/* Data of the site about the page of the task; it was sent with the task. */
struct page_site_data {
	bool is_there; /* false = there is no such data: request it from the
			  main process */
	uint32_t cluster;
	uint32_t page_count;
	uint32_t changes; /* state of the cluster, see struct cluster_state */
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

/*
 * Set the source and the context of site->view; the caller sets the other
 * fields of the view.
 */
void site_client_init(struct site_client *site);

/*
 * Decompress the source of a page of the site, which is the frame `packed`,
 * into worker->source. The worker caches the dictionary, or requests it from
 * the main process. ERR_BUSY: the dictionary has been replaced since the frame
 * was read; errors of decompress_by().
 */
enum error site_client_unpack(struct site_client *site, uint32_t dictionary,
			      struct slice packed, uint64_t max_bytes);

/*
 * Request the model of the site from the main process; a model_loader whose
 * context is the task.
 */
enum error site_client_load_model(void *context,
				  const struct extraction_options *rules,
				  const struct text_request *request,
				  struct ridge_model **model_out,
				  struct extraction_result *answer);

/* The functions of the tasks. */

typedef enum error task_function(struct task *task, struct message *answer);

task_function analyse_task;
task_function guard_task;
task_function xpath_task;
task_function text_task;
task_function fragments_task;
task_function version_task;
task_function tree_task;
task_function fields_task;
task_function archive_task;
task_function change_task;

/*
 * A dictionary of the sources of pages. It never changes, and the site never
 * uses its number for another one.
 */
struct worker_dictionary {
	uint64_t site;   /* as in struct site_client */
	uint32_t number; /* 0 = unused */
	uint64_t used_at;
	struct buffer bytes;
};

enum { WORKER_DICTIONARIES = 8 };

/*
 * A worker: caches that are kept between tasks. Each is created when it is
 * first needed.
 */
struct worker {
	struct worker_dictionary dictionaries[WORKER_DICTIONARIES];
	uint64_t dictionary_uses;
	struct buffer source; /* the decompressed source of the page of the
				 task */
	struct model_cache *learned;
};

struct model_cache *worker_model_cache(struct worker *worker, size_t max_bytes);

#endif
