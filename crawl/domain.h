/*
 * crawl/domain.h - finds the registrable domain of a host, by the public suffix
 * list.
 */
#ifndef CRAWL_DOMAIN_H
#define CRAWL_DOMAIN_H

#include "base/buffer.h"

/*
 * Return the registrable domain of `host`, which must be canonical and may have
 * a port. For example, the domain of www.example.co.uk is example.co.uk. If the
 * host is an address, a single label or a public suffix, return the whole host
 * without port. The result points into `host`.
 */
struct slice domain_registrable(struct slice host);

/*
 * Return the version of the public suffix list that this program uses; static
 * memory. With another version a host may have another domain.
 */
const char *domain_list(void);

#endif
