#include "daemon/runtime/tcp_address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

enum { MAX_HOST = INET6_ADDRSTRLEN, MAX_PORT_DIGITS = 5, LOOPBACK_NET = 127 };

/* Return the port number in the text; 0 if it is invalid. */
static uint16_t read_port(const char *text)
{
	size_t length = strlen(text);
	unsigned port = 0;

	if (length == 0 || length > MAX_PORT_DIGITS ||
	    strspn(text, "0123456789") != length)
		return 0;
	for (const char *c = text; *c != '\0'; c++)
		port = port * 10 + (unsigned)(*c - '0');
	return port > UINT16_MAX ? 0 : (uint16_t)port;
}

static bool set_v4(const char *host, uint16_t port, struct tcp_address *address)
{
	struct sockaddr_in *v4 = &address->socket.v4;

	*v4 = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_port = htons(port)};
	address->size = sizeof(*v4);
	if (inet_pton(AF_INET, host, &v4->sin_addr) != 1)
		return false;
	address->is_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == LOOPBACK_NET;
	return true;
}

static bool set_v6(const char *host, uint16_t port, struct tcp_address *address)
{
	struct sockaddr_in6 *v6 = &address->socket.v6;

	*v6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
				    .sin6_port = htons(port)};
	address->size = sizeof(*v6);
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) != 1)
		return false;
	address->is_loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return true;
}

bool tcp_address_read(const char *text, struct tcp_address *address_out)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon == NULL ? 0 : (size_t)(colon - text);
	uint16_t port = colon == NULL ? 0 : read_port(colon + 1);
	char host[MAX_HOST] = "";

	*address_out = (struct tcp_address){.size = 0};
	if (port == 0 || length < 2 || length - 2 >= sizeof(host))
		return false;
	if (text[0] == '[' && text[length - 1] == ']') {
		memcpy(host, text + 1, length - 2);
		return set_v6(host, port, address_out);
	}
	if (length >= sizeof(host))
		return false;
	memcpy(host, text, length);
	return set_v4(host, port, address_out);
}
