#include "daemon/watch/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/compress.h"
#include "base/memory.h"
#include "store/rows.h"
#include "template/version_json.h"

static void add_visit(struct event_draft *draft, uint64_t page,
		      bool is_conditional)
{
	draft->visits =
		mem_grow(draft->visits, draft->visit_count,
			 &draft->visit_capacity, sizeof(*draft->visits));
	draft->visits[draft->visit_count++] =
		(struct requested_page){page, is_conditional};
}

static void add_swap(struct event_draft *draft, uint32_t a, uint32_t b)
{
	draft->swaps = mem_grow(draft->swaps, draft->swap_count,
				&draft->swap_capacity, sizeof(*draft->swaps));
	draft->swaps[draft->swap_count++] = (struct cluster_swap){a, b};
}

/*
 * Add an event to the draft. The slices of the event must be in the draft's
 * arena.
 */
static void event_draft_add_event(struct event_draft *draft,
				  const struct event_row *event)
{
	draft->events = mem_grow(draft->events, draft->event_count,
				 &draft->event_capacity, sizeof(*event));
	draft->events[draft->event_count++] = *event;
}

static struct template_update *add_template(struct event_draft *draft,
					    uint32_t cluster,
					    const struct template_row *row)
{
	struct template_update *found;

	draft->templates = mem_grow(draft->templates, draft->template_count,
				    &draft->template_capacity, sizeof(*found));
	found = &draft->templates[draft->template_count++];
	*found = (struct template_update){.cluster = cluster, .row = *row};
	return found;
}

/*
 * Set the new version, whose number is found->row.version, and the sample pages
 * of the template.
 */
static void set_version(const struct watch_plan *plan,
			const struct built_version *taken, uint64_t first_ms,
			struct template_update *found)
{
	struct buffer json = {0};
	struct buffer packed = {0};

	version_encode(taken->version, &json);
	compress_slice(buffer_slice(&json), &packed);
	found->has_version = true;
	found->version = (struct version_row){
		.first_ms = first_ms,
		.last_ms = plan->now_ms,
		.page_count = taken->version->page_count,
		.packed = arena_slice(plan->arena, buffer_slice(&packed)),
	};
	found->has_sample = true;
	found->sample = taken->pages;
	found->sample_count = taken->page_count;
	buffer_free(&json);
	buffer_free(&packed);
}

static struct sample_page_entry
sample_page_entry_of(struct arena *arena, const struct sample_page *page)
{
	return (struct sample_page_entry){
		.page = page->page,
		.row = {.since_ms = page->since_ms,
			.url = arena_slice(arena, page->url),
			.record = sample_record(arena, &page->before)},
	};
}

/*
 * Replace sample pages that no longer exist by other pages that the new version
 * was built from.
 */
static void mend_sample(struct arena *arena, const struct template_facts *facts,
			const struct votes *votes,
			struct template_update *found)
{
	const struct built_version *taken = &facts->taken;
	struct sample_page_entry *mended =
		ARENA_NEW(arena, struct sample_page_entry, MAX_TEMPLATE_SAMPLE);
	size_t count = 0;

	for (uint32_t i = 0; i < votes->pages; i++)
		if (votes->observations[i].kind != OBSERVED_GONE &&
		    !votes->observations[i].is_moved)
			mended[count++] =
				sample_page_entry_of(arena, &facts->sample[i]);
	for (size_t i = 0; i < taken->page_count && count < MAX_TEMPLATE_SAMPLE;
	     i++) {
		size_t j = 0;

		while (j < count && mended[j].page != taken->pages[i].page)
			j++;
		if (j == count)
			mended[count++] = taken->pages[i];
	}
	found->has_sample = true;
	found->sample = mended;
	found->sample_count = count;
}

/* Set the version and the sample pages that follow from the action. */
static void set_content(const struct watch_plan *plan,
			const struct template_facts *facts,
			const struct decision *step,
			struct template_update *found)
{
	switch (step->action) {
	case ACTION_RENEW:
		set_version(plan, &facts->taken, facts->version_ms, found);
		break;
	case ACTION_CHANGE:
	case ACTION_BEGIN:
		set_version(plan, &facts->taken, plan->now_ms, found);
		break;
	case ACTION_MEND:
		mend_sample(plan->arena, facts, &step->votes, found);
		break;
	case ACTION_END:
	case ACTION_LEAVE:
		/* an empty sample deletes the stored one */
		found->has_sample =
			(step->row.flags &
			 (TEMPLATE_IS_LEAVING | TEMPLATE_IS_SOUGHT)) == 0;
		break;
	default:
		break;
	}
}

/* Return the URL of a page as an example for the event. */
static struct slice decision_example_url(const struct watch_plan *plan,
					 const struct template_facts *facts,
					 const struct decision *step)
{
	struct slice url = plan->site->seed;

	if (step->action == ACTION_BEGIN && facts->taken.page_count > 0)
		url = facts->taken.pages[0].row.url;
	else if (facts->sample_count > 0)
		url = facts->sample[0].url;
	return arena_slice(plan->arena, url);
}

static uint32_t pages_of(const struct template_facts *facts,
			 const struct decision *step)
{
	if (step->action == ACTION_BEGIN)
		return facts->taken.version->page_count;
	if (step->signal == SIGNAL_DEPLETED)
		return template_missing_pages(facts);
	return facts->before == NULL ? step->event.agreed
				     : facts->before->page_count;
}

static void emit_step(const struct watch_plan *plan,
		      const struct template_facts *facts,
		      const struct decision *step, struct arena *scratch,
		      struct event_draft *draft)
{
	enum event_kind kind = step->event.kind;

	event_draft_add_event(
		draft,
		&(struct event_row){
			.kind = (uint16_t)kind,
			.cluster = step->cluster,
			.other = step->signal == SIGNAL_CHANGED
					 ? 0
					 : step->row.other,
			.pages = pages_of(facts, step),
			.url = decision_example_url(plan, facts, step),
			.detail = evidence_text(
				plan->arena,
				kind == EVENT_TEMPLATE_NEW
					? evidence_of_new(&facts->taken)
				: step->event.corrects != 0
					? evidence_of_correction(plan, facts,
								 step)
					: evidence_of_decision(plan, facts,
							       step, scratch)),
		});
}

/*
 * Return whether the page is in the template's sample and so was fetched
 * already.
 */
static bool is_in_sample(const struct template_facts *facts, uint64_t page)
{
	for (uint32_t i = 0; i < facts->sample_count; i++)
		if (facts->sample[i].page == page)
			return true;
	return false;
}

void decision_apply(const struct watch_plan *plan,
		    const struct template_facts *facts,
		    const struct decision *step, struct arena *scratch,
		    struct event_draft *draft)
{
	if (step->event.kind != 0)
		emit_step(plan, facts, step, scratch, draft);
	if (step->is_written)
		set_content(plan, facts, step,
			    add_template(draft, step->cluster, &step->row));
	if (step->absorbed != 0)
		set_version(plan, &facts->taken, plan->now_ms,
			    add_template(draft, step->absorbed,
					 &step->absorbed_row));
	if (step->followed != 0)
		add_swap(draft, step->cluster, step->followed);
	for (uint32_t i = 0; i < step->visit_count; i++)
		add_visit(draft, step->visits[i],
			  (step->conditional_visits >> i & 1U) != 0);
	for (size_t i = 0;
	     step->action == ACTION_WIDEN && i < facts->member_count; i++)
		if (!is_in_sample(facts, facts->members[i]))
			add_visit(draft, facts->members[i], false);
}

void site_decision_apply(const struct watch_plan *plan,
			 const struct site_decision *step,
			 struct event_draft *draft)
{
	const struct site_row *site = plan->site;

	if (step->is_learned)
		event_draft_add_event(draft, &(struct event_row){
						     .kind = EVENT_SITE_LEARNED,
						     .pages = site->page_count,
						     .url = site->seed,
					     });
	if (step->is_stale)
		event_draft_add_event(
			draft,
			&(struct event_row){
				.kind = EVENT_SITE_STALE,
				.pages = site->page_count,
				.url = site->seed,
				.detail = evidence_text(
					plan->arena,
					json_pack("{s:I, s:I, s:s}", "days",
						  (json_int_t)(step->unseen_ms /
							       86400000U),
						  "seen_ms",
						  (json_int_t)site->seen_ms,
						  "reason",
						  "no page was fetched since")),
			});
}

/* The event of each state of a site. */
static const uint16_t state_events[SITE_STATES] = {
	[SITE_STATE_OK] = EVENT_SITE_OK,
	[SITE_STATE_UNREACHABLE] = EVENT_SITE_UNREACHABLE,
	[SITE_STATE_BLOCKED] = EVENT_SITE_BLOCKED,
	[SITE_STATE_MISSING] = EVENT_SITE_MISSING,
	[SITE_STATE_MOVED] = EVENT_SITE_MOVED,
	[SITE_STATE_ALTERNATING] = EVENT_SITE_ALTERNATES,
};

static void add_state_event(const struct watch_plan *plan, enum event_kind kind,
			    json_t *detail, struct event_draft *draft)
{
	event_draft_add_event(
		draft, &(struct event_row){
			       .kind = (uint16_t)kind,
			       .pages = plan->site->page_count,
			       .url = plan->site->seed,
			       .detail = evidence_text(plan->arena, detail),
		       });
}

/* Emit an event about the state that begins. */
static void add_beginning(const struct watch_plan *plan,
			  const struct health_decision *decision,
			  struct event_draft *draft)
{
	json_t *templates = json_array();

	for (size_t i = 0; i < decision->template_count; i++)
		json_array_append_new(templates,
				      json_cluster_id(plan->site->host,
						      decision->templates[i]));
	add_state_event(plan, state_events[decision->row.state],
			json_pack("{s:o, s:o, s:o}", "reason",
				  json_text(decision->row.reason), "since",
				  json_time(decision->row.since_ms),
				  "templates", templates),
			draft);
}

void health_apply(const struct watch_plan *plan,
		  const struct health_decision *decision,
		  struct event_draft *draft, struct template_updates *findings)
{
	if (decision->begins && decision->row.state == SITE_STATE_BLOCKED)
		findings->set_flags |= SITE_IS_BLOCKED;
	if (decision->row.state == SITE_STATE_OK)
		findings->clear_flags |=
			plan->site->options.flags & SITE_IS_BLOCKED;
	if (decision->ends)
		add_state_event(plan, EVENT_SITE_OK,
				json_pack("{s:s, s:o}", "state",
					  site_state_name(decision->ended),
					  "since",
					  json_time(decision->ended_since_ms)),
				draft);
	if (decision->begins)
		add_beginning(plan, decision, draft);
	for (size_t i = 0; i < decision->visit_count; i++)
		add_visit(draft, decision->visits[i], false);
	findings->accepted = decision->accepted;
	findings->accepted_count = decision->accepted_count;
	findings->dropped = decision->dropped;
	findings->dropped_count = decision->dropped_count;
	if (decision->is_written) {
		struct health_row *row =
			ARENA_NEW(plan->arena, struct health_row, 1);

		*row = decision->row;
		findings->health = row;
	}
}

/* Copy results to the arena and free the original. */
static void *event_draft_move_items(struct arena *arena, void *items,
				    size_t count, size_t size)
{
	void *copy = NULL;

	if (count > 0) {
		copy = arena_alloc(arena, count, size);
		memcpy(copy, items, count * size);
	}
	free(items);
	return copy;
}

void event_draft_finish(struct event_draft *draft,
			struct template_updates *findings_out)
{
	struct arena *arena = draft->arena;

	findings_out->template_count = draft->template_count;
	findings_out->templates = event_draft_move_items(
		arena, draft->templates, draft->template_count,
		sizeof(struct template_update));
	findings_out->event_count = draft->event_count;
	findings_out->events =
		event_draft_move_items(arena, draft->events, draft->event_count,
				       sizeof(struct event_row));
	findings_out->swap_count = draft->swap_count;
	findings_out->swaps =
		event_draft_move_items(arena, draft->swaps, draft->swap_count,
				       sizeof(struct cluster_swap));
	findings_out->visit_count = draft->visit_count;
	findings_out->visits =
		event_draft_move_items(arena, draft->visits, draft->visit_count,
				       sizeof(struct requested_page));
	*draft = (struct event_draft){.arena = arena};
}
