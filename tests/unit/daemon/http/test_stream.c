/* Streams, and responses from a file. */
#include "daemon/http/server.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum {
	LISTENERS = 2,
	LARGE = 300000, /* more than a socket holds */
	ALL_LARGE = 4 * LARGE,
	PATIENCE_MS = 10000,
	TIMEOUT_MS = 1000,
};

static char folder[64];
static char path[96];
static struct http_server *server;
/* What streams are to have said: "1\n2\n3\n" ... up to here; 0 is the end. */
static atomic_int said;
static atomic_int freed;

/* A stream counts; its context is how far it has come. */
static bool count_on(void *context, struct buffer *out)
{
	int *count = context;
	int until = atomic_load(&said);

	while (*count < until)
		buffer_printf(out, "%d\n", ++*count);
	return until >= 0;
}

static bool pour(void *context, struct buffer *out)
{
	int *rounds = context;

	memset(buffer_reserve(out, LARGE), 'x', LARGE);
	out->size += LARGE;
	return ++*rounds < 4;
}

static void free_count(void *context)
{
	atomic_fetch_add(&freed, 1);
	free(context);
}

/* A stream of one byte; whether that was all is its context. */
static bool say_one(void *context, struct buffer *out)
{
	(void)context;
	buffer_append_byte(out, 'x');
	return false;
}

static bool is_not_whole(const void *context)
{
	const int *is_broken = context;

	return *is_broken != 0;
}

static void reply_one(struct http_exchange *exchange, bool is_broken)
{
	struct http_stream stream = {
		.fill = say_one,
		.free = free_count,
		.is_broken = is_not_whole,
	};
	int *context = mem_alloc(1, sizeof(*context));

	*context = is_broken;
	stream.context = context;
	ck_assert(http_listen(exchange));
	http_reply_stream(exchange, 200, "text/plain", &stream);
}

static void reply_file(struct http_exchange *exchange)
{
	int file = memfd_create("answer", MFD_CLOEXEC);

	for (int i = 0; i < LARGE / 10; i++)
		ck_assert_int_eq(write(file, "0123456789", 10), 10);
	http_reply_file(exchange, 200, "application/octet-stream", file,
			LARGE - 5);
}

static enum http_verdict handle(struct http_exchange *exchange, void *context)
{
	const char *asked = http_path(exchange);
	bool is_pour = strcmp(asked, "/pour") == 0;
	struct buffer body = {0};

	(void)context;
	if (strcmp(asked, "/file") == 0) {
		reply_file(exchange);
		return HTTP_ANSWERED;
	}
	if (strcmp(asked, "/whole") == 0 || strcmp(asked, "/broken") == 0) {
		reply_one(exchange, strcmp(asked, "/broken") == 0);
		return HTTP_ANSWERED;
	}
	if ((is_pour || strcmp(asked, "/count") == 0) &&
	    http_listen(exchange)) {
		http_reply_stream(exchange, 200, "text/plain",
				  &(struct http_stream){
					  .fill = is_pour ? pour : count_on,
					  .free = free_count,
					  .context = mem_alloc(1, sizeof(int)),
				  });
		return HTTP_ANSWERED;
	}
	if (strcmp(asked, "/large") == 0) {
		memset(buffer_reserve(&body, ALL_LARGE), 'x', ALL_LARGE);
		body.size = ALL_LARGE;
		http_add_header(exchange, "X-Said", "so");
		http_reply(exchange, 200, "text/html", &body);
		return HTTP_ANSWERED;
	}
	buffer_append_text(&body, "no");
	http_reply(exchange, 503, "text/plain", &body);
	return HTTP_ANSWERED;
}

/* A request says whose it is. */
static bool admit(struct http_exchange *exchange, void *context)
{
	const char *owner = http_argument(exchange, "owner");

	(void)context;
	if (owner != NULL)
		http_set_owner(exchange, strtoull(owner, NULL, 10));
	return true;
}

static void begin(void)
{
	const struct http_options options = {
		.socket_path = path,
		.socket_mode = 0600,
		.workers = 2,
		.max_clients = 16,
		.max_waiting = 1, /* listeners do not count there */
		.max_body_bytes = 1000,
		.timeout_ms = TIMEOUT_MS,
		.max_listeners = LISTENERS,
		.max_reply_bytes = (size_t)2 * ALL_LARGE,
		.admit = admit,
		.handle = handle,
	};

	snprintf(folder, sizeof(folder), "/tmp/test_stream.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s", folder);
	atomic_store(&said, 0);
	atomic_store(&freed, 0);
	ASSERT_OK(http_start(&server, &options));
}

static void end(void)
{
	http_stop(server);
	unlink(path);
	rmdir(folder);
}

static void say(int until)
{
	atomic_store(&said, until);
	http_wake(server);
}

static int ask(const char *target)
{
	char request[128];
	int file = client_open(path);

	snprintf(request, sizeof(request),
		 "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		 target);
	ck_assert(test_client_send(file, request));
	return file;
}

/* Read until `text` has come. */
static void read_until(int file, const char *text)
{
	AUTO_BUFFER all = {0};
	uint64_t until_ms = clock_steady_ms() + PATIENCE_MS;

	buffer_append_text(&all, "");
	while (strstr(all.data, text) == NULL) {
		char *room = buffer_reserve(&all, 4096);
		ssize_t size = recv(file, room, 4096, MSG_DONTWAIT);

		ck_assert_msg(size != 0, "closed before %s: %s", text,
			      all.data);
		ck_assert_msg(clock_steady_ms() < until_ms, "no %s in %s", text,
			      all.data);
		if (size < 0) {
			test_sleep_ms(5);
			continue;
		}
		all.size += (size_t)size;
		room[size] = '\0';
	}
}

/* Wait until the server has this many streams. */
static void wait_for_listeners(size_t count)
{
	struct http_stats stats = {.listeners = SIZE_MAX};

	for (int i = 0; i < 2000 && stats.listeners != count; i++) {
		test_sleep_ms(5);
		http_stats(server, &stats);
	}
	ck_assert_uint_eq(stats.listeners, count);
}

/* Ask, and be the listener of this number. */
static int listen_as(size_t count, const char *target)
{
	int file = ask(target);

	wait_for_listeners(count);
	return file;
}

FIXTURE(.timeout_s = 60, .setup = begin, .teardown = end);

TEST(a_stream_continues_while_there_is_more)
{
	int file = ask("/count");

	read_until(file, "chunked");
	say(2);
	read_until(file, "1\n2\n");
	test_sleep_ms(TIMEOUT_MS + 500); /* who waits for us is not too slow */
	say(3);
	read_until(file, "3\n");
	say(-1);
	read_until(file, "0\r\n\r\n");
	close(file);
	wait_for_listeners(0);
	ck_assert_int_eq(atomic_load(&freed), 1);
}

TEST(a_stream_holds_no_thread_and_no_place)
{
	int files[LISTENERS];
	AUTO_BUFFER answer;

	for (size_t i = 0; i < LISTENERS; i++)
		files[i] = listen_as(i + 1, "/count");
	answer = test_client_ask(path, "GET", "/other", NULL);
	ck_assert_str_eq(client_body(&answer), "no");
	say(1);
	for (int i = 0; i < LISTENERS; i++) {
		read_until(files[i], "1\n");
		close(files[i]);
	}
	wait_for_listeners(0);
}

TEST(streams_are_bounded)
{
	int first = listen_as(1, "/count");
	int second = listen_as(LISTENERS, "/count");
	AUTO_BUFFER answer;

	answer = test_client_ask(path, "GET", "/count", NULL);
	ck_assert_int_eq(client_status(&answer), 503);
	close(first);
	wait_for_listeners(1);
	first = listen_as(2, "/count");
	close(first);
	close(second);
}

TEST(who_has_left_is_forgotten)
{
	int file = listen_as(1, "/count");

	close(file);
	wait_for_listeners(0);
	ck_assert_int_eq(atomic_load(&freed), 1);
}

/* Less than a Unix socket needs to be writable again within the timeout. */
TEST(who_reads_slowly_keeps_the_stream)
{
	int file = ask("/pour");
	uint64_t until_ms = clock_steady_ms() + (uint64_t)3 * TIMEOUT_MS;
	AUTO_BUFFER answer;
	size_t count = 0;
	char some[500];

	while (clock_steady_ms() < until_ms) {
		ssize_t size = recv(file, some, sizeof(some), 0);

		ck_assert_int_gt(size, 0);
		for (ssize_t i = 0; i < size; i++)
			count += some[i] == 'x';
		test_sleep_ms(50);
	}
	answer = test_client_receive(file);
	for (size_t i = 0; i < answer.size; i++)
		count += answer.data[i] == 'x';
	ck_assert_uint_eq(count, ALL_LARGE + 1); /* for "text/plain" */
	close(file);
}

TEST(who_reads_nothing_is_left_after_a_while)
{
	int file = ask("/pour");

	wait_for_listeners(1);
	wait_for_listeners(0);
	ck_assert_int_eq(atomic_load(&freed), 1);
	close(file);
}

/* A stream, and a file that the client has not read yet; other requests
 * continue. */
TEST(what_an_owner_has_open_ends_with_its_right)
{
	int first = listen_as(1, "/count?owner=1");
	int second = listen_as(2, "/count?owner=2");
	int file = ask("/file?owner=1");
	struct buffer answer;
	uint64_t begin_ms;

	read_until(file, "0123456789");
	begin_ms = clock_steady_ms();
	http_end_owner(server, 1);
	say(1);
	answer = test_client_receive(first);
	ck_assert_ptr_null(strstr(answer.data, "1\n"));
	ck_assert_ptr_null(strstr(answer.data, "0\r\n\r\n"));
	buffer_free(&answer);
	answer = test_client_receive(file);
	ck_assert_uint_lt(answer.size, LARGE - 5);
	buffer_free(&answer);
	wait_for_listeners(1);
	ck_assert_uint_lt(clock_steady_ms() - begin_ms, TIMEOUT_MS);
	read_until(second, "1\n");
	close(first);
	close(second);
	close(file);
}

/* The response is in memory when its first bytes can be read. */
static void wait_for_bytes(int file)
{
	struct pollfd wanted = {.fd = file, .events = POLLIN};

	ck_assert_int_eq(poll(&wanted, 1, PATIENCE_MS), 1);
}

/* Whole responses are in memory until the client reads them. */
TEST(an_owner_has_no_more_unread_than_it_leaves_free)
{
	int files[3];
	struct buffer answer;

	for (int i = 0; i < 3; i++) {
		files[i] = ask(i < 2 ? "/large?owner=1" : "/large?owner=2");
		wait_for_bytes(files[i]);
	}
	answer = test_client_receive(files[1]);
	ck_assert_int_eq(client_status(&answer), 429);
	buffer_free(&answer);
	for (int i = 0; i < 3; i += 2) {
		answer = test_client_receive(files[i]);
		ck_assert_int_eq(client_status(&answer), 200);
		buffer_free(&answer);
	}
	answer = test_client_ask(path, "GET", "/large?owner=1", NULL);
	ck_assert_int_eq(client_status(&answer), 200);
	buffer_free(&answer);
	for (int i = 0; i < 3; i++)
		close(files[i]);
}

static void expect(int file, int status)
{
	AUTO_BUFFER answer = test_client_receive(file);

	ck_assert_int_eq(client_status(&answer), status);
	close(file);
}

/* Whatever waits to be read: the answer "no" is a small one. */
TEST(only_large_answers_to_questions_are_refused_unread)
{
	static const char change[] = "POST /large?owner=1 HTTP/1.1\r\nHost: x"
				     "\r\nConnection: close\r\n"
				     "Content-Length: 0\r\n\r\n";
	AUTO_BUFFER answer;
	int files[3];

	for (int i = 0; i < 2; i++) {
		files[i] = ask(i == 0 ? "/large?owner=1" : "/large?owner=2");
		wait_for_bytes(files[i]);
	}
	expect(ask("/large?owner=1"), 503); /* no room for anybody */
	expect(ask("/file?owner=1"), 200);
	expect(ask("/whole?owner=1"), 200);
	answer = test_client_ask(path, "GET", "/other?owner=1", NULL);
	ck_assert_str_eq(client_body(&answer), "no");
	files[2] = client_open(path);
	ck_assert(test_client_send(files[2], change));
	for (int i = 2; i >= 0; i--)
		expect(files[i], 200);
}

TEST(all_of_a_large_stream_comes)
{
	AUTO_BUFFER answer;
	size_t count = 0;
	int file = ask("/pour");

	answer = test_client_receive(file);
	for (const char *c = strstr(answer.data, "\r\n\r\n"); *c != '\0'; c++)
		count += *c == 'x';
	ck_assert_uint_eq(count, ALL_LARGE);
	close(file);
}

TEST(streams_end_when_the_server_stops)
{
	int waiting = listen_as(1, "/count");
	int pouring = listen_as(2, "/pour");
	uint64_t begin_ms;

	begin_ms = clock_steady_ms();
	http_stop(server);
	server = NULL;
	ck_assert_uint_lt(clock_steady_ms() - begin_ms, 1500);
	ck_assert_int_eq(atomic_load(&freed), 2);
	read_until(waiting, "0\r\n\r\n");
	close(waiting);
	close(pouring);
}

TEST(a_head_has_no_stream)
{
	int file = client_open(path);
	AUTO_BUFFER answer;

	test_client_send(file, "HEAD /count HTTP/1.1\r\nHost: x\r\n"
			       "Connection: close\r\n\r\n");
	answer = test_client_receive(file);
	ck_assert_int_eq(client_status(&answer), 200);
	close(file);
	wait_for_listeners(0);
}

TEST(a_file_is_sent_as_far_as_its_size)
{
	AUTO_BUFFER answer = test_client_ask(path, "GET", "/file", NULL);
	const char *body = client_body(&answer);

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_uint_eq(strlen(body), LARGE - 5);
	ck_assert_int_eq(memcmp(body + LARGE - 15, "5678901234", 10), 0);
}

/* By the last chunk, which is missing. */
TEST(a_stream_that_breaks_does_not_look_whole)
{
	static const char request[] = "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n";
	static const char *const paths[] = {"whole", "broken"};

	for (unsigned i = 0; i < 2; i++) {
		int file = client_open(path);
		AUTO_BUFFER answer;
		char text[64];

		snprintf(text, sizeof(text), request, paths[i]);
		test_client_send(file, text);
		shutdown(file, SHUT_WR);
		answer = test_client_receive(file);
		close(file);
		ck_assert_ptr_nonnull(strstr(answer.data, "\r\nx\r\n"));
		ck_assert_int_eq(strstr(answer.data, "\r\n0\r\n") == NULL, i);
	}
}
