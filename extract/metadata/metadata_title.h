/*
 * extract/metadata/metadata_title.h - choosing the title of a page. Internal to
 * the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_TITLE_H
#define EXTRACT_METADATA_METADATA_TITLE_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_findings.h"
#include "extract/metadata/metadata_name.h"

/*
 * The title: the h1 that says most of what the title element or og:title says,
 * when it says enough; else the headline of the JSON-LD, og:title, the title
 * element without the name of the site. Sets title_begin and title_end of the
 * findings, from which bylines are looked for. Linear.
 */
struct metadatum title_choose(struct findings *findings,
			      const struct site_names *site);

#endif
