/*
 * template/answer_json.h - the content of a page as JSON, the same for the
 * daemon's API and for files.
 */
#ifndef TEMPLATE_ANSWER_JSON_H
#define TEMPLATE_ANSWER_JSON_H

#include "store/buffer.h"
#include "template/text_answer.h"

/*
 * Append one object: url, title, language, description, cluster (HOST/N or
 * null), cluster_pages, generation, fetched (RFC 3339 or null), truncated;
 * method, reason, template (id, version, pages; null when the method was given
 * none), favor, scope (or null), confidence (0..1 or null), quality; metadata
 * (of each its value and source, or null), hostname, excerpt, word_count,
 * direction ("ltr", "rtl"), fingerprint (16 hexadecimal digits), text, blocks
 * (kind, level, score, text), comments (a text), images (src, alt), links
 * (href, text); the last three are null when they were not asked for. With
 * `indent` spaces, or compact (0). What is no valid UTF-8 becomes
 * '?'.
 */
void answer_json(const struct text_answer *answer, unsigned indent,
		 struct buffer *out);

#endif
