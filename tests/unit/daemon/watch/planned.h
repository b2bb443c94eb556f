/*
 * tests/unit/daemon/watch/planned.h - made-up facts of a site, and what is
 * planned by them: no store is there, and no clock.
 *
 * SELF is a live template of ten pages, TARGET and SMALL are clusters of ten
 * and of two, KNOWN is another live template. The site is settled, and asked
 * once a day.
 */
#ifndef TESTS_UNIT_DAEMON_WATCH_PLANNED_H
#define TESTS_UNIT_DAEMON_WATCH_PLANNED_H

#include "daemon/watch/decide.h"

#define HOUR UINT64_C(3600000)
#define DAY  (24 * HOUR)
#define NOW  (100 * DAY)

enum { SELF = 1, TARGET, KNOWN, SMALL, CLUSTERS = 4, SAMPLE = 6 };

/* What a case departs from setup() in. */
enum setting {
	BLIND = 1,          /* no page can be fetched */
	LATE = 2,           /* asked two hours ago */
	CRAWLED = 4,        /* pages of the site are awaited */
	UNREAD = 8,         /* no version can be made */
	FEW = 16,           /* two pages remain in its cluster */
	GONE = 32,          /* its cluster is */
	ROUNDED = 64,       /* a round began after the last fetch of all */
	GROWN = 128,        /* its cluster has 40 pages */
	RECUT = 256,        /* its threshold is another one */
	EXPIRED = 512,      /* the next round is due */
	UNKNOWN = 1024,     /* its version is not stored */
	THINNED_OUT = 2048, /* four pages remain in its cluster */
};

struct planned_site {
	struct arena *arena;
	struct arena *scratch;
	struct site_facts site;
	struct template_view subjects[CLUSTERS]; /* number N is [N - 1] */
	struct template_facts facts; /* of the one that is planned */
	struct version version;
	struct sample_page_entry taken[SAMPLE];
	struct watch_plan plan;
	struct decision step; /* the last one */
};

void planned_open(struct planned_site *planned);
void planned_close(struct planned_site *planned);

/* BLIND, CRAWLED, UNREAD and UNKNOWN of the settings. */
void planned_set(struct planned_site *planned, unsigned setting);

/* Begin the plan with the current facts. */
void planned_begin(struct planned_site *planned);

/* Run the step of SELF with the votes, and pass it the data that it
 * requests. */
void planned_vote(struct planned_site *planned, const struct votes *votes);

/* The step of TARGET, in the same way. */
void planned_target(struct planned_site *planned);

#endif
