#include "daemon/ctl/ctl_group.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cluster/linkage.h"
#include "cluster/quality.h"
#include "cluster/signature.h"
#include "cluster/threshold.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/engine/link_graph.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/privsep/analyse_task.h"
#include "daemon/runtime/terminal.h"
#include "daemon/web/threshold_svg.h"
#include "daemon/web/thresholds.h"
#include "store/record.h"
#include "template/template_name.h"
#include "template/version_json.h"

/*
 * Clustering of HTML files by template, without a daemon: templatectl cluster
 * and its report.
 */

struct arena;
struct link_graph;
struct linkage;

enum { MAX_TITLE_BYTES = 200 };

/* What the name of a cluster is derived from. */
struct group_page {
	uint64_t key; /* hash of the URL */
	struct named_page page;
	struct slice title;
	uint32_t cluster;
};

/*
 * A clustering of pages. Pages with equal signatures share a leaf of the
 * dendrogram. Initialize ctl, measure, threshold and width; free with
 * clustering_free().
 */
struct clustering {
	const struct ctl *ctl;
	enum measure measure;
	unsigned threshold; /* in thousandths */
	unsigned width;     /* names per shingle; 0 = default of the measure */
	struct linkage *linkage; /* all pages are in one cluster until
				    clustering_cut() */
	struct shingle_weights weights;
	uint64_t *shingles; /* [shingle_count], by their number */
	size_t shingle_count;
	struct arena *arena; /* has the signatures */
	uint32_t next_label;
	struct link_graph *inbound;   /* the links between the input files */
	const char **names;           /* [count], names of the input files */
	uint32_t *witnesses;          /* [count], labels from
					 link_labels_compute() */
	struct signature *signatures; /* [count] */
	uint32_t *numbers;            /* [count], the cluster of each page:
					 clustering_result_number() */
	uint32_t *leaves;             /* [count], the leaf of each page */
	struct group_page *pages;     /* [count] */
	size_t count;
	size_t skipped;
	uint32_t cluster_count;
	struct slice *cluster_names; /* [cluster_count], by number - 1 */
	const char **examples;       /* [leaf_count], name of the first page of
					each leaf */
	uint32_t leaf_count;
};

/* How well the clusters agree with the labels. */
struct figures {
	size_t count; /* number of pages with a label */
	uint32_t label_count;
	struct agreement agreement;
	double dunn;
};

struct label_group {
	size_t size;
	size_t first; /* its smallest item */
	uint32_t number;
};

struct label_item {
	uint32_t label;
	size_t item;
};

static int compare_members(const void *a, const void *b)
{
	const struct label_item *left = a;
	const struct label_item *right = b;

	if (left->label != right->label)
		return left->label < right->label ? -1 : 1;
	return left->item < right->item ? -1 : left->item > right->item;
}

static int label_group_compare(const void *a, const void *b)
{
	const struct label_group *left = *(struct label_group *const *)a;
	const struct label_group *right = *(struct label_group *const *)b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

uint32_t clustering_result_number(const uint32_t *labels, size_t count,
				  uint32_t *numbers_out)
{
	struct label_item *members = mem_alloc(count + 1, sizeof(*members));
	struct label_group *groups = mem_alloc(count + 1, sizeof(*groups));
	struct label_group **order =
		mem_alloc(count + 1, sizeof(struct label_group *));
	size_t group_count = 0;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct label_item){labels[i], i};
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || members[i].label != members[i - 1].label) {
			groups[group_count].first = members[i].item;
			order[group_count] = &groups[group_count];
			group_count++;
		}
		groups[group_count - 1].size++;
	}
	qsort(order, group_count, sizeof(struct label_group *),
	      label_group_compare);
	for (size_t i = 0; i < group_count; i++)
		order[i]->number = (uint32_t)i + 1;
	for (size_t i = 0, group = 0; i < count; i++) {
		group += i > 0 && members[i].label != members[i - 1].label;
		numbers_out[members[i].item] = groups[group].number;
	}
	free(members);
	free(groups);
	free(order);
	return (uint32_t)group_count;
}

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

static void group_page_read(struct clustering *clustering,
			    const struct url *url, const struct record *record)
{
	struct slice path = slice_of(url->text + url->path);
	struct slice title = utf8_truncate(record->title, MAX_TITLE_BYTES);

	clustering->pages[clustering->count] = (struct group_page){
		.key = hash64(url->text, strlen(url->text), 0),
		.page = {arena_slice(clustering->arena, path),
			 record_kind(record)},
		.title = arena_slice(clustering->arena, title),
	};
}

/*
 * Compute the signature of input file `index` from its record, as the daemon
 * does.
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
		group_page_read(clustering, &url, &record);
		*signature_out = copy_signature(clustering->arena, &record,
						clustering->measure);
	}
	buffer_free(&body);
	buffer_free(&bytes);
	return error;
}

/*
 * Add the page to the linkage. If that is not possible, print an error and
 * return false.
 */
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
	/*
	 * the number of the input file, until name_witnesses() replaces it by a
	 * label
	 */
	clustering->witnesses[clustering->count] = index;
	clustering->signatures[clustering->count++] = signature;
	return true;
}

/* Number the leaves in the order of their first pages. */
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

/* Compute the weights of the shingles, if the measure has weights. */
static void weigh_shingles(struct clustering *clustering)
{
	struct dendrogram_leaf *leaves = make_leaves(clustering);
	struct weighted_site site = {.leaves = leaves,
				     .leaf_count = clustering->leaf_count};

	clustering->shingle_count =
		linkage_size(clustering->linkage).shingle_ids;
	clustering->shingles = mem_alloc(clustering->shingle_count + 1,
					 sizeof(*clustering->shingles));
	for (uint32_t i = 0; i < clustering->shingle_count; i++)
		clustering->shingles[i] =
			linkage_shingle(clustering->linkage, i);
	site.shingles = clustering->shingles;
	site.shingle_count = clustering->shingle_count;
	clustering->weights = shingle_weights_for(clustering->measure, &site);
	free(leaves);
}

/*
 * Read the input files and weigh their shingles. `inputs` must outlive the
 * clustering. Report files that cannot be used on standard error, and count
 * them as skipped.
 */
static void clustering_read(struct clustering *clustering,
			    const struct inputs *inputs)
{
	const struct linkage_options options = {.threshold = 1000};
	struct progress progress = progress_begin("cluster");
	size_t count = inputs->count;

	clustering->linkage = linkage_create(&options);
	clustering->next_label = 1;
	clustering->arena = arena_create();
	clustering->inbound = begin_inbound(inputs);
	clustering->names = mem_alloc(count, sizeof(*clustering->names));
	clustering->signatures =
		mem_alloc(count, sizeof(*clustering->signatures));
	clustering->numbers = mem_alloc(count, sizeof(*clustering->numbers));
	clustering->leaves = mem_alloc(count, sizeof(*clustering->leaves));
	clustering->pages = mem_alloc(count, sizeof(*clustering->pages));
	clustering->witnesses =
		mem_alloc(count, sizeof(*clustering->witnesses));
	for (size_t i = 0; i < inputs->count; i++) {
		progress_show(&progress, i, inputs->count, NULL);
		if (clustering_add_page(clustering, &inputs->items[i],
					(uint32_t)i))
			continue;
		clustering->skipped++;
		progress_clear(&progress);
	}
	progress_clear(&progress);
	number_leaves(clustering);
	name_witnesses(clustering, inputs->count);
	weigh_shingles(clustering);
}

/* Cluster the pages with the threshold, without a dendrogram. */
static void clustering_cut(struct clustering *clustering)
{
	uint32_t *labels = mem_alloc(clustering->count + 1, sizeof(*labels));
	struct linkage_changes changes;

	linkage_set_threshold(clustering->linkage, clustering->threshold,
			      &clustering->weights, &clustering->next_label,
			      &changes);
	for (size_t i = 0; i < clustering->count; i++)
		labels[i] = linkage_label(clustering->linkage, i);
	clustering->cluster_count = clustering_result_number(
		labels, clustering->count, clustering->numbers);
	free(labels);
}

static void clustering_free(struct clustering *clustering)
{
	linkage_destroy(clustering->linkage);
	shingle_weights_free(&clustering->weights);
	free(clustering->shingles);
	arena_destroy(clustering->arena);
	free(clustering->names);
	free(clustering->signatures);
	free(clustering->numbers);
	free(clustering->leaves);
	free(clustering->pages);
	free(clustering->witnesses);
	link_graph_destroy(clustering->inbound);
	free(clustering->examples);
}

/*
 * Return the numbers of the labels of the pages [clustering->count]; NULL if
 * there are no labels.
 */
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

/* Cluster the pages again with this threshold. */
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

/*
 * Make the report about the pages, with scores if there are labels. The
 * clustering must outlive the report. If `is_auto` is true, cluster the pages
 * with the threshold that the report suggests. If there are too many pages,
 * print an error and return false.
 */
static bool clustering_report(struct clustering *clustering,
			      const struct labels *labels, bool is_auto,
			      struct report *report_out)
{
	struct progress progress = progress_begin("compare");
	const struct dendrogram_options watch = {.goes_on = progress_goes_on,
						 .context = &progress};
	struct dendrogram_leaf *leaves = make_leaves(clustering);
	uint32_t *truth = make_truth(clustering, labels);
	const struct report_pages pages = {
		.leaves = leaves,
		.leaf_count = clustering->leaf_count,
		.witness = {clustering->leaves, clustering->witnesses,
			    clustering->count},
		.truth = truth,
		.weights = &clustering->weights,
		.shingles = clustering->shingles,
		.shingle_count = clustering->shingle_count,
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
	report_out->shingle_ids = clustering->shingle_count;
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

/*
 * Return the Dunn index of the clusters. All pages of a leaf have the same
 * signature, so one page of each leaf is enough.
 */
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
		signatures[count] = shingle_weights_expand(
			clustering->arena, &clustering->weights,
			clustering->signatures[i]);
		groups[count++] = clustering->numbers[i];
	}
	dunn = quality_dunn(signatures, groups, count);
	free(signatures);
	free(groups);
	free(is_seen);
	return dunn;
}

static struct figures clustering_measure(const struct clustering *clustering,
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

static int labels_compare(struct slice a, struct slice b)
{
	size_t shorter = a.size < b.size ? a.size : b.size;
	int order = shorter == 0 ? 0 : memcmp(a.data, b.data, shorter);

	if (order != 0)
		return order;
	return a.size < b.size ? -1 : a.size > b.size;
}

static int labels_compare_paths(const void *a, const void *b)
{
	const struct label *left = a;
	const struct label *right = b;
	int order = labels_compare(left->path, right->path);

	/* lines with equal paths keep the order of the file */
	return order != 0 ? order : left->number < right->number ? -1 : 1;
}

static int compare_texts(const void *a, const void *b)
{
	return labels_compare(((const struct label *)a)->text,
			      ((const struct label *)b)->text);
}

/* Remove the first column from `line` and return it. */
static struct slice take_column(struct slice *line)
{
	const char *text = (const char *)line->data;
	const char *tab =
		line->size == 0 ? NULL : memchr(text, '\t', line->size);
	size_t length = tab == NULL ? line->size : (size_t)(tab - text);
	struct slice column = {text, length};

	length += tab == NULL ? 0 : 1;
	*line = (struct slice){text + length, line->size - length};
	return column;
}

static size_t labels_read_lines(struct slice bytes, struct label **items_out)
{
	struct label *items = NULL;
	size_t capacity = 0;
	size_t count = 0;
	size_t position = 0;
	const char *text = (const char *)bytes.data;

	while (position < bytes.size) {
		const char *end =
			memchr(text + position, '\n', bytes.size - position);
		size_t size = end == NULL ? bytes.size - position
					  : (size_t)(end - text) - position;
		struct slice line = {text + position, size};
		struct label label = {.number = (uint32_t)count};

		position += size + 1;
		if (size > 0 && text[position - 2] == '\r')
			line.size--;
		label.path = take_column(&line);
		if (line.size == 0)
			continue;
		label.text = take_column(&line);
		items = mem_grow(items, count, &capacity, sizeof(label));
		items[count++] = label;
	}
	*items_out = items;
	return count;
}

/* Keep only the last line of each path. The lines are sorted by path. */
static size_t labels_drop_repeats(struct label *items, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 &&
		    slice_equal(items[kept - 1].path, items[i].path))
			kept--;
		items[kept++] = items[i];
	}
	return kept;
}

static void number_texts(struct label *items, size_t count)
{
	uint32_t number = 0;

	qsort(items, count, sizeof(*items), compare_texts);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !slice_equal(items[i].text, items[i - 1].text))
			number++;
		items[i].number = number;
	}
}

void labels_read(struct buffer *bytes, struct labels *labels_out)
{
	struct labels labels = {.bytes = *bytes};

	*bytes = (struct buffer){0};
	labels.count =
		labels_read_lines(buffer_slice(&labels.bytes), &labels.items);
	if (labels.count > 0 &&
	    slice_equal(labels.items[0].path, slice_of("path")) &&
	    slice_equal(labels.items[0].text, slice_of("label")))
		memmove(labels.items, labels.items + 1,
			--labels.count * sizeof(*labels.items));
	if (labels.count > 0) {
		qsort(labels.items, labels.count, sizeof(*labels.items),
		      labels_compare_paths);
		labels.count = labels_drop_repeats(labels.items, labels.count);
		number_texts(labels.items, labels.count);
		qsort(labels.items, labels.count, sizeof(*labels.items),
		      labels_compare_paths);
	}
	*labels_out = labels;
}

void labels_free(struct labels *labels)
{
	buffer_free(&labels->bytes);
	free(labels->items);
	*labels = (struct labels){0};
}

uint32_t labels_find(const struct labels *labels, const char *path)
{
	struct slice wanted = slice_of(path);
	const struct label *label;
	size_t at;

	LOWER_BOUND(at, labels->count,
		    labels_compare(labels->items[at].path, wanted) < 0);
	if (at == labels->count)
		return 0;
	label = &labels->items[at];
	if (!slice_equal(label->path, wanted) ||
	    slice_equal(label->text, slice_of("redirect-stub")) ||
	    slice_equal(label->text, slice_of("not-html")))
		return 0;
	return label->number;
}

/* The action templatectl cluster. */

enum { MAX_LABEL_BYTES = 1 << 28 };

/* Return the name of the cluster of a page. */
static struct slice group_cluster_name(const struct clustering *clustering,
				       size_t page)
{
	return clustering->cluster_names[clustering->numbers[page] - 1];
}

static void group_append_lines(const struct clustering *clustering,
			       struct buffer *out)
{
	for (size_t i = 0; i < clustering->count; i++) {
		size_t begin = out->size;

		buffer_append_text(out, clustering->names[i]);
		/*
		 * replace control characters: a tab or newline in a name would
		 * break the line
		 */
		for (size_t c = begin; c < out->size; c++)
			if ((unsigned char)out->data[c] < ' ')
				out->data[c] = '?';
		buffer_printf(out, "\t%" PRIu32 "\n", clustering->numbers[i]);
	}
}

static json_t *text_json(const char *text)
{
	struct buffer clean = {0};
	json_t *value = json_string(text);

	if (value != NULL)
		return value;
	terminal_clean(slice_of(text), &clean);
	value = json_stringn(clean.data, clean.size);
	buffer_free(&clean);
	return value;
}

/* Print the clusters: the name, the number, the pages, and one page. */
static void group_print_names(const struct clustering *clustering)
{
	uint32_t *pages =
		mem_alloc(clustering->cluster_count + 1, sizeof(*pages));
	json_t *rows = json_array();

	for (size_t i = 0; i < clustering->count; i++)
		pages[clustering->numbers[i] - 1]++;
	for (uint32_t k = 0; k < clustering->cluster_count; k++)
		json_array_append_new(
			rows, json_pack("{s:o, s:I, s:I}", "name",
					json_text(clustering->cluster_names[k]),
					"cluster", (json_int_t)k + 1, "pages",
					(json_int_t)pages[k]));
	for (size_t i = clustering->count; i-- > 0;)
		json_object_set_new(
			json_array_get(rows, clustering->numbers[i] - 1),
			"example", text_json(clustering->names[i]));
	table_print_rows("NAME~=name, CLUSTER#=cluster, PAGES#=pages, "
			 "EXAMPLE~=example",
			 rows);
	json_decref(rows);
	free(pages);
}

static json_t *number_json(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *figures_json(const struct figures *figures)
{
	const struct agreement *agreement = &figures->agreement;

	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "labelled",
			 (json_int_t)figures->count, "labels",
			 (json_int_t)figures->label_count, "rand",
			 number_json(agreement->rand), "adjusted_rand",
			 number_json(agreement->adjusted_rand), "homogeneity",
			 number_json(agreement->homogeneity), "completeness",
			 number_json(agreement->completeness), "v_measure",
			 number_json(agreement->v_measure), "dunn",
			 number_json(figures->dunn));
}

/*
 * Print the clusters as JSON; with --report also the report, and with the
 * threshold "auto" the suggestion.
 */
static void print_as_json(const struct clustering *clustering,
			  const struct report *report, bool is_auto,
			  const struct figures *figures)
{
	json_t *pages = json_array();
	json_t *answer =
		json_pack("{s:s, s:f, s:I, s:I, s:o}", "measure",
			  measure_name(clustering->measure), "threshold",
			  clustering->threshold / 1000.0, "clusters",
			  (json_int_t)clustering->cluster_count, "skipped",
			  (json_int_t)clustering->skipped, "pages", pages);

	for (size_t i = 0; i < clustering->count; i++)
		json_array_append_new(
			pages,
			json_pack(
				"{s:o, s:I, s:o}", "path",
				text_json(clustering->names[i]), "cluster",
				(json_int_t)clustering->numbers[i], "name",
				json_text(group_cluster_name(clustering, i))));
	if (figures != NULL)
		json_object_set_new(answer, "quality", figures_json(figures));
	if (is_auto)
		json_object_set_new(
			answer, "suggestion",
			suggested_threshold_json(&report->suggestion));
	if (option_given(clustering->ctl, "report"))
		json_object_set_new(answer, "report", report_json(report));
	client_print_json(answer);
	json_decref(answer);
}

static void group_print_figures(const struct clustering *clustering,
				const struct figures *figures)
{
	fprintf(stderr,
		"%zu pages in %" PRIu32 " clusters; %zu pages with %" PRIu32
		" labels: Rand %.3f, adjusted Rand %.3f, V-measure %.3f, "
		"Dunn %.3f\n",
		clustering->count, clustering->cluster_count, figures->count,
		figures->label_count, figures->agreement.rand,
		figures->agreement.adjusted_rand, figures->agreement.v_measure,
		figures->dunn);
}

static int group_page_compare(const void *left, const void *right)
{
	const struct group_page *a = left;
	const struct group_page *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Derive the names of the clusters, as the daemon does. */
static void group_name_clusters(struct clustering *clustering)
{
	struct arena *arena = clustering->arena;
	struct group_page *pages = clustering->pages;
	size_t count = clustering->count;
	struct named_page *samples = ARENA_NEW(arena, struct named_page, count);
	struct slice *titles = ARENA_NEW(arena, struct slice, count);
	struct named_cluster *clusters = ARENA_NEW(arena, struct named_cluster,
						   clustering->cluster_count);

	for (size_t i = 0; i < count; i++)
		pages[i].cluster = clustering->numbers[i];
	qsort(pages, count, sizeof(*pages), group_page_compare);
	for (size_t i = 0; i < count; i++) {
		struct named_cluster *one = &clusters[pages[i].cluster - 1];

		samples[i] = pages[i].page;
		titles[i] = pages[i].title;
		if (one->page_count++ == 0) {
			one->pages = &samples[i];
			one->titles = &titles[i];
		}
		one->sample_count += one->sample_count < NAME_SAMPLE_PAGES;
		one->title_count += one->title_count < NAME_SAMPLE_TITLES;
	}
	template_names_derive(arena, clusters, clustering->cluster_count);
	clustering->cluster_names =
		ARENA_NEW(arena, struct slice, clustering->cluster_count);
	for (uint32_t i = 0; i < clustering->cluster_count; i++)
		clustering->cluster_names[i] = clusters[i].name;
}

/*
 * Read the file of --labels. If it cannot be read, print an error and return
 * false.
 */
static bool read_labels(const struct ctl *ctl, struct labels *labels_out)
{
	const char *path = option_text(ctl, "labels");
	struct buffer bytes = {0};
	enum error error = path == NULL
				   ? ERR_NONE
				   : file_read(path, MAX_LABEL_BYTES, &bytes);

	*labels_out = (struct labels){0};
	if (error != ERR_NONE)
		input_print_error(ctl, path, error, MAX_LABEL_BYTES);
	else if (path != NULL)
		labels_read(&bytes, labels_out);
	buffer_free(&bytes);
	if (error == ERR_NONE && path != NULL && labels_out->count == 0) {
		ctl_print_error(ctl,
				"%s: has no line of the form PATH TAB LABEL",
				path);
		error = ERR_MALFORMED;
	}
	return error == ERR_NONE;
}

static void group_print_result(const struct clustering *clustering,
			       const struct labels *labels,
			       const struct report *report, bool is_auto)
{
	size_t width = terminal_size(STDOUT_FILENO);
	bool has_labels = labels->count > 0;
	struct figures figures = {0};
	struct buffer text = {0};

	if (has_labels)
		figures = clustering_measure(clustering, labels);
	if (clustering->ctl->is_json) {
		print_as_json(clustering, report, is_auto,
			      has_labels ? &figures : NULL);
		return;
	}
	if (option_given(clustering->ctl, "report"))
		report_text(report, width == 0 ? REPORT_MAX_WIDTH : width,
			    &text);
	else if (option_given(clustering->ctl, "names"))
		group_print_names(clustering);
	else
		group_append_lines(clustering, &text);
	terminal_print(buffer_slice(&text));
	buffer_free(&text);
	if (has_labels) {
		fflush(stdout);
		group_print_figures(clustering, &figures);
	}
}

/*
 * Write the file of --svg. If it cannot be written, print an error and return
 * false.
 */
static bool group_write_svg(const struct ctl *ctl, const struct report *report)
{
	const char *path = option_text(ctl, "svg");
	struct buffer text = {0};
	bool is_written;

	if (path == NULL)
		return true;
	report_svg(report, &text);
	is_written = ctl_write_file(ctl, path, buffer_slice(&text), file_write);
	buffer_free(&text);
	return is_written;
}

static enum ctl_status group_print(struct clustering *clustering,
				   const struct labels *labels, bool is_auto)
{
	const struct ctl *ctl = clustering->ctl;
	bool wants_report =
		option_given(ctl, "report") || option_given(ctl, "svg");
	struct report report = {0};
	enum ctl_status status = CTL_FAILED;

	if (clustering->count == 0)
		return CTL_FAILED;
	if ((is_auto || wants_report) &&
	    !clustering_report(clustering, labels, is_auto, &report)) {
		if (wants_report)
			return CTL_FAILED;
		is_auto = false;
		ctl_print_error(ctl, "threshold %.3f: the default of %s",
				clustering->threshold / 1000.0,
				measure_name(clustering->measure));
	}
	if (!is_auto)
		clustering_cut(clustering);
	if (is_auto)
		ctl_print_error(ctl, "threshold %.3f: %s",
				report.suggestion.threshold / 1000.0,
				report.suggestion.reason);
	if (group_write_svg(ctl, &report))
		status = CTL_DONE;
	group_name_clusters(clustering);
	group_print_result(clustering, labels, &report, is_auto);
	report_free(&report);
	return status;
}

enum ctl_status run_cluster(const struct ctl *ctl)
{
	struct clustering clustering = {
		.ctl = ctl,
		.measure = offline_measure(ctl),
		.threshold = offline_threshold(ctl),
		.width = offline_width(ctl),
	};
	bool is_auto = clustering.threshold == THRESHOLD_AUTO;
	struct labels labels = {0};
	struct inputs inputs = {0};
	enum ctl_status status = CTL_FAILED;

	if (is_auto)
		clustering.threshold =
			measure_template_threshold(clustering.measure);
	if (read_labels(ctl, &labels) && inputs_collect(ctl, true, &inputs)) {
		clustering_read(&clustering, &inputs);
		status = group_print(&clustering, &labels, is_auto);
	}
	clustering_free(&clustering);
	inputs_free(&inputs);
	labels_free(&labels);
	return status;
}
