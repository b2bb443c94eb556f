/*
 * tests/unit/crawl/server.h - a small scripted HTTP server on loopback in a
 * separate process, to test a client against good and hostile responses.
 */
#ifndef TESTS_UNIT_CRAWL_SERVER_H
#define TESTS_UNIT_CRAWL_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Answer one request on `socket`; `request` is its head. Afterwards the
 * connection is closed, unless `keeps_open`.
 */
typedef void handler(int socket, const char *request);

struct route {
	const char *path; /* the target of the request */
	handler *handler;
	int keeps_open; /* another request may follow */
	/* without a handler, send these one after another; NULL = skip */
	const char *answer;
	const char *repeated; /* `times` times */
	int times;
	const char *end;
	const char *command; /* of the shell: send its output */
};

struct server {
	pid_t pid;
	uint16_t port; /* 0 on a Unix socket */
};

/* Serve `routes` [count] on a free port of 127.0.0.1. Fails the test. */
struct server server_start(const struct route *routes, size_t count);

/* The same on the Unix socket `path`. */
struct server server_start_at(const char *path, const struct route *routes,
			      size_t count);

/* Stopping twice is a no-op. */
void server_stop(struct server *server);

/* Write all. Return false if the peer has closed the connection. */
int server_send(int socket, const void *data, size_t size);
int server_send_text(int socket, const char *text);
void server_send_output(int socket, const char *command);

#endif
