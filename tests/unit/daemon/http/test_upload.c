/* Bodies that are read while they come: daemon/http/body.h,
 * daemon/ctl/client.h.
 */
#include "daemon/http/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/ctl/client.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum { MAX_BODY = 1000, PIECE = 1 << 16, LARGE = 64 << 20 };

static char folder[64];
static char path[96];
static struct http_options options;
static struct http_server *server;
static atomic_bool gate_is_open;
static atomic_int begun;        /* uploads that the handler reads */
static atomic_int seen;         /* uploads that are over for the handler */
static atomic_int last_error;   /* of the last of them */
static atomic_ullong last_size; /* bytes that it has read */

/* The byte at a place of every body of these tests. */
static char byte_at(uint64_t at)
{
	return (char)('a' + at % 23);
}

static unsigned upload_traits(const char *method, const char *asked)
{
	return strcmp(method, "POST") == 0 && strncmp(asked, "/read", 5) == 0
		       ? HTTP_UPLOAD
		       : 0;
}

/* Read up to `max` bytes, which must be those of byte_at(). */
static enum error read_all(struct http_exchange *exchange, uint64_t max,
			   uint64_t *size_out)
{
	AUTO_TEXT *bytes = malloc(PIECE);
	enum error error = ERR_NONE;
	size_t size = 1;

	while (error == ERR_NONE && size > 0 && *size_out < max) {
		error = http_body_read(exchange, bytes, PIECE, &size);
		for (size_t i = 0; i < size; i++)
			if (bytes[i] != byte_at(*size_out + i))
				error = ERR_CORRUPT;
		*size_out += size;
	}
	return error;
}

/* /read reads all, /read-some a little, /read-late when the gate is open. */
static enum http_verdict handle(struct http_exchange *exchange, void *context)
{
	const char *asked = http_path(exchange);
	struct buffer body = {0};
	uint64_t max = UINT64_MAX;
	uint64_t size = 0;
	enum error error = ERR_NONE;

	(void)context;
	if (strcmp(asked, "/read-late") == 0 && !atomic_load(&gate_is_open))
		return HTTP_SUSPENDED;
	if (strcmp(asked, "/read-some") == 0)
		max = 10;
	if (strncmp(asked, "/read", 5) == 0) {
		atomic_fetch_add(&begun, 1);
		error = read_all(exchange, max, &size);
		atomic_store(&last_error, (int)error);
		atomic_store(&last_size, size);
		atomic_fetch_add(&seen, 1);
	}
	buffer_printf(&body, "%s %llu", error_code(error),
		      (unsigned long long)size);
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_upload.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s", folder);
	server = NULL;
	atomic_store(&gate_is_open, false);
	atomic_store(&seen, 0);
	atomic_store(&begun, 0);
	options = (struct http_options){
		.socket_path = path,
		.socket_mode = 0660,
		.workers = 4,
		.max_clients = 64,
		.max_waiting = 32,
		.max_body_bytes = MAX_BODY,
		.timeout_ms = 5000,
		.max_uploads = 2,
		.traits = upload_traits,
		.handle = handle,
	};
}

static void start(void)
{
	ASSERT_OK(http_start(&server, &options));
}

static void end(void)
{
	http_stop(server);
	unlink(path);
	rmdir(folder);
}

static void open_gate(void)
{
	atomic_store(&gate_is_open, true);
	http_wake(server);
}

/* Wait until this many upload handlers have finished. */
static void wait_for_seen(int count)
{
	for (int i = 0; i < 4000 && atomic_load(&seen) < count; i++)
		test_sleep_ms(5);
	ck_assert_int_eq(atomic_load(&seen), count);
}

/* Wait until this many upload handlers have begun. */
static void wait_for_begun(int count)
{
	for (int i = 0; i < 4000 && atomic_load(&begun) < count; i++)
		test_sleep_ms(5);
	ck_assert_int_eq(atomic_load(&begun), count);
}

/* What socket_ask() gives: byte_at() up to a size. */
struct supply {
	uint64_t size;
	atomic_ullong given;
	enum error failure; /* at its end; or ERR_NONE */
};

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	struct supply *supply = context;
	uint64_t given = atomic_load(&supply->given);
	uint64_t left = supply->size - given;

	*size_out = left < capacity ? (size_t)left : capacity;
	for (size_t i = 0; i < *size_out; i++)
		out[i] = byte_at(given + i);
	atomic_fetch_add(&supply->given, *size_out);
	return *size_out == 0 ? supply->failure : ERR_NONE;
}

static enum error send_to(const char *target, struct supply *supply,
			  struct socket_answer *answer)
{
	const struct socket_request upload = {
		.target = target,
		.media_type = "application/octet-stream",
		.source = give,
		.context = supply,
	};

	return socket_ask(path, &upload, answer);
}

static void check_send(const char *target, uint64_t size, const char *expected)
{
	struct supply supply = {.size = size};
	struct socket_answer answer;

	ASSERT_OK(send_to(target, &supply, &answer));
	ck_assert_uint_eq(answer.status, 200);
	ck_assert_str_eq(answer.body.data, expected);
	buffer_free(&answer.body);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_body_of_any_length_is_read)
{
	start();
	check_send("/read", 0, "ok 0");
	check_send("/read", 1, "ok 1");
	check_send("/read", MAX_BODY + 1, "ok 1001");
	check_send("/read", LARGE + 7, "ok 67108871");
}

TEST(a_body_with_a_length_is_read)
{
	struct buffer answer;

	start();
	answer = test_client_ask(path, "POST", "/read", "abcde");
	ck_assert_str_eq(client_body(&answer), "ok 5");
	buffer_free(&answer);
	answer = test_client_ask(path, "POST", "/read", NULL);
	ck_assert_str_eq(client_body(&answer), "ok 0");
	buffer_free(&answer);
}

/* what is not declared has its limit still */
TEST(other_requests_are_as_they_were)
{
	char body[MAX_BODY + 2];
	struct buffer answer;

	start();
	memset(body, 'x', sizeof(body));
	body[MAX_BODY + 1] = '\0';
	answer = test_client_ask(path, "POST", "/other", body);
	ck_assert_int_eq(client_status(&answer), 413);
	buffer_free(&answer);
	answer = test_client_ask(path, "GET", "/other", NULL);
	ck_assert_str_eq(client_body(&answer), "ok 0");
	buffer_free(&answer);
}

static void *send_late(void *context)
{
	struct socket_answer answer;

	ASSERT_OK(send_to("/read-late", context, &answer));
	ck_assert_str_eq(answer.body.data, "ok 67108864");
	buffer_free(&answer.body);
	return NULL;
}

/* The ring and the buffers of sockets and clients are far below 16 MiB. */
TEST(a_client_waits_while_the_server_does_not_read)
{
	struct supply supply = {.size = LARGE};
	uint64_t given;
	pthread_t thread;

	start();
	ck_assert_int_eq(pthread_create(&thread, NULL, send_late, &supply), 0);
	do {
		given = atomic_load(&supply.given);
		test_sleep_ms(50);
	} while (given == 0 || given < atomic_load(&supply.given));
	ck_assert_uint_lt(given, LARGE / 4);
	open_gate();
	pthread_join(thread, NULL);
}

TEST(a_reply_may_come_before_the_end_of_the_body)
{
	struct supply supply = {.size = LARGE / 4};
	struct socket_answer answer;

	start();
	ASSERT_OK(send_to("/read-some", &supply, &answer));
	ck_assert_uint_eq(answer.status, 200);
	ck_assert_uint_ge(atomic_load(&last_size), 10);
	ck_assert_uint_le(atomic_load(&last_size), PIECE);
	buffer_free(&answer.body);
}

TEST(too_many_are_refused_before_they_send)
{
	struct supply supply = {.size = LARGE};
	struct socket_answer answer;
	int files[2];

	start();
	for (int i = 0; i < 2; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], "POST /read HTTP/1.1\r\nHost: x\r\n"
					   "Content-Length: 10\r\n\r\nabc");
	}
	wait_for_begun(2);
	ASSERT_OK(send_to("/read", &supply, &answer));
	ck_assert_uint_eq(answer.status, 503);
	ck_assert_uint_lt(atomic_load(&supply.given), 4 << 20);
	buffer_free(&answer.body);
	for (int i = 0; i < 2; i++)
		close(files[i]);
	wait_for_seen(2);
	ck_assert_int_eq(atomic_load(&last_error), ERR_NETWORK);
	check_send("/read", 3, "ok 3");
}

/* at every byte of the request, and after its end */
TEST(a_client_may_leave_at_any_byte)
{
	static const char request[] =
		"POST /read HTTP/1.1\r\nHost: x\r\n"
		"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

	options.max_uploads = 64;
	start();
	for (size_t i = 0; i <= strlen(request); i++) {
		char part[sizeof(request)];
		int file = client_open(path);

		snprintf(part, sizeof(part), "%.*s", (int)i, request);
		test_client_send(file, part);
		close(file);
	}
	check_send("/read", 3, "ok 3");
}

TEST(a_client_that_stalls_is_left)
{
	uint64_t before = clock_steady_ms();
	int file;

	options.timeout_ms = 1000;
	start();
	file = client_open(path);
	test_client_send(file, "POST /read HTTP/1.1\r\nHost: x\r\n"
			       "Content-Length: 10\r\n\r\nabc");
	wait_for_seen(1);
	ck_assert_int_eq(atomic_load(&last_error), ERR_TIMEOUT);
	ck_assert_uint_eq(atomic_load(&last_size), 3);
	ck_assert_uint_lt(clock_steady_ms() - before, 15000);
	close(file);
}

/*
 * A byte now and then is not too long a silence, but holds a place. The server
 * may look between the two clients; when the first has left, a place is free,
 * so the second may stay.
 */
TEST(one_that_trickles_leaves_when_all_places_are_taken)
{
	int files[2];

	options.timeout_ms = 60000;
	start();
	for (int i = 0; i < 2; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], "POST /read HTTP/1.1\r\nHost: x\r\n"
					   "Content-Length: 100000\r\n\r\n");
	}
	for (unsigned i = 0; i < 1200 && atomic_load(&seen) < 1; i++) {
		char byte = byte_at(i);

		for (int j = 0; j < 2; j++)
			send(files[j], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		test_sleep_ms(50);
	}
	ck_assert_int_ge(atomic_load(&seen), 1);
	ck_assert_int_eq(atomic_load(&last_error), ERR_NETWORK);
	test_sleep_ms(50);
	check_send("/read", 3, "ok 3");
	for (int i = 0; i < 2; i++)
		close(files[i]);
}

TEST(a_source_that_fails_ends_it)
{
	struct supply supply = {.size = 8 << 20, .failure = ERR_IO};
	struct socket_answer answer;

	start();
	ck_assert_int_eq(send_to("/read", &supply, &answer), ERR_IO);
	ck_assert_str_eq(answer.reason, "");
	wait_for_seen(1);
	ck_assert_int_eq(atomic_load(&last_error), ERR_NETWORK);
}

TEST(stopping_ends_it)
{
	AUTO_BUFFER answer;
	int file;

	start();
	file = client_open(path);
	test_client_send(file, "POST /read HTTP/1.1\r\nHost: x\r\n"
			       "Content-Length: 10\r\n\r\nabc");
	wait_for_begun(1);
	http_stop(server);
	server = NULL;
	ck_assert_int_eq(atomic_load(&last_error), ERR_STOPPED);
	answer = test_client_receive(file);
	close(file);
}
