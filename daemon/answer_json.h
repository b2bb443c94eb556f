/*
 * daemon/answer_json.h - the content of a page as JSON: the same envelope from
 * the socket and from a file.
 */
#ifndef DAEMON_ANSWER_JSON_H
#define DAEMON_ANSWER_JSON_H

#include "daemon/answer.h"
#include "store/buffer.h"

/*
 * Append one object: url, title, language, description, method, reason,
 * cluster (HOST/N or null), cluster_pages, generation, fetched (RFC 3339 or
 * null), truncated, text; with `indent` spaces, or compact (0). What is no
 * valid UTF-8 becomes '?'.
 */
void answer_json(const struct text_answer *answer, unsigned indent,
		 struct buffer *out);

#endif
