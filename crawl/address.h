/*
 * crawl/address.h - hosts that are addresses, in all spellings that
 * resolvers accept, normalised as in the WHATWG URL standard (3.5).
 */
#ifndef CRAWL_ADDRESS_H
#define CRAWL_ADDRESS_H

#include <stdbool.h>

#include "base/error.h"
#include "crawl/percent.h"

/*
 * Return whether the last label of `host`, a name in lower case, is a number.
 * Such a host must be an IPv4 address, because resolvers read it as one (ends
 * in a number checker).
 */
bool address_is_ipv4(struct slice host);

/*
 * Write the host as a dotted quad. It has 1 to 4 numbers, decimal, octal or
 * hexadecimal; the last one fills the rest (IPv4 parser). ERR_MALFORMED.
 */
enum error address_put_ipv4(struct slice host, struct bounded *out);

/*
 * Write the IPv6 address, passed without brackets and without a zone,
 * compressed and in brackets. ERR_MALFORMED.
 */
enum error address_put_ipv6(struct slice text, struct bounded *out);

#endif
