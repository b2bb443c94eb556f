#include "daemon/ctl/clustering.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/linkage.h"
#include "cluster/witness.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/partition.h"
#include "daemon/ctl/progress.h"
#include "daemon/engine/inbound.h"
#include "daemon/privsep/analyse.h"
#include "store/record.h"

static struct signature copy_signature(struct arena *arena,
				       const struct record *record,
				       enum measure measure)
{
	unsigned slot = signature_slot(measure);
	size_t count = record->signature_counts[slot];
	uint64_t *members = ARENA_NEW(arena, uint64_t, count);

	if (count > 0)
		memcpy(members, record->signatures[slot],
		       count * sizeof(*members));
	return (struct signature){members, count};
}

/*
 * Compute the signature of file number `index` through its record, as the
 * daemon does.
 */
static enum error sign_file(struct clustering *clustering,
			    const struct input *input, uint32_t index,
			    struct signature *signature_out, bool *is_cut)
{
	const struct page_limits *limits = &page_limits_default;
	const struct analyse_options options = {
		.limits = limits,
		.measure = clustering->measure,
		.width = clustering->width,
	};
	struct buffer body = {0};
	struct buffer bytes = {0};
	struct record record;
	struct url url;
	enum error error = offline_url(input->name, &url);

	if (error == ERR_NONE)
		error = file_read(input->path, limits->max_bytes, &body);
	if (error == ERR_NONE)
		error = analyse(buffer_slice(&body), (struct slice){NULL, 0},
				&url, &options, &bytes);
	if (error == ERR_NONE)
		error = record_open(buffer_slice(&bytes), &record);
	if (error == ERR_NONE) {
		*is_cut = (record.flags & RECORD_IS_TRUNCATED) != 0;
		link_graph_add(clustering->inbound, index, &record);
		*signature_out = copy_signature(clustering->arena, &record,
						clustering->measure);
	}
	buffer_free(&body);
	buffer_free(&bytes);
	return error;
}

/* Add the page to the linkage; report an unusable page and return false. */
static bool clustering_add_page(struct clustering *clustering,
				const struct input *input, uint32_t index)
{
	struct linkage_changes changes;
	struct signature signature = {0};
	bool is_cut = false;
	enum error error =
		sign_file(clustering, input, index, &signature, &is_cut);

	if (error == ERR_NONE && !is_cut)
		error = linkage_put(clustering->linkage, clustering->count,
				    signature, &clustering->next_label,
				    &changes);
	if (error != ERR_NONE)
		input_print_error(clustering->ctl, input->path, error,
				  page_limits_default.max_bytes);
	else if (is_cut)
		ctl_print_error(clustering->ctl,
				"%s: skipped: truncated at a limit of a page "
				"(elements, depth or attributes)",
				input->path);
	if (error != ERR_NONE || is_cut)
		return false;
	clustering->names[clustering->count] = input->name;
	/* number of the input, until its label is known */
	clustering->witnesses[clustering->count] = index;
	clustering->signatures[clustering->count++] = signature;
	return true;
}

static void number_clusters(struct clustering *clustering)
{
	uint32_t *labels = mem_alloc(clustering->count + 1, sizeof(*labels));

	for (size_t i = 0; i < clustering->count; i++)
		labels[i] = linkage_label(clustering->linkage, i);
	clustering->cluster_count = clustering_result_number(
		labels, clustering->count, clustering->numbers);
	free(labels);
}

/* Number the leaves in the order of their first pages, hence of the names. */
static void number_leaves(struct clustering *clustering)
{
	size_t rows = linkage_size(clustering->linkage).set_rows;
	uint32_t *leaf_of_set = mem_alloc(rows + 1, sizeof(*leaf_of_set));

	clustering->examples =
		mem_alloc(rows + 1, sizeof(*clustering->examples));
	for (size_t i = 0; i < clustering->count; i++) {
		uint32_t set = linkage_set(clustering->linkage, i);

		if (leaf_of_set[set] == 0) {
			clustering->examples[clustering->leaf_count] =
				clustering->names[i];
			leaf_of_set[set] = ++clustering->leaf_count;
		}
		clustering->leaves[i] = leaf_of_set[set] - 1;
	}
	free(leaf_of_set);
}

static void begin_arrays(struct clustering *clustering, size_t count)
{
	clustering->names = mem_alloc(count, sizeof(*clustering->names));
	clustering->signatures =
		mem_alloc(count, sizeof(*clustering->signatures));
	clustering->numbers = mem_alloc(count, sizeof(*clustering->numbers));
	clustering->leaves = mem_alloc(count, sizeof(*clustering->leaves));
	clustering->witnesses =
		mem_alloc(count, sizeof(*clustering->witnesses));
}

static struct link_graph *begin_inbound(const struct inputs *inputs)
{
	struct arena *arena = arena_create();
	struct slice *urls = ARENA_NEW(arena, struct slice, inputs->count);
	struct link_graph *inbound;
	struct url url;

	for (size_t i = 0; i < inputs->count; i++) {
		size_t size;

		if (offline_url(inputs->items[i].name, &url) != ERR_NONE)
			url.text[0] = '\0';
		size = strlen(url.text);
		urls[i] =
			(struct slice){arena_copy(arena, url.text, size), size};
	}
	inbound = link_graph_create(urls, (uint32_t)inputs->count);
	arena_destroy(arena);
	return inbound;
}

static void name_witnesses(struct clustering *clustering, size_t input_count)
{
	uint32_t *labels = mem_alloc(input_count + 1, sizeof(*labels));
	size_t count;
	struct label_link *links =
		link_graph_links(clustering->inbound, &count);

	link_labels_compute(links, count, labels, (uint32_t)input_count);
	for (size_t i = 0; i < clustering->count; i++)
		clustering->witnesses[i] = labels[clustering->witnesses[i]];
	free(labels);
}

void clustering_read(struct clustering *clustering, const struct inputs *inputs)
{
	const struct linkage_options options = {.threshold =
							clustering->threshold};
	struct progress progress = progress_begin("cluster");

	clustering->linkage = linkage_create(&options);
	clustering->next_label = 1;
	clustering->arena = arena_create();
	clustering->inbound = begin_inbound(inputs);
	begin_arrays(clustering, inputs->count);
	for (size_t i = 0; i < inputs->count; i++) {
		progress_show(&progress, i, inputs->count, NULL);
		if (clustering_add_page(clustering, &inputs->items[i],
					(uint32_t)i))
			continue;
		clustering->skipped++;
		progress_clear(&progress);
	}
	progress_clear(&progress);
	number_clusters(clustering);
	number_leaves(clustering);
	name_witnesses(clustering, inputs->count);
}

void clustering_free(struct clustering *clustering)
{
	linkage_destroy(clustering->linkage);
	arena_destroy(clustering->arena);
	free(clustering->names);
	free(clustering->signatures);
	free(clustering->numbers);
	free(clustering->leaves);
	free(clustering->witnesses);
	link_graph_destroy(clustering->inbound);
	free(clustering->examples);
}

static struct dendrogram_leaf *make_leaves(const struct clustering *clustering)
{
	struct dendrogram_leaf *leaves =
		mem_alloc(clustering->leaf_count + 1, sizeof(*leaves));

	for (size_t i = 0; i < clustering->count; i++) {
		struct linkage_set_view set =
			linkage_set_at(clustering->linkage,
				       linkage_set(clustering->linkage, i));

		leaves[clustering->leaves[i]] = (struct dendrogram_leaf){
			.shingle_ids = set.shingle_ids,
			.count = (uint32_t)set.count,
			.pages = (uint32_t)set.page_count,
		};
	}
	return leaves;
}

static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total, NULL);
	return true;
}

/* Return [clustering->count]: the labels of the pages; NULL without labels. */
static uint32_t *make_truth(const struct clustering *clustering,
			    const struct labels *labels)
{
	uint32_t *truth;

	if (labels->count == 0)
		return NULL;
	truth = mem_alloc(clustering->count + 1, sizeof(*truth));
	for (size_t i = 0; i < clustering->count; i++)
		truth[i] = labels_find(labels, clustering->names[i]);
	return truth;
}

/* Cluster the pages again at this threshold. */
static void clustering_cut_at(struct clustering *clustering,
			      const struct report *report, unsigned threshold)
{
	uint32_t *of_leaf =
		mem_alloc(clustering->leaf_count + 1, sizeof(*of_leaf));
	uint32_t *of_page = mem_alloc(clustering->count + 1, sizeof(*of_page));

	dendrogram_cut(&report->dendrogram, threshold, of_leaf);
	for (size_t i = 0; i < clustering->count; i++)
		of_page[i] = of_leaf[clustering->leaves[i]];
	clustering->cluster_count = clustering_result_number(
		of_page, clustering->count, clustering->numbers);
	clustering->threshold = threshold;
	free(of_leaf);
	free(of_page);
}

bool clustering_report(struct clustering *clustering,
		       const struct labels *labels, bool is_auto,
		       struct report *report_out)
{
	struct progress progress = progress_begin("compare");
	const struct dendrogram_options watch = {.goes_on = show_progress,
						 .context = &progress};
	struct dendrogram_leaf *leaves = make_leaves(clustering);
	uint32_t *truth = make_truth(clustering, labels);
	const struct report_pages pages = {
		.leaves = leaves,
		.leaf_count = clustering->leaf_count,
		.witness = {clustering->leaves, clustering->witnesses,
			    clustering->count},
		.truth = truth,
	};
	enum error error =
		report_begin(clustering->measure, &pages, &watch, report_out);

	progress_clear(&progress);
	free(leaves);
	if (error != ERR_NONE) {
		ctl_print_error(
			clustering->ctl,
			"%u distinct pages; a dendrogram can have at most %d",
			(unsigned)clustering->leaf_count, REPORT_MAX_LEAVES);
		free(truth);
		return false;
	}
	if (is_auto)
		clustering_cut_at(clustering, report_out,
				  report_out->suggestion.threshold);
	report_out->threshold = clustering->threshold;
	report_out->shingle_ids = linkage_size(clustering->linkage).shingle_ids;
	report_out->examples = clustering->examples;
	if (truth != NULL)
		report_score(report_out, clustering->leaves, truth,
			     clustering->count);
	free(truth);
	return true;
}

static uint32_t count_distinct(const uint32_t *numbers, size_t count)
{
	uint32_t *scratch = mem_alloc(count + 1, sizeof(*scratch));
	uint32_t distinct = clustering_result_number(numbers, count, scratch);

	free(scratch);
	return distinct;
}

/* All pages of a leaf are in one cluster, so one page per leaf is enough. */
static double measure_dunn(const struct clustering *clustering,
			   const struct labels *labels)
{
	size_t max = clustering->count + 1;
	struct signature *signatures = mem_alloc(max, sizeof(*signatures));
	uint32_t *groups = mem_alloc(max, sizeof(*groups));
	bool *is_seen = mem_alloc(max, sizeof(*is_seen)); /* by leaf */
	size_t count = 0;
	double dunn;

	for (size_t i = 0; i < clustering->count; i++) {
		if (is_seen[clustering->leaves[i]] ||
		    labels_find(labels, clustering->names[i]) == 0)
			continue;
		is_seen[clustering->leaves[i]] = true;
		signatures[count] = clustering->signatures[i];
		groups[count++] = clustering->numbers[i];
	}
	dunn = quality_dunn(signatures, groups, count);
	free(signatures);
	free(groups);
	free(is_seen);
	return dunn;
}

struct figures clustering_measure(const struct clustering *clustering,
				  const struct labels *labels)
{
	size_t max = clustering->count + 1;
	uint32_t *found = mem_alloc(max, sizeof(*found));
	uint32_t *truth = mem_alloc(max, sizeof(*truth));
	struct figures figures = {0};

	for (size_t i = 0; i < clustering->count; i++) {
		uint32_t label = labels_find(labels, clustering->names[i]);

		if (label == 0)
			continue;
		found[figures.count] = clustering->numbers[i];
		truth[figures.count++] = label;
	}
	figures.label_count = count_distinct(truth, figures.count);
	figures.agreement = quality_agreement(found, truth, figures.count);
	figures.dunn = measure_dunn(clustering, labels);
	free(found);
	free(truth);
	return figures;
}
