#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/crawl/bombs.h"
#include "tests/unit/crawl/client.h"
#include "tests/unit/run.h"

/* Sanitizers keep freed memory, and a shadow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
enum { BOMB_KB = 8 * 1024 };
#else
enum { BOMB_KB = 1024 };
#endif
/* A decoder of brotli holds its window; libcurl's would, too. */
enum { BROTLI_KB = 17 * 1024 };

#define CHUNKED OK_HTML "Transfer-Encoding: chunked\r\n\r\n"
#define GZIP    OK_HTML "Content-Encoding: gzip\r\n\r\n"
#define FOUND   "HTTP/1.1 302 Found\r\nLocation: /"
#define FILLER  "X-Filler: aaaaaaaaaaaaaaaaaaaaaaa\r\n"
#define FORTY   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

enum { FOR_EVER = 1 << 30 };

static void exact(int socket, const char *request)
{
	static char text[CLIENT_MAX_BODY];

	(void)request;
	memset(text, 'x', sizeof(text));
	server_send_text(socket, OK_HTML "\r\n");
	server_send(socket, text, sizeof(text));
}

/* Some 2000 bytes a second, for ever. */
static void drip(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML "\r\n");
	while (server_send_text(socket, "<p>drip</p><p>drip</p>"))
		usleep(10000);
}

static void many_cookies(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML);
	for (int i = 0; i < 2000; i++) {
		char line[64];

		snprintf(line, sizeof(line), "Set-Cookie: c%d=%040d\r\n", i, i);
		server_send_text(socket, line);
	}
	server_send_text(socket, "Content-Length: 5\r\n\r\nhello");
}

static void slow_headers(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < 600 && server_send_text(socket, "X"); i++)
		usleep(50000);
}

static void slow_body(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, OK_HTML "Content-Length: 1000\r\n\r\n");
	for (int i = 0; i < 600 && server_send_text(socket, "x"); i++)
		usleep(50000);
}

static void silent(int socket, const char *request)
{
	char byte;

	(void)request;
	/* until the client leaves */
	while (read(socket, &byte, 1) > 0)
		;
}

/* The connection ends by RST, after the sent bytes. */
static void reset(int socket, const char *text)
{
	struct linger linger = {.l_onoff = 1};

	server_send_text(socket, text);
	usleep(50000);
	setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(socket);
}

static void reset_in_body(int socket, const char *request)
{
	(void)request;
	reset(socket, OK_HTML "Content-Length: 10\r\n\r\nhello");
}

static void reset_in_head(int socket, const char *request)
{
	(void)request;
	reset(socket, OK_HTML);
}

static void reset_in_missing(int socket, const char *request)
{
	(void)request;
	reset(socket, "HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nhello");
}

static void nul_in_header(int socket, const char *request)
{
	static const char head[] = OK_HTML "X-Nul: a\0b\r\nETag: \"a\0b\"\r\n"
					   "Content-Length: 5\r\n\r\nhello";

	(void)request;
	server_send(socket, head, sizeof(head) - 1);
}

static void nul_in_location(int socket, const char *request)
{
	static const char head[] = "HTTP/1.1 302 Found\r\nLocation: /a\0b\r\n"
				   "Content-Length: 0\r\n\r\n";

	(void)request;
	server_send(socket, head, sizeof(head) - 1);
}

static void packed_by_zstd(int socket, const char *request)
{
	/* a raw block in a frame without a checksum, as zstd writes it */
	static const char frame[] = "\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";

	(void)request;
	server_send_text(socket, OK_HTML "Content-Encoding: zstd\r\n\r\n");
	server_send(socket, frame, sizeof(frame) - 1);
}

static const struct route routes[] = {
	{.path = "/exact", .handler = exact},
	{.path = "/drip", .handler = drip},
	{.path = "/many-cookies", .handler = many_cookies},
	{.path = "/slow-headers", .handler = slow_headers},
	{.path = "/slow-body", .handler = slow_body},
	{.path = "/silent", .handler = silent},
	{.path = "/reset-in-body", .handler = reset_in_body},
	{.path = "/reset-in-head", .handler = reset_in_head},
	{.path = "/reset-in-missing", .handler = reset_in_missing},
	{.path = "/nul-in-header", .handler = nul_in_header},
	{.path = "/nul-in-location", .handler = nul_in_location},
	{.path = "/packed-zstd", .handler = packed_by_zstd},
	{.path = "/bomb-gzip", .handler = bomb_gzip},
	{.path = "/bomb-gzip-twice", .handler = bomb_gzip_twice},
	{.path = "/bomb-brotli", .handler = bomb_brotli},
	{.path = "/endless",
	 .answer = OK_HTML "\r\n",
	 .repeated = FORTY,
	 .times = FOR_EVER},
	{.path = "/endless-missing",
	 .answer = "HTTP/1.1 404 Not Found\r\n\r\n",
	 .repeated = FORTY,
	 .times = FOR_EVER},
	{.path = "/endless-headers",
	 .answer = "HTTP/1.1 200 OK\r\n",
	 .repeated = FILLER,
	 .times = FOR_EVER},
	{.path = "/endless-header",
	 .answer = "HTTP/1.1 200 OK\r\nX-Filler: ",
	 .repeated = FORTY,
	 .times = FOR_EVER},
	{.path = "/endless-hints",
	 .repeated = "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n",
	 .times = FOR_EVER},
	{.path = "/endless-trailers",
	 .answer = CHUNKED "5\r\nhello\r\n0\r\n",
	 .repeated = FILLER,
	 .times = FOR_EVER},
	{.path = "/endless-chunk-size",
	 .answer = CHUNKED,
	 .repeated = "0000000000000000000000000000000",
	 .times = FOR_EVER},
	{.path = "/endless-extension",
	 .answer = CHUNKED "5;x=",
	 .repeated = FORTY,
	 .times = FOR_EVER},
	/* chunks of one byte, with a name */
	{.path = "/long-extensions",
	 .answer = CHUNKED,
	 .repeated = "1;name=" FORTY "\r\nx\r\n",
	 .times = FOR_EVER},
	{.path = "/small-chunks",
	 .answer = CHUNKED,
	 .repeated = "1\r\nx\r\n",
	 .times = CLIENT_MAX_BODY,
	 .end = "0\r\n\r\n"},
	{.path = "/many-headers",
	 .answer = OK_HTML,
	 .repeated = "A: b\r\n",
	 .times = 12000,
	 .end = "Content-Length: 5\r\n\r\nhello"},
	{.path = "/long-location",
	 .answer = FOUND,
	 .repeated = "aaaaaaaaaa",
	 .times = 10000,
	 .end = "\r\nContent-Length: 0\r\n\r\n"},
	{.path = "/longish-location",
	 .answer = FOUND,
	 .repeated = "aaaaaaaaaa",
	 .times = 5000,
	 .end = "\r\nContent-Length: 0\r\n\r\n"},
	{.path = "/packed", .answer = GZIP, .command = "printf hello | gzip"},
	{.path = "/packed-twice",
	 .answer = OK_HTML "Content-Encoding: gzip, x-gzip\r\n\r\n",
	 .command = "printf hello | gzip | gzip"},
	{.path = "/packed-thrice",
	 .answer = OK_HTML "Content-Encoding: gzip\r\n"
			   "Content-Encoding: gzip, gzip\r\n\r\n",
	 .command = "printf hello | gzip | gzip | gzip"},
	/* two megabytes of lines, a third of each new: 1:50 or so */
	{.path = "/packed-well",
	 .answer = GZIP,
	 .command =
		 "seq -f '<tr><td class=number>%06.0f</td><td class=name>the "
		 "same text in each of the rows of the table, again and again, "
		 "so that it packs well, as tables do, as long as nobody "
		 "looks</td></tr>' 12000 | gzip -9"},
	{.path = "/packed-short",
	 .answer = GZIP,
	 .command = "seq 10000 | gzip | head -c 10000"},
	{.path = "/badly-packed",
	 .answer = OK_HTML "Content-Encoding: gzip\r\n"
			   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/packed-empty",
	 .answer = OK_HTML "Content-Encoding: gzip\r\n"
			   "Content-Length: 0\r\n\r\n"},
	{.path = "/coded-none",
	 .answer = OK_HTML "Content-Encoding: none\r\n"
			   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/coded-oddly",
	 .answer = OK_HTML "Content-Encoding: UTF-8, text/html, 8bit\r\n"
			   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/transferred-oddly",
	 .answer = OK_HTML "Transfer-Encoding: none\r\n\r\nhello"},
	{.path = "/coded-compress",
	 .answer = OK_HTML "Content-Encoding: compress\r\n"
			   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/packed-transfer",
	 .answer = OK_HTML "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
	{.path = "/short", .answer = OK_HTML "Content-Length: 10\r\n\r\nhello"},
	{.path = "/short-empty",
	 .answer = OK_HTML "Content-Length: 10\r\n\r\n"},
	{.path = "/short-chunk",
	 .answer = OK_HTML "Transfer-Encoding: chunked\r\n\r\n9\r\nhello"},
	{.path = "/no-last-chunk",
	 .answer = OK_HTML "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"},
	{.path = "/bad-chunk",
	 .answer = OK_HTML "Transfer-Encoding: chunked\r\n\r\n"
			   "5\r\nhello\r\nzz\r\n"},
	{.path = "/long",
	 .answer = OK_HTML "Content-Length: 5\r\n\r\nhello and more"},
	{.path = "/no-length",
	 .answer = OK_HTML "Content-Length: five\r\n\r\nhello"},
	{.path = "/negative",
	 .answer = OK_HTML "Content-Length: -5\r\n\r\nhello"},
	{.path = "/huge",
	 .answer = OK_HTML "Content-Length: 99999999999999999999\r\n\r\n"
			   "hello"},
	{.path = "/two-lengths",
	 .answer = OK_HTML "Content-Length: 5\r\n"
			   "Content-Length: 50\r\n\r\nhello"},
	{.path = "/status-999",
	 .answer = "HTTP/1.1 999 Request denied\r\n"
		   "Content-Length: 5\r\n\r\nhello"},
	{.path = "/status-000", .answer = "HTTP/1.1 000 No\r\n\r\nhello"},
	{.path = "/status-long", .answer = "HTTP/1.1 2000 OK\r\n\r\nhello"},
	{.path = "/http-9", .answer = "HTTP/9.9 200 OK\r\n\r\nhello"},
	{.path = "/no-http", .answer = "hello\r\n"},
	{.path = "/ssh", .answer = "SSH-2.0-OpenSSH_9.2p1\r\n"},
	{.path = "/hang-up", .answer = ""},
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

TEST(a_body_may_have_the_limit_and_no_byte_more)
{
	client_fetch(&client, "/exact");
	ASSERT_OK(client.result.error);
	ck_assert(!client.result.is_cut);
	ck_assert_uint_eq(client.result.body.size, CLIENT_MAX_BODY);
	client_ask(
		&client, "/exact",
		(struct fetch_request){.max_body_bytes = CLIENT_MAX_BODY - 1});
	client_check_cut(&client, CLIENT_MAX_BODY - 1, false);
	client_fetch(&client, "/endless");
	client_check_cut(&client, CLIENT_MAX_BODY, false);
}

TEST(an_unwanted_body_is_not_read_to_its_end)
{
	client_fetch(&client, "/endless-missing");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 404);
	ck_assert_uint_eq(client.result.body.size, 0);
	ck_assert_uint_lt(client.result.wire_bytes, 1 << 18);
}

static void check_errors(const char *const *paths, enum error error)
{
	for (; *paths != NULL; paths++) {
		client_fetch(&client, *paths);
		client_check_error(&client, error);
	}
}

#define CHECK_ERRORS(error, ...) \
	check_errors((const char *const[]){__VA_ARGS__, NULL}, error)

static void check_hello(const char *const *paths)
{
	for (; *paths != NULL; paths++) {
		client_fetch(&client, *paths);
		client_check_body(&client, "hello");
	}
}

#define CHECK_HELLO(...) check_hello((const char *const[]){__VA_ARGS__, NULL})

static void check_large_head(const char *path)
{
	client_fetch(&client, path);
	client_check_error(&client, ERR_TOO_LARGE);
	ck_assert_uint_lt(client.result.wire_bytes, 150000);
}

TEST(heads_have_a_limit)
{
	static const char *const paths[] = {
		"/endless-headers", "/endless-header", "/endless-hints",
		"/many-headers",    "/many-cookies",   "/long-location"};

	for (size_t i = 0; i < COUNT_OF(paths); i++)
		check_large_head(paths[i]);
	/* what is in time: a Location that is no URL by its length */
	client_fetch(&client, "/longish-location");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 302);
	ck_assert_str_eq(client.result.redirect, "");
}

TEST(the_framing_has_a_limit)
{
	client_fetch(&client, "/endless-trailers");
	ck_assert_int_eq(client.result.error, ERR_TOO_LARGE);
	CHECK_ERRORS(ERR_NETWORK, "/endless-chunk-size");
}

TEST(bytes_between_chunks_have_a_limit)
{
	CHECK_ERRORS(ERR_TOO_LARGE, "/endless-extension");
	ck_assert_ptr_nonnull(
		strstr(client.result.reason, "in addition to the body"));
	CHECK_ERRORS(ERR_TOO_LARGE, "/long-extensions");
	client_fetch(&client, "/small-chunks");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.body.size, CLIENT_MAX_BODY);
}

/* With a simulated clock: a step takes a tenth of a second. */
static void run_until_result(size_t waiting)
{
	static uint64_t now_ms = 1000;

	fetch_result_free(&client.result);
	while (!fetcher_next(client.fetcher, &client.result)) {
		fetcher_report_backlog(client.fetcher, waiting, now_ms += 100);
		fetcher_run(client.fetcher, 100);
	}
}

/* Two connections drip, and one is waited for. */
TEST(a_slow_request_makes_room_for_a_waiting_one)
{
	struct url url = client_url(&client, "/drip");

	client.options.total_timeout_ms = 600 * 1000;
	client_renew(&client);
	client_begin(&client, &url, true, NULL);
	client_begin(&client, &url, true, NULL);
	run_until_result(1);
	client_check_error(&client, ERR_TIMEOUT);
	ck_assert_str_eq(client.result.reason,
			 "too slow while other requests wait");
	ck_assert_uint_eq(fetcher_running(client.fetcher), 1);
	fetcher_abort(client.fetcher);
	run_until_result(0);
	client_check_error(&client, ERR_STOPPED);
}

TEST(a_slow_request_may_continue_while_none_waits)
{
	client.options.total_timeout_ms = 4000;
	client_renew(&client);
	client_fetch(&client, "/drip");
	ck_assert_str_ne(client.result.reason,
			 "too slow while other requests wait");
}

TEST(a_slow_or_silent_server_times_out)
{
	client.options.stall_timeout_ms = 1000;
	client_renew(&client);
	CHECK_ERRORS(ERR_TIMEOUT, "/silent");
	ck_assert_uint_lt(client.result.elapsed_us, 10000000);
	CHECK_ERRORS(ERR_TIMEOUT, "/slow-headers", "/slow-body");
	client.options.stall_timeout_ms = 30000;
	client.options.total_timeout_ms = 500;
	client_renew(&client);
	CHECK_ERRORS(ERR_TIMEOUT, "/slow-headers", "/slow-body");
	ck_assert_uint_lt(client.result.elapsed_us, 2000000);
}

static void check_hello_of(const char *path)
{
	client_fetch(&client, path);
	client_check_cut(&client, 5, true);
	ck_assert_str_eq(client.result.body.data, "hello");
	ck_assert_uint_eq(client.result.http_status, 200);
}

TEST(the_received_part_of_a_broken_body_is_kept)
{
	check_hello_of("/short");
	check_hello_of("/short-chunk");
	check_hello_of("/no-last-chunk");
	check_hello_of("/bad-chunk");
	check_hello_of("/reset-in-body");
	client_fetch(&client, "/reset-in-missing");
	ASSERT_OK(client.result.error);
	ck_assert(!client.result.is_cut);
	ck_assert_uint_eq(client.result.http_status, 404);
}

TEST(without_a_byte_of_the_body_it_is_an_error)
{
	CHECK_ERRORS(ERR_NETWORK, "/short-empty", "/reset-in-head");
}

TEST(wrong_lengths)
{
	CHECK_HELLO("/long");
	CHECK_ERRORS(ERR_NETWORK, "/no-length", "/negative");
	client_fetch(&client, "/two-lengths");
	client_check_cut(&client, 5, true);
	client_fetch(&client, "/huge");
	client_check_body(&client, "hello"); /* as without a length */
}

TEST(a_response_that_is_not_http_is_a_network_error)
{
	CHECK_ERRORS(ERR_NETWORK, "/no-http", "/ssh", "/hang-up", "/http-9",
		     "/status-long");
}

TEST(strange_statuses_are_answers)
{
	client_fetch(&client, "/status-999");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.http_status, 999);
	client_fetch(&client, "/status-000");
	ck_assert_uint_eq(client.result.body.size, 0);
}

TEST(a_nul_does_no_harm)
{
	client_fetch(&client, "/nul-in-header");
	ck_assert_str_eq(client.result.etag, "");
	client_fetch(&client, "/nul-in-location");
	ck_assert_ptr_null(strstr(client.result.redirect, "/a/"));
}

TEST(packed_bodies_are_unpacked)
{
	CHECK_HELLO("/packed", "/packed-twice");
	client_fetch(&client, "/packed-empty");
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.body.size, 0);
	ck_assert(!client.result.is_cut);
}

TEST(a_coding_that_is_none_is_ignored)
{
	CHECK_HELLO("/coded-none", "/coded-oddly", "/transferred-oddly",
		    "/packed-zstd");
}

TEST(codings_that_cannot_be_decoded_are_refused)
{
	CHECK_ERRORS(ERR_MALFORMED, "/packed-thrice", "/coded-compress",
		     "/packed-transfer", "/badly-packed");
}

TEST(a_packed_body_that_stops_is_cut)
{
	client_fetch(&client, "/packed-short");
	ASSERT_OK(client.result.error);
	ck_assert(client.result.is_cut);
	ck_assert(client.result.is_broken);
	ck_assert_uint_gt(client.result.body.size, 10000);
	ck_assert_uint_lt(client.result.body.size, 48894); /* of seq 10000 */
}

TEST(a_well_compressed_body_is_no_bomb)
{
	client_ask(&client, "/packed-well",
		   (struct fetch_request){.max_body_bytes = 8 << 20});
	ck_assert_msg(client.result.error == ERR_NONE, "%s",
		      client.result.reason);
	ck_assert_uint_gt(client.result.body.size, 2000000);
	ck_assert_uint_gt(client.result.body.size,
			  client.result.wire_bytes * 30);
}

static void check_bomb(const char *path, long most_kb)
{
	long before_kb;

	client_fetch(&client, "/packed"); /* so that libcurl is warm */
	before_kb = bomb_peak_kb();
	client_ask(&client, path,
		   (struct fetch_request){.max_body_bytes = 64 << 20});
	client_check_error(&client, ERR_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(client.result.reason, "bomb"));
	printf("%s: %ld KB, %lu bytes of the wire, %lu us: %s\n", path,
	       bomb_peak_kb() - before_kb,
	       (unsigned long)client.result.wire_bytes,
	       (unsigned long)client.result.elapsed_us, client.result.reason);
	ck_assert_int_le(bomb_peak_kb() - before_kb, most_kb);
	ck_assert_uint_lt(client.result.wire_bytes, 20000);
}

TEST(a_bomb_stops_early_and_costs_little)
{
	check_bomb("/bomb-gzip", BOMB_KB);
	check_bomb("/bomb-gzip-twice", BOMB_KB);
	client_fetch(&client, "/bomb-gzip");
	client_check_cut(&client, CLIENT_MAX_BODY, false);
}

TEST(a_bomb_of_brotli_costs_its_window)
{
	check_bomb("/bomb-brotli", BROTLI_KB + BOMB_KB);
}
