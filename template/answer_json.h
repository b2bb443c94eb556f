/*
 * template/result_json.h - the content of a page as JSON, the same for the
 * daemon's API and for files.
 */
#ifndef TEMPLATE_ANSWER_JSON_H
#define TEMPLATE_ANSWER_JSON_H

#include <stddef.h>

#include "base/buffer.h"
#include "template/text_answer.h"

/*
 * Offsets of the site's generation in the JSON of a result, in bytes from its
 * start.
 */
struct generation_places {
	size_t at[2]; /* [count], ascending: of the site, of the template */
	size_t count;
};

/*
 * Append one object: url, title, language, description, cluster (HOST/N or
 * null), cluster_pages, generation, fetched (RFC 3339 or null), truncated;
 * method, reason, template (id, version, pages; null if the method did not use
 * one), favor, scope (or null), confidence (0..1 or null), quality; metadata
 * (value and source of each, or null), hostname, excerpt, word_count, direction
 * ("ltr", "rtl"), fingerprint (16 hexadecimal digits), text, blocks (kind,
 * level, score, text), comments (a text), images (src, alt), links (href,
 * text); the last three are null unless requested. Invalid UTF-8 becomes '?'.
 * One line. `places_out` may be NULL.
 */
void result_json(const struct extraction_result *answer,
		 struct generation_places *places_out, struct buffer *out);

/*
 * Free the page of a result in this format, and keep the data to write it
 * later: the text, or the JSON of all fields that do not depend on the site.
 * The other fields may still change: the fields of the cluster, and the reason.
 */
void result_detach(struct extraction_result *answer, enum format format);

#endif
