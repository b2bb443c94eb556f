/*
 * tests/unit/crawl/tls_server.h - nginx with TLS and HTTP/2, and the authority
 * that has signed its certificates, all made for this run.
 */
#ifndef TESTS_UNIT_CRAWL_TLS_SERVER_H
#define TESTS_UNIT_CRAWL_TLS_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tls_server {
	char folder[64];
	char ca_file[96];
	uint16_t port;         /* certificate of localhost */
	uint16_t expired_port; /* the same, but out of date */
	pid_t pid;
};

/* Are openssl and nginx here? Prints when not. */
bool tls_server_is_possible(void);

/* /: "hello"; /connection: its number; /long: "x" 4000 times, packed. */
void tls_server_start(struct tls_server *server);
void tls_server_stop(struct tls_server *server);

#endif
