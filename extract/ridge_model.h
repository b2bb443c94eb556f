/*
 * extract/ridge_model.h - the classifier of the mountain model's ridges: an
 * RBF support vector machine over four features (Bing et al., Primary Content
 * Extraction with Mountain Model, CIT 2008, eq. 4-7). A universal one is part
 * of the program (conf/models/mountain.model); a site may have its own.
 */
#ifndef EXTRACT_RIDGE_MODEL_H
#define EXTRACT_RIDGE_MODEL_H

#include <stdbool.h>
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

/* The one of the program; it lives as long as that. */
const struct ridge_model *ridge_model_universal(void);

/*
 * Read a model that ridge_model_write() wrote, perhaps damaged: ERR_MALFORMED.
 * Destroy it; NULL is a no-op.
 */
enum error ridge_model_read(struct ridge_model **model_out, struct slice text);
void ridge_model_destroy(struct ridge_model *model);

/* Is the ridge primary content? `value_out` gets the decision value, > 0 for
   primary. */
bool ridge_model_classify(const struct ridge_model *model,
			  const double features[RIDGE_FEATURES],
			  double *value_out);

#endif
