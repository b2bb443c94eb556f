/* extract/metadata/metadata_language.h - the language of a page. Internal to
 * the metadata. */
#ifndef EXTRACT_METADATA_METADATA_LANGUAGE_H
#define EXTRACT_METADATA_METADATA_LANGUAGE_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_date.h"
#include "extract/metadata/metadata_findings.h"

/*
 * Return the language from html[lang], meta and Open Graph, or JSON-LD; without
 * these, from the script of most letters in the page's text, if only one
 * language uses it. Linear.
 */
struct metadatum language_choose(const struct metadata_candidates *findings);

/*
 * Return the order of numbers in dates of that language: the month comes first
 * in English, except in countries that are known to put the day first.
 */
enum date_order date_order_of(struct slice language);

#endif
