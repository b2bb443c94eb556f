/*
 * tests/unit/daemon/client.h - a client of a Unix socket that may misbehave:
 * bytes out, bytes in.
 */
#ifndef TESTS_UNIT_DAEMON_CLIENT_H
#define TESTS_UNIT_DAEMON_CLIENT_H

#include <stddef.h>

#include "base/buffer.h"

/* Connect; fail the test if there is no listener. close() it. */
int client_open(const char *socket_path);

/* Send the text; false when the other side has closed. */
int test_client_send(int file, const char *text);

/* Everything until the other side closes, with a NUL behind; buffer_free(). */
struct buffer test_client_receive(int file);

/*
 * Send one request on a new connection. Return the whole response, head and
 * body. The body may be NULL.
 */
struct buffer test_client_ask(const char *socket_path, const char *method,
			      const char *target, const char *body);

/* Return the status of a response; 0 if it is malformed. */
int client_status(const struct buffer *answer);

/* Return the body inside a response; "" if it has none. */
const char *client_body(const struct buffer *answer);

#endif
