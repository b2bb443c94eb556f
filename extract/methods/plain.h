/* extract/methods/plain.h - the list of the extraction methods from papers. */
#ifndef EXTRACT_METHODS_PLAIN_H
#define EXTRACT_METHODS_PLAIN_H

#include "extract/core/extractor.h"

/* clang-format off */
#define METHODS(X) \
	/* baseline: all visible text */ \
	X(plain) \
	/* token sequence */ \
	X(bte) X(dsc) X(adsc) X(mss) \
	/* content code blurring */ \
	X(ccb) X(accb) X(tccb) \
	/*
	 * tag ratios: with a threshold, with clusters, and with clusters of
	 * ratios and their derivatives
	 */ \
	X(cetr_tm) X(cetr_km) X(cetr) \
	/* links and blocks */ \
	X(lqf_25) X(lqf_50) X(lqf_75) X(crunch) X(lp) X(fe) X(kfe) \
	/* rendered layout */ \
	X(vips) X(vce) \
	/* mountain model: classified ridges */ \
	X(mountain) \
	/* many pages of one template */ \
	X(df) X(df_plus) X(infodiscoverer) X(contentextractor) X(sst) X(rtdm) \
	X(isotonic)
/* clang-format on */

#define X(name) extern const struct extractor extractor_##name;
METHODS(X)
#undef X

#endif
