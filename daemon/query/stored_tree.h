/*
 * daemon/query/stored_tree.h - the elements that the pages of a template have
 * in common, as one tree of JSON
 */
#ifndef DAEMON_QUERY_STORED_TREE_H
#define DAEMON_QUERY_STORED_TREE_H

#include <jansson.h>

#include "base/error.h"
#include "template/extraction.h"
#include "daemon/query/query.h"

struct store;
struct worker_pool;

/*
 * Merge the elements of sample pages of the template `name`, and return
 * {"id", "pages", "truncated", "tree"}; the caller must release it. "pages" is
 * the number of sample pages; "truncated" states that the tree does not show
 * everything; "tree" is null if no page can be read. A node of the tree is
 * {"tag", "class", "pages", "share", "template", "text", "region", "children",
 * "more"}: its tag and classes; how many of the sample pages have it, and their
 * share; the share of its text that is template (null without text); one of its
 * texts or null; true if it contains the content (otherwise missing); and the
 * number of kinds of element inside that are left out. A worker of the pool
 * parses the pages; NULL = the calling thread does, which must have no
 * transaction. ERR_NOT_FOUND: the template has no pages.
 */
enum error stored_tree_json(struct worker_pool *pool, struct store *store,
			    const struct extraction_options *rules,
			    const struct template_name *name,
			    json_t **tree_out);

#endif
