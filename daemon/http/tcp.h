/*
 * daemon/http/tcp.h - the resources of a TCP server that must be acquired
 * before the process drops its privileges and its network: a bound socket, and
 * the certificate and key of TLS.
 */
#ifndef DAEMON_HTTP_TCP_H
#define DAEMON_HTTP_TCP_H

#include "base/error.h"

struct tcp_listener {
	int file;          /* bound, not listening yet */
	char *certificate; /* PEM text, with its chain; NULL: no TLS */
	char *key;         /* PEM text; NULL: no TLS */
	char *trust; /* PEM text of the CAs for client certificates, which the
			server then requests; NULL: none */
};

/*
 * Bind a socket to `address` (runtime/tcp_address.h) and read the files, unless
 * the paths are "". ERR_MALFORMED, ERR_BUSY (the address is in use), ERR_IO;
 * the error and a remedy are logged.
 */
enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path);

/*
 * Request certificates from clients: http_is_certified() checks them against
 * the CAs in the file. Call it before a server with TLS is started on the
 * listener. ERR_IO, logged.
 */
enum error tcp_trust(struct tcp_listener *listener, const char *ca_path);

/* Close, and erase the key from memory. NULL is a no-op. */
void tcp_close(struct tcp_listener *listener);

#endif
