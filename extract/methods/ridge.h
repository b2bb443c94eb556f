/*
 * extract/methods/ridge.h - the ridges of a page's mountain: runs of cells
 * around a peak; the whole run is content or boilerplate (Bing et al., CIT
 * 2008, section 3.3).
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

enum { RIDGE_FEATURES = 4 }; /* height, width, RP, CP: each in [0, 1] */

/* A ridge of a page with known content. */
struct ridge_example {
	double features[RIDGE_FEATURES];
	bool is_primary;
};

/* Return the universal model, a constant of the program. */
const struct ridge_model *ridge_model_universal(void);

/* Maximum number of training examples; it limits the size of a model. */
enum { MAX_RIDGE_EXAMPLES = 1000 };

#define RIDGE_GAMMA_PRESET 1.0
#define RIDGE_COST_PRESET  3.0
#define RIDGE_GAMMA_MIN    1e-3
#define RIDGE_GAMMA_MAX    1e3
#define RIDGE_COST_MIN     1e-3
#define RIDGE_COST_MAX     1e6

/*
 * Train with the kernel exp(-gamma d^2) and `cost`, the C of the machine, both
 * in their ranges; of more than MAX_RIDGE_EXAMPLES examples use an even
 * selection. The same examples give the same model. NULL without examples of
 * both classes. Not thread-safe: libsvm has globals. About quadratic in the
 * examples used.
 */
struct ridge_model *ridge_model_train(const struct ridge_example *examples,
				      size_t count, double gamma, double cost);

/* Append the model as text, after `notes`, whose lines become comments. */
void ridge_model_write(const struct ridge_model *model, struct slice notes,
		       struct buffer *out);

/*
 * Read a model that ridge_model_write() wrote; it may be damaged.
 * ERR_MALFORMED, or ERR_VERSION for a model of another version.
 */
enum error ridge_model_read(struct ridge_model **model_out, struct slice text);

/* Free the model; NULL is a no-op. */
void ridge_model_destroy(struct ridge_model *model);

/* Return the number of support vectors of the model. */
size_t ridge_model_size(const struct ridge_model *model);

/*
 * Return true if the ridge is primary content. `value_out` gets the decision
 * value, finite, > 0 for primary. Linear in the model's size.
 */
bool ridge_model_classify(const struct ridge_model *model,
			  const double features[RIDGE_FEATURES],
			  double *value_out);

struct ridge {
	uint32_t begin; /* cells, half open */
	uint32_t end;
	/* height, width, RP, CP (eq. 4-7), positions begin at 1, in [0, 1] */
	double features[RIDGE_FEATURES];
};

struct ridges {
	const struct ridge *items; /* [count], ascending, not adjacent */
	uint32_t count;
	double primary_threshold; /* the mean score of all cells */
	double peak_threshold;    /* peak factor * primary_threshold */
};

/*
 * Find the ridges of smoothed cells (definition 3): both ends reach the primary
 * threshold, never more than `span` consecutive cells are below it, and one
 * cell reaches the peak threshold. Both thresholds are lowered to the highest
 * cell, so that a page with text has a ridge. They belong to `arena`. Linear.
 */
struct ridges ridges_of_cells(struct arena *arena, const struct cells *cells,
			      uint32_t span, double peak_factor);

#endif
