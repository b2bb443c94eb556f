#include "daemon/watch/inspection_votes.h"

#include "page/page_class.h"

enum {
	PERMILLE = 1000,
	MOST = 660, /* permille of a sample */
};

/* Return whether its last visit ended in the window. */
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

bool observation_is_unchanged(const struct sample_observation *observation)
{
	return observation->kind == OBSERVED_UNSEEN ||
	       (observation->kind == OBSERVED_PAGE &&
		!observation->has_other_paths);
}

/* State while the votes are counted. */
struct vote_count {
	const struct template_facts *facts;
	const struct vote_rules *rules;
	struct arena *arena;
	struct votes *votes;
};

/* Boyer-Moore majority vote: return the cluster of more than half. */
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
 * The threshold changed: unchanged pages do not count against the template,
 * wherever they are now. If the template has no cluster any longer, set
 * is_recut and nothing else.
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
 * Detect the change. Ignore pages that were not fetched in time, and pages that
 * follow a reported split.
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
 * Most of the pages are elsewhere: return whether these have all changed in the
 * same way.
 */
static bool votes_have_left(const struct vote_count *count)
{
	struct change_rules rules = change_rules_default;
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];
	struct detection detection;

	rules.agreement = MOST;
	for (uint32_t i = 0; i < count->votes->pages; i++)
		observed_pages[i] = witness_of(count, i);
	detect_change(count->arena, count->facts->self.cluster, observed_pages,
		      count->votes->pages, &rules, &detection);
	return detection.kind == DECISION_REPLACED;
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
	votes->gone += observation->kind == OBSERVED_GONE;
	votes->blocked += observation->kind == OBSERVED_BLOCKED;
	votes->fresh +=
		observation->is_fresh && (observation->kind == OBSERVED_PAGE ||
					  observation->kind == OBSERVED_GONE);
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
	votes_out->disagreed = votes_out->gone + votes_out->elsewhere;
	if (votes_out->disagreed < votes_out->detection.disagreed)
		votes_out->disagreed = votes_out->detection.disagreed;
	votes_out->destination =
		destination_of(&votes_out->detection, facts->self.cluster);
	votes_out->led_to = led_to(votes_out);
	if (votes_out->destination != 0)
		votes_out->has_left = votes_have_left(&count);
}
