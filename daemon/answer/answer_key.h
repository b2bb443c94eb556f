/*
 * daemon/answer/answer_key.h - all that the answer to a request for a stored
 * page depends on: two answers of one key are the same, byte for byte, but for
 * the generation of the site, which JSON names. It has two parts, what was
 * asked and the state of what it was asked about.
 *
 * What is asked:
 * - the URL, format, method, parameters, preference, comments, selectors;
 * - by which rules: limits, extract.settings, cluster.min_pages, the folder of
 *   models.
 * The state, and why nothing else has to be in it:
 * - of the page its site, key, content hash, size, charset and HTTP status, and
 *   its URL, which redirects may lead to; and, as JSON alone names it, when it
 *   was fetched;
 * - of its template the number and cluster_row.changes. The count of pages, the
 *   frequencies of fragments, and the sample that methods learn from follow
 *   from the pages of the cluster and what stands on them, and these from the
 *   number of changes. A number is given to one cluster of a site, and an id to
 *   one site, once;
 * - where sites may have models of their own, which file that is: its inode,
 *   size and time.
 * A commit that changes other templates of the site changes none of these. The
 * site's measure, width and threshold tell where a new page belongs: this one
 * has its place.
 */
#ifndef DAEMON_ANSWER_ANSWER_KEY_H
#define DAEMON_ANSWER_ANSWER_KEY_H

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"
#include "template/text_answer.h"

struct answer_key {
	struct buffer asked; /* answer_key_free() */
	struct buffer state;
	uint64_t generation; /* of the site; 0 unless the answer names it */
};

/* What is asked, in a new key without a state. */
struct answer_key answer_key_of(const struct answer_rules *rules,
				const struct text_request *request);

/*
 * Read the state anew, as of one moment of the store, of which three rows are
 * sought. ERR_NOT_FOUND: there is no such page, or its body is not kept: no
 * answer.
 */
enum error answer_key_read(struct answer_key *key, struct store *store,
			   const struct answer_rules *rules,
			   const struct text_request *request);

/* Zeros are legal. */
void answer_key_free(struct answer_key *key);

#endif
