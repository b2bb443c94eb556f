/*
 * extract/auto/sequence_run.h - the features of extract/auto/sequence.h that
 * show whether a passage is in a maximum-sum run: body text extraction (BTE),
 * and maximum subsequence segmentation (MSS).
 */
#ifndef EXTRACT_AUTO_SEQUENCE_RUN_H
#define EXTRACT_AUTO_SEQUENCE_RUN_H

#include "extract/text/passage.h"

struct sequence_runs {
	struct passage_range bte;
	struct passage_range link_bte;
	struct passage_range mss;
	float mss_ratio; /* of the page's words, 0..1 */
};

struct sequence_runs sequence_runs_make(const struct passages *passages);

/* Write this file's part of the row [SEQUENCE_COUNT] of passage `index`. */
void sequence_runs_row(const struct sequence_runs *runs, uint32_t index,
		       float *row);

#endif
