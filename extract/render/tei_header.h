/*
 * extract/render/tei_header.h - writes the teiHeader of a page: TEI P5, chapter
 * 2.
 */
#ifndef EXTRACT_RENDER_TEI_HEADER_H
#define EXTRACT_RENDER_TEI_HEADER_H

#include "base/slice.h"

struct buffer;
struct render_request;

/*
 * Append the header: the request's metadata (NULL: the page's own title,
 * language and description), and the source of the text.
 */
void tei_header(const struct render_request *request, struct buffer *out);

/* Append ` NAME="VALUE"`, escaped, without characters that XML 1.0 forbids. */
void tei_attribute(struct buffer *out, const char *name, struct slice value);

/* Return the language of the text as a BCP 47 tag, or empty. */
struct slice tei_language(const struct render_request *request);

#endif
