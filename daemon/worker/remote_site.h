/* daemon/worker/remote_site.h - the site_view (template/site_view.h) of a site
 * that the keeper has. */
#ifndef DAEMON_WORKER_REMOTE_SITE_H
#define DAEMON_WORKER_REMOTE_SITE_H

#include "daemon/worker/task.h"
#include "template/extraction.h"
#include "template/site_view.h"

struct arena;
struct learned_cache;

/* What the site says of the stored page of the task, with which it came. */
struct told_page {
	bool is_there; /* else the site has to be asked */
	uint32_t cluster;
	uint32_t page_count;
	uint32_t changes; /* struct cluster_state */
	size_t count;
	const uint64_t *fragments;   /* [count], ascending */
	const uint32_t *frequencies; /* [count] */
};

struct remote_site {
	struct site_view view;
	struct task *task;
	struct arena *arena; /* of copied texts */
	struct learned_cache *learned;
	const struct page_limits *limits;
	uint64_t site; /* tells it from others; 0: there is none */
	struct told_page told;
};

/* Set the source of the view; its other fields are the caller's to set. */
void remote_site_init(struct remote_site *site);

/* A model_loader; its context is the task. */
enum error remote_model_load(void *context, const struct answer_rules *rules,
			     const struct text_request *request,
			     struct ridge_model **model_out,
			     struct text_answer *answer);

#endif
