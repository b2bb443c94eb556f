/*
 * crawl/url_kind.h - the kind of a part of a URL by its form: of a path
 * segment, or of the name or value of a parameter. Pure, linear.
 */
#ifndef CRAWL_URL_KIND_H
#define CRAWL_URL_KIND_H

#include <stdbool.h>

#include "base/slice.h"

enum url_kind {
	URL_NOTHING,    /* empty */
	URL_NUMBER,     /* digits, also in groups: 12, 1.2.3 */
	URL_DATE,       /* 2024-05-14, 2024-05, 14.5.2024, 20240514 */
	URL_IDENTIFIER, /* 8 or more hexadecimal digits, a UUID, or alternating
			   letters and digits */
	URL_WORD,       /* anything else, words of any script */
};

enum url_kind url_kind_of(struct slice text);

/* Return "", "{n}", "{date}", "{id}" or "{w}". */
const char *url_kind_text(enum url_kind kind);

/*
 * Return whether the word may be a name and not a sentence: at most 32 bytes
 * and two hyphens, nothing percent-encoded.
 */
bool url_is_name(struct slice word);

#endif
