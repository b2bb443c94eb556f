/*
 * template/answer_json.h - the content of a page as JSON, the same for the
 * daemon's API and for files.
 */
#ifndef TEMPLATE_ANSWER_JSON_H
#define TEMPLATE_ANSWER_JSON_H

#include <stddef.h>

#include "store/buffer.h"
#include "template/text_answer.h"

/* Where the generation of the site stands in the JSON of an answer: so many
 * bytes behind its begin. */
struct generation_places {
	size_t at[2]; /* [count], ascending: of the site, of the template */
	size_t count;
};

/*
 * Append one object: url, title, language, description, cluster (HOST/N or
 * null), cluster_pages, generation, fetched (RFC 3339 or null), truncated;
 * method, reason, template (id, version, pages; null when the method was given
 * none), favor, scope (or null), confidence (0..1 or null), quality; metadata
 * (of each its value and source, or null), hostname, excerpt, word_count,
 * direction ("ltr", "rtl"), fingerprint (16 hexadecimal digits), text, blocks
 * (kind, level, score, text), comments (a text), images (src, alt), links
 * (href, text); the last three are null when they were not asked for. What is
 * no valid UTF-8 becomes '?'. One line. `places_out` may be NULL.
 */
void answer_json(const struct text_answer *answer,
		 struct generation_places *places_out, struct buffer *out);

/*
 * Let go of the page of an answer in this format, and keep what is needed to
 * give it: the text, or the JSON of all that does not depend on the site, whose
 * fields may still be set: those of the cluster, and the reason.
 */
void answer_detach(struct text_answer *answer, enum format format);

#endif
