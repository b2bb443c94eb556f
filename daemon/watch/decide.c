#include "daemon/watch/decide.h"

#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "daemon/engine/sites.h"
#include "store/rows.h"

static bool is_live(const struct template_view *subject)
{
	return subject->has_row && subject->row.state == TEMPLATE_LIVE;
}

/*
 * Find the time when a template was first suspected to have changed. Other
 * templates may have changed for the same reason, so their samples must be
 * fetched before anything is decided.
 */
static void plan_find_suspicion(struct watch_plan *plan)
{
	const uint16_t both = TEMPLATE_IS_ASKING | TEMPLATE_IS_SUSPECT;

	for (size_t i = 0; i < plan->subject_count; i++) {
		const struct template_view *subject =
			&plan->subjects[i].subject;

		if (is_live(subject) && (subject->row.flags & both) == both &&
		    subject->row.asked_ms < plan->suspected_ms)
			plan->suspected_ms = subject->row.asked_ms;
	}
	if (plan->suspected_ms == UINT64_MAX)
		return;
	for (size_t i = 0; i < plan->subject_count; i++) {
		const struct template_view *subject =
			&plan->subjects[i].subject;

		plan->is_unasked |=
			is_live(subject) &&
			(subject->row.flags & TEMPLATE_IS_ASKING) == 0 &&
			subject->row.round_ms < plan->suspected_ms;
	}
}

void plan_begin(struct arena *arena, const struct site_facts *site,
		const struct plan_options *options, uint64_t now_ms,
		struct watch_plan *plan_out)
{
	*plan_out = (struct watch_plan){
		.arena = arena,
		.options = *options,
		.now_ms = now_ms,
		.site = &site->row,
		.due_ms = site->due_ms,
		.renders = site->renders,
		.render_count = site->render_count,
		.subjects = ARENA_NEW(arena, struct planned_template,
				      site->subject_count),
		.subject_count = site->subject_count,
		.suspected_ms = UINT64_MAX,
		.first_ms = UINT64_MAX,
		.next_ms = UINT64_MAX,
	};
	for (size_t i = 0; i < site->subject_count; i++) {
		const struct template_view *subject = &site->subjects[i];

		plan_out->subjects[i] =
			(struct planned_template){.subject = *subject};
		plan_out->live_count += is_live(subject);
		if (subject->has_row &&
		    subject->row.created_ms < plan_out->first_ms)
			plan_out->first_ms = subject->row.created_ms;
	}
	plan_find_suspicion(plan_out);
}

struct planned_template *plan_find(const struct watch_plan *plan,
				   uint32_t cluster)
{
	size_t at;

	LOWER_BOUND(at, plan->subject_count,
		    plan->subjects[at].subject.cluster < cluster);
	return at < plan->subject_count &&
			       plan->subjects[at].subject.cluster == cluster
		       ? &plan->subjects[at]
		       : NULL;
}

bool plan_is_settled(const struct watch_plan *plan)
{
	return plan->site->pending_count == 0 &&
	       !site_wants_threshold(plan->site);
}

bool plan_is_at_rest(const struct watch_plan *plan)
{
	return plan_is_settled(plan) && plan->due_ms > plan->now_ms &&
	       !plan->is_unasked;
}

uint64_t plan_rest_ms(const struct watch_plan *plan)
{
	uint64_t rounds_ms = REST_ROUNDS * plan->site->options.watch_ms;

	return rounds_ms < REST_MS ? rounds_ms : REST_MS;
}

const struct render_row *plan_render_row(const struct watch_plan *plan,
					 uint32_t cluster)
{
	for (size_t i = 0; i < plan->render_count; i++)
		if (plan->renders[i].cluster == cluster)
			return &plan->renders[i].row;
	return NULL;
}

/*
 * Return until when, at most, the pages of the template are visited again; 0 =
 * they are not.
 */
static uint64_t plan_moving_until(const struct watch_plan *plan,
				  const struct render_row *row)
{
	if (row->moved_ms == 0)
		return 0;
	if (plan->now_ms < row->moved_ms)
		return row->moved_ms;
	return plan->now_ms < row->moved_ms + PATIENCE_MS &&
			       !plan_is_at_rest(plan)
		       ? row->moved_ms + PATIENCE_MS
		       : 0;
}

bool plan_is_moving(const struct watch_plan *plan, uint32_t cluster)
{
	for (size_t i = 0; i < plan->render_count; i++)
		if ((cluster == 0 || plan->renders[i].cluster == cluster) &&
		    plan_moving_until(plan, &plan->renders[i].row) != 0)
			return true;
	return false;
}

void plan_await_moves(struct watch_plan *plan)
{
	for (size_t i = 0; i < plan->render_count; i++) {
		uint64_t until_ms =
			plan_moving_until(plan, &plan->renders[i].row);

		if (until_ms != 0 && until_ms < plan->next_ms)
			plan->next_ms = until_ms;
	}
}

bool plan_was_moved(const struct watch_plan *plan, uint64_t created_ms)
{
	for (size_t i = 0; i < plan->render_count; i++) {
		const struct render_row *row = &plan->renders[i].row;

		if (row->moved_ms != 0 && row->decided_ms <= created_ms &&
		    created_ms <= row->moved_ms + PATIENCE_MS)
			return true;
	}
	return false;
}

bool plan_is_large(const struct watch_plan *plan,
		   const struct template_view *subject)
{
	return subject->has_cluster &&
	       subject->cluster_row.page_count >= plan->options.min_pages;
}

const struct template_view *plan_parent(const struct watch_plan *plan,
					uint32_t cluster)
{
	for (size_t i = 0; i < plan->subject_count; i++) {
		const struct template_view *subject =
			&plan->subjects[i].subject;

		if (subject->has_row && subject->row.other == cluster)
			return subject;
	}
	return NULL;
}

void decision_wait_until(struct decision *step, uint64_t time_ms)
{
	if (time_ms < step->next_ms)
		step->next_ms = time_ms;
}

void template_row_settle(const struct watch_plan *plan,
			 struct template_row *row)
{
	row->asked_for = 0;
	row->asked_ms = 0;
	row->flags = 0;
	row->round_ms = plan->now_ms;
	row->threshold = plan->site->options.threshold;
}

/*
 * Return the rules for counting votes. A visit counts only if it ended after
 * the start of the current round or inquiry. If no pages of the site are
 * fetched, all visits count.
 */
static struct vote_rules vote_rules_of(const struct watch_plan *plan,
				       const struct template_row *row)
{
	struct vote_rules rules = {
		.threshold = plan->site->options.threshold,
		.is_late = watch_is_open(watch_position_of(row).state) &&
			   plan->now_ms >= row->asked_ms + PATIENCE_MS,
	};

	if (site_is_fetched(plan->site))
		rules.window_ms = row->asked_ms > row->round_ms ? row->asked_ms
								: row->round_ms;
	return rules;
}

void decision_plan(const struct watch_plan *plan,
		   const struct template_facts *facts, struct arena *scratch,
		   struct decision *step_out)
{
	const struct template_view *self = &facts->self;
	struct vote_rules rules;

	*step_out = (struct decision){
		.cluster = self->cluster,
		.row = self->row,
		.next_ms = UINT64_MAX,
	};
	if (!self->has_row || self->row.state != TEMPLATE_LIVE) {
		decision_plan_cluster(plan, facts, step_out);
		return;
	}
	step_out->wish.has_sample = true;
	if (!facts->given.has_sample)
		return;
	rules = vote_rules_of(plan, &self->row);
	votes_count(facts, &rules, scratch, &step_out->votes);
	decision_plan_template(plan, facts, step_out);
}

static bool is_taken_over(const struct watch_plan *plan,
			  const struct misplaced_page *stray)
{
	const struct planned_template *into = plan_find(plan, stray->cluster);

	return into != NULL &&
	       2 * stray->pages >= into->subject.cluster_row.page_count;
}

/*
 * Return whether this misplaced page follows a split that was reported. Then it
 * is known whose cluster its cluster is.
 */
static bool misplaced_page_is_reported(const struct decision *step,
				       const struct misplaced_page *stray)
{
	return step->votes.follows_split && stray->is_seen &&
	       stray->cluster == step->row.other;
}

/*
 * Mark the clusters that have misplaced pages as contested: until a decision,
 * no template is created from them. If no pages of the site are fetched, mark
 * only clusters at least half of whose pages are sample pages.
 */
static void plan_contest_clusters(struct watch_plan *plan,
				  const struct decision *step)
{
	bool is_unsure = !site_is_fetched(plan->site) &&
			 step->votes.detection.kind == DECISION_UNSURE;

	for (uint32_t i = 0; i < step->votes.elsewhere; i++) {
		const struct misplaced_page *stray = &step->votes.strays[i];
		struct planned_template *into = plan_find(plan, stray->cluster);

		if (into != NULL && !misplaced_page_is_reported(step, stray) &&
		    (step->contests ||
		     (is_unsure && is_taken_over(plan, stray))))
			into->is_contested = true;
	}
}

void plan_add_decision(struct watch_plan *plan, const struct decision *step)
{
	struct planned_template *planned = plan_find(plan, step->cluster);
	struct template_view *subject = &planned->subject;
	bool was_live = is_live(subject);

	planned->is_planned = true;
	if (was_live && step->signal != SIGNAL_RECUT)
		plan_contest_clusters(plan, step);
	if (was_live && step->is_written)
		subject->row = step->row;
	plan->is_inquiring |=
		was_live && step->votes.disagreed > 0 &&
		watch_is_open(watch_position_of(&subject->row).state);
	if (step->absorbed != 0)
		plan_find(plan, step->absorbed)->subject.row =
			step->absorbed_row;
	if (step->followed != 0) /* it has another number in the next check */
		plan_find(plan, step->followed)->is_planned = true;
	plan->found += step->is_written ? 1U : 0U;
	plan->found += step->absorbed != 0 ? 1U : 0U;
	if (step->next_ms < plan->next_ms)
		plan->next_ms = step->next_ms;
}

/*
 * Functions that derive a signal from the votes of a template's sample pages.
 */

enum {
	/*
	 * build a new version when the template has at least GROWN times as
	 * many pages as its version was built from, plus GROWN_BY
	 */
	GROWN = 2,
	GROWN_BY = 8,
	PERMILLE = 1000,
};

/* A template and the votes of its sample pages. */
struct template_evaluation {
	const struct watch_plan *plan;
	const struct template_facts *facts;
	const struct template_view *self;
	const struct votes *votes;
	struct watch_position position;
	/* an inquiry is open: all sample pages are being fetched */
	bool is_open;
	bool is_asked; /* the daemon can fetch pages of the site */
	/* the time to wait for fetches is over, so ignore missing results */
	bool is_late;
	/* the site is at rest, or the time to wait for this is over */
	bool is_at_rest;
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

/*
 * Return whether the version of the template can be built again from the pages
 * of its cluster.
 */
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
 * Return whether less than half of the pages have gone over to a template that
 * existed before they changed. Then other content has made them more similar to
 * its pages, for example in lists of articles.
 */
static bool has_gone_over(const struct template_evaluation *evaluation)
{
	const struct votes *votes = evaluation->votes;
	const struct template_facts *facts = evaluation->facts;
	const struct planned_template *into =
		plan_find(evaluation->plan, votes->destination);

	if (into == NULL || !is_live(&into->subject) ||
	    2 * votes->elsewhere >= votes->pages)
		return false;
	for (uint32_t i = 0; i < facts->sample_count; i++)
		if (facts->sample[i].cluster == votes->destination &&
		    facts->sample[i].changed_ms <= into->subject.row.created_ms)
			return false;
	return true;
}

/*
 * Return the signal if a part of the template's pages is in another cluster.
 * That also happens during a redesign, so a split is reported only if it is
 * still there one round later.
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
	if (has_gone_over(evaluation))
		return is_renewable(evaluation) ? SIGNAL_DRIFTED : SIGNAL_SAME;
	if (plan_is_large(evaluation->plan, evaluation->self))
		return SIGNAL_SPLIT;
	/* the pages that stayed are too few for a template */
	return votes->has_left ? SIGNAL_REPLACED : SIGNAL_RENUMBERED;
}

/*
 * Return whether most pages of the template's cluster were deleted. If the
 * cluster has more pages than are fetched in an inquiry, only the sample can
 * show this, so return true.
 */
static bool is_depleted(const struct template_evaluation *evaluation)
{
	uint32_t before = evaluation->facts->version_pages;
	uint32_t now = evaluation->self->cluster_row.page_count;

	return evaluation->position.stage == STAGE_SAMPLE || 2 * now < before ||
	       now > FACTS_MAX_MEMBERS;
}

/*
 * Return the signal if most of the sample pages were deleted. Other pages of
 * the template may still exist.
 */
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
 * Return the signal if all pages were fetched and the template continues. If
 * half of the pages have changed, but too little for an event, their new state
 * must be accepted; otherwise it would hide later changes. If most pages have
 * changed, and the others are in another cluster for a round, this is an event:
 * the template has followed its pages, see followed_signal().
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
	if (is_same && votes->has_changed &&
	    evaluation->position.state == WATCH_RECHECKING)
		return SIGNAL_CHANGED;
	if (is_same && 2 * votes->disagreed >= votes->pages)
		return is_renewable(evaluation) ? SIGNAL_DRIFTED : SIGNAL_SAME;
	return votes->gone + votes->moved > 0 ? SIGNAL_THINNED : SIGNAL_SAME;
}

/* Return whether only generated class names of all pages have changed. */
static bool is_rebuilt(const struct template_evaluation *evaluation)
{
	const struct detection *detection = &evaluation->votes->detection;

	return detection->is_rebuilt && detection->kind == DECISION_SAME &&
	       detection->seen == evaluation->votes->pages;
}

static enum watch_signal
evaluation_quiet_signal(const struct template_evaluation *evaluation)
{
	/* do not build a new version while new pages are being fetched */
	if (evaluation->votes->disagreed > 0 || !is_renewable(evaluation) ||
	    !plan_is_settled(evaluation->plan))
		return SIGNAL_QUIET;
	if (is_rebuilt(evaluation))
		return SIGNAL_REBUILT;
	return evaluation_is_outdated(evaluation) ? SIGNAL_OUTDATED
						  : SIGNAL_QUIET;
}

/*
 * Return the signal if the pages of the template are in another cluster and
 * nearly unchanged. If that cluster is not a template yet, it has only these
 * pages. Then the template was replaced if the changes exceed the limits of
 * change_rules_default; otherwise it only has a new number.
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

/* Return the signal if all pages that can be fetched were fetched. */
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
 * Return whether the signal is only a suspicion: it would end or change the
 * template, but only the sample was fetched and the other pages were not.
 */
static bool is_suspicion(const struct template_evaluation *evaluation,
			 enum watch_signal signal)
{
	enum watch_action action = watch_transition_of(signal)->action;

	return evaluation->position.stage == STAGE_SAMPLE &&
	       (action == ACTION_END || action == ACTION_CHANGE);
}

/*
 * Return the signal of an open inquiry if its pages were fetched, or if the
 * time to wait for them is over.
 */
static enum watch_signal
evaluation_inquiry_signal(const struct template_evaluation *evaluation)
{
	enum watch_signal signal = evaluation_final_signal(evaluation);

	if (is_suspicion(evaluation, signal))
		return SIGNAL_SUSPECTED;
	return evaluation->is_at_rest ? signal : SIGNAL_UNSETTLED;
}

/*
 * Return the signal if no pages of the site can be fetched, so that only the
 * stored pages are used. While new pages come, and before the threshold is
 * chosen, the linkage may move pages to another cluster and back; so do not
 * decide about a merge or a split meanwhile.
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
 * Return whether more pages disagree than at the last complete fetch of the
 * sample. Without a complete fetch in this round, also return true if the votes
 * would result in an event.
 */
static bool is_dissent(const struct template_evaluation *evaluation)
{
	const struct template_row *row = &evaluation->self->row;
	const struct watch_plan *plan = evaluation->plan;
	bool was_asked = row->asked_ms != 0 && row->asked_ms >= row->round_ms;

	if (plan->suspected_ms != UINT64_MAX &&
	    row->asked_ms < plan->suspected_ms &&
	    plan->live_count <= MAX_ASKED_TEMPLATES)
		return true; /* the same deploy may have changed it */
	return evaluation->votes->disagreed > row->asked_for ||
	       (!was_asked &&
		(decision_kind_is_event(evaluation->votes->detection.kind) ||
		 evaluation->position.state == WATCH_SPLIT_PENDING));
}

/*
 * Return whether to wait for more pages: some were not fetched yet, or most
 * were refused, and the others would cause an event. A few pages of a template
 * are no evidence.
 */
static bool is_awaited(const struct template_evaluation *evaluation)
{
	const struct votes *votes = evaluation->votes;
	uint64_t until_ms =
		evaluation->self->row.asked_ms + plan_rest_ms(evaluation->plan);

	if (votes->unseen > 0 && !evaluation->is_late)
		return true;
	return 2 * votes->blocked > votes->pages &&
	       decision_kind_is_event(votes->detection.kind) &&
	       evaluation->plan->now_ms < until_ms;
}

static enum watch_signal
evaluation_signal(const struct template_evaluation *evaluation)
{
	if (!evaluation->is_asked)
		return evaluation_stored_signal(evaluation);
	if (!evaluation->is_open)
		return is_dissent(evaluation)
			       ? SIGNAL_DISSENT
			       : evaluation_quiet_signal(evaluation);
	return is_awaited(evaluation) ? SIGNAL_AWAITED
				      : evaluation_inquiry_signal(evaluation);
}

/*
 * Return the number of sample pages that are in the cluster, or redirect to a
 * page of it.
 */
static uint32_t pages_in(const struct template_facts *facts, uint32_t cluster)
{
	const struct page_moves moves = page_moves_of(facts);

	for (uint32_t i = 0; i < moves.count; i++)
		if (moves.items[i].cluster == cluster)
			return moves.items[i].pages;
	return 0;
}

/*
 * Return whether pages of the template could not be fetched yet. During a
 * redesign the new pages of several templates may be in one cluster until all
 * pages of the site are new.
 */
static bool has_leftover(const struct template_evaluation *evaluation)
{
	return evaluation->is_asked && !evaluation->is_late &&
	       (evaluation->votes->blocked > 0 ||
		plan_is_large(evaluation->plan, evaluation->self));
}

/*
 * Decide whether a template whose pages are in another cluster continues. If
 * this cluster is no template, or was split off from the template, it gets the
 * number of the template, and the next check decides about it. It must get more
 * pages than it loses; otherwise the two numbers would be exchanged again and
 * again.
 */
static enum watch_signal
followed_signal(const struct template_evaluation *evaluation,
		enum watch_signal signal)
{
	const struct template_view *self = evaluation->self;
	uint32_t destination = evaluation->votes->destination;
	const struct planned_template *into =
		plan_find(evaluation->plan, destination);

	if ((signal != SIGNAL_REPLACED && signal != SIGNAL_RENUMBERED &&
	     signal != SIGNAL_MERGED) ||
	    into == NULL || !into->subject.has_cluster)
		return signal;
	if (into->subject.has_row && self->row.other != destination) {
		if (into->subject.row.other == self->cluster)
			return SIGNAL_RENUMBERED;
		return has_leftover(evaluation) ? SIGNAL_UNSETTLED : signal;
	}
	if (pages_in(evaluation->facts, destination) <=
	    pages_in(evaluation->facts, self->cluster))
		return signal == SIGNAL_REPLACED ? SIGNAL_CHANGED : signal;
	/* another template may have followed its pages into that cluster */
	return into->is_planned && !into->subject.has_row ? SIGNAL_UNSETTLED
							  : SIGNAL_FOLLOWED;
}

/*
 * Return the signal of a live template. A page that disagrees in a round may
 * have been fetched before pages of another template moved it to another
 * cluster. So nothing is decided before all sample pages were fetched at the
 * same time.
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
	return followed_signal(&evaluation, evaluation_signal(&evaluation));
}

/* Functions that plan for a site as a whole. */

/*
 * Return whether the first templates of the site have all been found. Templates
 * that are found later are reported as new.
 */
static bool plan_has_first_templates(const struct watch_plan *plan)
{
	bool has_templates = plan->found > 0;

	for (size_t i = 0; i < plan->subject_count; i++)
		has_templates |= plan->subjects[i].subject.has_row;
	return plan_is_settled(plan) && has_templates;
}

/*
 * Return true only if the condition `is_so` begins to hold. If it no longer
 * holds, clear its flag.
 */
static bool site_flag_begins(const struct watch_plan *plan, uint32_t flag,
			     bool is_so, struct site_decision *step)
{
	bool was_so = (plan->site->options.flags & flag) != 0;

	if (is_so && !was_so)
		step->set_flags |= flag;
	else if (was_so && !is_so)
		step->clear_flags |= flag;
	return is_so && !was_so;
}

/* Return whether the daemon fetches pages of the site on a schedule. */
static bool site_is_scheduled(const struct site_row *site)
{
	return (site->options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
		       0 &&
	       (site->options.watch_ms != 0 || site->options.revisit_ms != 0);
}

static bool is_stale(const struct watch_plan *plan, struct site_decision *step)
{
	const struct site_row *site = plan->site;
	uint64_t stale_ms = plan->options.stale_ms;
	uint64_t seen_ms = site->seen_ms == 0 ? site->added_ms : site->seen_ms;

	step->unseen_ms = plan->now_ms - seen_ms;
	if (stale_ms == 0 || !site_is_scheduled(site))
		return false;
	if (seen_ms + stale_ms > plan->now_ms)
		step->next_ms = seen_ms + stale_ms;
	return site->asked_ms > seen_ms && plan->now_ms >= seen_ms + stale_ms;
}

void plan_site(const struct watch_plan *plan, struct site_decision *step_out)
{
	*step_out = (struct site_decision){.next_ms = UINT64_MAX};
	step_out->is_learned =
		(plan->site->options.flags & SITE_IS_KNOWN) == 0 &&
		plan_has_first_templates(plan);
	if (step_out->is_learned)
		step_out->set_flags |= SITE_IS_KNOWN;
	step_out->is_stale = site_flag_begins(
		plan, SITE_IS_STALE, is_stale(plan, step_out), step_out);
}

/* clang-format off */

/*
 * Each row has a signal, its action, and the next state for each current state,
 * UNKNOWN to RETIRED. x means that the signal is impossible in that state.
 */
#define WATCH_x WATCH_NEVER
#define ROW(signal, action, u, c, a, d, r, l, e)                          \
	[SIGNAL_##signal] = {ACTION_##action,                          \
			     {WATCH_x, WATCH_##u, WATCH_##c, WATCH_##a, \
			      WATCH_##d, WATCH_##r, WATCH_##l, WATCH_##e}}

/*
 * signal     action  UNKNOWN  SAMPLING CHECKING SPLIT_P. RECHECK. MIGRAT.  RETIRED
 */
static const struct watch_transition transitions[WATCH_SIGNALS] = {
ROW(QUIET,      GO_ON,  x,       SAMPLING,    x,       SPLIT_PENDING, x,       x,       x),
ROW(OUTDATED,   RENEW,  x,       SAMPLING,    x,       SAMPLING,    x,       x,       x),
ROW(DISSENT,    ASK,    x,       CHECKING,  x,       RECHECKING, x,       x,       x),
ROW(AWAITED,    AWAIT,  x,       x,       CHECKING,  x,       RECHECKING, x,       x),
ROW(UNSETTLED,  AWAIT,  x,       SAMPLING,    CHECKING,  SPLIT_PENDING, RECHECKING, x,       x),
ROW(SUSPECTED,  WIDEN,  x,       x,       CHECKING,  x,       RECHECKING, x,       x),
ROW(UNREADABLE, AWAIT,  UNKNOWN, SAMPLING,    CHECKING,  SPLIT_PENDING, RECHECKING, MIGRATING, RETIRED),
ROW(ABANDONED,  CLOSE,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(SAME,       CLOSE,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(THINNED,    MEND,   x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(DRIFTED,    RENEW,  x,       x,       SAMPLING,    x,       SAMPLING,    x,       x),
ROW(REBUILT,    RENEW,  x,       SAMPLING,    x,       SAMPLING,    x,       x,       x),
ROW(PARTED,     PART,   x,       SPLIT_PENDING, SPLIT_PENDING, SPLIT_PENDING, SPLIT_PENDING, x,       x),
ROW(SPLIT,      CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(CHANGED,    CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(DEPLETED,   CHANGE, x,       SAMPLING,    SAMPLING,    SAMPLING,    SAMPLING,    x,       x),
ROW(REPLACED,   END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(RENUMBERED, END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(FOLLOWED,   FOLLOW, x,       SAMPLING,    CHECKING,  SPLIT_PENDING, RECHECKING, x,       RETIRED),
ROW(MERGED,     END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(LED_AWAY,   END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(VANISHED,   END,    x,       RETIRED,   RETIRED,   RETIRED,   RETIRED,   x,       x),
ROW(RECUT,      END,    x,       MIGRATING, MIGRATING, MIGRATING, MIGRATING, x,       x),
ROW(YOUNG,      HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(CONTESTED,  HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(PASSING,    HOLD,   UNKNOWN, x,       x,       x,       x,       x,       RETIRED),
ROW(ABSENT,     HOLD,   x,       x,       x,       x,       x,       x,       RETIRED),
ROW(FOUND,      BEGIN,  SAMPLING,    x,       x,       x,       x,       x,       x),
ROW(RETURNED,   BEGIN,  x,       x,       x,       x,       x,       SAMPLING,    SAMPLING),
ROW(SETTLING,   HOLD,   x,       x,       x,       x,       x,       MIGRATING, x),
ROW(CORRECTED,  CORRECT, x,      x,       x,       x,       x,       MIGRATING, x),
ROW(ARRIVED,    LEAVE,  x,       x,       x,       x,       x,       RETIRED,   RETIRED),
};

#undef ROW
#undef WATCH_x
/* clang-format on */

/*
 * The signal to use instead if a signal needs a version that cannot be built.
 * Signals that are missing here need no version.
 */
static const enum watch_signal without_version[WATCH_SIGNALS] = {
	[SIGNAL_OUTDATED] = SIGNAL_QUIET,
	[SIGNAL_THINNED] = SIGNAL_SAME,
	[SIGNAL_DRIFTED] = SIGNAL_SAME,
	[SIGNAL_REBUILT] = SIGNAL_QUIET,
	[SIGNAL_SPLIT] = SIGNAL_UNREADABLE,
	[SIGNAL_CHANGED] = SIGNAL_UNREADABLE,
	[SIGNAL_DEPLETED] = SIGNAL_UNREADABLE,
	[SIGNAL_FOUND] = SIGNAL_UNREADABLE,
	[SIGNAL_RETURNED] = SIGNAL_UNREADABLE,
};

struct watch_position watch_position_of(const struct template_row *row)
{
	bool is_divided = (row->flags & TEMPLATE_IS_DIVIDED) != 0;
	struct watch_position position = {
		.state = is_divided ? WATCH_SPLIT_PENDING : WATCH_SAMPLING,
		.stage = (row->flags & TEMPLATE_IS_SUSPECT) != 0 ? STAGE_ALL
								 : STAGE_SAMPLE,
		.basis = (row->flags & TEMPLATE_IS_PARTIAL) != 0 ? BASIS_PARTIAL
								 : BASIS_WHOLE,
	};

	if ((row->flags & TEMPLATE_IS_ASKING) != 0)
		position.state = is_divided ? WATCH_RECHECKING : WATCH_CHECKING;
	if (row->state != TEMPLATE_LIVE)
		position.state = (row->flags & TEMPLATE_IS_LEAVING) != 0
					 ? WATCH_MIGRATING
					 : WATCH_RETIRED;
	return position;
}

uint16_t watch_flags_of(const struct watch_position *position)
{
	enum watch_state state = position->state;
	unsigned flags = 0;

	assert(state >= WATCH_SAMPLING && state <= WATCH_RECHECKING);
	if (watch_is_open(state))
		flags |= TEMPLATE_IS_ASKING;
	if (state == WATCH_SPLIT_PENDING || state == WATCH_RECHECKING)
		flags |= TEMPLATE_IS_DIVIDED;
	if (position->stage == STAGE_ALL)
		flags |= TEMPLATE_IS_SUSPECT;
	if (position->basis == BASIS_PARTIAL)
		flags |= TEMPLATE_IS_PARTIAL;
	return (uint16_t)flags;
}

bool watch_is_open(enum watch_state state)
{
	return state == WATCH_CHECKING || state == WATCH_RECHECKING;
}

const struct watch_transition *watch_transition_of(enum watch_signal signal)
{
	return &transitions[signal];
}

enum watch_signal watch_without_version(enum watch_signal signal)
{
	enum watch_action action = transitions[signal].action;
	bool needs_version = action == ACTION_RENEW || action == ACTION_MEND ||
			     action == ACTION_CHANGE || action == ACTION_BEGIN;

	return needs_version ? without_version[signal] : signal;
}
