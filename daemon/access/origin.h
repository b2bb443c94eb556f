/*
 * daemon/access/origin.h - which page of which site has a browser ask: what
 * keeps the pages of others out. Pure functions of headers.
 */
#ifndef DAEMON_ACCESS_ORIGIN_H
#define DAEMON_ACCESS_ORIGIN_H

#include <stdbool.h>

/*
 * Does a Host header mean us? It is an address, localhost, or one of `names`
 * ("a.example, b.example"), with or without a port; letters of any case. No
 * other name is: its owner may point it at us, and then the browser takes our
 * answers for theirs (DNS rebinding). An address cannot be pointed. NULL: no.
 */
bool origin_is_host_ours(const char *host, const char *names);

/*
 * Is `origin` (an Origin header) that of the pages which this `host` serves? By
 * TLS its scheme must be https; without it may be, as we may be behind a proxy.
 * "null" never is.
 */
bool origin_is_own(const char *origin, const char *host, bool is_encrypted);

/*
 * Does a Sec-Fetch-Site header, or none (NULL), say that a page of ours asks,
 * or the user? Pages of another port of this host are "same-site", and send our
 * cookies.
 */
bool origin_may_use_cookie(const char *fetch_site);

#endif
