#include "crawl/fetch.h"
#include "tests/unit/crawl/client.h"
#include "tests/unit/run.h"

/* The process, which has one connection, has had a request. */
static bool is_used;

/* The request itself, as the server saw it. */
static void echo(int socket, const char *request)
{
	char head[128];

	is_used = true;
	snprintf(head, sizeof(head), OK_HTML "Content-Length: %zu\r\n\r\n",
		 strlen(request));
	server_send_text(socket, head);
	server_send_text(socket, request);
}

/* The answer is empty if the request is not as it must be. */
static void check_query(int socket, const char *request)
{
	bool is_well =
		strncmp(request, "POST /query HTTP/1.1\r\n", 22) == 0 &&
		strstr(request, "\r\nContent-Type: application/json\r\n") !=
			NULL &&
		strstr(request, "\r\nContent-Length: 14\r\n") != NULL &&
		strstr(request, "\r\nAccept-Encoding: gzip, br\r\n") != NULL &&
		strstr(request, "\r\n\r\n{\"query\": \"a\"}") != NULL &&
		strstr(request, "Expect") == NULL && !is_used;

	server_send_text(socket, is_well ? OK_HTML "Content-Length: 5\r\n\r\n"
						   "found"
					 : OK_HTML "Content-Length: 0\r\n\r\n");
}

static void say_nothing(int socket, const char *request)
{
	(void)socket;
	(void)request;
}

/* 304 when the page is known. */
static void dated(int socket, const char *request)
{
	if (strstr(request, "If-None-Match: W/\"1\"\r\n") != NULL)
		server_send_text(socket, "HTTP/1.1 304 Not Modified\r\n"
					 "ETag: W/\"1\"\r\n\r\n");
	else
		server_send_text(socket, OK_HTML "ETag: W/\"1\"\r\n"
						 "Content-Length: 5\r\n\r\n"
						 "hello");
}

static void many_cookies(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML);
	for (int i = 0; i < 40; i++) {
		char line[1100];

		snprintf(line, sizeof(line),
			 "Set-Cookie: c%d=%0999d; Max-Age=1000\r\n", i, i);
		server_send_text(socket, line);
	}
	server_send_text(socket, "Content-Length: 0\r\n\r\n");
}

#define EMPTY  "Content-Length: 0\r\n\r\n"
#define COOKIE OK_HTML "Set-Cookie: "

/* The server is the proxy of all hosts. */
static const struct route routes[] = {
	{.path = "/echo", .handler = echo, .keeps_open = 1},
	{.path = "/query", .handler = check_query},
	{.path = "/gone", .handler = say_nothing},
	{.path = "/resent",
	 .answer = "HTTP/1.1 307 Again\r\nLocation: /query\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/dated", .handler = dated, .keeps_open = 1},
	{.path = "/304",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 304 Not Modified\r\n\r\n"},
	{.path = "/long",
	 .keeps_open = 1,
	 .answer = OK_HTML
	 "Content-Length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz"},
	{.path = "/missing",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nsorry"},
	{.path = "/many", .handler = many_cookies, .keeps_open = 1},
	{.path = "http://www.example.org/echo",
	 .handler = echo,
	 .keeps_open = 1},
	{.path = "http://www.example.org/set",
	 .keeps_open = 1,
	 .answer = COOKIE "a=1; Path=/; HttpOnly\r\nSet-Cookie: b=2; "
			  "Domain=example.org; Max-Age=1000\r\n" EMPTY},
	{.path = "http://www.example.org/unset",
	 .keeps_open = 1,
	 .answer = COOKIE "a=1; Path=/; Max-Age=0\r\n" EMPTY},
	{.path = "http://www.example.org/soon",
	 .keeps_open = 1,
	 .answer = COOKIE "a=1; Path=/; Max-Age=1\r\n" EMPTY},
	{.path = "http://www.example.org/foreign",
	 .keeps_open = 1,
	 .answer = COOKIE
	 "a=1; Domain=example.com\r\nSet-Cookie: b=2; Domain=org\r\n"
	 "Set-Cookie: c=3; Secure\r\nSet-Cookie: d=4; "
	 "Domain=a.www.example.org\r\n" EMPTY},
	{.path = "http://www.example.co.uk/suffix",
	 .keeps_open = 1,
	 .answer = COOKIE "a=1; Domain=co.uk\r\n" EMPTY},
	{.path = "http://news.example.org/echo",
	 .handler = echo,
	 .keeps_open = 1},
	{.path = "http://example.com/echo", .handler = echo, .keeps_open = 1},
};

static struct client client;
static struct cookies cookies;
static char proxy[64];

static void setup(void)
{
	client_isolate();
	client_open(&client, routes, COUNT_OF(routes));
	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%u",
		 client.server.port);
	client.options.is_proxy_trusted = true;
	client.options.keeps_headers = true;
	client_renew(&client);
	cookies = (struct cookies){0};
}

static void teardown(void)
{
	buffer_free(&cookies.lines);
	client_close(&client);
}

static bool was_sent(const char *line)
{
	return strstr(client.result.body.data, line) != NULL;
}

/* Through the proxy, with these cookies or none. */
static void visit(const char *text, struct cookies *with)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	client_send(&client, (struct fetch_request){.url = &url,
						    .cookies = with,
						    .proxy = proxy});
	ck_assert_msg(client.result.error == ERR_NONE, "%s",
		      client.result.reason);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60,
	.is_possible = client_can_isolate);

TEST(a_condition_is_sent_and_304_is_an_answer)
{
	client_fetch(&client, "/dated");
	client_check_body(&client, "hello");
	client_ask(&client, "/dated",
		   (struct fetch_request){.etag = client.result.etag});
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 304);
	ck_assert_uint_eq(client.result.body.size, 0);
	client_ask(&client, "/echo",
		   (struct fetch_request){.etag = "\"x\"",
					  .modified = "Sun, 06 Nov 1994 "
						      "08:49:37 GMT"});
	ck_assert(was_sent("\r\nIf-None-Match: \"x\"\r\n"));
	ck_assert(was_sent("\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 "
			   "GMT\r\n"));
	ck_assert(was_sent("\r\nAccept: text/html"));
	client_fetch(&client, "/echo");
	ck_assert(!was_sent("If-"));
}

TEST(an_answer_to_no_condition_is_malformed)
{
	client_fetch(&client, "/304");
	client_check_error(&client, ERR_MALFORMED);
	ck_assert_uint_eq(client.result.http_status, 304);
	client_ask(&client, "/304", (struct fetch_request){.etag = ""});
	client_check_error(&client, ERR_MALFORMED);
	client_ask(&client, "/304", (struct fetch_request){.etag = "\"\n\""});
	client_check_error(&client, ERR_MALFORMED);
	client_ask(&client, "/304", (struct fetch_request){.etag = "\"a\""});
	ASSERT_OK(client.result.error);
}

TEST(a_site_may_have_headers_of_its_own)
{
	client_ask(&client, "/echo",
		   (struct fetch_request){
			   .headers = "Accept-Language: de\nHost: evil\n"
				      "Authorization: Basic YTpi\r\n"
				      "Content-Length: 5\nno header\n"
				      "X-Last: 1"});
	ck_assert(was_sent("\r\nAccept-Language: de\r\n"));
	ck_assert(was_sent("\r\nAuthorization: Basic YTpi\r\n"));
	ck_assert(was_sent("\r\nX-Last: 1\r\n"));
	ck_assert(was_sent("\r\nAccept: text/html"));
	ck_assert(!was_sent("evil"));
	ck_assert(!was_sent("Content-Length"));
	client_fetch(&client, "/echo");
	ck_assert(!was_sent("Authorization"));
}

struct sunk {
	struct buffer bytes;
	size_t most;
};

static enum error sink(void *context, struct slice bytes)
{
	struct sunk *sunk = context;

	if (sunk->bytes.size + bytes.size > sunk->most)
		return ERR_STOPPED;
	buffer_append_slice(&sunk->bytes, bytes);
	return ERR_NONE;
}

TEST(a_sink_takes_the_body)
{
	struct sunk sunk = {.most = 100};

	client_ask(&client, "/long",
		   (struct fetch_request){.sink = sink, .sink_context = &sunk});
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.body.size, 0);
	ck_assert_str_eq(sunk.bytes.data, "abcdefghijklmnopqrstuvwxyz");
	buffer_clear(&sunk.bytes);
	client_ask(&client, "/missing",
		   (struct fetch_request){.sink = sink, .sink_context = &sunk});
	ck_assert_uint_eq(sunk.bytes.size, 0);
	client_ask(&client, "/long",
		   (struct fetch_request){.sink = sink,
					  .sink_context = &sunk,
					  .max_body_bytes = 10});
	ck_assert(client.result.is_cut);
	ck_assert_str_eq(sunk.bytes.data, "abcdefghij");
	sunk.most = 5;
	client_ask(&client, "/long",
		   (struct fetch_request){.sink = sink, .sink_context = &sunk});
	client_check_error(&client, ERR_STOPPED);
	buffer_free(&sunk.bytes);
}

TEST(heads_are_kept)
{
	client_fetch(&client, "/missing");
	ck_assert_str_eq(client.result.head.data,
			 "HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\n");
	ck_assert_int_eq(strncmp(client.result.request.data,
				 "GET /missing HTTP/1.1\r\nHost: 127.0.0.1:",
				 strlen("GET /missing HTTP/1.1\r\nHost: "
					"127.0.0.1:")),
			 0);
	ck_assert_str_eq(client.result.request.data +
				 client.result.request.size - 4,
			 "\r\n\r\n");
	ck_assert_str_eq(client.result.address, "127.0.0.1");
	client_fetch(&client, "/echo");
	ck_assert_str_eq(client.result.request.data, client.result.body.data);
	client.options.keeps_headers = false;
	client_renew(&client);
	client_fetch(&client, "/missing");
	ck_assert_uint_eq(client.result.head.size, 0);
	ck_assert_uint_eq(client.result.request.size, 0);
}

TEST(cookies_come_back_to_their_host)
{
	visit("http://www.example.org/set", &cookies);
	ck_assert_ptr_nonnull(strstr(cookies.lines.data, "\ta\t1\n"));
	visit("http://www.example.org/echo", &cookies);
	ck_assert(was_sent("\r\nCookie: "));
	ck_assert(was_sent("a=1"));
	ck_assert(was_sent("b=2"));
	/* a was of the host, b of the domain */
	visit("http://news.example.org/echo", &cookies);
	ck_assert(was_sent("\r\nCookie: b=2\r\n"));
	visit("http://example.com/echo", &cookies);
	ck_assert(!was_sent("Cookie"));
	/* and without cookies it sends none, whatever the handle did before */
	visit("http://www.example.org/echo", NULL);
	ck_assert(!was_sent("Cookie"));
	visit("http://www.example.org/echo", &cookies);
	ck_assert(was_sent("a=1"));
}

TEST(cookies_expire)
{
	visit("http://www.example.org/set", &cookies);
	visit("http://www.example.org/unset", &cookies);
	visit("http://www.example.org/echo", &cookies);
	ck_assert(was_sent("\r\nCookie: b=2\r\n"));
	buffer_clear(&cookies.lines);
	buffer_append_text(&cookies.lines,
			   ".example.org\tTRUE\t/\tFALSE\t1000000000\told\t1\n"
			   "no cookie at all\n\n");
	visit("http://www.example.org/echo", &cookies);
	ck_assert(!was_sent("Cookie"));
	ck_assert_uint_eq(cookies.lines.size, 0);
}

TEST(cookies_for_others_are_not_taken)
{
	visit("http://www.example.org/foreign", &cookies);
	ck_assert_uint_eq(cookies.lines.size, 0);
	visit("http://www.example.co.uk/suffix", &cookies);
	ck_assert_uint_eq(cookies.lines.size, 0);
}

TEST(cookies_are_bounded)
{
	client_ask(&client, "/many",
		   (struct fetch_request){.cookies = &cookies});
	ASSERT_OK(client.result.error);
	ck_assert_uint_gt(cookies.lines.size, MAX_COOKIE_BYTES - 1100);
	ck_assert_uint_le(cookies.lines.size, MAX_COOKIE_BYTES);
	client_ask(&client, "/echo",
		   (struct fetch_request){.cookies = &cookies});
	ASSERT_OK(client.result.error);
	ck_assert(was_sent("Cookie: "));
}

/* Requests with a body. */

static void ask_with_body(const char *path)
{
	client_ask(&client, path,
		   (struct fetch_request){
			   .headers = "Content-Type: application/json\n",
			   .body = slice_of("{\"query\": \"a\"}"),
			   .any_type = true,
		   });
}

TEST(a_body_is_posted_and_its_answer_is_read)
{
	client_fetch(&client, "/echo"); /* its connection stays open */
	ask_with_body("/query");
	client_check_body(&client, "found");
	client_fetch(&client, "/echo"); /* a GET again, without a body */
	ck_assert_ptr_nonnull(strstr(client.result.body.data, "GET /echo "));
	ck_assert_ptr_null(strstr(client.result.body.data, "Content-"));
}

TEST(a_redirect_of_a_body_is_not_followed)
{
	ask_with_body("/resent");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 307);
	ck_assert_ptr_nonnull(strstr(client.result.redirect, "/query"));
	ask_with_body("/304");
	client_check_error(&client, ERR_MALFORMED);
}

TEST(a_body_without_an_answer_fails)
{
	ask_with_body("/gone");
	client_check_error(&client, ERR_NETWORK);
}
