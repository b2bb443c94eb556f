/*
 * daemon/engine/page_text.h - what has changed in the text of a page
 *
 * After the analysis of a page whose texts differ from those of the stored
 * page, a worker compares both (template/text_change.h). The result is an item
 * of the job's list `guarded`, so it waits with a visit that waits:
 *
 *   {"text": CHANGE, "base": hash of the content of the stored page}
 *
 * The commit stores the change, and learns what changes at each visit.
 */
#ifndef DAEMON_ENGINE_PAGE_TEXT_H
#define DAEMON_ENGINE_PAGE_TEXT_H

#include <jansson.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/rows.h"

struct analyser;
struct commit;
struct job;
struct site;

/*
 * Compare the texts of the jobs, at most GATHER_JOBS, whose pages were
 * analysed. If that fails, the pages are stored without a change of the text.
 */
void page_text_compare(const struct analyser *analysing, struct job *jobs);

/*
 * Return the change in the list `guarded` that is relative to the stored page
 * with the content hash `base`; NULL if it has none. The caller owns it.
 */
json_t *page_text_change(struct slice guarded, uint64_t base);

/*
 * Return the change as the detail of an event: without "parts" and "visits".
 * NULL if `change` is NULL.
 */
json_t *page_text_detail(const json_t *change);

/* A visit of a stored page. */
struct page_text_visit {
	uint64_t page;
	uint64_t before_ms;   /* when the page was last fetched before */
	const json_t *change; /* NULL: the text has not changed */
};

/* Store the change, or count the visit. */
void commit_page_text(struct commit *batch, const struct site *site,
		      const struct page_text_visit *visit);

#endif
