/* extract/methods/plain.h - the extractors from papers. */
#ifndef EXTRACT_METHODS_PLAIN_H
#define EXTRACT_METHODS_PLAIN_H

#include "extract/core/extractor.h"

/* baseline */
extern const struct extractor extractor_plain; /* all visible text */

/* token sequence */
extern const struct extractor extractor_bte; /* body text extraction */
extern const struct extractor extractor_dsc; /* document slope curve */
extern const struct extractor
	extractor_adsc;                      /* document slope curve, adapted */
extern const struct extractor extractor_mss; /* maximum subsequence */

/* content code */
extern const struct extractor extractor_ccb; /* content code blurring */
extern const struct extractor
	extractor_accb; /* content code blurring; links are not code */
extern const struct extractor
	extractor_tccb; /* content code blurring of tags and words */

/* tag ratios */
extern const struct extractor
	extractor_cetr_tm; /* tag ratios over a threshold */
extern const struct extractor extractor_cetr_km; /* clustered tag ratios */
extern const struct extractor
	extractor_cetr; /* clustered tag ratios and their derivative */

/* links and blocks */
extern const struct extractor extractor_lqf_25; /* link quota filter */
extern const struct extractor extractor_lqf_50;
extern const struct extractor extractor_lqf_75;
extern const struct extractor extractor_crunch; /* chain of DOM filters */
extern const struct extractor extractor_lp;     /* largest pagelet */
extern const struct extractor extractor_fe;     /* best block by features */
extern const struct extractor extractor_kfe;    /* best cluster of blocks */

/* rendered layout */
extern const struct extractor extractor_vips; /* visual blocks */
extern const struct extractor extractor_vce;  /* main visual block */

/* mountain model */
extern const struct extractor extractor_mountain; /* classified ridges */

/* many pages of one template */
extern const struct extractor extractor_df; /* document frequency */
extern const struct extractor
	extractor_df_plus; /* document frequency in slots */
extern const struct extractor extractor_infodiscoverer;   /* term entropy */
extern const struct extractor extractor_contentextractor; /* similar blocks */
extern const struct extractor extractor_sst;              /* site style tree */
extern const struct extractor extractor_rtdm;             /* tree mapping */
extern const struct extractor extractor_isotonic; /* smoothed templateness */

#endif
