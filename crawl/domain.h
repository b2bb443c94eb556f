/*
 * crawl/domain.h - the registrable domain of a host (public suffix list).
 */
#ifndef CRAWL_DOMAIN_H
#define CRAWL_DOMAIN_H

#include "base/buffer.h"

/*
 * Return the registrable domain of `host` (canonical, with or without a port):
 * example.co.uk for www.example.co.uk. Return the whole host without port for
 * addresses, single labels and public suffixes. The result points into `host`.
 */
struct slice domain_registrable(struct slice host);

/*
 * Return the version of the public suffix list in this program; static memory.
 * With another list a host may have another domain.
 */
const char *domain_list(void);

#endif
