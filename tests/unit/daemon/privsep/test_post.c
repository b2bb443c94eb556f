/* The notifier: POST requests through a process, and a process that lies. */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/messages.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

enum { TIMEOUT_MS = 1000, PATIENCE = 100, LARGE = 300 * 1000 };

static struct server server;
static struct fetcher_client *notifier;
static const char nowhere[] = "http://a.invalid/";

/* 204 when the request is as it must be, else 400. */
static void check_request(int socket, const char *request)
{
	bool is_well =
		strncmp(request, "POST /checked HTTP/1.1\r\n", 24) == 0 &&
		strstr(request, "\r\nX-One: a\r\n") != NULL &&
		strstr(request, "\r\nUser-Agent: tester\r\n") != NULL &&
		strstr(request, "\r\nAccept: */*\r\n") != NULL &&
		strstr(request, "\r\nContent-Length: 4\r\n") != NULL &&
		strstr(request, "Expect") == NULL &&
		strstr(request, "Accept-Encoding") == NULL;

	server_send_text(socket, is_well ? "HTTP/1.1 204 No Content\r\n\r\n"
					 : "HTTP/1.1 400 Bad Request\r\n"
					   "Content-Length: 0\r\n\r\n");
}

/* 204 to the user "a" with the password "b". */
static void check_user(int socket, const char *request)
{
	server_send_text(socket,
			 strstr(request, "\r\nAuthorization: Basic YTpi\r\n") !=
					 NULL
				 ? "HTTP/1.1 204 No Content\r\n\r\n"
				 : "HTTP/1.1 401 Unauthorized\r\n"
				   "Content-Length: 0\r\n\r\n");
}

/* It accepts, and never comes to an end. */
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

static struct fetcher_client *create(struct spawner *spawner, role_main *role,
				     const char *network)
{
	struct network allowed;

	ck_assert_int_eq(network_parse(network, &allowed), ERR_NONE);
	return fetcher_client_create(&(struct fetcher_client_options){
		.fetch = {.user_agent = "tester",
			  .connect_timeout_ms = TIMEOUT_MS,
			  .total_timeout_ms = TIMEOUT_MS,
			  .max_body_bytes = 1,
			  .allowed = &allowed,
			  .allowed_count = 1},
		.spawner = spawner,
		.main = role,
		.is_notifier = true,
	});
}

static void begin(void)
{
	static const struct route routes[] = {
		{.path = "/checked", .handler = check_request},
		{.path = "/user", .handler = check_user},
		{.path = "/pour", .handler = pour},
		{.path = "/hang", .handler = hang},
		{.path = "/moved",
		 .answer = "HTTP/1.1 302 Found\r\nLocation: /checked\r\n"
			   "Content-Length: 0\r\n\r\n"},
		{.path = "/cut",
		 .answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"},
		{.path = "/coded",
		 .answer = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n"
			   "Content-Length: 1\r\n\r\nx"},
		{.path = "/fresh", .answer = "HTTP/1.1 304 Fresh\r\n\r\n"},
		{.path = "/junk", .answer = "hello\r\n\r\n"},
	};

	server = server_start(routes, sizeof(routes) / sizeof(routes[0]));
	notifier = create(NULL, NULL, "127.0.0.1");
	ck_assert_ptr_nonnull(notifier);
}

static void end(void)
{
	fetcher_client_destroy(notifier);
	server_stop(&server);
}

static void begin_post(const char *target, struct slice body,
		       const char *headers)
{
	struct url url;

	ck_assert_int_eq(url_parse(&url, slice_of(target), NULL), ERR_NONE);
	fetcher_client_start(notifier,
			     &(struct fetch_request){
				     .url = &url,
				     .is_port_ok = true,
				     .is_network_ok = true,
				     .headers = headers,
				     .post = &(struct fetch_post){.url = target,
								  .body = body},
				     .context = &server,
			     },
			     false);
}

static struct fetch_result post_to(const char *target, struct slice body)
{
	struct fetch_result result = {.error = ERR_STOPPED};

	begin_post(target, body, "X-One: a\n");
	for (int i = 0; i < PATIENCE && !fetcher_client_next(notifier, &result);
	     i++)
		fetcher_client_run(notifier, TIMEOUT_MS, NULL, 0);
	fetch_result_free(&result);
	return result;
}

static struct fetch_result post_as(const char *user, const char *path)
{
	char url[128];

	snprintf(url, sizeof(url), "http://%s127.0.0.1:%u%s", user, server.port,
		 path);
	return post_to(url, slice_of("body"));
}

static struct fetch_result post(const char *path)
{
	return post_as("", path);
}

FIXTURE(.timeout_s = 30, .setup = begin, .teardown = end);

TEST(a_request_has_the_headers_and_the_user)
{
	struct fetch_result result = post("/checked");

	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 204);
	ck_assert_ptr_eq(result.context, &server);
	ck_assert_uint_eq(post_as("a:b@", "/user").http_status, 204);
}

TEST(a_private_address_must_be_allowed)
{
	struct fetch_result result;

	fetcher_client_destroy(notifier);
	notifier = create(NULL, NULL, "127.0.0.2");
	result = post("/checked");
	ck_assert_int_eq(result.error, ERR_ADDRESS_FORBIDDEN);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_str_eq(result.reason,
			 "127.0.0.1 is a private address: add its network to "
			 "hooks.allowed_networks");
}

/* Redirects, 304, and a coding that the notifier cannot decode. */
TEST(every_status_is_an_answer)
{
	static const struct {
		const char *path;
		unsigned status;
	} cases[] = {{"/moved", 302}, {"/fresh", 304}, {"/coded", 200}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fetch_result result = post(cases[i].path);

		ck_assert_int_eq(result.error, ERR_NONE);
		ck_assert_uint_eq(result.http_status, cases[i].status);
	}
}

TEST(an_endless_answer_is_cut_and_counts)
{
	struct fetch_result result = post("/pour");

	ck_assert_int_eq(result.error, ERR_NONE);
	ck_assert_uint_eq(result.http_status, 200);
	ck_assert_uint_eq(result.body.size, 0);
}

TEST(a_broken_answer_is_none)
{
	ck_assert_int_eq(post("/cut").error, ERR_NETWORK);
	ck_assert_int_eq(post("/junk").error, ERR_NETWORK);
}

TEST(a_server_that_does_not_respond_is_given_up)
{
	struct fetch_result result = post("/hang");

	ck_assert_int_eq(result.error, ERR_TIMEOUT);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_str_ne(result.reason, "");
}

TEST(other_schemes_are_refused)
{
	struct url url;

	url_parse(&url, slice_of("http://127.0.0.1/"), NULL);
	fetcher_client_start(
		notifier,
		&(struct fetch_request){
			.url = &url,
			.is_port_ok = true,
			.is_network_ok = true,
			.post = &(
				struct fetch_post){.url = "file:///etc/passwd"},
		},
		false);
	ck_assert_int_ne(post_to("http://127.0.0.1:1/", slice_of("")).error,
			 ERR_NONE);
}

TEST(a_wait_ends_when_a_descriptor_is_readable_or_it_is_woken)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	/* the test would be killed by its time limit */
	fetcher_client_run(notifier, UINT32_MAX, ends, 1);
	fetcher_client_wake(notifier);
	fetcher_client_run(notifier, UINT32_MAX, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

/* A socket that listens on a free port of loopback; url_out [64] leads there.
 */
static int listen_here(char *url_out)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int file = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(file, (struct sockaddr *)&address, size), 0);
	ck_assert_int_eq(listen(file, 1), 0);
	ck_assert_int_eq(getsockname(file, (struct sockaddr *)&address, &size),
			 0);
	snprintf(url_out, 64, "http://127.0.0.1:%u/", ntohs(address.sin_port));
	return file;
}

TEST(running_requests_end_with_the_notifier)
{
	char url[64];
	char text[4096];
	int listener = listen_here(url);
	int peer;

	begin_post(url, slice_of(""), NULL);
	peer = accept(listener, NULL, NULL);
	ck_assert_int_gt(recv(peer, text, sizeof(text), 0), 0);
	fetcher_client_destroy(notifier);
	notifier = NULL;
	ck_assert_int_eq(recv(peer, text, sizeof(text), 0), 0);
	close(peer);
	close(listener);
}

/* The result of a forged notifier for the request `id`, and more frames. */
typedef void forge(struct channel *channel, uint64_t id, size_t body_size);

/* Send the result, and free it. */
static void send_result(struct channel *channel, uint64_t id,
			struct fetch_result result)
{
	struct buffer head = fetch_result_encode(id, &result, NULL);

	channel_send(channel,
		     &(struct frame_parts){.kind = FETCH_RESULT,
					   .head = buffer_slice(&head),
					   .body = buffer_slice(&result.body),
					   .file = -1});
	buffer_free(&head);
	fetch_result_free(&result);
}

/* A notifier that has `answer` say what has become of a request. */
static void run_forged(int socket, forge *answer)
{
	struct channel channel = channel_of(socket, FETCH_MAX_POST_BYTES);
	struct fetch_message message;
	struct channel_frame frame;

	channel_send(&channel,
		     &(struct frame_parts){.kind = FETCH_READY, .file = -1});
	while (channel_receive(&channel, -1, &frame) == ERR_NONE) {
		if (frame.kind == FETCH_START &&
		    fetch_message_decode(frame.head, &message))
			answer(&channel, message.id, frame.body.size);
		frame_free(&frame);
	}
	channel_close(&channel);
}

/* The forged ones, each with its main function. */
#define FORGED(name)                           \
	static void name##_main(int socket)    \
	{                                      \
		run_forged(socket, name##_it); \
	}

static void wrong_id_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)size;
	send_result(channel, id + 1, (struct fetch_result){.http_status = 204});
}
FORGED(wrong_id)

static void twice_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)size;
	send_result(channel, id, (struct fetch_result){.http_status = 204});
	send_result(channel, id, (struct fetch_result){.http_status = 204});
}
FORGED(twice)

static void wrong_error_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)size;
	send_result(channel, id, (struct fetch_result){.error = ERR_IO});
}
FORGED(wrong_error)

static void wrong_status_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)size;
	send_result(channel, id, (struct fetch_result){.http_status = 1204});
}
FORGED(wrong_status)

static void with_large_body_it(struct channel *channel, uint64_t id,
			       size_t size)
{
	struct fetch_result result = {.http_status = 200};

	(void)size;
	memset(buffer_reserve(&result.body, MAX_POST_ANSWER + 1), 'x',
	       MAX_POST_ANSWER + 1);
	result.body.size = MAX_POST_ANSWER + 1;
	send_result(channel, id, result);
}
FORGED(with_large_body)

/* 204 when a large body has come whole. */
static void large_it(struct channel *channel, uint64_t id, size_t size)
{
	send_result(channel, id,
		    (struct fetch_result){.http_status =
						  size == LARGE ? 204 : 400});
}
FORGED(large)

static void crash_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)channel;
	(void)id;
	(void)size;
	raise(SIGUSR1);
}
FORGED(crash)

static void leave_it(struct channel *channel, uint64_t id, size_t size)
{
	(void)id;
	(void)size;
	shutdown(channel->socket, SHUT_RDWR);
}
FORGED(leave)

static const struct role_program mains[ROLE_COUNT] = {
	[ROLE_SPAWNER] = {spawner_main, NULL},
	[ROLE_NOTIFIER] = {crash_main, NULL},
};

/* The test is its own program, executed again. */
__attribute__((constructor)) static void be_a_role(int count, char **values)
{
	if (count == 3 && strcmp(values[1], "--role") == 0)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread yet */
		exit(process_main(values[2], mains));
}

static void begin_forged(role_main *role)
{
	notifier = create(NULL, role, "127.0.0.1");
	ck_assert_ptr_nonnull(notifier);
}

FIXTURE(.timeout_s = 30);

TEST(a_large_body_comes_whole)
{
	struct buffer body = {0};

	memset(buffer_reserve(&body, LARGE), 'x', LARGE);
	body.size = LARGE;
	begin_forged(large_main);
	ck_assert_uint_eq(post_to(nowhere, buffer_slice(&body)).http_status,
			  204);
	fetcher_client_destroy(notifier);
	buffer_free(&body);
}

TEST(headers_that_no_frame_holds_are_too_large)
{
	char *headers = malloc(FRAME_MAX_HEAD + 1);
	struct fetch_result result;

	ck_assert_ptr_nonnull(headers);
	memset(headers, 'x', FRAME_MAX_HEAD);
	headers[FRAME_MAX_HEAD] = '\0';
	begin_forged(large_main);
	begin_post(nowhere, slice_of(""), headers);
	ck_assert(fetcher_client_next(notifier, &result));
	ck_assert_int_eq(result.error, ERR_TOO_LARGE);
	fetcher_client_destroy(notifier);
	free(headers);
}

static role_main *const forgers[] = {
	wrong_id_main,
	wrong_error_main,
	wrong_status_main,
	with_large_body_main,
};

TEST_ROWS(malformed_messages_end_the_notifier, forgers)
{
	struct fetch_result result;

	begin_forged(forgers[_i]);
	result = post_to(nowhere, slice_of("body"));
	ck_assert_int_eq(result.error, ERR_NETWORK);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_str_eq(
		result.reason,
		"the notifier was stopped: it sent an invalid response");
	fetcher_client_destroy(notifier);
}

/* The second result is of the next request to a notifier that is gone. */
TEST(a_result_counts_once)
{
	begin_forged(twice_main);
	ck_assert_uint_eq(post_to(nowhere, slice_of("")).http_status, 204);
	fetcher_client_run(notifier, 100, NULL, 0);
	ck_assert_uint_eq(post_to(nowhere, slice_of("")).http_status, 204);
	fetcher_client_destroy(notifier);
}

TEST(a_notifier_that_exits_is_restarted_with_backoff)
{
	enum error error;

	begin_forged(leave_main);
	/* not sent again: the server may have got it */
	ck_assert_int_eq(post_to(nowhere, slice_of("")).error, ERR_NETWORK);
	/* at once for the first time */
	ck_assert_int_eq(post_to(nowhere, slice_of("")).error, ERR_NETWORK);
	ck_assert_int_eq(post_to(nowhere, slice_of("")).error, ERR_BUSY);
	do {
		usleep(10 * 1000);
		error = post_to(nowhere, slice_of("")).error;
	} while (error == ERR_BUSY);
	ck_assert_int_eq(error, ERR_NETWORK);
	fetcher_client_destroy(notifier);
}

TEST(the_end_of_the_process_is_described)
{
	struct spawner *spawner;

	ck_assert_int_eq(spawner_create(&spawner, false), ERR_NONE);
	notifier = create(spawner, NULL, "127.0.0.1");
	ck_assert_ptr_nonnull(notifier);
	ck_assert_str_eq(post_to(nowhere, slice_of("")).reason,
			 "the notifier has exited: signal 10 (User defined "
			 "signal 1)");
	fetcher_client_destroy(notifier);
	spawner_destroy(spawner);
}

/* A process that gets a condition and a body ends. */
TEST(a_body_for_a_conditional_get_is_refused)
{
	struct buffer options =
		fetch_options_encode(&(struct fetch_options){0});
	struct channel_frame frame;
	struct buffer head;
	struct process process;
	struct url url;

	url_parse(&url, slice_of(nowhere), NULL);
	head = fetch_message_encode(
		1, &(struct fetch_request){.url = &url, .etag = "a"}, false);
	ck_assert_int_eq(
		process_start(NULL,
			      &(struct process_options){.role = ROLE_NOTIFIER,
							.main = fetcher_main},
			      &process),
		ERR_NONE);
	channel_send(&process.channel,
		     &(struct frame_parts){.kind = FETCH_OPTIONS,
					   .head = buffer_slice(&options),
					   .file = -1});
	ck_assert_int_eq(channel_receive(&process.channel, -1, &frame),
			 ERR_NONE);
	frame_free(&frame);
	channel_send(&process.channel,
		     &(struct frame_parts){.kind = FETCH_START,
					   .head = buffer_slice(&head),
					   .body = slice_of("body"),
					   .file = -1});
	ck_assert_int_eq(channel_receive(&process.channel, -1, &frame),
			 ERR_STOPPED);
	process_end(NULL, &process, NULL);
	buffer_free(&head);
	buffer_free(&options);
}
