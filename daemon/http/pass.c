#include "daemon/http/pass.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/http/exchange.h"
#include "daemon/runtime/clock.h"

enum { READ_BYTES = 64 * 1024, LOOK_MS = 100 };

/*
 * Request headers that affect the response. Cookies and tokens identify the
 * client, which the first node has checked.
 */
static const char *const passed[] = {
	"Host",           "Accept",        "Accept-Language",   "Content-Type",
	"If-None-Match",  "Last-Event-ID", "X-Templated-Stale", "Origin",
	"Sec-Fetch-Site",
};

/* Headers of one connection, or headers that the forwarding node sets again. */
static const char *const dropped[] = {
	"Connection", "Content-Length", "Content-Type",
	"Date",       "Keep-Alive",     "Transfer-Encoding",
	"Server",     "Set-Cookie",     "Trailer",
};

static bool proxy_byte_is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	       c == '~';
}

/* Percent-encode all bytes except those in `kept`. */
static void proxy_append_encoded(struct buffer *out, const char *text,
				 const char *kept)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (proxy_byte_is_plain(c) || strchr(kept, c) != NULL)
			buffer_append_byte(out, (char)c);
		else
			buffer_printf(out, "%%%02X", c);
	}
}

struct target {
	struct buffer *out;
	bool has_arguments;
};

static enum MHD_Result write_argument(void *context, enum MHD_ValueKind kind,
				      const char *name, const char *value)
{
	struct target *target = context;

	(void)kind;
	buffer_append_byte(target->out, target->has_arguments ? '&' : '?');
	target->has_arguments = true;
	proxy_append_encoded(target->out, name, "");
	if (value != NULL) {
		buffer_append_byte(target->out, '=');
		proxy_append_encoded(target->out, value, "/:,");
	}
	return MHD_YES;
}

void http_write_target(const struct http_exchange *exchange, struct buffer *out)
{
	struct target target = {out, false};

	proxy_append_encoded(out, exchange->path, "/:");
	MHD_get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND,
				  write_argument, &target);
}

void http_write_headers(const struct http_exchange *exchange,
			struct buffer *out)
{
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		const char *value = http_header(exchange, passed[i]);

		if (value != NULL)
			buffer_printf(out, "%s: %s\r\n", passed[i], value);
	}
}

void http_write_request(const struct http_exchange *exchange, const char *extra,
			struct buffer *out)
{
	const char *method = exchange->method;
	size_t size = exchange->body.size;

	buffer_printf(out, "%s ", strcmp(method, "HEAD") == 0 ? "GET" : method);
	http_write_target(exchange, out);
	buffer_append_text(out, " HTTP/1.1\r\nConnection: close\r\n");
	http_write_headers(exchange, out);
	buffer_append_text(out, extra);
	if (size > 0)
		buffer_printf(out, "Content-Length: %zu\r\n", size);
	buffer_append_text(out, "\r\n");
	buffer_append_slice(out, buffer_slice(&exchange->body));
}

bool http_is_upload(const struct http_exchange *exchange)
{
	return exchange->upload != NULL;
}

/*
 * Connect the server to one end of a socket pair; return the other end, or -1.
 */
static int connect_to(struct http_server *server)
{
	const struct sockaddr_un nobody = {.sun_family = AF_UNIX};
	int files[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0)
		return -1;
	/* on failure MHD also closes its end */
	if (MHD_add_connection(server->mhd, files[1],
			       (const struct sockaddr *)&nobody,
			       sizeof(nobody)) == MHD_YES)
		return files[0];
	close(files[0]);
	return -1;
}

/* A server that does not read all bytes has already replied. */
static void proxy_send_all(int file, struct slice bytes)
{
	const char *data = bytes.data;

	while (bytes.size > 0) {
		ssize_t count = send(file, data, bytes.size, MSG_NOSIGNAL);

		if (count <= 0)
			return;
		data += count;
		bytes.size -= (size_t)count;
	}
}

static bool serves_no_more(struct http_server *server)
{
	bool serves_no_more;

	lock_acquire(&server->lock);
	serves_no_more = server->serves_no_more;
	lock_release(&server->lock);
	return serves_no_more;
}

void http_serve_no_more(struct http_server *server)
{
	lock_acquire(&server->lock);
	server->serves_no_more = true;
	lock_release(&server->lock);
}

/*
 * Wait until there are bytes to read; check periodically whether the request is
 * still needed.
 */
static enum error wait_readable(struct http_server *server, int file,
				uint64_t until_ms)
{
	struct pollfd polled = {.fd = file, .events = POLLIN};

	while (poll(&polled, 1, 0) == 0) {
		uint64_t now_ms = clock_steady_ms();
		uint64_t left_ms = until_ms > now_ms ? until_ms - now_ms : 0;

		if (serves_no_more(server))
			return ERR_STOPPED;
		if (left_ms == 0)
			return ERR_TIMEOUT;
		if (poll(&polled, 1,
			 left_ms < LOOK_MS ? (int)left_ms : LOOK_MS) > 0)
			break;
	}
	return ERR_NONE;
}

/* Read until the server closes. */
static enum error receive_all(struct http_server *server, int file,
			      uint64_t until_ms, struct buffer *out)
{
	for (;;) {
		enum error error = wait_readable(server, file, until_ms);
		ssize_t count;

		if (error != ERR_NONE)
			return error;
		count = recv(file, buffer_reserve(out, READ_BYTES), READ_BYTES,
			     0);
		if (count < 0)
			return ERR_IO;
		if (count == 0)
			return ERR_NONE;
		out->size += (size_t)count;
	}
}

enum error http_serve(struct http_server *server, struct slice request,
		      size_t max_bytes, uint32_t timeout_ms,
		      struct buffer *answer)
{
	uint64_t until_ms = clock_steady_ms() + timeout_ms;
	struct buffer bytes = {0};
	int file = connect_to(server);
	enum error error;

	if (file < 0)
		return ERR_IO;
	proxy_send_all(file, request);
	error = receive_all(server, file, until_ms, &bytes);
	close(file);
	if (error == ERR_NONE && bytes.size > max_bytes)
		error = ERR_TOO_LARGE;
	if (error == ERR_NONE)
		buffer_append_slice(answer, buffer_slice(&bytes));
	buffer_free(&bytes);
	return error;
}

/* Remove the first line of `rest` and return it without its end. */
static struct slice next_line(struct slice *rest)
{
	const char *data = rest->data;
	const char *end =
		rest->size == 0 ? NULL : memmem(data, rest->size, "\r\n", 2);
	struct slice line = {data, end == NULL ? 0 : (size_t)(end - data)};

	if (end == NULL)
		*rest = (struct slice){NULL, 0};
	else
		*rest = (struct slice){end + 2, rest->size - line.size - 2};
	return line;
}

static struct slice proxy_trim(struct slice text)
{
	const char *data = text.data;

	while (text.size > 0 && (*data == ' ' || *data == '\t')) {
		data++;
		text.size--;
	}
	while (text.size > 0 &&
	       (data[text.size - 1] == ' ' || data[text.size - 1] == '\t'))
		text.size--;
	return (struct slice){data, text.size};
}

/* Parse "Name: value"; false if the line has another form. */
static bool proxy_parse_header(struct slice line, struct slice *name_out,
			       struct slice *value_out)
{
	const char *data = line.data;
	const char *colon =
		line.size == 0 ? NULL : memchr(data, ':', line.size);

	if (colon == NULL || colon == data)
		return false;
	*name_out = (struct slice){data, (size_t)(colon - data)};
	*value_out = proxy_trim(
		(struct slice){colon + 1, line.size - name_out->size - 1});
	return true;
}

static bool proxy_name_is(struct slice name, const char *wanted)
{
	return name.size == strlen(wanted) &&
	       strncasecmp(name.data, wanted, name.size) == 0;
}

struct slice http_head_value(struct slice answer, const char *name)
{
	struct slice line;
	struct slice found;
	struct slice value;

	next_line(&answer);
	while ((line = next_line(&answer)).size > 0)
		if (proxy_parse_header(line, &found, &value) &&
		    proxy_name_is(found, name))
			return value;
	return (struct slice){NULL, 0};
}

static bool proxy_parse_number(struct slice text, uint64_t *number_out)
{
	const char *digit = text.data;

	*number_out = 0;
	if (text.size == 0 || text.size > 18)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (digit[i] < '0' || digit[i] > '9')
			return false;
		*number_out = *number_out * 10 + (uint64_t)(digit[i] - '0');
	}
	return true;
}

bool http_read_head(struct slice answer, struct http_head *head_out)
{
	const char *data = answer.data;
	const char *end = answer.size == 0
				  ? NULL
				  : memmem(data, answer.size, "\r\n\r\n", 4);
	size_t place = strlen("HTTP/1.1 ");
	uint64_t status;

	*head_out = (struct http_head){0};
	if (end == NULL || answer.size < place + 3 ||
	    memcmp(data, "HTTP/1.", strlen("HTTP/1.")) != 0 ||
	    !proxy_parse_number((struct slice){data + place, 3}, &status) ||
	    status < 200 || status > 599)
		return false;
	head_out->status = (unsigned)status;
	head_out->size = (size_t)(end - data) + 4;
	head_out->has_length =
		proxy_parse_number(http_head_value(answer, "Content-Length"),
				   &head_out->body_bytes);
	return true;
}

static bool proxy_drops_header(struct slice name)
{
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (proxy_name_is(name, dropped[i]))
			return true;
	return false;
}

/* Return NULL if the exchange has its maximum of texts. */
static const char *proxy_keep_text(struct http_exchange *exchange,
				   struct slice text)
{
	char *copy;

	if (exchange->kept_count == MAX_EXCHANGE_HEADERS)
		return NULL;
	copy = mem_copy_text(text.data, text.size);
	exchange->kept[exchange->kept_count++] = copy;
	return copy;
}

void http_take_headers(struct http_exchange *exchange, struct slice head,
		       const char **media_type_out)
{
	struct slice type = http_head_value(head, "Content-Type");
	struct slice line;
	struct slice name;
	struct slice value;

	*media_type_out = type.size == 0 ? "" : proxy_keep_text(exchange, type);
	next_line(&head);
	while ((line = next_line(&head)).size > 0) {
		const char *kept_name;
		char *text;

		/* reserve two headers for the server */
		if (!proxy_parse_header(line, &name, &value) ||
		    proxy_drops_header(name) ||
		    exchange->header_count + 2 >= MAX_EXCHANGE_HEADERS)
			continue;
		kept_name = proxy_keep_text(exchange, name);
		if (kept_name == NULL)
			return;
		text = mem_copy_text(value.data, value.size);
		http_add_header(exchange, kept_name, text);
		free(text);
	}
}

bool http_reply_raw(struct http_exchange *exchange, struct slice answer)
{
	struct buffer body = {0};
	struct http_head head;
	const char *media_type;

	if (!http_read_head(answer, &head) ||
	    (head.has_length && head.body_bytes != answer.size - head.size))
		return false;
	http_take_headers(exchange, (struct slice){answer.data, head.size},
			  &media_type);
	buffer_append(&body, (const char *)answer.data + head.size,
		      answer.size - head.size);
	http_reply(exchange, head.status, media_type, &body);
	return true;
}
