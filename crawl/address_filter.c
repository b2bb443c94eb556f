#include "crawl/address_filter.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { V4_BITS = 96, ADDRESS_BITS = 128 };

/* A network of IPv4 addresses, written as v4-mapped IPv6 addresses. */
#define V4(a, b, c, d, bits)                                               \
	{                                                                  \
		.address = {[10] = 0xff, [11] = 0xff, (a), (b), (c), (d)}, \
		.prefix = V4_BITS + (bits)                                 \
	}

/*
 * A network of IPv6 addresses. The arguments after `bits` are the first bytes;
 * the other bytes are zero.
 */
#define V6(bits, ...)                                      \
	{                                                  \
		.address = {__VA_ARGS__}, .prefix = (bits) \
	}

/*
 * Networks outside of the public internet: the special-purpose registries of
 * IANA (RFC 6890), multicast and other reserved ranges.
 */
static const struct network forbidden[] = {
	V4(0, 0, 0, 0, 8),       /* this network */
	V4(10, 0, 0, 0, 8),      /* private */
	V4(100, 64, 0, 0, 10),   /* shared, carrier-grade NAT */
	V4(127, 0, 0, 0, 8),     /* loopback */
	V4(169, 254, 0, 0, 16),  /* link-local, cloud metadata */
	V4(172, 16, 0, 0, 12),   /* private */
	V4(192, 0, 0, 0, 24),    /* protocol assignments */
	V4(192, 0, 2, 0, 24),    /* documentation */
	V4(192, 88, 99, 0, 24),  /* 6to4 relays, withdrawn */
	V4(192, 168, 0, 0, 16),  /* private */
	V4(198, 18, 0, 0, 15),   /* benchmarks */
	V4(198, 51, 100, 0, 24), /* documentation */
	V4(203, 0, 113, 0, 24),  /* documentation */
	V4(224, 0, 0, 0, 4),     /* multicast */
	V4(240, 0, 0, 0, 4),     /* reserved, broadcast */
	V6(96, 0),               /* unspecified, loopback, v4-compatible */
	V6(48, 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01), /* NAT64, local use */
	V6(63, 0x01, 0x00),             /* discard-only, and the dummy prefix */
	V6(23, 0x20, 0x01, 0x00),       /* protocol assignments: Teredo,
							   benchmarks, ORCHID... */
	V6(32, 0x20, 0x01, 0x0d, 0xb8), /* documentation */
	V6(20, 0x3f, 0xff, 0x00),       /* documentation */
	V6(16, 0x5f, 0x00),             /* segment routing */
	V6(7, 0xfc),                    /* unique local */
	V6(10, 0xfe, 0x80),             /* link-local */
	V6(10, 0xfe, 0xc0),             /* site-local, withdrawn */
	V6(8, 0xff),                    /* multicast */
};

/* Networks whose addresses contain an IPv4 address, at this offset. */
static const struct {
	struct network network;
	size_t offset;
} carriers[] = {
	{V6(96, 0x00, 0x64, 0xff, 0x9b), 12}, /* NAT64, RFC 6052 */
	{V6(96, [8] = 0xff, 0xff), 12},       /* translated, RFC 2765 */
	{V6(16, 0x20, 0x02), 2},              /* 6to4, RFC 3056 */
};

static bool network_contains(const struct network *network,
			     const uint8_t address[16])
{
	size_t bytes = network->prefix / 8;
	unsigned rest = network->prefix % 8;
	unsigned mask = 0xff00U >> rest & 0xffU;

	if (memcmp(network->address, address, bytes) != 0)
		return false;
	return rest == 0 ||
	       ((network->address[bytes] ^ address[bytes]) & mask) == 0;
}

static bool networks_contain(const struct network *networks, size_t count,
			     const uint8_t address[16])
{
	for (size_t i = 0; i < count; i++)
		if (network_contains(&networks[i], address))
			return true;
	return false;
}

static void map_v4(const void *v4, uint8_t address_out[16])
{
	memset(address_out, 0, 10);
	memset(address_out + 10, 0xff, 2);
	memcpy(address_out + 12, v4, 4);
}

/*
 * If the address contains an IPv4 address, replace it by that address in
 * v4-mapped form and return true.
 */
static bool address_unwrap(uint8_t address[16])
{
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		uint8_t v4[4];

		if (!network_contains(&carriers[i].network, address))
			continue;
		memcpy(v4, address + carriers[i].offset, sizeof(v4));
		map_v4(v4, address);
		return true;
	}
	return false;
}

/*
 * Write the address in IPv6 form to bytes_out. Return false if its family is
 * not IPv4 or IPv6.
 */
static bool address_from_sockaddr(const struct sockaddr *address,
				  uint8_t bytes_out[16])
{
	if (address->sa_family == AF_INET) {
		struct sockaddr_in v4;

		memcpy(&v4, address, sizeof(v4));
		map_v4(&v4.sin_addr, bytes_out);
		return true;
	}
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 v6;

		memcpy(&v6, address, sizeof(v6));
		memcpy(bytes_out, &v6.sin6_addr, 16);
		return true;
	}
	return false;
}

/*
 * Parse an IPv4 or IPv6 address without a port. Return false if the text is no
 * address.
 */
static bool parse_address(const char *text, uint8_t bytes_out[16], bool *is_v4)
{
	uint8_t v4[4];

	*is_v4 = inet_pton(AF_INET, text, v4) == 1;
	if (*is_v4)
		map_v4(v4, bytes_out);
	return *is_v4 || inet_pton(AF_INET6, text, bytes_out) == 1;
}

static bool address_is_allowed(uint8_t bytes[16], const struct network *allowed,
			       size_t count)
{
	do {
		if (networks_contain(allowed, count, bytes))
			return true;
		if (networks_contain(forbidden,
				     sizeof(forbidden) / sizeof(forbidden[0]),
				     bytes))
			return false;
	} while (address_unwrap(
		bytes)); /* an IPv4 address contains no other address */
	return true;
}

bool address_filter_allows(const struct sockaddr *address,
			   const struct network *allowed, size_t count)
{
	uint8_t bytes[16];

	return address_from_sockaddr(address, bytes) &&
	       address_is_allowed(bytes, allowed, count);
}

bool address_filter_allows_text(const char *address,
				const struct network *allowed, size_t count)
{
	uint8_t bytes[16];
	bool is_v4;

	return parse_address(address, bytes, &is_v4) &&
	       address_is_allowed(bytes, allowed, count);
}

bool address_filter_allows_port(const uint16_t *ports, size_t count,
				unsigned port)
{
	static const uint16_t usual[] = {80, 443, 8080, 8443};

	if (count == 0) {
		ports = usual;
		count = sizeof(usual) / sizeof(usual[0]);
	}
	for (size_t i = 0; i < count; i++)
		if (ports[i] == port)
			return true;
	return false;
}

void address_filter_format(const struct sockaddr *address, char *out,
			   size_t size)
{
	uint8_t bytes[16];
	bool is_v4 = address->sa_family == AF_INET;

	if (!address_from_sockaddr(address, bytes) ||
	    inet_ntop(address->sa_family, is_v4 ? bytes + 12 : bytes, out,
		      (socklen_t)size) == NULL)
		snprintf(out, size, "address family %d", address->sa_family);
}

/*
 * Parse a number of one to three digits. Return -1 if it is invalid or over
 * `max`.
 */
static int parse_bits(const char *text, int max)
{
	size_t length = strspn(text, "0123456789");
	long bits;

	if (length == 0 || length > 3 || text[length] != '\0')
		return -1;
	bits = strtol(text, NULL, 10);
	return bits > max ? -1 : (int)bits;
}

enum error network_parse(const char *text, struct network *network_out)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
	struct network network;
	bool is_v4;
	int bits;

	if (length >= sizeof(address))
		return ERR_MALFORMED;
	memcpy(address, text, length);
	address[length] = '\0';
	if (!parse_address(address, network.address, &is_v4))
		return ERR_MALFORMED;
	bits = is_v4 ? ADDRESS_BITS - V4_BITS : ADDRESS_BITS;
	if (slash != NULL)
		bits = parse_bits(slash + 1, bits);
	if (bits < 0)
		return ERR_MALFORMED;
	network.prefix = (uint8_t)(is_v4 ? V4_BITS + bits : bits);
	*network_out = network;
	return ERR_NONE;
}

/*
 * Return whether the name is "localhost" or ends in ".localhost" (RFC 6761,
 * 6.3).
 */
static bool is_localhost(const char *name, size_t length)
{
	static const char localhost[] = "localhost";
	size_t size = sizeof(localhost) - 1;

	if (length < size ||
	    strncasecmp(name + length - size, localhost, size) != 0)
		return false;
	return length == size || name[length - size - 1] == '.';
}

bool address_filter_is_private_name(const char *host)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t address[16];
	bool is_v4;
	bool is_v6 = host[0] == '[';
	const char *begin = is_v6 ? host + 1 : host;
	size_t length = strcspn(begin, is_v6 ? "]" : ":");

	if (!is_v6 && is_localhost(begin, length))
		return true;
	if (length >= sizeof(text))
		return false;
	memcpy(text, begin, length);
	text[length] = '\0';
	return parse_address(text, address, &is_v4) &&
	       !address_is_allowed(address, NULL, 0);
}
