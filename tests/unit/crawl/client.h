/*
 * tests/unit/crawl/client.h - a fetcher and the server that it is tested
 * against.
 */
#ifndef TESTS_UNIT_CRAWL_CLIENT_H
#define TESTS_UNIT_CRAWL_CLIENT_H

#include "crawl/fetch.h"
#include "tests/unit/crawl/server.h"

enum { CLIENT_MAX_BODY = 100000 };

#define OK_HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

struct client {
	struct server server;
	uint16_t ports[3]; /* that are open: the server's, 80 and 443 */
	struct fetch_options options;
	struct fetcher *fetcher;
	struct fetch_result result; /* the last one */
};

/*
 * Put this process into an isolated network with only loopback: packets that a
 * broken filter passes arrive nowhere. client_can_isolate() reports in advance
 * whether the system allows this, and prints if not.
 */
bool client_can_isolate(void);
void client_isolate(void);

/* Start a server with these routes, and a fetcher with options for a test. */
void client_open(struct client *client, const struct route *routes,
		 size_t count);
void client_close(struct client *client);

/* Create another fetcher, with the current options. */
void client_renew(struct client *client);

/* A URL of the server. */
struct url client_url(const struct client *client, const char *path);

/* Start a plain request, and do not wait for it. */
void client_begin(struct client *client, const struct url *url,
		  bool is_private_ok, void *context);

/* Make the request and wait for its result. */
void client_send(struct client *client, struct fetch_request request);

/* The same for a URL of the server; the filter is open. */
void client_ask(struct client *client, const char *path,
		struct fetch_request request);

/* The same, with the default request. */
void client_fetch(struct client *client, const char *path);

/* The result is a body, an error, or the first bytes of a body. */
void client_check_body(const struct client *client, const char *text);
void client_check_error(const struct client *client, enum error error);
void client_check_cut(const struct client *client, size_t size, bool is_broken);

#endif
