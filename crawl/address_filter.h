/*
 * crawl/address_filter.h - decide which addresses a connection may use
 * (promise 6 of the manual). The check runs after DNS and before each
 * connection, so that it also covers redirects, DNS rebinding and unusual
 * spellings of an address.
 */
#ifndef CRAWL_ADDRESS_FILTER_H
#define CRAWL_ADDRESS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sockaddr;

/* An address range; IPv4 is stored v4-mapped. */
struct network {
	uint8_t address[16];
	uint8_t prefix; /* bits, 0..128 */
};

/* Parse "127.0.0.0/8", "::1" or "10.1.2.3". ERR_MALFORMED if it is invalid. */
enum error network_parse(const char *text, struct network *network_out);

/*
 * Return false for private, loopback, link-local, multicast, reserved and
 * documentation ranges, also inside v4-mapped, NAT64 and 6to4 addresses, unless
 * a network of `allowed` [count] contains the address. Pure.
 */
bool address_filter_allows(const struct sockaddr *address,
			   const struct network *allowed, size_t count);

/* The same for a literal address; false if `address` is not one. */
bool address_filter_allows_text(const char *address,
				const struct network *allowed, size_t count);

/*
 * Return whether `port` is one of `ports` [count]; with count 0: 80, 443, 8080,
 * 8443. Other ports serve other protocols. Pure.
 */
bool address_filter_allows_port(const uint16_t *ports, size_t count,
				unsigned port);

/* Write the address without its port; `size` >= INET6_ADDRSTRLEN. */
void address_filter_format(const struct sockaddr *address, char *out,
			   size_t size);

/*
 * Return whether `host` (host[:port] of a URL) is a literal address that
 * address_filter_allows() refuses, or localhost.
 */
bool address_filter_is_private_name(const char *host);

#endif
