/*
 * extract/auto/sequence_neighbour.h - the features of extract/auto/sequence.h
 * about the two passages before and the two after.
 */
#ifndef EXTRACT_AUTO_SEQUENCE_NEIGHBOUR_H
#define EXTRACT_AUTO_SEQUENCE_NEIGHBOUR_H

#include "extract/text/passage.h"

struct repetition;

/* Write this file's part of the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_neighbours_row(const struct passages *passages,
			     const struct repetition *repetition,
			     uint32_t index, float *row);

#endif
