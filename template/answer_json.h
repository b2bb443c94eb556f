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
 * (href, text); the last three are null when they were not asked for. What is
 * no valid UTF-8 becomes '?'. One line.
 */
void answer_json(const struct text_answer *answer, struct buffer *out);

/*
 * Let go of the page of an answer in this format, and keep what is needed to
 * give it: the text, or the JSON of all that does not depend on the site, whose
 * fields may still be set: those of the cluster, and the reason.
 */
void answer_detach(struct text_answer *answer, enum format format);

#endif
