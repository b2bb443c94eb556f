#include "extract/extractors.h"

#include <string.h>

#include "extract/auto/auto.h"
#include "extract/methods/methods.h"

const struct extractor *const extractors[] = {
	/* the default */
	&extractor_auto,
	/* baseline */
	&extractor_plain,
	/* token sequence */
	&extractor_bte,
	&extractor_dsc,
	&extractor_adsc,
	&extractor_mss,
	/* content code */
	&extractor_ccb,
	&extractor_accb,
	&extractor_tccb,
	/* tag ratios */
	&extractor_cetr_tm,
	&extractor_cetr_km,
	&extractor_cetr,
	/* links and blocks */
	&extractor_lqf_25,
	&extractor_lqf_50,
	&extractor_lqf_75,
	&extractor_crunch,
	&extractor_lp,
	&extractor_fe,
	&extractor_kfe,
	/* rendered layout */
	&extractor_vips,
	&extractor_vce,
	/* mountain model */
	&extractor_mountain,
	/* many pages of one template */
	&extractor_df,
	&extractor_df_plus,
	&extractor_infodiscoverer,
	&extractor_contentextractor,
	&extractor_sst,
	&extractor_rtdm,
	&extractor_isotonic,
	NULL,
};

const struct extractor *extractor_find(const char *name)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		if (strcmp(extractors[i]->name, name) == 0)
			return extractors[i];
	return NULL;
}
