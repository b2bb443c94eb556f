/*
 * extract/metadata/metadata_kind.h - the kind of a page, from its metadata.
 * Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_KIND_H
#define EXTRACT_METADATA_METADATA_KIND_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_findings.h"

/*
 * Return the kind by the JSON-LD, the generator, the address, or og:type, in
 * this order. og:type=article, which content management systems write for any
 * page, counts only if the page has a date. Return no value if the kind is
 * unknown.
 */
struct metadatum kind_choose(const struct metadata_candidates *findings,
			     struct slice url, bool is_dated);

#endif
