#include "daemon/ctl/ctl_train.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "extract/core/document_walk.h"
#include "extract/extractors.h"
#include "extract/methods/mountain.h"
#include "extract/text/token_stream.h"
#include "page/page.h"

/* The role of the character that begins with a certain byte of UTF-8. */
enum gold_kind {
	KIND_BREAK,  /* separates words */
	KIND_LETTER, /* is a part of a word */
	KIND_WORD,   /* is a word by itself */
};

static enum gold_kind gold_character_kind(const unsigned char *at, size_t size)
{
	unsigned char byte = at[0];

	if (byte < 0x80)
		return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
				       (byte >= '0' && byte <= '9')
			       ? KIND_LETTER
			       : KIND_BREAK;
	if (byte == 0xC2 || byte == 0xE2 || byte == 0xEF)
		return KIND_BREAK;
	if (byte == 0xE3 && size > 1 && at[1] == 0x80)
		return KIND_BREAK;
	return byte >= 0xE3 && byte <= 0xE9 ? KIND_WORD : KIND_LETTER;
}

/* Return the number of bytes of the character at `at`. */
static size_t character_bytes(const unsigned char *at, size_t size)
{
	size_t i = 1;

	while (i < size && (at[i] & 0xC0) == 0x80)
		i++;
	return i;
}

/* Words of more than PART bytes are hashed in parts. */
enum { PART = 64 };

static uint64_t gold_hash_word(const unsigned char *word, size_t size)
{
	unsigned char part[PART];
	uint64_t hash = size;

	for (size_t at = 0; at < size; at += PART) {
		size_t length = size - at < PART ? size - at : PART;

		for (size_t i = 0; i < length; i++)
			part[i] = word[at + i] >= 'A' && word[at + i] <= 'Z'
					  ? word[at + i] | 0x20
					  : word[at + i];
		hash = hash64(part, length, hash);
	}
	return hash;
}

/*
 * Return the number of bytes before the first character that is not of this
 * kind.
 */
static size_t run_bytes(const unsigned char *text, size_t size,
			enum gold_kind kind)
{
	size_t at = 0;

	while (at < size && gold_character_kind(text + at, size - at) == kind)
		at += character_bytes(text + at, size - at);
	return at;
}

bool gold_text_next_word(struct slice *rest, uint64_t *word_out)
{
	const unsigned char *text = rest->data;
	size_t begin = run_bytes(text, rest->size, KIND_BREAK);
	size_t left = rest->size - begin;
	size_t length;

	if (left == 0)
		return false;
	text += begin;
	length = gold_character_kind(text, left) == KIND_WORD
			 ? character_bytes(text, left)
			 : run_bytes(text, left, KIND_LETTER);
	*word_out = gold_hash_word(text, length);
	*rest = (struct slice){text + length, left - length};
	return true;
}

struct gold_text gold_text_create(struct arena *arena, struct slice text)
{
	struct slice rest = text;
	struct gold_text gold = {0};
	size_t count = 0;
	uint64_t word;

	while (gold_text_next_word(&rest, &word))
		count++;
	gold.words = ARENA_NEW(arena, uint64_t, count);
	gold.left = ARENA_NEW(arena, uint32_t, count);
	count = 0;
	for (rest = text; gold_text_next_word(&rest, &word);)
		gold.words[count++] = word;
	qsort(gold.words, count, sizeof(*gold.words), order_u64);
	for (size_t i = 0; i < count; i++) {
		if (gold.count == 0 ||
		    gold.words[gold.count - 1] != gold.words[i])
			gold.words[gold.count++] = gold.words[i];
		gold.left[gold.count - 1]++;
	}
	return gold;
}

bool gold_text_remove(struct gold_text *gold, uint64_t word)
{
	const uint64_t *found = bsearch(&word, gold->words, gold->count,
					sizeof(*gold->words), order_u64);

	if (found == NULL || gold->left[found - gold->words] == 0)
		return false;
	gold->left[found - gold->words]--;
	return true;
}

enum { MAX_FOLDS = 5 };

void training_free(struct training *training)
{
	free(training->examples);
	free(training->pages);
	*training = (struct training){0};
}

static void training_add_example(struct training *training,
				 const struct ridge_example *example)
{
	size_t count = training->count;

	training->examples =
		mem_grow(training->examples, count, &training->capacity,
			 sizeof(*training->examples));
	training->pages =
		mem_grow(training->pages, count, &training->page_capacity,
			 sizeof(*training->pages));
	training->examples[count] = *example;
	training->pages[count] = training->page_count;
	training->primary_count += example->is_primary;
	training->count++;
}

static bool training_ridge_is_primary(const struct page *page,
				      const struct mountain *mountain,
				      const struct ridge *ridge,
				      struct gold_text *gold)
{
	size_t words = 0;
	size_t found = 0;

	for (uint32_t i = ridge->begin; i < ridge->end; i++) {
		uint32_t text = mountain->cells.items[i].text;
		struct slice rest = {NULL, 0};
		uint64_t word;

		if (text != NO_TEXT)
			rest = page_text(page, text);
		for (; gold_text_next_word(&rest, &word); words++)
			found += gold_text_remove(gold, word);
	}
	return words > 0 && found * 2 >= words;
}

void training_add(struct training *training, const struct page *page,
		  struct slice gold, const double *parameters)
{
	const struct mountain mountain =
		mountain_of_page(page->arena, page,
				 visible_texts(page->arena, page), parameters);
	struct gold_text bag = gold_text_create(page->arena, gold);

	for (uint32_t i = 0; i < mountain.ridges.count; i++) {
		const struct ridge *ridge = &mountain.ridges.items[i];
		struct ridge_example example = {
			.is_primary = training_ridge_is_primary(page, &mountain,
								ridge, &bag),
		};

		for (int k = 0; k < RIDGE_FEATURES; k++)
			example.features[k] = ridge->features[k];
		training_add_example(training, &example);
	}
	training->page_count++;
}

/* Numbers of ridges after classification. */
struct ridge_counts {
	size_t right;
	size_t found;  /* primary ridges that were classified as primary */
	size_t judged; /* ridges that were classified as primary */
};

static double training_ratio(size_t part, size_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

static struct training_score
training_compute_score(const struct training *training,
		       const struct ridge_counts *counts)
{
	size_t both = counts->judged + training->primary_count;

	return (struct training_score){
		.accuracy = training_ratio(counts->right, training->count),
		.precision = training_ratio(counts->found, counts->judged),
		.recall =
			training_ratio(counts->found, training->primary_count),
		.f1 = training_ratio(2 * counts->found, both),
	};
}

struct training_score training_validate(const struct training *training,
					double gamma, double cost)
{
	uint32_t folds = training->page_count < MAX_FOLDS ? training->page_count
							  : MAX_FOLDS;
	struct ridge_example *others =
		mem_alloc(training->count, sizeof(*others));
	struct training_score score = {0};
	struct ridge_counts counts = {0};
	uint32_t fold = 0;

	for (; folds >= 2 && fold < folds; fold++) {
		struct ridge_model *model;
		size_t count = 0;
		double value;

		for (size_t i = 0; i < training->count; i++)
			if (training->pages[i] % folds != fold)
				others[count++] = training->examples[i];
		model = ridge_model_train(others, count, gamma, cost);
		if (model == NULL)
			break;
		for (size_t i = 0; i < training->count; i++) {
			const struct ridge_example *one =
				&training->examples[i];
			bool is_judged;

			if (training->pages[i] % folds != fold)
				continue;
			is_judged = ridge_model_classify(model, one->features,
							 &value);
			counts.right += is_judged == one->is_primary;
			counts.found += is_judged && one->is_primary;
			counts.judged += is_judged;
		}
		ridge_model_destroy(model);
	}
	if (fold >= 2 && fold == folds) {
		score = training_compute_score(training, &counts);
		score.folds = folds;
	}
	free(others);
	return score;
}

/*
 * The action templatectl train, which trains a classifier from pages and gold
 * texts.
 */

/* The state of a training run. */
struct train_run {
	const struct ctl *ctl;
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
	const char **assignments = offline_parameters(course->ctl);
	char reason[256];
	bool is_right = true;

	extractor_defaults(course->extractor, course->parameters);
	for (size_t i = 0; is_right && assignments[i] != NULL; i++)
		is_right = extractor_set(course->extractor, assignments[i],
					 course->parameters, reason);
	if (!is_right)
		ctl_print_error(course->ctl, "--param: %s", reason);
	free(assignments);
	return is_right;
}

static bool train_begin(const struct ctl *ctl, struct train_run *course)
{
	*course = (struct train_run){
		.ctl = ctl,
		.extractor = extractor_find("mountain"),
		.gamma = RIDGE_GAMMA_PRESET,
		.cost = RIDGE_COST_PRESET,
	};
	if (option_text(ctl, "gold") == NULL) {
		ctl_print_error(
			ctl,
			"--gold DIR is missing; it has the expected texts");
		return false;
	}
	return train_read_number(ctl, "c", RIDGE_COST_MIN, RIDGE_COST_MAX,
				 &course->cost) &&
	       train_read_number(ctl, "gamma", RIDGE_GAMMA_MIN, RIDGE_GAMMA_MAX,
				 &course->gamma) &&
	       train_read_parameters(course);
}

/* Add the examples of a page. Skip a page that has no gold text. */
static void train_add_page(struct train_run *course, const struct input *input)
{
	const struct page_limits *limits = &extraction_options_default.limits;
	struct buffer path = {0};
	struct buffer gold = {0};
	struct buffer body = {0};
	struct page *page = NULL;
	enum error error;

	output_path(option_text(course->ctl, "gold"), input->name, FORMAT_TXT,
		    &path);
	error = file_read(path.data, limits->max_bytes, &gold);
	if (error != ERR_NONE) {
		if (error != ERR_NOT_FOUND)
			input_print_error(course->ctl, path.data, error,
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
		input_print_error(course->ctl, input->path, error,
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
	bool is_done = inputs_collect(course->ctl, false, &inputs);

	for (size_t i = 0; is_done && i < inputs.count; i++) {
		progress_show(&progress, i, inputs.count, NULL);
		train_add_page(course, &inputs.items[i]);
	}
	progress_clear(&progress);
	inputs_free(&inputs);
	return is_done;
}

/*
 * Write the first lines of a model, which state how it was made and how
 * accurate it is.
 */
static void make_notes(const struct train_run *course, struct buffer *notes)
{
	const struct training *training = &course->training;
	const struct training_score *score = &course->score;
	const struct extractor *extractor = course->extractor;
	char date[16] = "";
	time_t now = time(NULL);
	struct tm day;

	for (size_t i = 0; i < course->ctl->value_count; i++)
		if (strcmp(course->ctl->values[i].option->name, "note") == 0)
			buffer_printf(notes, "%s\n",
				      course->ctl->values[i].text);
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
	const char *path = option_text(course->ctl, "out");
	struct buffer notes = {0};
	struct buffer text = {0};
	bool is_written;

	if (path == NULL)
		return true;
	make_notes(course, &notes);
	ridge_model_write(model, buffer_slice(&notes), &text);
	is_written = ctl_write_file(course->ctl, path, buffer_slice(&text),
				    file_write);
	buffer_free(&notes);
	buffer_free(&text);
	return is_written;
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
		ctl_print_error(
			course->ctl,
			"no page has a gold text in %s; the gold text of "
			"a/b.html is a/b.txt in that folder",
			option_text(course->ctl, "gold"));
	} else if (model == NULL) {
		ctl_print_error(course->ctl,
				"%zu of %zu ridges are primary: training needs "
				"both classes; add pages",
				training->primary_count, training->count);
	} else {
		course->score = training_validate(training, course->gamma,
						  course->cost);
		if (write_model(course, model))
			status = CTL_DONE;
		if (course->ctl->is_json)
			print_json(course, model);
		else
			train_print_figures(course, model);
	}
	ridge_model_destroy(model);
	return status;
}

enum ctl_status run_train(const struct ctl *ctl)
{
	struct train_run course;
	enum ctl_status status = CTL_USAGE;

	if (train_begin(ctl, &course))
		status =
			learn_all(&course) ? train_finish(&course) : CTL_FAILED;
	training_free(&course.training);
	return status;
}
