/*
 * daemon/engine/render_decision.h - decide which pages of a site with "render:
 * auto" are rendered. Internal to the engine.
 *
 * A page that is empty without scripts is rendered. For all others the template
 * decides: the watcher requests one page of each template, the sample
 * (daemon/watch/render_samples.h). It is analysed without rendering, and then
 * with it. If rendering adds much text, the decision is RENDER_YES. It is
 * stored in struct render_row, in the transaction that stores the page, and all
 * pages of the template are visited again.
 *
 * Rendered pages are never in one cluster with others. So when the sample is
 * stored in another cluster, that cluster and the cluster of the template
 * exchange their numbers: HOST/N now has the rendered pages. A page that was
 * not rendered yet is recognised by its signature: the row has signatures of
 * pages that were in the template before the exchange.
 */
#ifndef DAEMON_ENGINE_RENDER_DECISION_H
#define DAEMON_ENGINE_RENDER_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/engine.h"
#include "store/rows.h"

struct job;

/* The state of the visit of a page, for these decisions. */
struct render_visit {
	struct render_finding finding; /* its record points into `record` */
	bool wants_words;    /* the worker must list the words of the page */
	bool must_render;    /* after the analysis: the page must be rendered */
	bool is_of_rendered; /* the pages of its template are rendered */
	/* the DOM is of a document at another URL, so it says nothing */
	bool has_left;
	struct buffer words; /* of the last analysis */
	/* results for the fetched page, while its DOM is analysed */
	struct buffer words_before;
	struct buffer record;
	struct buffer guarded;
	struct buffer packed;
	uint32_t body_bytes;
	char charset[32];
};

void render_visit_free(struct render_visit *visit);

/*
 * Call this before a page is analysed. Find out whether it is a sample; then
 * its words are wanted. `has_browser` is false if no page can be rendered.
 */
void render_visit_begin(struct store *store, struct job *job, bool has_browser);

/* Call this after a page was analysed that is not rendered: set must_render. */
void render_visit_choose(struct store *store, struct job *job);

/*
 * Return whether the page is a sample of a template whose pages are not
 * rendered: the fetched page can be stored.
 */
bool render_visit_is_first(const struct job *job);

/* Call this before the body of the job is replaced by the DOM. */
void render_visit_keep(struct job *job);

/*
 * Call this after the analysis of the DOM, when the body is no longer needed.
 * If the page is a sample, compare its words. If pages like this need not be
 * rendered, restore the fetched page.
 */
void render_visit_end(struct job *job);

/* The signatures in struct render_row. */

enum {
	MAX_RENDER_SIGNATURES = 8,
	MAX_RENDER_ROWS = 1000, /* of a site */
	/* maximum size of the signatures of a row; a longer one is left out */
	MAX_RENDER_SIGNATURE_BYTES = 128 << 10,
};

/*
 * Append a signature to the list, unless the list has it. If the list is full,
 * remove its first signatures.
 */
void render_signatures_add(struct buffer *list, struct signature signature);

/*
 * Remove the next signature from the list, and return it in `arena`. Return
 * false at the end of the list, and if it is damaged.
 */
bool render_signatures_next(struct slice *list, struct arena *arena,
			    struct signature *signature_out);

/* The steps of a commit. */

/* A page that was just stored, for commit_render_visit(). */
struct render_arrival {
	uint64_t page;
	const struct render_finding *finding;
	const struct record *before; /* of the stored page; NULL = none */
	uint32_t cluster_before;     /* 0 = it was in none */
	uint32_t cluster;            /* its cluster now */
	bool was_rendered;
	bool is_rendered;
};

/*
 * Store what the visit of a page says about its template. If its pages are
 * rendered from now on, or no longer, request all of them again, and give its
 * number to the cluster that this page is in now.
 */
void commit_render_visit(struct commit *batch, struct site *site,
			 const struct render_arrival *arrival);

/*
 * Return whether the pages of the template are visited again because the
 * decision has changed. What was found out about it before is not valid.
 */
bool commit_render_is_moving(struct commit *batch, const struct site *site,
			     uint32_t cluster);

/*
 * Request the visit of a sample, unless the template has ended or is not
 * decided by samples.
 */
void commit_render_request(struct commit *batch, const struct site *site,
			   const struct render_sample *request);

#endif
