
#include "daemon/runtime/clock.h"
#include "tests/unit/daemon/nodes/broker.h"
#include "tests/unit/run.h"

/* One real server. */

static struct broker broker;
static const struct broker_ops *ops;
static struct broker *bus;

static void begin(void)
{
	struct broker_options options;

	broker_hear();
	broker_start(&broker, 1, "max_payload: 65536");
	ops = broker_load(broker.urls);
	ck_assert_ptr_nonnull(ops);
	options = broker_options(&broker);
	options.lease_ms = 600;
	options.timeout_ms = 600;
	bus = broker_open(ops, &options);
}

static void end(void)
{
	ops->close(bus);
	broker_end(&broker);
}

static enum error append(const char *subject, const char *text,
			 uint64_t expected, uint64_t *number_out)
{
	struct broker_entry entry = {.subject = subject,
				     .data = slice_of(text),
				     .expected = expected};
	enum error error = ops->append(bus, &entry, 1);

	*number_out = entry.number;
	return error;
}

static void expect_next(const char *subject, uint64_t from, uint64_t number,
			const char *text)
{
	struct broker_message message = {0};

	ASSERT_OK(ops->next(bus, BROKER_LOG, subject, from, &message));
	ck_assert_uint_eq(message.number, number);
	ck_assert_str_eq(message.data.data, text);
	buffer_free(&message.data);
	buffer_free(&message.subject);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60,
	.is_possible = broker_is_installed);

TEST(entries_are_numbered_and_read_again)
{
	struct broker_message message = {0};
	struct broker_entry entries[] = {
		{.subject = "tpl.log.1", .data = slice_of("a"), .expected = 0},
		{.subject = "tpl.log.2", .data = slice_of("b"), .expected = 0},
	};
	uint64_t number;

	ASSERT_OK(ops->append(bus, entries, 2));
	ASSERT_OK(append("tpl.log.1", "c", 1, &number));
	ck_assert_uint_eq(number, 3);
	expect_next("tpl.log.1", 0, 1, "a");
	expect_next("tpl.log.1", 2, 3, "c");
	expect_next("tpl.log.*", 2, 2, "b");
	ck_assert_int_eq(ops->next(bus, BROKER_LOG, "tpl.log.2", 3, &message),
			 ERR_NOT_FOUND);
	ASSERT_OK(ops->last(bus, BROKER_LOG, "tpl.log.1", &message));
	ck_assert_uint_eq(message.number, 3);
	ck_assert_str_eq(message.subject.data, "tpl.log.1");
	buffer_free(&message.data);
	buffer_free(&message.subject);
}

TEST(time_is_the_servers)
{
	struct broker_message message = {0};
	uint64_t before_ms = clock_wall_ms();
	uint64_t number;
	int64_t clock_ms = 1 << 20;

	ASSERT_OK(append("tpl.log.1", "a", 0, &number));
	ASSERT_OK(ops->last(bus, BROKER_LOG, "tpl.log.1", &message));
	ck_assert_uint_ge(message.time_ms, before_ms);
	ck_assert_uint_le(message.time_ms, clock_wall_ms());
	ck_assert(ops->is_connected(bus, &clock_ms));
	ck_assert_int_lt(llabs(clock_ms), 500);
	buffer_free(&message.data);
	buffer_free(&message.subject);
}

TEST(another_number_than_expected_is_refused)
{
	struct broker_entry entries[] = {
		{.subject = "tpl.log.1", .data = slice_of("b"), .expected = 7},
		{.subject = "tpl.log.2", .data = slice_of("b"), .expected = 0},
	};
	uint64_t number;

	ck_assert_int_eq(append("tpl.log.1", "a", 1, &number), ERR_BUSY);
	ASSERT_OK(append("tpl.log.1", "a", 0, &number));
	ck_assert_int_eq(append("tpl.log.1", "b", 0, &number), ERR_BUSY);
	ck_assert_int_eq(ops->append(bus, entries, 2), ERR_BUSY);
	ck_assert_int_eq(entries[0].error, ERR_BUSY);
	ASSERT_OK(entries[1].error);
	ASSERT_OK(append("tpl.log.1", "b", BROKER_ANY, &number));
	ck_assert_uint_eq(number, 3);
}

TEST(an_id_that_was_there_is_known)
{
	struct broker_entry entry = {.subject = "tpl.job.1.seed",
				     .id = "job-1",
				     .data = slice_of("a"),
				     .expected = 5};

	ck_assert_int_eq(ops->append(bus, &entry, 1), ERR_BUSY);
	/* the refused entry does not exist */
	entry.expected = BROKER_ANY;
	ASSERT_OK(ops->append(bus, &entry, 1));
	ck_assert(!entry.is_known);
	ck_assert_uint_eq(entry.number, 1);
	ASSERT_OK(ops->append(bus, &entry, 1));
	ck_assert(entry.is_known);
	ck_assert_uint_eq(entry.number, 1);
}

TEST(what_is_purged_is_gone)
{
	struct broker_message message = {0};
	uint64_t number = 0;

	for (uint64_t i = 0; i < 3; i++)
		ASSERT_OK(append("tpl.log.1", "a", number, &number));
	ASSERT_OK(append("tpl.log.2", "b", 0, &number));
	ASSERT_OK(ops->purge(bus, BROKER_LOG, "tpl.log.1", 3));
	expect_next("tpl.log.1", 0, 3, "a");
	expect_next("tpl.log.2", 0, 4, "b");
	ck_assert_int_eq(ops->next(bus, BROKER_LOG, "tpl.log.1", 4, &message),
			 ERR_NOT_FOUND);
	ASSERT_OK(append("tpl.log.1", "c", 3, &number));
}

TEST(entries_over_the_limit_are_refused)
{
	size_t max = ops->max_bytes(bus);
	AUTO_TEXT *bytes = calloc(1, max + 2048);
	struct broker_entry entry = {
		.subject = "tpl.log.1", .data = {bytes, max}, .expected = 0};

	ck_assert_uint_gt(max, 60000);
	ASSERT_OK(ops->append(bus, &entry, 1));
	entry.data.size = max + 1;
	entry.expected = BROKER_ANY;
	ck_assert_int_eq(ops->append(bus, &entry, 1), ERR_TOO_LARGE);
}

static enum error put(const char *key, const char *value, uint64_t expected,
		      uint64_t *revision_out)
{
	return ops->put(bus, BROKER_FACTS, key, slice_of(value), expected,
			revision_out);
}

TEST(rows_are_written_by_revision)
{
	struct broker_row row;
	uint64_t first;
	uint64_t second;

	ASSERT_OK(put("p.1", "a", 0, &first));
	ck_assert_int_eq(put("p.1", "b", 0, &second), ERR_BUSY);
	ck_assert_int_eq(put("p.1", "b", first + 1, &second), ERR_BUSY);
	ASSERT_OK(put("p.1", "b", first, &second));
	ck_assert_uint_gt(second, first);
	ASSERT_OK(ops->get(bus, BROKER_FACTS, "p.1", &row));
	ck_assert_str_eq(row.value.data, "b");
	ck_assert_str_eq(row.key, "p.1");
	ck_assert_uint_eq(row.revision, second);
	buffer_free(&row.value);
	ck_assert_int_eq(ops->get(bus, BROKER_FACTS, "p.2", &row),
			 ERR_NOT_FOUND);
}

TEST(a_removed_row_is_made_again)
{
	struct broker_row row;
	uint64_t revision;

	ASSERT_OK(put("p.1", "a", 0, &revision));
	ck_assert_int_eq(ops->remove(bus, BROKER_FACTS, "p.1", revision + 1),
			 ERR_BUSY);
	ASSERT_OK(ops->remove(bus, BROKER_FACTS, "p.1", revision));
	ck_assert_int_eq(ops->get(bus, BROKER_FACTS, "p.1", &row),
			 ERR_NOT_FOUND);
	ASSERT_OK(put("p.1", "b", 0, &revision));
	ck_assert_int_eq(put("p.1", "c", 0, &revision), ERR_BUSY);
}

/* "p.1=a p.2=b " */
static void expect_list(enum broker_bucket bucket, const char *expected)
{
	AUTO_BUFFER text = {0};
	struct broker_row *rows;
	size_t count;

	ASSERT_OK(ops->list(bus, bucket, &rows, &count));
	buffer_append_text(&text, "");
	for (size_t i = 0; i < count; i++) {
		buffer_printf(&text, "%s=%s ", rows[i].key, rows[i].value.data);
		buffer_free(&rows[i].value);
	}
	free(rows);
	ck_assert_str_eq(text.size == 0 ? "" : text.data, expected);
}

TEST(all_rows_are_listed)
{
	uint64_t first;
	uint64_t revision;

	expect_list(BROKER_FACTS, "");
	ASSERT_OK(put("p.2", "a", 0, &first));
	ASSERT_OK(put("p.1", "b", 0, &revision));
	expect_list(BROKER_FACTS, "p.1=b p.2=a ");
	expect_list(BROKER_FACTS, "p.1=b p.2=a ");
	ASSERT_OK(put("p.2", "c", first, &revision));
	expect_list(BROKER_FACTS, "p.1=b p.2=c ");
	ASSERT_OK(ops->remove(bus, BROKER_FACTS, "p.2", revision));
	expect_list(BROKER_FACTS, "p.1=b ");
	/* what the bus writes for itself is not listed */
	expect_list(BROKER_NODES, "");
}

TEST(a_row_expires_without_renewal)
{
	uint64_t revision;
	struct broker_row row;

	ASSERT_OK(
		ops->put(bus, BROKER_NODES, "a", slice_of("1"), 0, &revision));
	test_sleep_ms(400);
	ASSERT_OK(ops->put(bus, BROKER_NODES, "a", slice_of("2"), revision,
			   &revision));
	test_sleep_ms(300);
	expect_list(BROKER_NODES, "a=2 ");
	test_sleep_ms(
		600); /* 0.9 s after it was written, of 0.6 s and 0.15 s */
	expect_list(BROKER_NODES, "");
	ck_assert_int_eq(ops->get(bus, BROKER_NODES, "a", &row), ERR_NOT_FOUND);
	ck_assert_int_eq(ops->put(bus, BROKER_NODES, "a", slice_of("3"),
				  revision, &revision),
			 ERR_BUSY);
	ASSERT_OK(
		ops->put(bus, BROKER_NODES, "a", slice_of("3"), 0, &revision));
	expect_list(BROKER_NODES, "a=3 ");
}

static void answer_twice(void *context, struct slice question,
			 struct buffer *answer)
{
	(void)context;
	buffer_append_slice(answer, question);
	buffer_append_slice(answer, question);
}

static void answer_late(void *context, struct slice question,
			struct buffer *answer)
{
	(void)context;
	(void)question;
	test_sleep_ms(300);
	buffer_append_text(answer, "late");
}

static void answer_too_much(void *context, struct slice question,
			    struct buffer *answer)
{
	(void)context;
	(void)question;
	memset(buffer_reserve(answer, 70000), 'x', 70000);
	answer->size = 70000;
}

static enum error ask(const char *subject, struct buffer *answer)
{
	buffer_clear(answer);
	return ops->ask(bus, subject, slice_of("ab"),
			&(struct broker_wait){.timeout_ms = 100}, answer);
}

TEST(questions_are_answered)
{
	AUTO_BUFFER answer = {0};

	ck_assert_int_eq(ask("tpl.q.1", &answer), ERR_NOT_FOUND);
	ops->answer(bus, "tpl.q.1", answer_twice, NULL, 2);
	ASSERT_OK(ask("tpl.q.1", &answer));
	ck_assert_str_eq(answer.data, "abab");
	ops->answer(bus, "tpl.q.1", answer_late, NULL, 2);
	ck_assert_int_eq(ask("tpl.q.1", &answer), ERR_TIMEOUT);
	ops->answer(bus, "tpl.q.1", answer_too_much, NULL, 2);
	ck_assert_int_eq(ask("tpl.q.1", &answer), ERR_TOO_LARGE);
	ops->answer(bus, "tpl.q.1", NULL, NULL, 0);
	ck_assert_int_eq(ask("tpl.q.1", &answer), ERR_NOT_FOUND);
}

static bool stops(const void *context)
{
	(void)context;
	return false;
}

static bool loses_the_server(const void *context)
{
	(void)context;
	broker_kill(&broker, 0);
	return true;
}

TEST(an_answer_is_waited_for_as_long_as_it_is_wanted)
{
	struct broker_wait patience = {60000, stops, NULL};
	AUTO_BUFFER answer = {0};

	ops->answer(bus, "tpl.q.2", answer_late, NULL, 2);
	ck_assert_int_eq(
		ops->ask(bus, "tpl.q.2", slice_of("a"), &patience, &answer),
		ERR_STOPPED);
	patience.goes_on = NULL;
	ASSERT_OK(ops->ask(bus, "tpl.q.2", slice_of("a"), &patience, &answer));
	ck_assert_str_eq(answer.data, "late");
	patience.goes_on = loses_the_server;
	ck_assert_int_eq(
		ops->ask(bus, "tpl.q.2", slice_of("a"), &patience, &answer),
		ERR_NETWORK);
}

static _Atomic unsigned told;

static void on_told(void *context, const char *subject, struct slice data)
{
	(void)context;
	told += strcmp(subject, "tpl.log.7") == 0 &&
		slice_equal(data, slice_of("a"));
	told += 10 * (strcmp(subject, "tpl.hint.x") == 0);
}

TEST(what_is_told_and_appended_is_heard)
{
	uint64_t number;

	ops->listen(bus, "tpl.log.*", on_told, NULL);
	ops->listen(bus, "tpl.hint.>", on_told, NULL);
	ASSERT_OK(append("tpl.log.7", "a", 0, &number));
	ASSERT_OK(ops->tell(bus, "tpl.hint.x", slice_of("b")));
	for (unsigned i = 0; i < 200 && told < 11; i++)
		test_sleep_ms(10);
	ck_assert_uint_eq(told, 11);
}

TEST(who_hangs_up_is_closed)
{
	struct broker_message message = {0};

	ck_assert(!ops->is_closed(bus));
	ops->hang_up(bus);
	for (unsigned i = 0; i < 200 && !ops->is_closed(bus); i++)
		test_sleep_ms(10);
	ck_assert(ops->is_closed(bus));
	ck_assert_int_eq(ops->last(bus, BROKER_LOG, "tpl.log.1", &message),
			 ERR_NETWORK);
}

TEST(a_restarted_server_has_all_entries_again)
{
	struct broker_message message = {0};
	struct broker_row row;
	int64_t clock_ms;
	uint64_t number;

	ASSERT_OK(append("tpl.log.1", "a", 0, &number));
	broker_kill(&broker, 0);
	ck_assert_int_eq(append("tpl.log.1", "b", 1, &number), ERR_NETWORK);
	ck_assert(!ops->is_connected(bus, &clock_ms));
	ck_assert_int_eq(ops->get(bus, BROKER_FACTS, "p.1", &row), ERR_NETWORK);
	broker_resume(&broker, 0);
	while (ops->last(bus, BROKER_LOG, "tpl.log.1", &message) != ERR_NONE)
		test_sleep_ms(10);
	/* an unacknowledged entry may exist; its number shows it */
	ck_assert_uint_le(message.number, 2);
	ASSERT_OK(append("tpl.log.1", "c", message.number, &number));
	buffer_free(&message.data);
	buffer_free(&message.subject);
}
