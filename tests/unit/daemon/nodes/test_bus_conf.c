
#include "base/file.h"
#include "tests/unit/daemon/nodes/broker.h"
#include "tests/unit/run.h"

/*
 * Three servers with the unchanged files of conf/nodes, except routes.conf: TLS
 * to and between them, and the permissions of each user.
 */

static struct broker broker;
static const struct broker_ops *ops;
static char paths[3][128];

static struct broker_options options_of(const char *user)
{
	struct broker_options options = broker_options(&broker);

	options.name = user;
	options.user = user;
	snprintf(paths[0], sizeof(paths[0]), "%s/secrets/password.%s",
		 broker.folder, user);
	options.password_file = paths[0];
	snprintf(paths[1], sizeof(paths[1]), "%s/secrets/ca.pem",
		 broker.folder);
	options.ca_file = paths[1];
	return options;
}

static struct broker *open_as(const char *user)
{
	struct broker_options options = options_of(user);

	return broker_open(ops, &options);
}

static void answer_pong(void *context, struct slice question,
			struct buffer *answer)
{
	(void)context;
	(void)question;
	buffer_append_text(answer, "pong");
}

static void begin(void)
{
	struct broker *first;

	broker_hear();
	broker_start_conf(&broker, CONF_NODES);
	ops = broker_load(broker.urls);
	ck_assert_ptr_nonnull(ops);
	first = open_as("operator");
	ops->close(first);
}

static void end(void)
{
	broker_end(&broker);
}

static enum error append(struct broker *bus, const char *subject)
{
	struct broker_entry entry = {.subject = subject,
				     .data = slice_of("a"),
				     .expected = BROKER_ANY};

	return ops->append(bus, &entry, 1);
}

/* All operations of a node. */
static void expect_log(struct broker *a, struct broker *b)
{
	struct broker_message message = {0};

	ASSERT_OK(append(a, "tpl.log.017"));
	ASSERT_OK(append(a, "tpl.evt.017.example"));
	ASSERT_OK(ops->last(b, BROKER_LOG, "tpl.log.017", &message));
	ASSERT_OK(ops->purge(b, BROKER_LOG, "tpl.log.017", message.number));
	buffer_free(&message.data);
	buffer_free(&message.subject);
}

static void expect_rows_and_answers(struct broker *a, struct broker *b)
{
	AUTO_BUFFER answer = {0};
	struct broker_row *rows;
	uint64_t revision;
	size_t count;

	ASSERT_OK(ops->put(a, BROKER_FACTS, "p.017", slice_of("a"), 0,
			   &revision));
	ASSERT_OK(ops->list(b, BROKER_FACTS, &rows, &count));
	ck_assert_uint_eq(count, 1);
	buffer_free(&rows[0].value);
	free(rows);
	ops->answer(a, "tpl.q.017", answer_pong, NULL, 2);
	for (unsigned i = 0; i < 100 && answer.size == 0; i++) {
		ops->ask(b, "tpl.q.017", slice_of("ping"),
			 &(struct broker_wait){.timeout_ms = 1000}, &answer);
		test_sleep_ms(20);
	}
	ck_assert_str_eq(answer.data, "pong");
}

/* Each its own lease. */
static void expect_leases(struct broker *a)
{
	uint64_t revision;

	ASSERT_OK(ops->put(a, BROKER_NODES, "a", slice_of("{}"), 0, &revision));
	ck_assert_int_eq(
		ops->put(a, BROKER_NODES, "b", slice_of("{}"), 0, &revision),
		ERR_ADDRESS_FORBIDDEN);
}

static void hear_nothing(void *context, const char *subject, struct slice data)
{
	(void)context;
	(void)subject;
	(void)data;
}

static void expect_said(const char *part)
{
	for (unsigned i = 0; i < 100 && !broker_has_said(part); i++) {
		test_sleep_ms(20);
		broker_flush_log(true); /* what was left out of the minute */
	}
	ck_assert_msg(broker_has_said(part), "nobody said: %s", part);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 110,
	.is_possible = broker_is_installed);

TEST(users_have_only_the_needed_permissions)
{
	struct broker *a = open_as("a");
	struct broker *b = open_as("b");
	struct broker_options options = options_of("a");
	struct broker *bus = NULL;

	expect_log(a, b);
	expect_rows_and_answers(a, b);
	expect_leases(a);
	/* nodes: no responses of others, no streams */
	ops->listen(a, "_INBOX.b.>", hear_nothing, NULL);
	expect_said("Subscription to \"_INBOX.b.>\"");
	ops->tell(a, "$JS.API.STREAM.DELETE.TPL_LOG", slice_of(""));
	expect_said("Publish to \"$JS.API.STREAM.DELETE.TPL_LOG\"");
	ck_assert_int_eq(append(a, "other.log"), ERR_ADDRESS_FORBIDDEN);
	/* another's password */
	options.user = "b";
	ck_assert_int_eq(broker_try(&bus, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	options.timeout_ms = 300;
	options.user = "a";
	options.name = "b";
	ck_assert_int_eq(broker_try(&bus, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	expect_said("the user may not subscribe to _INBOX.b.>");
	/* readers and import clients are no nodes */
	options = options_of("reader");
	ck_assert_int_eq(broker_try(&bus, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	options = options_of("jobs");
	ck_assert_int_eq(broker_try(&bus, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	/* an authority that did not sign the servers */
	options = options_of("a");
	options.ca_file = "/etc/ssl/certs/ca-certificates.crt";
	ck_assert_int_ne(broker_try(&bus, ops, &options), ERR_NONE);
	ops->close(a);
	ops->close(b);
}
