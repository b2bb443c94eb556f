/* crawl/url/domain.h - the registrable domain of a host (public suffix list).
 */
#ifndef CRAWL_URL_DOMAIN_H
#define CRAWL_URL_DOMAIN_H

#include "store/slice.h"

/*
 * The registrable domain of `host` (canonical, with or without a port):
 * example.co.uk of www.example.co.uk. The whole host without port for addresses
 * and single labels; for a public suffix itself, too. Points into `host`.
 */
struct slice domain_registrable(struct slice host);

/* Which list of public suffixes this program has; static memory. By another one
 * a host may have another domain. */
const char *domain_list(void);

#endif
