#include "daemon/watch/inspection.h"

#include "base/arena.h"
#include "daemon/watch/inspection_apply.h"
#include "store/rows_template.h"

enum {
	MAX_FOUND = 64, /* maximum number of templates in one transaction */
	MAX_READINGS =
		4, /* of one subject, which may change between two readings */
};

/* A site check while it runs. */
struct making {
	struct facts_source source;
	struct watch_plan plan;
	struct event_draft draft;
};

/*
 * Read the data that the step requests and plan the step again, until nothing
 * is missing. The final step is based on data of one transaction only.
 */
static enum error plan_subject(const struct making *making,
			       const struct template_view *subject,
			       struct arena *scratch,
			       struct template_facts *facts,
			       struct decision *step)
{
	*facts = (struct template_facts){.self = *subject};
	decision_plan(&making->plan, facts, scratch, step);
	for (int i = 0; i < MAX_READINGS; i++) {
		struct data_request wish = step->wish;
		enum error error;

		if (data_request_is_met(&wish, &facts->given))
			return ERR_NONE;
		error = template_facts_read(&making->source, subject, &wish,
					    scratch, facts);
		if (error != ERR_NONE)
			return error;
		decision_plan(&making->plan, facts, scratch, step);
	}
	return ERR_BUSY;
}

static enum error inspect_subject(struct making *making,
				  const struct template_view *subject)
{
	struct arena *scratch = arena_create();
	struct template_facts *facts =
		ARENA_NEW(scratch, struct template_facts, 1);
	struct decision step;
	enum error error = plan_subject(making, subject, scratch, facts, &step);

	if (error == ERR_NONE) {
		decision_apply(&making->plan, facts, &step, scratch,
			       &making->draft);
		plan_add_decision(&making->plan, &step);
	}
	arena_destroy(scratch);
	return error;
}

/*
 * Order of the subjects. Live templates come first: their pages may be in new
 * clusters, and a new template must know where its pages come from before it is
 * planned.
 */
enum inspection_turn { TURN_LIVE, TURN_UNKNOWN, TURN_ENDED, TURNS };

static enum inspection_turn
site_check_turn_of(const struct template_view *subject)
{
	if (!subject->has_row)
		return TURN_UNKNOWN;
	return subject->row.state == TEMPLATE_LIVE ? TURN_LIVE : TURN_ENDED;
}

/*
 * Return whether the check stops here: it has many results; the next check
 * continues after they are committed.
 */
static bool site_check_is_full(const struct watch_plan *plan)
{
	return plan->found >= MAX_FOUND;
}

static enum error inspect_all(struct making *making, enum inspection_turn turn)
{
	const struct watch_plan *plan = &making->plan;
	enum error error = ERR_NONE;

	for (size_t i = 0; error == ERR_NONE && i < plan->subject_count &&
			   !site_check_is_full(plan);
	     i++) {
		const struct planned_template *planned = &plan->subjects[i];

		if (!planned->is_planned &&
		    site_check_turn_of(&planned->subject) == turn)
			error = inspect_subject(making, &planned->subject);
	}
	return error;
}

static void inspect_site(struct making *making, struct site_check *inspection)
{
	struct site_decision step;

	plan_site(&making->plan, &step);
	site_decision_apply(&making->plan, &step, &making->draft);
	inspection->findings.set_flags = step.set_flags;
	inspection->findings.clear_flags = step.clear_flags;
	if (step.next_ms < making->plan.next_ms)
		making->plan.next_ms = step.next_ms;
}

static enum error site_check_run(struct store *store,
				 const struct site_facts *site,
				 const struct site_check_rules *rules,
				 uint64_t now_ms, struct site_check *inspection)
{
	struct making making = {
		.source = {.store = store,
			   .pool = rules->pool,
			   .site = site,
			   .limits = &rules->limits,
			   .min_pages = rules->min_pages,
			   .now_ms = now_ms,
			   .arena = inspection->arena},
		.draft = {.arena = inspection->arena},
	};
	enum error error = ERR_NONE;

	plan_begin(inspection->arena, site,
		   &(struct plan_options){rules->min_pages, rules->stale_ms},
		   now_ms, &making.plan);
	for (int turn = 0; error == ERR_NONE && turn < TURNS; turn++)
		error = inspect_all(&making, (enum inspection_turn)turn);
	if (error == ERR_NONE && !site_check_is_full(&making.plan))
		inspect_site(&making, inspection);
	event_draft_finish(&making.draft, &inspection->findings);
	inspection->next_ms = making.plan.next_ms;
	return error;
}

enum error site_check_make(struct store *store, const char *host,
			   const struct site_check_rules *rules,
			   uint64_t now_ms, struct site_check *inspection_out)
{
	struct arena *arena = arena_create();
	struct site_facts *site = ARENA_NEW(arena, struct site_facts, 1);
	enum error error = site_facts_read(store, host, now_ms, arena, site);

	*inspection_out = (struct site_check){
		.arena = arena,
		.site = site->row.id,
		.seed = (char *)site->row.seed.data,
		.findings = {.threshold = site->row.options.threshold},
		.next_ms = UINT64_MAX,
	};
	if (error == ERR_NONE)
		error = site_check_run(store, site, rules, now_ms,
				       inspection_out);
	if (error != ERR_NONE)
		site_check_free(inspection_out);
	return error;
}

void site_check_free(struct site_check *inspection)
{
	arena_destroy(inspection->arena);
	*inspection = (struct site_check){.next_ms = UINT64_MAX};
}

bool site_check_has_updates(const struct site_check *inspection)
{
	const struct template_updates *findings = &inspection->findings;

	return findings->template_count + findings->event_count +
			       findings->visit_count >
		       0 ||
	       (findings->set_flags | findings->clear_flags) != 0;
}
