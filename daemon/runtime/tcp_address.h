/* daemon/runtime/tcp_address.h - parse the address for listening on TCP. */
#ifndef DAEMON_RUNTIME_TCP_ADDRESS_H
#define DAEMON_RUNTIME_TCP_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

struct tcp_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} socket;
	socklen_t size;   /* size of the member of `socket` that is used */
	bool is_loopback; /* the address is in 127.0.0.0/8 or is ::1 */
};

/*
 * Parse a numeric address and a port from 1 to 65535, such as "127.0.0.1:8481"
 * or "[::1]:8481". Host names and zones are not allowed. Return false if the
 * text is invalid.
 */
bool tcp_address_read(const char *text, struct tcp_address *address_out);

#endif
