#include "daemon/http/proxy.h"

#include <unistd.h>

#include "daemon/http/server.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum { MAX_ANSWER = 1 << 20, PATIENCE_MS = 10000 };

static char path[96];
static struct http_server *front; /* passes all on to the other one */
static struct http_server *back;  /* has no socket */
static struct buffer passed;      /* the last request */

static const char *or_none(const char *text)
{
	return text == NULL ? "-" : text;
}

static enum http_verdict reply_large(struct http_exchange *exchange)
{
	struct buffer body = {0};

	for (size_t i = 0; i < MAX_ANSWER; i++)
		buffer_append_byte(&body, 'x');
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

/* Respond with the request. */
static enum http_verdict answer(struct http_exchange *exchange, void *context)
{
	struct slice body = http_body(exchange);
	struct buffer reply = {0};

	(void)context;
	if (strcmp(http_path(exchange), "/never") == 0)
		return HTTP_SUSPENDED;
	if (strcmp(http_path(exchange), "/large") == 0)
		return reply_large(exchange);
	buffer_printf(&reply, "%s|%s|%s|%s|", http_method(exchange),
		      http_path(exchange),
		      or_none(http_argument(exchange, "a")),
		      or_none(http_argument(exchange, "empty")));
	buffer_printf(&reply, "%s|%s|%s|%s|",
		      or_none(http_header(exchange, "Accept")),
		      or_none(http_header(exchange, "Authorization")),
		      or_none(http_header(exchange, "Cookie")),
		      or_none(http_header(exchange, "X-Extra")));
	buffer_append_slice(&reply, body);
	http_add_header(exchange, "X-Said", "so");
	http_reply(exchange, 201, "text/x-said", &reply);
	return HTTP_ANSWERED;
}

static enum http_verdict pass(struct http_exchange *exchange, void *context)
{
	struct buffer reply = {0};
	enum error error;

	(void)context;
	buffer_clear(&passed);
	http_write_request(exchange, "X-Extra: 1\r\n", &passed);
	error = http_serve(back, buffer_slice(&passed), MAX_ANSWER, PATIENCE_MS,
			   &reply);
	if (error != ERR_NONE) {
		buffer_append_text(&reply, error_code(error));
		http_reply(exchange, 502, "text/plain", &reply);
		return HTTP_ANSWERED;
	}
	ck_assert(http_reply_raw(exchange, buffer_slice(&reply)));
	buffer_free(&reply);
	return HTTP_ANSWERED;
}

static void begin(void)
{
	struct http_options options = {
		.socket_mode = 0600,
		.workers = 2,
		.max_clients = 16,
		.max_waiting = 16,
		.max_body_bytes = 1 << 20,
		.timeout_ms = 20000,
		.handle = answer,
	};

	snprintf(path, sizeof(path), "/tmp/pass-%d.sock", (int)getpid());
	ASSERT_OK(http_start(&back, &options));
	options.socket_path = path;
	options.handle = pass;
	ASSERT_OK(http_start(&front, &options));
}

static void end(void)
{
	http_stop(front);
	http_stop(back);
	buffer_free(&passed);
}

static void expect(const char *request, const char *status, const char *body)
{
	int file = client_open(path);
	AUTO_BUFFER reply;

	test_client_send(file, request);
	reply = test_client_receive(file);
	close(file);
	ck_assert_msg(strncmp(reply.data, status, strlen(status)) == 0, "%s",
		      reply.data);
	ck_assert_str_eq(client_body(&reply), body);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_request_is_served_as_it_was_sent)
{
	expect("GET /a%20b/%C3%A4?a=1%2B%26+2&empty HTTP/1.1\r\nHost: x\r\n"
	       "Accept: y\r\nConnection: close\r\n\r\n",
	       "HTTP/1.1 201 ", "GET|/a b/\xc3\xa4|1+& 2|-|y|-|-|1|");
	expect("POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	       "Content-Length: 3\r\n\r\nabc",
	       "HTTP/1.1 201 ", "POST|/p|-|-|-|-|-|1|abc");
}

TEST(who_asks_is_not_passed_on)
{
	expect("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n"
	       "Cookie: a=secret\r\nX-Extra: 2\r\nConnection: close\r\n\r\n",
	       "HTTP/1.1 201 ", "GET|/|-|-|-|-|-|1|");
	ck_assert_ptr_null(strstr(passed.data, "secret"));
}

TEST(the_answer_comes_with_its_headers)
{
	AUTO_BUFFER reply = test_client_ask(path, "GET", "/", NULL);

	ck_assert_ptr_nonnull(strstr(reply.data, "X-Said: so\r\n"));
	ck_assert_ptr_nonnull(
		strstr(reply.data, "Content-Type: text/x-said\r\n"));
	ck_assert_ptr_nonnull(strstr(reply.data, "Connection: close\r\n"));
}

TEST(an_answer_over_the_limit_is_none)
{
	expect("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	       "HTTP/1.1 502 ", "too_large");
}

TEST(who_waits_too_long_is_told)
{
	const char *request = "GET /never HTTP/1.1\r\nHost: x\r\n"
			      "Connection: close\r\n\r\n";
	struct buffer reply = {0};

	ck_assert_int_eq(
		http_serve(back, slice_of(request), MAX_ANSWER, 20, &reply),
		ERR_TIMEOUT);
	ck_assert_uint_eq(reply.size, 0);
}

FIXTURE();

TEST(a_head_is_read)
{
	struct http_head head;

	ck_assert(http_read_head(slice_of("HTTP/1.1 404 Not Found\r\n"
					  "content-length:  12 \r\n\r\nabc"),
				 &head));
	ck_assert_uint_eq(head.status, 404);
	ck_assert_uint_eq(head.body_bytes, 12);
	ck_assert_uint_eq(head.size, 48);
	ck_assert(http_read_head(slice_of("HTTP/1.1 200 OK\r\n\r\n"), &head));
	ck_assert(!head.has_length);
}

TEST(a_malformed_head_is_refused)
{
	struct http_head head;

	ck_assert(!http_read_head((struct slice){NULL, 0}, &head));
	ck_assert(!http_read_head(slice_of("HTTP/1.1 200 OK\r\nA: b\r\n"),
				  &head));
	ck_assert(!http_read_head(slice_of("HTTP/1.1 100 Go\r\n\r\n"), &head));
	ck_assert(!http_read_head(slice_of("HTTP/1.1 2x0 Go\r\n\r\n"), &head));
	ck_assert(!http_read_head(slice_of("NATS/1.0 503\r\n\r\n"), &head));
	ck_assert(!http_read_head(slice_of("\r\n\r\n"), &head));
}
