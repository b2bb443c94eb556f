#include "daemon/watch/inspection_plan.h"

#include "base/arena.h"
#include "daemon/engine/site_threshold.h"
#include "store/rows_cluster.h"
#include "store/rows_template.h"

static bool is_live(const struct template_view *subject)
{
	return subject->has_row && subject->row.state == TEMPLATE_LIVE;
}

/*
 * Find when a template was first suspected to have changed. The others may have
 * changed for the same reason: fetch their samples before deciding.
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
		if (subject->has_row &&
		    subject->row.created_ms < plan_out->first_ms)
			plan_out->first_ms = subject->row.created_ms;
	}
	plan_find_suspicion(plan_out);
}

struct planned_template *plan_find(const struct watch_plan *plan,
				   uint32_t cluster)
{
	size_t low = 0;
	size_t high = plan->subject_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (plan->subjects[middle].subject.cluster < cluster)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->subject_count &&
			       plan->subjects[low].subject.cluster == cluster
		       ? &plan->subjects[low]
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
 * Set the time window: a visit counts if it ended in it. If no pages of the
 * site are fetched, all visits count.
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
 * Return whether the pages follow a split that was reported: then it is known
 * whose cluster this is.
 */
static bool misplaced_page_is_reported(const struct decision *step,
				       const struct misplaced_page *stray)
{
	return step->votes.follows_split && stray->is_seen &&
	       stray->cluster == step->row.other;
}

/*
 * Mark the clusters that misplaced pages are in as contested until a decision.
 * If no pages of the site are fetched, mark only clusters that have mostly
 * sample pages.
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

static void count_votes(struct watch_plan *plan, const struct decision *step,
			const struct template_row *before)
{
	uint32_t asked = step->votes.pages;

	if (!watch_is_open(watch_position_of(before).state) &&
	    asked > ROUND_PAGES)
		asked = ROUND_PAGES;
	plan->asked += site_is_fetched(plan->site) ? asked : 0;
	plan->blocked += step->votes.blocked;
	plan->fresh += step->votes.fresh;
}

void plan_add_decision(struct watch_plan *plan, const struct decision *step)
{
	struct planned_template *planned = plan_find(plan, step->cluster);
	struct template_view *subject = &planned->subject;
	bool was_live = is_live(subject);

	planned->is_planned = true;
	if (was_live && step->signal != SIGNAL_RECUT) {
		count_votes(plan, step, &subject->row);
		plan_contest_clusters(plan, step);
	}
	if (was_live && step->is_written)
		subject->row = step->row;
	plan->is_inquiring |=
		was_live && step->votes.disagreed > 0 &&
		watch_is_open(watch_position_of(&subject->row).state);
	if (step->absorbed != 0)
		plan_find(plan, step->absorbed)->subject.row =
			step->absorbed_row;
	plan->found += step->is_written ? 1U : 0U;
	plan->found += step->absorbed != 0 ? 1U : 0U;
	if (step->next_ms < plan->next_ms)
		plan->next_ms = step->next_ms;
}
