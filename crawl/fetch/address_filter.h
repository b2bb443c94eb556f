/*
 * crawl/fetch/address_filter.h - which addresses may be connected to (promise 6
 * of the manual). Checked after DNS and before each connection, so that
 * redirects, rebinding and odd spellings of an address do not pass.
 */
#ifndef CRAWL_FETCH_ADDRESS_FILTER_H
#define CRAWL_FETCH_ADDRESS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"

struct sockaddr;

/* An address range; IPv4 is held v4-mapped. */
struct network {
	uint8_t address[16];
	uint8_t prefix; /* bits, 0..128 */
};

/* "127.0.0.0/8", "::1", "10.1.2.3": ERR_MALFORMED. */
enum error network_parse(const char *text, struct network *network_out);

/*
 * False for private, loopback, link-local, multicast, reserved and
 * documentation ranges, IPv4 and IPv6, also inside v4-mapped, NAT64 and 6to4
 * addresses, unless a network of `allowed` [count] holds the address. Pure.
 */
bool address_filter_allows(const struct sockaddr *address,
			   const struct network *allowed, size_t count);

/* As address_filter_allows() for a literal address; false when `address` is
 * none. */
bool address_filter_allows_text(const char *address,
				const struct network *allowed, size_t count);

/*
 * Whether `port` is one of `ports` [count]; with count 0: 80, 443, 8080, 8443.
 * Other ports serve other protocols, for which an HTTP request could be
 * misused. Pure.
 */
bool address_filter_allows_port(const uint16_t *ports, size_t count,
				unsigned port);

/*
 * Write the address (without its port) as text; `size` >= INET6_ADDRSTRLEN.
 */
void address_filter_format(const struct sockaddr *address, char *out,
			   size_t size);

/*
 * True when `host` (host[:port] of a URL) is itself a literal address that
 * address_filter_allows() refuses, or localhost: an operator who names it wants
 * it to be allowed.
 */
bool address_filter_is_private_name(const char *host);

#endif
