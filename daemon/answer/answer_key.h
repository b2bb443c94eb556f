/*
 * daemon/answer/answer_key.h - all that the answer to a request for a stored
 * page depends on, in one piece: two answers of one key are the same, byte for
 * byte, but for the generation of the site, which JSON names.
 *
 * What is in it, and why nothing else has to be:
 * - of the page its site, key, content hash, size, charset and HTTP status, its
 *   URL and that of the request, behind which it may stand; and, as JSON alone
 *   names it, when it was fetched;
 * - of its template the number and cluster_row.changes. The count of pages, the
 *   frequencies of fragments, and the sample that methods learn from follow
 *   from the pages of the cluster and what stands on them, and these from the
 *   number of changes. A number is given to one cluster of a site, and an id to
 *   one site, once;
 * - the request: format, method, parameters, preference, comments, selectors;
 * - of the configuration the rules: limits, extract.settings,
 * cluster.min_pages, and, where sites may have models of their own, which file
 * that is: its inode, size and time. A commit that changes other templates of
 * the site changes none of these. The site's measure, width and threshold tell
 * where a new page belongs: this one has its place.
 */
#ifndef DAEMON_ANSWER_ANSWER_KEY_H
#define DAEMON_ANSWER_ANSWER_KEY_H

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"
#include "template/text_answer.h"

struct answer_key {
	struct buffer bytes; /* answer_key_free() */
	uint64_t generation; /* of the site; 0 unless the answer names it */
};

/*
 * As of one state of the store, of which two seeks and three rows are read.
 * ERR_NOT_FOUND: there is no such page, or its body is not kept: no answer.
 */
enum error answer_key_read(struct store *store,
			   const struct answer_rules *rules,
			   const struct text_request *request,
			   struct answer_key *key_out);

/* Also of what was not found. */
void answer_key_free(struct answer_key *key);

/* Whether both are the same, with the generation. */
bool answer_key_equal(const struct answer_key *a, const struct answer_key *b);

#endif
