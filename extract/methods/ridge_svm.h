/*
 * extract/methods/ridge_svm.h - a ridge model in libsvm's form. Internal to the
 * files of extract/methods/ridge_model.h.
 */
#ifndef EXTRACT_METHODS_RIDGE_SVM_H
#define EXTRACT_METHODS_RIDGE_SVM_H

#include <libsvm/svm.h>

#include "extract/methods/ridge_model.h"

/* A vector of features, and its end. */
struct ridge_vector {
	struct svm_node nodes[RIDGE_FEATURES + 1];
};

/*
 * Of class C_SVC with kernel RBF and the classes +1, primary, and -1. All
 * support vectors stand as if they were of the first: libsvm sums over both.
 */
struct ridge_model {
	struct svm_model svm; /* points into what follows */
	struct ridge_vector *vectors;
	int labels[2];
	int counts[2];
	double rho;
	double *coefficients; /* alpha * label, [svm.l] */
};

/* Features beyond [0, 1] are cut to it. */
struct ridge_vector ridge_vector_of(const double features[RIDGE_FEATURES]);

/* An empty model of `count` support vectors, to be filled; destroy it. */
struct ridge_model *ridge_model_create(size_t count);

#endif
