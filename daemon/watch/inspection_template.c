/* What has become of a known template. */
#include "daemon/watch/inspection_decision.h"

#include "store/memory.h"

enum {
	ROUND_PAGES = 3,              /* are asked of each template */
	PATIENCE_MS = 60 * 60 * 1000, /* with pages that were asked */
	PERMILLE = 1000,
};

static uint64_t window_of(const struct inspector *inspector,
			  const struct template_row *row)
{
	if (!inspector_can_ask(inspector))
		return 0;
	return row->asked_ms > row->round_ms ? row->asked_ms : row->round_ms;
}

/* Another cut of the tree moves pages that are as they were: that says nothing
 * of the template. */
static void forgive_recut(struct examination *examination)
{
	struct sample *sample = &examination->sample;

	for (uint32_t i = 0; i < sample->count; i++) {
		struct observed_page *observed = &sample->pages[i].observed;

		if (is_as_it_was(&sample->pages[i]))
			observed->cluster = examination->subject->cluster;
	}
}

/* It follows a part that was told to have split off. */
static bool is_follower(const struct examination *examination,
			const struct observed_page *observed)
{
	return examination->follows_split &&
	       observed->observation == OBSERVED_PAGE &&
	       observed->cluster == examination->subject->row.other;
}

static bool is_elsewhere(const struct examination *examination,
			 const struct observed_page *observed)
{
	return observed->cluster != examination->subject->cluster &&
	       (observed->observation == OBSERVED_PAGE ||
		observed->observation == OBSERVED_UNSEEN) &&
	       !is_follower(examination, observed);
}

static void add_contested(struct inspector *inspector, uint32_t cluster)
{
	inspector->contested =
		mem_grow(inspector->contested, inspector->contested_count,
			 &inspector->contested_capacity, sizeof(uint32_t));
	inspector->contested[inspector->contested_count++] = cluster;
}

/* Where nobody can be asked: is the cluster mostly of the sample's pages? */
static bool is_taken_over(const struct examination *examination,
			  uint32_t cluster)
{
	const struct subject *into =
		inspector_subject(examination->inspector, cluster);
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->sample.count; i++)
		count += examination->sample.pages[i].observed.cluster ==
			 cluster;
	return into != NULL && 2 * count >= into->cluster_row.page_count;
}

/* As long as nothing is concluded, nobody knows whose the clusters are that the
 * pages are in by now. */
static void contest(const struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	bool is_open = examination->is_open ||
		       (examination->row.flags & TEMPLATE_IS_DIVIDED) != 0;
	bool is_unsure = !inspector_can_ask(inspector) &&
			 examination->detection.kind == DECISION_UNSURE;

	for (uint32_t i = 0; i < examination->sample.count; i++) {
		const struct observed_page *observed =
			&examination->sample.pages[i].observed;

		if (is_elsewhere(examination, observed) &&
		    (is_open ||
		     (is_unsure &&
		      is_taken_over(examination, observed->cluster))))
			add_contested(inspector, observed->cluster);
	}
}

static void count_observations(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	uint32_t count = examination->sample.count;

	for (uint32_t i = 0; i < count; i++) {
		const struct sample_page *page = &examination->sample.pages[i];
		const struct observed_page *observed = &page->observed;

		examination->unseen += observed->observation == OBSERVED_UNSEEN;
		examination->gone += observed->observation == OBSERVED_GONE;
		inspector->blocked += observed->observation == OBSERVED_BLOCKED;
		inspector->seen += page->is_fresh &&
				   (observed->observation == OBSERVED_PAGE ||
				    observed->observation == OBSERVED_GONE);
		if (!is_elsewhere(examination, observed))
			continue;
		examination->elsewhere++;
	}
	if (!examination->is_open && count > ROUND_PAGES)
		count = ROUND_PAGES;
	inspector->asked += inspector_can_ask(inspector) ? count : 0;
	examination->disagreed = examination->gone + examination->elsewhere;
	if (examination->disagreed < examination->detection.disagreed)
		examination->disagreed = examination->detection.disagreed;
}

/* Have everybody tell again, at the same time. */
static void ask_all(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;

	for (uint32_t i = 0; i < examination->sample.count; i++)
		inspector_visit(inspector,
				examination->sample.pages[i].observed.page);
	examination->row.asked_ms = inspector->now_ms;
	examination->row.flags |= TEMPLATE_IS_ASKING;
	examination->is_changed = true;
	examination->is_open = true;
	inspector_wait(inspector, inspector->now_ms + PATIENCE_MS);
}

/* The next few pages of the sample are asked when their time has come. */
static void begin_round(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	struct template_row *row = &examination->row;
	const struct sample *sample = &examination->sample;
	uint64_t due_ms = row->round_ms + inspector->site.options.watch_ms;

	if (!inspector_can_ask(inspector) || examination->is_open ||
	    sample->count == 0)
		return;
	if (due_ms <= inspector->now_ms) {
		for (uint32_t i = 0; i < ROUND_PAGES && i < sample->count;
		     i++) {
			uint32_t turn = row->round * ROUND_PAGES + i;

			inspector_visit(inspector,
					sample->pages[turn % sample->count]
						.observed.page);
		}
		row->round++;
		row->round_ms = inspector->now_ms;
		due_ms = inspector->now_ms + inspector->site.options.watch_ms;
		examination->is_changed = true;
	}
	inspector_wait(inspector, due_ms);
}

static bool is_event(enum decision_kind kind)
{
	return kind != DECISION_SAME && kind != DECISION_UNSURE &&
	       kind != DECISION_BLOCKED;
}

/*
 * Ask, wait, or conclude. Who disagrees in a round may have been seen before
 * somebody else's pages moved his: so nothing is concluded before all of the
 * sample have been asked at the same time.
 */
static enum error weigh(struct examination *examination)
{
	struct inspector *inspector = examination->inspector;
	const struct template_row *row = &examination->row;
	bool was_asked = row->asked_ms != 0 && row->asked_ms >= row->round_ms;

	if (!inspector_can_ask(inspector))
		return examination_conclude(examination);
	if (examination->is_open && examination->unseen > 0 &&
	    !examination->is_late) {
		inspector_wait(inspector, row->asked_ms + PATIENCE_MS);
		return ERR_NONE;
	}
	if (examination->is_open)
		return examination_conclude(examination);
	if (examination->disagreed > row->asked_for ||
	    (!was_asked && (is_event(examination->detection.kind) ||
			    (row->flags & TEMPLATE_IS_DIVIDED) != 0))) {
		ask_all(examination);
		return ERR_NONE;
	}
	return examination_stay(examination);
}

/* Who never answers, or follows a part that was told of, says nothing. */
static void detect_in_sample(struct examination *examination)
{
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];

	for (uint32_t i = 0; i < examination->sample.count; i++) {
		observed_pages[i] = examination->sample.pages[i].observed;
		if (is_follower(examination, &observed_pages[i]) ||
		    (examination->is_late &&
		     observed_pages[i].observation == OBSERVED_UNSEEN))
			observed_pages[i].observation = OBSERVED_BLOCKED;
	}
	detect_change(examination->inspector->scratch,
		      examination->subject->cluster, observed_pages,
		      examination->sample.count, &change_rules_default,
		      &examination->detection);
	count_observations(examination);
}

/* Pages that go where a part went are no news, until nearly all did. */
static bool follows_split(const struct examination *examination)
{
	uint32_t other = examination->subject->row.other;
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->sample.count; i++) {
		const struct observed_page *observed =
			&examination->sample.pages[i].observed;

		count += observed->observation == OBSERVED_PAGE &&
			 observed->cluster == other;
	}
	return other != 0 &&
	       count * PERMILLE < examination->sample.count *
					  change_rules_default.agreement;
}

/* Did the cut move, and not the pages? */
static bool is_recut(const struct examination *examination)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < examination->sample.count; i++)
		count += is_as_it_was(&examination->sample.pages[i]);
	return 2 * count > examination->sample.count;
}

enum error inspect_template(struct inspector *inspector,
			    struct subject *subject)
{
	const struct template_row *row = &subject->row;
	struct examination examination = {
		.inspector = inspector,
		.subject = subject,
		.row = *row,
		.is_open = (row->flags & TEMPLATE_IS_ASKING) != 0,
		.is_late = (row->flags & TEMPLATE_IS_ASKING) != 0 &&
			   inspector->now_ms >= row->asked_ms + PATIENCE_MS,
	};
	size_t findings = inspector->template_count;
	enum error error =
		sample_read(inspector, subject, window_of(inspector, row),
			    &examination.sample);

	if (error != ERR_NONE)
		return error;
	if (row->threshold != inspector->site.options.threshold) {
		if (!subject->has_cluster && is_recut(&examination))
			return examination_end_by_recut(&examination);
		forgive_recut(&examination);
	}
	examination.follows_split = follows_split(&examination);
	detect_in_sample(&examination);
	error = weigh(&examination);
	contest(&examination);
	if (error != ERR_NONE || inspector->template_count > findings)
		return error;
	begin_round(&examination);
	if (examination.is_changed)
		examination_find(&examination);
	return ERR_NONE;
}
