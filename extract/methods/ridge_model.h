/*
 * extract/methods/ridge_model.h - the classifier of the mountain model's
 * ridges: an RBF support vector machine over four features (Bing et al.,
 * Primary Content Extraction with Mountain Model, CIT 2008, eq. 4-7). A
 * universal one is part of the program (conf/models/mountain.model); a site may
 * have its own.
 */
#ifndef EXTRACT_METHODS_RIDGE_MODEL_H
#define EXTRACT_METHODS_RIDGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

enum { RIDGE_FEATURES = 4 }; /* height, width, RP, CP: each in [0, 1] */

/* A ridge of a page whose content is known. */
struct ridge_example {
	double features[RIDGE_FEATURES];
	bool is_primary;
};

struct ridge_model;

/* The universal model, a constant of the program. */
const struct ridge_model *ridge_model_universal(void);

/* At most this many examples train a model, so that it stays small. */
enum { MAX_RIDGE_EXAMPLES = 1000 };

#define RIDGE_GAMMA_PRESET 1.0
#define RIDGE_COST_PRESET  3.0
#define RIDGE_GAMMA_MIN    1e-3
#define RIDGE_GAMMA_MAX    1e3
#define RIDGE_COST_MIN     1e-3
#define RIDGE_COST_MAX     1e6

/*
 * Train with the kernel exp(-gamma d^2) and `cost`, the C of the machine, both
 * in their ranges; of more than MAX_RIDGE_EXAMPLES examples an even choice is
 * taken. The same examples give the same model. NULL without examples of both
 * kinds. One thread at a time: libsvm has globals. About quadratic in the
 * examples taken.
 */
struct ridge_model *ridge_model_train(const struct ridge_example *examples,
				      size_t count, double gamma, double cost);

/* Append the model as text, after `notes`: its lines become comments. */
void ridge_model_write(const struct ridge_model *model, struct slice notes,
		       struct buffer *out);

/*
 * Read a model that ridge_model_write() wrote, perhaps damaged: ERR_MALFORMED,
 * or ERR_VERSION when another version's.
 */
enum error ridge_model_read(struct ridge_model **model_out, struct slice text);

/* NULL is a no-op. */
void ridge_model_destroy(struct ridge_model *model);

/* How many examples the model keeps. */
size_t ridge_model_size(const struct ridge_model *model);

/*
 * Is the ridge primary content? `value_out` gets the decision value, finite,
 * > 0 for primary. Linear in the model's size.
 */
bool ridge_model_classify(const struct ridge_model *model,
			  const double features[RIDGE_FEATURES],
			  double *value_out);

#endif
