/* Plan for a site as a whole. */
#include "daemon/watch/inspection_plan.h"

#include "store/rows_site.h"

/* Number of pages that must be blocked for a blocked site. */
enum { MIN_BLOCKED = 3 };

/* Return whether the first templates are all known: later ones are news. */
static bool plan_has_first_templates(const struct watch_plan *plan)
{
	bool has_templates = plan->found > 0;

	for (size_t i = 0; i < plan->subject_count; i++)
		has_templates |= plan->subjects[i].subject.has_row;
	return plan_is_settled(plan) && has_templates;
}

/*
 * Return true only when a condition begins to hold; clear its flag when it no
 * longer holds.
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

static bool is_blocked(const struct watch_plan *plan)
{
	bool was_blocked = (plan->site->options.flags & SITE_IS_BLOCKED) != 0;

	return plan->fresh == 0 &&
	       (was_blocked || (plan->blocked >= MIN_BLOCKED &&
				2 * plan->blocked >= plan->asked));
}

/* Return whether pages of the site are fetched on a schedule. */
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
	if ((plan->site->options.flags & SITE_IS_KNOWN) == 0 &&
	    plan_has_first_templates(plan))
		step_out->set_flags |= SITE_IS_KNOWN;
	step_out->is_blocked = site_flag_begins(plan, SITE_IS_BLOCKED,
						is_blocked(plan), step_out);
	step_out->is_stale = site_flag_begins(
		plan, SITE_IS_STALE, is_stale(plan, step_out), step_out);
}
