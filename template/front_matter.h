/* template/front_matter.h - the metadata of a page before its Markdown. */
#ifndef TEMPLATE_FRONT_MATTER_H
#define TEMPLATE_FRONT_MATTER_H

#include "store/buffer.h"

struct text_answer;

/*
 * Append a YAML document between lines of "---", as generators of sites read
 * it: title, authors, published, modified, url, site_name, language,
 * description, image, licence, categories, tags, as far as they are known, each
 * in double quotes. Of an answer that has its metadata.
 */
void front_matter_append(const struct text_answer *answer, struct buffer *out);

#endif
