/* A template that goes on, and what is concluded of one that may not. */
#include "daemon/watch/inspection_decision.h"

enum {
	GROWN = 2, /* so many times its pages, and a version is made anew */
	GROWN_BY = 8,
	PERMILLE = 1000,
	MOST = 660, /* permille of a sample */
};

/*
 * A version says what the pages are like that were there: make it anew when
 * there are many more, or when the cut was moved, so that some are another
 * template's by now.
 */
static enum error refresh(struct examination *examination, bool is_forced)
{
	struct inspector *inspector = examination->inspector;
	const struct subject *subject = examination->subject;
	struct txn txn = txn_begin_read(inspector->store);
	struct template_finding *found;
	struct version_row row;
	struct taken taken;
	bool is_known =
		version_row_get(&txn, inspector->site.id, subject->cluster,
				subject->row.version, &row);
	bool is_due =
		is_known && subject->has_cluster && inspector->is_settled &&
		(is_forced ||
		 subject->row.threshold != inspector->site.options.threshold ||
		 ((subject->row.flags & TEMPLATE_IS_PARTIAL) != 0 &&
		  subject->row.round_ms > row.first_ms) ||
		 subject->cluster_row.page_count >=
			 GROWN * row.page_count + GROWN_BY);
	uint64_t first_ms = row.first_ms;
	enum error error = txn.error;

	txn_abort(&txn);
	if (error != ERR_NONE || !is_due)
		return error;
	error = take_version(inspector, subject->cluster, 0, &taken);
	if (error != ERR_NONE || taken.version == NULL)
		return error;
	examination_settle(inspector, &examination->row);
	found = examination_find(examination);
	find_version(inspector, &taken, first_ms, found);
	return ERR_NONE;
}

/* Other pages take the places of those that are gone from a template that goes
 * on. */
static enum error mend(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	struct template_finding *found;
	struct taken taken;
	enum error error = take_version(
		inspector, examination->subject->cluster, 0, &taken);

	if (error != ERR_NONE || taken.version == NULL)
		return error;
	sample_mend(inspector, &examination->sample, &taken);
	found = examination_find(examination);
	found->has_sample = true;
	found->sample = taken.sample;
	found->sample_count = taken.sample_count;
	return ERR_NONE;
}

static bool is_template(const struct inspector *inspector, uint32_t cluster)
{
	const struct subject *subject = inspector_subject(inspector, cluster);

	return subject != NULL && subject->has_cluster &&
	       subject->cluster_row.page_count >= inspector->rules->min_pages;
}

/* Its pages are those of `other` now: because they have changed, or because the
 * linkage calls them so. */
static enum error end_in(struct examination *examination, uint32_t other,
			 bool has_moved)
{
	return examination_end(
		examination,
		&(struct ending){TEMPLATE_REPLACED, EVENT_TEMPLATE_REPLACED,
				 other, has_moved ? "replaced" : "renumbered",
				 NULL, has_moved});
}

/* Most of the pages are elsewhere: have these changed, all in the same way? */
static bool has_left(const struct examination *examination)
{
	const struct sample *sample = &examination->sample;
	struct change_rules rules = change_rules_default;
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];
	struct detection detection;

	rules.agreement = MOST;
	for (uint32_t i = 0; i < sample->count; i++)
		observed_pages[i] = sample->pages[i].observed;
	detect_change(examination->inspector->scratch,
		      examination->subject->cluster, observed_pages,
		      sample->count, &rules, &detection);
	return detection.kind == DECISION_REPLACED;
}

/* A part of it is elsewhere. In the middle of a redesign that is so, too: it is
 * emitted when it is still so a round later. */
static enum error divide(struct examination *examination)
{
	const struct inspector *inspector = examination->inspector;
	struct template_row *row = &examination->row;
	uint32_t other = main_destination(examination);
	bool is_still = (row->flags & TEMPLATE_IS_DIVIDED) != 0 &&
			examination->disagreed <= row->asked_for;

	if (examination->detection.agreed < examination->elsewhere)
		examination->detection.agreed = examination->elsewhere;
	if ((is_still || !inspector_can_ask(inspector)) &&
	    is_template(inspector, other)) {
		if (is_template(inspector, examination->subject->cluster))
			return examination_change(examination,
						  EVENT_TEMPLATE_SPLIT);
		/* too few stayed to be one */
		return end_in(examination, other, has_left(examination));
	}
	row->asked_for = examination->disagreed;
	row->flags &= (uint16_t)~TEMPLATE_IS_ASKING;
	row->flags |= TEMPLATE_IS_DIVIDED;
	examination->is_changed |=
		row->asked_for != examination->subject->row.asked_for ||
		row->flags != examination->subject->row.flags;
	examination->is_open = false;
	return ERR_NONE;
}

/*
 * Everybody was asked, and it goes on. When half of the pages have moved, but
 * not so far that it is told, they are what it is by now: or they would hide
 * what comes.
 */
static enum error close_inquiry(struct examination *examination)
{
	struct template_row *row = &examination->row;

	if (2 * examination->elsewhere >= examination->sample.count &&
	    examination->detection.kind == DECISION_SAME)
		return divide(examination);
	row->asked_for = examination->disagreed;
	row->flags &= (uint16_t) ~(TEMPLATE_IS_DOUBTED | TEMPLATE_IS_DIVIDED |
				   TEMPLATE_IS_ASKING);
	examination->is_changed = true;
	if (!examination->subject->has_cluster)
		return ERR_NONE;
	if (2 * examination->disagreed >= examination->sample.count &&
	    examination->detection.kind == DECISION_SAME)
		return refresh(examination, true);
	return examination->gone > 0 ? mend(examination) : ERR_NONE;
}

enum error examination_stay(struct examination *examination)
{
	struct template_row *row = &examination->row;
	uint64_t seen_ms = row->seen_ms;

	for (uint32_t i = 0; i < examination->sample.count; i++) {
		const struct sample_page *page = &examination->sample.pages[i];

		if (is_as_it_was(page) && page->fetched_ms > seen_ms)
			seen_ms = page->fetched_ms;
	}
	examination->is_changed |= seen_ms != row->seen_ms;
	row->seen_ms = seen_ms;
	if (examination->is_open)
		return close_inquiry(examination);
	if (row->asked_for > examination->disagreed) {
		row->asked_for = examination->disagreed;
		examination->is_changed = true;
	}
	return examination->disagreed == 0 ? refresh(examination, false)
					   : ERR_NONE;
}

/*
 * Its pages are another cluster's, and nearly as they were. When that is no
 * template yet, they have it for themselves: then it is what they have changed
 * to, or, when they have not, what the linkage calls them now.
 */
static enum error join(struct examination *examination, uint32_t other)
{
	const struct subject *into =
		inspector_subject(examination->inspector, other);
	const struct detection *detection = &examination->detection;
	bool is_known = into != NULL && into->has_row &&
			into->row.state == TEMPLATE_LIVE;
	const struct change_rules *rules = &change_rules_default;
	bool has_moved =
		detection->paths_moved * PERMILLE > rules->path_ratio ||
		detection->fragments_moved * PERMILLE > rules->fragment_ratio;

	if (is_known)
		return examination_end(
			examination,
			&(struct ending){TEMPLATE_MERGED, EVENT_TEMPLATE_MERGED,
					 other, "merged", NULL, true});
	return end_in(examination, other, has_moved);
}

enum error examination_conclude(struct examination *examination)
{
	enum decision_kind kind = examination->detection.kind;
	uint32_t other = main_destination(examination);

	/* the linkage moves pages to and fro while others come, and while its
	 * threshold is chosen */
	if ((kind == DECISION_MERGED || kind == DECISION_SPLIT) &&
	    !examination->inspector->is_settled && !examination->is_late)
		return ERR_NONE;
	switch (kind) {
	case DECISION_CHANGED:
		return examination_change(examination, EVENT_TEMPLATE_CHANGED);
	case DECISION_SPLIT:
		return divide(examination);
	case DECISION_REPLACED:
		return examination_end(examination,
				       &(struct ending){TEMPLATE_REPLACED,
							EVENT_TEMPLATE_REPLACED,
							other, "replaced", NULL,
							true});
	case DECISION_MERGED:
		return join(examination, other);
	case DECISION_VANISHED:
		return examination_vanish(examination);
	default:
		return examination_stay(examination);
	}
}
