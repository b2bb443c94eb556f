/*
 * daemon/engine/inbound.h - the links between the pages of a site, from which
 * cluster/witness.h makes labels. Pure but for memory.
 *
 * A link leads to the page whose URL it is. Where there is none it leads to a
 * page of the same host whose path is equivalent: without a final ".gz",
 * "index.html", "index.htm", "/" and ".html" or ".htm", percent-decoded, with
 * its query. Pages from files have the host OFFLINE_HOST, and in them absolute
 * links to wherever the files were copied from: there the host does not matter.
 */
#ifndef DAEMON_ENGINE_INBOUND_H
#define DAEMON_ENGINE_INBOUND_H

#include <stddef.h>
#include <stdint.h>

#include "cluster/witness.h"
#include "store/record.h"
#include "store/slice.h"

struct inbound;

/*
 * For the pages of one site, by their canonical URLs, of which no reference is
 * kept. End with inbound_destroy(). O(n log n).
 */
struct inbound *inbound_create(const struct slice *urls, uint32_t page_count);

/* NULL is a no-op. */
void inbound_destroy(struct inbound *inbound);

/*
 * Add the links of the record of page `source`; each source once. Those of a
 * and area elements to other pages count, each target once, the first one.
 * O(m log n) for m links of at most MAX_URL_BYTES.
 */
void inbound_add(struct inbound *inbound, uint32_t source,
		 const struct record *record);

/*
 * The links added so far; the caller may sort them. Valid until the next
 * inbound_add().
 */
struct witness_link *inbound_links(struct inbound *inbound, size_t *count_out);

#endif
