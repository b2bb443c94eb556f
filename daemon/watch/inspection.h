/*
 * daemon/watch/inspection.h - a look at the templates of a site, as its pages
 * stand in the store: which are new, which are as they were, which have
 * changed, and which pages must be asked to know.
 *
 *   inspection_facts.h      what is stored becomes plain facts
 *   inspection_votes.h      what the sample pages of a template say together
 *   inspection_state.h      the machine: states, signals, what follows
 *   inspection_plan.h       facts become a plan: pure
 *   inspection_apply.h      the plan becomes findings, that are committed at
 *                           once (daemon/engine/findings.h)
 *
 * It keeps no state, and finds nothing twice: once its findings are committed,
 * the same pages give none.
 *
 * A template has up to MAX_TEMPLATE_SAMPLE sample pages with what they were
 * when its newest version was taken (TABLE_SAMPLE_PAGES). Each round asks a few
 * of them. When one is not as it was, all of them are asked, and then
 * template/change_detector.h decides; so a site is watched at the price of a
 * few conditional requests, and an event stands on k of n fresh visits.
 */
#ifndef DAEMON_WATCH_INSPECTION_H
#define DAEMON_WATCH_INSPECTION_H

#include <stdint.h>

#include "daemon/engine/engine.h"
#include "daemon/engine/findings.h"
#include "page/page.h"
#include "store/error.h"
#include "store/store.h"

struct arena;

struct inspection_rules {
	struct page_limits limits;
	struct pool *pool;  /* of those who parse; NULL: we do it */
	uint32_t min_pages; /* a smaller cluster is no template */
	uint64_t stale_ms;  /* 0: no site is stale */
};

/* Begin with inspection_make(); end with inspection_free(). */
struct inspection {
	struct arena *arena; /* owns everything */
	uint32_t site;       /* its number */
	char *seed;          /* a URL of it */
	struct findings findings;
	uint64_t next_ms; /* to be made again then, without news, too;
			     UINT64_MAX: no */
};

/* ERR_NOT_FOUND, and those of a transaction; *inspection_out is empty then. */
enum error inspection_make(struct store *store, const char *host,
			   const struct inspection_rules *rules,
			   uint64_t now_ms, struct inspection *inspection_out);
void inspection_free(struct inspection *inspection);

/* Is there anything to be committed? */
bool inspection_has_findings(const struct inspection *inspection);

#endif
