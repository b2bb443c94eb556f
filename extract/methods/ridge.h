/*
 * extract/methods/ridge.h - the ridges of a page's mountain. A ridge is a run
 * of cells around a peak, and it is content or boilerplate as a whole (Bing et
 * al., CIT 2008, section 3.3).
 */
#ifndef EXTRACT_METHODS_RIDGE_H
#define EXTRACT_METHODS_RIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "extract/methods/block_methods.h"

/*
 * The classifier for the ridges of the mountain model: an RBF support vector
 * machine over four features (Bing et al., Primary Content Extraction with
 * Mountain Model, CIT 2008, eq. 4-7). A universal model is part of the program
 * (conf/models/mountain.model); a site may have its own model.
 */

enum { RIDGE_FEATURES = 4 }; /* height, width, RP and CP, each in [0, 1] */

/* A training example: a ridge of a page whose content is known. */
struct ridge_example {
	double features[RIDGE_FEATURES];
	bool is_primary;
};

/* Return the universal model, a constant of the program. */
const struct ridge_model *ridge_model_universal(void);

/* Maximum number of training examples. It limits the size of a model, too. */
enum { MAX_RIDGE_EXAMPLES = 1000 };

#define RIDGE_GAMMA_PRESET 1.0
#define RIDGE_COST_PRESET  3.0
#define RIDGE_GAMMA_MIN    1e-3
#define RIDGE_GAMMA_MAX    1e3
#define RIDGE_COST_MIN     1e-3
#define RIDGE_COST_MAX     1e6

/*
 * Train a model with the kernel exp(-gamma d^2) and the parameter C = `cost` of
 * the support vector machine. Both must be in the ranges above. Of more than
 * MAX_RIDGE_EXAMPLES examples, use an even selection. The same examples give
 * the same model. Return NULL without examples of both classes. Not
 * thread-safe, because libsvm has global variables. About quadratic in the
 * number of examples used.
 */
struct ridge_model *ridge_model_train(const struct ridge_example *examples,
				      size_t count, double gamma, double cost);

/*
 * Append the model as text. The lines of `notes` become comments at the start.
 */
void ridge_model_write(const struct ridge_model *model, struct slice notes,
		       struct buffer *out);

/*
 * Read a model that ridge_model_write() wrote. ERR_MALFORMED: the text is
 * damaged. ERR_VERSION: the format has another version.
 */
enum error ridge_model_read(struct ridge_model **model_out, struct slice text);

/* Free the model. Do nothing for NULL. */
void ridge_model_destroy(struct ridge_model *model);

/* Return the number of support vectors of the model. */
size_t ridge_model_size(const struct ridge_model *model);

/*
 * Return true if a ridge with these features is primary, that is, content.
 * Write the decision value to *value_out; it is finite, and > 0 for a primary
 * ridge. Linear in the number of support vectors.
 */
bool ridge_model_classify(const struct ridge_model *model,
			  const double features[RIDGE_FEATURES],
			  double *value_out);

struct ridge {
	uint32_t begin; /* the cells [begin, end) */
	uint32_t end;
	/* height, width, RP and CP (eq. 4-7), each in [0, 1] */
	double features[RIDGE_FEATURES];
};

struct ridges {
	const struct ridge *items; /* [count], in ascending order; ridges are
				      not adjacent */
	uint32_t count;
	double primary_threshold; /* the mean score of all cells */
	double peak_threshold;    /* peak factor * primary_threshold */
};

/*
 * Find the ridges of smoothed cells (definition 3). In a ridge, the first and
 * the last cell reach the primary threshold, at most `span` consecutive cells
 * are below this threshold, and at least one cell reaches the peak threshold. A
 * threshold above the highest cell is lowered to it, so that every page with
 * text has a ridge. The ridges belong to `arena`. Linear.
 */
struct ridges ridges_of_cells(struct arena *arena, const struct cells *cells,
			      uint32_t span, double peak_factor);

#endif
