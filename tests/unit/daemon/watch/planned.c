#include "tests/unit/daemon/watch/planned.h"

#include "base/arena.h"
#include "store/rows.h"

static struct template_view subject_of(uint32_t cluster)
{
	struct template_view subject = {
		.cluster = cluster,
		.has_cluster = true,
		.cluster_row = {.page_count = cluster == SMALL ? 2 : 10,
				.created_ms = NOW - 10 * DAY,
				.changed_ms = NOW - 5 * DAY},
		.has_row = cluster == SELF || cluster == KNOWN,
	};

	if (subject.has_row)
		subject.row = (struct template_row){
			.created_ms = NOW - 9 * DAY,
			.seen_ms = NOW - 3 * HOUR,
			.round_ms = cluster == KNOWN ? NOW : NOW - 2 * HOUR,
			.version = 1,
			.threshold = 200,
		};
	return subject;
}

void planned_open(struct planned_site *planned)
{
	*planned = (struct planned_site){
		.arena = arena_create(),
		.scratch = arena_create(),
		.site = {.row = {.options.watch_ms = DAY,
				 .options.threshold = 200,
				 .options.flags = SITE_IS_KNOWN,
				 .added_ms = NOW - 10 * DAY - 2 * HOUR,
				 .seen_ms = NOW - HOUR,
				 .asked_ms = NOW - HOUR},
			 .due_ms = UINT64_MAX,
			 .subjects = planned->subjects,
			 .subject_count = CLUSTERS},
		.facts = {.sample_count = SAMPLE,
			  .has_version_row = true,
			  .version_ms = NOW - 9 * DAY,
			  .version_pages = 10,
			  .taken = {.version = &planned->version,
				    .pages = planned->taken,
				    .page_count = SAMPLE}},
		.version = {.page_count = 10},
	};
	for (uint32_t i = 0; i < CLUSTERS; i++)
		planned->subjects[i] = subject_of(i + 1);
	for (uint32_t i = 0; i < SAMPLE; i++) {
		planned->taken[i].page = 100 + i;
		planned->facts.sample[i].page = i;
	}
}

void planned_close(struct planned_site *planned)
{
	arena_destroy(planned->arena);
	arena_destroy(planned->scratch);
}

void planned_set(struct planned_site *planned, unsigned setting)
{
	struct site_row *site = &planned->site.row;

	if ((setting & BLIND) != 0)
		site->options.flags |= SITE_IS_OFFLINE;
	if ((setting & CRAWLED) != 0)
		site->pending_count = 1;
	if ((setting & UNREAD) != 0)
		planned->facts.taken = (struct built_version){0};
	if ((setting & UNKNOWN) != 0)
		planned->facts.has_version_row = false;
}

void planned_begin(struct planned_site *planned)
{
	plan_begin(planned->arena, &planned->site,
		   &(struct plan_options){3, 30 * DAY, 30 * DAY}, NOW,
		   &planned->plan);
}

void planned_vote(struct planned_site *planned, const struct votes *votes)
{
	struct template_facts *facts = &planned->facts;

	facts->self = plan_find(&planned->plan, SELF)->subject;
	facts->given = (struct data_request){.has_sample = true};
	for (uint32_t i = 0; i < SAMPLE; i++)
		facts->sample[i].cluster =
			votes->destination != 0 ? votes->destination : SELF;
	for (int i = 0; i < 2; i++) {
		planned->step = (struct decision){
			.cluster = SELF,
			.votes = *votes,
			.row = facts->self.row,
			.wish = {.has_sample = true},
			.next_ms = UINT64_MAX,
		};
		decision_plan_template(&planned->plan, facts, &planned->step);
		facts->given = planned->step.wish;
	}
}

void planned_target(struct planned_site *planned)
{
	struct template_facts *facts = &planned->facts;

	facts->self = plan_find(&planned->plan, TARGET)->subject;
	facts->given = (struct data_request){0};
	for (int i = 0; i < 3; i++) {
		decision_plan(&planned->plan, facts, planned->scratch,
			      &planned->step);
		facts->given = planned->step.wish;
	}
}
