/*
 * The threads of the delivery, step by step: the test is the notifier, so that
 * it decides when an event is answered. Commits are real ones.
 */
#include "daemon/notify/notifier.h"

#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum {
	ANSWER_MS = 5000,
	FIRST_PAUSE_MS = 20,
	LONG_PAUSE_MS = 600 * 1000,
};

static struct world world;
static struct delivery delivery;
static struct channel notifier; /* the test's end */
static atomic_int courier_socket;

/* A notifier that reports that it is ready, and leaves its socket to the
 * test. */
static void courier_of_test(int socket)
{
	struct channel channel = channel_of(socket, FETCH_MAX_POST_BYTES);
	struct channel_frame frame;

	if (channel_receive(&channel, -1, &frame) == ERR_NONE)
		channel_send(
			&channel,
			&(struct frame_parts){.kind = FETCH_READY, .file = -1});
	frame_free(&frame);
	free(channel.room);
	atomic_store(&courier_socket, socket);
}

/* A notifier that takes every request and answers none. */
static void silent_courier(int socket)
{
	struct channel channel;
	struct channel_frame frame;

	courier_of_test(socket);
	channel = channel_of(socket, FETCH_MAX_POST_BYTES);
	while (channel_receive(&channel, -1, &frame) == ERR_NONE)
		frame_free(&frame);
	channel_close(&channel);
}

static void begin_with(role_main *role)
{
	world_open(&world, 0);
	atomic_store(&courier_socket, -1);
	delivery = (struct delivery){
		.store = world.store,
		.options = {.first_pause_ms = FIRST_PAUSE_MS,
			    .allows_exec = true,
			    .exec_timeout_ms = ANSWER_MS},
		.notifier =
			fetcher_client_create(&(struct fetcher_client_options){
				.fetch = {.user_agent = "test"},
				.main = role,
				.is_notifier = true,
			}),
	};
	ck_assert_ptr_nonnull(delivery.notifier);
	while (atomic_load(&courier_socket) < 0)
		test_sleep_ms(1);
	notifier = channel_of(courier_socket, FETCH_MAX_POST_BYTES);
	lock_init(&delivery.lock, LOCK_DELIVERY);
	condition_init(&delivery.is_wanted);
	condition_init(&delivery.is_answered);
}

static void begin(void)
{
	begin_with(courier_of_test);
}

static void end_delivery(void)
{
	for (size_t i = 0; i < delivery.outlet_count; i++)
		hook_queue_destroy(delivery.outlets[i]);
	free(delivery.outlets);
	condition_destroy(&delivery.is_wanted);
	condition_destroy(&delivery.is_answered);
	lock_destroy(&delivery.lock);
	fetcher_client_destroy(delivery.notifier);
	world_close(&world);
}

static void end(void)
{
	channel_close(&notifier);
	end_delivery();
}

static void look_and_send(void)
{
	delivery_load_hooks(&delivery);
	delivery_send(&delivery);
}

/* Write the row of a hook whose text is not secret. */
static void put_row(struct txn *txn, uint32_t hook, const char *text,
		    const struct hook_row *row)
{
	struct hook_row copy = *row;
	char target[128] = {0};
	size_t id = 16;

	snprintf(target + id, sizeof(target) - id, "%s", text);
	copy.target = (struct slice){target, id + strlen(text)};
	hook_row_put(txn, hook, &copy);
}

static void put_hook(uint32_t hook, const char *text)
{
	struct txn txn = txn_begin_write(world.store);

	put_row(&txn, hook, text, &(struct hook_row){0});
	ASSERT_OK(txn_end(&txn));
}

static void delete_hook(uint32_t hook)
{
	struct txn txn = txn_begin_write(world.store);
	struct key key = key_small(hook);

	txn_delete_prefix(&txn, TABLE_OUTBOX, key_slice(&key));
	txn_delete(&txn, TABLE_HOOKS, key_slice(&key));
	ASSERT_OK(txn_end(&txn));
}

/* An event waits for the hook; its number. */
static uint64_t put_event(uint32_t hook)
{
	const struct event_row event = {.kind = EVENT_HOOK_TEST,
					.host = slice_of("a.example")};
	struct txn txn = txn_begin_write(world.store);
	uint64_t number = event_add(&txn, &event);
	struct hook_row row;

	outbox_put(&txn, hook, number, &event);
	ck_assert(hook_row_get(&txn, hook, &row));
	row.waiting++;
	hook_row_put(&txn, hook, &row);
	ASSERT_OK(txn_end(&txn));
	return number;
}

/* A request that the notifier has got. */
struct post {
	uint64_t id;
	uint64_t event; /* 0: there is no request */
	char url[64];
};

/* The next request, if there is one. */
static struct post next_post(void)
{
	static const char name[] = "X-Templated-Delivery: ";
	struct post post = {0};
	struct fetch_message message;
	struct channel_frame frame;
	const char *header;

	if (channel_receive(&notifier, 0, &frame) != ERR_NONE)
		return post;
	ck_assert_uint_eq(frame.kind, FETCH_START);
	ck_assert(fetch_message_decode(frame.head, &message));
	header = strstr(message.request.headers, name);
	ck_assert_ptr_nonnull(header);
	post.id = message.id;
	post.event = strtoull(header + sizeof(name) - 1, NULL, 10);
	snprintf(post.url, sizeof(post.url), "%s", message.post.url);
	frame_free(&frame);
	return post;
}

/* Answer the request, and have the sender take the answer. Free the result. */
static void answer_with(const struct post *post, struct fetch_result *result)
{
	AUTO_BUFFER head = fetch_result_encode(post->id, result, NULL);

	ASSERT_OK(channel_send(
		&notifier, &(struct frame_parts){.kind = FETCH_RESULT,
						 .head = buffer_slice(&head),
						 .file = -1}));
	fetch_result_free(result);
	fetcher_client_run(delivery.notifier, ANSWER_MS, NULL, 0);
	delivery_receive(&delivery);
}

static void answer(const struct post *post, unsigned status)
{
	answer_with(post,
		    &(struct fetch_result){.http_status = (uint16_t)status});
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_reason_is_one_line_of_text)
{
	struct fetch_result result = {.error = ERR_NETWORK,
				      .reason = "a\nb\xff\x1b[1m"};
	struct post post;

	put_hook(1, "http://a.example/");
	put_event(1);
	look_and_send();
	post = next_post();
	answer_with(&post, &result);
	ck_assert_str_eq(delivery.outlets[0]->error, "a?b??[1m");
}

TEST(events_are_sent_in_order_one_at_a_time)
{
	uint64_t first;
	uint64_t second;
	struct post post;

	put_hook(1, "http://a.example/");
	first = put_event(1);
	second = put_event(1);
	look_and_send();
	post = next_post();
	ck_assert_uint_eq(post.event, first);
	ck_assert_str_eq(post.url, "http://a.example/");
	look_and_send();
	ck_assert_uint_eq(next_post().event, 0);
	answer(&post, 204);
	look_and_send();
	/* the first one is in the outbox still: nothing is saved here */
	post = next_post();
	ck_assert_uint_eq(post.event, second);
	answer(&post, 200);
	look_and_send();
	ck_assert_uint_eq(next_post().event, 0);
}

/* Refuse the event in flight, and make its retry due. */
static void refuse(unsigned status)
{
	struct post post = next_post();

	ck_assert_uint_ne(post.event, 0);
	answer(&post, status);
	delivery.outlets[0]->report.next_ms = 0;
}

TEST(only_refusals_of_one_event_are_counted)
{
	struct hook_queue *outlet;
	uint64_t first;

	put_hook(1, "http://a.example/");
	first = put_event(1);
	put_event(1);
	for (int i = 0; i < MAX_REFUSALS - 1; i++) {
		look_and_send();
		refuse(400);
	}
	outlet = delivery.outlets[0];
	for (int i = 0; i < 2 * MAX_REFUSALS; i++) {
		look_and_send();
		refuse(i % 2 == 0 ? 500 : 404);
	}
	ck_assert_uint_eq(outlet->report.number_count, 0);
	look_and_send();
	refuse(413);
	ck_assert_uint_eq(outlet->report.number_count, 1);
	ck_assert_uint_eq(outlet->report.refused, first);
	ck_assert_uint_eq(outlet->report.refused_status, 413);
	/* a report has room for one: the next one waits until it is saved */
	for (int i = 0; i < 2 * MAX_REFUSALS; i++) {
		look_and_send();
		refuse(400);
	}
	ck_assert_uint_eq(outlet->report.number_count, 1);
	outlet->saved = 1;
	look_and_send();
	ck_assert_uint_eq(outlet->report.refused, 0);
}

TEST(a_slow_hook_delays_no_other)
{
	uint64_t first;
	uint64_t second;
	struct post slow;
	struct post post;

	put_hook(1, "http://slow.example/");
	put_hook(2, "http://b.example/");
	put_event(1);
	first = put_event(2);
	second = put_event(2);
	look_and_send();
	slow = next_post();
	post = next_post();
	ck_assert_str_eq(slow.url, "http://slow.example/");
	ck_assert_uint_eq(post.event, first);
	answer(&post, 204);
	look_and_send();
	ck_assert_uint_eq(next_post().event, second);
	ck_assert_str_eq(post.url, "http://b.example/");
}

static struct post wait_for_post(void)
{
	uint64_t end_ms = clock_steady_ms() + ANSWER_MS;
	struct post post = {0};

	while (post.event == 0 && clock_steady_ms() < end_ms) {
		look_and_send();
		post = next_post();
	}
	return post;
}

static void check_failure(const struct hook_queue *outlet, uint32_t failures)
{
	ck_assert_uint_eq(outlet->report.failures, failures);
	ck_assert_uint_eq(outlet->report.http_status, 500);
	ck_assert_uint_eq(outlet->report.number_count, 0);
	ck_assert_str_eq(outlet->error, "HTTP status 500");
}

/* Fail the event, for this many times now; the pause that follows, in ms. */
static uint64_t fail_event(uint64_t number, uint32_t failures)
{
	uint64_t before_ms = clock_wall_ms();
	struct post post = wait_for_post();
	uint64_t next_ms;

	ck_assert_uint_eq(post.event, number);
	answer(&post, 500);
	check_failure(delivery.outlets[0], failures);
	next_ms = delivery.outlets[0]->report.next_ms;
	ck_assert_uint_gt(next_ms, before_ms);
	return next_ms - clock_wall_ms();
}

TEST(a_failed_event_is_tried_again_later_and_later)
{
	uint64_t number;
	uint64_t pause_ms;

	put_hook(1, "http://a.example/");
	number = put_event(1);
	put_event(1);
	pause_ms = fail_event(number, 1);
	ck_assert_uint_gt(fail_event(number, 2), pause_ms);
	delivery.outlets[0]->report.next_ms += LONG_PAUSE_MS;
	look_and_send();
	ck_assert_uint_eq(next_post().event, 0);
}

/* Write when the hook is tried next, as an earlier run has left it. */
static void rest_until(uint32_t hook, uint64_t next_ms)
{
	struct txn txn = txn_begin_write(world.store);
	struct hook_row row;

	ck_assert(hook_row_get(&txn, hook, &row));
	row.next_ms = next_ms;
	row.failures = 3;
	hook_row_put(&txn, hook, &row);
	ASSERT_OK(txn_end(&txn));
}

TEST(a_hook_rests_over_a_restart_but_not_by_a_clock_set_back)
{
	uint64_t number;

	put_hook(1, "http://a.example/");
	number = put_event(1);
	rest_until(1, clock_wall_ms() + LONG_PAUSE_MS);
	look_and_send();
	ck_assert_uint_eq(next_post().event, 0);
	ck_assert_uint_eq(delivery.outlets[0]->report.failures, 3);
	/* no pause is as long as that */
	rest_until(1, clock_wall_ms() + 2 * (uint64_t)DELIVERY_MAX_PAUSE_MS);
	look_and_send();
	ck_assert_uint_eq(next_post().event, number);
}

TEST(a_hook_that_is_deleted_in_flight_stays_until_its_answer)
{
	struct post post;

	put_hook(1, "http://a.example/");
	put_event(1);
	look_and_send();
	post = next_post();
	delete_hook(1);
	look_and_send();
	ck_assert_uint_eq(delivery.outlet_count, 1);
	answer(&post, 204);
	look_and_send();
	ck_assert_uint_eq(delivery.outlet_count, 0);
	ck_assert_uint_eq(next_post().event, 0);
}

static void put_hooks(uint32_t count)
{
	for (uint32_t hook = 1; hook <= count; hook++)
		put_hook(hook, "http://a.example/");
}

static void check_outlets(uint32_t count)
{
	ck_assert_uint_eq(delivery.outlet_count, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(delivery.outlets[i]->hook, i + 1);
}

/* Copied like another node's hooks: all rows are deleted and come again. */
TEST(hooks_that_are_copied_in_flight_are_the_same_again)
{
	uint64_t numbers[4] = {0};
	struct post posts[3];

	put_hooks(3);
	numbers[2] = put_event(2);
	look_and_send();
	posts[0] = next_post();
	ck_assert_uint_eq(posts[0].event, numbers[2]);
	for (uint32_t hook = 1; hook <= 3; hook++)
		delete_hook(hook);
	look_and_send();
	ck_assert_uint_eq(delivery.outlet_count, 1);
	ck_assert_uint_eq(delivery.outlets[0]->hook, 2);
	put_hooks(3);
	for (uint32_t hook = 1; hook <= 3; hook++)
		numbers[hook] = put_event(hook);
	look_and_send();
	check_outlets(3);
	posts[1] = next_post();
	posts[2] = next_post();
	ck_assert_uint_eq(posts[1].event, numbers[1]);
	ck_assert_uint_eq(posts[2].event, numbers[3]);
	answer(&posts[0], 204);
	look_and_send();
	ck_assert_uint_eq(next_post().event, numbers[2]);
}

TEST(a_hook_that_is_replaced_in_flight_begins_as_a_new_one)
{
	uint64_t first;
	uint64_t second;
	struct post post;

	put_hook(1, "http://a.example/");
	first = put_event(1);
	second = put_event(1);
	look_and_send();
	post = next_post();
	answer(&post, 204);
	look_and_send();
	post = next_post();
	ck_assert_uint_eq(post.event, second);
	delete_hook(1);
	put_hook(1, "http://b.example/");
	first = put_event(1);
	look_and_send();
	ck_assert_uint_eq(next_post().event, 0);
	ck_assert(!delivery.outlets[0]->has_news);
	answer(&post, 500);
	ck_assert(!delivery.outlets[0]->has_news);
	look_and_send();
	post = next_post();
	ck_assert_str_eq(post.url, "http://b.example/");
	ck_assert_uint_eq(post.event, first);
	ck_assert_uint_eq(delivery.outlets[0]->report.failures, 0);
}

TEST(what_is_damaged_is_passed_over)
{
	struct key key = key_small(1);
	struct key outbox;
	struct txn txn;
	uint64_t first;
	uint64_t second;

	put_hook(1, "http://a.example/");
	put_hook(2, "http://b.example/");
	first = put_event(1);
	second = put_event(1);
	txn = txn_begin_write(world.store);
	outbox = key_outbox(1, first);
	txn_put(&txn, TABLE_OUTBOX, key_slice(&outbox), slice_of("damage"));
	/* keys of no hook: one that is too long, and one that is too short */
	key.bytes[key.size++] = 7;
	put_row(&txn, 3, "http://c.example/", &(struct hook_row){0});
	txn_put(&txn, TABLE_HOOKS, key_slice(&key),
		txn_get(&txn, TABLE_HOOKS,
			(struct slice){(const char[]){0, 0, 0, 3}, 4}));
	txn_put(&txn, TABLE_HOOKS, slice_of("\1\1"), slice_of("damage"));
	ASSERT_OK(txn_end(&txn));
	look_and_send();
	ck_assert_uint_eq(delivery.outlet_count, 3);
	ck_assert_uint_eq(next_post().event, second);
}

TEST(commands_run_when_they_are_allowed)
{
	uint64_t end_ms = clock_steady_ms() + ANSWER_MS;
	struct hook_queue *outlet;

	put_hook(1, "exec:/bin/true");
	put_event(1);
	put_event(1);
	look_and_send();
	outlet = delivery.outlets[0];
	while (outlet->is_running && clock_steady_ms() < end_ms) {
		test_sleep_ms(1);
		delivery_receive(&delivery);
	}
	ck_assert_uint_eq(outlet->report.number_count, 1);
	delivery.options.allows_exec = false;
	look_and_send();
	ck_assert(!outlet->is_running);
	ck_assert_uint_eq(outlet->report.failures, 1);
	ck_assert_str_eq(outlet->error,
			 "commands are not allowed: see hooks.allow_commands");
}

static void begin_silent(void)
{
	begin_with(silent_courier);
}

FIXTURE(.setup = begin_silent, .teardown = end_delivery);

TEST(no_more_are_in_flight_than_the_courier_takes)
{
	const struct event_row event = {.kind = EVENT_HOOK_TEST,
					.host = slice_of("a.example")};
	struct txn txn = txn_begin_write(world.store);
	size_t running = 0;

	for (uint32_t hook = 1; hook <= MAX_RUNNING_POSTS + 2; hook++) {
		put_row(&txn, hook, "http://a.example/",
			&(struct hook_row){.waiting = 1});
		outbox_put(&txn, hook, 1, &event);
	}
	ASSERT_OK(txn_end(&txn));
	look_and_send();
	for (size_t i = 0; i < delivery.outlet_count; i++)
		running += delivery.outlets[i]->is_running;
	ck_assert_uint_eq(running, MAX_RUNNING_POSTS);
}

/* With commits: the saver, or all of the delivery. */

static struct pipeline_options pipeline_options = {
	.fetch = {.user_agent = "test", .max_connections = 4},
	.workers = 1,
	.max_in_flight = 4,
	.max_waiting_bytes = 1 << 20,
	.max_commands = 16,
	.commit_interval_ms = 1,
};

static void start_pipeline(void)
{
	pipeline_options.limits = page_limits_default;
	ASSERT_OK(pipeline_start(&delivery.pipeline, world.engine,
				 &pipeline_options));
}

static void begin_saved(void)
{
	begin();
	start_pipeline();
}

static void start_saver(void)
{
	ck_assert_int_eq(
		pthread_create(&delivery.saver, NULL, delivery_save, &delivery),
		0);
}

static void end_saver(void)
{
	lock_acquire(&delivery.lock);
	delivery.is_last = true;
	condition_signal(&delivery.is_wanted);
	lock_release(&delivery.lock);
	pthread_join(delivery.saver, NULL);
}

static void end_saved(void)
{
	pipeline_stop(delivery.pipeline, 0);
	end();
}

static struct alert_change command(const struct alert_change *alert)
{
	struct alert_change copy = *alert;
	struct change change = {.kind = CHANGE_ALERTS, .alert = &copy};

	ASSERT_OK(pipeline_command(delivery.pipeline, &change));
	return copy;
}

static uint32_t add_hook(const char *target)
{
	return (uint32_t)command(
		       &(struct alert_change){.action = HOOK_ADD,
					      .hook.target = slice_of(target)})
		.made;
}

static uint64_t test_hook(uint32_t hook)
{
	return command(&(struct alert_change){.action = HOOK_TEST,
					      .number = hook})
		.made;
}

/* The numbers of the row, with `error` [error_size] as its text. */
static struct hook_row row_of(uint32_t hook, char *error, size_t error_size)
{
	struct txn txn = txn_begin_read(world.store);
	struct hook_row row = {0};

	ck_assert(hook_row_get(&txn, hook, &row));
	snprintf(error, error_size, "%.*s", (int)row.error.size,
		 row.error.size == 0 ? "" : (const char *)row.error.data);
	ASSERT_OK(txn_end(&txn));
	return row;
}

FIXTURE(.setup = begin_saved, .teardown = end_saved);

TEST(results_are_committed)
{
	struct hook_row row;
	char error[64];
	uint32_t hook = add_hook("http://a.example/");
	uint64_t second;
	struct post post;

	test_hook(hook);
	second = test_hook(hook);
	start_saver();
	look_and_send();
	post = next_post();
	answer(&post, 200);
	look_and_send();
	post = next_post();
	ck_assert_uint_eq(post.event, second);
	answer(&post, 503);
	end_saver();
	row = row_of(hook, error, sizeof(error));
	ck_assert_uint_eq(row.delivered, 1);
	ck_assert_uint_eq(row.waiting, 1);
	ck_assert_uint_eq(row.failures, 1);
	ck_assert_uint_eq(row.http_status, 503);
	ck_assert_str_eq(error, "HTTP status 503");
	/* what was saved is forgotten with the next look */
	delivery_load_hooks(&delivery);
	ck_assert_uint_eq(delivery.outlets[0]->report.number_count, 0);
}

TEST(a_result_of_a_hook_that_was_deleted_is_of_no_hook)
{
	uint32_t hook = add_hook("http://a.example/");
	struct post post;

	test_hook(hook);
	look_and_send();
	post = next_post();
	command(&(struct alert_change){.action = HOOK_DELETE, .number = hook});
	start_saver();
	answer(&post, 200);
	end_saver();
	look_and_send();
	ck_assert_uint_eq(delivery.outlet_count, 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(unsaved_results_are_limited_and_none_is_lost)
{
	struct hook_row row;
	char error[64];
	uint32_t hook = add_hook("http://a.example/");
	struct post post = {0};
	unsigned sent = 0;

	for (unsigned i = 0; i < HOOK_REPORT_EVENTS + 2; i++)
		test_hook(hook);
	for (look_and_send(), post = next_post(); post.event != 0;
	     look_and_send(), post = next_post()) {
		answer(&post, 200);
		sent++;
	}
	ck_assert_uint_eq(sent, HOOK_REPORT_EVENTS);
	start_saver();
	end_saver();
	delivery.is_last = false;
	for (look_and_send(), post = next_post(); post.event != 0;
	     look_and_send(), post = next_post()) {
		answer(&post, 200);
		sent++;
	}
	ck_assert_uint_eq(sent, HOOK_REPORT_EVENTS + 2);
	start_saver();
	end_saver();
	row = row_of(hook, error, sizeof(error));
	ck_assert_uint_eq(row.delivered, HOOK_REPORT_EVENTS + 2);
	ck_assert_uint_eq(row.waiting, 0);
}

TEST(results_that_cannot_be_committed_are_reported_again)
{
	struct pipeline_options options = pipeline_options;
	uint64_t end_ms = clock_steady_ms() + ANSWER_MS;
	uint32_t hook = add_hook("http://a.example/");
	struct hook_row row = {0};
	char error[64];
	struct post post;

	test_hook(hook);
	look_and_send();
	post = next_post();
	options.max_commands = 0;
	pipeline_configure(delivery.pipeline, &options);
	answer(&post, 200);
	start_saver();
	test_sleep_ms(1);
	ck_assert_uint_eq(row_of(hook, error, sizeof(error)).delivered, 0);
	pipeline_configure(delivery.pipeline, &pipeline_options);
	while (row.delivered == 0 && clock_steady_ms() < end_ms) {
		test_sleep_ms(1);
		row = row_of(hook, error, sizeof(error));
	}
	ck_assert_uint_eq(row.delivered, 1);
	end_saver();
	ck_assert_uint_eq(delivery.outlets[0]->saved, 1);
}

TEST(all_of_it_delivers_to_a_server)
{
	static const struct route routes[] = {
		{.path = "/hook", .answer = "HTTP/1.1 204 No Content\r\n\r\n"},
	};
	struct server server = server_start(routes, 1);
	struct network allowed;
	struct delivery *whole;
	struct hook_row row;
	uint64_t end_ms = clock_steady_ms() + 2ULL * ANSWER_MS;
	char error[64];
	char url[64];
	uint32_t hook;

	ASSERT_OK(network_parse("127.0.0.1", &allowed));
	ASSERT_OK(delivery_start(&whole, world.store, delivery.pipeline,
				 &(struct delivery_options){
					 .posts.user_agent = "test",
					 .posts.connect_timeout_ms = ANSWER_MS,
					 .posts.total_timeout_ms = ANSWER_MS,
					 .first_pause_ms = FIRST_PAUSE_MS,
					 .posts.allowed = &allowed,
					 .posts.allowed_count = 1,
				 }));
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/hook", server.port);
	hook = add_hook(url);
	for (int i = 0; i < 3; i++)
		test_hook(hook);
	delivery_wake(whole);
	row = row_of(hook, error, sizeof(error));
	while (row.delivered < 3 && clock_steady_ms() < end_ms) {
		test_sleep_ms(1);
		row = row_of(hook, error, sizeof(error));
	}
	ck_assert_uint_eq(row.delivered, 3);
	ck_assert_uint_eq(row.waiting, 0);
	delivery_stop(whole);
	server_stop(&server);
}
