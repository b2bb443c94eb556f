/* Turn the votes of a template's sample pages into a signal. */
#include "daemon/watch/inspection_plan.h"

#include "store/rows_cluster.h"
#include "store/rows_template.h"

enum {
	GROWN = 2, /* build a new version when its pages have grown by this
		      factor */
	GROWN_BY = 8,
	PERMILLE = 1000,
};

/* A template and the votes about it. */
struct template_evaluation {
	const struct watch_plan *plan;
	const struct template_facts *facts;
	const struct template_view *self;
	const struct votes *votes;
	struct watch_position position;
	bool is_open;  /* all sample pages are fetched */
	bool is_asked; /* pages of the site can be fetched */
	bool is_late; /* the wait for fetches is over: ignore missing results */
	bool is_at_rest; /* the site is at rest, or it was waited for long
			    enough */
};

static bool evaluation_is_outdated(const struct template_evaluation *evaluation)
{
	const struct template_row *row = &evaluation->self->row;
	const struct template_facts *facts = evaluation->facts;

	return row->threshold != evaluation->plan->site->options.threshold ||
	       (evaluation->position.basis == BASIS_PARTIAL &&
		row->round_ms > facts->version_ms) ||
	       evaluation->self->cluster_row.page_count >=
		       GROWN * facts->version_pages + GROWN_BY;
}

/* Return whether another version can be built from the existing pages. */
static bool is_renewable(const struct template_evaluation *evaluation)
{
	return evaluation->facts->has_version_row &&
	       evaluation->self->has_cluster;
}

static bool evaluation_is_template(const struct template_evaluation *evaluation,
				   uint32_t cluster)
{
	const struct planned_template *planned =
		plan_find(evaluation->plan, cluster);

	return planned != NULL &&
	       plan_is_large(evaluation->plan, &planned->subject);
}

/*
 * A part of the template is elsewhere. That also happens during a redesign:
 * report it only if it is still so one round later.
 */
static enum watch_signal
evaluation_divided_signal(const struct template_evaluation *evaluation)
{
	const struct votes *votes = evaluation->votes;
	bool is_again = evaluation->position.state == WATCH_SPLIT_PENDING ||
			evaluation->position.state == WATCH_RECHECKING;
	bool is_still =
		is_again && votes->disagreed <= evaluation->self->row.asked_for;

	if ((!is_still && evaluation->is_asked) ||
	    !evaluation_is_template(evaluation, votes->destination))
		return SIGNAL_PARTED;
	if (plan_is_large(evaluation->plan, evaluation->self))
		return SIGNAL_SPLIT;
	/* the remaining pages are too few for a template */
	return votes->has_left ? SIGNAL_REPLACED : SIGNAL_RENUMBERED;
}

/*
 * Return whether most of its cluster is deleted. If the cluster has more pages
 * than were fetched, only the sample can show it.
 */
static bool is_depleted(const struct template_evaluation *evaluation)
{
	uint32_t before = evaluation->facts->version_pages;
	uint32_t now = evaluation->self->cluster_row.page_count;

	return evaluation->position.stage == STAGE_SAMPLE || 2 * now < before ||
	       now > FACTS_MAX_MEMBERS;
}

/* Most of the sample is deleted: other pages may still exist. */
static enum watch_signal
evaluation_lost_signal(const struct template_evaluation *evaluation)
{
	if (plan_is_large(evaluation->plan, evaluation->self))
		return is_depleted(evaluation) ? SIGNAL_DEPLETED
					       : SIGNAL_THINNED;
	return evaluation->votes->led_to != 0 ? SIGNAL_LED_AWAY
					      : SIGNAL_VANISHED;
}

/*
 * All pages were fetched, and the template continues. If half of the pages have
 * moved, but too little for an event, accept their new state: otherwise they
 * would hide later changes.
 */
static enum watch_signal
evaluation_closing_signal(const struct template_evaluation *evaluation)
{
	const struct votes *votes = evaluation->votes;
	bool is_same = votes->detection.kind == DECISION_SAME;

	if (2 * votes->gone > votes->pages)
		return evaluation_lost_signal(evaluation);
	if (is_same && 2 * votes->elsewhere >= votes->pages)
		return evaluation_divided_signal(evaluation);
	if (!evaluation->self->has_cluster)
		return SIGNAL_SAME;
	if (is_same && 2 * votes->disagreed >= votes->pages)
		return is_renewable(evaluation) ? SIGNAL_DRIFTED : SIGNAL_SAME;
	return votes->gone > 0 ? SIGNAL_THINNED : SIGNAL_SAME;
}

static enum watch_signal
evaluation_quiet_signal(const struct template_evaluation *evaluation)
{
	/* not while new pages come */
	return evaluation->votes->disagreed == 0 && is_renewable(evaluation) &&
			       plan_is_settled(evaluation->plan) &&
			       evaluation_is_outdated(evaluation)
		       ? SIGNAL_OUTDATED
		       : SIGNAL_QUIET;
}

/*
 * Its pages are in another cluster and nearly unchanged. If that cluster is not
 * a template yet, it has only these pages: the template was replaced if they
 * have changed, otherwise it only has a new number.
 */
static enum watch_signal
evaluation_merged_signal(const struct template_evaluation *evaluation)
{
	const struct change_rules *rules = &change_rules_default;
	const struct detection *detection = &evaluation->votes->detection;
	const struct planned_template *into =
		plan_find(evaluation->plan, evaluation->votes->destination);

	if (into != NULL && into->subject.has_row &&
	    into->subject.row.state == TEMPLATE_LIVE)
		return SIGNAL_MERGED;
	return detection->paths_moved * PERMILLE > rules->path_ratio ||
			       detection->fragments_moved * PERMILLE >
				       rules->fragment_ratio
		       ? SIGNAL_REPLACED
		       : SIGNAL_RENUMBERED;
}

/* All available pages were fetched. */
static enum watch_signal
evaluation_final_signal(const struct template_evaluation *evaluation)
{
	switch (evaluation->votes->detection.kind) {
	case DECISION_CHANGED:
		return SIGNAL_CHANGED;
	case DECISION_SPLIT:
		return evaluation_divided_signal(evaluation);
	case DECISION_REPLACED:
		return SIGNAL_REPLACED;
	case DECISION_MERGED:
		return evaluation_merged_signal(evaluation);
	case DECISION_VANISHED:
		return evaluation_lost_signal(evaluation);
	default:
		return evaluation->is_open
			       ? evaluation_closing_signal(evaluation)
			       : evaluation_quiet_signal(evaluation);
	}
}

/*
 * Return whether only the sample shows it and the other pages were not fetched
 * yet.
 */
static bool is_suspicion(const struct template_evaluation *evaluation,
			 enum watch_signal signal)
{
	enum watch_action action = watch_transition_of(signal)->action;

	return evaluation->position.stage == STAGE_SAMPLE &&
	       (action == ACTION_END || action == ACTION_CHANGE);
}

/* All sample pages were fetched, or the wait is over. */
static enum watch_signal
evaluation_incident_signal(const struct template_evaluation *evaluation)
{
	enum watch_signal signal = evaluation_final_signal(evaluation);

	if (is_suspicion(evaluation, signal))
		return SIGNAL_SUSPECTED;
	return evaluation->is_at_rest ? signal : SIGNAL_UNSETTLED;
}

/*
 * No pages can be fetched: use the stored ones. The linkage moves pages back
 * and forth while others come and while the threshold is chosen.
 */
static enum watch_signal
evaluation_stored_signal(const struct template_evaluation *evaluation)
{
	enum decision_kind kind = evaluation->votes->detection.kind;

	return (kind == DECISION_MERGED || kind == DECISION_SPLIT) &&
			       !plan_is_settled(evaluation->plan)
		       ? SIGNAL_UNSETTLED
		       : evaluation_final_signal(evaluation);
}

static bool decision_kind_is_event(enum decision_kind kind)
{
	return kind != DECISION_SAME && kind != DECISION_UNSURE &&
	       kind != DECISION_BLOCKED;
}

/*
 * Return whether more pages disagree than at the last complete fetch, or as
 * many and this was not reported yet.
 */
static bool is_dissent(const struct template_evaluation *evaluation)
{
	const struct template_row *row = &evaluation->self->row;
	bool was_asked = row->asked_ms != 0 && row->asked_ms >= row->round_ms;

	return evaluation->votes->disagreed > row->asked_for ||
	       (!was_asked &&
		(decision_kind_is_event(evaluation->votes->detection.kind) ||
		 evaluation->position.state == WATCH_SPLIT_PENDING));
}

/*
 * A page that disagrees in one round may have been seen before another
 * template's pages moved it. So decide nothing before all sample pages were
 * fetched at the same time.
 */
enum watch_signal signal_of_template(const struct watch_plan *plan,
				     const struct template_facts *facts,
				     const struct votes *votes)
{
	const struct template_row *row = &facts->self.row;
	struct template_evaluation evaluation = {
		.plan = plan,
		.facts = facts,
		.self = &facts->self,
		.votes = votes,
		.position = watch_position_of(row),
		.is_asked = site_is_fetched(plan->site),
	};

	evaluation.is_open = watch_is_open(evaluation.position.state);
	evaluation.is_late = evaluation.is_open &&
			     plan->now_ms >= row->asked_ms + PATIENCE_MS;
	evaluation.is_at_rest =
		plan_is_at_rest(plan) ||
		plan->now_ms >= row->asked_ms + plan_rest_ms(plan);
	if (votes->is_recut)
		return SIGNAL_RECUT;
	if (!evaluation.is_asked)
		return evaluation_stored_signal(&evaluation);
	if (!evaluation.is_open)
		return is_dissent(&evaluation)
			       ? SIGNAL_DISSENT
			       : evaluation_quiet_signal(&evaluation);
	return votes->unseen > 0 && !evaluation.is_late
		       ? SIGNAL_AWAITED
		       : evaluation_incident_signal(&evaluation);
}
