#include "daemon/engine/threshold_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/merge_model.h"
#include "crawl/url/url.h"
#include "daemon/engine/link_graph.h"
#include "daemon/engine/sites.h"
#include "daemon/query/query.h"
#include "daemon/runtime/terminal.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"

static struct merge_pages merge_pages_of(const struct report_pages *pages)
{
	return (struct merge_pages){
		.leaves = pages->leaves,
		.leaf_of = pages->witness.leaves,
		.labels = pages->witness.labels,
		.truth = pages->truth,
		.count = pages->witness.count,
	};
}

struct report_pages report_weigh(struct arena *arena,
				 const struct report_pages *pages)
{
	const struct weighted_site site = {pages->leaves, pages->leaf_count,
					   pages->shingles,
					   pages->shingle_count};
	struct report_pages weighted = *pages;

	if (pages->weights != NULL)
		weighted.leaves =
			weighted_leaves_make(arena, &site, pages->weights);
	return weighted;
}

/* Fill in the parts of the report that depend on the dendrogram. */
static void report_fill(enum measure measure, const struct report_pages *pages,
			struct report *report_out)
{
	struct merge_pages merge_pages = merge_pages_of(pages);

	report_out->curve =
		mem_alloc(DENDROGRAM_POINTS, sizeof(*report_out->curve));
	dendrogram_curve(&report_out->dendrogram, report_out->curve);
	report_out->suggestion = threshold_suggest(&report_out->dendrogram,
						   measure, &merge_pages);
	if (pages->truth != NULL)
		report_out->merges = cluster_merges_compute(
			&report_out->dendrogram, &merge_pages);
	link_labels_choose(&pages->witness, &report_out->dendrogram,
			   measure_template_threshold(measure),
			   &report_out->witness);
}

enum error report_begin(enum measure measure, const struct report_pages *pages,
			const struct dendrogram_options *watch,
			struct report *report_out)
{
	struct dendrogram_options options = *watch;
	struct report_pages weighted;
	struct arena *arena;
	enum error error;

	options.histogram = &report_out->histogram;
	if (options.max_leaves == 0)
		options.max_leaves = REPORT_MAX_LEAVES;
	*report_out = (struct report){.measure = measure};
	if (pages->leaf_count > options.max_leaves)
		return ERR_TOO_LARGE;
	arena = arena_create();
	weighted = report_weigh(arena, pages);
	error = dendrogram_build(weighted.leaves, weighted.leaf_count, &options,
				 &report_out->dendrogram);
	if (error == ERR_NONE)
		report_fill(measure, &weighted, report_out);
	arena_destroy(arena);
	return error;
}

void report_free(struct report *report)
{
	dendrogram_free(&report->dendrogram);
	free(report->curve);
	cluster_merges_free(&report->merges);
	*report = (struct report){0};
}

/* Insert `cut` before the first entry with a higher threshold. */
static void threshold_list_insert(struct report_threshold *cuts, size_t count,
				  struct report_threshold cut)
{
	for (; count > 0 && cuts[count - 1].threshold > cut.threshold; count--)
		cuts[count] = cuts[count - 1];
	cuts[count] = cut;
}

size_t report_thresholds(const struct report *report,
			 struct report_threshold cuts_out[REPORT_THRESHOLDS])
{
	const struct report_threshold cuts[] = {
		{"template", 'T', measure_template_threshold(report->measure)},
		{"site", 'S', measure_site_threshold(report->measure)},
		{"plateau", 'P', report->suggestion.plateau},
		{"suggestion", '*', report->suggestion.threshold},
		{"in use", 'U', report->threshold},
	};
	bool is_other = true;
	size_t count = 0;

	_Static_assert(sizeof(cuts) / sizeof(*cuts) == REPORT_THRESHOLDS,
		       "room for all");
	for (size_t i = 0; i < REPORT_THRESHOLDS; i++) {
		if ((cuts[i].mark == 'P' && cuts[i].threshold == 0) ||
		    (cuts[i].mark == 'U' && !is_other))
			continue;
		threshold_list_insert(cuts_out, count++, cuts[i]);
		is_other &= cuts[i].threshold != report->threshold;
	}
	return count;
}

void report_name(const char *name, size_t width, struct buffer *out)
{
	struct buffer clean = {0};
	struct slice rest;
	size_t used;

	terminal_clean(slice_of(name), &clean);
	rest = buffer_slice(&clean);
	used = terminal_width(rest);
	if (used > width)
		buffer_append_text(out, "...");
	for (size_t left = used > width ? width - 3 : width; used > left;) {
		size_t next = 0;

		used -= terminal_columns(terminal_code_point(rest, &next));
		rest = (struct slice){rest.data + next, rest.size - next};
	}
	buffer_append_slice(out, rest);
	buffer_free(&clean);
}

void report_address(struct slice address, struct buffer *out)
{
	struct bounded plain = {.data = mem_alloc(address.size + 1, 1),
				.capacity = address.size};

	if (address.size > 5 && strncasecmp(address.data, "http", 4) == 0 &&
	    memchr(address.data, ':', 6) != NULL)
		percent_decode(address, &plain);
	else
		bounded_put_slice(&plain, address);
	buffer_append_slice(out, bounded_slice(&plain));
	free(plain.data);
}

/* The pages with a label, and memory for the labels of a clustering. */
struct labelled_sample {
	uint32_t *leaves; /* [count], leaf of each page in the dendrogram */
	uint32_t *truth;
	uint32_t *found;
	uint32_t *leaf_labels; /* memory for the labels of all leaves */
	size_t count;
};

static struct labelled_sample begin_sample(const struct report *report,
					   const uint32_t *leaves,
					   const uint32_t *truth, size_t count)
{
	struct labelled_sample sample = {
		.leaves = mem_alloc(count + 1, sizeof(*sample.leaves)),
		.truth = mem_alloc(count + 1, sizeof(*sample.truth)),
		.found = mem_alloc(count + 1, sizeof(*sample.found)),
		.leaf_labels = mem_alloc(report->dendrogram.count + 1,
					 sizeof(*sample.leaf_labels)),
	};

	for (size_t i = 0; i < count; i++) {
		if (truth[i] == 0)
			continue;
		sample.leaves[sample.count] = leaves[i];
		sample.truth[sample.count++] = truth[i];
	}
	return sample;
}

static void end_sample(struct labelled_sample *sample)
{
	free(sample->leaves);
	free(sample->truth);
	free(sample->found);
	free(sample->leaf_labels);
}

static struct report_score score_cut(const struct report *report,
				     const struct labelled_sample *sample,
				     const char *name, unsigned threshold)
{
	struct report_score score = {.name = name, .threshold = threshold};

	score.clusters = dendrogram_cut(&report->dendrogram, threshold,
					sample->leaf_labels);
	for (size_t i = 0; i < sample->count; i++)
		sample->found[i] = sample->leaf_labels[sample->leaves[i]];
	score.agreement =
		quality_agreement(sample->found, sample->truth, sample->count);
	return score;
}

static struct report_score score_best(const struct report *report,
				      const struct labelled_sample *sample)
{
	struct report_score best =
		score_cut(report, sample, "best (oracle)", 0);

	for (unsigned i = 1; i < DENDROGRAM_POINTS; i++) {
		struct report_score score;

		if (report->curve[i].clusters == report->curve[i - 1].clusters)
			continue;
		score = score_cut(report, sample, best.name, i);
		if (score.agreement.adjusted_rand >
		    best.agreement.adjusted_rand)
			best = score;
	}
	return best;
}

void report_score(struct report *report, const uint32_t *leaves,
		  const uint32_t *truth, size_t count)
{
	struct labelled_sample sample =
		begin_sample(report, leaves, truth, count);
	struct report_threshold cuts[REPORT_THRESHOLDS];

	report->labelled = sample.count;
	report->score_count = report_thresholds(report, cuts);
	for (size_t i = 0; i < report->score_count; i++)
		report->scores[i] = score_cut(report, &sample, cuts[i].name,
					      cuts[i].threshold);
	report->scores[report->score_count++] = score_best(report, &sample);
	link_labels_choose(&(struct label_pages){sample.leaves, sample.truth,
						 sample.count},
			   &report->dendrogram,
			   measure_template_threshold(report->measure),
			   &report->truth);
	end_sample(&sample);
}

/*
 * number of pages that one transaction reads; read transactions must be short
 */
enum { PAGES_PER_READ = 500 };

/* A page that is in a cluster. */
struct snapshot_page {
	/* key of the page; must be the first field, for order_u64() */
	uint64_t page;
	uint32_t set;
	uint32_t leaf;
};

/* The data that was read until now, in growing arrays. */
struct site_snapshot_reader {
	struct store *store;
	struct site_snapshot *snapshot;
	/* [leaf_count], the signature number of each leaf, ascending */
	uint32_t *sets;
	size_t set_capacity;
	size_t leaf_capacity;
	struct snapshot_page *members; /* [member_count] */
	size_t member_count;
	size_t member_capacity;
	struct arena *arena; /* owns the arrays below */
	struct slice *urls;  /* [member_count] */
};

static void site_snapshot_add_leaf(struct site_snapshot_reader *reading,
				   const struct set_scan *scan)
{
	struct site_snapshot *snapshot = reading->snapshot;
	uint32_t *shingle_ids =
		ARENA_NEW(snapshot->arena, uint32_t, scan->count);

	if (scan->count > 0)
		memcpy(shingle_ids, scan->shingle_ids,
		       scan->count * sizeof(*shingle_ids));
	reading->sets =
		mem_grow(reading->sets, snapshot->leaf_count,
			 &reading->set_capacity, sizeof(*reading->sets));
	snapshot->leaves =
		mem_grow(snapshot->leaves, snapshot->leaf_count,
			 &reading->leaf_capacity, sizeof(*snapshot->leaves));
	reading->sets[snapshot->leaf_count] = scan->set;
	snapshot->leaves[snapshot->leaf_count++] = (struct dendrogram_leaf){
		.shingle_ids = shingle_ids, .count = (uint32_t)scan->count};
	if (scan->count > 0 &&
	    shingle_ids[scan->count - 1] >= snapshot->shingle_count)
		snapshot->shingle_count =
			(size_t)shingle_ids[scan->count - 1] + 1;
}

static void site_snapshot_read_signatures(struct site_snapshot_reader *reading,
					  struct txn *txn)
{
	struct set_scan scan = set_scan_begin(txn, reading->snapshot->site.id);

	while (set_scan_next(&scan))
		site_snapshot_add_leaf(reading, &scan);
	set_scan_end(&scan);
}

/* Read the shingle of each number. */
static void site_snapshot_read_shingles(struct site_snapshot_reader *reading,
					struct txn *txn)
{
	struct site_snapshot *snapshot = reading->snapshot;
	struct scan scan = scan_site(txn, TABLE_SHINGLES, snapshot->site.id);

	snapshot->shingles =
		ARENA_NEW(snapshot->arena, uint64_t, snapshot->shingle_count);
	while (scan_next(&scan)) {
		uint32_t number = key_u32(scan.key, sizeof(uint32_t));

		if (number < snapshot->shingle_count &&
		    !shingle_decode(scan.value, &snapshot->shingles[number]))
			txn_fail(txn, ERR_CORRUPT);
	}
	scan_end(&scan);
}

/* Return the leaf with this signature number; leaf_count if no leaf has it. */
static uint32_t leaf_of(const struct site_snapshot_reader *reading,
			uint32_t set)
{
	uint32_t count = reading->sets == NULL
				 ? 0
				 : (uint32_t)reading->snapshot->leaf_count;
	size_t at;

	LOWER_BOUND(at, count, reading->sets[at] < set);
	return at < count && reading->sets[at] == set ? (uint32_t)at : count;
}

static void site_snapshot_read_pages(struct site_snapshot_reader *reading,
				     struct txn *txn)
{
	struct site_snapshot *snapshot = reading->snapshot;
	struct scan scan = scan_site(txn, TABLE_MEMBERS, snapshot->site.id);

	snapshot->clusters =
		ARENA_NEW(snapshot->arena, uint32_t, snapshot->leaf_count);
	while (scan_next(&scan)) {
		struct snapshot_page member = {
			.page = key_u64(scan.key, 2 * sizeof(uint32_t))};

		if (!member_decode(scan.value, &member.set))
			txn_fail(txn, ERR_CORRUPT);
		member.leaf = leaf_of(reading, member.set);
		if (member.leaf == snapshot->leaf_count) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		snapshot->leaves[member.leaf].pages++;
		snapshot->clusters[member.leaf] =
			key_u32(scan.key, sizeof(uint32_t));
		reading->members = mem_grow(
			reading->members, reading->member_count,
			&reading->member_capacity, sizeof(*reading->members));
		reading->members[reading->member_count++] = member;
	}
	scan_end(&scan);
}

/*
 * Read the signatures of the site and the pages that have them, in one
 * transaction.
 */
static enum error read_base(struct site_snapshot_reader *reading,
			    const char *host)
{
	struct txn txn = txn_begin_read(reading->store);
	struct site_snapshot *snapshot = reading->snapshot;

	if (!site_get(&txn, slice_of(host), &snapshot->site))
		txn_fail(&txn, ERR_NOT_FOUND);
	snapshot->site.host = (struct slice){NULL, 0};
	snapshot->site.seed = (struct slice){NULL, 0};
	site_snapshot_read_signatures(reading, &txn);
	site_snapshot_read_shingles(reading, &txn);
	site_snapshot_read_pages(reading, &txn);
	snapshot->weights = site_weights(&txn, &snapshot->site);
	if (reading->member_count > 1)
		qsort(reading->members, reading->member_count,
		      sizeof(*reading->members), order_u64);
	return txn_end(&txn);
}

/* Read the URL of a page. It is empty if the page was deleted meanwhile. */
static void site_snapshot_read_url(struct site_snapshot_reader *reading,
				   struct txn *txn, size_t index)
{
	struct site_snapshot *snapshot = reading->snapshot;
	const struct snapshot_page *member = &reading->members[index];
	struct slice url = {"", 0};
	struct page_row row;

	if (page_row_get(txn, snapshot->site.id, member->page, &row))
		url = row.url;
	reading->urls[index] = arena_slice(reading->arena, url);
	if (snapshot->examples[member->leaf] == NULL)
		snapshot->examples[member->leaf] =
			arena_copy(snapshot->names, url.data, url.size);
}

static void site_snapshot_read_links(struct site_snapshot_reader *reading,
				     struct txn *txn, size_t index,
				     struct link_graph *inbound)
{
	struct buffer bytes = {0};
	struct record record;
	size_t links;

	link_graph_links(inbound, &links);
	if (links >= SNAPSHOT_MAX_LINKS)
		return;
	if (content_record(txn, reading->snapshot->site.id,
			   reading->members[index].page, &bytes,
			   &record) == ERR_NONE)
		link_graph_add(inbound, (uint32_t)index, &record);
	buffer_free(&bytes);
}

/*
 * Read the first `count` members in several transactions. If `inbound` is NULL,
 * read their URLs; otherwise read their hyperlinks and add them to `inbound`.
 */
static enum error site_snapshot_walk_pages(struct site_snapshot_reader *reading,
					   size_t count,
					   struct link_graph *inbound)
{
	enum error error = ERR_NONE;
	size_t i = 0;

	while (i < count && error == ERR_NONE) {
		struct txn txn = txn_begin_read(reading->store);
		size_t end =
			count - i < PAGES_PER_READ ? count : i + PAGES_PER_READ;

		for (; i < end; i++) {
			if (inbound == NULL)
				site_snapshot_read_url(reading, &txn, i);
			else
				site_snapshot_read_links(reading, &txn, i,
							 inbound);
		}
		error = txn_end(&txn);
	}
	return error;
}

static enum error read_witness(struct site_snapshot_reader *reading)
{
	struct site_snapshot *snapshot = reading->snapshot;
	size_t count = reading->member_count;
	uint32_t *leaves = ARENA_NEW(snapshot->arena, uint32_t, count);
	uint32_t *labels = ARENA_NEW(snapshot->arena, uint32_t, count);
	struct link_graph *inbound =
		link_graph_create(reading->urls, (uint32_t)count);
	struct label_link *links;
	size_t link_count;
	enum error error = site_snapshot_walk_pages(
		reading,
		count < SNAPSHOT_MAX_SOURCES ? count : SNAPSHOT_MAX_SOURCES,
		inbound);

	links = link_graph_links(inbound, &link_count);
	link_labels_compute(links, link_count, labels, (uint32_t)count);
	link_graph_destroy(inbound);
	for (size_t i = 0; i < count; i++)
		leaves[i] = reading->members[i].leaf;
	snapshot->witness = (struct label_pages){leaves, labels, count};
	return error;
}

enum error site_snapshot_read(struct store *store, const char *host,
			      size_t max_leaves,
			      struct site_snapshot *snapshot_out)
{
	struct site_snapshot_reader reading = {.store = store,
					       .snapshot = snapshot_out,
					       .arena = arena_create()};
	enum error error;
	bool is_small;

	*snapshot_out = (struct site_snapshot){.arena = arena_create(),
					       .names = arena_create()};
	error = read_base(&reading, host);
	is_small = snapshot_out->leaf_count <= max_leaves;
	if (error == ERR_NONE && is_small) {
		snapshot_out->examples =
			ARENA_NEW(snapshot_out->names, const char *,
				  snapshot_out->leaf_count);
		reading.urls = ARENA_NEW(reading.arena, struct slice,
					 reading.member_count);
		error = site_snapshot_walk_pages(&reading, reading.member_count,
						 NULL);
	}
	if (error == ERR_NONE && is_small)
		error = read_witness(&reading);
	free(reading.sets);
	free(reading.members);
	arena_destroy(reading.arena);
	if (error != ERR_NONE)
		site_snapshot_free(snapshot_out);
	return error;
}

void site_snapshot_trim(struct site_snapshot *snapshot)
{
	arena_destroy(snapshot->arena);
	free(snapshot->leaves);
	snapshot->arena = NULL;
	snapshot->leaves = NULL;
	snapshot->shingles = NULL;
	snapshot->clusters = NULL;
	snapshot->witness = (struct label_pages){0};
}

void site_snapshot_free(struct site_snapshot *snapshot)
{
	site_snapshot_trim(snapshot);
	shingle_weights_free(&snapshot->weights);
	arena_destroy(snapshot->names);
	*snapshot = (struct site_snapshot){0};
}

static struct report_pages pages_of(const struct site_snapshot *snapshot,
				    const struct shingle_weights *weights)
{
	return (struct report_pages){
		.leaves = snapshot->leaves,
		.leaf_count = snapshot->leaf_count,
		.witness = snapshot->witness,
		.weights = weights,
		.shingles = snapshot->shingles,
		.shingle_count = snapshot->shingle_count,
	};
}

/* Return the number of pages of the site. */
static uint64_t snapshot_page_count(const struct site_snapshot *snapshot)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < snapshot->leaf_count; i++)
		pages += snapshot->leaves[i].pages;
	return pages;
}

/*
 * Compute the weights from the pages of the site: the default if there are few
 * pages. A site that may not have new weights keeps those in use. The caller
 * frees them.
 */
static struct shingle_weights
snapshot_weights(const struct site_snapshot *snapshot)
{
	const enum measure measure =
		(enum measure)snapshot->site.options.measure;
	const struct weighted_site site = {
		snapshot->leaves, snapshot->leaf_count, snapshot->shingles,
		snapshot->shingle_count};

	if (!site_may_have_weights(&snapshot->site))
		return shingle_weights_copy(&snapshot->weights);
	return snapshot_page_count(snapshot) >= SHINGLE_MIN_PAGES
		       ? shingle_weights_compute(measure, &site)
		       : shingle_weights_default(measure);
}

/* The merge model was trained with weights. */
static enum measure suggestion_measure(const struct site_snapshot *snapshot,
				       const struct shingle_weights *weights)
{
	return weights->heavy_units > 0
		       ? MEASURE_WCAS
		       : (enum measure)(snapshot->site.options.measure %
					MEASURE_COUNT);
}

enum error site_snapshot_report(const struct site_snapshot *snapshot,
				const struct dendrogram_options *watch,
				struct report *report_out)
{
	struct shingle_weights weights = snapshot_weights(snapshot);
	const struct report_pages pages = pages_of(snapshot, &weights);
	enum error error = report_begin(suggestion_measure(snapshot, &weights),
					&pages, watch, report_out);

	shingle_weights_free(&weights);
	report_out->measure =
		(enum measure)(snapshot->site.options.measure % MEASURE_COUNT);
	report_out->threshold = snapshot->site.options.threshold;
	report_out->shingle_ids = snapshot->shingle_count;
	report_out->examples = snapshot->examples;
	return error;
}

/*
 * Return whether the clusters at `threshold` are the current clusters of the
 * site.
 */
static bool is_current_partition(const struct site_snapshot *snapshot,
				 const struct dendrogram *dendrogram,
				 unsigned threshold)
{
	size_t count = snapshot->leaf_count;
	uint32_t *labels = mem_alloc(count + 1, sizeof(*labels));
	uint32_t clusters = dendrogram_cut(dendrogram, threshold, labels);
	uint32_t *first = mem_alloc((size_t)clusters + 1, sizeof(*first));
	uint64_t *pairs = mem_alloc(count + 1, sizeof(*pairs));
	bool is_same = true;

	/* one current cluster for each new one, and the reverse */
	for (size_t i = 0; i < count; i++) {
		if (first[labels[i]] == 0)
			first[labels[i]] = snapshot->clusters[i];
		is_same &= first[labels[i]] == snapshot->clusters[i];
		pairs[i] = (uint64_t)snapshot->clusters[i] << 32 | labels[i];
	}
	qsort(pairs, count, sizeof(*pairs), order_u64);
	for (size_t i = 1; i < count; i++)
		is_same &= pairs[i] == pairs[i - 1] ||
			   pairs[i] >> 32 != pairs[i - 1] >> 32;
	free(labels);
	free(first);
	free(pairs);
	return is_same;
}

/* Return the threshold that the site will have after the choice. */
static unsigned next_threshold(const struct site_snapshot *snapshot,
			       const struct threshold_choice *choice)
{
	const struct site_options *options = &snapshot->site.options;

	return (options->flags & SITE_IS_AUTO) != 0 ? choice->threshold
						    : options->threshold;
}

/*
 * Choose the threshold for choice->weights. *is_same_out: the clusters stay the
 * same.
 */
static enum error site_snapshot_suggest(const struct site_snapshot *snapshot,
					const struct dendrogram_options *watch,
					struct threshold_choice *choice,
					bool *is_same_out)
{
	const struct shingle_weights *weights = &choice->weights;
	const struct report_pages raw = pages_of(snapshot, weights);
	struct arena *arena = arena_create();
	const struct report_pages pages = report_weigh(arena, &raw);
	const struct merge_pages merge_pages = merge_pages_of(&pages);
	struct dendrogram dendrogram;
	struct threshold_suggestion suggestion;
	enum error error = dendrogram_build(pages.leaves, pages.leaf_count,
					    watch, &dendrogram);

	if (error == ERR_NONE) {
		suggestion = threshold_suggest(
			&dendrogram, suggestion_measure(snapshot, weights),
			&merge_pages);
		choice->threshold = suggestion.threshold;
		memcpy(choice->reason, suggestion.reason,
		       sizeof(choice->reason));
		*is_same_out =
			is_current_partition(snapshot, &dendrogram,
					     next_threshold(snapshot, choice));
	}
	dendrogram_free(&dendrogram);
	arena_destroy(arena);
	return error;
}

/* What a site gets whose dendrogram would be too large. */
static void choose_without_dendrogram(const struct site_snapshot *snapshot,
				      struct threshold_choice *choice)
{
	enum measure measure =
		(enum measure)(snapshot->site.options.measure % MEASURE_COUNT);

	choice->threshold = measure_template_threshold(measure);
	snprintf(choice->reason, sizeof(choice->reason),
		 "the default of %s, because the site has %zu distinct "
		 "signatures, too many for a dendrogram "
		 "(clustering.max_dendrogram_size)",
		 measure_name(measure), snapshot->leaf_count);
}

static enum error site_snapshot_choose(const struct site_snapshot *snapshot,
				       const struct dendrogram_options *watch,
				       struct threshold_choice *choice)
{
	const uint32_t pages_before = snapshot->weights.pages;
	bool is_same = false;
	enum error error = ERR_NONE;

	choice->site = snapshot->site.id;
	choice->generation = snapshot->site.generation;
	choice->weights = snapshot_weights(snapshot);
	if (snapshot->leaf_count > watch->max_leaves) {
		choose_without_dendrogram(snapshot, choice);
		/* new weights would cost too much until the site has grown */
		is_same = snapshot_page_count(snapshot) / 2 < pages_before;
	} else {
		error = site_snapshot_suggest(snapshot, watch, choice,
					      &is_same);
	}
	is_same &= next_threshold(snapshot, choice) ==
			   snapshot->site.options.threshold &&
		   (choice->weights.pages > 0) == (pages_before > 0);
	choice->has_weights = site_may_have_weights(&snapshot->site) &&
			      !is_same &&
			      (choice->weights.pages > 0 || pages_before > 0);
	return error;
}

enum error
site_snapshot_choose_threshold(struct store *store, const char *host,
			       const struct dendrogram_options *watch,
			       struct threshold_choice *choice_out)
{
	struct site_snapshot snapshot;
	enum error error =
		site_snapshot_read(store, host, watch->max_leaves, &snapshot);

	*choice_out = (struct threshold_choice){0};
	if (error != ERR_NONE)
		return error;
	error = site_snapshot_choose(&snapshot, watch, choice_out);
	site_snapshot_free(&snapshot);
	return error;
}

void threshold_choice_free(struct threshold_choice *choice)
{
	shingle_weights_free(&choice->weights);
}

struct change threshold_choice_change(const struct threshold_choice *choice,
				      const struct url *seed)
{
	return (struct change){
		.kind = CHANGE_SITE_THRESHOLD,
		.url = seed,
		.site_select_threshold = {.site = choice->site,
					  .threshold =
						  (uint16_t)choice->threshold,
					  .generation = choice->generation,
					  .reason = slice_of(choice->reason),
					  .weights = choice->has_weights
							     ? &choice->weights
							     : NULL},
	};
}
