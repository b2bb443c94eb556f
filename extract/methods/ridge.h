/*
 * extract/methods/ridge.h - the ridges of a page's mountain: runs of cells
 * around a peak; the whole run is content or boilerplate (Bing et al., CIT
 * 2008, section 3.3).
 */
#ifndef EXTRACT_METHODS_RIDGE_H
#define EXTRACT_METHODS_RIDGE_H

#include <stdint.h>

#include "extract/methods/cell.h"
#include "extract/methods/ridge_model.h"

struct arena;

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
