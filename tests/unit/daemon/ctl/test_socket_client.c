#include "crawl/url/url.h"
#include "daemon/ctl/client.h"

#include <unistd.h>

#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

static void echo(int socket, const char *request)
{
	char head[128];

	snprintf(head, sizeof(head),
		 "HTTP/1.1 201 Created\r\nContent-Length: %zu\r\n\r\n",
		 strlen(request));
	server_send_text(socket, head);
	server_send_text(socket, request);
}

static void refuse(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 404 Not Found\r\n"
				 "Content-Length: 2\r\n\r\n{}");
}

static void part(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n"
				 "X-Templated-Missing: b, c\r\n"
				 "X-Templated-Stale: true\r\n"
				 "Content-Length: 2\r\n\r\n{}");
}

static void silent(int socket, const char *request)
{
	char byte;

	(void)request;
	/* until the client leaves */
	while (read(socket, &byte, 1) > 0)
		;
}

/* Three seconds, and never silent for one. */
static void slow(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n"
				 "Content-Length: 60\r\n\r\n");
	for (int i = 0; i < 10; i++) {
		/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
		usleep(300000);
		server_send_text(socket, "slowly");
	}
}

static void short_body(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n"
				 "Content-Length: 10\r\n\r\nhello");
}

static const struct route routes[] = {
	{.path = "/v1/echo?a=%20/../b", .handler = echo},
	{.path = "/refuse", .handler = refuse},
	{.path = "/part", .handler = part},
	{.path = "/silent", .handler = silent},
	{.path = "/slow", .handler = slow},
	{.path = "/short", .handler = short_body},
};

static char folder[64];
static char path[96];
static struct server server;
static struct socket_answer answer;

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/socket.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	server = server_start_at(path, routes, COUNT_OF(routes));
	answer = (struct socket_answer){0};
}

static void teardown(void)
{
	buffer_free(&answer.body);
	server_stop(&server);
	unlink(path);
	rmdir(folder);
}

static enum error request(const char *method, const char *target,
			  const char *body, uint32_t timeout_ms)
{
	buffer_free(&answer.body);
	return socket_ask(
		path,
		&(struct socket_request){.method = method,
					 .target = target,
					 .body = slice_of(body),
					 .media_type = "application/json",
					 .timeout_ms = timeout_ms},
		&answer);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_get_arrives_as_it_was_written)
{
	ASSERT_OK(request("GET", "/v1/echo?a=%20/../b", "", 5000));
	ck_assert_uint_eq(answer.status, 201);
	ck_assert_str_eq(answer.reason, "");
	ck_assert_ptr_eq(strstr(answer.body.data,
				"GET /v1/echo?a=%20/../b HTTP/1.1\r\n"),
			 answer.body.data);
	ck_assert_ptr_null(strstr(answer.body.data, "Content-Type"));
}

TEST(a_post_carries_its_body_and_type)
{
	ASSERT_OK(request("POST", "/v1/echo?a=%20/../b", "{\"b\":1}", 5000));
	ck_assert_ptr_nonnull(strstr(answer.body.data, "POST /v1/echo"));
	ck_assert_ptr_nonnull(
		strstr(answer.body.data, "Content-Type: application/json\r\n"));
	ck_assert_ptr_nonnull(
		strstr(answer.body.data, "Content-Length: 7\r\n"));
	ck_assert_ptr_nonnull(strstr(answer.body.data, "\r\n\r\n{\"b\":1}"));
	ck_assert_ptr_null(strstr(answer.body.data, "Expect"));
	ASSERT_OK(request("POST", "/v1/echo?a=%20/../b", "", 5000));
	ck_assert_ptr_nonnull(
		strstr(answer.body.data, "Content-Length: 0\r\n"));
}

TEST(delete_is_a_method)
{
	ASSERT_OK(request("DELETE", "/v1/echo?a=%20/../b", "", 5000));
	ck_assert_ptr_nonnull(strstr(answer.body.data, "DELETE /v1/echo"));
}

TEST(an_error_status_is_an_answer)
{
	ASSERT_OK(request("GET", "/refuse", "", 5000));
	ck_assert_uint_eq(answer.status, 404);
	ck_assert_str_eq(answer.body.data, "{}");
}

TEST(nodes_that_are_missing_are_named)
{
	ASSERT_OK(request("GET", "/part", "", 5000));
	ck_assert_str_eq(answer.missing, "b, c");
	ck_assert(answer.is_stale);
	ASSERT_OK(request("GET", "/refuse", "", 5000));
	ck_assert_str_eq(answer.missing, "");
	ck_assert(!answer.is_stale);
}

TEST(nobody_listens)
{
	server_stop(&server);
	ck_assert_int_eq(request("GET", "/refuse", "", 5000), ERR_NOT_FOUND);
	ck_assert_str_ne(answer.reason, "");
	unlink(path);
	ck_assert_int_eq(request("GET", "/refuse", "", 5000), ERR_NOT_FOUND);
}

TEST(what_comes_slowly_comes)
{
	ASSERT_OK(request("GET", "/slow", "", 2000));
	ck_assert_uint_eq(answer.body.size, 60);
}

TEST(a_silent_daemon_times_out)
{
	ck_assert_int_eq(request("GET", "/silent", "", 200), ERR_TIMEOUT);
	ck_assert_str_ne(answer.reason, "");
}

TEST(an_answer_cut_short_is_a_network_error)
{
	ck_assert_int_eq(request("GET", "/short", "", 5000), ERR_NETWORK);
	ck_assert_uint_eq(answer.body.size, 0);
	ck_assert_int_eq(request("GET", "/unknown", "", 5000), ERR_NETWORK);
}

TEST(values_are_escaped)
{
	AUTO_BUFFER out = {0};

	percent_append(&out, slice_of("http://a/b?c=d&e f~g\xc3\xbc"), "");
	ck_assert_str_eq(out.data,
			 "http%3A%2F%2Fa%2Fb%3Fc%3Dd%26e%20f~g%C3%BC");
}
