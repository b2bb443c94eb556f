#include <pthread.h>
#include <stdatomic.h>

#include "daemon/runtime/clock.h"
#include "tests/unit/daemon/nodes/broker.h"
#include "tests/unit/run.h"

/*
 * Three real servers; the test kills some while it appends entries.
 * Acknowledged entries exist, once and in order; after a lost acknowledgement
 * the last entry shows whether an entry exists.
 */

enum { SUBJECTS = 4, RECOVERY_MS = 60000 };

static struct broker broker;
static const struct broker_ops *ops;
static struct broker *bus;

/* One who appends to a subject as the owner of a partition does. */
struct writer {
	pthread_t thread;
	char subject[32];
	uint64_t last;    /* number of the last existing entry */
	uint64_t count;   /* existing entries */
	uint64_t unknown; /* answers that did not come */
};

static struct writer writers[SUBJECTS];
static atomic_bool is_ended;
static _Atomic uint64_t appended;

static void begin(void)
{
	struct broker_options options;

	broker_hear();
	broker_start(&broker, BROKER_SERVERS, "");
	ops = broker_load(broker.urls);
	ck_assert_ptr_nonnull(ops);
	options = broker_options(&broker);
	bus = broker_open(ops, &options);
}

static void end(void)
{
	ops->close(bus);
	broker_end(&broker);
}

static void message_free(struct broker_message *message)
{
	buffer_free(&message->data);
	buffer_free(&message->subject);
}

/* There is no other writer: if the last entry is the next one, it was ours.
 * Killed servers may have renumbered it. */
static void resolve(struct writer *writer)
{
	struct broker_message message = {0};
	enum error error;
	uint64_t next;

	writer->unknown++;
	do
		error = ops->last(bus, BROKER_LOG, writer->subject, &message);
	while (error == ERR_NETWORK);
	if (error == ERR_NONE) {
		buffer_append_byte(&message.data, '\0');
		next = strtoull(message.data.data, NULL, 10) + 1;
		ck_assert_uint_ge(next, writer->count);
		ck_assert_uint_le(next, writer->count + 1);
		writer->last = message.number;
		writer->count = next;
	}
	message_free(&message);
}

static void *writer_main(void *context)
{
	struct writer *writer = context;

	while (!atomic_load(&is_ended)) {
		char text[32];
		struct broker_entry entry = {.subject = writer->subject,
					     .expected = writer->last};

		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)writer->count);
		entry.data = slice_of(text);
		switch (ops->append(bus, &entry, 1)) {
		case ERR_NONE:
			writer->last = entry.number;
			writer->count++;
			atomic_fetch_add(&appended, 1);
			break;
		case ERR_BUSY: /* what was unknown came after all */
		case ERR_NETWORK:
			resolve(writer);
			break;
		default:
			ck_abort_msg("append: %s", error_text(entry.error));
		}
	}
	return NULL;
}

static void write_on(void)
{
	for (unsigned i = 0; i < SUBJECTS; i++) {
		snprintf(writers[i].subject, sizeof(writers[i].subject),
			 "tpl.log.%u", i);
		ck_assert_int_eq(pthread_create(&writers[i].thread, NULL,
						writer_main, &writers[i]),
				 0);
	}
}

/* Wait until this many more are acknowledged. Return the time in ms. */
static uint64_t wait_for(uint64_t count)
{
	uint64_t start_ms = clock_steady_ms();
	uint64_t until = atomic_load(&appended) + count;

	while (atomic_load(&appended) < until) {
		ck_assert_uint_lt(clock_steady_ms() - start_ms, RECOVERY_MS);
		test_sleep_ms(5);
	}
	return clock_steady_ms() - start_ms;
}

/* Each subject has 0, 1, 2, ..., with ascending numbers: read from the leader,
 * since each server may have renumbered otherwise. */
static void expect_all(void)
{
	for (unsigned i = 0; i < SUBJECTS; i++) {
		struct broker_message message = {0};
		uint64_t from = 0;

		for (uint64_t n = 0; n < writers[i].count; n++) {
			ASSERT_OK(ops->next_of_leader(bus, BROKER_LOG,
						      writers[i].subject, from,
						      &message));
			buffer_append_byte(&message.data, '\0');
			ck_assert_uint_eq(strtoull(message.data.data, NULL, 10),
					  n);
			from = message.number + 1;
		}
		ck_assert_int_eq(ops->next_of_leader(bus, BROKER_LOG,
						     writers[i].subject, from,
						     &message),
				 ERR_NOT_FOUND);
		message_free(&message);
	}
}

static void stop_writing(void)
{
	atomic_store(&is_ended, true);
	for (unsigned i = 0; i < SUBJECTS; i++)
		pthread_join(writers[i].thread, NULL);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 110,
	.is_possible = broker_is_installed);

/* Whichever leads the log: each is killed once, and comes back. */
TEST(each_server_may_be_killed_while_entries_come)
{
	write_on();
	wait_for(100);
	for (unsigned i = 0; i < BROKER_SERVERS; i++) {
		broker_kill(&broker, i);
		printf("server %u was killed: the next entry after %llu ms\n",
		       i, (unsigned long long)wait_for(20));
		broker_resume(&broker, i);
		wait_for(200);
		test_sleep_ms(1500); /* it has read what it missed */
	}
	stop_writing();
	expect_all();
}

TEST(all_servers_may_be_killed_and_have_all_again)
{
	struct broker_row row;
	uint64_t revision;

	ASSERT_OK(ops->put(bus, BROKER_FACTS, "p.1", slice_of("a"), 0,
			   &revision));
	write_on();
	wait_for(100);
	for (unsigned i = 0; i < BROKER_SERVERS; i++)
		broker_kill(&broker, i);
	test_sleep_ms(200);
	for (unsigned i = 0; i < BROKER_SERVERS; i++)
		broker_resume(&broker, i);
	printf("all were killed: the next entry after %llu ms\n",
	       (unsigned long long)wait_for(20));
	stop_writing();
	expect_all();
	while (ops->get(bus, BROKER_FACTS, "p.1", &row) == ERR_NETWORK)
		;
	ck_assert(slice_equal(buffer_slice(&row.value), slice_of("a")));
	buffer_free(&row.value);
	/* its revision may be another one */
	ASSERT_OK(ops->put(bus, BROKER_FACTS, "p.1", slice_of("b"),
			   row.revision, &revision));
}
