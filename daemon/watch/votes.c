#include "daemon/watch/decide.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "page/page_class.h"
#include "template/version_json.h"

enum {
	MAX_LINEAGE = 64 /* maximum number of entries; the oldest are dropped */
};

static int most_first(const void *left, const void *right)
{
	const struct destination *a = left;
	const struct destination *b = right;

	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

/*
 * Return the cluster of the page or, if the page redirects, of its target; 0 =
 * none.
 */
static uint32_t sample_page_cluster(const struct sample_page *page)
{
	return page->lead == REDIRECT_TARGET_NONE ? page->cluster
						  : page->lead_cluster;
}

struct page_moves page_moves_of(const struct template_facts *facts)
{
	struct page_moves flows = {.count = 0};

	for (uint32_t i = 0; i < facts->sample_count; i++) {
		uint32_t cluster = sample_page_cluster(&facts->sample[i]);
		uint32_t at = 0;

		while (at < flows.count && flows.items[at].cluster != cluster)
			at++;
		if (at == flows.count)
			flows.items[flows.count++] =
				(struct destination){.cluster = cluster};
		flows.items[at].pages++;
	}
	if (flows.count > 1)
		qsort(flows.items, flows.count, sizeof(flows.items[0]),
		      most_first);
	return flows;
}

uint32_t page_moves_main(const struct page_moves *flows, uint32_t self,
			 uint32_t likely)
{
	const struct destination *best = NULL;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct destination *item = &flows->items[i];

		if (item->cluster == 0 || item->cluster == self)
			continue;
		if (best == NULL ||
		    (item->cluster == likely && item->pages == best->pages))
			best = item;
	}
	return best == NULL ? 0 : best->cluster;
}

/* Maximum number of paths or fragments in the evidence. */
enum { MAX_ITEMS = 20 };

struct slice evidence_text(struct arena *arena, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(3));
	struct slice copy = arena_slice(arena, slice_of(text));

	free(text);
	json_decref(value);
	return copy;
}

/* Return [{"template", "pages"}, ...]. */
static json_t *destinations_json(struct slice host,
				 const struct destination *items,
				 uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:I}", "template",
					json_cluster_id(host, items[i].cluster),
					"pages", (json_int_t)items[i].pages));
	return list;
}

struct slice lineage_add(const struct watch_plan *plan, struct slice lineage,
			 const struct lineage_entry *entry)
{
	json_t *list = json_loadb(lineage.data == NULL ? "" : lineage.data,
				  lineage.size, 0, NULL);
	json_t *value;

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	value = json_pack("{s:o, s:s, s:o}", "time", json_time(plan->now_ms),
			  "kind", entry->kind, "other",
			  json_cluster_id(plan->site->host, entry->other));
	if (entry->flows != NULL)
		json_object_set_new(value, "to",
				    destinations_json(plan->site->host,
						      entry->flows->items,
						      entry->flows->count));
	json_array_append_new(list, value);
	while (json_array_size(list) > MAX_LINEAGE)
		json_array_remove(list, 0);
	return evidence_text(plan->arena, list);
}

static void evidence_add_item(json_t *list, const struct version_item *item)
{
	if (item->text.size > 0 && json_array_size(list) < MAX_ITEMS)
		json_array_append_new(list,
				      json_pack("{s:o, s:f}", "text",
						json_text(item->text), "ratio",
						(double)item->ratio));
}

/*
 * Hashes of paths or fragments that a template has lost or gained, and the
 * items that have the texts for them.
 */
struct moved_items {
	const uint64_t *hashes; /* [count], ascending */
	uint32_t count;
	const struct version_item *items; /* [item_count] */
	uint32_t item_count;
	/*
	 * [difference_count], the items that differ between the stored versions
	 * before and after the change; used instead if both are known
	 */
	const struct version_item *const *differences;
	uint32_t difference_count;
	bool has_versions; /* both versions are known */
};

static json_t *evidence_items_json(const struct moved_items *moved)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < moved->difference_count; i++)
		evidence_add_item(list, moved->differences[i]);
	for (uint32_t i = 0; i < moved->item_count && !moved->has_versions; i++)
		if (sorted_find(moved->hashes, moved->count,
				moved->items[i].hash) < moved->count)
			evidence_add_item(list, &moved->items[i]);
	return list;
}

/*
 * Return the number of items that have moved. If both versions are known, it is
 * that of version_compare(), as in the reports, and not that of the sample.
 */
static json_int_t moved_items_count(const struct moved_items *moved)
{
	return moved->has_versions ? moved->difference_count : moved->count;
}

static json_t *moves_json(double ratio, const struct moved_items *gone,
			  const struct moved_items *come)
{
	return json_pack("{s:f, s:I, s:I, s:o, s:o}", "moved", ratio,
			 "gone_count", moved_items_count(gone), "come_count",
			 moved_items_count(come), "gone",
			 evidence_items_json(gone), "come",
			 evidence_items_json(come));
}

/*
 * Add the paths and fragments that the template has lost or gained to `value`.
 */
static void add_moves(const struct template_facts *facts,
		      const struct detection *detection, struct arena *scratch,
		      json_t *value)
{
	static const struct version none;
	const struct version *before =
		facts->before == NULL ? &none : facts->before;
	const struct version *after =
		facts->taken.version == NULL ? &none : facts->taken.version;
	bool has_versions = before != &none && after != &none;
	struct version_diff diff = {0};

	if (has_versions)
		version_compare(scratch, before, after, &diff);
	json_object_set_new(
		value, "paths",
		moves_json(detection->paths_moved,
			   &(struct moved_items){
				   detection->gone_paths,
				   detection->gone_path_count, before->paths,
				   before->path_count, diff.gone_paths,
				   diff.gone_path_count, has_versions},
			   &(struct moved_items){
				   detection->come_paths,
				   detection->come_path_count, after->paths,
				   after->path_count, diff.come_paths,
				   diff.come_path_count, has_versions}));
	json_object_set_new(
		value, "fragments",
		moves_json(detection->fragments_moved,
			   &(struct moved_items){
				   detection->gone_fragments,
				   detection->gone_fragment_count,
				   before->fragments, before->fragment_count,
				   diff.gone_fragments,
				   diff.gone_fragment_count, has_versions},
			   &(struct moved_items){
				   detection->come_fragments,
				   detection->come_fragment_count,
				   after->fragments, after->fragment_count,
				   diff.come_fragments,
				   diff.come_fragment_count, has_versions}));
}

/* Maximum number of regions in the evidence. */
enum { MAX_REGIONS = 8 };

/* Return [{"where", "was", "now", "elements", "pages"}, ...]. */
static json_t *change_regions_json(const struct detection *detection)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < detection->region_count && i < MAX_REGIONS;
	     i++) {
		const struct change_region *region = &detection->regions[i];
		json_t *elements = json_array();

		for (uint32_t j = 0; j < region->element_count; j++)
			json_array_append_new(
				elements,
				json_pack("{s:o, s:o}", "was",
					  json_text(region->elements[j].was),
					  "now",
					  json_text(region->elements[j].now)));
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o, s:o, s:I}", "where",
				  json_text(region->where), "was",
				  json_text(region->was), "now",
				  json_text(region->now), "elements", elements,
				  "pages",
				  (json_int_t)count_pages(region->pages)));
	}
	return list;
}

static const char *
observation_name(const struct sample_observation *observation)
{
	switch (observation->kind) {
	case OBSERVED_PAGE:
		return "page";
	case OBSERVED_GONE:
		return observation->is_moved ? "redirect" : "gone";
	case OBSERVED_BLOCKED:
		return "blocked";
	default:
		return "unseen";
	}
}

static json_t *evidence_pages_json(struct slice host,
				   const struct template_facts *facts,
				   const struct votes *votes)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < votes->pages; i++) {
		const struct sample_observation *now = &votes->observations[i];

		const struct sample_page *page = &facts->sample[i];
		json_t *value;

		if (now->kind == OBSERVED_UNSEEN)
			continue;
		value = json_pack(
			"{s:o, s:s, s:o}", "url", json_text(page->url), "now",
			page->is_stored || !now->is_moved
				? observation_name(now)
				: "moved",
			"template", json_cluster_id(host, now->cluster));
		if (page->moved_to.size > 0)
			json_object_set_new(value, "to",
					    json_text(page->moved_to));
		json_array_append_new(list, value);
	}
	return list;
}

/*
 * Return the numbers of the template's versions before and after, or only one
 * number if they are equal.
 */
static json_t *evidence_versions_json(uint32_t before, uint32_t after)
{
	return before == after ? json_pack("[I]", (json_int_t)before)
			       : json_pack("[I, I]", (json_int_t)before,
					   (json_int_t)after);
}

static void json_add_ms(json_t *object, const char *name, uint64_t time_ms)
{
	json_object_set_new(object, name, json_integer((json_int_t)time_ms));
}

/*
 * Add the times by which an incident recognizes a finding of the same cause:
 * "changed_ms", when the first of the pages that agree has changed (0 = none
 * has); "unchanged_ms", when the last of them was fetched before its change;
 * when the template was built; and when it was last seen unchanged.
 */
static void evidence_add_times(json_t *evidence,
			       const struct template_facts *facts,
			       const struct detection *detection)
{
	uint64_t changed_ms = UINT64_MAX;
	uint64_t unchanged_ms = 0;

	for (uint32_t i = 0; i < facts->sample_count; i++)
		for (uint32_t k = 0; k < detection->agreed; k++) {
			const struct sample_page *page = &facts->sample[i];

			if (page->page != detection->pages[k])
				continue;
			if (page->changed_ms != 0 &&
			    page->changed_ms < changed_ms)
				changed_ms = page->changed_ms;
			if (page->since_ms > unchanged_ms)
				unchanged_ms = page->since_ms;
		}
	json_add_ms(evidence, "changed_ms",
		    changed_ms == UINT64_MAX ? 0 : changed_ms);
	json_add_ms(evidence, "unchanged_ms", unchanged_ms);
	json_add_ms(evidence, "built_ms", facts->self.row.created_ms);
	json_add_ms(evidence, "checked_ms", facts->self.row.seen_ms);
}

json_t *evidence_of_decision(const struct watch_plan *plan,
			     const struct template_facts *facts,
			     const struct decision *step, struct arena *scratch)
{
	const struct detection *detection = &step->votes.detection;
	struct slice host = plan->site->host;
	json_t *value = json_pack("{s:o, s:I, s:I}", "from",
				  json_cluster_id(host, step->cluster), "seen",
				  (json_int_t)detection->seen, "agreed",
				  (json_int_t)step->event.agreed);

	evidence_add_times(value, facts, detection);
	if (facts->self.row.version != 0)
		json_object_set_new(
			value, "versions",
			evidence_versions_json(facts->self.row.version,
					       step->row.version));
	if (step->event.kind == EVENT_TEMPLATE_RESTORED)
		json_object_set_new(value, "restored",
				    json_pack("{s:I, s:o}", "version",
					      (json_int_t)facts->former,
					      "until",
					      json_time(facts->former_ms)));
	if (step->event.reason != NULL)
		json_object_set_new(value, "reason",
				    json_string(step->event.reason));
	else if (detection->is_root_class)
		json_object_set_new(
			value, "reason",
			json_string("a class of html or body has changed"));
	if (step->signal == SIGNAL_DEPLETED)
		json_object_set_new(
			value, "left",
			json_integer((json_int_t)facts->self.cluster_row
					     .page_count));
	json_object_set_new(value, "to",
			    destinations_json(host, detection->destinations,
					      detection->destination_count));
	add_moves(facts, detection, scratch, value);
	if (detection->region_count > 0)
		json_object_set_new(value, "regions",
				    change_regions_json(detection));
	json_object_set_new(value, "pages",
			    evidence_pages_json(host, facts, &step->votes));
	return value;
}

json_t *evidence_of_correction(const struct watch_plan *plan,
			       const struct template_facts *facts,
			       const struct decision *step)
{
	const struct page_moves flows = page_moves_of(facts);
	struct slice host = plan->site->host;
	json_t *pages = json_array();

	for (uint32_t i = 0; i < facts->sample_count; i++)
		json_array_append_new(
			pages,
			json_pack("{s:o, s:o}", "url",
				  json_text(facts->sample[i].url), "template",
				  json_cluster_id(host,
						  sample_page_cluster(
							  &facts->sample[i]))));
	return json_pack("{s:o, s:I, s:I, s:I, s:s, s:o, s:o}", "from",
			 json_cluster_id(host, step->cluster), "corrects",
			 (json_int_t)step->event.corrects, "seen",
			 (json_int_t)facts->sample_count, "agreed",
			 (json_int_t)step->event.agreed, "reason",
			 "a later threshold has moved its pages", "to",
			 destinations_json(host, flows.items, flows.count),
			 "pages", pages);
}

json_t *evidence_of_new(const struct built_version *taken)
{
	const struct version *version = taken->version;
	json_t *pages = json_array();

	for (size_t i = 0; i < taken->page_count; i++)
		json_array_append_new(pages,
				      json_text(taken->pages[i].row.url));
	return json_pack("{s:I, s:{s:I}, s:{s:I}, s:o}", "page_count",
			 (json_int_t)version->page_count, "paths", "stable",
			 (json_int_t)version->path_count, "fragments", "stable",
			 (json_int_t)version->fragment_count, "pages", pages);
}

enum {
	PERMILLE = 1000,
	/*
	 * permille of the sample pages that must agree; see votes_of_most()
	 */
	MOST = 660,
};

/* Return whether the last visit of the page ended in the time window. */
static bool sample_page_is_fetched(const struct sample_page *page,
				   uint64_t window_ms)
{
	return page->answered_ms != 0 && page->answered_ms >= window_ms;
}

static struct sample_observation observe_page(const struct sample_page *page,
					      uint64_t window_ms)
{
	struct sample_observation observation = {
		.kind = OBSERVED_PAGE,
		.cluster = page->cluster,
		.fetched_ms = page->fetched_ms,
		.is_fresh = page->fetched_ms > page->since_ms &&
			    page->fetched_ms >= window_ms,
		.has_other_paths = page->has_other_paths,
		.is_moved = page->is_moved,
	};

	if (observation.is_fresh)
		return observation;
	if (page->is_refused && sample_page_is_fetched(page, window_ms))
		observation.kind = OBSERVED_BLOCKED;
	else if (!page->has_other_paths)
		observation.kind = OBSERVED_UNSEEN;
	return observation;
}

struct sample_observation observe_sample_page(const struct sample_page *page,
					      uint64_t window_ms)
{
	struct sample_observation observation = {
		.kind = OBSERVED_GONE,
		.is_fresh = sample_page_is_fetched(page, window_ms),
	};

	if (page->lead != REDIRECT_TARGET_NONE) {
		if (page->lead == REDIRECT_TARGET_QUEUED)
			observation.kind = OBSERVED_UNSEEN;
		observation.cluster = page->lead_cluster;
		observation.is_moved = page->lead_cluster != 0;
		return observation;
	}
	if (!page->is_stored)
		return observation;
	switch (page->page_class) {
	case CLASS_PAGE:
		return observe_page(page, window_ms);
	case CLASS_ERROR:
	case CLASS_CHALLENGE:
	case CLASS_CONSENT:
	case CLASS_TRUNCATED:
		observation.kind = observation.is_fresh ? OBSERVED_BLOCKED
							: OBSERVED_UNSEEN;
		return observation;
	default:
		return observation;
	}
}

/* Return whether the page was not fetched, or is a page with its old paths. */
static bool
observation_is_unchanged(const struct sample_observation *observation)
{
	return observation->kind == OBSERVED_UNSEEN ||
	       (observation->kind == OBSERVED_PAGE &&
		!observation->has_other_paths);
}

/* The inputs of a count, and its result. */
struct vote_count {
	const struct template_facts *facts;
	const struct vote_rules *rules;
	struct arena *arena;
	struct votes *votes;
};

/*
 * Return the cluster that has more than half of the pages (Boyer-Moore majority
 * vote). If there is no such cluster, the result is any cluster.
 */
static uint32_t majority_of(const struct votes *votes)
{
	uint32_t majority = 0;
	uint32_t lead = 0;

	for (uint32_t i = 0; i < votes->pages; i++) {
		uint32_t cluster = votes->observations[i].cluster;

		if (lead == 0)
			majority = cluster;
		lead += cluster == majority ? 1U : UINT32_MAX;
	}
	return majority;
}

/*
 * Handle a changed threshold: unchanged pages do not count against the
 * template, even if they are in another cluster now. If the template no longer
 * has a cluster and most of its pages are unchanged, only set is_recut.
 */
static void forgive_recut(const struct vote_count *count)
{
	struct votes *votes = count->votes;
	uint32_t unchanged = 0;

	votes->majority = majority_of(votes);
	for (uint32_t i = 0; i < votes->pages; i++)
		unchanged += observation_is_unchanged(&votes->observations[i]);
	votes->is_recut =
		!count->facts->self.has_cluster && 2 * unchanged > votes->pages;
	for (uint32_t i = 0; i < votes->pages && !votes->is_recut; i++) {
		struct sample_observation *observation =
			&votes->observations[i];

		if (observation_is_unchanged(observation))
			observation->cluster = count->facts->self.cluster;
	}
}

static bool follows_split(const struct vote_count *count)
{
	const struct votes *votes = count->votes;
	uint32_t other = count->facts->self.row.other;
	uint32_t pages = 0;

	for (uint32_t i = 0; i < votes->pages; i++)
		pages += votes->observations[i].kind == OBSERVED_PAGE &&
			 votes->observations[i].cluster == other;
	return other != 0 &&
	       pages * PERMILLE < votes->pages * change_rules_default.agreement;
}

static bool is_follower(const struct vote_count *count,
			const struct sample_observation *observation)
{
	return count->votes->follows_split &&
	       observation->kind == OBSERVED_PAGE &&
	       observation->cluster == count->facts->self.row.other;
}

static bool is_elsewhere(const struct vote_count *count,
			 const struct sample_observation *observation)
{
	return observation->cluster != count->facts->self.cluster &&
	       (observation->kind == OBSERVED_PAGE ||
		observation->kind == OBSERVED_UNSEEN) &&
	       !is_follower(count, observation);
}

static struct observed_page witness_of(const struct vote_count *count,
				       uint32_t i)
{
	const struct sample_page *page = &count->facts->sample[i];
	const struct sample_observation *observation =
		&count->votes->observations[i];

	return (struct observed_page){
		.page = page->page,
		.observation = observation->kind,
		.before = page->before,
		.after = page->after,
		.cluster = observation->cluster,
	};
}

/*
 * Decide whether the template has changed. Ignore pages that were not fetched
 * in time, and pages that follow a reported split.
 */
static void votes_detect_change(const struct vote_count *count)
{
	struct votes *votes = count->votes;
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];

	for (uint32_t i = 0; i < votes->pages; i++) {
		observed_pages[i] = witness_of(count, i);
		if (is_follower(count, &votes->observations[i]) ||
		    (count->rules->is_late &&
		     observed_pages[i].observation == OBSERVED_UNSEEN))
			observed_pages[i].observation = OBSERVED_BLOCKED;
	}
	detect_change(count->arena, count->facts->self.cluster, observed_pages,
		      votes->pages, &change_rules_default, &votes->detection);
}

/*
 * Decide again: it is enough if most of the pages, instead of nearly all, have
 * changed in the same way.
 */
static enum decision_kind votes_of_most(const struct vote_count *count)
{
	struct change_rules rules = change_rules_default;
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];
	struct detection detection;

	rules.agreement = MOST;
	for (uint32_t i = 0; i < count->votes->pages; i++)
		observed_pages[i] = witness_of(count, i);
	detect_change(count->arena, count->facts->self.cluster, observed_pages,
		      count->votes->pages, &rules, &detection);
	return detection.kind;
}

static void add_stray(struct votes *votes,
		      const struct sample_observation *observation)
{
	struct misplaced_page *stray = &votes->strays[votes->elsewhere++];

	*stray = (struct misplaced_page){
		.cluster = observation->cluster,
		.is_seen = observation->kind == OBSERVED_PAGE,
	};
	for (uint32_t i = 0; i < votes->pages; i++)
		stray->pages +=
			votes->observations[i].cluster == stray->cluster;
}

static void count_page(const struct vote_count *count,
		       const struct sample_observation *observation)
{
	struct votes *votes = count->votes;

	votes->unseen += observation->kind == OBSERVED_UNSEEN;
	votes->moved +=
		observation->kind == OBSERVED_PAGE && observation->is_moved;
	votes->gone += observation->kind == OBSERVED_GONE;
	votes->blocked += observation->kind == OBSERVED_BLOCKED;
	if (is_elsewhere(count, observation))
		add_stray(votes, observation);
	if (observation_is_unchanged(observation) &&
	    observation->fetched_ms > votes->seen_ms)
		votes->seen_ms = observation->fetched_ms;
}

static uint32_t destination_of(const struct detection *detection, uint32_t self)
{
	for (uint32_t i = 0; i < detection->destination_count; i++)
		if (detection->destinations[i].cluster != 0 &&
		    detection->destinations[i].cluster != self)
			return detection->destinations[i].cluster;
	return 0;
}

static uint32_t led_to(const struct votes *votes)
{
	for (uint32_t i = 0; i < votes->pages; i++) {
		uint32_t cluster = votes->observations[i].cluster;
		uint32_t pages = 0;

		if (!votes->observations[i].is_moved)
			continue;
		for (uint32_t j = 0; j < votes->pages; j++)
			pages += votes->observations[j].is_moved &&
				 votes->observations[j].cluster == cluster;
		if (2 * pages >= votes->pages)
			return cluster;
	}
	return 0;
}

void votes_count(const struct template_facts *facts,
		 const struct vote_rules *rules, struct arena *arena,
		 struct votes *votes_out)
{
	struct vote_count count = {facts, rules, arena, votes_out};

	*votes_out = (struct votes){.pages = facts->sample_count};
	for (uint32_t i = 0; i < facts->sample_count; i++)
		votes_out->observations[i] = observe_sample_page(
			&facts->sample[i], rules->window_ms);
	if (facts->self.row.threshold != rules->threshold)
		forgive_recut(&count);
	votes_out->follows_split = follows_split(&count);
	votes_detect_change(&count);
	for (uint32_t i = 0; i < facts->sample_count; i++)
		count_page(&count, &votes_out->observations[i]);
	votes_out->disagreed =
		votes_out->gone + votes_out->moved + votes_out->elsewhere;
	if (votes_out->disagreed < votes_out->detection.disagreed)
		votes_out->disagreed = votes_out->detection.disagreed;
	votes_out->destination =
		destination_of(&votes_out->detection, facts->self.cluster);
	votes_out->led_to = led_to(votes_out);
	if (votes_out->destination != 0) {
		enum decision_kind most = votes_of_most(&count);

		votes_out->has_left = most == DECISION_REPLACED;
		votes_out->has_changed = most == DECISION_CHANGED;
	}
}
