/* The notifier exits on malformed frames. */
#include "daemon/privsep/notifier_process.h"

#include "daemon/privsep/spawner_client.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 10000 };

static struct process notifier;

/* A port without a listener: a request to it fails immediately. */
static const char url[] = "http://127.0.0.1:1/";
static const struct slice url_text = {url, sizeof(url)};

static void begin(void)
{
	assert_ok(
		process_start(NULL,
			      &(struct process_options){.role = ROLE_NOTIFIER,
							.main = notifier_main},
			      &notifier));
}

static void end(void)
{
	process_end(NULL, &notifier, NULL);
}

static void send_row(enum notifier_message_kind kind,
		     const struct row_codec *layout, const void *row,
		     struct slice body)
{
	AUTO_BUFFER head = row_codec_encode(layout, row);

	assert_ok(
		channel_send(&notifier.channel,
			     &(struct frame_parts){.kind = kind,
						   .head = buffer_slice(&head),
						   .body = body,
						   .file = -1}));
}

static struct notifier_options good_options(void)
{
	return (struct notifier_options){
		.connect_timeout_ms = PATIENCE_MS,
		.timeout_ms = PATIENCE_MS,
		.user_agent = {"tester", sizeof("tester")},
	};
}

static void send_options(const struct notifier_options *options)
{
	send_row(NOTIFIER_OPTIONS, &notifier_options_layout, options,
		 slice_of(""));
}

static void send_post(const struct notifier_post *post)
{
	send_row(NOTIFIER_POST, &notifier_post_layout, post, slice_of("body"));
}

/* The kind of its next frame; 0: it has ended. */
static uint32_t next_kind(struct channel_frame *frame)
{
	return channel_receive(&notifier.channel, PATIENCE_MS, frame) ==
			       ERR_NONE
		       ? frame->kind
		       : 0;
}

static bool is_ready(void)
{
	struct notifier_ready ready = {1};
	struct channel_frame frame;
	bool is_right =
		next_kind(&frame) == NOTIFIER_READY &&
		row_codec_decode(&notifier_ready_layout, frame.head, &ready);

	frame_free(&frame);
	return is_right && ready.has_failed == 0;
}

static bool is_ended(void)
{
	struct channel_frame frame;
	uint32_t kind = next_kind(&frame);

	frame_free(&frame);
	return kind == 0;
}

static void begin_open(void)
{
	const struct notifier_options options = good_options();

	begin();
	send_options(&options);
	ck_assert(is_ready());
}

FIXTURE(.setup = begin, .teardown = end);

TEST(without_options_it_sends_nothing)
{
	const struct notifier_post post = {.url = url_text};

	send_post(&post);
	ck_assert(!is_ready());
	ck_assert(is_ended());
}

TEST(a_user_agent_without_an_end_is_refused)
{
	struct notifier_options options = good_options();

	options.user_agent = slice_of("tester");
	send_options(&options);
	ck_assert(is_ended());
}

TEST(no_time_is_refused)
{
	struct notifier_options options = good_options();

	options.timeout_ms = 0;
	send_options(&options);
	ck_assert(is_ended());
}

TEST(half_a_network_is_refused)
{
	const struct notifier_options options = good_options();

	send_row(NOTIFIER_OPTIONS, &notifier_options_layout, &options,
		 (struct slice){url, sizeof(struct network) + 1});
	ck_assert(is_ended());
}

TEST(unreadable_ca_files_are_reported)
{
	struct notifier_options options = good_options();

	options.ca_file =
		(struct slice){"/nonexistent", sizeof("/nonexistent")};
	send_options(&options);
	ck_assert(!is_ready());
	ck_assert(is_ended());
}

FIXTURE(.setup = begin_open, .teardown = end);

TEST(options_that_come_again_are_refused)
{
	const struct notifier_options options = good_options();

	send_options(&options);
	ck_assert(is_ended());
}

/* The address is private, and not allowed. */
TEST(a_result_has_the_number_of_its_request)
{
	const struct notifier_post post = {
		.number = NOTIFIER_MAX_REQUESTS - 1,
		.url = url_text,
	};
	struct notifier_result result = {0};
	struct channel_frame frame;

	send_post(&post);
	ck_assert_uint_eq(next_kind(&frame), NOTIFIER_RESULT);
	ck_assert(
		row_codec_decode(&notifier_result_layout, frame.head, &result));
	ck_assert_uint_eq(result.number, NOTIFIER_MAX_REQUESTS - 1);
	ck_assert_int_eq(result.error, ERR_ADDRESS_FORBIDDEN);
	frame_free(&frame);
}

TEST(a_number_that_is_too_large_is_refused)
{
	const struct notifier_post post = {
		.number = NOTIFIER_MAX_REQUESTS,
		.url = url_text,
	};

	send_post(&post);
	ck_assert(is_ended());
}

TEST(a_url_without_an_end_is_refused)
{
	const struct notifier_post post = {.url = {url, sizeof(url) - 1}};

	send_post(&post);
	ck_assert(is_ended());
}

TEST(a_url_with_two_ends_is_refused)
{
	static const char two[] = "http://127.0.0.1:1/\0.example";
	const struct notifier_post post = {.url = {two, sizeof(two)}};

	send_post(&post);
	ck_assert(is_ended());
}

TEST(a_header_without_an_end_is_refused)
{
	const struct notifier_post post = {.url = url_text,
					   .headers = slice_of("X-One: a")};

	send_post(&post);
	ck_assert(is_ended());
}

TEST(too_many_headers_are_refused)
{
	static const char nuls[MAX_POST_HEADERS + 1];
	const struct notifier_post post = {.url = url_text,
					   .headers = {nuls, sizeof(nuls)}};

	send_post(&post);
	ck_assert(is_ended());
}
