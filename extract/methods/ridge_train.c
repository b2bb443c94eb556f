#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "extract/methods/ridge_svm.h"

/* Features are rounded to the precision of ridge_model_write(). */
#define FEATURE_STEPS 1e4

static void discard_message(const char *text)
{
	(void)text;
}

/*
 * Return the index of the example to use from part `part` of MAX_RIDGE_EXAMPLES
 * equal parts. The golden ratio determines its offset in the part. With a fixed
 * offset, it would be the same ridge of every page on sites whose pages all
 * have equally many ridges.
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

/* The examples in libsvm's format. */
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

static void free_problem(struct problem *problem)
{
	free(problem->svm.x);
	free(problem->svm.y);
	free(problem->vectors);
}

static bool has_both_kinds(const struct svm_problem *problem)
{
	for (int i = 1; i < problem->l; i++)
		if (problem->y[i] != problem->y[0])
			return true;
	return false;
}

/*
 * Copy the model. Of the classes +1 and -1 libsvm uses +1 as the first (since
 * 3.17).
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

	if (has_both_kinds(&problem.svm)) {
		svm_set_print_string_function(discard_message);
		svm = svm_train(&problem.svm, &parameter);
		model = copy_svm_model(svm);
		svm_free_and_destroy_model(&svm);
	}
	free_problem(&problem);
	return model;
}
