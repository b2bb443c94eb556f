#include "extract/methods/ridge_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "extract/methods/ridge_svm.h"

struct ridge_vector ridge_vector_of(const double features[RIDGE_FEATURES])
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

struct ridge_model *ridge_model_create(size_t count)
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
