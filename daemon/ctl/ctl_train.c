/*
 * daemon/ctl/ctl_train.c - templatectl: train, a classifier from pages and gold
 * texts.
 */
#include "daemon/ctl/ctl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/progress.h"
#include "daemon/ctl/training.h"
#include "extract/extractors.h"
#include "page/page.h"

/* A training run. */
struct train_run {
	struct ctl ctl; /* its operands name only the pages */
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS];
	double gamma;
	double cost;
	struct training training;
	struct training_score score;
};

static bool train_read_number(const struct ctl *ctl, const char *name,
			      double minimum, double maximum, double *number)
{
	const char *text = option_text(ctl, name);
	char *end;

	if (text == NULL)
		return true;
	*number = strtod(text, &end);
	if (end != text && *end == '\0' && *number >= minimum &&
	    *number <= maximum)
		return true;
	ctl_print_error(ctl, "--%s: \"%s\" is not a number from %g to %g", name,
			text, minimum, maximum);
	return false;
}

static bool train_read_parameters(struct train_run *course)
{
	const char **assignments = offline_parameters(&course->ctl);
	char reason[256];
	bool is_right = true;

	extractor_defaults(course->extractor, course->parameters);
	for (size_t i = 0; is_right && assignments[i] != NULL; i++)
		is_right = extractor_set(course->extractor, assignments[i],
					 course->parameters, reason);
	if (!is_right)
		ctl_print_error(&course->ctl, "--param: %s", reason);
	free(assignments);
	return is_right;
}

static bool train_begin(const struct ctl *ctl, struct train_run *course)
{
	*course = (struct train_run){
		.ctl = *ctl,
		.extractor = extractor_find(ctl->operands[0]),
		.gamma = RIDGE_GAMMA_PRESET,
		.cost = RIDGE_COST_PRESET,
	};
	course->ctl.operands++;
	course->ctl.operand_count--;
	if (option_text(ctl, "gold") == NULL) {
		ctl_print_error(ctl,
				"--gold DIR is missing: the expected texts");
		return false;
	}
	return train_read_number(ctl, "c", RIDGE_COST_MIN, RIDGE_COST_MAX,
				 &course->cost) &&
	       train_read_number(ctl, "gamma", RIDGE_GAMMA_MIN, RIDGE_GAMMA_MAX,
				 &course->gamma) &&
	       train_read_parameters(course);
}

/* Add the examples of a page; skip a page without a gold text. */
static void train_add_page(struct train_run *course, const struct input *input)
{
	const struct page_limits *limits = &extraction_options_default.limits;
	struct buffer path = {0};
	struct buffer gold = {0};
	struct buffer body = {0};
	struct page *page = NULL;
	enum error error;

	output_path(option_text(&course->ctl, "gold"), input->name, FORMAT_TXT,
		    &path);
	error = file_read(path.data, limits->max_bytes, &gold);
	if (error != ERR_NONE) {
		if (error != ERR_NOT_FOUND)
			input_print_error(&course->ctl, path.data, error,
					  limits->max_bytes);
		goto out;
	}
	error = file_read(input->path, limits->max_bytes, &body);
	if (error == ERR_NONE)
		error = page_parse(&page, buffer_slice(&body), slice_of(""),
				   limits);
	if (error == ERR_NONE)
		training_add(&course->training, page, buffer_slice(&gold),
			     course->parameters);
	else
		input_print_error(&course->ctl, input->path, error,
				  limits->max_bytes);
out:
	page_destroy(page);
	buffer_free(&path);
	buffer_free(&gold);
	buffer_free(&body);
}

static bool learn_all(struct train_run *course)
{
	struct progress progress = progress_begin("read");
	struct inputs inputs;
	bool is_done = inputs_collect(&course->ctl, false, &inputs);

	for (size_t i = 0; is_done && i < inputs.count; i++) {
		progress_show(&progress, i, inputs.count, NULL);
		train_add_page(course, &inputs.items[i]);
	}
	progress_clear(&progress);
	inputs_free(&inputs);
	return is_done;
}

/* Write the first lines of a model: its origin and its figures. */
static void make_notes(const struct train_run *course, struct buffer *notes)
{
	const struct training *training = &course->training;
	const struct training_score *score = &course->score;
	const struct extractor *extractor = course->extractor;
	char date[16] = "";
	time_t now = time(NULL);
	struct tm day;

	for (size_t i = 0; i < course->ctl.value_count; i++)
		if (strcmp(course->ctl.values[i].option->name, "note") == 0)
			buffer_printf(notes, "%s\n",
				      course->ctl.values[i].text);
	if (gmtime_r(&now, &day) != NULL)
		strftime(date, sizeof(date), "%Y-%m-%d", &day);
	buffer_printf(notes, "date: %s\nmethod: %s", date, extractor->name);
	for (size_t i = 0; i < extractor->parameter_count; i++)
		buffer_printf(notes, " %s=%g", extractor->parameters[i].name,
			      course->parameters[i]);
	buffer_printf(notes,
		      "\nexamples: %zu ridges of %u pages, %zu of them "
		      "primary; at most %d are used\n",
		      training->count, training->page_count,
		      training->primary_count, MAX_RIDGE_EXAMPLES);
	if (score->folds > 0)
		buffer_printf(notes,
			      "ridges, cross-validated by pages in %u folds: "
			      "accuracy %.4f, F1 %.4f\n",
			      score->folds, score->accuracy, score->f1);
}

static bool write_model(const struct train_run *course,
			const struct ridge_model *model)
{
	const char *path = option_text(&course->ctl, "out");
	struct buffer notes = {0};
	struct buffer text = {0};
	enum error error = ERR_NONE;

	if (path != NULL) {
		make_notes(course, &notes);
		ridge_model_write(model, buffer_slice(&notes), &text);
		error = file_write(path, buffer_slice(&text));
	}
	if (error != ERR_NONE)
		ctl_print_error(&course->ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	buffer_free(&notes);
	buffer_free(&text);
	return error == ERR_NONE;
}

static double primary_ratio(const struct training *training)
{
	return (double)training->primary_count / (double)training->count;
}

static void print_json(const struct train_run *course,
		       const struct ridge_model *model)
{
	const struct training *training = &course->training;
	const struct training_score *score = &course->score;
	json_t *answer = json_pack(
		"{s:i, s:I, s:f, s:I, s:i, s:f, s:f, s:f, s:f}", "pages",
		(int)training->page_count, "examples",
		(json_int_t)training->count, "primary_ratio",
		primary_ratio(training), "supports",
		(json_int_t)ridge_model_size(model), "folds", (int)score->folds,
		"accuracy", score->accuracy, "precision", score->precision,
		"recall", score->recall, "f1", score->f1);

	client_print_json(answer);
	json_decref(answer);
}

static void train_print_figures(const struct train_run *course,
				const struct ridge_model *model)
{
	const struct training *training = &course->training;
	const struct training_score *score = &course->score;

	printf("%zu ridges of %u pages, %.1f %% of them primary\n%zu of them "
	       "are in the model\n",
	       training->count, training->page_count,
	       100 * primary_ratio(training), ridge_model_size(model));
	if (score->folds == 0)
		printf("too few pages to cross-validate\n");
	else
		printf("cross-validated by pages in %u folds: accuracy %.3f, "
		       "precision %.3f, recall %.3f, F1 %.3f\n",
		       score->folds, score->accuracy, score->precision,
		       score->recall, score->f1);
}

static enum ctl_status train_finish(struct train_run *course)
{
	struct training *training = &course->training;
	enum ctl_status status = CTL_FAILED;
	struct ridge_model *model =
		ridge_model_train(training->examples, training->count,
				  course->gamma, course->cost);

	if (training->page_count == 0) {
		ctl_print_error(&course->ctl,
				"no page has a gold text in %s: the text of "
				"a/b.html is a/b.txt",
				option_text(&course->ctl, "gold"));
	} else if (model == NULL) {
		ctl_print_error(&course->ctl,
				"%zu of %zu ridges are primary: training needs "
				"both classes; add pages",
				training->primary_count, training->count);
	} else {
		course->score = training_validate(training, course->gamma,
						  course->cost);
		if (write_model(course, model))
			status = CTL_DONE;
		if (course->ctl.is_json)
			print_json(course, model);
		else
			train_print_figures(course, model);
	}
	ridge_model_destroy(model);
	return status;
}

static enum ctl_status run_train(const struct ctl *ctl)
{
	struct train_run course;
	enum ctl_status status = CTL_USAGE;

	if (train_begin(ctl, &course))
		status =
			learn_all(&course) ? train_finish(&course) : CTL_FAILED;
	training_free(&course.training);
	return status;
}

static const struct verb_option train_options[] = {
	{.name = "gold",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "the content of each page, as text: DIR/a/b.txt for "
		    "a/b.html"},
	{.name = "out",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write the model to FILE"},
	{.name = "c",
	 .kind = OPTION_TEXT,
	 .value = "C",
	 .meaning = "cost of a misclassified example (default: 3)"},
	{.name = "gamma",
	 .kind = OPTION_TEXT,
	 .value = "G",
	 .meaning = "how close an example must be to count (default: 1)"},
	OPTION_PARAM_ROW,
	{.name = "note",
	 .kind = OPTION_TEXT,
	 .value = "TEXT",
	 .meaning = "a comment line for FILE; may be repeated"},
	{.name = NULL},
};

const struct verb verb_train = {
	.name = "train",
	.group = VERBS_READ,
	.operands = "mountain DIR|FILE...",
	.min_operands = 2,
	.max_operands = SIZE_MAX,
	.summary = "Train the classifier of a method from pages and their "
		   "content",
	.options = train_options,
	.run = run_train,
};
