/*
 * daemon/privsep/remote_site.h - a site_view (template/site_view.h) of a site
 * that the main process owns.
 */
#ifndef DAEMON_PRIVSEP_REMOTE_SITE_H
#define DAEMON_PRIVSEP_REMOTE_SITE_H

#include "daemon/privsep/task.h"
#include "template/extraction.h"
#include "template/site_view.h"

struct arena;
struct learned_cache;

/* The site's data about the stored page of the task, sent with the task. */
struct told_page {
	bool is_there; /* false: request it from the main process */
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
	struct arena *arena; /* for copied texts */
	struct learned_cache *learned;
	const struct page_limits *limits;
	uint64_t site; /* identifies the site; 0 = no site */
	struct told_page told;
};

/* Set the source of the view; the caller sets its other fields. */
void remote_site_init(struct remote_site *site);

/* A model_loader; its context is the task. */
enum error remote_model_load(void *context, const struct answer_rules *rules,
			     const struct text_request *request,
			     struct ridge_model **model_out,
			     struct text_answer *answer);

#endif
