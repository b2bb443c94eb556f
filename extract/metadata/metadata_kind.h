/*
 * extract/metadata/metadata_kind.h - the kind of a page, by its metadata.
 * Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_KIND_H
#define EXTRACT_METADATA_METADATA_KIND_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_findings.h"

/*
 * The kind by the JSON-LD, or the generator, the address, or og:type, in this
 * order; og:type=article, which content management systems write for any page,
 * counts when the page has a date. No value when it is not known.
 */
struct metadatum kind_choose(const struct findings *findings, struct slice url,
			     bool is_dated);

#endif
