/*
 * daemon/http/origin.h - rules that reject requests which pages of other
 * sites make a browser send. Pure functions of headers.
 */
#ifndef DAEMON_HTTP_ORIGIN_H
#define DAEMON_HTTP_ORIGIN_H

#include <stdbool.h>

/*
 * Return whether a Host header names this daemon: an IP address, localhost, or
 * one of `names` ("a.example, b.example"), with or without a port,
 * case-insensitive. Other names are rejected: their owner may resolve them to
 * this daemon, and then the browser takes its responses for the owner's (DNS
 * rebinding); an address cannot be resolved elsewhere. NULL: false.
 */
bool origin_is_host_ours(const char *host, const char *names);

/*
 * Return whether `origin` (an Origin header) is the origin of the pages under
 * this `host`. With TLS its scheme must be https; without TLS it may be https,
 * because a proxy may be in front of the daemon. "null" is always false.
 */
bool origin_is_own(const char *origin, const char *host, bool is_encrypted);

/*
 * Return whether a Sec-Fetch-Site header, or none (NULL), allows the cookie:
 * the user or a page of this origin sent the request. Pages of another port of
 * this host are "same-site", and browsers send them the same cookies.
 */
bool origin_may_use_cookie(const char *fetch_site);

#endif
