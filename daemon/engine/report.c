#include "daemon/engine/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "crawl/percent.h"
#include "daemon/runtime/terminal.h"

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

enum error report_begin(enum measure measure, const struct report_pages *pages,
			const struct dendrogram_options *watch,
			struct report *report_out)
{
	struct dendrogram_options options = *watch;
	struct merge_pages merge_pages;
	enum error error;

	options.histogram = &report_out->histogram;
	if (options.max_leaves == 0)
		options.max_leaves = REPORT_MAX_LEAVES;
	*report_out = (struct report){.measure = measure};
	error = dendrogram_build(pages->leaves, pages->leaf_count, &options,
				 &report_out->dendrogram);
	if (error != ERR_NONE)
		return error;
	report_out->curve =
		mem_alloc(DENDROGRAM_POINTS, sizeof(*report_out->curve));
	dendrogram_curve(&report_out->dendrogram, report_out->curve);
	merge_pages = merge_pages_of(pages);
	report_out->suggestion = threshold_suggest(&report_out->dendrogram,
						   measure, &merge_pages);
	if (pages->truth != NULL)
		report_out->merges = cluster_merges_compute(
			&report_out->dendrogram, &merge_pages);
	link_labels_choose(&pages->witness, &report_out->dendrogram,
			   measure_template_threshold(measure),
			   &report_out->witness);
	return ERR_NONE;
}

void report_free(struct report *report)
{
	dendrogram_free(&report->dendrogram);
	free(report->curve);
	cluster_merges_free(&report->merges);
	*report = (struct report){0};
}

/* Insert before the first entry with a higher threshold. */
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

/* Pages with a label, and scratch memory for the labels of a clustering. */
struct labelled_sample {
	uint32_t *leaves; /* [count] */
	uint32_t *truth;
	uint32_t *found;
	uint32_t *leaf_labels; /* for all leaves */
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
