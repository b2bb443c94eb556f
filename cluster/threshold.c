#include "cluster/threshold.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/merge_model.h"
#include "cluster/quality.h"

static int by_path_and_target(const void *left, const void *right)
{
	const struct label_link *a = left;
	const struct label_link *b = right;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->target > b->target) - (a->target < b->target);
}

/* A path of links, and how many pages such links lead to. */
struct link_path {
	uint64_t path; /* must be the first member: order_u64() compares it */
	size_t pages;  /* number of pages that such links lead to */
};

struct link_paths {
	struct link_path *items; /* [count], ascending by path */
	size_t count;
};

static int label_link_compare_path(const void *left, const void *right)
{
	const struct label_link *a = left;
	const struct label_link *b = right;

	return (a->path > b->path) - (a->path < b->path);
}

/*
 * Sort the links by target, then by path. First distribute them to their
 * targets. Then sort those of each target, which mostly have the same few
 * paths.
 */
static void sort_links(struct label_link *links, size_t count,
		       uint32_t page_count)
{
	size_t *ends = mem_alloc(page_count, sizeof(*ends));
	struct label_link *dealt = mem_alloc(count, sizeof(*dealt));
	size_t begin = 0;

	for (size_t i = 0; i < count; i++) {
		assert(links[i].target < page_count);
		ends[links[i].target]++;
	}
	for (uint32_t i = 0; i < page_count; i++) {
		size_t size = ends[i];

		ends[i] = begin;
		begin += size;
	}
	for (size_t i = 0; i < count; i++)
		dealt[ends[links[i].target]++] = links[i];
	begin = 0;
	for (uint32_t i = 0; i < page_count; begin = ends[i++])
		if (ends[i] - begin > 1)
			qsort(dealt + begin, ends[i] - begin, sizeof(*dealt),
			      label_link_compare_path);
	memcpy(links, dealt, count * sizeof(*links));
	free(dealt);
	free(ends);
}

/*
 * Return whether the link at `index` is the first one with this target and
 * path. The links are sorted.
 */
static bool label_link_is_first(const struct label_link *links, size_t index)
{
	return index == 0 || links[index].target != links[index - 1].target ||
	       links[index].path != links[index - 1].path;
}

/*
 * Return the distinct paths of the links, which must be sorted by target and
 * path.
 */
static struct link_paths link_paths_of(const struct label_link *links,
				       size_t count)
{
	uint64_t *paths = mem_alloc(count, sizeof(*paths));
	struct link_paths places = {NULL, 0};
	size_t distinct = 0;

	for (size_t i = 0; i < count; i++)
		if (label_link_is_first(links, i))
			paths[distinct++] = links[i].path;
	qsort(paths, distinct, sizeof(*paths), order_u64);
	places.items = mem_alloc(distinct, sizeof(*places.items));
	for (size_t i = 0; i < distinct; i++) {
		if (i == 0 || paths[i] != paths[i - 1])
			places.items[places.count++].path = paths[i];
		places.items[places.count - 1].pages++;
	}
	assert(places.count <= count);
	free(paths);
	return places;
}

static size_t pages_from(const struct link_paths *places, uint64_t path)
{
	const struct link_path key = {.path = path};
	const struct link_path *place =
		bsearch(&key, places->items, places->count,
			sizeof(*places->items), order_u64);

	return place == NULL ? 0 : place->pages;
}

/*
 * Keep one link for each target, with the most common path to it: move these
 * links to the front and return their number. The links must be sorted by
 * target and path.
 */
static size_t label_links_reduce(const struct link_paths *places,
				 struct label_link *links, size_t count)
{
	size_t targets = 0;
	size_t most = 0; /* number of links to the last target with the path of
			    its kept link */
	size_t end;

	for (size_t begin = 0; begin < count; begin = end) {
		struct label_link link = links[begin];
		struct label_link *kept = &links[targets - (targets > 0)];

		end = begin;
		while (end < count && links[end].target == link.target &&
		       links[end].path == link.path)
			end++;
		if (targets == 0 || kept->target != link.target)
			kept = &links[targets++];
		else if (end - begin < most ||
			 (end - begin == most &&
			  pages_from(places, link.path) <=
				  pages_from(places, kept->path)))
			continue;
		*kept = link;
		most = end - begin;
	}
	assert(targets <= count);
	return targets;
}

uint32_t link_labels_compute(struct label_link *links, size_t count,
			     uint32_t *labels_out, uint32_t page_count)
{
	struct link_paths places;
	uint32_t label = 0;
	size_t alike;

	for (uint32_t i = 0; i < page_count; i++)
		labels_out[i] = 0;
	if (count == 0)
		return 0;
	sort_links(links, count, page_count);
	places = link_paths_of(links, count);
	count = label_links_reduce(&places, links, count);
	free(places.items);
	qsort(links, count, sizeof(*links), by_path_and_target);
	for (size_t i = 0; i < count; i += alike) {
		alike = 1;
		while (i + alike < count &&
		       links[i + alike].path == links[i].path)
			alike++;
		if (alike < LINK_LABEL_MIN_HELD)
			continue;
		label++;
		for (size_t j = i; j < i + alike; j++) {
			assert(links[j].target < page_count);
			labels_out[links[j].target] = label;
		}
	}
	return label;
}

/* The pages that have a label, and memory for a clustering of them. */
struct threshold_trial {
	const struct dendrogram *dendrogram;
	uint32_t *leaves;   /* [count] leaf of each page */
	uint32_t *labels;   /* [count] label of each page */
	uint32_t *clusters; /* [count] cluster of each page */
	size_t count;
	uint32_t *cut; /* cluster of each leaf of the dendrogram */
	uint32_t cluster_count;
	double agreement; /* agreement of the last clustering with the labels */
};

static struct threshold_trial trial_create(const struct label_pages *pages,
					   const struct dendrogram *dendrogram)
{
	struct threshold_trial trial = {
		.dendrogram = dendrogram,
		.leaves = mem_alloc(pages->count, sizeof(*trial.leaves)),
		.labels = mem_alloc(pages->count, sizeof(*trial.labels)),
		.clusters = mem_alloc(pages->count, sizeof(*trial.clusters)),
		.cut = mem_alloc(dendrogram->count, sizeof(*trial.cut)),
	};

	for (size_t i = 0; i < pages->count; i++) {
		if (pages->labels[i] == 0)
			continue;
		trial.leaves[trial.count] = pages->leaves[i];
		trial.labels[trial.count] = pages->labels[i];
		trial.count++;
	}
	assert(trial.count <= pages->count);
	return trial;
}

/*
 * Return the agreement of the clusters at `threshold` with the labels. When the
 * threshold rises, clusters are only merged. Therefore an equal number of
 * clusters means that the clusters are the same as at the previous threshold.
 */
static double agreement_at(struct threshold_trial *trial, unsigned threshold)
{
	uint32_t count =
		dendrogram_cut(trial->dendrogram, threshold, trial->cut);

	if (count == trial->cluster_count)
		return trial->agreement;
	trial->cluster_count = count;
	for (size_t i = 0; i < trial->count; i++) {
		assert(trial->leaves[i] < trial->dendrogram->count);
		trial->clusters[i] = trial->cut[trial->leaves[i]];
	}
	trial->agreement =
		quality_agreement(trial->clusters, trial->labels, trial->count)
			.adjusted_rand;
	return trial->agreement;
}

static double threshold_distance(unsigned threshold, unsigned default_value)
{
	return fabs((double)threshold - default_value) / 1000;
}

static void threshold_choose_best(struct threshold_trial *trial,
				  unsigned default_value,
				  struct label_choice *choice)
{
	double best = -INFINITY;

	assert(trial->count > 0);
	for (unsigned i = 0; i < LINK_LABEL_STEPS; i++) {
		unsigned threshold = LINK_LABEL_FIRST + i * LINK_LABEL_STEP;
		double distance = threshold_distance(threshold, default_value);
		double agreement = agreement_at(trial, threshold);
		double score = choice->ratio * agreement - distance;

		choice->curve[i] = agreement;
		if (score < best ||
		    (score <= best &&
		     distance >= threshold_distance(choice->threshold,
						    default_value)))
			continue;
		best = score;
		choice->threshold = threshold;
		choice->agreement = agreement;
	}
}

void link_labels_choose(const struct label_pages *pages,
			const struct dendrogram *dendrogram,
			unsigned default_value, struct label_choice *choice_out)
{
	struct threshold_trial trial = trial_create(pages, dendrogram);

	memset(choice_out, 0, sizeof(*choice_out));
	choice_out->threshold = default_value;
	if (pages->count > 0)
		choice_out->ratio = (double)trial.count / (double)pages->count;
	if (trial.count >= LINK_LABEL_MIN_PAGES)
		threshold_choose_best(&trial, default_value, choice_out);
	free(trial.leaves);
	free(trial.labels);
	free(trial.clusters);
	free(trial.cut);
}

struct threshold_range {
	unsigned begin;
	unsigned end;
};

unsigned threshold_suggestion_limit(enum measure measure)
{
	return (measure_template_threshold(measure) +
		measure_site_threshold(measure)) /
	       2;
}

static unsigned middle_of(struct threshold_range range)
{
	assert(range.begin <= range.end);
	return range.begin + (range.end - range.begin) / 2;
}

/* Find the longest plateau. Return false if none exists. */
static bool find_plateau(const struct dendrogram_point *curve, unsigned limit,
			 uint64_t page_count, struct threshold_range *best_out)
{
	struct threshold_range range = {0, 0};
	const struct dendrogram_point *middle;
	bool is_found = false;

	assert(limit < DENDROGRAM_POINTS);
	while (range.begin <= limit) {
		range.end = range.begin;
		while (range.end < limit && curve[range.end + 1].sizable ==
						    curve[range.begin].sizable)
			range.end++;
		middle = &curve[middle_of(range)];
		if (middle->sizable >= 2 &&
		    2 * middle->sizable_pages >= page_count &&
		    (!is_found || range.end - range.begin >
					  best_out->end - best_out->begin)) {
			*best_out = range;
			is_found = true;
		}
		range.begin = range.end + 1;
	}
	return is_found;
}

static struct threshold_range find_gap(const struct dendrogram *dendrogram)
{
	uint64_t *joins = mem_alloc(DENDROGRAM_POINTS, sizeof(*joins));
	struct threshold_range best = {0, 0};
	unsigned last = DENDROGRAM_POINTS; /* no join yet */

	dendrogram_joins(dendrogram, joins);
	for (unsigned i = 0; i < DENDROGRAM_POINTS; i++) {
		if (joins[i] == 0)
			continue;
		if (last < i && i - last > best.end - best.begin)
			best = (struct threshold_range){last, i};
		last = i;
	}
	free(joins);
	assert(best.begin <= best.end);
	return best;
}

static void suggestion_explain_plateau(struct threshold_suggestion *suggestion,
				       bool has_plateau, enum measure measure)
{
	double limit = threshold_suggestion_limit(measure) / 1000.0;

	if (has_plateau)
		snprintf(suggestion->reason, sizeof(suggestion->reason),
			 "%" PRIu32 " sizable clusters from %.3f to %.3f, the "
			 "longest plateau up to %.3f",
			 suggestion->sizable, suggestion->begin / 1000.0,
			 suggestion->end / 1000.0, limit);
	else
		snprintf(suggestion->reason, sizeof(suggestion->reason),
			 "no threshold up to %.3f gives two sizable clusters "
			 "with half of the pages: the default of %s",
			 limit, measure_name(measure));
}

/* Set the threshold of the suggestion, and the counts of its clusters. */
static void suggestion_set_threshold(struct threshold_suggestion *suggestion,
				     unsigned threshold,
				     const struct dendrogram_point *curve)
{
	assert(threshold < DENDROGRAM_POINTS);
	suggestion->threshold = threshold;
	suggestion->sizable = curve[threshold].sizable;
	suggestion->clusters = curve[threshold].clusters;
}

struct threshold_suggestion
threshold_suggest_plateau(const struct dendrogram *dendrogram,
			  enum measure measure)
{
	struct dendrogram_point *curve =
		mem_alloc(DENDROGRAM_POINTS, sizeof(*curve));
	struct threshold_suggestion suggestion = {0};
	struct threshold_range plateau = {0, 0};
	struct threshold_range gap = find_gap(dendrogram);
	bool has_plateau;

	dendrogram_curve(dendrogram, curve);
	has_plateau = find_plateau(curve, threshold_suggestion_limit(measure),
				   dendrogram->page_count, &plateau);
	suggestion_set_threshold(&suggestion,
				 has_plateau
					 ? middle_of(plateau)
					 : measure_template_threshold(measure),
				 curve);
	suggestion.begin = plateau.begin;
	suggestion.end = plateau.end;
	suggestion.plateau = has_plateau ? suggestion.threshold : 0;
	suggestion.gap_begin = gap.begin;
	suggestion.gap_end = gap.end;
	suggestion_explain_plateau(&suggestion, has_plateau, measure);
	free(curve);
	return suggestion;
}

/*
 * Use the threshold that agrees best with the link labels. Return false if too
 * few pages have a label.
 */
static bool suggestion_use_link_labels(struct threshold_suggestion *suggestion,
				       const struct label_choice *choice)
{
	if (choice->agreement <= 0)
		return false;
	suggestion->threshold = choice->threshold;
	snprintf(suggestion->reason, sizeof(suggestion->reason),
		 "the clusters agree best with the positions of the links "
		 "to the pages (adjusted Rand index %.3f, for %.0f "
		 "%% of the pages)",
		 choice->agreement, 100 * choice->ratio);
	return true;
}

/*
 * Use the threshold of the merge model. Return false if the site has too few
 * pages for it.
 */
static bool suggestion_use_merges(struct threshold_suggestion *suggestion,
				  const struct dendrogram *dendrogram,
				  const struct merge_pages *pages)
{
	struct cluster_merges merges;
	struct merge_choice choice;

	if (dendrogram->page_count < SUGGESTION_MIN_PAGES)
		return false;
	merges = cluster_merges_compute(dendrogram, pages);
	if (merges.count == 0 || merges.is_cut) {
		cluster_merges_free(&merges);
		return false;
	}
	choice = merge_model_choose(&merges,
				    measure_template_threshold(MEASURE_WCAS));
	suggestion->threshold = choice.threshold;
	snprintf(suggestion->reason, sizeof(suggestion->reason),
		 "%" PRIu32 " of %zu merges are up to this threshold, %" PRIu32
		 " of them doubtful, judged by the common parts of the pages "
		 "and the links to them",
		 choice.merges, merges.count, choice.doubtful);
	cluster_merges_free(&merges);
	return true;
}

static bool suggestion_use_evidence(struct threshold_suggestion *suggestion,
				    const struct dendrogram *dendrogram,
				    enum measure measure,
				    const struct merge_pages *pages)
{
	struct label_choice choice;
	unsigned step = 0;
	bool is_chosen;

	if (pages == NULL)
		return false;
	link_labels_choose(&(struct label_pages){pages->leaf_of, pages->labels,
						 pages->count},
			   dendrogram, measure_template_threshold(measure),
			   &choice);
	is_chosen = (measure == MEASURE_WCAS &&
		     suggestion_use_merges(suggestion, dendrogram, pages)) ||
		    suggestion_use_link_labels(suggestion, &choice);
	if (!is_chosen)
		return false;
	if (suggestion->threshold >= LINK_LABEL_FIRST)
		step = (suggestion->threshold - LINK_LABEL_FIRST) /
		       LINK_LABEL_STEP;
	if (step < LINK_LABEL_STEPS)
		suggestion->agreement = choice.curve[step];
	suggestion->ratio = choice.ratio;
	return true;
}

struct threshold_suggestion
threshold_suggest(const struct dendrogram *dendrogram, enum measure measure,
		  const struct merge_pages *pages)
{
	struct threshold_suggestion suggestion =
		threshold_suggest_plateau(dendrogram, measure);
	struct dendrogram_point *curve;

	if (!suggestion_use_evidence(&suggestion, dendrogram, measure, pages)) {
		if (measure == MEASURE_CPC)
			return suggestion;
		suggestion.threshold = measure_template_threshold(measure);
		snprintf(suggestion.reason, sizeof(suggestion.reason),
			 "the default of %s, because too few pages have "
			 "links of a known position",
			 measure_name(measure));
	}
	curve = mem_alloc(DENDROGRAM_POINTS, sizeof(*curve));
	dendrogram_curve(dendrogram, curve);
	suggestion_set_threshold(&suggestion, suggestion.threshold, curve);
	free(curve);
	return suggestion;
}

static bool is_index(const char *begin, const char *end)
{
	static const char word[] = "index.";
	const size_t length = sizeof(word) - 1;

	return begin == end || ((size_t)(end - begin) >= length &&
				memcmp(begin, word, length) == 0);
}

/* Return the position of the first `byte` in [begin, end), or `end`. */
static const char *url_shape_find_byte(const char *begin, const char *end,
				       char byte)
{
	while (begin < end && *begin != byte)
		begin++;
	return begin;
}

size_t url_shape_of_path(struct slice path, char *out)
{
	const char *at = path.data;
	const char *end = at + path.size;
	const char *query = url_shape_find_byte(at, end, '?');
	const char *slash;
	size_t size = 0;

	if (at < query && *at == '/')
		at++;
	while ((slash = url_shape_find_byte(at, query, '/')) < query) {
		if (size < URL_SHAPE_MAX_DIRECTORIES)
			out[size++] =
				at < slash && strspn(at, "0123456789") >=
							(size_t)(slash - at)
					? 'N'
					: 'W';
		at = slash + 1;
	}
	out[size++] = is_index(at, query) ? 'i' : 'f';
	if (end - query > 1)
		out[size++] = 'q';
	return size;
}
