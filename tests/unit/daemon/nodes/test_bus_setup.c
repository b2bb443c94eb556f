#include "base/file.h"
#include "tests/unit/daemon/nodes/broker.h"
#include "tests/unit/run.h"

/*
 * Faults of servers and of their configuration: each is refused with its own
 * error and a message.
 */

/* "n" may all that a node needs but the log of partition 9; "r" nothing. */
#define ACCOUNTS                                                              \
	"accounts: { A: { jetstream: enabled, users: [\n"                     \
	" {user: n, password: right, permissions: {publish: {allow: \">\", "  \
	"deny: \"tpl.log.9\"}}},\n"                                           \
	" {user: r, password: right, permissions: {publish: \"nothing\"}},\n" \
	"] } }\n"

static struct broker broker;
static const struct broker_ops *ops;
static struct broker_options options;
static struct broker *bus;
static char password_path[128];

static void begin_with(const char *settings)
{
	broker_hear();
	broker_start(&broker, 1, settings);
	ops = broker_load(broker.urls);
	ck_assert_ptr_nonnull(ops);
	options = broker_options(&broker);
	bus = NULL;
}

static void begin(void)
{
	begin_with("");
	bus = broker_open(ops, &options);
	ops->close(bus);
	bus = NULL;
}

static void set_password(const char *password)
{
	snprintf(password_path, sizeof(password_path), "%s/password",
		 broker.folder);
	ASSERT_OK(file_write(password_path, slice_of(password)));
	options.password_file = password_path;
}

static void begin_accounts(void)
{
	begin_with(ACCOUNTS);
	options.user = "n";
	set_password("right\n");
	bus = broker_open(ops, &options);
}

static void end(void)
{
	ops->close(bus);
	broker_end(&broker);
}

static void expect_open(enum error error, const char *said)
{
	ck_assert_int_eq(broker_try(&bus, ops, &options), error);
	ck_assert_msg(broker_has_said(said), "nobody said: %s", said);
}

FIXTURE(.setup = begin, .teardown = end, .is_possible = broker_is_installed);

TEST(streams_with_these_settings_are_used_again)
{
	options.creates = false;
	expect_open(ERR_NONE, "");
}

TEST(a_lease_of_another_time_is_refused)
{
	options.lease_ms = 7000;
	expect_open(ERR_MALFORMED, "KV_tpl_nodes of the NATS servers: max_age "
				   "in ns is 5000000000, must be 7000000000: "
				   "nats stream edit --max-age");
}

TEST(another_number_of_replicas_is_refused)
{
	options.replicas = 3;
	expect_open(ERR_MALFORMED, "TPL_LOG of the NATS servers: num_replicas "
				   "is 1, must be 3: nats stream edit "
				   "--replicas");
}

TEST(other_limits_are_told_and_no_more)
{
	options.log_bytes = 1 << 20;
	expect_open(ERR_NONE, "TPL_LOG of the NATS servers keeps -1 bytes for "
			      "0 s, not 1048576 bytes");
}

FIXTURE(.is_possible = broker_is_installed);

TEST(one_server_cannot_keep_three_copies)
{
	begin_with("");
	options.replicas = 3;
	while (broker_try(&bus, ops, &options) == ERR_NETWORK)
		;
	expect_open(ERR_MALFORMED, "too few NATS servers");
	end();
}

TEST(streams_are_made_only_if_that_is_wanted)
{
	begin_with("");
	options.creates = false;
	while (broker_try(&bus, ops, &options) == ERR_NETWORK)
		;
	expect_open(ERR_NOT_FOUND, "the NATS servers have no stream TPL_LOG");
	end();
}

FIXTURE(.setup = begin_accounts, .teardown = end,
	.is_possible = broker_is_installed);

TEST(a_wrong_password_is_refused)
{
	struct broker *other = NULL;

	set_password("wrong");
	ck_assert_int_eq(broker_try(&other, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert(broker_has_said("reject the user or its password"));
	options.password_file = "/nonexistent/password";
	ck_assert_int_eq(broker_try(&other, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert(broker_has_said("/nonexistent/password: cannot read it"));
}

TEST(a_user_without_request_permission_is_refused)
{
	struct broker *other = NULL;

	options.user = "r";
	ck_assert_int_eq(broker_try(&other, ops, &options),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert(broker_has_said("stream TPL_LOG: the user may not read or "
				  "create it"));
}

TEST(an_entry_that_a_user_may_not_append_is_refused)
{
	struct broker_entry entries[] = {
		{.subject = "tpl.log.8", .expected = 0},
		{.subject = "tpl.log.9", .expected = 0},
	};

	ck_assert_int_eq(ops->append(bus, entries, 2), ERR_ADDRESS_FORBIDDEN);
	ASSERT_OK(entries[0].error);
	ck_assert_int_eq(entries[1].error, ERR_ADDRESS_FORBIDDEN);
}

FIXTURE(.is_possible = broker_is_installed);

TEST(a_full_log_takes_no_more)
{
	static char bytes[16384];
	struct broker_entry entry = {.subject = "tpl.log.1",
				     .data = {bytes, sizeof(bytes)},
				     .expected = BROKER_ANY};
	struct broker_message first = {0};
	enum error error = ERR_NONE;

	begin_with("");
	options.log_bytes = 65536;
	bus = broker_open(ops, &options);
	for (unsigned i = 0; i < 8 && error == ERR_NONE; i++)
		error = ops->append(bus, &entry, 1);
	ck_assert_int_eq(error, ERR_STORE_FULL);
	/* and has lost nothing */
	ASSERT_OK(ops->next(bus, BROKER_LOG, "tpl.log.1", 1, &first));
	ck_assert_uint_eq(first.number, 1);
	buffer_free(&first.data);
	buffer_free(&first.subject);
	end();
}

TEST(servers_without_jetstream_are_reported)
{
	begin_with("accounts: { A: { users: [{user: n, password: x}] } }");
	options.user = "n";
	set_password("x");
	while (broker_try(&bus, ops, &options) == ERR_NETWORK)
		;
	expect_open(ERR_MALFORMED, "no JetStream for this account");
	end();
}

TEST(unreachable_servers_are_reported)
{
	begin_with("");
	broker_kill(&broker, 0);
	expect_open(ERR_NETWORK, "No server available for connection");
	end();
}
