#include "daemon/privsep/notifier_client.h"

#include <signal.h>
#include <unistd.h>

#include "daemon/privsep/notifier_process.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

enum { TIMEOUT_MS = 5000, PATIENCE = 100, LARGE = 300 * 1000 };

static struct notifier_client *poster;

/* The result of a forged notifier for the request `number`, and more frames. */
typedef void forge(struct channel *channel, uint32_t number);

static void send_row(const struct channel *channel,
		     enum notifier_message_kind kind,
		     const struct row_codec *layout, const void *row,
		     struct slice body)
{
	AUTO_BUFFER head = row_codec_encode(layout, row);

	channel_send(channel, &(struct frame_parts){.kind = kind,
						    .head = buffer_slice(&head),
						    .body = body,
						    .file = -1});
}

static void send_result(const struct channel *channel,
			const struct notifier_result *result)
{
	send_row(channel, NOTIFIER_RESULT, &notifier_result_layout, result,
		 slice_of(""));
}

/* A notifier in which `answer` sends the result of a request. */
static void run_forged(int socket, forge *answer)
{
	struct channel channel = channel_of(socket, NOTIFIER_MAX_BODY);
	const struct notifier_ready ready = {0};
	struct notifier_post post = {0};
	struct channel_frame frame;

	if (channel_receive(&channel, -1, &frame) == ERR_NONE)
		send_row(&channel, NOTIFIER_READY, &notifier_ready_layout,
			 &ready, slice_of(""));
	frame_free(&frame);
	while (channel_receive(&channel, -1, &frame) == ERR_NONE) {
		row_codec_decode(&notifier_post_layout, frame.head, &post);
		/* the number of the test decides about the body */
		if (frame.body.size == LARGE)
			post.number = LARGE;
		answer(&channel, post.number);
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

static void wrong_number_it(struct channel *channel, uint32_t number)
{
	send_result(channel,
		    &(struct notifier_result){number + 1, 0, 204, 0, {"", 0}});
}
FORGED(wrong_number)

static void huge_number_it(struct channel *channel, uint32_t number)
{
	send_result(channel, &(struct notifier_result){
				     UINT32_MAX - number, 0, 204, 0, {"", 0}});
}
FORGED(huge_number)

static void twice_it(struct channel *channel, uint32_t number)
{
	const struct notifier_result result = {number, 0, 204, 0, {"", 0}};

	send_result(channel, &result);
	send_result(channel, &result);
}
FORGED(twice)

static void wrong_error_it(struct channel *channel, uint32_t number)
{
	send_result(channel,
		    &(struct notifier_result){number, -99, 0, 0, {"", 0}});
}
FORGED(wrong_error)

static void wrong_status_it(struct channel *channel, uint32_t number)
{
	send_result(channel, &(struct notifier_result){
				     number, 0, 65536 + 204, 0, {"", 0}});
}
FORGED(wrong_status)

static void wrong_kind_it(struct channel *channel, uint32_t number)
{
	const struct notifier_result row = {number, 0, 204, 0, {"", 0}};

	send_row(channel, NOTIFIER_POST, &notifier_result_layout, &row,
		 slice_of(""));
}
FORGED(wrong_kind)

static void with_body_it(struct channel *channel, uint32_t number)
{
	const struct notifier_result row = {number, 0, 204, 0, {"", 0}};

	send_row(channel, NOTIFIER_RESULT, &notifier_result_layout, &row,
		 slice_of("x"));
}
FORGED(with_body)

static void half_it(struct channel *channel, uint32_t number)
{
	channel_send(channel,
		     &(struct frame_parts){.kind = NOTIFIER_RESULT,
					   .head = {&number, sizeof(number)},
					   .file = -1});
}
FORGED(half)

static void no_frame_it(struct channel *channel, uint32_t number)
{
	ck_assert_int_gt(write(channel->socket, &number, sizeof(number)), 0);
}
FORGED(no_frame)

static void hostile_reason_it(struct channel *channel, uint32_t number)
{
	static const char reason[] = "a\nb\0c\xff\x1b[1m";

	send_result(channel, &(struct notifier_result){
				     number,
				     ERR_NETWORK,
				     0,
				     0,
				     {reason, sizeof(reason) - 1},
			     });
}
FORGED(hostile_reason)

static void long_reason_it(struct channel *channel, uint32_t number)
{
	char reason[1000];

	memset(reason, 'x', sizeof(reason));
	send_result(channel, &(struct notifier_result){
				     number,
				     ERR_NETWORK,
				     0,
				     0,
				     {reason, sizeof(reason)},
			     });
}
FORGED(long_reason)

/* 204 when a large body has come whole. */
static void large_it(struct channel *channel, uint32_t number)
{
	send_result(channel,
		    &(struct notifier_result){
			    0, 0, number == LARGE ? 204 : 400, 0, {"", 0}});
}
FORGED(large)

static void crash_it(struct channel *channel, uint32_t number)
{
	(void)channel;
	(void)number;
	raise(SIGUSR1);
}
FORGED(crash)

static void leave_it(struct channel *channel, uint32_t number)
{
	(void)number;
	channel_close(channel);
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

static struct notifier_client *create(struct spawner *spawner, role_main *role,
				      const char *ca_file)
{
	struct network allowed;

	assert_ok(network_parse("127.0.0.1", &allowed));
	return notifier_client_create(spawner,
				      &(struct poster_options){
					      .user_agent = "tester",
					      .ca_file = ca_file,
					      .connect_timeout_ms = TIMEOUT_MS,
					      .timeout_ms = TIMEOUT_MS,
					      .allowed = &allowed,
					      .allowed_count = 1,
				      },
				      role);
}

static struct post_result post(const char *url, struct slice body)
{
	struct post_result result = {.error = ERR_STOPPED};

	notifier_client_start(poster, &(struct post_request){
					      .url = url,
					      .body = body,
					      .headers = {"X-One: a"},
					      .context = &poster,
				      });
	for (int i = 0; i < PATIENCE && !notifier_client_next(poster, &result);
	     i++)
		notifier_client_run(poster, TIMEOUT_MS, NULL, 0);
	return result;
}

/* The result of a request to a forged notifier. */
static struct post_result ask(role_main *role)
{
	struct post_result result;

	poster = create(NULL, role, NULL);
	ck_assert_ptr_nonnull(poster);
	result = post("http://a.invalid/", slice_of("body"));
	notifier_client_destroy(poster);
	return result;
}

/* 204 for the expected request, otherwise 400. */
static void check_request(int socket, const char *request)
{
	bool is_well =
		strncmp(request, "POST /checked HTTP/1.1\r\n", 24) == 0 &&
		strstr(request, "\r\nX-One: a\r\n") != NULL &&
		strstr(request, "\r\nUser-Agent: tester\r\n") != NULL &&
		strstr(request, "\r\nContent-Length: 4\r\n") != NULL;

	server_send_text(socket, is_well ? "HTTP/1.1 204 No Content\r\n\r\n"
					 : "HTTP/1.1 400 Bad Request\r\n"
					   "Content-Length: 0\r\n\r\n");
}

FIXTURE(.timeout_s = 30);

TEST(a_request_passes_through_the_notifier)
{
	static const struct route routes[] = {
		{.path = "/checked", .handler = check_request},
	};
	struct server server = server_start(routes, 1);
	struct post_result result;
	char url[128];

	poster = create(NULL, notifier_main, NULL);
	ck_assert_ptr_nonnull(poster);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/checked", server.port);
	result = post(url, slice_of("body"));
	assert_ok(result.error);
	ck_assert_uint_eq(result.http_status, 204);
	ck_assert_ptr_eq(result.context, &poster);
	result = post("http://127.0.0.2/", slice_of("body"));
	ck_assert_int_eq(result.error, ERR_ADDRESS_FORBIDDEN);
	ck_assert_ptr_nonnull(strstr(result.reason, "127.0.0.2 is a private"));
	notifier_client_destroy(poster);
	server_stop(&server);
}

TEST(a_large_body_comes_whole)
{
	AUTO_BUFFER body = {0};
	struct post_result result;

	memset(buffer_reserve(&body, LARGE), 'x', LARGE);
	body.size = LARGE;
	poster = create(NULL, large_main, NULL);
	result = post("http://a.invalid/", buffer_slice(&body));
	ck_assert_uint_eq(result.http_status, 204);
	notifier_client_destroy(poster);
}

TEST(a_url_that_no_frame_holds_is_too_large)
{
	AUTO_TEXT *url = malloc(FRAME_MAX_HEAD + 1);

	ck_assert_ptr_nonnull(url);
	memset(url, 'x', FRAME_MAX_HEAD);
	url[FRAME_MAX_HEAD] = '\0';
	poster = create(NULL, large_main, NULL);
	ck_assert_int_eq(post(url, slice_of("")).error, ERR_TOO_LARGE);
	notifier_client_destroy(poster);
}

TEST(unreadable_ca_files_are_reported)
{
	ck_assert_ptr_null(create(NULL, notifier_main, "/nonexistent"));
}

TEST(a_wait_ends_when_a_descriptor_is_readable_or_it_is_woken)
{
	int ends[2];

	poster = create(NULL, notifier_main, NULL);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	/* the test would be killed by its time limit */
	notifier_client_run(poster, UINT32_MAX, ends, 1);
	notifier_client_wake(poster);
	notifier_client_run(poster, UINT32_MAX, NULL, 0);
	notifier_client_destroy(poster);
	close(ends[0]);
	close(ends[1]);
}

static role_main *const forgers[] = {
	wrong_number_main, huge_number_main, wrong_error_main,
	wrong_status_main, wrong_kind_main,  with_body_main,
	half_main,         no_frame_main,
};

TEST_ROWS(malformed_messages_end_the_notifier, forgers)
{
	struct post_result result = ask(forgers[_i]);

	ck_assert_int_eq(result.error, ERR_NETWORK);
	ck_assert_uint_eq(result.http_status, 0);
	ck_assert_str_eq(result.reason,
			 "the notifier was stopped: it sent an invalid frame");
}

/* The second result is of the next request to a notifier that has exited. */
TEST(a_result_counts_once)
{
	poster = create(NULL, twice_main, NULL);
	ck_assert_uint_eq(post("http://a.invalid/", slice_of("")).http_status,
			  204);
	notifier_client_run(poster, 100, NULL, 0);
	ck_assert_uint_eq(post("http://a.invalid/", slice_of("")).http_status,
			  204);
	notifier_client_destroy(poster);
}

TEST(a_reason_is_one_line_of_text)
{
	ck_assert_str_eq(ask(hostile_reason_main).reason, "a?b?c??[1m");
	ck_assert_uint_eq(strlen(ask(long_reason_main).reason), 127);
}

TEST(a_notifier_that_exits_is_restarted_with_backoff)
{
	enum error error;

	poster = create(NULL, leave_main, NULL);
	ck_assert_int_eq(post("http://a.invalid/", slice_of("")).error,
			 ERR_NETWORK);
	/* immediately for the first time */
	ck_assert_int_eq(post("http://a.invalid/", slice_of("")).error,
			 ERR_NETWORK);
	ck_assert_int_eq(post("http://a.invalid/", slice_of("")).error,
			 ERR_BUSY);
	do {
		usleep(10 * 1000);
		error = post("http://a.invalid/", slice_of("")).error;
	} while (error == ERR_BUSY);
	ck_assert_int_eq(error, ERR_NETWORK);
	notifier_client_destroy(poster);
}

TEST(the_end_of_the_process_is_described)
{
	struct spawner *spawner;

	assert_ok(spawner_create(&spawner, false));
	poster = create(spawner, notifier_main, NULL);
	ck_assert_ptr_nonnull(poster);
	ck_assert_str_eq(post("http://a.invalid/", slice_of("")).reason,
			 "the notifier has exited: signal 10 (User defined "
			 "signal 1)");
	notifier_client_destroy(poster);
	spawner_destroy(spawner);
}
