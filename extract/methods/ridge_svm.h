/*
 * extract/methods/ridge_svm.h - a ridge model in libsvm's format. Internal to
 * the files of extract/methods/ridge_model.h.
 */
#ifndef EXTRACT_METHODS_RIDGE_SVM_H
#define EXTRACT_METHODS_RIDGE_SVM_H

#include <libsvm/svm.h>

#include "extract/methods/ridge_model.h"

/* A vector of features, and its end mark. */
struct ridge_vector {
	struct svm_node nodes[RIDGE_FEATURES + 1];
};

/*
 * A model of type C_SVC with kernel RBF and the classes +1, primary, and -1.
 * All support vectors are counted in the first class: libsvm sums over both.
 */
struct ridge_model {
	struct svm_model svm; /* points into the other fields */
	struct ridge_vector *vectors;
	int labels[2];
	int counts[2];
	double rho;
	double *coefficients; /* alpha * label, [svm.l] */
};

/* Convert the features; clamp them to [0, 1]. */
struct ridge_vector ridge_vector_of(const double features[RIDGE_FEATURES]);

/*
 * Return a model of `count` support vectors for the caller to fill; free it
 * with ridge_model_destroy().
 */
struct ridge_model *ridge_model_create(size_t count);

#endif
