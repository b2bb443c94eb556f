#include "daemon/privsep/notifier_process.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

enum { TIMEOUT_MS = 1000, PATIENCE = 100 };

static struct server server;
static struct poster *poster;

/* 204 for the expected request, otherwise 400. */
static void check_request(int socket, const char *request)
{
	bool is_well =
		strncmp(request, "POST /checked HTTP/1.1\r\n", 24) == 0 &&
		strstr(request, "\r\nX-One: a\r\n") != NULL &&
		strstr(request, "\r\nUser-Agent: tester\r\n") != NULL &&
		strstr(request, "\r\nContent-Length: 4\r\n") != NULL &&
		strstr(request, "Expect") == NULL;

	server_send_text(socket, is_well ? "HTTP/1.1 204 No Content\r\n\r\n"
					 : "HTTP/1.1 400 Bad Request\r\n"
					   "Content-Length: 0\r\n\r\n");
}

/* It accepts, and never finishes. */
static void pour(int socket, const char *request)
{
	char block[4096];

	(void)request;
	memset(block, 'x', sizeof(block));
	server_send_text(socket, "HTTP/1.1 200 OK\r\n\r\n");
	while (server_send(socket, block, sizeof(block)))
		;
}

static void hang(int socket, const char *request)
{
	(void)socket;
	(void)request;
	poll(NULL, 0, TIMEOUT_MS * 5);
}

static void open_poster(const char *network)
{
	static struct network allowed;

	assert_ok(network_parse(network, &allowed));
	poster = poster_create(&(struct poster_options){
		.user_agent = "tester",
		.connect_timeout_ms = TIMEOUT_MS,
		.timeout_ms = TIMEOUT_MS,
		.allowed = &allowed,
		.allowed_count = 1,
	});
	ck_assert_ptr_nonnull(poster);
}

static void begin(void)
{
	static const struct route routes[] = {
		{.path = "/checked", .handler = check_request},
		{.path = "/pour", .handler = pour},
		{.path = "/hang", .handler = hang},
		{.path = "/moved",
		 .answer = "HTTP/1.1 302 Found\r\nLocation: /checked\r\n"
			   "Content-Length: 0\r\n\r\n"},
		{.path = "/cut",
		 .answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"},
		{.path = "/junk", .answer = "hello\r\n\r\n"},
	};

	server = server_start(routes, COUNT_OF(routes));
	open_poster("127.0.0.1");
}

static void end(void)
{
	poster_destroy(poster);
	server_stop(&server);
}

static struct post_result wait_for_result(void)
{
	struct post_result result = {.error = ERR_STOPPED};

	for (int i = 0; i < PATIENCE && !poster_next(poster, &result); i++)
		poster_run(poster, TIMEOUT_MS, NULL, 0);
	return result;
}

static struct post_result post(const char *path)
{
	char url[128];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", server.port, path);
	poster_start(poster, &(struct post_request){
				     .url = url,
				     .body = slice_of("body"),
				     .headers = {"X-One: a"},
				     .context = &server,
			     });
	return wait_for_result();
}

FIXTURE(.timeout_s = 30, .setup = begin, .teardown = end);

TEST(a_request_is_what_was_asked_for)
{
	struct post_result result = post("/checked");

	assert_ok(result.error);
	ck_assert_uint_eq(result.http_status, 204);
	ck_assert_ptr_eq(result.context, &server);
}

TEST(a_private_address_must_be_allowed)
{
	struct post_result result;

	poster_destroy(poster);
	open_poster("127.0.0.2");
	result = post("/checked");
	ck_assert_int_eq(result.error, ERR_ADDRESS_FORBIDDEN);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_ptr_nonnull(strstr(result.reason, "127.0.0.1 is a private"));
}

TEST(redirects_are_answers)
{
	struct post_result result = post("/moved");

	assert_ok(result.error);
	ck_assert_uint_eq(result.http_status, 302);
}

TEST(an_endless_answer_is_cut_and_counts)
{
	struct post_result result = post("/pour");

	assert_ok(result.error);
	ck_assert_uint_eq(result.http_status, 200);
}

TEST(a_broken_answer_is_none)
{
	ck_assert_int_eq(post("/cut").error, ERR_NETWORK);
	ck_assert_int_eq(post("/junk").error, ERR_NETWORK);
}

TEST(who_does_not_answer_is_left)
{
	struct post_result result = post("/hang");

	ck_assert_int_eq(result.error, ERR_TIMEOUT);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_str_ne(result.reason, "");
}

static enum error post_to(const char *url)
{
	poster_start(poster,
		     &(struct post_request){.url = url, .body = slice_of("")});
	return wait_for_result().error;
}

TEST(other_schemes_are_refused)
{
	ck_assert_int_ne(post_to("file:///etc/passwd"), ERR_NONE);
	ck_assert_int_ne(post_to("ftp://127.0.0.1/"), ERR_NONE);
	ck_assert_int_eq(post_to("http://"), ERR_MALFORMED);
}

TEST(a_wait_ends_when_a_descriptor_is_readable_or_it_is_woken)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	/* the test would be killed by its time limit */
	poster_run(poster, UINT32_MAX, ends, 1);
	poster_wake(poster);
	poster_run(poster, UINT32_MAX, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

TEST(unreadable_ca_files_are_reported)
{
	ck_assert_ptr_null(poster_create(&(struct poster_options){
		.user_agent = "tester",
		.ca_file = "/nonexistent",
		.connect_timeout_ms = 1,
		.timeout_ms = 1,
	}));
}

/* A socket that listens on a free port of loopback; url_out [64] leads there.
 */
static int listen_here(char *url_out)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	ck_assert_int_eq(bind(file, (struct sockaddr *)&address, size), 0);
	ck_assert_int_eq(listen(file, 1), 0);
	ck_assert_int_eq(getsockname(file, (struct sockaddr *)&address, &size),
			 0);
	snprintf(url_out, 64, "http://127.0.0.1:%u/", ntohs(address.sin_port));
	return file;
}

/* Return the received bytes, waiting this long; 0 if the other end is
 * closed. */
static ssize_t take(int file, int timeout_ms)
{
	struct pollfd ready = {.fd = file, .events = POLLIN};
	char text[4096];

	return poll(&ready, 1, timeout_ms) == 1
		       ? recv(file, text, sizeof(text), 0)
		       : -1;
}

TEST(what_is_under_way_ends_with_the_poster)
{
	char url[64];
	int listener = listen_here(url);
	int peer = -1;

	poster_start(poster,
		     &(struct post_request){.url = url, .body = slice_of("")});
	for (int i = 0; i < PATIENCE && peer < 0; i++) {
		poster_run(poster, 10, NULL, 0);
		peer = accept(listener, NULL, NULL);
	}
	for (int i = 0; i < PATIENCE && take(peer, 0) < 0; i++)
		poster_run(poster, 10, NULL, 0);
	ck_assert_int_lt(take(peer, 0), 0); /* it waits for the answer */
	poster_destroy(poster);
	poster = NULL;
	ck_assert_int_eq(take(peer, 5000), 0);
	close(peer);
	close(listener);
}
