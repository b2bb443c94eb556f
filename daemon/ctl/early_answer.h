/*
 * daemon/ctl/early_answer.h - extract the text of a page without a template,
 * while the page is parsed; the result is used later if the page turns out to
 * have no template.
 */
#ifndef DAEMON_CTL_EARLY_ANSWER_H
#define DAEMON_CTL_EARLY_ANSWER_H

#include <stdbool.h>

#include "store/store.h"
#include "template/text_answer.h"

struct page;

struct fallback_options {
	const struct extraction_options *rules;
	const struct text_request *request; /* without a URL */
	bool is_strict; /* the caller will check whether the text can be cited
			 */
};

/*
 * Extract the text of the page at `url`; the page may be freed afterwards.
 * Return NULL if that needs a template. fallback_text_free() the result.
 */
struct extraction_result *
fallback_text_create(const struct fallback_options *rules,
		     const struct url *url, struct page *page);
void fallback_text_free(struct extraction_result *early); /* NULL is a no-op */

/* Return the size of the result. */
size_t fallback_text_bytes(const struct extraction_result *early);

/*
 * Move `early` to *answer_out if query_text() would return the same now that
 * the page is stored at request->url. Return false if not, or if `early` is
 * NULL.
 */
bool fallback_text_move(struct extraction_result *early, struct store *store,
			const struct extraction_options *rules,
			const struct text_request *request,
			struct extraction_result *answer_out);

#endif
