/*
 * daemon/query/answer_key.h - everything that the text of a stored page
 * depends on: two results with equal keys are equal byte for byte, except the
 * generation of the site in JSON. A key has two parts, the request and the
 * state of the data.
 *
 * The request:
 * - the URL, format, method, parameters, preference, comments, selectors;
 * - the rules: limits, extract.method_options, clustering.min_pages, the folder
 * of models.
 *
 * The state, and why it is complete:
 * - of the page: its site, key, content hash, size, charset and HTTP status,
 *   and its URL, which may be the target of redirects; and, for JSON only, its
 *   time of fetch;
 * - of its template: the number and cluster_row.changes. The page count, the
 *   frequencies of fragments, and the sample for models depend only on the
 *   pages of the cluster and their content, and these on the number of changes.
 *   The number of a cluster in a site and the id of a site are never reused;
 * - if sites may have their own models: the identity of the file, by inode,
 *   size and time.
 *
 * A commit that changes other templates of the site changes nothing here. The
 * site's measure, width and threshold only decide where a new page belongs:
 * this page has its place.
 */
#ifndef DAEMON_QUERY_ANSWER_KEY_H
#define DAEMON_QUERY_ANSWER_KEY_H

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"
#include "template/text_answer.h"

struct text_key {
	struct buffer asked; /* freed by text_key_free() */
	struct buffer state;
	uint64_t generation; /* of the site; 0 if the result does not contain it
			      */
};

/* Create a key with the request and without a state. */
struct text_key text_key_of(const struct extraction_options *rules,
			    const struct text_request *request);

/*
 * Read the state again, in one transaction that looks up three rows.
 * ERR_NOT_FOUND: there is no such page, or its body is not stored, so there is
 * no text.
 */
enum error text_key_read(struct text_key *key, struct store *store,
			 const struct extraction_options *rules,
			 const struct text_request *request);

/* A zeroed key is valid. */
void text_key_free(struct text_key *key);

#endif
