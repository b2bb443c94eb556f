#include "daemon/http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum {
	NOTE = 7,
	TIMEOUT_S = 2,
	LARGE = 500000, /* a socket of loopback holds that */
};

static uint16_t port;
static char address[32];
static struct tcp_listener *listener;
static struct http_server *server;
static atomic_int admitted;
static atomic_bool is_freed; /* the stream */

static void reply(struct http_exchange *exchange, unsigned status,
		  const char *text)
{
	struct buffer body = {0};

	buffer_append_text(&body, text);
	http_reply(exchange, status, "text/plain", &body);
}

static bool admit(struct http_exchange *exchange, void *context)
{
	const char *cookie = http_cookie(exchange, "key");

	(void)context;
	atomic_fetch_add(&admitted, 1);
	if (cookie != NULL && strcmp(cookie, "x") == 0) {
		*http_user_data(exchange) = NOTE;
		return true;
	}
	http_add_header(exchange, "WWW-Authenticate", "Bearer");
	reply(exchange, 401, "no");
	return false;
}

static bool fill_nothing(void *context, struct buffer *out)
{
	(void)context;
	(void)out;
	return true;
}

static void free_stream(void *context)
{
	(void)context;
	atomic_store(&is_freed, true);
}

static bool is_broken(const void *context)
{
	(void)context;
	return false;
}

static uint64_t count_none(const void *context)
{
	(void)context;
	return 0;
}

static enum http_verdict reply_stream(struct http_exchange *exchange)
{
	const struct http_stream stream = {.fill = fill_nothing,
					   .free = free_stream,
					   .is_broken = is_broken,
					   .trailer_name = "X-Failed",
					   .trailer = count_none};

	if (http_listen(exchange))
		http_reply_stream(exchange, 200, "text/plain", &stream);
	else
		reply(exchange, 503, "full");
	return HTTP_ANSWERED;
}

static void reply_large(struct http_exchange *exchange)
{
	struct buffer body = {0};

	memset(buffer_reserve(&body, LARGE), 'x', LARGE);
	body.size = LARGE;
	http_reply(exchange, 200, "text/html", &body);
}

static enum http_verdict handle(struct http_exchange *exchange, void *context)
{
	uint64_t *memory = http_handler_state(exchange);

	(void)context;
	if (strcmp(http_path(exchange), "/large") == 0) {
		reply_large(exchange);
		return HTTP_ANSWERED;
	}
	if (strcmp(http_path(exchange), "/thrice") == 0 && ++memory[0] < 3)
		return HTTP_SUSPENDED;
	if (strcmp(http_path(exchange), "/stream") == 0)
		return reply_stream(exchange);
	reply(exchange, 200,
	      *http_user_data(exchange) == NOTE && !http_is_encrypted(exchange)
		      ? "plain"
		      : "wrong");
	return HTTP_ANSWERED;
}

static struct http_options options_of(const struct tcp_listener *from)
{
	return (struct http_options){
		.listener = from,
		.workers = 2,
		.max_clients = 16,
		.max_waiting = 8,
		.max_body_bytes = 1000,
		.timeout_ms = TIMEOUT_S * 1000,
		.max_listeners = 1,
		.admit = admit,
		.handle = handle,
	};
}

static void begin(void)
{
	struct http_options options;

	port = test_free_port();
	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	ASSERT_OK(tcp_open(&listener, address, "", ""));
	options = options_of(listener);
	atomic_store(&admitted, 0);
	ASSERT_OK(http_start(&server, &options));
}

static void end(void)
{
	http_stop(server);
	tcp_close(listener);
	server = NULL;
	listener = NULL;
}

/* -1: no listener. */
static int open_client(void)
{
	struct sockaddr_in place = {.sin_family = AF_INET,
				    .sin_port = htons(port)};
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(file, (struct sockaddr *)&place, sizeof(place)) == 0)
		return file;
	close(file);
	return -1;
}

/* The response to these bytes has this beginning and this end. */
static void check_answer(const char *sent, const char *first, const char *last)
{
	int file = open_client();
	AUTO_BUFFER answer;
	size_t length = strlen(last);

	ck_assert_int_ge(file, 0);
	test_client_send(file, sent);
	answer = test_client_receive(file);
	ck_assert_msg(strncmp(answer.data, first, strlen(first)) == 0, "%s",
		      answer.data);
	ck_assert_uint_ge(answer.size, length);
	ck_assert_str_eq(answer.data + answer.size - length, last);
	close(file);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(who_is_admitted_is_handled)
{
	check_answer("GET / HTTP/1.1\r\nHost: x\r\nCookie: a=b; key=x\r\n"
		     "Connection: close\r\n\r\n",
		     "HTTP/1.1 200 ", "\r\n\r\nplain");
	check_answer("GET / HTTP/1.1\r\nHost: x\r\nCookie: key=y\r\n"
		     "Connection: close\r\n\r\n",
		     "HTTP/1.1 401 ", "\r\n\r\nno");
}

TEST(who_is_parked_was_admitted_once)
{
	check_answer("GET /thrice HTTP/1.1\r\nHost: x\r\nCookie: key=x\r\n"
		     "Connection: close\r\n\r\n",
		     "HTTP/1.1 200 ", "\r\n\r\nplain");
	ck_assert_int_eq(atomic_load(&admitted), 1);
}

TEST(the_body_of_a_refused_request_is_not_read)
{
	check_answer("POST / HTTP/1.1\r\nHost: x\r\n"
		     "Content-Length: 900\r\n\r\nfirst bytes",
		     "HTTP/1.1 401 ", "\r\n\r\nno");
	check_answer("POST / HTTP/1.1\r\nHost: x\r\n"
		     "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n",
		     "HTTP/1.1 401 ", "\r\n\r\nno");
}

TEST(a_connection_continues_after_a_refusal)
{
	check_answer("GET / HTTP/1.1\r\nHost: x\r\n\r\n"
		     "GET / HTTP/1.1\r\nHost: x\r\nCookie: key=x\r\n"
		     "Connection: close\r\n\r\n",
		     "HTTP/1.1 401 ", "\r\n\r\nplain");
}

TEST(who_leaves_a_silent_stream_frees_its_place)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int file = open_client();
	char head[1024] = "";

	/* all that comes is read: else the kernel says more than the end */
	atomic_store(&is_freed, false);
	test_client_send(file, "GET /stream HTTP/1.1\r\nHost: x\r\n"
			       "Cookie: key=x\r\n\r\n");
	ck_assert_int_gt(recv(file, head, sizeof(head) - 1, 0), 12);
	ck_assert_int_eq(strncmp(head, "HTTP/1.1 200", 12), 0);
	ck_assert_ptr_nonnull(strstr(head, "\r\n\r\n"));
	ck_assert(!atomic_load(&is_freed));
	close(file);
	for (int i = 0; i < 1000 && !atomic_load(&is_freed); i++)
		nanosleep(&pause, NULL);
	ck_assert(atomic_load(&is_freed));
}

/* The server treats it as closed, but it may still read. */
TEST(an_aborted_stream_does_not_look_complete)
{
	int file = open_client();
	AUTO_BUFFER answer;
	const char *body;

	test_client_send(file, "GET /stream HTTP/1.1\r\nHost: x\r\n"
			       "Cookie: key=x\r\n\r\n");
	shutdown(file, SHUT_WR);
	answer = test_client_receive(file);
	ck_assert_int_eq(client_status(&answer), 200);
	body = strstr(answer.data, "\r\n\r\n");
	ck_assert_ptr_nonnull(body);
	ck_assert_str_eq(body, "\r\n\r\n");
	close(file);
}

/* The server has sent all of it long ago, and waits for the next head. */
TEST(what_was_sent_comes_however_late_it_is_read)
{
	const struct timespec pause = {.tv_sec = TIMEOUT_S + 1};
	const int few = 4096;
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in place = {.sin_family = AF_INET,
				    .sin_port = htons(port)};
	AUTO_BUFFER answer;

	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(file, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few));
	ck_assert_int_eq(
		connect(file, (struct sockaddr *)&place, sizeof(place)), 0);
	test_client_send(file, "GET /large HTTP/1.1\r\nHost: x\r\n"
			       "Cookie: key=x\r\n\r\n");
	nanosleep(&pause, NULL);
	answer = test_client_receive(file);
	ck_assert_uint_gt(answer.size, LARGE);
	close(file);
}

TEST(nobody_connects_after_the_stop)
{
	struct tcp_listener *second = NULL;

	ck_assert_int_eq(tcp_open(&second, address, "", ""), ERR_BUSY);
	http_stop(server);
	server = NULL;
	ck_assert_int_eq(open_client(), -1);
	tcp_close(listener);
	listener = NULL;
	/* and its slot is free immediately */
	ASSERT_OK(tcp_open(&listener, address, "", ""));
}

TEST(what_is_wrong_with_the_files_is_told)
{
	struct tcp_listener *other = NULL;
	char path[64];
	char place[32];

	snprintf(place, sizeof(place), "127.0.0.1:%u", test_free_port());
	snprintf(path, sizeof(path), "/tmp/test_tcp.%ld", (long)getpid());
	ck_assert_int_eq(tcp_open(&other, place, path, path), ERR_IO);
	ck_assert_int_eq(tcp_open(&other, "localhost:80", "", ""),
			 ERR_MALFORMED);
	ck_assert_ptr_null(other);
	ASSERT_OK(file_write(path, slice_of("no PEM")));
	ck_assert_int_eq(tcp_open(&other, place, path, path), ERR_IO);
	ck_assert_ptr_null(other);
	unlink(path);
}
