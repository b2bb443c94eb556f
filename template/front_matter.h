/*
 * template/front_matter.h - write the metadata of a page before its Markdown.
 */
#ifndef TEMPLATE_FRONT_MATTER_H
#define TEMPLATE_FRONT_MATTER_H

#include "base/buffer.h"

struct extraction_result;

/*
 * Append a YAML document between lines of "---", in the form that site
 * generators read: title, authors, published, modified, url, site_name,
 * language, description, image, licence, categories, tags, if known, each in
 * double quotes. The result must have its metadata.
 */
void front_matter_append(const struct extraction_result *answer,
			 struct buffer *out);

#endif
