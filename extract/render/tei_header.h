/* extract/render/tei_header.h - the teiHeader of a page: TEI P5, chapter 2. */
#ifndef EXTRACT_RENDER_TEI_HEADER_H
#define EXTRACT_RENDER_TEI_HEADER_H

#include "store/slice.h"

struct buffer;
struct render_request;

/*
 * Append the header: the request's metadata (NULL: the page's own title,
 * language and description), and where the text comes from.
 */
void tei_header(const struct render_request *request, struct buffer *out);

/* Append ` NAME="VALUE"`, escaped, without what XML 1.0 has not. */
void tei_attribute(struct buffer *out, const char *name, struct slice value);

/* The language of the text as a tag of BCP 47, or empty. */
struct slice tei_language(const struct render_request *request);

#endif
