/* daemon/ctl/ctl_cluster.c - templatectl: cluster. */
#include "daemon/ctl/ctl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "daemon/ctl/clustering.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/labels.h"
#include "daemon/engine/report.h"
#include "daemon/runtime/terminal.h"
#include "daemon/web/report_json.h"
#include "daemon/web/report_svg.h"

enum { MAX_LABEL_BYTES = 1 << 28 };

static void group_print_lines(const struct clustering *clustering)
{
	struct buffer line = {0};

	for (size_t i = 0; i < clustering->count; i++) {
		buffer_clear(&line);
		buffer_append_text(&line, clustering->names[i]);
		/*
		 * replace tabs and newlines of a name, which would break the
		 * line
		 */
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

/*
 * Print the clusters as JSON; with the report for --report or the threshold
 * "auto".
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
			json_pack("{s:o, s:I}", "path",
				  text_json(clustering->names[i]), "cluster",
				  (json_int_t)clustering->numbers[i]));
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

/* If the file of --labels cannot be read, print a message and return false. */
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

static void group_print_report(const struct report *report)
{
	size_t width = terminal_size(STDOUT_FILENO);
	struct buffer text = {0};

	report_text(report, width == 0 ? REPORT_MAX_WIDTH : width, &text);
	terminal_print(buffer_slice(&text));
	buffer_free(&text);
}

static void group_print_result(const struct clustering *clustering,
			       const struct labels *labels,
			       const struct report *report, bool is_auto)
{
	bool has_labels = labels->count > 0;
	struct figures figures = {0};

	if (has_labels)
		figures = clustering_measure(clustering, labels);
	if (clustering->ctl->is_json) {
		print_as_json(clustering, report, is_auto,
			      has_labels ? &figures : NULL);
		return;
	}
	if (option_given(clustering->ctl, "report"))
		group_print_report(report);
	else
		group_print_lines(clustering);
	if (has_labels) {
		fflush(stdout);
		group_print_figures(clustering, &figures);
	}
}

/* If the file of --svg cannot be written, print a message and return false. */
static bool group_write_svg(const struct ctl *ctl, const struct report *report)
{
	const char *path = option_text(ctl, "svg");
	struct buffer text = {0};
	enum error error = ERR_NONE;

	if (path == NULL)
		return true;
	report_svg(report, &text);
	error = file_write(path, buffer_slice(&text));
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	buffer_free(&text);
	return error == ERR_NONE;
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
	if (is_auto)
		ctl_print_error(ctl, "threshold %.3f: %s",
				report.suggestion.threshold / 1000.0,
				report.suggestion.reason);
	if (group_write_svg(ctl, &report))
		status = CTL_DONE;
	group_print_result(clustering, labels, &report, is_auto);
	report_free(&report);
	return status;
}

static enum ctl_status ctl_group_run(const struct ctl *ctl)
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

static const struct verb_option cluster_options[] = {
	OPTION_MEASURE_ROW,
	OPTION_THRESHOLD_ROW,
	OPTION_WIDTH_ROW,
	{.name = "report",
	 .kind = OPTION_FLAG,
	 .meaning = "print the results of other thresholds instead, and "
		    "suggest one"},
	{.name = "svg",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "also draw the report, with the dendrogram"},
	{.name = "labels",
	 .kind = OPTION_TEXT,
	 .value = "TSV",
	 .meaning = "lines PATH TAB LABEL: also print how well the clusters "
		    "match the labels"},
	{.name = NULL},
};

const struct verb verb_cluster = {
	.name = "cluster",
	.group = VERBS_LOOK,
	.operands = "DIR|FILE...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary =
		"Cluster HTML files by template; print lines path TAB cluster",
	.options = cluster_options,
	.run = ctl_group_run,
};
