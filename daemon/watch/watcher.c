#include "daemon/watch/watcher.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/commit_incident.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "daemon/watch/decide.h"
#include "daemon/watch/field_check.h"
#include "daemon/watch/names.h"
#include "daemon/watch/render_samples.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/site_feed.h"

enum {
	/* maximum number of templates that one transaction updates */
	MAX_FOUND = 64,
	/*
	 * maximum reads of one subject, whose data may change between two reads
	 */
	MAX_READINGS = 4,
	MAX_FIELD_CHECKS = 256, /* templates with fields of a site */
	MAX_HOLD_MS = 6 * 60 * 60 * 1000,
};

/* A running site check. */
struct making {
	struct facts_source source;
	struct watch_plan plan;
	struct event_draft draft;
	bool is_well; /* the site is read as usual */
};

/*
 * Make the decision about a subject. Read the data that the decision requests
 * and then make the decision again, until it requests no further data. The
 * final decision uses only data that was read in one transaction.
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
 * The order of the subjects in a check. Live templates come first, because
 * their pages may be in new clusters. When a new template is planned, it must
 * be known whether its pages come from another template, or from one that has
 * vanished.
 */
enum inspection_turn {
	TURN_LIVE,
	TURN_SOUGHT,
	TURN_UNKNOWN,
	TURN_ENDED,
	TURNS
};

static enum inspection_turn
site_check_turn_of(const struct template_view *subject)
{
	if (!subject->has_row)
		return TURN_UNKNOWN;
	if (subject->row.state == TEMPLATE_LIVE)
		return TURN_LIVE;
	return (subject->row.flags & TEMPLATE_IS_SOUGHT) != 0 ? TURN_SOUGHT
							      : TURN_ENDED;
}

/*
 * Return whether the check must stop because it has enough results for one
 * transaction. After these are committed, the next check continues.
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
		    site_check_turn_of(&planned->subject) == turn &&
		    !plan_is_moving(plan, turn == TURN_UNKNOWN
						  ? 0
						  : planned->subject.cluster))
			error = inspect_subject(making, &planned->subject);
	}
	return error;
}

static void inspect_site(struct making *making, struct site_check *inspection)
{
	struct site_decision step;

	plan_site(&making->plan, &step);
	site_decision_apply(&making->plan, &step, &making->draft);
	inspection->findings.set_flags |= step.set_flags;
	inspection->findings.clear_flags |= step.clear_flags;
	if (step.next_ms < making->plan.next_ms)
		making->plan.next_ms = step.next_ms;
}

/*
 * Decide about the waiting visits and the health of the site. Return whether
 * its templates must wait for this decision.
 */
static enum error inspect_health(struct making *making,
				 const struct site_facts *site,
				 struct site_check *inspection,
				 bool *is_deciding_out)
{
	struct arena *arena = inspection->arena;
	struct health_facts *facts = ARENA_NEW(arena, struct health_facts, 1);
	struct health_decision decision;
	uint64_t now_ms = making->plan.now_ms;
	enum error error;

	*is_deciding_out = false;
	making->is_well = true;
	if (!site_is_fetched(&site->row))
		return ERR_NONE;
	error = health_facts_read(making->source.store, site, now_ms, arena,
				  facts);
	if (error != ERR_NONE)
		return error;
	health_decide(facts,
		      &(struct health_rules){
			      .now_ms = now_ms,
			      .round_ms = site->row.options.watch_ms,
			      .learned_ms = making->plan.first_ms,
			      .seen_ms = site->row.seen_ms,
			      .host = site->row.host,
		      },
		      arena, &decision);
	making->plan.is_inquiring = decision.is_doubtful;
	making->is_well = decision.row.state == SITE_STATE_OK;
	health_apply(&making->plan, &decision, &making->draft,
		     &inspection->findings);
	if (decision.next_ms < making->plan.next_ms)
		making->plan.next_ms = decision.next_ms;
	*is_deciding_out = decision.is_deciding ||
			   decision.accepted_count + decision.dropped_count > 0;
	return ERR_NONE;
}

/* Return whether the template is being checked. */
static bool template_is_busy(const struct template_view *subject)
{
	const unsigned flags =
		TEMPLATE_IS_ASKING | TEMPLATE_IS_SUSPECT | TEMPLATE_IS_DIVIDED;

	return subject->has_row && subject->row.state == TEMPLATE_LIVE &&
	       (subject->row.flags & flags) != 0;
}

/* Return whether live templates of the site are being checked. */
static bool plan_is_busy(const struct watch_plan *plan)
{
	for (size_t i = 0; i < plan->subject_count; i++)
		if (template_is_busy(&plan->subjects[i].subject))
			return true;
	return false;
}

/* The template to which the fields of a template move; 0 = they stay. */
static uint32_t fields_target(struct txn *txn, uint32_t site,
			      const struct template_view *subject)
{
	uint32_t other = subject->row.other;
	struct cluster_row cluster;
	struct fields_row fields;

	return subject->has_row &&
			       (subject->row.state == TEMPLATE_REPLACED ||
				subject->row.state == TEMPLATE_MERGED) &&
			       other != 0 &&
			       cluster_row_get(txn, site, other, &cluster) &&
			       !fields_row_get(txn, site, other, &fields)
		       ? other
		       : 0;
}

/*
 * Find the templates that have fields, and that are not being checked: set
 * `cluster`, `sets` and `moved_to` of `updates` [MAX_FIELD_CHECKS], and return
 * their number.
 */
static size_t find_fields(const struct making *making,
			  struct fields_update *updates)
{
	uint32_t site = making->plan.site->id;
	struct txn txn = txn_begin_read(making->source.store);
	struct scan scan = scan_site(&txn, TABLE_FIELDS, site);
	struct fields_row row;
	size_t count = 0;

	while (count < MAX_FIELD_CHECKS && scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));
		const struct planned_template *planned =
			plan_find(&making->plan, cluster);
		uint32_t target;

		if (planned == NULL || template_is_busy(&planned->subject) ||
		    plan_is_moving(&making->plan, cluster) ||
		    !fields_row_decode(scan.value, &row))
			continue;
		target = fields_target(&txn, site, &planned->subject);
		if (target != 0 || planned->subject.has_cluster)
			updates[count++] = (struct fields_update){
				.cluster = cluster,
				.moved_to = target,
				.sets = arena_slice(making->source.arena,
						    row.sets),
			};
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

/* Read the fields of the pages that were stored again. */
static enum error check_fields(struct making *making,
			       const struct site_check_rules *rules,
			       struct template_updates *findings)
{
	struct fields_update *updates = ARENA_NEW(
		making->source.arena, struct fields_update, MAX_FIELD_CHECKS);
	size_t count = find_fields(making, updates);
	uint64_t watch_ms = making->plan.site->options.watch_ms;
	const struct field_check_rules field_rules = {
		.heal = rules->heal,
		.hold_ms = watch_ms != 0 && 2 * watch_ms < MAX_HOLD_MS
				   ? 2 * watch_ms
				   : MAX_HOLD_MS,
	};
	enum error error = ERR_NONE;
	size_t pages = 0;

	findings->fields = updates;
	/* the check that follows the commit continues */
	for (size_t i = 0;
	     i < count && error == ERR_NONE && pages < FIELD_CHECK_PAGES; i++) {
		struct fields_update update = updates[i];
		bool has_update = update.moved_to != 0;

		if (!has_update)
			error = fields_check(&making->source, &field_rules,
					     &update, &has_update,
					     &making->plan.next_ms);
		if (has_update)
			updates[findings->fields_count++] = update;
		pages += has_update ? update.value_count : 0;
	}
	return error;
}

/*
 * Find out whether incidents of the site must be reported or end.
 * `is_deciding`: the health of the site is not known yet.
 */
static enum error check_incidents(struct store *store,
				  const struct site_check_rules *rules,
				  bool is_deciding, struct watch_plan *plan,
				  struct template_updates *findings)
{
	const struct incident_rules incident_rules = {
		.gather_ms = rules->gather_ms,
		.interval_ms = plan->site->options.watch_ms,
		.now_ms = plan->now_ms,
		.is_busy = is_deciding || plan_is_busy(plan),
	};
	struct txn txn = txn_begin_read(store);
	uint64_t next_ms = incidents_next(&txn, plan->site, &incident_rules);

	findings->is_busy = incident_rules.is_busy;
	findings->has_incidents = next_ms <= plan->now_ms;
	if (next_ms < plan->next_ms)
		plan->next_ms = next_ms;
	return txn_end(&txn);
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
	bool is_deciding = false;
	enum error error;

	plan_begin(inspection->arena, site,
		   &(struct plan_options){rules->min_pages, rules->stale_ms,
					  rules->ended_ms},
		   now_ms, &making.plan);
	error = inspect_health(&making, site, inspection, &is_deciding);
	if (error == ERR_NONE && plan_is_settled(&making.plan))
		error = site_names_make(store, site, inspection->arena,
					&inspection->findings);
	for (int turn = 0; error == ERR_NONE && !is_deciding && turn < TURNS;
	     turn++)
		error = inspect_all(&making, (enum inspection_turn)turn);
	if (error == ERR_NONE && !site_check_is_full(&making.plan))
		inspect_site(&making, inspection);
	if (error == ERR_NONE && !is_deciding && making.is_well &&
	    !site_check_is_full(&making.plan))
		error = check_fields(&making, rules, &inspection->findings);
	if (error == ERR_NONE && !is_deciding && making.is_well &&
	    rules->has_browser && plan_is_settled(&making.plan))
		error = render_samples_make(
			store, &making.plan, inspection->arena,
			&inspection->findings, &making.plan.next_ms);
	plan_await_moves(&making.plan);
	event_draft_finish(&making.draft, &inspection->findings);
	if (error == ERR_NONE)
		error = check_incidents(store, rules, is_deciding, &making.plan,
					&inspection->findings);
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

	return findings->template_count + findings->name_count +
			       findings->event_count + findings->visit_count +
			       findings->swap_count + findings->accepted_count +
			       findings->dropped_count +
			       findings->render_count >
		       0 ||
	       findings->fields_count > 0 || findings->health != NULL ||
	       findings->has_incidents ||
	       (findings->set_flags | findings->clear_flags) != 0;
}

/* The state of a site at its last check. */
struct watched {
	uint32_t site;
	uint64_t generation;
	uint64_t threshold_generation;
	uint64_t seen_ms;
	uint64_t asked_ms;
	uint32_t pending_count;
	uint32_t failed_count;
	uint32_t flags;
	uint64_t watch_ms;
	uint64_t next_ms; /* time of the next check if nothing changes */
	char *host;
	bool is_there;
};

/* Number of sites whose updates are committed together. */
enum { BATCH_SITES = 16 };

/* Checks with updates that are not committed yet. */
struct check_batch {
	struct site_check checks[BATCH_SITES]; /* [count] */
	struct watched *sites[BATCH_SITES];
	struct url urls[BATCH_SITES];
	struct change changes[BATCH_SITES];
	size_t count;
	bool is_failing; /* a failure that may persist */
};

struct watcher {
	struct store *store;
	struct pipeline *pipeline;
	struct site_check_rules rules;
	struct background *background;
	struct site_feed *feed;
	struct watched *sites; /* [count], ascending by number */
	size_t count;
	size_t capacity;
	struct check_batch batch;
};

static struct watched *watcher_find_site(struct watcher *watching,
					 uint32_t site)
{
	size_t at;

	LOWER_BOUND(at, watching->count, watching->sites[at].site < site);
	if (at < watching->count && watching->sites[at].site == site)
		return &watching->sites[at];
	watching->sites = mem_grow(watching->sites, watching->count,
				   &watching->capacity, sizeof(struct watched));
	memmove(&watching->sites[at + 1], &watching->sites[at],
		(watching->count - at) * sizeof(struct watched));
	watching->count++;
	watching->sites[at] = (struct watched){.site = site};
	return &watching->sites[at];
}

/*
 * Store the current state of the site in *watched. Return whether a check is
 * due.
 */
static bool is_due(struct watched *watched, const struct site_row *row,
		   uint64_t now_ms)
{
	bool has_news =
		watched->host == NULL ||
		watched->generation != row->generation ||
		watched->threshold_generation != row->threshold_generation ||
		watched->seen_ms != row->seen_ms ||
		watched->asked_ms != row->asked_ms ||
		watched->pending_count != row->pending_count ||
		watched->failed_count != row->failed_count ||
		watched->flags != row->options.flags ||
		watched->watch_ms != row->options.watch_ms;

	if (watched->host == NULL)
		watched->host = mem_copy_text(row->host.data, row->host.size);
	watched->generation = row->generation;
	watched->threshold_generation = row->threshold_generation;
	watched->seen_ms = row->seen_ms;
	watched->asked_ms = row->asked_ms;
	watched->pending_count = row->pending_count;
	watched->failed_count = row->failed_count;
	watched->flags = row->options.flags;
	watched->watch_ms = row->options.watch_ms;
	watched->is_there = true;
	return has_news || watched->next_ms <= now_ms;
}

/* Remove the deleted sites from the list. */
static void drop_sites(struct watcher *watching)
{
	size_t kept = 0;

	for (size_t i = 0; i < watching->count; i++) {
		if (watching->sites[i].is_there) {
			watching->sites[kept++] = watching->sites[i];
		} else {
			free(watching->sites[i].host);
			watching->sites[i].host = NULL;
		}
	}
	assert(kept <= watching->count);
	watching->count = kept;
}

/* Read the row of a site. Set its next_ms to 0 if a check is due. */
static void watcher_note_site(struct watcher *watching,
			      const struct site_row *row, uint64_t now_ms)
{
	struct watched *watched;

	if (!store_owns_site(watching->store, row->id))
		return;
	watched = watcher_find_site(watching, row->id);
	if (is_due(watched, row, now_ms))
		watched->next_ms = 0;
}

/* Read the rows of all sites, and remove the deleted ones from the list. */
static void watcher_read_all(struct watcher *watching, struct txn *txn,
			     uint64_t now_ms)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	for (size_t i = 0; i < watching->count; i++)
		watching->sites[i].is_there = false;
	while (scan_next(&scan))
		if (site_decode(scan.value, &row))
			watcher_note_site(watching, &row, now_ms);
	scan_end(&scan);
	if (txn->error == ERR_NONE)
		drop_sites(watching);
}

/*
 * Read the rows that have changed. Set next_ms of a site to 0 if a check is
 * due.
 */
static enum error watcher_read_sites(struct watcher *watching, uint64_t now_ms)
{
	struct host_list changed = {0};
	bool is_all = !site_feed_take(watching->feed, &changed);
	struct txn txn = txn_begin_read(watching->store);
	struct site_row row;
	enum error error;

	host_list_sort(&changed);
	for (size_t i = 0; i < changed.count; i++)
		if (site_get(&txn, slice_of(changed.hosts[i]), &row))
			watcher_note_site(watching, &row, now_ms);
	if (is_all)
		watcher_read_all(watching, &txn, now_ms);
	host_list_free(&changed);
	for (size_t i = 0; i < watching->count; i++)
		if (watching->sites[i].next_ms <= now_ms)
			watching->sites[i].next_ms = 0;
	error = txn_end(&txn);
	if (error != ERR_NONE)
		site_feed_reset(watching->feed);
	return error;
}

/* Convert a time of the wall clock, which may be set, to the steady clock. */
static uint64_t steady_of(uint64_t time_ms, uint64_t wall_ms)
{
	uint64_t now_ms = clock_steady_ms();

	if (time_ms == UINT64_MAX)
		return UINT64_MAX;
	return time_ms > wall_ms ? now_ms + (time_ms - wall_ms) : now_ms;
}

/*
 * Handle the result of a check. After a commit check the site again, because
 * the commit may cause other changes.
 */
static void check_batch_settle(struct check_batch *batch,
			       struct watched *watched, enum error error)
{
	if (error == ERR_NONE || error == ERR_NOT_FOUND ||
	    error == ERR_STOPPED || error == ERR_BUSY)
		return;
	log_warn_limited_about(
		(struct log_subject){.site = slice_of(watched->host)},
		"cannot check its templates now: %s; retrying",
		error_text(error));
	/* check the site again after the pause that follows a failure */
	watched->next_ms = 0;
	batch->is_failing = true;
}

static void check_batch_commit(struct watcher *watching,
			       struct check_batch *batch)
{
	if (batch->count > 0)
		pipeline_commands(watching->pipeline, batch->changes,
				  batch->count);
	for (size_t i = 0; i < batch->count; i++) {
		batch->sites[i]->next_ms = 0;
		check_batch_settle(batch, batch->sites[i],
				   batch->changes[i].error);
		site_check_free(&batch->checks[i]);
	}
	batch->count = 0;
}

/* Check a site, and add its updates to the batch. */
static void watcher_check_site(struct watcher *watching,
			       struct watched *watched,
			       struct check_batch *batch)
{
	size_t at = batch->count;
	struct site_check *check = &batch->checks[at];
	enum error error;

	assert(watched->host != NULL);
	error = site_check_make(watching->store, watched->host,
				&watching->rules, clock_wall_ms(), check);
	watched->next_ms = steady_of(check->next_ms, clock_wall_ms());
	if (error == ERR_NONE && !site_check_has_updates(check)) {
		site_check_free(check);
		return;
	}
	if (error == ERR_NONE)
		error = url_parse(&batch->urls[at], slice_of(check->seed),
				  NULL);
	if (error != ERR_NONE) {
		check_batch_settle(batch, watched, error);
		site_check_free(check);
		return;
	}
	batch->sites[at] = watched;
	batch->changes[at] = (struct change){
		.kind = CHANGE_TEMPLATES,
		.url = &batch->urls[at],
		.templates = {.site = check->site,
			      .findings = &check->findings},
	};
	batch->count++;
	if (batch->count == BATCH_SITES)
		check_batch_commit(watching, batch);
}

static struct thread_schedule watch_all(struct background *background,
					void *context)
{
	struct watcher *watching = context;
	struct check_batch *batch = &watching->batch;
	struct thread_schedule wish = {0};
	uint64_t now_ms = clock_steady_ms();
	uint64_t next_ms = UINT64_MAX;
	enum error error;

	error = watcher_read_sites(watching, now_ms);
	if (error != ERR_NONE) {
		log_warn("cannot read the sites now: %s; retrying",
			 error_text(error));
		return (struct thread_schedule){.is_failing = true,
						.within_ms = 1};
	}
	batch->is_failing = false;
	for (size_t i = 0; i < watching->count; i++)
		if (watching->sites[i].next_ms == 0 &&
		    !background_is_ended(background))
			watcher_check_site(watching, &watching->sites[i],
					   batch);
	check_batch_commit(watching, batch);
	wish.is_failing = batch->is_failing;
	for (size_t i = 0; i < watching->count; i++)
		if (watching->sites[i].next_ms < next_ms)
			next_ms = watching->sites[i].next_ms;
	now_ms = clock_steady_ms();
	if (next_ms != UINT64_MAX)
		wish.within_ms = next_ms > now_ms ? next_ms - now_ms : 1;
	return wish;
}

enum error watcher_start(struct watcher **watching_out, struct store *store,
			 struct pipeline *pipeline,
			 const struct site_check_rules *rules)
{
	struct watcher *watching = mem_alloc(1, sizeof(*watching));
	enum error error;

	watching->store = store;
	watching->pipeline = pipeline;
	watching->rules = *rules;
	watching->feed = site_feed_create(store);
	error = background_start(&watching->background, watch_all, watching);
	if (error == ERR_NONE) {
		*watching_out = watching;
		return ERR_NONE;
	}
	site_feed_destroy(watching->feed);
	free(watching);
	return error;
}

void watcher_wake(struct watcher *watching)
{
	background_wake(watching->background);
}

void watcher_stop(struct watcher *watching)
{
	if (watching == NULL)
		return;
	background_stop(watching->background);
	site_feed_destroy(watching->feed);
	for (size_t i = 0; i < watching->count; i++)
		free(watching->sites[i].host);
	free(watching->sites);
	free(watching);
}
