/*
 * crawl/url/address.h - hosts that are addresses, in all spellings that
 * resolvers know, in the one of the WHATWG URL standard (3.5).
 */
#ifndef CRAWL_URL_ADDRESS_H
#define CRAWL_URL_ADDRESS_H

#include <stdbool.h>

#include "crawl/url/percent.h"
#include "store/error.h"

/*
 * Does the last label of `host`, a name in lower case, read as a number? Such a
 * host is an IPv4 address or nothing, since resolvers take it for one (ends in
 * a number checker).
 */
bool address_is_ipv4(struct slice host);

/*
 * Write it as a dotted quad: 1 to 4 numbers, decimal, octal or hexadecimal, the
 * last one filling what is left (IPv4 parser). ERR_MALFORMED.
 */
enum error address_put_ipv4(struct slice host, struct bounded *out);

/*
 * Write the IPv6 address, without its brackets, compressed and in brackets; no
 * zone. ERR_MALFORMED.
 */
enum error address_put_ipv6(struct slice text, struct bounded *out);

#endif
