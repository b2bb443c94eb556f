/*
 * extract/metadata/metadata_title.h - chooses the title of a page. Internal to
 * the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_TITLE_H
#define EXTRACT_METADATA_METADATA_TITLE_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_author.h"

/*
 * Return the title: the h1 with the highest overlap with the title element or
 * og:title if the overlap is high enough; otherwise the headline of the
 * JSON-LD, og:title, or the title element without the name of the site. Sets
 * title_begin and title_end of the findings, near which bylines are searched.
 * Linear.
 */
struct metadatum title_choose(struct metadata_candidates *findings,
			      const struct site_names *site);

#endif
