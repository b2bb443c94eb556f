#include "extract/methods/ridge.h"

#include <assert.h>
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/methods/mountain_model.h"

/* A vector of features in the format of libsvm, with its end mark. */
struct ridge_vector {
	struct svm_node nodes[RIDGE_FEATURES + 1];
};

/*
 * A libsvm model of type C_SVC with an RBF kernel. Its classes are +1 for
 * primary ridges and -1 for others. All support vectors are counted in the
 * first class, because libsvm sums over both classes anyway.
 */
struct ridge_model {
	struct svm_model svm; /* has pointers to the other fields */
	struct ridge_vector *vectors;
	int labels[2];
	int counts[2];
	double rho;
	double *coefficients; /* [svm.l]: alpha * label of each support vector
			       */
};

/* Convert the features, limited to [0, 1], to a vector. */
static struct ridge_vector
ridge_vector_of(const double features[RIDGE_FEATURES])
{
	struct ridge_vector vector;

	for (int i = 0; i < RIDGE_FEATURES; i++)
		vector.nodes[i] = (struct svm_node){
			.index = i + 1,
			.value = fmin(fmax(features[i], 0), 1),
		};
	vector.nodes[RIDGE_FEATURES] = (struct svm_node){.index = -1};
	return vector;
}

/*
 * Return a model with space for `count` support vectors, which the caller must
 * fill in. Free it with ridge_model_destroy().
 */
static struct ridge_model *ridge_model_create(size_t count)
{
	struct ridge_model *model = mem_alloc(1, sizeof(*model));

	model->vectors = mem_alloc(count, sizeof(*model->vectors));
	model->coefficients = mem_alloc(count, sizeof(double));
	model->labels[0] = 1;
	model->labels[1] = -1;
	model->counts[0] = (int)count;
	model->svm = (struct svm_model){
		.param = {.svm_type = C_SVC, .kernel_type = RBF},
		.nr_class = 2,
		.l = (int)count,
		.SV = mem_alloc(count, sizeof(struct svm_node *)),
		.sv_coef = &model->coefficients,
		.rho = &model->rho,
		.label = model->labels,
		.nSV = model->counts,
	};
	for (size_t i = 0; i < count; i++)
		model->svm.SV[i] = model->vectors[i].nodes;
	return model;
}

void ridge_model_destroy(struct ridge_model *model)
{
	if (model == NULL)
		return;
	free(model->vectors);
	free(model->coefficients);
	free(model->svm.SV);
	free(model);
}

size_t ridge_model_size(const struct ridge_model *model)
{
	return (size_t)model->svm.l;
}

bool ridge_model_classify(const struct ridge_model *model,
			  const double features[RIDGE_FEATURES],
			  double *value_out)
{
	const struct ridge_vector vector = ridge_vector_of(features);

	svm_predict_values(&model->svm, vector.nodes, value_out);
	return *value_out > 0;
}

/*
 * The text format of a ridge model:
 *
 * 	ridge-model 1
 * 	# any number of notes
 * 	features height width RP CP
 * 	C 3
 * 	gamma 1
 * 	rho -0.25
 * 	supports 2
 * 	3 0.5 0.25 1 0.125        the coefficient, then the features
 * 	-3 0.1 0.25 0.5 0.75
 */

#define MAGIC    "ridge-model"
#define VERSION  1
#define FEATURES "features height width RP CP"
#define MAX_RHO  (RIDGE_COST_MAX * MAX_RIDGE_EXAMPLES)

/*
 * Remove the part of `rest` before the next `separator`, or all of `rest`
 * without one, and return it.
 */
static struct slice model_text_next(struct slice *rest, char separator)
{
	const char *text = rest->data;
	size_t size = 0;
	size_t used;

	while (size < rest->size && text[size] != separator)
		size++;
	used = size < rest->size ? size + 1 : size;
	*rest = (struct slice){used == 0 ? text : text + used,
			       rest->size - used};
	return (struct slice){text, size};
}

void ridge_model_write(const struct ridge_model *model, struct slice notes,
		       struct buffer *out)
{
	buffer_printf(out, "%s %d\n", MAGIC, VERSION);
	while (notes.size > 0) {
		struct slice line = model_text_next(&notes, '\n');

		buffer_append_text(out, "# ");
		buffer_append_slice(out, line);
		buffer_append_byte(out, '\n');
	}
	buffer_printf(out, FEATURES "\nC %.17g\ngamma %.17g\nrho %.17g\n",
		      model->svm.param.C, model->svm.param.gamma, model->rho);
	buffer_printf(out, "supports %d\n", model->svm.l);
	for (int i = 0; i < model->svm.l; i++) {
		buffer_printf(out, "%.17g", model->coefficients[i]);
		for (int k = 0; k < RIDGE_FEATURES; k++)
			buffer_printf(out, " %.4g",
				      model->vectors[i].nodes[k].value);
		buffer_append_byte(out, '\n');
	}
}

/*
 * Read a decimal number in [minimum, maximum]. Return false for other numbers
 * and for the other formats of strtod().
 */
static bool model_read_number(struct slice word, double minimum, double maximum,
			      double *number_out)
{
	char text[32];
	char *end;

	if (word.size == 0 || word.size >= sizeof(text))
		return false;
	memcpy(text, word.data, word.size);
	text[word.size] = '\0';
	if (strspn(text, "0123456789+-.e") != word.size)
		return false;
	*number_out = strtod(text, &end);
	return *end == '\0' && *number_out >= minimum && *number_out <= maximum;
}

/*
 * Remove a line "NAME NUMBER" from `rest` and read its number. Return false if
 * the line is wrong.
 */
static bool model_read_field(struct slice *rest, const char *name,
			     double minimum, double maximum, double *number_out)
{
	struct slice line = model_text_next(rest, '\n');

	return slice_equal(model_text_next(&line, ' '), slice_of(name)) &&
	       model_read_number(line, minimum, maximum, number_out);
}

static bool read_vector(struct slice line, double *coefficient_out,
			struct ridge_vector *vector_out)
{
	double features[RIDGE_FEATURES];

	if (!model_read_number(model_text_next(&line, ' '), -RIDGE_COST_MAX,
			       RIDGE_COST_MAX, coefficient_out))
		return false;
	for (int i = 0; i < RIDGE_FEATURES; i++)
		if (!model_read_number(model_text_next(&line, ' '), 0, 1,
				       &features[i]))
			return false;
	*vector_out = ridge_vector_of(features);
	return line.size == 0;
}

enum error ridge_model_read(struct ridge_model **model_out, struct slice text)
{
	struct ridge_model *model;
	double version;
	double cost;
	double gamma;
	double rho;
	double count;
	bool is_valid = true;

	if (!model_read_field(&text, MAGIC, 0, 1e9, &version))
		return ERR_MALFORMED;
	if (version != VERSION)
		return ERR_VERSION;
	while (slice_byte(text, 0) == '#')
		model_text_next(&text, '\n');
	if (!slice_equal(model_text_next(&text, '\n'), slice_of(FEATURES)) ||
	    !model_read_field(&text, "C", RIDGE_COST_MIN, RIDGE_COST_MAX,
			      &cost) ||
	    !model_read_field(&text, "gamma", RIDGE_GAMMA_MIN, RIDGE_GAMMA_MAX,
			      &gamma) ||
	    !model_read_field(&text, "rho", -MAX_RHO, MAX_RHO, &rho) ||
	    !model_read_field(&text, "supports", 1, MAX_RIDGE_EXAMPLES,
			      &count) ||
	    count != floor(count))
		return ERR_MALFORMED;
	model = ridge_model_create((size_t)count);
	model->svm.param.C = cost;
	model->svm.param.gamma = gamma;
	model->rho = rho;
	for (int i = 0; i < model->svm.l && is_valid; i++)
		is_valid = read_vector(model_text_next(&text, '\n'),
				       &model->coefficients[i],
				       &model->vectors[i]);
	if (!is_valid || text.size > 0) {
		ridge_model_destroy(model);
		return ERR_MALFORMED;
	}
	*model_out = model;
	return ERR_NONE;
}

/*
 * Training rounds features to multiples of 1 / FEATURE_STEPS, the precision of
 * ridge_model_write().
 */
#define FEATURE_STEPS 1e4

static void discard_message(const char *text)
{
	(void)text;
}

/*
 * Divide the examples into MAX_RIDGE_EXAMPLES equal parts, and return the index
 * of the example to use from part `part`. Its offset in the part depends on the
 * golden ratio. With a fixed offset, the same ridge of every page would be used
 * on sites whose pages all have equally many ridges.
 */
static size_t example_index(size_t part, size_t count)
{
	size_t begin = part * count / MAX_RIDGE_EXAMPLES;
	size_t end = (part + 1) * count / MAX_RIDGE_EXAMPLES;
	uint32_t place = (uint32_t)part * 2654435769U;

	if (count <= MAX_RIDGE_EXAMPLES)
		return part;
	return begin + (size_t)((uint64_t)place * (end - begin) >> 32);
}

/* The training examples in libsvm's format. */
struct problem {
	struct svm_problem svm;
	struct ridge_vector *vectors;
};

static struct problem make_problem(const struct ridge_example *examples,
				   size_t count)
{
	size_t used = count < MAX_RIDGE_EXAMPLES ? count : MAX_RIDGE_EXAMPLES;
	struct problem problem = {
		.svm = {.l = (int)used,
			.y = mem_alloc(used, sizeof(double)),
			.x = mem_alloc(used, sizeof(struct svm_node *))},
		.vectors = mem_alloc(used, sizeof(struct ridge_vector)),
	};

	for (size_t i = 0; i < used; i++) {
		const struct ridge_example *example =
			&examples[example_index(i, count)];
		double features[RIDGE_FEATURES];

		for (int k = 0; k < RIDGE_FEATURES; k++)
			features[k] =
				round(example->features[k] * FEATURE_STEPS) /
				FEATURE_STEPS;
		problem.vectors[i] = ridge_vector_of(features);
		problem.svm.x[i] = problem.vectors[i].nodes;
		problem.svm.y[i] = example->is_primary ? 1 : -1;
	}
	return problem;
}

/*
 * Copy a model of libsvm. Since version 3.17, libsvm uses +1 as the first of
 * the classes +1 and -1.
 */
static struct ridge_model *copy_svm_model(const struct svm_model *svm)
{
	struct ridge_model *model = ridge_model_create((size_t)svm->l);

	assert(svm->label[0] == 1);
	model->rho = svm->rho[0];
	for (int i = 0; i < svm->l; i++) {
		model->coefficients[i] = svm->sv_coef[0][i];
		for (int k = 0; k <= RIDGE_FEATURES; k++)
			model->vectors[i].nodes[k] = svm->SV[i][k];
	}
	model->svm.param.gamma = svm->param.gamma;
	model->svm.param.C = svm->param.C;
	return model;
}

struct ridge_model *ridge_model_train(const struct ridge_example *examples,
				      size_t count, double gamma, double cost)
{
	const struct svm_parameter parameter = {
		.svm_type = C_SVC,
		.kernel_type = RBF,
		.gamma = gamma,
		.C = cost,
		.cache_size = 100,
		.eps = 1e-3,
		.shrinking = 1,
	};
	struct problem problem = make_problem(examples, count);
	struct ridge_model *model = NULL;
	struct svm_model *svm;
	bool has_both = false;

	for (int i = 1; i < problem.svm.l; i++)
		has_both |= problem.svm.y[i] != problem.svm.y[0];
	if (has_both) {
		svm_set_print_string_function(discard_message);
		svm = svm_train(&problem.svm, &parameter);
		model = copy_svm_model(svm);
		svm_free_and_destroy_model(&svm);
	}
	free(problem.svm.x);
	free(problem.svm.y);
	free(problem.vectors);
	return model;
}

/*
 * The universal model as constants, so that the program does not read a file or
 * allocate memory for it. extract/methods/mountain_model.cmake creates
 * extract/methods/mountain_model.h from conf/models/mountain.model. The
 * MOUNTAIN_VECTORS(X) in this header has X(index, coefficient, height, width,
 * RP, CP) for each support vector. Constants are possible although libsvm has
 * pointers without const, because libsvm only reads the data.
 */
#define VECTOR(index, coefficient, height, width, rp, cp) \
	{{{1, (height)}, {2, (width)}, {3, (rp)}, {4, (cp)}, {-1, 0}}},
#define COEFFICIENT(index, coefficient, height, width, rp, cp) (coefficient),
#define POINTER(index, coefficient, height, width, rp, cp) \
	(struct svm_node *)vectors[index].nodes,

static const struct ridge_vector vectors[] = {MOUNTAIN_VECTORS(VECTOR)};
static const double coefficients[] = {MOUNTAIN_VECTORS(COEFFICIENT)};
static struct svm_node *const pointers[] = {MOUNTAIN_VECTORS(POINTER)};

enum { COUNT = sizeof(vectors) / sizeof(vectors[0]) };

static double *const rows[] = {(double *)coefficients};
static const double ridge_universal_rho = MOUNTAIN_RHO;
static const int labels[] = {1, -1};
static const int counts[] = {COUNT, 0};

static const struct ridge_model universal = {
	.svm =
		{
			.param = {.svm_type = C_SVC,
				  .kernel_type = RBF,
				  .gamma = MOUNTAIN_GAMMA,
				  .C = MOUNTAIN_C},
			.nr_class = 2,
			.l = COUNT,
			.SV = (struct svm_node **)pointers,
			.sv_coef = (double **)rows,
			.rho = (double *)&ridge_universal_rho,
			.label = (int *)labels,
			.nSV = (int *)counts,
		},
	.vectors = (struct ridge_vector *)vectors,
	.labels = {1, -1},
	.counts = {COUNT, 0},
	.rho = MOUNTAIN_RHO,
	.coefficients = (double *)coefficients,
};

const struct ridge_model *ridge_model_universal(void)
{
	return &universal;
}

enum { HEIGHT, WIDTH, RIDGE_POSITION, CELL_POSITION };

static struct ridges measure_thresholds(const struct cells *cells,
					double peak_factor)
{
	double sum = 0;
	double highest = 0;

	for (uint32_t i = 0; i < cells->count; i++) {
		double score = (double)cells->items[i].score;

		sum += score;
		highest = fmax(highest, score);
	}
	if (cells->count > 0)
		sum /= cells->count;
	return (struct ridges){
		.primary_threshold = fmin(sum, highest),
		.peak_threshold = fmin(sum * peak_factor, highest),
	};
}

static bool is_primary_cell(const struct cells *cells, uint32_t index,
			    const struct ridges *ridges)
{
	double score = (double)cells->items[index].score;

	assert(index < cells->count);
	return score > 0 && score >= ridges->primary_threshold;
}

/*
 * Return the next run of cells from `begin` on that fulfils the second and
 * third condition of definition 3, and write the score of its highest cell to
 * *highest_out. The result is empty if no run is left.
 */
static struct ridge next_run(const struct cells *cells, uint32_t begin,
			     uint32_t span, const struct ridges *ridges,
			     double *highest_out)
{
	struct ridge run;

	while (begin < cells->count && !is_primary_cell(cells, begin, ridges))
		begin++;
	run = (struct ridge){.begin = begin, .end = begin};
	*highest_out = 0;
	for (uint32_t i = begin; i < cells->count && i - run.end <= span; i++)
		if (is_primary_cell(cells, i, ridges)) {
			run.end = i + 1;
			*highest_out = fmax(*highest_out,
					    (double)cells->items[i].score);
		}
	assert(run.begin <= run.end && run.end <= cells->count);
	return run;
}

/*
 * Set the features of the ridges by eq. 4 to 7. In these equations, the
 * positions of ridges and cells begin at 1.
 */
static void set_features(const struct cells *cells, struct ridge *ridges,
			 uint32_t count)
{
	double highest = 0;
	double widest = 0;

	for (uint32_t i = 0; i < count; i++) {
		double *features = ridges[i].features;
		double sum = 0;

		features[WIDTH] = ridges[i].end - ridges[i].begin;
		for (uint32_t k = ridges[i].begin; k < ridges[i].end; k++)
			sum += (double)cells->items[k].score;
		features[HEIGHT] = fmax(sum / features[WIDTH], 0);
		highest = fmax(highest, features[HEIGHT]);
		widest = fmax(widest, features[WIDTH]);
	}
	for (uint32_t i = 0; i < count; i++) {
		double *features = ridges[i].features;

		features[HEIGHT] /= highest > 0 ? highest : 1;
		features[WIDTH] /= widest;
		features[RIDGE_POSITION] = (i + 1.0) / count;
		features[CELL_POSITION] =
			(ridges[i].begin + 1.0) / cells->count;
	}
}

struct ridges ridges_of_cells(struct arena *arena, const struct cells *cells,
			      uint32_t span, double peak_factor)
{
	struct ridges ridges = measure_thresholds(cells, peak_factor);
	uint32_t run_count = 0;
	uint32_t at = 0;
	struct ridge *items;
	double peak;

	for (; at < cells->count; run_count++)
		at = next_run(cells, at, span, &ridges, &peak).end;
	items = ARENA_NEW(arena, struct ridge, run_count);
	at = 0;
	while (at < cells->count) {
		double highest;
		struct ridge run = next_run(cells, at, span, &ridges, &highest);

		if (run.begin < run.end && highest >= ridges.peak_threshold)
			items[ridges.count++] = run;
		at = run.end;
	}
	set_features(cells, items, ridges.count);
	ridges.items = items;
	return ridges;
}
