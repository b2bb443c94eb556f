#include "daemon/ctl/browser_proxy.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"

/* The headers on which the decision about a request depends. */
struct known_headers {
	struct slice host;
	struct slice origin;
	struct slice site; /* Sec-Fetch-Site */
	struct slice cookie;
	struct slice length;
	bool is_chunked;
};

struct proxy_request_parser {
	struct slice method;
	struct slice target;
	struct known_headers known;
	struct buffer *forwarded; /* the head to send to the daemon */
};

static const struct {
	unsigned status;
	const char *phrase;
} phrases[] = {
	{400, "Bad Request"},
	{403, "Forbidden"},
	{405, "Method Not Allowed"},
	{411, "Length Required"},
	{413, "Content Too Large"},
	{421, "Misdirected Request"},
	{431, "Request Header Fields Too Large"},
	{502, "Bad Gateway"},
};

void browser_proxy_write_error(struct buffer *out, unsigned status,
			       const char *reason)
{
	const char *phrase = "Error";

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (phrases[i].status == status)
			phrase = phrases[i].phrase;
	buffer_printf(out,
		      "HTTP/1.1 %u %s\r\nContent-Type: text/plain\r\n"
		      "Content-Length: %zu\r\nX-Content-Type-Options: "
		      "nosniff\r\nCache-Control: no-store\r\nConnection: "
		      "close\r\n\r\n%s\n",
		      status, phrase, strlen(reason) + 1, reason);
}

static void proxy_request_reject(struct browser_proxy_request *request,
				 unsigned status, const char *reason)
{
	request->verdict = BROWSER_PROXY_REFUSE;
	buffer_clear(&request->head);
	browser_proxy_write_error(&request->head, status, reason);
}

static bool proxy_text_equals_nocase(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       strncasecmp(text.data, word, text.size) == 0;
}

static bool proxy_text_equals(struct slice text, const char *word)
{
	return slice_equal(text, slice_of(word));
}

/*
 * Move the part of *rest before the first `end` to *out, and skip `end`. Return
 * false if there is no `end`.
 */
static bool proxy_text_split(struct slice *rest, const char *end,
			     struct slice *out)
{
	const char *found = rest->size == 0 ? NULL
					    : memmem(rest->data, rest->size,
						     end, strlen(end));
	size_t size;

	if (found == NULL)
		return false;
	size = (size_t)(found - (const char *)rest->data);
	*out = (struct slice){rest->data, size};
	size += strlen(end);
	*rest = (struct slice){(const char *)rest->data + size,
			       rest->size - size};
	return true;
}

/*
 * Return whether the text consists of visible ASCII characters. If it is the
 * value of a header, spaces, tabs and bytes above ASCII are allowed, too.
 */
static bool is_clean(struct slice text, bool is_value)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)slice_byte(text, i);
		bool is_loose = byte == ' ' || byte == '\t' || byte >= 0x80;

		if (byte == 0x7f || (byte <= ' ' && !is_loose) ||
		    (is_loose && !is_value))
			return false;
	}
	return true;
}

static struct slice proxy_text_trim(struct slice text)
{
	const char *at = text.data;

	while (text.size > 0 && (*at == ' ' || *at == '\t')) {
		at++;
		text.size--;
	}
	while (text.size > 0 &&
	       (at[text.size - 1] == ' ' || at[text.size - 1] == '\t'))
		text.size--;
	return (struct slice){at, text.size};
}

static bool read_request_line(struct slice line,
			      struct proxy_request_parser *reading)
{
	return proxy_text_split(&line, " ", &reading->method) &&
	       proxy_text_split(&line, " ", &reading->target) &&
	       proxy_text_equals(line, "HTTP/1.1") &&
	       is_clean(reading->method, false) &&
	       is_clean(reading->target, false) &&
	       slice_byte(reading->target, 0) == '/';
}

/*
 * Return whether the header is not forwarded, because it concerns only one
 * connection or is for this proxy.
 */
static bool proxy_header_is_dropped(struct slice name)
{
	static const char *const dropped[] = {
		"connection", "keep-alive",    "upgrade",
		"te",         "trailer",       "expect",
		"cookie",     "authorization", "forwarded",
	};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (proxy_text_equals_nocase(name, dropped[i]))
			return true;
	return name.size > 6 && strncasecmp(name.data, "proxy-", 6) == 0;
}

/*
 * Store a header on which the decision depends. Return false if it occurs
 * twice.
 */
static bool keep_known(struct known_headers *known, struct slice name,
		       struct slice value)
{
	const struct {
		const char *name;
		struct slice *value;
	} headers[] = {
		{"host", &known->host},
		{"origin", &known->origin},
		{"sec-fetch-site", &known->site},
		{"cookie", &known->cookie},
		{"content-length", &known->length},
	};

	known->is_chunked |=
		proxy_text_equals_nocase(name, "transfer-encoding");
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (proxy_text_equals_nocase(name, headers[i].name)) {
			if (headers[i].value->data != NULL)
				return false;
			*headers[i].value = value;
		}
	return true;
}

static bool proxy_request_read_header(struct slice line,
				      struct proxy_request_parser *reading)
{
	struct slice rest = line;
	struct slice name;
	struct slice value;

	/*
	 * the first check also rejects continuation lines, which begin with a
	 * space
	 */
	if (!proxy_text_split(&rest, ":", &name) || name.size == 0 ||
	    !is_clean(name, false))
		return false;
	value = proxy_text_trim(rest);
	if (!is_clean(value, true) || !keep_known(&reading->known, name, value))
		return false;
	if (proxy_header_is_dropped(name))
		return true;
	buffer_append_slice(reading->forwarded, name);
	buffer_append_text(reading->forwarded, ": ");
	buffer_append_slice(reading->forwarded, value);
	buffer_append_text(reading->forwarded, "\r\n");
	return true;
}

static bool proxy_request_read_head(struct slice head,
				    struct proxy_request_parser *reading)
{
	struct slice line;

	if (!proxy_text_split(&head, "\r\n", &line) ||
	    !read_request_line(line, reading))
		return false;
	buffer_append_slice(reading->forwarded, line);
	buffer_append_text(reading->forwarded, "\r\n");
	while (proxy_text_split(&head, "\r\n", &line)) {
		if (line.size == 0)
			return head.size == 0;
		if (!proxy_request_read_header(line, reading))
			return false;
	}
	return false;
}

/*
 * Return whether `given` is the key. The time does not depend on the position
 * of the first difference.
 */
static bool is_key(struct slice given, const char *key)
{
	unsigned char difference = 0;

	if (given.size != BROWSER_PROXY_KEY_CHARACTERS)
		return false;
	for (size_t i = 0; i < given.size; i++)
		difference |= (unsigned char)(slice_byte(given, i) ^ key[i]);
	return difference == 0;
}

/*
 * Return whether the cookies contain the session key. The name of the cookie
 * contains the port, because browsers send a cookie to all ports of a host.
 */
static bool has_session(const struct browser_proxy_keys *keys,
			struct slice cookies)
{
	char name[32];
	bool is_last = false;

	snprintf(name, sizeof(name), "templated-%u", keys->port);
	while (!is_last) {
		struct slice cookie = cookies;
		struct slice key;

		is_last = !proxy_text_split(&cookies, ";", &cookie);
		cookie = proxy_text_trim(cookie);
		if (proxy_text_split(&cookie, "=", &key) &&
		    proxy_text_equals(key, name) &&
		    is_key(cookie, keys->session))
			return true;
	}
	return false;
}

static bool is_our_host(const struct browser_proxy_keys *keys,
			struct slice host)
{
	char ours[32];

	snprintf(ours, sizeof(ours), "127.0.0.1:%u", keys->port);
	if (proxy_text_equals(host, ours))
		return true;
	snprintf(ours, sizeof(ours), "localhost:%u", keys->port);
	return proxy_text_equals_nocase(host, ours);
}

static bool is_our_origin(struct slice origin, struct slice host)
{
	const char *bytes = origin.data;

	return origin.size == host.size + 7 &&
	       memcmp(bytes, "http://", 7) == 0 &&
	       memcmp(bytes + 7, host.data, host.size) == 0;
}

static bool read_length(struct slice text, uint64_t *bytes_out)
{
	*bytes_out = 0;
	for (size_t i = 0; i < text.size; i++) {
		char digit = slice_byte(text, i);

		if (!isdigit((unsigned char)digit) || i >= 12)
			return false;
		*bytes_out = *bytes_out * 10 + (uint64_t)(digit - '0');
	}
	return text.data == NULL || text.size > 0;
}

/* Log in a browser that has the token, once. */
static void proxy_request_log_in(struct browser_proxy_keys *keys,
				 struct slice token, uint64_t now_ms,
				 struct browser_proxy_request *request)
{
	const char *reason = NULL;

	if (keys->is_used)
		reason = "This address was already used and is invalid. If "
			 "that was not you, stop templatectl ui.";
	else if (!is_key(token, keys->token))
		reason = "This is not the address that templatectl ui printed.";
	else if (now_ms >= keys->until_ms)
		reason = "This address was not used in time and is invalid. "
			 "Start templatectl ui again.";
	if (reason != NULL) {
		proxy_request_reject(request, 403, reason);
		return;
	}
	keys->is_used = true;
	request->verdict = BROWSER_PROXY_ENTER;
	buffer_clear(&request->head);
	buffer_printf(&request->head,
		      "HTTP/1.1 303 See Other\r\nLocation: /\r\n"
		      "Set-Cookie: templated-%u=%s; Path=/; HttpOnly; "
		      "SameSite=Strict\r\nContent-Length: 0\r\n"
		      "Referrer-Policy: no-referrer\r\n"
		      "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
		      keys->port, keys->session);
}

static bool is_reading(struct slice method)
{
	return proxy_text_equals(method, "GET") ||
	       proxy_text_equals(method, "HEAD");
}

static const char *
proxy_request_check(const struct browser_proxy_keys *keys,
		    const struct proxy_request_parser *reading)
{
	const struct known_headers *known = &reading->known;

	if (!has_session(keys, known->cookie))
		return "Open the address that templatectl ui printed.";
	if (known->site.data != NULL &&
	    !proxy_text_equals(known->site, "same-origin") &&
	    !proxy_text_equals(known->site, "none"))
		return "A page of another site sent this request.";
	if (!is_reading(reading->method) &&
	    !is_our_origin(known->origin, known->host))
		return "This request does not come from a page of this daemon.";
	return NULL;
}

static void proxy_request_decide(struct browser_proxy_keys *keys,
				 const struct proxy_request_parser *reading,
				 uint64_t now_ms,
				 struct browser_proxy_request *request)
{
	static const char entrance[] = "/?token=";
	const struct known_headers *known = &reading->known;
	const char *reason;

	if (!is_our_host(keys, known->host)) {
		proxy_request_reject(request, 421,
				     "The Host is not a name of this proxy.");
		return;
	}
	if (proxy_text_equals(reading->method, "GET") &&
	    reading->target.size >= sizeof(entrance) - 1 &&
	    memcmp(reading->target.data, entrance, sizeof(entrance) - 1) == 0) {
		proxy_request_log_in(
			keys,
			(struct slice){(const char *)reading->target.data +
					       sizeof(entrance) - 1,
				       reading->target.size -
					       (sizeof(entrance) - 1)},
			now_ms, request);
		return;
	}
	reason = proxy_request_check(keys, reading);
	if (reason != NULL)
		proxy_request_reject(request, 403, reason);
	else if (known->is_chunked)
		proxy_request_reject(request, 411,
				     "A body needs a Content-Length.");
	else if (!read_length(known->length, &request->body_bytes))
		proxy_request_reject(request, 400,
				     "The Content-Length is invalid.");
	else if (request->body_bytes > BROWSER_PROXY_MAX_BODY)
		proxy_request_reject(request, 413, "The body is too large.");
	else
		buffer_append_text(&request->head, "Connection: close\r\n\r\n");
}

void browser_proxy_decide(struct browser_proxy_keys *keys, struct slice head,
			  uint64_t now_ms,
			  struct browser_proxy_request *request_out)
{
	struct proxy_request_parser reading = {.forwarded = &request_out->head};

	*request_out = (struct browser_proxy_request){
		.verdict = BROWSER_PROXY_FORWARD};
	if (!proxy_request_read_head(head, &reading))
		proxy_request_reject(request_out, 400,
				     "The request is malformed.");
	else if (!is_reading(reading.method) &&
		 !proxy_text_equals(reading.method, "POST") &&
		 !proxy_text_equals(reading.method, "DELETE"))
		proxy_request_reject(
			request_out, 405,
			"Only GET, HEAD, POST and DELETE are allowed.");
	else
		proxy_request_decide(keys, &reading, now_ms, request_out);
}

enum {
	CONNECTIONS = 64,
	CHUNK_BYTES = 64 << 10,
	HEAD_MS = 10000, /* time until the head must arrive; long, because
			    browsers open connections before they need them */
	LINGER_MS = 2000,
};

enum side { BROWSER, DAEMON, SIDES };

/*
 * A connection of a browser, and the connection to the daemon for its request.
 * The proxy reads the head, then forwards bytes in both directions. `waiting`
 * of a side has bytes that must be sent to that side before more are read for
 * it.
 */
struct proxy_connection {
	int files[SIDES]; /* sockets; -1 = none */
	bool is_judged;   /* the head was read, and the proxy has decided
			     about it */
	bool is_ending;   /* close the connection when all bytes are sent to
			     the browser */
	struct buffer head;
	uint64_t body_left; /* number of bytes of the body that are still to
			       be read from the browser */
	struct buffer waiting[SIDES];
	size_t sent[SIDES];
	uint64_t deadline_ms; /* time until which the head or the end must
				 have come; 0 = no limit */
};

struct browser_proxy {
	int listening;
	struct sockaddr_un daemon;
	struct browser_proxy_keys keys;
	char address[128];
	struct proxy_connection connections[CONNECTIONS];
};

static bool proxy_make_key(char *out)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[BROWSER_PROXY_KEY_CHARACTERS];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		out[i] = letters[bytes[i] & 63];
	out[BROWSER_PROXY_KEY_CHARACTERS] = '\0';
	return true;
}

static bool listen_at(struct browser_proxy *tunnel, unsigned port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int on = 1;

	tunnel->listening =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (tunnel->listening < 0 ||
	    setsockopt(tunnel->listening, SOL_SOCKET, SO_REUSEADDR, &on,
		       sizeof(on)) != 0 ||
	    bind(tunnel->listening, (struct sockaddr *)&address, size) != 0 ||
	    listen(tunnel->listening, CONNECTIONS) != 0 ||
	    getsockname(tunnel->listening, (struct sockaddr *)&address,
			&size) != 0)
		return false;
	tunnel->keys.port = ntohs(address.sin_port);
	return true;
}

enum error browser_proxy_open(struct browser_proxy **tunnel_out,
			      const char *socket, unsigned port)
{
	struct browser_proxy *tunnel = mem_alloc(1, sizeof(*tunnel));
	enum error error = ERR_TOO_LARGE;

	tunnel->listening = -1;
	for (size_t i = 0; i < CONNECTIONS; i++)
		for (unsigned side = 0; side < SIDES; side++)
			tunnel->connections[i].files[side] = -1;
	tunnel->daemon.sun_family = AF_UNIX;
	if (strlen(socket) < sizeof(tunnel->daemon.sun_path)) {
		memcpy(tunnel->daemon.sun_path, socket, strlen(socket) + 1);
		error = ERR_IO;
	}
	if (error == ERR_IO && proxy_make_key(tunnel->keys.token) &&
	    proxy_make_key(tunnel->keys.session) && listen_at(tunnel, port))
		error = ERR_NONE;
	tunnel->keys.until_ms = clock_steady_ms() + BROWSER_PROXY_TOKEN_MS;
	snprintf(tunnel->address, sizeof(tunnel->address),
		 "http://127.0.0.1:%u/?token=%s", tunnel->keys.port,
		 tunnel->keys.token);
	if (error != ERR_NONE) {
		browser_proxy_close(tunnel);
		return error;
	}
	*tunnel_out = tunnel;
	return ERR_NONE;
}

const char *browser_proxy_address(const struct browser_proxy *tunnel)
{
	return tunnel->address;
}

static void end_connection(struct proxy_connection *connection)
{
	for (unsigned side = 0; side < SIDES; side++) {
		if (connection->files[side] >= 0)
			close(connection->files[side]);
		buffer_free(&connection->waiting[side]);
	}
	buffer_free(&connection->head);
	*connection = (struct proxy_connection){.files = {-1, -1}};
}

void browser_proxy_close(struct browser_proxy *tunnel)
{
	if (tunnel == NULL)
		return;
	for (size_t i = 0; i < CONNECTIONS; i++)
		end_connection(&tunnel->connections[i]);
	if (tunnel->listening >= 0)
		close(tunnel->listening);
	explicit_bzero(&tunnel->keys, sizeof(tunnel->keys));
	explicit_bzero(tunnel->address, sizeof(tunnel->address));
	free(tunnel);
}

static struct proxy_connection *free_connection(struct browser_proxy *tunnel)
{
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (tunnel->connections[i].files[BROWSER] < 0)
			return &tunnel->connections[i];
	return NULL;
}

static void accept_browser(struct browser_proxy *tunnel)
{
	struct proxy_connection *connection = free_connection(tunnel);
	int file;

	if (connection == NULL)
		return;
	file = accept4(tunnel->listening, NULL, NULL,
		       SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (file < 0)
		return;
	connection->files[BROWSER] = file;
	connection->deadline_ms = clock_steady_ms() + HEAD_MS;
}

static bool
proxy_connection_is_waiting(const struct proxy_connection *connection,
			    enum side side)
{
	return connection->waiting[side].size > connection->sent[side];
}

/* Send a response of the proxy itself, then close the connection. */
static void proxy_connection_reply(struct proxy_connection *connection,
				   struct buffer *answer)
{
	buffer_append_slice(&connection->waiting[BROWSER],
			    buffer_slice(answer));
	buffer_free(answer);
	connection->is_judged = true;
	connection->is_ending = true;
	connection->deadline_ms = clock_steady_ms() + LINGER_MS;
}

static void proxy_connection_reject(struct proxy_connection *connection,
				    unsigned status, const char *reason)
{
	struct buffer head = {0};

	browser_proxy_write_error(&head, status, reason);
	proxy_connection_reply(connection, &head);
}

static bool reach_daemon(struct browser_proxy *tunnel,
			 struct proxy_connection *connection)
{
	int file =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	connection->files[DAEMON] = file;
	/* a Unix socket accepts or rejects a connection immediately */
	return file >= 0 &&
	       connect(file, (const struct sockaddr *)&tunnel->daemon,
		       sizeof(tunnel->daemon)) == 0;
}

/*
 * Handle a head, which is complete and has `size` bytes. The bytes after it
 * belong to the body.
 */
static void proxy_connection_handle_head(struct browser_proxy *tunnel,
					 struct proxy_connection *connection,
					 size_t size)
{
	struct slice head = {connection->head.data, size};
	struct slice rest = {connection->head.data + size,
			     connection->head.size - size};
	struct browser_proxy_request request;

	browser_proxy_decide(&tunnel->keys, head, clock_steady_ms(), &request);
	if (request.verdict != BROWSER_PROXY_FORWARD) {
		proxy_connection_reply(connection, &request.head);
		return;
	}
	if (!reach_daemon(tunnel, connection)) {
		buffer_free(&request.head);
		proxy_connection_reject(
			connection, 502,
			"No daemon responds on the socket. Is templated "
			"running?");
		return;
	}
	if (rest.size > request.body_bytes)
		rest.size = (size_t)request.body_bytes;
	connection->is_judged = true;
	connection->deadline_ms = 0;
	connection->body_left = request.body_bytes - rest.size;
	connection->waiting[DAEMON] = request.head;
	buffer_append_slice(&connection->waiting[DAEMON], rest);
	buffer_free(&connection->head);
}

static void proxy_connection_read_head(struct browser_proxy *tunnel,
				       struct proxy_connection *connection)
{
	const struct buffer *head = &connection->head;
	const char *end =
		head->size == 0 ? NULL
				: memmem(head->data, head->size, "\r\n\r\n", 4);

	if (end != NULL)
		proxy_connection_handle_head(tunnel, connection,
					     (size_t)(end - head->data) + 4);
	else if (head->size >= BROWSER_PROXY_MAX_HEAD)
		proxy_connection_reject(connection, 431,
					"The request head is too large.");
}

/*
 * Read available bytes and append them to `out`. Return false if the other end
 * was closed or reading failed.
 */
static bool read_some(int file, struct buffer *out, size_t max)
{
	char bytes[CHUNK_BYTES];
	ssize_t count =
		recv(file, bytes, max < sizeof(bytes) ? max : sizeof(bytes), 0);

	if (count < 0)
		return errno == EAGAIN || errno == EINTR;
	buffer_append(out, bytes, (size_t)count);
	return count > 0;
}

/* Read from the browser. Return false if the browser has disconnected. */
static bool from_browser(struct browser_proxy *tunnel,
			 struct proxy_connection *connection)
{
	struct buffer *body = &connection->waiting[DAEMON];
	struct buffer dropped = {0};
	size_t before = body->size;
	bool is_there;

	if (!connection->is_judged) {
		is_there = read_some(
			connection->files[BROWSER], &connection->head,
			BROWSER_PROXY_MAX_HEAD - connection->head.size);
		if (is_there)
			proxy_connection_read_head(tunnel, connection);
		return is_there;
	}
	if (connection->body_left > 0 && !connection->is_ending) {
		is_there = read_some(connection->files[BROWSER], body,
				     (size_t)connection->body_left);
		connection->body_left -= body->size - before;
		return is_there;
	}
	/* only one request per connection: ignore further bytes */
	is_there = read_some(connection->files[BROWSER], &dropped, CHUNK_BYTES);
	buffer_free(&dropped);
	return is_there;
}

/*
 * Send the waiting bytes of a side, as many as possible now. Return false if
 * that fails.
 */
static bool send_some(struct proxy_connection *connection, enum side side)
{
	struct buffer *waiting = &connection->waiting[side];
	size_t *sent = &connection->sent[side];
	ssize_t count = send(connection->files[side], waiting->data + *sent,
			     waiting->size - *sent, MSG_NOSIGNAL);

	if (count < 0)
		return errno == EAGAIN || errno == EINTR;
	*sent += (size_t)count;
	if (*sent == waiting->size) {
		buffer_clear(waiting);
		*sent = 0;
	}
	return true;
}

static short
proxy_connection_poll_events(const struct proxy_connection *connection,
			     enum side side)
{
	bool may_read =
		side == DAEMON
			? !connection->is_ending &&
				  !proxy_connection_is_waiting(connection,
							       BROWSER)
			: !proxy_connection_is_waiting(connection, DAEMON);

	return (short)((may_read ? POLLIN : 0) |
		       (proxy_connection_is_waiting(connection, side) ? POLLOUT
								      : 0));
}

/*
 * Read and send what is possible now. Return false if the connection must be
 * closed.
 */
static bool proxy_connection_serve(struct browser_proxy *tunnel,
				   struct proxy_connection *connection,
				   const short *events)
{
	const short over = POLLHUP | POLLERR;

	if ((events[BROWSER] & (POLLIN | over)) != 0 &&
	    !from_browser(tunnel, connection))
		return false;
	if (connection->files[DAEMON] >= 0 &&
	    (events[DAEMON] & (POLLIN | over)) != 0 &&
	    !proxy_connection_is_waiting(connection, BROWSER) &&
	    !connection->is_ending &&
	    !read_some(connection->files[DAEMON], &connection->waiting[BROWSER],
		       CHUNK_BYTES)) {
		connection->is_ending = true;
		connection->deadline_ms = clock_steady_ms() + LINGER_MS;
	}
	if (connection->files[DAEMON] >= 0 &&
	    proxy_connection_is_waiting(connection, DAEMON) &&
	    !send_some(connection, DAEMON))
		buffer_clear(&connection->waiting[DAEMON]);
	if (proxy_connection_is_waiting(connection, BROWSER)) {
		if (!send_some(connection, BROWSER))
			return false;
		if (connection->is_ending)
			connection->deadline_ms = clock_steady_ms() + LINGER_MS;
	}
	return !connection->is_ending ||
	       proxy_connection_is_waiting(connection, BROWSER);
}

/*
 * Fill in the sockets to poll: the listening socket, then two for each
 * connection. Return the time until the next deadline in ms; -1 = none.
 */
static int fill_polls(struct browser_proxy *tunnel, struct pollfd *polls)
{
	uint64_t now_ms = clock_steady_ms();
	int timeout_ms = -1;

	polls[0] = (struct pollfd){
		.fd = free_connection(tunnel) == NULL ? -1 : tunnel->listening,
		.events = POLLIN,
	};
	for (size_t i = 0; i < CONNECTIONS; i++) {
		struct proxy_connection *connection = &tunnel->connections[i];
		uint64_t deadline_ms = connection->deadline_ms;

		for (unsigned side = 0; side < SIDES; side++) {
			short events = proxy_connection_poll_events(
				connection, (enum side)side);

			polls[1 + 2 * i + side] = (struct pollfd){
				.fd = events == 0 ? -1
						  : connection->files[side],
				.events = events,
			};
		}
		if (deadline_ms == 0)
			continue;
		if (deadline_ms <= now_ms)
			timeout_ms = 0;
		else if (timeout_ms < 0 ||
			 deadline_ms - now_ms < (uint64_t)timeout_ms)
			timeout_ms = (int)(deadline_ms - now_ms);
	}
	return timeout_ms;
}

static void serve_all(struct browser_proxy *tunnel, const struct pollfd *polls)
{
	uint64_t now_ms = clock_steady_ms();

	for (size_t i = 0; i < CONNECTIONS; i++) {
		struct proxy_connection *connection = &tunnel->connections[i];
		const short events[SIDES] = {polls[1 + 2 * i].revents,
					     polls[2 + 2 * i].revents};
		bool is_late = connection->deadline_ms != 0 &&
			       connection->deadline_ms <= now_ms;

		if (connection->files[BROWSER] < 0)
			continue;
		if (is_late ||
		    !proxy_connection_serve(tunnel, connection, events))
			end_connection(connection);
	}
}

enum error browser_proxy_run(struct browser_proxy *tunnel)
{
	struct pollfd polls[1 + SIDES * CONNECTIONS];

	for (;;) {
		int timeout_ms = fill_polls(tunnel, polls);

		if (poll(polls, sizeof(polls) / sizeof(polls[0]), timeout_ms) <
		    0) {
			if (errno == EINTR)
				continue;
			return ERR_IO;
		}
		serve_all(tunnel, polls);
		if ((polls[0].revents & POLLIN) != 0)
			accept_browser(tunnel);
	}
}
