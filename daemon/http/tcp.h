/*
 * daemon/http/tcp.h - what a server over TCP needs that must be had before the
 * process gives up its privileges and its network: a bound socket, and the
 * certificate and key of TLS.
 */
#ifndef DAEMON_HTTP_TCP_H
#define DAEMON_HTTP_TCP_H

#include "store/error.h"

struct tcp_listener {
	int file;          /* bound, and nobody can connect yet */
	char *certificate; /* PEM text, with those that vouch for it; NULL: no
			      TLS */
	char *key;         /* PEM text; NULL as well */
	char *trust;       /* PEM text of those who sign the certificates of
			      clients, who are asked for one; NULL: they are not */
};

/*
 * Bind a socket to `address` (runtime/tcp_address.h) and read the files, unless
 * the paths are "". ERR_MALFORMED, ERR_BUSY (the address is taken), ERR_IO;
 * what is wrong, and what to do, is logged.
 */
enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path);

/*
 * Ask clients for a certificate: http_is_certified() says whether one has shown
 * one that those in the file have signed. Before a server is started on it,
 * which speaks TLS. ERR_IO, logged.
 */
enum error tcp_trust(struct tcp_listener *listener, const char *ca_path);

/* Close, and leave no byte of the key in memory. NULL is a no-op. */
void tcp_close(struct tcp_listener *listener);

#endif
