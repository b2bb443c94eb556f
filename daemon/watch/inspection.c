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
	struct plan plan;
	struct draft draft;
};

/*
 * Read the data that the step requests and plan the step again, until nothing
 * is missing. The final step is based on data of one transaction only.
 */
static enum error plan_subject(const struct making *making,
			       const struct subject *subject,
			       struct arena *scratch,
			       struct subject_facts *facts, struct step *step)
{
	*facts = (struct subject_facts){.self = *subject};
	step_plan(&making->plan, facts, scratch, step);
	for (int i = 0; i < MAX_READINGS; i++) {
		struct wish wish = step->wish;
		enum error error;

		if (wish_is_met(&wish, &facts->given))
			return ERR_NONE;
		error = subject_facts_read(&making->source, subject, &wish,
					   scratch, facts);
		if (error != ERR_NONE)
			return error;
		step_plan(&making->plan, facts, scratch, step);
	}
	return ERR_BUSY;
}

static enum error inspect_subject(struct making *making,
				  const struct subject *subject)
{
	struct arena *scratch = arena_create();
	struct subject_facts *facts =
		ARENA_NEW(scratch, struct subject_facts, 1);
	struct step step;
	enum error error = plan_subject(making, subject, scratch, facts, &step);

	if (error == ERR_NONE) {
		step_apply(&making->plan, facts, &step, scratch,
			   &making->draft);
		plan_take(&making->plan, &step);
	}
	arena_destroy(scratch);
	return error;
}

/*
 * Order of the subjects. Live templates come first: their pages may be in new
 * clusters, and a new template must know where its pages come from before it is
 * planned.
 */
enum turn { TURN_LIVE, TURN_UNKNOWN, TURN_ENDED, TURNS };

static enum turn turn_of(const struct subject *subject)
{
	if (!subject->has_row)
		return TURN_UNKNOWN;
	return subject->row.state == TEMPLATE_LIVE ? TURN_LIVE : TURN_ENDED;
}

/*
 * Return whether the check stops here: it has many results; the next check
 * continues after they are committed.
 */
static bool is_cut(const struct plan *plan)
{
	return plan->found >= MAX_FOUND;
}

static enum error inspect_all(struct making *making, enum turn turn)
{
	const struct plan *plan = &making->plan;
	enum error error = ERR_NONE;

	for (size_t i = 0;
	     error == ERR_NONE && i < plan->subject_count && !is_cut(plan);
	     i++) {
		const struct planned *planned = &plan->subjects[i];

		if (!planned->is_planned && turn_of(&planned->subject) == turn)
			error = inspect_subject(making, &planned->subject);
	}
	return error;
}

static void inspect_site(struct making *making, struct inspection *inspection)
{
	struct site_step step;

	plan_site(&making->plan, &step);
	site_step_apply(&making->plan, &step, &making->draft);
	inspection->findings.set_flags = step.set_flags;
	inspection->findings.clear_flags = step.clear_flags;
	if (step.next_ms < making->plan.next_ms)
		making->plan.next_ms = step.next_ms;
}

static enum error inspect(struct store *store, const struct site_facts *site,
			  const struct inspection_rules *rules, uint64_t now_ms,
			  struct inspection *inspection)
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
		error = inspect_all(&making, (enum turn)turn);
	if (error == ERR_NONE && !is_cut(&making.plan))
		inspect_site(&making, inspection);
	draft_end(&making.draft, &inspection->findings);
	inspection->next_ms = making.plan.next_ms;
	return error;
}

enum error inspection_make(struct store *store, const char *host,
			   const struct inspection_rules *rules,
			   uint64_t now_ms, struct inspection *inspection_out)
{
	struct arena *arena = arena_create();
	struct site_facts *site = ARENA_NEW(arena, struct site_facts, 1);
	enum error error = site_facts_read(store, host, now_ms, arena, site);

	*inspection_out = (struct inspection){
		.arena = arena,
		.site = site->row.id,
		.seed = (char *)site->row.seed.data,
		.findings = {.threshold = site->row.options.threshold},
		.next_ms = UINT64_MAX,
	};
	if (error == ERR_NONE)
		error = inspect(store, site, rules, now_ms, inspection_out);
	if (error != ERR_NONE)
		inspection_free(inspection_out);
	return error;
}

void inspection_free(struct inspection *inspection)
{
	arena_destroy(inspection->arena);
	*inspection = (struct inspection){.next_ms = UINT64_MAX};
}

bool inspection_has_findings(const struct inspection *inspection)
{
	const struct findings *findings = &inspection->findings;

	return findings->template_count + findings->event_count +
			       findings->visit_count >
		       0 ||
	       (findings->set_flags | findings->clear_flags) != 0;
}
