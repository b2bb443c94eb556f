/*
 * daemon/engine/link_graph.h - the links between the pages of a site, from
 * which cluster/threshold.h derives labels. Pure except for memory.
 *
 * A link leads to the page with its URL. If there is no such page, it leads to
 * a page of the same host with an equivalent path: without a final ".gz",
 * "index.html", "index.htm", "/" and ".html" or ".htm", percent-decoded, with
 * its query. Pages from files have the host OFFLINE_HOST, and absolute links to
 * the site that they were copied from: there the host is ignored.
 */
#ifndef DAEMON_ENGINE_LINK_GRAPH_H
#define DAEMON_ENGINE_LINK_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/threshold.h"
#include "store/record.h"

struct link_graph;

/*
 * Create for the pages of one site, by their canonical URLs, which are copied
 * as hashes. Free with link_graph_destroy(). O(n log n).
 */
struct link_graph *link_graph_create(const struct slice *urls,
				     uint32_t page_count);

/* NULL is a no-op. */
void link_graph_destroy(struct link_graph *inbound);

/*
 * Add the links of the record of page `source`; call once per source. Links of
 * `a` and `area` elements to other pages count, the first one per target. O(m
 * log n) for m links of at most MAX_URL_BYTES.
 */
void link_graph_add(struct link_graph *inbound, uint32_t source,
		    const struct record *record);

/*
 * Return the links added until now; the caller may sort them. Valid until the
 * next link_graph_add().
 */
struct label_link *link_graph_links(struct link_graph *inbound,
				    size_t *count_out);

#endif
