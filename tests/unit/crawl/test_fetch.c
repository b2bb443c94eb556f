#include "crawl/fetch.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "page/robots_tag.h"
#include "tests/unit/crawl/client.h"
#include "tests/unit/run.h"

static void echo(int socket, const char *request)
{
	char head[128];

	snprintf(head, sizeof(head), OK_HTML "Content-Length: %zu\r\n\r\n",
		 strlen(request));
	server_send_text(socket, head);
	server_send_text(socket, request);
}

static void silent(int socket, const char *request)
{
	char byte;

	(void)request;
	/* until the client leaves */
	while (read(socket, &byte, 1) > 0)
		;
}

static const struct route routes[] = {
	{.path = "/page",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html; "
		   "charset=\"ISO-8859-1\"\r\nContent-Length: 5\r\n\r\nhello"},
	{.path = "/chunked",
	 .keeps_open = 1,
	 .answer = OK_HTML "Transfer-Encoding: chunked\r\n\r\n"
			   "3\r\nhel\r\n2\r\nlo\r\n0\r\nLocation: /x\r\n\r\n"},
	{.path = "/echo", .handler = echo, .keeps_open = 1},
	{.path = "/early",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 103 Early Hints\r\nContent-Type: text/plain\r\n"
		   "Content-Encoding: compress\r\nLocation: "
		   "/wrong\r\n\r\n" OK_HTML "Content-Length: 5\r\n\r\nhello"},
	{.path = "/image",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
		   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/untyped",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"},
	{.path = "/missing",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n"
		   "Content-Length: 5\r\n\r\nsorry"},
	{.path = "/busy",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/until",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 429 Slow\r\n"
		   "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n"
		   "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/a/moved",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 302 Found\r\nLocation: ../n\xc3\xbc?a b#c\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/to-file",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/choices",
	 .keeps_open = 1,
	 .answer = "HTTP/1.1 300 Choose\r\nLocation: /page\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/robots",
	 .keeps_open = 1,
	 .answer = OK_HTML "X-Robots-Tag: nofollow\r\nX-Robots-Tag: noindex\r\n"
			   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/dated",
	 .keeps_open = 1,
	 .answer = OK_HTML
	 "ETag: W/\"1\"\r\nContent-Length: 5\r\n"
	 "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nhello"},
	{.path = "/silent", .handler = silent},
};

static struct client client;

static void setup(void)
{
	client_open(&client, routes, COUNT_OF(routes));
}

static void teardown(void)
{
	client_close(&client);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(a_page_comes_with_the_values_of_its_headers)
{
	client_fetch(&client, "/page");
	client_check_body(&client, "hello");
	ck_assert_uint_eq(client.result.http_status, 200);
	ck_assert(client.result.is_html);
	ck_assert_str_eq(client.result.charset, "ISO-8859-1");
	ck_assert_str_eq(client.result.redirect, "");
	ck_assert_str_eq(client.result.reason, "");
	ck_assert_uint_gt(client.result.wire_bytes, 5);
}

TEST(chunks_and_their_trailers)
{
	client_fetch(&client, "/chunked");
	client_check_body(&client, "hello");
	ck_assert_str_eq(client.result.redirect, "");
}

TEST(the_request_says_who_asks_for_what)
{
	client_fetch(&client, "/echo");
	ASSERT_OK(client.result.error);
	ck_assert_ptr_nonnull(
		strstr(client.result.body.data, "GET /echo HTTP/1.1"));
	ck_assert_ptr_nonnull(strstr(client.result.body.data,
				     "User-Agent: templated-test\r\n"));
	ck_assert_ptr_nonnull(
		strstr(client.result.body.data, "Accept-Encoding: gzip"));
	ck_assert_ptr_nonnull(
		strstr(client.result.body.data, "Accept: text/html"));
	ck_assert_ptr_null(strstr(client.result.body.data, "Cookie"));
}

TEST(early_hints_are_not_the_answer)
{
	client_fetch(&client, "/early");
	client_check_body(&client, "hello");
	ck_assert_str_eq(client.result.charset, "");
	ck_assert_str_eq(client.result.redirect, "");
}

TEST(a_connection_is_used_again)
{
	for (int i = 0; i < 20; i++) {
		client_fetch(&client, i % 2 == 0 ? "/page" : "/missing");
		ASSERT_OK(client.result.error);
	}
}

TEST(another_type_is_not_downloaded)
{
	struct url url = client_url(&client, "/image");

	client_fetch(&client, "/image");
	client_check_error(&client, ERR_NOT_HTML);
	ck_assert_uint_eq(client.result.http_status, 200);
	ck_assert_ptr_nonnull(strstr(client.result.reason, "image/png"));
	client_send(&client, (struct fetch_request){.url = &url,
						    .is_private_ok = true,
						    .any_type = true});
	client_check_body(&client, "hello");
	ck_assert(!client.result.is_html);
	client_fetch(&client, "/untyped");
	client_check_body(&client, "hello");
	ck_assert(client.result.is_html);
}

TEST(a_status_is_an_answer)
{
	client_fetch(&client, "/missing");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 404);
	ck_assert_uint_eq(client.result.body.size, 0);
}

TEST(retry_after_in_seconds_and_as_a_date)
{
	client_fetch(&client, "/busy");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 503);
	ck_assert_uint_eq(client.result.retry_after_s, 120);
	client_fetch(&client, "/until");
	ck_assert_uint_eq(client.result.http_status, 429);
	ck_assert_uint_eq(client.result.retry_after_s, 60);
	client_fetch(&client, "/page");
	ck_assert_uint_eq(client.result.retry_after_s, 0);
}

TEST(a_redirect_is_an_answer)
{
	struct url expected = client_url(&client, "/n%C3%BC?a%20b");

	client_fetch(&client, "/a/moved");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 302);
	ck_assert_str_eq(client.result.redirect, expected.text);
	client_fetch(&client, "/to-file");
	ASSERT_OK(client.result.error);
	ck_assert_str_eq(client.result.redirect, "");
	client_fetch(&client, "/choices");
	ASSERT_OK(client.result.error);
	ck_assert_str_eq(client.result.redirect, "");
}

TEST(headers_for_robots_and_caches)
{
	client_fetch(&client, "/robots");
	ck_assert_uint_eq(client.result.robots_tag,
			  ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX);
	ck_assert_str_eq(client.result.etag, "");
	client_fetch(&client, "/dated");
	ck_assert_uint_eq(client.result.robots_tag, 0);
	ck_assert_str_eq(client.result.etag, "W/\"1\"");
	ck_assert_str_eq(client.result.modified,
			 "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(a_closed_port_is_a_network_error)
{
	struct url url = client_url(&client, "/page");

	server_stop(&client.server);
	client_send(&client,
		    (struct fetch_request){.url = &url, .is_private_ok = true});
	client_check_error(&client, ERR_NOT_CONNECTED);
}

TEST(many_fetches_run_at_once)
{
	struct url url = client_url(&client, "/page");
	int contexts[100];
	unsigned seen = 0;

	for (int i = 0; i < 100; i++) {
		contexts[i] = 0;
		client_begin(&client, &url, true, &contexts[i]);
	}
	ck_assert_uint_eq(fetcher_running(client.fetcher), 100);
	for (int i = 0; i < 10000 && seen < 100; i++) {
		fetcher_run(client.fetcher, 1000);
		while (fetcher_next(client.fetcher, &client.result)) {
			client_check_body(&client, "hello");
			fetch_result_free(&client.result);
			++*(int *)client.result.context;
			seen++;
		}
	}
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(contexts[i], 1);
	ck_assert_uint_eq(fetcher_running(client.fetcher), 0);
}

TEST(a_fetcher_may_be_destroyed_while_fetching)
{
	struct url slow = client_url(&client, "/silent");
	struct url fast = client_url(&client, "/page");

	client_begin(&client, &slow, true, &client.server);
	client_begin(&client, &fast, true, &client.server);
	for (int i = 0; i < 100 && fetcher_running(client.fetcher) > 1; i++)
		fetcher_run(client.fetcher, 100);
	ck_assert_uint_eq(fetcher_running(client.fetcher), 1);
}

TEST(an_abort_answers_what_is_under_way)
{
	struct url slow = client_url(&client, "/silent");
	int context;

	client_begin(&client, &slow, true, &context);
	fetcher_run(client.fetcher, 50);
	ck_assert(!fetcher_next(client.fetcher, &client.result));
	fetcher_abort(client.fetcher);
	ck_assert_uint_eq(fetcher_running(client.fetcher), 0);
	ck_assert(fetcher_next(client.fetcher, &client.result));
	ck_assert_int_eq(client.result.error, ERR_STOPPED);
	ck_assert_ptr_eq(client.result.context, &context);
	ck_assert(!fetcher_next(client.fetcher, &client.result));
}

static void *write_soon(void *context)
{
	usleep(50000);
	ck_assert_int_eq(write(*(int *)context, "x", 1), 1);
	return NULL;
}

TEST(a_descriptor_ends_the_wait)
{
	int ends[2];
	pthread_t thread;
	struct timespec begin;
	struct timespec end;

	ck_assert_int_eq(pipe(ends), 0);
	fetcher_listen(client.fetcher, ends[0]);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_soon, &ends[1]),
			 0);
	fetcher_run(client.fetcher, 30000);
	clock_gettime(CLOCK_MONOTONIC, &end);
	pthread_join(thread, NULL);
	ck_assert_int_lt(end.tv_sec - begin.tv_sec, 10);
	ck_assert(!fetcher_next(client.fetcher, &client.result));
	close(ends[0]);
	close(ends[1]);
}
