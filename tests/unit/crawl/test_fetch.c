#include "crawl/fetch.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

enum { MAX_BODY = 100000, BOMB_BYTES = 1 << 20 };

#define OK_HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

static void page(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\nContent-Type: "
				 "text/html; charset=\"ISO-8859-1\"\r\n"
				 "Content-Length: 5\r\n\r\nhello");
}

static void chunked(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML
			 "Transfer-Encoding: chunked\r\n\r\n"
			 "3\r\nhel\r\n2\r\nlo\r\n0\r\nLocation: /x\r\n\r\n");
}

/* The request itself, as the server saw it. */
static void echo(int socket, const char *request)
{
	char head[128];

	snprintf(head, sizeof(head), OK_HTML "Content-Length: %zu\r\n\r\n",
		 strlen(request));
	server_send_text(socket, head);
	server_send_text(socket, request);
}

static void early_hints(int socket, const char *request)
{
	server_send_text(socket, "HTTP/1.1 103 Early Hints\r\n"
				 "Content-Type: text/plain\r\n"
				 "Location: /wrong\r\n\r\n");
	page(socket, request);
}

static void image(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\nContent-Type: "
				 "image/png\r\nContent-Length: 5\r\n\r\nhello");
}

static void untyped(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
				 "hello");
}

static void missing(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 404 Not Found\r\nContent-Type: "
				 "text/html\r\nContent-Length: 5\r\n\r\nsorry");
}

static void busy(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\n"
				 "Content-Length: 0\r\n\r\n");
}

static void busy_until(int socket, const char *request)
{
	(void)request;
	server_send_text(socket,
			 "HTTP/1.1 429 Slow\r\n"
			 "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n"
			 "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
			 "Content-Length: 0\r\n\r\n");
}

static void moved(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 302 Found\r\nLocation: "
				 "../n\xc3\xbc?a b#c\r\nContent-Length: 0\r\n"
				 "\r\n");
}

static void moved_to_file(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 302 Found\r\nLocation: "
				 "file:///etc/passwd\r\nContent-Length: 0\r\n"
				 "\r\n");
}

/* A large body that nobody wants must not be read to its end. */
static void long_missing(int socket, const char *request)
{
	static char zeros[65536];

	(void)request;
	server_send_text(socket, "HTTP/1.1 404 Not Found\r\n\r\n");
	while (server_send(socket, zeros, sizeof(zeros)))
		;
}

static void send_file(int socket, const char *head, const char *command)
{
	static char data[BOMB_BYTES];
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): fixed */
	size_t size = fread(data, 1, sizeof(data), pipe);

	pclose(pipe);
	server_send_text(socket, head);
	server_send(socket, data, size);
}

/* 100 MB of zeros in 100 KB. */
static void bomb(int socket, const char *request)
{
	(void)request;
	send_file(socket, OK_HTML "Content-Encoding: gzip\r\n\r\n",
		  "head -c 100000000 /dev/zero | gzip -1");
}

static void packed(int socket, const char *request)
{
	(void)request;
	send_file(socket, OK_HTML "Content-Encoding: gzip\r\n\r\n",
		  "printf hello | gzip");
}

static void badly_packed(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML
			 "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"
			 "hello");
}

static void announced(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML "Content-Length: 100001\r\n\r\n");
	/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	sleep(30); /* the body that must not be waited for */
}

static void endless(int socket, const char *request)
{
	static char text[4096];

	(void)request;
	memset(text, 'x', sizeof(text));
	server_send_text(socket, OK_HTML "\r\n");
	while (server_send(socket, text, sizeof(text)))
		;
}

static void exact(int socket, const char *request)
{
	static char text[MAX_BODY];

	(void)request;
	memset(text, 'x', sizeof(text));
	server_send_text(socket, OK_HTML "\r\n");
	server_send(socket, text, sizeof(text));
}

static void endless_headers(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n");
	while (server_send_text(socket,
				"X-Filler: aaaaaaaaaaaaaaaaaaaaaaa\r\n"))
		;
}

static void endless_hints(int socket, const char *request)
{
	(void)request;
	while (server_send_text(socket, "HTTP/1.1 103 Early Hints\r\n"
					"X: y\r\n\r\n"))
		;
}

static void slow_headers(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < 300; i++) {
		usleep(100000);
		if (!server_send_text(socket, "X"))
			break;
	}
}

static void silent(int socket, const char *request)
{
	(void)socket;
	(void)request;
	/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	sleep(30);
}

static void short_body(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML "Content-Length: 10\r\n\r\nhello");
}

static void no_http(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "hello\r\n");
}

static void hang_up(int socket, const char *request)
{
	(void)socket;
	(void)request;
}

static const struct route routes[] = {
	{"/page", page, 1},
	{"/chunked", chunked, 1},
	{"/echo", echo, 1},
	{"/early", early_hints, 1},
	{"/image", image, 1},
	{"/untyped", untyped, 1},
	{"/missing", missing, 1},
	{"/busy", busy, 1},
	{"/until", busy_until, 1},
	{"/a/moved", moved, 1},
	{"/to-file", moved_to_file, 1},
	{"/long-missing", long_missing, 0},
	{"/bomb", bomb, 0},
	{"/packed", packed, 0},
	{"/badly-packed", badly_packed, 0},
	{"/announced", announced, 0},
	{"/endless", endless, 0},
	{"/exact", exact, 0},
	{"/endless-headers", endless_headers, 0},
	{"/endless-hints", endless_hints, 0},
	{"/slow-headers", slow_headers, 0},
	{"/silent", silent, 0},
	{"/short", short_body, 0},
	{"/no-http", no_http, 0},
	{"/hang-up", hang_up, 0},
};

static struct server server;
static struct fetcher *fetcher;
static struct fetch_result result;

static struct fetch_options options_of_test(void)
{
	return (struct fetch_options){
		.user_agent = "templated-test",
		.max_body_bytes = MAX_BODY,
		.connect_timeout_ms = 5000,
		.total_timeout_ms = 20000,
		.stall_timeout_ms = 10000,
		.max_connections = 8,
	};
}

static void use(const struct fetch_options *options)
{
	fetcher_destroy(fetcher);
	fetcher = fetcher_create(options);
	ck_assert_ptr_nonnull(fetcher);
}

static void setup(void)
{
	struct fetch_options options = options_of_test();

	server = server_start(routes, sizeof(routes) / sizeof(routes[0]));
	fetcher = NULL;
	result = (struct fetch_result){0};
	use(&options);
}

static void teardown(void)
{
	buffer_free(&result.body);
	fetcher_destroy(fetcher);
	server_stop(&server);
}

static struct url url_of(const char *path)
{
	char text[256];
	struct url url;

	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s", server.port,
		 path);
	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	return url;
}

static void wait_for_result(void)
{
	buffer_free(&result.body);
	for (int i = 0; i < 1000 && !fetcher_next(fetcher, &result); i++)
		fetcher_run(fetcher, 1000);
	ck_assert_uint_eq(fetcher_running(fetcher), 0);
	ck_assert_ptr_eq(result.context, &server);
}

static void fetch_url(const struct url *url, bool is_private_ok, bool any_type,
		      size_t max_body_bytes)
{
	fetcher_start(fetcher, url, is_private_ok, any_type, max_body_bytes,
		      &server);
	wait_for_result();
}

static void fetch(const char *path)
{
	struct url url = url_of(path);

	fetch_url(&url, true, false, 0);
}

static void check_body(const char *text)
{
	ck_assert_msg(result.error == ERR_NONE, "%s", result.reason);
	ck_assert_str_eq(result.body.data, text);
	ck_assert_uint_eq(result.body.size, strlen(text));
}

/* An error has a reason and no body. */
static void check_error(enum error error)
{
	ck_assert_msg(result.error == error, "%s: %s", error_text(result.error),
		      result.reason);
	ck_assert_str_ne(result.reason, "");
	ck_assert_uint_eq(result.body.size, 0);
}

START_TEST(a_page_comes_with_what_its_headers_say)
{
	fetch("/page");
	check_body("hello");
	ck_assert_uint_eq(result.http_status, 200);
	ck_assert(result.is_html);
	ck_assert_str_eq(result.charset, "ISO-8859-1");
	ck_assert_str_eq(result.redirect, "");
	ck_assert_str_eq(result.reason, "");
	ck_assert_uint_gt(result.wire_bytes, 5);
}
END_TEST

START_TEST(chunks_and_their_trailers)
{
	fetch("/chunked");
	check_body("hello");
	ck_assert_str_eq(result.redirect, "");
}
END_TEST

START_TEST(the_request_says_who_asks_for_what)
{
	fetch("/echo");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_ptr_nonnull(strstr(result.body.data, "GET /echo HTTP/1.1"));
	ck_assert_ptr_nonnull(
		strstr(result.body.data, "User-Agent: templated-test\r\n"));
	ck_assert_ptr_nonnull(
		strstr(result.body.data, "Accept-Encoding: gzip"));
	ck_assert_ptr_nonnull(strstr(result.body.data, "Accept: text/html"));
	ck_assert_ptr_null(strstr(result.body.data, "Cookie"));
}
END_TEST

START_TEST(early_hints_are_not_the_answer)
{
	fetch("/early");
	check_body("hello");
	ck_assert_str_eq(result.charset, "ISO-8859-1");
}
END_TEST

START_TEST(a_connection_is_used_again)
{
	for (int i = 0; i < 20; i++) {
		fetch(i % 2 == 0 ? "/page" : "/missing");
		ck_assert_int_eq(result.error, ERR_NONE);
	}
}
END_TEST

START_TEST(another_type_is_not_downloaded)
{
	struct url url = url_of("/image");

	fetch("/image");
	check_error(ERR_NOT_HTML);
	ck_assert_uint_eq(result.http_status, 200);
	ck_assert_ptr_nonnull(strstr(result.reason, "image/png"));
	fetch_url(&url, true, true, 0);
	check_body("hello");
	ck_assert(!result.is_html);
	fetch("/untyped");
	check_body("hello");
	ck_assert(result.is_html);
}
END_TEST

START_TEST(a_status_is_an_answer)
{
	fetch("/missing");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 404);
	ck_assert_uint_eq(result.body.size, 0);
	fetch("/long-missing");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 404);
	ck_assert_uint_eq(result.body.size, 0);
	ck_assert_uint_lt(result.wire_bytes, 1 << 20);
}
END_TEST

START_TEST(retry_after_in_seconds_and_as_a_date)
{
	fetch("/busy");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 503);
	ck_assert_uint_eq(result.retry_after_s, 120);
	fetch("/until");
	ck_assert_uint_eq(result.http_status, 429);
	ck_assert_uint_eq(result.retry_after_s, 60);
	fetch("/page");
	ck_assert_uint_eq(result.retry_after_s, 0);
}
END_TEST

START_TEST(a_redirect_is_an_answer)
{
	struct url expected = url_of("/n%C3%BC?a%20b");

	fetch("/a/moved");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 302);
	ck_assert_str_eq(result.redirect, expected.text);
	fetch("/to-file");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_str_eq(result.redirect, "");
}
END_TEST

START_TEST(packed_bodies_are_unpacked)
{
	fetch("/packed");
	check_body("hello");
	fetch("/badly-packed");
	check_error(ERR_MALFORMED);
}
END_TEST

START_TEST(a_bomb_stops_at_the_limit)
{
	fetch("/bomb");
	check_error(ERR_TOO_LARGE);
	ck_assert_uint_lt(result.wire_bytes, 100000);
}
END_TEST

START_TEST(a_body_may_have_the_limit_and_no_byte_more)
{
	struct url url = url_of("/exact");

	fetch("/exact");
	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.body.size, MAX_BODY);
	fetch_url(&url, true, false, MAX_BODY - 1);
	check_error(ERR_TOO_LARGE);
	fetch("/endless");
	check_error(ERR_TOO_LARGE);
	fetch("/announced");
	check_error(ERR_TOO_LARGE);
	ck_assert_uint_lt(result.elapsed_ms, 5000);
}
END_TEST

/* RFC 9309: the first 500 KiB of a robots.txt count. */
START_TEST(of_any_type_the_beginning_is_kept)
{
	struct url url = url_of("/endless");

	fetch_url(&url, true, true, 1000);
	ck_assert_int_eq(result.error, ERR_TOO_LARGE);
	ck_assert_uint_eq(result.http_status, 200);
	ck_assert_uint_eq(result.body.size, 1000);
}
END_TEST

START_TEST(endless_headers_end)
{
	fetch("/endless-headers");
	check_error(ERR_TOO_LARGE);
	ck_assert_uint_lt(result.wire_bytes, 100000);
	fetch("/endless-hints");
	check_error(ERR_TOO_LARGE);
}
END_TEST

START_TEST(who_is_slow_or_silent_times_out)
{
	struct fetch_options options = options_of_test();

	options.stall_timeout_ms = 1000;
	use(&options);
	fetch("/silent");
	check_error(ERR_TIMEOUT);
	ck_assert_uint_lt(result.elapsed_ms, 10000);
	fetch("/slow-headers");
	check_error(ERR_TIMEOUT);
	options = options_of_test();
	options.total_timeout_ms = 500;
	use(&options);
	fetch("/slow-headers");
	check_error(ERR_TIMEOUT);
}
END_TEST

START_TEST(what_is_cut_short_or_no_http_is_a_network_error)
{
	fetch("/short");
	check_error(ERR_NETWORK);
	fetch("/no-http");
	check_error(ERR_NETWORK);
	fetch("/hang-up");
	check_error(ERR_NETWORK);
}
END_TEST

START_TEST(a_closed_port_is_a_network_error)
{
	struct url url = url_of("/page");

	server_stop(&server);
	fetch_url(&url, true, false, 0);
	check_error(ERR_NETWORK);
}
END_TEST

START_TEST(loopback_is_refused)
{
	struct url url = url_of("/page");
	char name[64];

	fetch_url(&url, false, false, 0);
	check_error(ERR_REFUSED);
	ck_assert_ptr_nonnull(strstr(result.reason, "127.0.0.1"));
	snprintf(name, sizeof(name), "http://localhost:%u/page", server.port);
	ck_assert_int_eq(url_parse(&url, slice_of(name), NULL), ERR_NONE);
	fetch_url(&url, false, false, 0);
	check_error(ERR_REFUSED);
}
END_TEST

START_TEST(an_open_connection_does_not_pass_the_guard)
{
	struct url url = url_of("/page");

	fetch_url(&url, true, false, 0);
	check_body("hello");
	fetch_url(&url, false, false, 0);
	check_error(ERR_REFUSED);
	ck_assert_ptr_nonnull(strstr(result.reason, "127.0.0.1"));
	ck_assert_uint_eq(result.http_status, 0);
}
END_TEST

START_TEST(an_allowed_network_is_reached)
{
	struct fetch_options options = options_of_test();
	struct url url = url_of("/page");
	struct network network;

	ck_assert_int_eq(network_parse("127.0.0.0/8", &network), ERR_NONE);
	options.allowed = &network;
	options.allowed_count = 1;
	use(&options);
	fetch_url(&url, false, false, 0);
	check_body("hello");
	fetch_url(&url, false, false, 0);
	check_body("hello");
}
END_TEST

START_TEST(a_proxy_of_the_environment_is_not_used)
{
	struct url url = url_of("/page");

	/* NOLINTBEGIN(concurrency-mt-unsafe): one thread */
	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	/* NOLINTEND(concurrency-mt-unsafe) */
	fetch_url(&url, true, false, 0);
	check_body("hello");
}
END_TEST

/* Runs where there is no network at all, so nothing can leave. */
static void fetch_metadata(void)
{
	static const char *const texts[] = {
		"http://10.0.0.1/", "http://169.254.169.254/latest/",
		"http://[fe80::1]/", "http://[::ffff:10.0.0.1]/",
		"https://192.168.1.1/"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct url url;

		if (url_parse(&url, slice_of(texts[i]), NULL) != ERR_NONE)
			_exit(2);
		fetcher_start(fetcher, &url, false, false, 0, &server);
		for (int j = 0; j < 100 && !fetcher_next(fetcher, &result); j++)
			fetcher_run(fetcher, 100);
		if (result.error != ERR_REFUSED ||
		    strstr(result.reason, "private or reserved") == NULL)
			_exit(3);
		result = (struct fetch_result){0};
	}
	_exit(0);
}

START_TEST(private_addresses_are_refused_before_a_packet)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
			_exit(77);
		fetch_metadata();
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("fetch: no namespaces here; private addresses "
		       "skipped\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

START_TEST(many_fetches_run_at_once)
{
	struct url url = url_of("/page");
	int contexts[100];
	unsigned seen = 0;

	for (int i = 0; i < 100; i++) {
		contexts[i] = 0;
		fetcher_start(fetcher, &url, true, false, 0, &contexts[i]);
	}
	ck_assert_uint_eq(fetcher_running(fetcher), 100);
	for (int i = 0; i < 10000 && seen < 100; i++) {
		fetcher_run(fetcher, 1000);
		while (fetcher_next(fetcher, &result)) {
			check_body("hello");
			buffer_free(&result.body);
			++*(int *)result.context;
			seen++;
		}
	}
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(contexts[i], 1);
	ck_assert_uint_eq(fetcher_running(fetcher), 0);
}
END_TEST

START_TEST(a_fetcher_may_be_destroyed_while_fetching)
{
	struct url slow = url_of("/silent");
	struct url fast = url_of("/page");

	fetcher_start(fetcher, &slow, true, false, 0, &server);
	fetcher_start(fetcher, &fast, true, false, 0, &server);
	for (int i = 0; i < 100 && fetcher_running(fetcher) > 1; i++)
		fetcher_run(fetcher, 100);
	ck_assert_uint_eq(fetcher_running(fetcher), 1);
}
END_TEST

START_TEST(an_abort_answers_what_is_under_way)
{
	struct url slow = url_of("/silent");
	int context;

	fetcher_start(fetcher, &slow, true, false, 0, &context);
	fetcher_run(fetcher, 50);
	ck_assert(!fetcher_next(fetcher, &result));
	fetcher_abort(fetcher);
	ck_assert_uint_eq(fetcher_running(fetcher), 0);
	ck_assert(fetcher_next(fetcher, &result));
	ck_assert_int_eq(result.error, ERR_STOPPED);
	ck_assert_ptr_eq(result.context, &context);
	ck_assert(!fetcher_next(fetcher, &result));
}
END_TEST

static void *wake_soon(void *context)
{
	usleep(50000);
	fetcher_wake(context);
	return NULL;
}

START_TEST(another_thread_ends_the_wait)
{
	pthread_t thread;
	struct timespec begin;
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	ck_assert_int_eq(pthread_create(&thread, NULL, wake_soon, fetcher), 0);
	fetcher_run(fetcher, 30000);
	clock_gettime(CLOCK_MONOTONIC, &end);
	pthread_join(thread, NULL);
	ck_assert_int_lt(end.tv_sec - begin.tv_sec, 10);
	ck_assert(!fetcher_next(fetcher, &result));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("fetch");
	TCase *tcase = tcase_create("fetch");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, a_page_comes_with_what_its_headers_say);
	tcase_add_test(tcase, chunks_and_their_trailers);
	tcase_add_test(tcase, the_request_says_who_asks_for_what);
	tcase_add_test(tcase, early_hints_are_not_the_answer);
	tcase_add_test(tcase, a_connection_is_used_again);
	tcase_add_test(tcase, another_type_is_not_downloaded);
	tcase_add_test(tcase, a_status_is_an_answer);
	tcase_add_test(tcase, retry_after_in_seconds_and_as_a_date);
	tcase_add_test(tcase, a_redirect_is_an_answer);
	tcase_add_test(tcase, packed_bodies_are_unpacked);
	tcase_add_test(tcase, a_bomb_stops_at_the_limit);
	tcase_add_test(tcase, a_body_may_have_the_limit_and_no_byte_more);
	tcase_add_test(tcase, of_any_type_the_beginning_is_kept);
	tcase_add_test(tcase, endless_headers_end);
	tcase_add_test(tcase, who_is_slow_or_silent_times_out);
	tcase_add_test(tcase, what_is_cut_short_or_no_http_is_a_network_error);
	tcase_add_test(tcase, a_closed_port_is_a_network_error);
	tcase_add_test(tcase, loopback_is_refused);
	tcase_add_test(tcase, an_open_connection_does_not_pass_the_guard);
	tcase_add_test(tcase, an_allowed_network_is_reached);
	tcase_add_test(tcase, a_proxy_of_the_environment_is_not_used);
	tcase_add_test(tcase, private_addresses_are_refused_before_a_packet);
	tcase_add_test(tcase, many_fetches_run_at_once);
	tcase_add_test(tcase, a_fetcher_may_be_destroyed_while_fetching);
	tcase_add_test(tcase, an_abort_answers_what_is_under_way);
	tcase_add_test(tcase, another_thread_ends_the_wait);
	suite_add_tcase(suite, tcase);
	return suite;
}
