/*
 * daemon/watch/inspection_decision.h - a known template while it is inspected,
 * and what follows from what its sample says. Internal to inspection_*.c.
 */
#ifndef DAEMON_WATCH_INSPECTION_DECISION_H
#define DAEMON_WATCH_INSPECTION_DECISION_H

#include "daemon/watch/inspection_parts.h"

/* One template under inspection. */
struct examination {
	struct inspector *inspector;
	struct subject *subject;
	struct template_row row; /* as it will be */
	struct sample sample;
	struct detection detection;
	uint32_t unseen;
	uint32_t gone;
	uint32_t elsewhere; /* in another cluster */
	uint32_t disagreed; /* pages that are not what they were, or not where
			       they were */
	bool is_changed;    /* the row must be written */
	bool is_open;       /* all of the sample were asked, and it was not
			       concluded from that yet */
	bool is_late;       /* so long ago that nobody is waited for */
	bool follows_split; /* pages that are where a part went say nothing */
};

/* A page, and none that has another form than it had. */
static inline bool is_as_it_was(const struct sample_page *page)
{
	return page->observed.observation == OBSERVED_UNSEEN ||
	       (page->observed.observation == OBSERVED_PAGE &&
		!page->has_other_paths);
}

/* Where most pages went that are elsewhere; 0: nowhere. */
uint32_t main_destination(const struct examination *examination);

/* The row as it will be is found. */
struct template_finding *examination_find(struct examination *examination);

/* It has a new sample, of which nothing is known but that it is there. */
void examination_settle(const struct inspector *inspector,
			struct template_row *row);

/* inspection_end.c: what is told, and what ends. */

/* It goes on, with another version. */
enum error examination_change(struct examination *examination,
			      enum event_kind kind);

struct ending {
	enum template_state state;
	enum event_kind kind;
	uint32_t other;
	const char *lineage;
	const char *reason;
	bool is_told;
};

/* It ends here; its row and its versions are kept. */
enum error examination_end(struct examination *examination,
			   const struct ending *ending);

/* The cut was moved, and with it all pages of the template. */
enum error examination_end_by_recut(struct examination *examination);

/* A whole sample is gone. */
enum error examination_vanish(struct examination *examination);

/* inspection_stay.c: what goes on. */

/* It is as it was: when was that seen? */
enum error examination_stay(struct examination *examination);

/* Everybody who can be asked has answered: what is it? */
enum error examination_conclude(struct examination *examination);

#endif
