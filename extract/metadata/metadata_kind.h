/* extract/metadata/metadata_kind.h - of what kind a page is, by what it says.
 * Internal to the metadata. */
#ifndef EXTRACT_METADATA_METADATA_KIND_H
#define EXTRACT_METADATA_METADATA_KIND_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_findings.h"

/*
 * The kind that the JSON-LD tells, or the generator, the address, or og:type,
 * in this order; og:type=article, which content management systems write for
 * any page, counts when the page has a date. No value when nothing tells.
 */
struct metadatum kind_choose(const struct findings *findings, struct slice url,
			     bool is_dated);

#endif
