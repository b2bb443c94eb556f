#include "daemon/http/server.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/runtime/clock.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum {
	MAX_BODY = 1000,
	CLIENTS = 16,
	REQUESTS = 40,
	ALL_REQUESTS = CLIENTS * REQUESTS,
};

static char folder[64];
static char path[96];
static struct http_options options;
static struct http_server *server;
static atomic_bool gate_is_open;
static atomic_int handled;

/* The path selects what a request of these tests does. */
static enum http_verdict handle(struct http_exchange *exchange, void *context)
{
	const char *asked = http_path(exchange);
	uint64_t *memory = http_handler_state(exchange);
	const char *argument = http_argument(exchange, "say");
	struct buffer body = {0};

	(void)context;
	atomic_fetch_add(&handled, 1);
	memory[0]++;
	if (strcmp(asked, "/gate") == 0 && !atomic_load(&gate_is_open))
		return HTTP_SUSPENDED;
	if (strcmp(asked, "/late") == 0 &&
	    clock_steady_ms() < http_arrival_ms(exchange) + 300)
		return HTTP_SUSPENDED;
	if (strcmp(asked, "/thrice") == 0 && memory[0] < 3)
		return HTTP_SUSPENDED;
	if (strcmp(asked, "/slow") == 0)
		test_sleep_ms(50);
	if (strcmp(asked, "/header") == 0) {
		http_add_header(exchange, "X-One", "a\r\nX-Two: b\tc");
		http_add_header(exchange, "X-Empty", "");
	}
	if (strcmp(asked, "/nothing") == 0) {
		http_reply(exchange, 200, "text/plain", &body);
		return HTTP_ANSWERED;
	}
	buffer_printf(&body, "%s %s %llu [", http_method(exchange), asked,
		      (unsigned long long)memory[0]);
	buffer_append_slice(&body, http_body(exchange));
	buffer_printf(&body, "]%s", argument == NULL ? "" : argument);
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

static void start(void)
{
	ASSERT_OK(http_start(&server, &options));
}

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_http.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s", folder);
	server = NULL;
	atomic_store(&gate_is_open, false);
	atomic_store(&handled, 0);
	options = (struct http_options){
		.socket_path = path,
		.socket_mode = 0660,
		.workers = 4,
		.max_clients = 64,
		.max_waiting = 32,
		.max_body_bytes = MAX_BODY,
		.timeout_ms = 5000,
		.handle = handle,
	};
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

/* Wait until this many exchanges are suspended. */
static void wait_for_parked(size_t count)
{
	struct http_stats stats = {0};

	for (int i = 0; i < 2000 && stats.parked != count; i++) {
		test_sleep_ms(5);
		http_stats(server, &stats);
	}
	ck_assert_uint_eq(stats.parked, count);
}

/* The body of the answer is this. */
static void check_body(const char *method, const char *target, const char *body,
		       const char *wanted)
{
	AUTO_BUFFER answer = test_client_ask(path, method, target, body);

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_str_eq(client_body(&answer), wanted);
}

static void check_error(struct buffer *answer, int status, const char *code)
{
	char part[64];

	snprintf(part, sizeof(part), "{\"error\":{\"code\":\"%s\"", code);
	ck_assert_msg(client_status(answer) == status, "%s", answer->data);
	ck_assert_msg(strstr(answer->data, part) != NULL, "%s", answer->data);
	buffer_free(answer);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_request_is_answered)
{
	start();
	check_body("GET", "/a%20b?say=c+d%26", NULL, "GET /a b 1 []c d&");
	check_body("POST", "/x", "some body", "POST /x 1 [some body]");
	check_body("DELETE", "/x", NULL, "DELETE /x 1 []");
	check_body("GET", "/nothing", NULL, "");
}

TEST(a_connection_serves_many_requests)
{
	AUTO_BUFFER answer;
	int file;

	start();
	file = client_open(path);
	test_client_send(file, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
			       "POST /2 HTTP/1.1\r\nHost: x\r\n"
			       "Content-Length: 2\r\n\r\nhi"
			       "GET /3 HTTP/1.1\r\nHost: x\r\n"
			       "Connection: close\r\n\r\n");
	answer = test_client_receive(file);
	close(file);
	ck_assert(strstr(answer.data, "GET /1 1 []") != NULL);
	ck_assert(strstr(answer.data, "POST /2 1 [hi]") != NULL);
	ck_assert(strstr(answer.data, "GET /3 1 []") != NULL);
}

static unsigned inline_traits(const char *method, const char *asked)
{
	return strcmp(method, "GET") == 0 && strncmp(asked, "/held", 5) != 0
		       ? HTTP_INLINE
		       : 0;
}

/* "/kept" responds immediately; "/held" holds its worker. */
static enum http_verdict handle_quickly(struct http_exchange *exchange,
					void *context)
{
	struct buffer body = {0};

	(void)context;
	if (http_is_inline(exchange) &&
	    strcmp(http_path(exchange), "/kept") != 0)
		return HTTP_QUEUED;
	while (strcmp(http_path(exchange), "/held") == 0 &&
	       !atomic_load(&gate_is_open))
		test_sleep_ms(1);
	buffer_append_text(&body, http_is_inline(exchange) ? "at once"
							   : "by a worker");
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

TEST(what_is_quick_stands_behind_no_worker)
{
	AUTO_BUFFER answer;
	int file;

	options.workers = 1;
	options.traits = inline_traits;
	options.handle = handle_quickly;
	start();
	check_body("GET", "/other", NULL, "by a worker");
	check_body("POST", "/kept", "x", "by a worker");
	file = client_open(path);
	test_client_send(file, "GET /held HTTP/1.1\r\nHost: x\r\n"
			       "Connection: close\r\n\r\n");
	for (int i = 0; i < 3; i++)
		check_body("GET", "/kept", NULL, "at once");
	atomic_store(&gate_is_open, true);
	answer = test_client_receive(file);
	close(file);
	ck_assert_str_eq(client_body(&answer), "by a worker");
}

TEST(quick_ones_of_a_connection_are_answered_in_order)
{
	AUTO_BUFFER answer;
	int file;

	options.traits = inline_traits;
	options.handle = handle_quickly;
	start();
	file = client_open(path);
	test_client_send(file, "GET /kept HTTP/1.1\r\nHost: x\r\n\r\n"
			       "GET /other HTTP/1.1\r\nHost: x\r\n\r\n"
			       "GET /kept HTTP/1.1\r\nHost: x\r\n"
			       "Connection: close\r\n\r\n");
	answer = test_client_receive(file);
	close(file);
	ck_assert_ptr_nonnull(
		strstr(strstr(strstr(answer.data, "at once"), "by a worker"),
		       "at once"));
}

static unsigned slow_traits(const char *method, const char *asked)
{
	(void)method;
	return strcmp(asked, "/held") == 0 ? HTTP_SLOW : 0;
}

TEST(those_that_take_long_leave_workers_for_others)
{
	enum { LONG = 5 };
	int files[LONG];

	options.workers = 4;
	options.traits = slow_traits;
	options.handle = handle_quickly;
	start();
	for (int i = 0; i < LONG; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], "GET /held HTTP/1.1\r\nHost: x\r\n"
					   "Connection: close\r\n\r\n");
	}
	for (int i = 0; i < 3; i++)
		check_body("GET", "/other", NULL, "by a worker");
	atomic_store(&gate_is_open, true);
	for (int i = 0; i < LONG; i++) {
		AUTO_BUFFER answer = test_client_receive(files[i]);

		ck_assert_str_eq(client_body(&answer), "by a worker");
		close(files[i]);
	}
}

TEST(a_header_cannot_smuggle_another)
{
	AUTO_BUFFER answer;

	start();
	answer = test_client_ask(path, "GET", "/header", NULL);
	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert(strstr(answer.data, "X-One: a  X-Two: b c\r\n") != NULL);
	ck_assert(strstr(answer.data, "X-Empty") == NULL);
}

TEST(a_suspended_exchange_continues_when_woken)
{
	AUTO_BUFFER answer;
	int file;

	start();
	file = client_open(path);
	test_client_send(file, "GET /gate HTTP/1.1\r\nConnection: close\r\n"
			       "Host: x\r\n\r\n");
	wait_for_parked(1);
	open_gate();
	answer = test_client_receive(file);
	ck_assert_int_eq(client_status(&answer), 200);
	close(file);
}

TEST(a_parked_exchange_sees_that_time_passes)
{
	uint64_t before = clock_steady_ms();
	AUTO_BUFFER answer;

	start();
	answer = test_client_ask(path, "GET", "/late", NULL);
	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_uint_ge(clock_steady_ms() - before, 300);
	ck_assert_uint_lt(clock_steady_ms() - before, 10000);
}

TEST(memory_outlives_parking)
{
	start();
	check_body("POST", "/thrice", "kept", "POST /thrice 3 [kept]");
}

TEST(a_body_up_to_the_limit_is_taken_and_no_more)
{
	char body[MAX_BODY + 2];
	struct buffer answer;

	start();
	memset(body, 'x', sizeof(body));
	body[MAX_BODY] = '\0';
	answer = test_client_ask(path, "POST", "/x", body);
	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_nonnull(strstr(answer.data, body));
	buffer_free(&answer);
	body[MAX_BODY] = 'x';
	body[MAX_BODY + 1] = '\0';
	answer = test_client_ask(path, "POST", "/x", body);
	check_error(&answer, 413, "too_large");
	ck_assert_int_eq(atomic_load(&handled), 1);
}

TEST(a_body_without_a_length_is_limited_too)
{
	AUTO_BUFFER answer;
	int file;
	int is_open = 1;

	start();
	file = client_open(path);
	test_client_send(file,
			 "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
			 "Transfer-Encoding: chunked\r\n\r\n"
			 "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
	answer = test_client_receive(file);
	ck_assert_str_eq(client_body(&answer), "POST /x 1 [abcde]");
	close(file);
	file = client_open(path);
	test_client_send(file, "POST /x HTTP/1.1\r\nHost: x\r\n"
			       "Transfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 100000 && is_open; i++)
		is_open = test_client_send(file, "a\r\n0123456789\r\n");
	ck_assert_int_eq(is_open, 0);
	close(file);
	check_body("GET", "/y", NULL, "GET /y 1 []");
}

TEST(a_repeated_end_of_the_body_is_refused)
{
	static const char *const heads[] = {
		"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
		"Content-Length: 3\r\nContent-Length: 3\r\n",
		"Content-Length: 3\r\nContent-Length: 300\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: gzip\r\n",
		"Transfer-Encoding: gzip, chunked\r\n",
	};

	start();
	for (size_t i = 0; i < COUNT_OF(heads); i++) {
		char request[256];
		struct buffer answer;
		int file = client_open(path);

		snprintf(request, sizeof(request),
			 "POST /x HTTP/1.1\r\nHost: x\r\n%s\r\n", heads[i]);
		test_client_send(file, request);
		answer = test_client_receive(file);
		close(file);
		check_error(&answer, 400, "bad_request");
	}
	ck_assert_int_eq(atomic_load(&handled), 0);
}

TEST(far_too_much_is_refused_before_it_is_sent)
{
	struct buffer answer;
	int file;

	start();
	file = client_open(path);
	test_client_send(file, "POST /x HTTP/1.1\r\nHost: x\r\n"
			       "Content-Length: 1099511627776\r\n\r\n");
	answer = test_client_receive(file);
	close(file);
	check_error(&answer, 413, "too_large");
	file = client_open(path);
	test_client_send(file, "POST /x HTTP/1.1\r\nHost: x\r\n"
			       "Expect: 100-continue\r\n"
			       "Content-Length: 1001\r\n\r\n");
	answer = test_client_receive(file);
	close(file);
	check_error(&answer, 413, "too_large");
}

TEST(too_many_that_wait_are_refused_at_once)
{
	int files[3];
	struct buffer answer;
	struct http_stats stats;

	options.max_waiting = 3;
	start();
	for (int i = 0; i < 3; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], "GET /gate HTTP/1.1\r\nHost: x\r\n"
					   "Connection: close\r\n\r\n");
	}
	wait_for_parked(3);
	answer = test_client_ask(path, "GET", "/x", NULL);
	ck_assert(strstr(answer.data, "Retry-After: 1\r\n") != NULL);
	check_error(&answer, 503, "busy");
	http_stats(server, &stats);
	ck_assert_uint_eq(stats.refused, 1);
	ck_assert_uint_eq(stats.requests, 4);
	open_gate();
	for (int i = 0; i < 3; i++) {
		answer = test_client_receive(files[i]);
		ck_assert_int_eq(client_status(&answer), 200);
		buffer_free(&answer);
		close(files[i]);
	}
	check_body("GET", "/x", NULL, "GET /x 1 []");
}

TEST(a_client_that_leaves_frees_its_place)
{
	start();
	for (int i = 0; i < 20; i++) {
		int file = client_open(path);

		test_client_send(file, "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
		close(file);
	}
	/* they are noticed at the next tick */
	wait_for_parked(0);
	check_body("GET", "/x", NULL, "GET /x 1 []");
}

TEST(a_client_that_only_stops_sending_is_answered)
{
	AUTO_BUFFER answer;
	int file;

	start();
	file = client_open(path);
	test_client_send(file, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
	shutdown(file, SHUT_WR);
	answer = test_client_receive(file);
	ck_assert_int_eq(client_status(&answer), 200);
	close(file);
}

TEST(a_client_may_leave_at_any_byte)
{
	static const char request[] = "POST /x?say=1 HTTP/1.1\r\nHost: x\r\n"
				      "Content-Length: 5\r\n\r\nhello";

	start();
	for (size_t i = 0; i <= strlen(request); i++) {
		char part[sizeof(request)];
		int file = client_open(path);

		snprintf(part, sizeof(part), "%.*s", (int)i, request);
		test_client_send(file, part);
		close(file);
	}
	check_body("GET", "/x", NULL, "GET /x 1 []");
}

TEST(half_a_head_blocks_no_client_and_is_dropped)
{
	struct buffer answer;
	uint64_t before = clock_steady_ms();
	int files[8];

	options.timeout_ms = 1000;
	start();
	for (int i = 0; i < 8; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], "GET /x HT");
	}
	check_body("GET", "/x", NULL, "GET /x 1 []");
	ck_assert_uint_lt(clock_steady_ms() - before, 900);
	for (int i = 0; i < 8; i++) {
		answer = test_client_receive(files[i]);
		buffer_free(&answer);
		close(files[i]);
	}
	ck_assert_uint_lt(clock_steady_ms() - before, 20000);
}

enum { TRICKLERS = 24, PLACES = 8 };

static atomic_bool is_over;

/* Send a byte to each client from time to time; MSG_NOSIGNAL: some have
 * closed. */
static void *trickle(void *context)
{
	const int *files = context;

	while (!atomic_load(&is_over)) {
		for (int i = 0; i < TRICKLERS; i++)
			send(files[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		test_sleep_ms(20);
	}
	return NULL;
}

/* They hold every place, by heads or by bodies that never end. */
static void check_tricklers(const char *beginning)
{
	pthread_t thread;
	int files[TRICKLERS];

	options.max_clients = PLACES;
	options.timeout_ms = 60000;
	start();
	for (int i = 0; i < TRICKLERS; i++) {
		files[i] = client_open(path);
		test_client_send(files[i], beginning);
	}
	atomic_store(&is_over, false);
	pthread_create(&thread, NULL, trickle, files);
	test_sleep_ms(50);
	check_body("GET", "/x", NULL, "GET /x 1 []");
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	for (int i = 0; i < TRICKLERS; i++)
		close(files[i]);
}

TEST(trickling_heads_block_no_client)
{
	check_tricklers("GET /x HTTP/1.1\r\nHost: x\r\nX-More: ");
}

TEST(trickling_bodies_block_no_client)
{
	check_tricklers("POST /x HTTP/1.1\r\nHost: x\r\n"
			"Content-Length: 1000\r\n\r\n");
}

TEST(stopping_answers_what_waits)
{
	struct buffer answer;
	int files[8];

	start();
	for (int i = 0; i < 8; i++) {
		files[i] = client_open(path);
		test_client_send(files[i],
				 "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
	}
	wait_for_parked(8);
	http_stop(server);
	server = NULL;
	ck_assert_int_ne(access(path, F_OK), 0);
	for (int i = 0; i < 8; i++) {
		answer = test_client_receive(files[i]);
		check_error(&answer, 503, "stopped");
		close(files[i]);
	}
}

TEST(a_stop_does_not_wait_for_clients_that_do_not_read)
{
	uint64_t before;
	int file;

	start();
	file = client_open(path);
	test_client_send(file,
			 "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nPOST / HT");
	before = clock_steady_ms();
	http_stop(server);
	server = NULL;
	ck_assert_uint_lt(clock_steady_ms() - before, 10000);
	close(file);
}

/* A thread that asks, and how many answers were good. */
struct asker {
	pthread_t thread;
	int number;
	unsigned good;
};

static void *ask_often(void *argument)
{
	static const char *const targets[] = {"/a", "/slow", "/gate", "/late",
					      "/thrice"};
	struct asker *asker = argument;

	for (int i = 0; i < REQUESTS; i++) {
		AUTO_BUFFER answer =
			test_client_ask(path, i % 3 == 0 ? "POST" : "GET",
					targets[(i + asker->number) % 5],
					i % 3 == 0 ? "b" : NULL);

		asker->good += client_status(&answer) == 200;
	}
	return NULL;
}

static void *wake_often(void *argument)
{
	const atomic_bool *is_done = argument;

	while (!atomic_load(is_done)) {
		http_wake(server);
		test_sleep_ms(1);
	}
	return NULL;
}

TEST(many_clients_at_once_get_an_answer_each)
{
	struct asker askers[CLIENTS] = {{0}};
	atomic_bool is_done = false;
	struct http_stats stats;
	pthread_t waker;

	start();
	open_gate();
	pthread_create(&waker, NULL, wake_often, &is_done);
	for (int i = 0; i < CLIENTS; i++) {
		askers[i].number = i;
		pthread_create(&askers[i].thread, NULL, ask_often, &askers[i]);
	}
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(askers[i].thread, NULL);
		ck_assert_uint_eq(askers[i].good, REQUESTS);
	}
	atomic_store(&is_done, true);
	pthread_join(waker, NULL);
	http_stats(server, &stats);
	ck_assert_uint_eq(stats.requests, ALL_REQUESTS);
	ck_assert_uint_eq(stats.waiting + stats.parked + stats.refused, 0);
}

static void *ask_until_it_stops(void *argument)
{
	(void)argument;
	for (;;) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct buffer answer;

		snprintf(address.sun_path, sizeof(address.sun_path), "%s",
			 path);
		if (connect(file, (struct sockaddr *)&address,
			    sizeof(address)) != 0) {
			close(file);
			return NULL;
		}
		test_client_send(file, "GET /thrice HTTP/1.1\r\nHost: x\r\n"
				       "Connection: close\r\n\r\n");
		answer = test_client_receive(file);
		buffer_free(&answer);
		close(file);
	}
}

TEST(a_stop_among_requests_is_clean)
{
	pthread_t threads[8];

	start();
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, ask_until_it_stops, NULL);
	while (atomic_load(&handled) < 100)
		test_sleep_ms(1);
	http_stop(server);
	server = NULL;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_gt(atomic_load(&handled), 8);
}

TEST(the_file_has_its_mode_whatever_the_umask)
{
	mode_t old = umask(0777);
	struct stat status;

	start();
	umask(old);
	ck_assert_int_eq(lstat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0660);
}

TEST(a_socket_that_answers_is_left_alone)
{
	struct http_server *second = NULL;

	start();
	ck_assert_int_eq(http_start(&second, &options), ERR_BUSY);
	ck_assert_ptr_null(second);
	check_body("GET", "/x", NULL, "GET /x 1 []");
}

TEST(a_stale_socket_is_replaced)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ck_assert_int_eq(
		bind(file, (struct sockaddr *)&address, sizeof(address)), 0);
	close(file);
	ck_assert_int_eq(access(path, F_OK), 0);
	start();
	check_body("GET", "/x", NULL, "GET /x 1 []");
}

TEST(another_file_is_never_removed)
{
	int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	close(file);
	ck_assert_int_eq(http_start(&server, &options), ERR_IO);
	ck_assert_int_eq(access(path, F_OK), 0);
	unlink(path);
	start();
	/* another process puts a file in place of the socket */
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	http_stop(server);
	server = NULL;
	ck_assert_int_eq(access(path, F_OK), 0);
}

TEST(a_path_too_long_for_a_socket_is_refused)
{
	char longer[120];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	options.socket_path = longer;
	ck_assert_int_eq(http_start(&server, &options), ERR_TOO_LARGE);
	options.socket_path = "/nonexistent/s";
	ck_assert_int_eq(http_start(&server, &options), ERR_IO);
}
