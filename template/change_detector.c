#include "template/change_detector.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "template/change_regions.h"
#include "template/version.h"

/*
 * The values were chosen by tests/eval/changes.py (results:
 * tests/eval/CHANGES.md), on the templates of nine sites that have at least
 * three pages, at several times. If only the content had changed, at most 0.22
 * of the paths and 0.42 of the texts moved (new items in lists). If the site
 * was redesigned, at least 0.47 of the paths moved, but sometimes no texts.
 * Therefore paths decide, with a threshold between these values; texts decide
 * only if nearly all of them move. The agreement should be low, because a few
 * pages from an old cache must not hide a redesign. 0.85 is the lowest
 * agreement that distinguishes the two cases as well as this: at 0.8, up to
 * 0.30 of the paths move when only the content changes. In a cross-validation
 * by site, all 65 unchanged and all 34 redesigned templates were recognised.
 *
 * Single pages: when only the content had changed, none of 732 pages lost more
 * than 0.25 of the items that it shares with others. In a redesign all of 393
 * pages did. Items that are new on only one page are content and do not count.
 * Templates with fewer than three pages: when only the content had changed, up
 * to 0.53 of the paths moved; in a redesign 0.35 and more.
 */
const struct change_rules change_rules_default = {
	.min_pages = 3,
	.agreement = 850,
	.path_ratio = 350,
	.fragment_ratio = 700,
	.page_ratio = 250,
	.few_ratio = 600,
	.region_elements = 3,
};

enum {
	/*
	 * Minimum number of moved paths or fragments. On a page with very few
	 * paths, one or two moved paths would already be a large ratio.
	 */
	MIN_MOVED = 3,
};

/*
 * The state of a decision about a template. In a mask, bit i is sample page i.
 */
struct change_evaluation {
	const struct change_rules *rules;
	const struct observed_page *sample;
	struct pages *pages;
	uint32_t unseen;
	uint32_t gone;
	uint32_t blocked;
	uint32_t seen;   /* mask: pages that have a record */
	uint32_t away;   /* mask: pages that are in another cluster now */
	uint32_t differ; /* mask: pages that have changed */
	uint32_t joins;  /* mask: pages that changed in the same way as the
			    others */
	bool is_moved;   /* the change exceeds a threshold of the rules */
};

static void change_collect(struct change_evaluation *evaluation,
			   uint32_t cluster, uint32_t count)
{
	struct pages *pages = evaluation->pages;

	assert(count <= MAX_TEMPLATE_SAMPLE);
	pages->count = count;
	pages->min_pages = evaluation->rules->min_pages;
	pages->agreement = evaluation->rules->agreement;
	for (uint32_t i = 0; i < count; i++) {
		const struct observed_page *observed = &evaluation->sample[i];
		uint32_t bit = 1U << i;

		pages->records[i] = observed->before;
		evaluation->unseen |=
			observed->observation == OBSERVED_UNSEEN ? bit : 0;
		evaluation->gone |=
			observed->observation == OBSERVED_GONE ? bit : 0;
		evaluation->blocked |=
			observed->observation == OBSERVED_BLOCKED ? bit : 0;
		if (observed->observation != OBSERVED_PAGE)
			continue;
		pages->records[MAX_TEMPLATE_SAMPLE + i] = observed->after;
		evaluation->seen |= bit;
		evaluation->away |= observed->cluster != cluster ? bit : 0;
	}
	pages->seen = evaluation->seen;
	pages->votes = count_pages(evaluation->seen | evaluation->unseen);
}

static bool change_exceeds(const struct common_items *balance,
			   unsigned permille)
{
	assert(balance->moved >= 0 && balance->moved <= 1);
	return balance->gone_count + balance->come_count >= MIN_MOVED &&
	       balance->moved * 1000 > permille;
}

/* What has moved on the pages. */
struct change_weight {
	struct common_items paths;
	struct common_items fragments;
	bool has_outlines; /* `outlines` is known */
	struct outline_diff outlines;
	bool is_shallow; /* is_shallow() */
};

/*
 * Return whether so many paths have moved that the template has changed. If the
 * sample has only one or two pages, these also have much of their content in
 * common, so the threshold is higher.
 */
static bool paths_have_moved(const struct change_evaluation *evaluation,
			     const struct change_weight *weight)
{
	const struct change_rules *rules = evaluation->rules;
	bool is_few = evaluation->pages->votes < rules->min_pages;

	return change_exceeds(&weight->paths,
			      is_few ? rules->few_ratio : rules->path_ratio) &&
	       !weight->is_shallow;
}

/*
 * Return whether the pages have only got elements in addition, or few elements
 * have another name or an element around them, at one place. This is no change,
 * however many paths contain such an element.
 */
static bool is_shallow(const struct change_evaluation *evaluation,
		       const struct change_weight *weight)
{
	unsigned few = evaluation->rules->region_elements;
	const struct outline_diff *outlines = &weight->outlines;

	return weight->has_outlines && outlines->lost < few &&
	       ((outlines->gained < few && outlines->places <= 1) ||
		weight->paths.gone_count < MIN_MOVED);
}

/*
 * Find the pages that have changed in the same way, if there is such a change:
 * of the paths, of the fragments, or of regions.
 */
static void change_find_joins(struct change_evaluation *evaluation,
			      const struct change_weight *weight)
{
	const struct change_rules *rules = evaluation->rules;
	bool is_few = evaluation->pages->votes < rules->min_pages;
	bool by_paths = paths_have_moved(evaluation, weight);
	bool by_fragments =
		!by_paths && !is_few &&
		change_exceeds(&weight->fragments, rules->fragment_ratio);
	const struct common_items *by =
		by_fragments ? &weight->fragments : &weight->paths;

	evaluation->is_moved = by_paths || by_fragments;
	for (uint32_t i = 0;
	     evaluation->is_moved && i < evaluation->pages->count; i++)
		if (by->joins[i] >= 0.5)
			evaluation->joins |= evaluation->seen & 1U << i;
	for (uint32_t i = 0; !is_few && i < weight->outlines.region_count;
	     i++) {
		evaluation->is_moved = true;
		evaluation->joins |=
			weight->outlines.regions[i].pages & evaluation->seen;
	}
}

/*
 * Return whether a class of html or body has changed. In this case all stable
 * paths with classes are gone, but hardly any paths without classes. Write the
 * comparison of the paths without classes to *bare_out unless some stable paths
 * remain.
 */
static bool is_root_class(const struct change_evaluation *evaluation,
			  struct arena *arena, const struct common_items *paths,
			  struct common_items *bare_out)
{
	if (paths->gone_count == 0 || paths->gone_count < paths->stable)
		return false;
	common_items_compare(arena, evaluation->pages, ITEMS_CP, bare_out);
	return bare_out->moved * 1000 <= evaluation->rules->path_ratio;
}

static void change_copy_paths(const struct record *from, struct record *to)
{
	to->signatures[MEASURE_CPC] = from->signatures[MEASURE_CPC];
	to->signature_counts[MEASURE_CPC] = from->signature_counts[MEASURE_CPC];
}

/*
 * Compare the outlines of the pages, and use their paths instead of those with
 * the classes of html and body. If no outline has changed, this is only to use
 * the same paths for both states.
 */
static void change_compare_outlines(struct change_evaluation *evaluation,
				    struct arena *arena,
				    struct change_weight *weight)
{
	const struct region_rules rules = {
		.min_elements = evaluation->rules->region_elements};
	struct pages *pages = evaluation->pages;
	bool is_same = true;

	for (uint32_t i = 0; i < pages->count; i++) {
		const struct record *before = &pages->records[i];
		const struct record *after =
			&pages->records[MAX_TEMPLATE_SAMPLE + i];

		is_same &= (evaluation->seen >> i & 1) == 0 ||
			   (before->outline.size > 0 &&
			    slice_equal(before->outline, after->outline));
	}
	for (uint32_t i = 0; is_same && i < pages->count; i++)
		if ((evaluation->seen >> i & 1) != 0)
			change_copy_paths(
				&pages->records[i],
				&pages->records[MAX_TEMPLATE_SAMPLE + i]);
	if (is_same)
		return;
	weight->has_outlines =
		outlines_compare(arena, pages, &rules, &weight->outlines);
	if (weight->has_outlines)
		memcpy(pages->records, weight->outlines.records,
		       sizeof(pages->records));
}

static void change_set_weight(const struct change_weight *weight,
			      struct detection *detection)
{
	detection->gone_paths = weight->paths.gone;
	detection->gone_path_count = weight->paths.gone_count;
	detection->come_paths = weight->paths.come;
	detection->come_path_count = weight->paths.come_count;
	detection->paths_moved = weight->is_shallow ? 0 : weight->paths.moved;
	detection->gone_fragments = weight->fragments.gone;
	detection->gone_fragment_count = weight->fragments.gone_count;
	detection->come_fragments = weight->fragments.come;
	detection->come_fragment_count = weight->fragments.come_count;
	detection->fragments_moved = weight->fragments.moved;
	detection->regions = weight->outlines.regions;
	detection->region_count = weight->outlines.region_count;
}

static void change_weigh(struct change_evaluation *evaluation,
			 struct arena *arena, struct detection *detection)
{
	const struct pages *pages = evaluation->pages;
	struct change_weight weight = {.has_outlines = false};
	enum items items;
	struct common_items bare;

	change_compare_outlines(evaluation, arena, &weight);
	items = stable_paths(arena, pages->records, pages->count);
	common_items_compare(arena, pages, items, &weight.paths);
	common_items_compare(arena, pages, ITEMS_FRAGMENTS, &weight.fragments);
	weight.is_shallow = is_shallow(evaluation, &weight);
	change_find_joins(evaluation, &weight);
	for (uint32_t i = 0; i < pages->count; i++)
		if (weight.paths.lost[i] * 1000 > evaluation->rules->page_ratio)
			evaluation->differ |= evaluation->seen & 1U << i;
	detection->is_rebuilt =
		weight.outlines.is_rebuilt && !evaluation->is_moved;
	detection->is_root_class =
		items == ITEMS_CPC && !weight.has_outlines &&
		is_root_class(evaluation, arena, &weight.paths, &bare);
	if (detection->is_root_class)
		weight.paths = bare;
	detection->has_classes =
		items == ITEMS_CPC && !detection->is_root_class;
	change_set_weight(&weight, detection);
}

/*
 * Count a sample page whose current cluster is `cluster`. Keep the destinations
 * sorted by descending number of pages.
 */
static void add_destination(struct detection *detection, uint32_t cluster)
{
	struct destination *all = detection->destinations;
	uint32_t at = 0;

	while (at < detection->destination_count && all[at].cluster != cluster)
		at++;
	if (at == detection->destination_count)
		all[detection->destination_count++] =
			(struct destination){.cluster = cluster};
	all[at].pages++;
	for (; at > 0 && all[at].pages > all[at - 1].pages; at--) {
		struct destination other = all[at - 1];

		all[at - 1] = all[at];
		all[at] = other;
	}
}

/* Set the decision to `kind`. The pages in `mask` agree with it. */
static void change_set_decision(const struct change_evaluation *evaluation,
				enum decision_kind kind, uint32_t mask,
				struct detection *detection)
{
	assert(detection->agreed == 0);
	detection->kind = kind;
	for (uint32_t i = 0; i < evaluation->pages->count; i++)
		if ((mask >> i & 1) != 0)
			detection->pages[detection->agreed++] =
				evaluation->sample[i].page;
	assert(detection->agreed <= evaluation->pages->count);
}

/*
 * Return whether some pages moved to one other cluster while others remained in
 * the template.
 */
static bool is_split(const struct change_evaluation *evaluation,
		     const struct detection *detection)
{
	uint32_t stayed = count_pages(evaluation->seen & ~evaluation->away);
	unsigned least = evaluation->rules->min_pages;

	return evaluation->unseen == 0 && detection->destination_count > 0 &&
	       detection->destinations[0].pages >= least && stayed >= least;
}

/*
 * Return whether the template has vanished. This is the case if all sample
 * pages were visited, most of them no longer exist, no page is unchanged, and
 * few are blocked.
 */
static bool is_vanished(const struct change_evaluation *evaluation,
			const struct detection *detection)
{
	uint32_t as_it_was =
		evaluation->seen & ~(evaluation->away | evaluation->differ);

	return evaluation->unseen == 0 && as_it_was == 0 &&
	       2 * count_pages(evaluation->gone) >= detection->seen &&
	       detection->seen >=
		       quorum(evaluation->pages, evaluation->pages->count);
}

static void change_decide(const struct change_evaluation *evaluation,
			  struct detection *detection)
{
	/*
	 * k is computed from all pages that may still vote, whether they were
	 * visited or not. So later visits cannot change the decision.
	 */
	uint32_t needed = quorum(evaluation->pages, evaluation->pages->votes);
	uint32_t left = count_pages(evaluation->joins & evaluation->away);
	uint32_t joined = count_pages(evaluation->joins);
	bool is_most = joined >= count_pages(evaluation->gone);

	if (evaluation->is_moved && joined >= needed && is_most)
		change_set_decision(evaluation,
				    2 * left > joined ? DECISION_REPLACED
						      : DECISION_CHANGED,
				    evaluation->joins, detection);
	else if (!evaluation->is_moved && evaluation->away != 0 &&
		 count_pages(evaluation->away) >= needed)
		change_set_decision(evaluation, DECISION_MERGED,
				    evaluation->away, detection);
	else if (is_split(evaluation, detection))
		change_set_decision(evaluation, DECISION_SPLIT,
				    evaluation->away, detection);
	else if (is_vanished(evaluation, detection))
		change_set_decision(evaluation, DECISION_VANISHED,
				    evaluation->gone, detection);
	else if (evaluation->unseen != 0 && detection->disagreed > 0)
		detection->kind = DECISION_UNSURE;
}

/* NOLINTNEXTLINE(readability-function-size): the sample is two parameters */
void detect_change(struct arena *arena, uint32_t cluster,
		   const struct observed_page *sample, uint32_t count,
		   const struct change_rules *rules,
		   struct detection *detection_out)
{
	struct change_evaluation evaluation = {
		.rules = rules,
		.sample = sample,
		.pages = ARENA_NEW(arena, struct pages, 1),
	};

	assert(count <= MAX_TEMPLATE_SAMPLE);
	change_collect(&evaluation, cluster, count);
	*detection_out = (struct detection){
		.seen = count_pages(evaluation.seen | evaluation.gone),
	};
	if (detection_out->seen == 0) {
		/* every visit was blocked, or no page was visited yet */
		if (evaluation.blocked != 0)
			change_set_decision(&evaluation,
					    evaluation.unseen == 0
						    ? DECISION_BLOCKED
						    : DECISION_UNSURE,
					    evaluation.blocked, detection_out);
		return;
	}
	change_weigh(&evaluation, arena, detection_out);
	for (uint32_t i = 0; i < count; i++)
		if ((evaluation.away >> i & 1) != 0)
			add_destination(detection_out, sample[i].cluster);
	detection_out->disagreed = count_pages(
		evaluation.gone | evaluation.away | evaluation.differ |
		(evaluation.is_moved ? evaluation.joins : 0));
	change_decide(&evaluation, detection_out);
}
