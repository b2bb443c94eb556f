/*
 * crawl/address_filter.h - decides which addresses the crawler may connect to
 * (promise 6 of the manual). Each address is checked after DNS resolution and
 * before a connection. So the check also covers redirects, DNS rebinding and
 * unusual spellings of an address.
 */
#ifndef CRAWL_ADDRESS_FILTER_H
#define CRAWL_ADDRESS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sockaddr;

/* An address range. IPv4 addresses are stored as v4-mapped IPv6 addresses. */
struct network {
	uint8_t address[16];
	uint8_t prefix; /* number of fixed bits, 0..128 */
};

/*
 * Parse a network or an address: "127.0.0.0/8", "::1" or "10.1.2.3".
 * ERR_MALFORMED if it is invalid.
 */
enum error network_parse(const char *text, struct network *network_out);

/*
 * Return whether the crawler may connect to the address: it is public, or in
 * one of the networks `allowed` [count]. Private, loopback, link-local,
 * multicast, reserved and documentation ranges are not public, also inside
 * v4-mapped, NAT64 and 6to4 addresses. Pure.
 */
bool address_filter_allows(const struct sockaddr *address,
			   const struct network *allowed, size_t count);

/*
 * Return address_filter_allows() for an address written as text. Return false
 * if `address` is not an address.
 */
bool address_filter_allows_text(const char *address,
				const struct network *allowed, size_t count);

/*
 * Return whether `port` is one of `ports` [count]; if count is 0, one of 80,
 * 443, 8080 and 8443. Servers use other ports for other protocols. Pure.
 */
bool address_filter_allows_port(const uint16_t *ports, size_t count,
				unsigned port);

/*
 * Write the address without its port to `out`. `size` must be at least
 * INET6_ADDRSTRLEN.
 */
void address_filter_format(const struct sockaddr *address, char *out,
			   size_t size);

/*
 * Return whether `host` (the host[:port] of a URL) is localhost, or an address
 * that address_filter_allows() does not allow.
 */
bool address_filter_is_private_name(const char *host);

#endif
