#include "daemon/watch/decide.h"
#include "store/rows.h"

/*
 * Functions that decide about a cluster that is not a live template, for
 * example whether it is a new template.
 */

enum {
	/*
	 * a cluster that has not changed for this time is complete, even while
	 * the site is crawled
	 */
	SETTLED_MS = 10 * 60 * 1000,
	/*
	 * an ended template returns only if at least this many pages have come
	 * after the last fetch of its sample
	 */
	MIN_RETURNED = 3,
	/* the requests for a vanished template become rarer after these rounds
	 */
	SOUGHT_ROUNDS = 4,
};

/* Counts of the first pages of a cluster. */
struct newcomers {
	uint32_t count;
	/*
	 * pages that were stored before their cluster was created, or before
	 * the first template of the site
	 */
	uint32_t older;
	/* pages that were fetched after the template had ended */
	uint32_t returned;
};

/*
 * Return when the template's sample pages were last fetched. If they still
 * existed when the template ended, the inquiry has fetched them, so they must
 * not count as returned.
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
 * Return whether it is too early to build a version: the cluster is too small,
 * or its pages are still being crawled.
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
 * Return whether the cluster must first be unchanged for one round. While the
 * pages of a redesign are fetched, clusters split off from others and disappear
 * again.
 */
static bool cluster_is_passing(const struct watch_plan *plan,
			       const struct template_view *self,
			       const struct newcomers *newcomers,
			       struct decision *step)
{
	uint64_t rested_ms =
		self->cluster_row.changed_ms + plan->site->options.watch_ms;

	if (site_has_no_known_templates(plan) || !is_mostly_older(newcomers) ||
	    (self->row.flags & TEMPLATE_IS_SOUGHT) != 0 ||
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
		return SIGNAL_YOUNG; /* the data was not read yet */
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

/*
 * Set the fields of the row for a new template, or for one that has returned.
 */
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
 * Return whether to emit an event for a new template. Do not emit it if the
 * pages were known before and are only grouped differently, or if another
 * template has moved to this cluster: that was reported when the other template
 * ended.
 */
static bool is_news(const struct watch_plan *plan,
		    const struct template_view *self,
		    const struct newcomers *newcomers)
{
	if (self->has_row || plan_parent(plan, self->cluster) != NULL ||
	    plan_was_moved(plan, self->cluster_row.created_ms))
		return false;
	return site_has_no_known_templates(plan) || !is_mostly_older(newcomers);
}

/*
 * Return the signal of a template that has ended. A new threshold may have
 * moved its pages since. For one round, report the new clusters of the pages
 * whenever the site is at rest.
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

	step->wish.has_sample = true;
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

/*
 * Emit an event with the current clusters of the pages, which corrects the
 * earlier alert.
 */
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
	if (ending != NULL) /* NULL if the row is damaged */
		row->lineage = lineage_add(
			plan, row->lineage,
			&(struct lineage_entry){ending, row->other, &flows});
	step->event.corrects = facts->told;
	step->event.agreed = flows.items[0].pages;
	if (facts->told != 0)
		step->event.kind = EVENT_TEMPLATE_REPLACED;
}

/* Return the cluster that has the returned pages; 0 = too few have returned. */
static uint32_t cluster_of_returned(const struct watch_plan *plan,
				    const struct template_facts *facts)
{
	const struct page_moves flows = page_moves_of(facts);
	uint32_t cluster = page_moves_main(&flows, facts->self.cluster, 0);
	const struct planned_template *into = plan_find(plan, cluster);

	for (uint32_t i = 0; i < flows.count; i++)
		if (flows.items[i].cluster == cluster &&
		    flows.items[i].pages >= MIN_RETURNED && into != NULL &&
		    !into->subject.has_row)
			return cluster;
	return 0;
}

/*
 * Request a few pages of a template that has vanished, at a falling rate. When
 * some have returned, their cluster gets the number of the template.
 */
static enum watch_signal cluster_seek(const struct watch_plan *plan,
				      const struct template_facts *facts,
				      struct decision *step)
{
	struct template_row *row = &step->row;
	uint64_t watch_ms = plan->site->options.watch_ms;
	/* 0 if the clock was set back */
	uint64_t ended_for_ms =
		plan->now_ms > row->ended_ms ? plan->now_ms - row->ended_ms : 0;
	uint32_t count = facts->sample_count;
	uint64_t age;
	uint64_t due_ms;

	if (!site_is_fetched(plan->site)) /* the interval may be 0 now */
		return SIGNAL_ABSENT;
	age = ended_for_ms / (SOUGHT_ROUNDS * watch_ms);
	step->wish.has_sample = true;
	if (!facts->given.has_sample)
		return SIGNAL_ABSENT;
	step->followed = cluster_of_returned(plan, facts);
	if (step->followed != 0) {
		for (uint32_t i = 0; i < count; i++)
			step->visits[step->visit_count++] =
				facts->sample[i].page;
		return SIGNAL_FOLLOWED;
	}
	if (ended_for_ms >= plan->options.ended_ms || count == 0)
		return SIGNAL_ARRIVED;
	due_ms = row->round_ms + watch_ms * (age == 0 ? 1 : age);
	if (due_ms <= plan->now_ms) {
		for (uint32_t i = 0; i < ROUND_PAGES && i < count; i++)
			step->visits[step->visit_count++] =
				facts->sample[(row->round * ROUND_PAGES + i) %
					      count]
					.page;
		row->round++;
		row->round_ms = plan->now_ms;
		due_ms = plan->now_ms + watch_ms;
		step->is_written = true;
	}
	decision_wait_until(step, due_ms);
	return SIGNAL_ABSENT;
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
	if (step->signal != SIGNAL_RETURNED &&
	    (self->row.flags & TEMPLATE_IS_SOUGHT) != 0)
		step->signal = cluster_seek(plan, facts, step);
	if (!data_request_is_met(&step->wish, &facts->given))
		return;
	if (facts->taken.version == NULL)
		step->signal = watch_without_version(step->signal);
	step->action = watch_transition_of(step->signal)->action;
	step->is_written |=
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

/* Functions that decide about a live template by its signal. */

/*
 * The state, the event and the lineage entry of each signal that ends a
 * template.
 */
struct retirement {
	enum template_state state;
	enum event_kind kind; /* 0 = emit no event */
	const char *lineage;
	const char *reason;
};

static const struct retirement template_endings[WATCH_SIGNALS] = {
	[SIGNAL_REPLACED] = {TEMPLATE_REPLACED, EVENT_TEMPLATE_REPLACED,
			     "replaced", NULL},
	[SIGNAL_RENUMBERED] = {TEMPLATE_REPLACED, 0, "renumbered", NULL},
	[SIGNAL_MERGED] = {TEMPLATE_MERGED, EVENT_TEMPLATE_MERGED, "merged",
			   NULL},
	[SIGNAL_LED_AWAY] = {TEMPLATE_REPLACED, EVENT_TEMPLATE_REPLACED,
			     "replaced", "its pages have other URLs now"},
	[SIGNAL_VANISHED] = {TEMPLATE_VANISHED, EVENT_TEMPLATE_VANISHED,
			     "vanished", NULL},
	[SIGNAL_RECUT] = {TEMPLATE_MERGED, 0, "recut", NULL},
};

/*
 * How a template continues with another version, for each signal that changes
 * it.
 */
struct transition {
	enum event_kind kind;
	const char *lineage; /* entry for the lineage; NULL = no entry */
	const char *reason;
};

static const struct transition goings_on[WATCH_SIGNALS] = {
	[SIGNAL_CHANGED] = {EVENT_TEMPLATE_CHANGED, NULL, NULL},
	[SIGNAL_SPLIT] = {EVENT_TEMPLATE_SPLIT, "split", NULL},
	[SIGNAL_DEPLETED] = {EVENT_TEMPLATE_VANISHED, "depleted",
			     "most of its pages were removed"},
};

/* The reason why an inquiry ends without an alert, for each signal. */
static const char *const checked[WATCH_SIGNALS] = {
	[SIGNAL_ABANDONED] = "none of its pages can be read",
	[SIGNAL_SAME] = "it is unchanged",
	[SIGNAL_THINNED] = "some of its pages were removed",
	[SIGNAL_DRIFTED] = "its pages have moved, but not far",
	[SIGNAL_PARTED] = "pages with another template are fetched again",
	[SIGNAL_RENUMBERED] = "its number has changed",
	[SIGNAL_RECUT] = "the threshold has changed",
};

/* Return the cluster that has the template's pages after its end; 0 = none. */
static uint32_t ended_in(const struct decision *step)
{
	switch (step->signal) {
	case SIGNAL_LED_AWAY:
		return step->votes.led_to;
	case SIGNAL_VANISHED:
		return 0;
	case SIGNAL_RECUT:
		return step->votes.majority;
	default:
		return step->votes.destination;
	}
}

/* Request the versions and pages that the action of the decision needs. */
static void wish_for(const struct template_view *self, struct decision *step)
{
	struct data_request *wish = &step->wish;
	bool is_told = false;

	switch (step->action) {
	case ACTION_CHANGE:
		wish->has_moves = step->signal == SIGNAL_DEPLETED;
		wish->has_before = true;
		wish->version = step->cluster;
		wish->since_ms = self->row.asked_ms;
		break;
	case ACTION_WIDEN:
		wish->has_members = true;
		break;
	case ACTION_END:
		is_told = template_endings[step->signal].kind != 0;
		wish->has_moves = step->signal == SIGNAL_VANISHED ||
				  step->signal == SIGNAL_LED_AWAY;
		wish->has_before = is_told;
		wish->version = is_told ? ended_in(step) : 0;
		wish->since_ms =
			step->signal == SIGNAL_MERGED || wish->version == 0
				? 0
				: self->row.asked_ms;
		break;
	case ACTION_RENEW:
	case ACTION_MEND:
		wish->version = step->cluster;
		break;
	default:
		break;
	}
}

/*
 * Merge the template into the live template `into`, whose cluster has its pages
 * now. The new version of `into` covers the pages of both.
 */
static void decision_merge_into(const struct watch_plan *plan, uint32_t into,
				struct decision *step)
{
	struct template_row *row = &step->absorbed_row;

	*row = plan_find(plan, into)->subject.row;
	step->absorbed = into;
	row->version++;
	template_row_settle(plan, row);
	row->lineage = lineage_add(plan, row->lineage,
				   &(struct lineage_entry){
					   .kind = "merged from",
					   .other = step->cluster,
				   });
}

static void decision_end_template(const struct watch_plan *plan,
				  const struct template_facts *facts,
				  struct decision *step)
{
	const struct retirement *ending = &template_endings[step->signal];
	const struct page_moves flows = page_moves_of(facts);
	uint32_t other = ended_in(step);

	step->row.state = (uint16_t)ending->state;
	step->row.ended_ms = plan->now_ms;
	step->row.other = other;
	step->row.lineage = lineage_add(
		plan, step->row.lineage,
		&(struct lineage_entry){ending->lineage, other, &flows});
	step->event.kind = ending->kind;
	step->event.reason = ending->reason;
	if (step->signal == SIGNAL_REPLACED &&
	    2 * step->votes.moved > step->votes.pages)
		step->event.reason = template_endings[SIGNAL_LED_AWAY].reason;
	if (step->signal == SIGNAL_MERGED && facts->taken.version != NULL)
		decision_merge_into(plan, other, step);
}

/* Continue the template with another version. */
static void decision_change_version(const struct watch_plan *plan,
				    const struct template_facts *facts,
				    struct decision *step)
{
	const struct page_moves flows = page_moves_of(facts);
	const struct transition *going_on = &goings_on[step->signal];

	step->row.version++;
	step->event.kind = going_on->kind;
	step->event.reason = going_on->reason;
	if (step->signal == SIGNAL_CHANGED && facts->former != 0)
		step->event.kind = EVENT_TEMPLATE_RESTORED;
	if (step->signal == SIGNAL_SPLIT)
		step->row.other = step->votes.destination;
	if (step->signal == SIGNAL_DEPLETED)
		step->row.other = step->votes.led_to;
	if (step->signal == SIGNAL_DEPLETED && step->row.other != 0) {
		step->event.kind = EVENT_TEMPLATE_REPLACED;
		step->event.reason = "most of its pages have other URLs now";
	}
	if (going_on->lineage != NULL)
		step->row.lineage = lineage_add(
			plan, step->row.lineage,
			&(struct lineage_entry){going_on->lineage,
						step->row.other, &flows});
	template_row_settle(plan, &step->row);
	step->row.seen_ms = plan->now_ms;
}

static void decision_add_visit(struct decision *step, uint64_t page)
{
	step->visits[step->visit_count++] = page;
}

/* Pages that were fetched in this time need not be fetched again. */
enum { FRESH_MS = 60 * 1000 };

/*
 * Fetch all sample pages again, at the same time, except those that a check of
 * the site has just fetched.
 */
static void ask_all(const struct watch_plan *plan,
		    const struct template_facts *facts, struct decision *step)
{
	uint64_t watch_ms = plan->site->options.watch_ms;
	uint64_t fresh_ms = plan->now_ms -
			    (watch_ms / 2 < FRESH_MS ? watch_ms / 2 : FRESH_MS);

	step->row.asked_ms = plan->now_ms;
	for (uint32_t i = 0; i < facts->sample_count; i++) {
		const struct sample_page *page = &facts->sample[i];

		if (page->answered_ms < fresh_ms ||
		    page->answered_ms < step->row.round_ms)
			decision_add_visit(step, page->page);
		else if (page->answered_ms < step->row.asked_ms)
			step->row.asked_ms = page->answered_ms;
	}
	decision_wait_until(step, plan->now_ms + PATIENCE_MS);
}

/*
 * Fetch the pages again that were refused, or whose last visit says nothing
 * because the version was built from it or it began before the inquiry: half a
 * round after that visit, and at most FRESH_MS.
 */
static void ask_again(const struct watch_plan *plan,
		      const struct template_facts *facts, struct decision *step)
{
	uint64_t half_ms = plan->site->options.watch_ms / 2;
	uint64_t pause_ms = half_ms < FRESH_MS ? half_ms : FRESH_MS;

	for (uint32_t i = 0; i < step->votes.pages; i++) {
		const struct sample_page *page = &facts->sample[i];
		uint64_t again_ms = page->answered_ms + pause_ms;

		if ((step->votes.observations[i].kind != OBSERVED_BLOCKED &&
		     step->votes.observations[i].kind != OBSERVED_UNSEEN) ||
		    !page->is_idle)
			continue;
		if (again_ms <= plan->now_ms)
			decision_add_visit(step, page->page);
		else
			decision_wait_until(step, again_ms);
	}
}

/*
 * Make sure that the inquiry is checked again: first at the end of the wait
 * for the site to be at rest, then at the end of the wait for fetches.
 */
static void decision_wait(const struct watch_plan *plan,
			  const struct template_facts *facts,
			  struct decision *step)
{
	uint64_t rested_ms = step->row.asked_ms + plan_rest_ms(plan);

	if (step->signal == SIGNAL_AWAITED)
		ask_again(plan, facts, step);
	if (watch_is_open(watch_position_of(&step->row).state))
		decision_wait_until(step,
				    rested_ms > plan->now_ms
					    ? rested_ms
					    : step->row.asked_ms + PATIENCE_MS);
}

/*
 * Return when the next round is due. All templates of a site have their rounds
 * at the same time, so that a change that concerns several templates is found
 * for all of them together.
 */
static uint64_t next_round(const struct watch_plan *plan, uint64_t round_ms)
{
	uint64_t first_ms = plan->site->added_ms;
	uint64_t watch_ms = plan->site->options.watch_ms;

	if (round_ms < first_ms)
		return round_ms + watch_ms;
	return round_ms + watch_ms - (round_ms - first_ms) % watch_ms;
}

/*
 * If a round is due, fetch the next few sample pages. One of them is fetched
 * unconditionally, because a faulty server or cache may answer "not modified"
 * for ever.
 */
static void begin_round(const struct watch_plan *plan,
			const struct template_facts *facts,
			struct decision *step)
{
	struct template_row *row = &step->row;
	uint32_t count = facts->sample_count;
	uint64_t due_ms;

	if (!site_is_fetched(plan->site) || count == 0)
		return;
	due_ms = next_round(plan, row->round_ms);
	if (row->round_ms < plan->suspected_ms &&
	    plan->suspected_ms <= plan->now_ms)
		due_ms = plan->now_ms;
	if (row->round_ms > plan->now_ms) /* the clock was set back */
		due_ms = plan->now_ms;
	if (due_ms <= plan->now_ms) {
		for (uint32_t i = 0; i < ROUND_PAGES && i < count; i++) {
			uint32_t turn = row->round * ROUND_PAGES + i;

			if (i != row->round % ROUND_PAGES)
				step->conditional_visits |=
					UINT64_C(1) << step->visit_count;
			decision_add_visit(step,
					   facts->sample[turn % count].page);
		}
		row->round++;
		row->round_ms = plan->now_ms;
		due_ms = next_round(plan, plan->now_ms);
	}
	decision_wait_until(step, due_ms);
}

static void decision_apply_action(const struct watch_plan *plan,
				  const struct template_facts *facts,
				  struct decision *step)
{
	uint32_t disagreed = step->votes.disagreed;
	struct template_row *row = &step->row;

	switch (step->action) {
	case ACTION_GO_ON:
		if (row->asked_for > disagreed)
			row->asked_for = disagreed;
		break;
	case ACTION_ASK:
		ask_all(plan, facts, step);
		break;
	case ACTION_AWAIT:
		decision_wait(plan, facts, step);
		break;
	case ACTION_CLOSE:
	case ACTION_MEND:
	case ACTION_PART:
		row->asked_for = disagreed;
		break;
	case ACTION_RENEW:
		template_row_settle(plan, row);
		if (step->signal == SIGNAL_REBUILT)
			step->event.kind = EVENT_TEMPLATE_REBUILT;
		break;
	case ACTION_CHANGE:
		decision_change_version(plan, facts, step);
		break;
	case ACTION_END:
		decision_end_template(plan, facts, step);
		break;
	case ACTION_FOLLOW:
		step->followed = step->votes.destination;
		break;
	default:
		break;
	}
}

/* Set the stored flags of the next state. */
static void decision_set_flags(const struct watch_plan *plan,
			       const struct template_facts *facts,
			       struct decision *step)
{
	struct watch_position position = watch_position_of(&facts->self.row);

	position.state =
		watch_transition_of(step->signal)->next[position.state];
	step->row.flags = 0;
	if (position.state == WATCH_MIGRATING && site_is_fetched(plan->site)) {
		step->row.flags = TEMPLATE_IS_LEAVING;
		decision_wait_until(step, plan->now_ms +
						  plan->site->options.watch_ms);
	}
	if (step->signal == SIGNAL_VANISHED && site_is_fetched(plan->site))
		step->row.flags = TEMPLATE_IS_SOUGHT;
	if (position.state == WATCH_MIGRATING ||
	    position.state == WATCH_RETIRED)
		return;
	switch (step->action) {
	case ACTION_WIDEN:
		position.stage = STAGE_ALL;
		break;
	case ACTION_CHANGE:
	case ACTION_RENEW:
		position.basis =
			facts->taken.is_partial ? BASIS_PARTIAL : BASIS_WHOLE;
		position.stage = STAGE_SAMPLE;
		break;
	case ACTION_CLOSE:
	case ACTION_MEND:
	case ACTION_PART:
		position.stage = STAGE_SAMPLE;
		break;
	default:
		break;
	}
	step->row.flags = watch_flags_of(&position);
}

/*
 * Store when a page was last seen unchanged. Do not do this while fetches are
 * pending or if the inquiry has found a change.
 */
static void decision_note_seen(struct decision *step)
{
	enum decision_kind kind = step->votes.detection.kind;
	bool is_found = kind != DECISION_SAME && kind != DECISION_UNSURE &&
			kind != DECISION_BLOCKED;

	if (step->action == ACTION_ASK || step->action == ACTION_AWAIT ||
	    (is_found && step->signal != SIGNAL_QUIET))
		return;
	if (step->votes.seen_ms > step->row.seen_ms)
		step->row.seen_ms = step->votes.seen_ms;
}

static bool is_same_row(const struct template_row *a,
			const struct template_row *b)
{
	return a->seen_ms == b->seen_ms && a->round_ms == b->round_ms &&
	       a->asked_ms == b->asked_ms && a->asked_for == b->asked_for &&
	       a->round == b->round && a->flags == b->flags &&
	       a->state == b->state && a->version == b->version;
}

/*
 * Return the number of pages that confirm the signal. If a part of the template
 * is in another cluster, all pages of this part count.
 */
static uint32_t agreed_by(enum watch_signal signal, const struct votes *votes)
{
	enum decision_kind kind = votes->detection.kind;
	bool is_divided = kind == DECISION_SPLIT || kind == DECISION_SAME;

	if (signal == SIGNAL_DEPLETED || signal == SIGNAL_VANISHED)
		return votes->gone;
	return is_divided && votes->elsewhere > votes->detection.agreed
		       ? votes->elsewhere
		       : votes->detection.agreed;
}

static void set_signal(enum watch_signal signal, struct decision *step)
{
	step->signal = signal;
	step->action = watch_transition_of(signal)->action;
}

/*
 * If the signal needs a version and none could be built, replace it by another
 * signal.
 */
static void set_readable_signal(const struct watch_plan *plan,
				const struct template_facts *facts,
				struct decision *step)
{
	const struct template_row *row = &facts->self.row;

	if (facts->taken.version == NULL)
		set_signal(watch_without_version(step->signal), step);
	if (step->signal == SIGNAL_UNREADABLE &&
	    watch_is_open(watch_position_of(row).state) &&
	    plan->now_ms >= row->asked_ms + PATIENCE_MS)
		set_signal(SIGNAL_ABANDONED, step);
}

/* Emit an event when an inquiry ends without an alert. */
static void state_end(const struct template_row *before, struct decision *step)
{
	bool is_open = step->row.state == TEMPLATE_LIVE &&
		       watch_is_open(watch_position_of(&step->row).state);

	if (!watch_is_open(watch_position_of(before).state) || is_open ||
	    step->event.kind != 0)
		return;
	step->event.kind = EVENT_TEMPLATE_CHECKED;
	step->event.reason = checked[step->signal];
}

void decision_plan_template(const struct watch_plan *plan,
			    const struct template_facts *facts,
			    struct decision *step)
{
	const struct template_row *before = &facts->self.row;
	bool was_open = watch_is_open(watch_position_of(before).state);

	set_signal(signal_of_template(plan, facts, &step->votes), step);
	wish_for(&facts->self, step);
	if (!data_request_is_met(&step->wish, &facts->given))
		return;
	set_readable_signal(plan, facts, step);
	step->event.agreed = agreed_by(step->signal, &step->votes);
	if (step->signal != SIGNAL_RECUT)
		decision_note_seen(step);
	decision_apply_action(plan, facts, step);
	decision_set_flags(plan, facts, step);
	state_end(before, step);
	if (step->action == ACTION_GO_ON || step->action == ACTION_PART)
		begin_round(plan, facts, step);
	step->is_written = step->action == ACTION_RENEW ||
			   step->action == ACTION_MEND ||
			   !is_same_row(before, &step->row);
	step->contests = step->action == ACTION_ASK ||
			 (was_open && step->action != ACTION_PART) ||
			 (step->row.flags & TEMPLATE_IS_DIVIDED) != 0;
}
