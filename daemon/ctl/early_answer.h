/*
 * daemon/ctl/early_answer.h - the answer to a page by itself, made while the
 * page is there, and given later if the page turns out to have no template.
 */
#ifndef DAEMON_CTL_EARLY_ANSWER_H
#define DAEMON_CTL_EARLY_ANSWER_H

#include <stdbool.h>

#include "store/store.h"
#include "template/text_answer.h"

struct page;

struct early_rules {
	const struct answer_rules *rules;
	const struct text_request *request; /* but for its URL */
	bool is_strict; /* whether it can be cited will be asked */
};

/*
 * Answer the page at `url`, and let go of it. NULL: it cannot be answered by
 * itself. early_answer_free() it.
 */
struct text_answer *early_answer_make(const struct early_rules *rules,
				      const struct url *url, struct page *page);
void early_answer_free(struct text_answer *early); /* NULL is a no-op */

/* What it holds. */
size_t early_answer_bytes(const struct text_answer *early);

/*
 * Move it to *answer_out, if it is what answer_text() would answer now that the
 * page is stored at request->url; false: it is not, or `early` is NULL.
 */
bool early_answer_take(struct text_answer *early, struct store *store,
		       const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out);

#endif
