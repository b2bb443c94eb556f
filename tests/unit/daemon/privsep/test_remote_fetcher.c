/* The fetcher process and its client, against a real server. */
#include "daemon/privsep/fetcher_client.h"

#include <pthread.h>
#include <unistd.h>

#include "crawl/sitemap.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

enum { LARGE_BYTES = 300 * 1000, PATIENCE_MS = 20 * 1000 };

#define OK_HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

static struct server server;
static uint16_t port;
static struct fetcher_client *remote;
static struct fetcher_client_options options;
static struct fetch_result result;

static void send_large(int socket, const char *request)
{
	static char letters[LARGE_BYTES];

	(void)request;
	memset(letters, 'a', sizeof(letters));
	server_send_text(socket, OK_HTML "Content-Length: 300000\r\n\r\n");
	server_send(socket, letters, sizeof(letters));
}

static void send_slowly(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML "\r\n");
	while (server_send_text(socket, "x"))
		usleep(200000);
}

static void send_never(int socket, const char *request)
{
	char byte;

	(void)request;
	while (read(socket, &byte, 1) > 0)
		;
}

static void echo_cookie(int socket, const char *request)
{
	const char *cookie = strstr(request, "\r\nCookie: ");

	server_send_text(socket, OK_HTML "\r\n");
	server_send_text(socket, cookie == NULL ? "none" : cookie);
}

static const struct route routes[] = {
	{.path = "/",
	 .answer = OK_HTML "ETag: \"1\"\r\nContent-Length: 5\r\n"
			   "X-Robots-Tag: noindex\r\n\r\nhello"},
	{.path = "/large", .handler = send_large},
	{.path = "/slow", .handler = send_slowly},
	{.path = "/never", .handler = send_never},
	{.path = "/cookie", .handler = echo_cookie},
	{.path = "/set", .answer = OK_HTML "Set-Cookie: a=b\r\n\r\n"},
	{.path = "/fresh", .answer = "HTTP/1.1 304 Not Modified\r\n\r\n"},
	{.path = "/moved",
	 .answer = "HTTP/1.1 301 Moved\r\nLocation: /new\r\n"
		   "Content-Length: 0\r\n\r\n"},
	{.path = "/map.txt",
	 .answer = "HTTP/1.1 200 OK\r\n\r\nhttp://a.test/1\n"
		   "http://a.test/2\n"},
	{.path = "/map.xml",
	 .answer = "HTTP/1.1 200 OK\r\n\r\n<urlset><url><loc>"
		   "http://a.test/1</loc></url><url>"},
};

static void open_remote(void)
{
	remote = fetcher_client_create(&options);
	ck_assert_ptr_nonnull(remote);
}

static void setup(void)
{
	server = server_start(routes, COUNT_OF(routes));
	port = server.port;
	options = (struct fetcher_client_options){
		.fetch = {.user_agent = "test",
			  .ports = &port,
			  .port_count = 1,
			  .keeps_headers = true},
	};
	result = (struct fetch_result){0};
	open_remote();
}

static void teardown(void)
{
	fetch_result_free(&result);
	fetcher_client_destroy(remote);
	server_stop(&server);
}

static void begin(const char *path, struct fetch_request request,
		  bool is_sitemap)
{
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s", port, path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	request.is_private_ok = true;
	fetcher_client_start(remote, &request, is_sitemap);
}

static void wait_for_result(void)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	fetch_result_free(&result);
	while (!fetcher_client_next(remote, &result)) {
		ck_assert_uint_lt(clock_steady_ms(), end_ms);
		fetcher_client_run(remote, 1000, NULL, 0);
	}
}

static void fetch(const char *path, struct fetch_request request)
{
	begin(path, request, false);
	wait_for_result();
	ck_assert_uint_eq(fetcher_client_running(remote), 0);
}

static bool has_text(const struct buffer *buffer, const char *text)
{
	return buffer->data != NULL && strstr(buffer->data, text) != NULL;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(a_page_comes_with_its_context)
{
	int context;

	fetch("/", (struct fetch_request){.context = &context});
	ck_assert_ptr_eq(result.context, &context);
	ASSERT_OK(result.error);
	ck_assert_uint_eq(result.http_status, 200);
	ck_assert_str_eq(result.body.data, "hello");
}

TEST(what_is_known_of_a_page_comes_along)
{
	fetch("/", (struct fetch_request){0});
	ck_assert(result.is_html && !result.is_cut && result.robots_tag == 2);
	ck_assert_str_eq(result.etag, "\"1\"");
}

TEST(so_do_the_facts_of_the_connection)
{
	fetch("/", (struct fetch_request){0});
	ck_assert_str_eq(result.address, "127.0.0.1");
	ck_assert_uint_eq(result.wire_bytes, 5 + result.head.size);
}

TEST(what_comes_too_late_is_not_asked_for)
{
	uint64_t now_ms = clock_lease_ms();

	fetch("/", (struct fetch_request){.not_after_ms = now_ms});
	ck_assert_int_eq(result.error, ERR_STOPPED);
	ck_assert_uint_eq(result.wire_bytes, 0);
	fetch("/", (struct fetch_request){.not_after_ms = now_ms + 60000});
	ASSERT_OK(result.error);
}

TEST(the_heads_of_both_messages_come_when_they_are_kept)
{
	fetch("/", (struct fetch_request){.headers = "X-Ours: yes\n"});
	ck_assert(has_text(&result.head, "HTTP/1.1 200 OK\r\n"));
	ck_assert(has_text(&result.request, "X-Ours: yes\r\n"));
	fetcher_client_destroy(remote);
	options.fetch.keeps_headers = false;
	open_remote();
	fetch("/", (struct fetch_request){0});
	ck_assert(result.head.size == 0 && result.request.size == 0);
	ck_assert_str_eq(result.body.data, "hello");
}

TEST(a_body_that_is_no_message_comes_whole)
{
	fetch("/large", (struct fetch_request){0});
	ck_assert_uint_eq(result.body.size, LARGE_BYTES);
	ck_assert_uint_eq(strspn(result.body.data, "a"), LARGE_BYTES);
	fetch("/large", (struct fetch_request){.max_body_bytes = 1000});
	ck_assert(result.is_cut && !result.is_broken);
	ck_assert_uint_eq(result.body.size, 1000);
}

TEST(answers_without_a_body)
{
	fetch("/moved", (struct fetch_request){0});
	ck_assert_uint_eq(result.http_status, 301);
	ck_assert_ptr_nonnull(strstr(result.redirect, "/new"));
	fetch("/fresh", (struct fetch_request){.etag = "\"1\""});
	ASSERT_OK(result.error);
	ck_assert_uint_eq(result.http_status, 304);
	fetch("/fresh", (struct fetch_request){0});
	ck_assert_int_eq(result.error, ERR_MALFORMED);
	ck_assert_str_eq(result.reason, "304 to a request without a condition");
}

TEST(cookies_go_there_and_come_back)
{
	struct cookies cookies = {0};

	fetch("/set", (struct fetch_request){.cookies = &cookies});
	ck_assert(has_text(&cookies.lines, "a\tb"));
	fetch("/cookie", (struct fetch_request){.cookies = &cookies});
	ck_assert(has_text(&result.body, "Cookie: a=b"));
	fetch("/cookie", (struct fetch_request){0});
	ck_assert_str_eq(result.body.data, "none");
	buffer_free(&cookies.lines);
}

static size_t count_entries(void)
{
	struct slice listing = buffer_slice(&result.body);
	struct sitemap_entry entry;
	size_t count = 0;

	while (sitemap_entries_next(&listing, &entry))
		count++;
	return count;
}

TEST(the_entries_of_a_sitemap_are_its_body)
{
	begin("/map.txt", (struct fetch_request){.any_type = true}, true);
	wait_for_result();
	ASSERT_OK(result.error);
	ck_assert_uint_eq(count_entries(), 2);
	/* it stops before its end */
	begin("/map.xml", (struct fetch_request){.any_type = true}, true);
	wait_for_result();
	ck_assert_int_eq(result.error, ERR_MALFORMED);
	ck_assert_uint_eq(count_entries(), 1);
	/* the file has moved */
	begin("/moved", (struct fetch_request){.any_type = true}, true);
	wait_for_result();
	ck_assert_uint_eq(result.http_status, 301);
	ck_assert_uint_eq(count_entries(), 0);
}

/* Without a word of the operator for this site. */
static void fetch_by_network(void)
{
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://127.0.0.1:%u/", port);
	url_parse(&url, slice_of(text), NULL);
	fetcher_client_start(remote,
			     &(struct fetch_request){.url = &url,
						     .is_network_ok = true,
						     .headers = "A: b\n"},
			     false);
	wait_for_result();
}

TEST(the_address_filter_is_the_fetchers)
{
	struct url url;

	url_parse(&url, slice_of("http://127.0.0.1/"), NULL);
	fetcher_client_start(remote, &(struct fetch_request){.url = &url},
			     false);
	wait_for_result();
	ck_assert_int_eq(result.error, ERR_ADDRESS_FORBIDDEN);
	fetcher_client_destroy(remote);
	options.fetch.allowed = &(struct network){
		.address = {[10] = 0xff, 0xff, 127}, .prefix = 104};
	options.fetch.allowed_count = 1;
	open_remote();
	options.fetch.allowed = NULL; /* nothing of it was kept */
	for (int i = 0; i < 3; i++) {
		fetch_by_network();
		ck_assert_str_eq(result.body.data, "hello");
	}
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(many_requests_run_at_once)
{
	for (int i = 0; i < 20; i++)
		begin(i % 2 == 0 ? "/large" : "/", (struct fetch_request){0},
		      false);
	ck_assert_uint_eq(fetcher_client_running(remote), 20);
	for (int i = 0; i < 20; i++) {
		wait_for_result();
		ASSERT_OK(result.error);
	}
	ck_assert_uint_eq(fetcher_client_running(remote), 0);
}

TEST(what_runs_is_aborted)
{
	begin("/never", (struct fetch_request){0}, false);
	fetcher_client_run(remote, 50, NULL, 0);
	ck_assert(!fetcher_client_next(remote, &result));
	fetcher_client_abort(remote);
	ck_assert_uint_eq(fetcher_client_running(remote), 0);
	ck_assert(fetcher_client_next(remote, &result));
	ck_assert_int_eq(result.error, ERR_STOPPED);
	/* and others may begin */
	fetch("/", (struct fetch_request){0});
	ck_assert_str_eq(result.body.data, "hello");
}

TEST(who_is_slow_makes_room_for_those_that_wait)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	begin("/slow", (struct fetch_request){0}, false);
	while (!fetcher_client_next(remote, &result)) {
		ck_assert_uint_lt(clock_steady_ms(), end_ms);
		fetcher_client_report_backlog(remote, 1);
		fetcher_client_run(remote, 1000, NULL, 0);
	}
	ck_assert_int_eq(result.error, ERR_TIMEOUT);
	ck_assert_str_eq(result.reason, "too slow while other requests wait");
}

static void *be_fetcher(void *context)
{
	fetcher_main(*(int *)context);
	return NULL;
}

static void tell(const struct channel *channel, uint32_t kind,
		 struct buffer head)
{
	ASSERT_OK(channel_send(
		channel, &(struct frame_parts){.kind = kind,
					       .head = buffer_slice(&head),
					       .file = -1}));
	buffer_free(&head);
}

/* ERR_NONE when the slow request ends, because waiting requests get this
 * error. */
static enum error press(const struct fetch_backlog *press, int patience_ms)
{
	struct fetch_request request = {.is_private_ok = true};
	struct channel_frame frame;
	struct channel channel;
	pthread_t thread;
	struct url url;
	int ends[2];
	char text[64];
	enum error error;

	snprintf(text, sizeof(text), "http://127.0.0.1:%u/slow", port);
	url_parse(&url, slice_of(text), NULL);
	request.url = &url;
	ASSERT_OK(channel_pair(ends));
	pthread_create(&thread, NULL, be_fetcher, &ends[1]);
	channel = channel_of(ends[0], LARGE_BYTES);
	tell(&channel, FETCH_OPTIONS, fetch_options_encode(&options.fetch));
	ck_assert_int_eq(channel_receive(&channel, PATIENCE_MS, &frame), 0);
	tell(&channel, FETCH_START, fetch_message_encode(1, &request, false));
	tell(&channel, FETCH_BACKLOG,
	     row_codec_encode(&fetch_backlog_layout, press));
	error = channel_receive(&channel, patience_ms, &frame);
	frame_free(&frame);
	channel_close(&channel);
	pthread_join(thread, NULL);
	return error;
}

TEST(who_waited_before_the_last_answer_is_not_counted)
{
	struct fetch_backlog wait = {.waiting = 1};

	ASSERT_OK(press(&wait, PATIENCE_MS));
	wait.answers = 1; /* no response yet */
	ck_assert_int_eq(press(&wait, 6000), ERR_TIMEOUT);
}

static void *wake_soon(void *context)
{
	usleep(50000);
	fetcher_client_wake(context);
	return NULL;
}

TEST(another_thread_ends_the_wait)
{
	uint64_t begin_ms = clock_steady_ms();
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, wake_soon, remote), 0);
	fetcher_client_run(remote, 30000, NULL, 0);
	pthread_join(thread, NULL);
	ck_assert_uint_lt(clock_steady_ms() - begin_ms, 10000);
}

TEST(a_request_that_is_too_long_is_not_sent)
{
	char headers[70 * 1000];

	memset(headers, 'a', sizeof(headers) - 1);
	headers[sizeof(headers) - 1] = '\0';
	fetch("/", (struct fetch_request){.headers = headers});
	ck_assert_int_eq(result.error, ERR_TOO_LARGE);
}

TEST(a_missing_file_of_authorities_is_an_error)
{
	options.fetch.ca_file = "/nonexistent/ca.pem";
	ck_assert_ptr_null(fetcher_client_create(&options));
}
