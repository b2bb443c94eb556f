/* extract/metadata/metadata_language.h - the language of a page. Internal to
 * the metadata. */
#ifndef EXTRACT_METADATA_METADATA_LANGUAGE_H
#define EXTRACT_METADATA_METADATA_LANGUAGE_H

#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_date.h"
#include "extract/metadata/metadata_findings.h"

/*
 * What html[lang] says, the meta and Open Graph, or JSON-LD; else that of the
 * script that most letters of the page's text are of, when only one language is
 * written in it. Linear.
 */
struct metadatum language_choose(const struct findings *findings);

/* How numbers of a date are ordered where that language is written: the month
   comes first in English but for the countries that are known not to. */
enum date_order date_order_of(struct slice language);

#endif
