/* Plan for a cluster that is not a live template: is it a new template? */
#include "daemon/watch/inspection_lineage.h"
#include "daemon/watch/inspection_plan.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_site.h"
#include "store/rows_template.h"

enum {
	SETTLED_MS =
		10 * 60 * 1000, /* a cluster without changes for this time is
				   complete, even while the site is crawled */
	MIN_RETURNED = 3, /* pages that must have come since the last fetch of
			     its sample for a template to have returned */
};

/* The first pages of a cluster. */
struct newcomers {
	uint32_t count;
	uint32_t older;    /* pages older than their cluster, or than the first
			      template of the site */
	uint32_t returned; /* pages fetched after the template had ended */
};

/*
 * Return when the template's pages were last fetched. A page that still exists
 * when the template ends was seen in the incident, so it does not count as
 * returned.
 */
static uint64_t last_asked(const struct template_row *row)
{
	return row->asked_ms != 0 && row->asked_ms < row->ended_ms
		       ? row->asked_ms
		       : row->ended_ms;
}

static struct newcomers newcomers_of(const struct watch_plan *plan,
				     const struct template_facts *facts)
{
	uint64_t created_ms = facts->self.cluster_row.created_ms;
	uint64_t ended_ms = last_asked(&facts->self.row);
	struct newcomers newcomers = {.count = facts->arrival_count};

	for (uint32_t i = 0; i < facts->arrival_count; i++) {
		const struct page_timestamps *arrival = &facts->arrivals[i];

		newcomers.older += arrival->stored_ms < created_ms ||
				   arrival->found_ms < plan->first_ms;
		newcomers.returned += arrival->fetched_ms > ended_ms ||
				      arrival->stored_ms > ended_ms;
	}
	return newcomers;
}

static bool is_mostly_older(const struct newcomers *newcomers)
{
	return 2 * newcomers->older > newcomers->count;
}

/* Return whether the first templates of the site are still unknown. */
static bool site_has_no_known_templates(const struct watch_plan *plan)
{
	return (plan->site->options.flags & SITE_IS_KNOWN) == 0;
}

/*
 * Return whether it is too early for a version: half of a crawl is not a
 * template.
 */
static bool is_young(const struct watch_plan *plan,
		     const struct template_view *self, struct decision *step)
{
	uint64_t rested_ms = self->cluster_row.changed_ms + SETTLED_MS;

	if (!plan_is_large(plan, self))
		return true;
	if (plan_is_settled(plan))
		return false;
	if (rested_ms > plan->now_ms)
		decision_wait_until(step, rested_ms);
	return rested_ms > plan->now_ms;
}

/*
 * Return whether the cluster must rest for a round first. While the pages of a
 * redesign are fetched, clusters split off from others and disappear again.
 */
static bool cluster_is_passing(const struct watch_plan *plan,
			       const struct template_view *self,
			       const struct newcomers *newcomers,
			       struct decision *step)
{
	uint64_t rested_ms =
		self->cluster_row.changed_ms + plan->site->options.watch_ms;

	if (site_has_no_known_templates(plan) || !is_mostly_older(newcomers) ||
	    rested_ms <= plan->now_ms ||
	    plan_parent(plan, self->cluster) != NULL)
		return false;
	decision_wait_until(step, rested_ms);
	return true;
}

static enum watch_signal signal_of(const struct watch_plan *plan,
				   const struct template_facts *facts,
				   const struct newcomers *newcomers,
				   struct decision *step)
{
	const struct template_view *self = &facts->self;
	const struct planned_template *planned = plan_find(plan, self->cluster);

	if (is_young(plan, self, step))
		return SIGNAL_YOUNG;
	if (planned != NULL &&
	    (planned->is_contested || (plan->is_inquiring && !self->has_row)))
		return SIGNAL_CONTESTED;
	step->wish.has_arrivals = true;
	if (!facts->given.has_arrivals)
		return SIGNAL_YOUNG; /* not read yet */
	if (cluster_is_passing(plan, self, newcomers, step))
		return SIGNAL_PASSING;
	if (self->has_row && newcomers->returned < MIN_RETURNED)
		return SIGNAL_ABSENT;
	step->wish.version = self->cluster;
	return self->has_row ? SIGNAL_RETURNED : SIGNAL_FOUND;
}

static struct slice begin_lineage(const struct watch_plan *plan,
				  const struct template_view *self)
{
	const struct template_view *parent = plan_parent(plan, self->cluster);
	struct lineage_entry entry = {.kind = "new"};

	if (self->has_row)
		entry.kind = "returned";
	else if (parent != NULL)
		entry = (struct lineage_entry){
			.kind = parent->row.state == TEMPLATE_LIVE
					? "split from"
					: "replaces",
			.other = parent->cluster,
		};
	return lineage_add(plan, self->row.lineage, &entry);
}

/* Fill in the row of a new or returned template. */
static void begin_row(const struct watch_plan *plan,
		      const struct template_view *self,
		      struct template_row *row)
{
	if (!self->has_row)
		*row = (struct template_row){.created_ms = plan->now_ms};
	row->state = TEMPLATE_LIVE;
	row->ended_ms = 0;
	row->other = 0;
	row->version++;
	row->seen_ms = plan->now_ms;
	template_row_settle(plan, row);
	row->lineage = begin_lineage(plan, self);
}

/*
 * Return whether to emit an event. Pages that were known before are only
 * grouped differently. A cluster that another template went to was reported
 * when that template ended.
 */
static bool is_news(const struct watch_plan *plan,
		    const struct template_view *self,
		    const struct newcomers *newcomers)
{
	if (self->has_row || plan_parent(plan, self->cluster) != NULL)
		return false;
	return site_has_no_known_templates(plan) || !is_mostly_older(newcomers);
}

/*
 * The template has ended, but a new threshold may have moved its pages since.
 * For one round, report where they are whenever the site is at rest.
 */
static enum watch_signal
cluster_leaving_signal(const struct watch_plan *plan,
		       const struct template_facts *facts,
		       struct decision *step)
{
	const struct template_row *row = &facts->self.row;
	uint64_t round_ms = row->ended_ms + plan->site->options.watch_ms;
	struct page_moves flows;
	uint32_t now;

	step->wish = (struct data_request){.has_sample = true};
	if (!facts->given.has_sample)
		return SIGNAL_SETTLING;
	flows = page_moves_of(facts);
	now = page_moves_main(&flows, step->cluster, row->other);
	if (plan_is_at_rest(plan) && now != 0 && now != row->other)
		return SIGNAL_CORRECTED;
	if (plan->now_ms >= round_ms && plan_is_at_rest(plan))
		return SIGNAL_ARRIVED;
	if (plan->now_ms < round_ms)
		decision_wait_until(step, round_ms);
	return SIGNAL_SETTLING;
}

static const char *const cluster_endings[TEMPLATE_STATES] = {
	[TEMPLATE_REPLACED] = "replaced",
	[TEMPLATE_MERGED] = "merged",
};

/* Correct an earlier alert that reported another destination. */
static void cluster_correct_destination(const struct watch_plan *plan,
					const struct template_facts *facts,
					struct decision *step)
{
	const struct page_moves flows = page_moves_of(facts);
	struct template_row *row = &step->row;

	const char *ending = row->state < TEMPLATE_STATES
				     ? cluster_endings[row->state]
				     : NULL;

	row->other = page_moves_main(&flows, step->cluster, row->other);
	if (ending != NULL) /* otherwise the row is damaged */
		row->lineage = lineage_add(
			plan, row->lineage,
			&(struct lineage_entry){ending, row->other, &flows});
	step->event.corrects = facts->told;
	step->event.agreed = flows.items[0].pages;
	if (facts->told != 0)
		step->event.kind = EVENT_TEMPLATE_REPLACED;
}

void decision_plan_cluster(const struct watch_plan *plan,
			   const struct template_facts *facts,
			   struct decision *step)
{
	const struct newcomers newcomers = newcomers_of(plan, facts);
	const struct template_view *self = &facts->self;

	step->signal = signal_of(plan, facts, &newcomers, step);
	if (step->signal != SIGNAL_RETURNED &&
	    (self->row.flags & TEMPLATE_IS_LEAVING) != 0)
		step->signal = cluster_leaving_signal(plan, facts, step);
	if (!data_request_is_met(&step->wish, &facts->given))
		return;
	if (facts->taken.version == NULL)
		step->signal = watch_without_version(step->signal);
	step->action = watch_transition_of(step->signal)->action;
	step->is_written =
		step->action == ACTION_CORRECT || step->action == ACTION_LEAVE;
	if (step->action == ACTION_CORRECT)
		cluster_correct_destination(plan, facts, step);
	if (step->action == ACTION_LEAVE)
		step->row.flags = 0;
	if (step->action != ACTION_BEGIN)
		return;
	begin_row(plan, self, &step->row);
	step->is_written = true;
	if (is_news(plan, self, &newcomers))
		step->event.kind = EVENT_TEMPLATE_NEW;
}
