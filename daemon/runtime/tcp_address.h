/* daemon/runtime/tcp_address.h - parse the address to listen on for TCP. */
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
	socklen_t size;   /* of the address in use */
	bool is_loopback; /* of 127.0.0.0/8, or ::1 */
};

/*
 * Parse "127.0.0.1:8481" or "[::1]:8481": a numeric address and a port from 1
 * to 65535; no name, no zone. Return false if it is invalid.
 */
bool tcp_address_read(const char *text, struct tcp_address *address_out);

#endif
