/*
 * daemon/engine/link_graph.h - the hyperlinks between the pages of a site.
 * cluster/threshold.h derives labels from them. Pure except for memory.
 *
 * A hyperlink leads to the page with its URL. If there is no such page, it
 * leads to a page of the same host with an equivalent path. Two paths are
 * equivalent if they are equal after percent-decoding and after the removal of
 * ".gz", "index.html", "index.htm", "/", ".html" and ".htm" at their ends; the
 * queries must be equal too. Pages that were read from files have the host
 * OFFLINE_HOST, but may have absolute hyperlinks to the site that they were
 * copied from; for these the host is ignored.
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
 * Create a graph for the pages of one site. `urls` are their canonical URLs;
 * only the hashes of these are stored. Free with link_graph_destroy(). O(n log
 * n).
 */
struct link_graph *link_graph_create(const struct slice *urls,
				     uint32_t page_count);

/* Free the graph. If `inbound` is NULL, do nothing. */
void link_graph_destroy(struct link_graph *inbound);

/*
 * Add the hyperlinks of page `source`, which are in its record; call this once
 * for each source. Only hyperlinks of `a` and `area` elements to other pages of
 * the graph are added, and only the first one to each target. O(m log n) for m
 * hyperlinks of at most MAX_URL_BYTES.
 */
void link_graph_add(struct link_graph *inbound, uint32_t source,
		    const struct record *record);

/*
 * Return the hyperlinks that were added until now; the caller may sort them.
 * They are valid until the next link_graph_add().
 */
struct label_link *link_graph_links(struct link_graph *inbound,
				    size_t *count_out);

#endif
