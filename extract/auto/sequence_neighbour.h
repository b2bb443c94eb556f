/*
 * extract/auto/sequence_neighbour.h - the features of extract/auto/sequence.h
 * about the two passages before and the two behind.
 */
#ifndef EXTRACT_AUTO_SEQUENCE_NEIGHBOUR_H
#define EXTRACT_AUTO_SEQUENCE_NEIGHBOUR_H

#include "extract/text/passage.h"

struct repetition;

/* Write its part of the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_neighbours_row(const struct passages *passages,
			     const struct repetition *repetition,
			     uint32_t index, float *row);

#endif
