/* daemon/ctl_cluster.c - templatectl: cluster. */
#include "daemon/ctl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cluster/linkage.h"
#include "cluster/quality.h"
#include "daemon/analyse.h"
#include "daemon/ctl_client.h"
#include "daemon/ctl_offline.h"
#include "daemon/inputs.h"
#include "daemon/labels.h"
#include "daemon/partition.h"
#include "daemon/progress.h"
#include "daemon/terminal.h"
#include "store/arena.h"
#include "store/file.h"
#include "store/memory.h"
#include "store/record.h"

enum { MAX_LABEL_BYTES = 1 << 28 };

/* The pages that could be compared, by name. */
struct clustering {
	const struct ctl *ctl;
	enum measure measure;
	unsigned threshold;
	struct linkage *linkage;
	uint32_t next_label;
	struct arena *arena; /* of the signatures */
	const char **names;  /* [count] */
	struct signature *signatures;
	uint32_t *numbers; /* of their clusters, when all are there */
	size_t count;
	size_t skipped;
	uint32_t cluster_count;
};

struct figures {
	size_t count; /* pages with a label */
	uint32_t label_count;
	struct agreement agreement;
	double dunn;
};

static struct signature copy_signature(struct arena *arena,
				       const struct record *record,
				       enum measure measure)
{
	size_t count = record->signature_counts[measure];
	uint64_t *members = ARENA_NEW(arena, uint64_t, count);

	if (count > 0)
		memcpy(members, record->signatures[measure],
		       count * sizeof(*members));
	return (struct signature){members, count};
}

/* The signature of the file by its record, as the daemon gets it. */
static enum error sign_file(struct clustering *clustering,
			    const struct input *input,
			    struct signature *signature_out, bool *is_cut)
{
	const struct page_limits *limits = &page_limits_default;
	struct buffer body = {0};
	struct buffer bytes = {0};
	struct record record;
	struct url url;
	enum error error = offline_url(input->name, &url);

	if (error == ERR_NONE)
		error = file_read(input->path, limits->max_bytes, &body);
	if (error == ERR_NONE)
		error = analyse(buffer_slice(&body), (struct slice){NULL, 0},
				&url, limits, &bytes);
	if (error == ERR_NONE)
		error = record_open(buffer_slice(&bytes), &record);
	if (error == ERR_NONE) {
		*is_cut = (record.flags & RECORD_IS_TRUNCATED) != 0;
		*signature_out = copy_signature(clustering->arena, &record,
						clustering->measure);
	}
	buffer_free(&body);
	buffer_free(&bytes);
	return error;
}

/* Put the page into the linkage; false, told, when it is of no use. */
static bool add_page(struct clustering *clustering, const struct input *input)
{
	struct linkage_changes changes;
	struct signature signature = {0};
	bool is_cut = false;
	enum error error = sign_file(clustering, input, &signature, &is_cut);

	if (error == ERR_NONE && !is_cut)
		error = linkage_put(clustering->linkage, clustering->count,
				    signature, &clustering->next_label,
				    &changes);
	if (error != ERR_NONE)
		complain_input(clustering->ctl, input->path, error,
			       page_limits_default.max_bytes);
	else if (is_cut)
		ctl_complain(clustering->ctl,
			     "%s: left out, it was cut at a limit of pages "
			     "(elements, depth or attributes)",
			     input->path);
	if (error != ERR_NONE || is_cut)
		return false;
	clustering->names[clustering->count] = input->name;
	clustering->signatures[clustering->count++] = signature;
	return true;
}

static void number_clusters(struct clustering *clustering)
{
	uint32_t *labels = mem_alloc(clustering->count + 1, sizeof(*labels));

	for (size_t i = 0; i < clustering->count; i++)
		labels[i] = linkage_label(clustering->linkage, i);
	clustering->cluster_count = partition_number(labels, clustering->count,
						     clustering->numbers);
	free(labels);
}

static void cluster_inputs(struct clustering *clustering,
			   const struct inputs *inputs)
{
	const struct linkage_options options = {.threshold =
							clustering->threshold};
	struct progress progress = progress_begin("cluster");

	clustering->linkage = linkage_create(&options);
	clustering->next_label = 1;
	clustering->arena = arena_create();
	clustering->names =
		mem_alloc(inputs->count, sizeof(*clustering->names));
	clustering->signatures =
		mem_alloc(inputs->count, sizeof(*clustering->signatures));
	clustering->numbers =
		mem_alloc(inputs->count, sizeof(*clustering->numbers));
	for (size_t i = 0; i < inputs->count; i++) {
		progress_show(&progress, i, inputs->count, NULL);
		if (add_page(clustering, &inputs->items[i]))
			continue;
		clustering->skipped++;
		progress_clear(&progress);
	}
	progress_clear(&progress);
	number_clusters(clustering);
}

static void free_clustering(struct clustering *clustering)
{
	linkage_destroy(clustering->linkage);
	arena_destroy(clustering->arena);
	free(clustering->names);
	free(clustering->signatures);
	free(clustering->numbers);
}

static uint32_t count_distinct(const uint32_t *numbers, size_t count)
{
	uint32_t *scratch = mem_alloc(count + 1, sizeof(*scratch));
	uint32_t distinct = partition_number(numbers, count, scratch);

	free(scratch);
	return distinct;
}

static struct figures measure_quality(const struct clustering *clustering,
				      const struct labels *labels)
{
	size_t max = clustering->count + 1;
	struct signature *signatures = mem_alloc(max, sizeof(*signatures));
	uint32_t *found = mem_alloc(max, sizeof(*found));
	uint32_t *truth = mem_alloc(max, sizeof(*truth));
	struct figures figures = {0};

	for (size_t i = 0; i < clustering->count; i++) {
		uint32_t label = labels_find(labels, clustering->names[i]);

		if (label == 0)
			continue;
		signatures[figures.count] = clustering->signatures[i];
		found[figures.count] = clustering->numbers[i];
		truth[figures.count++] = label;
	}
	figures.label_count = count_distinct(truth, figures.count);
	figures.agreement = quality_agreement(found, truth, figures.count);
	figures.dunn = quality_dunn(signatures, found, figures.count);
	free(signatures);
	free(found);
	free(truth);
	return figures;
}

static void print_lines(const struct clustering *clustering)
{
	struct buffer line = {0};

	for (size_t i = 0; i < clustering->count; i++) {
		buffer_clear(&line);
		buffer_append_text(&line, clustering->names[i]);
		/* a tab or newline in a name must not make another line */
		for (size_t c = 0; c < line.size; c++)
			if ((unsigned char)line.data[c] < ' ')
				line.data[c] = '?';
		buffer_printf(&line, "\t%" PRIu32 "\n", clustering->numbers[i]);
		terminal_print(buffer_slice(&line));
	}
	buffer_free(&line);
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

static void print_as_json(const struct clustering *clustering,
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
			json_pack("{s:o, s:I}", "path",
				  text_json(clustering->names[i]), "cluster",
				  (json_int_t)clustering->numbers[i]));
	if (figures != NULL)
		json_object_set_new(answer, "quality", figures_json(figures));
	client_print_json(answer);
	json_decref(answer);
}

static void print_figures(const struct clustering *clustering,
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

/* False, told, when --labels is given and cannot be read. */
static bool read_labels(const struct ctl *ctl, struct labels *labels_out)
{
	const char *path = option_text(ctl, "labels");
	struct buffer bytes = {0};
	enum error error = path == NULL
				   ? ERR_NONE
				   : file_read(path, MAX_LABEL_BYTES, &bytes);

	*labels_out = (struct labels){0};
	if (error != ERR_NONE)
		complain_input(ctl, path, error, MAX_LABEL_BYTES);
	else if (path != NULL)
		labels_read(&bytes, labels_out);
	buffer_free(&bytes);
	if (error == ERR_NONE && path != NULL && labels_out->count == 0) {
		ctl_complain(ctl,
			     "%s: no line of the form PATH TAB LABEL in it",
			     path);
		error = ERR_MALFORMED;
	}
	return error == ERR_NONE;
}

static void print_all(const struct clustering *clustering,
		      const struct labels *labels)
{
	bool has_labels = option_given(clustering->ctl, "labels");
	struct figures figures = {0};

	if (has_labels)
		figures = measure_quality(clustering, labels);
	if (clustering->ctl->is_json) {
		print_as_json(clustering, has_labels ? &figures : NULL);
		return;
	}
	print_lines(clustering);
	if (has_labels) {
		fflush(stdout);
		print_figures(clustering, &figures);
	}
}

static enum ctl_status run_cluster(const struct ctl *ctl)
{
	struct clustering clustering = {.ctl = ctl,
					.measure = offline_measure(ctl),
					.threshold = offline_threshold(ctl)};
	struct labels labels;
	struct inputs inputs = {0};
	enum ctl_status status = CTL_FAILED;

	if (read_labels(ctl, &labels) && inputs_collect(ctl, true, &inputs)) {
		cluster_inputs(&clustering, &inputs);
		print_all(&clustering, &labels);
		if (clustering.count > 0)
			status = CTL_DONE;
	}
	free_clustering(&clustering);
	inputs_free(&inputs);
	labels_free(&labels);
	return status;
}

static const struct verb_option cluster_options[] = {
	OPTION_MEASURE_ROW,
	OPTION_THRESHOLD_ROW,
	{.name = "labels",
	 .kind = OPTION_TEXT,
	 .value = "TSV",
	 .meaning = "lines PATH TAB LABEL: also print how well the clusters "
		    "agree with them"},
	{.name = NULL},
};

const struct verb verb_cluster = {
	.name = "cluster",
	.operands = "DIR|FILE...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary = "Group HTML files by their template: a line a page, path "
		   "TAB cluster",
	.options = cluster_options,
	.run = run_cluster,
};
