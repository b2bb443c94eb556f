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

struct early_rules {
	const struct answer_rules *rules;
	const struct text_request *request; /* without a URL */
	bool is_strict; /* the caller will check whether the text can be cited
			 */
};

/*
 * Extract the text of the page at `url`; the page may be freed afterwards.
 * Return NULL if that needs a template. early_answer_free() the result.
 */
struct text_answer *early_answer_make(const struct early_rules *rules,
				      const struct url *url, struct page *page);
void early_answer_free(struct text_answer *early); /* NULL is a no-op */

/* Return the size of the result. */
size_t early_answer_bytes(const struct text_answer *early);

/*
 * Move `early` to *answer_out if answer_text() would return the same now that
 * the page is stored at request->url. Return false if not, or if `early` is
 * NULL.
 */
bool early_answer_take(struct text_answer *early, struct store *store,
		       const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out);

#endif
