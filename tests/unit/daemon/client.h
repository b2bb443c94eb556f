/*
 * tests/unit/daemon/client.h - a client of a Unix socket that may misbehave:
 * bytes out, bytes in.
 */
#ifndef TESTS_UNIT_DAEMON_CLIENT_H
#define TESTS_UNIT_DAEMON_CLIENT_H

#include <stddef.h>

#include "base/buffer.h"

/* Connect; fails the test when nobody listens. close() it. */
int client_open(const char *socket_path);

/* Send the text; false when the other side has closed. */
int test_client_send(int file, const char *text);

/* Everything until the other side closes, with a NUL behind; buffer_free(). */
struct buffer test_client_receive(int file);

/*
 * One request on a connection of its own: the whole answer, head and body. The
 * body may be NULL.
 */
struct buffer test_client_ask(const char *socket_path, const char *method,
			      const char *target, const char *body);

/* The status in an answer; 0 when it is none. */
int client_status(const struct buffer *answer);

/* The body of an answer, in it; "" when there is none. */
const char *client_body(const struct buffer *answer);

#endif
