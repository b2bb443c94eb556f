/* Responses of the spawner to forged requests. */
#include "daemon/privsep/spawner.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/privsep/spawner_client.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 10000 };

/* A spawner in a separate process; the test talks to it in frames. */
static struct channel channel;
static pid_t forged;

static void begin(void)
{
	int ends[2];

	ASSERT_OK(channel_pair(ends));
	forged = fork();
	if (forged == 0) {
		close(ends[0]);
		spawner_main(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	channel = channel_of(ends[0], 0);
}

static void end(void)
{
	channel_close(&channel);
	ck_assert_int_eq(waitpid(forged, NULL, 0), forged);
}

static void send_head(uint32_t kind, struct slice head)
{
	ASSERT_OK(channel_send(
		&channel,
		&(struct frame_parts){.kind = kind, .head = head, .file = -1}));
}

static void send_number(uint32_t kind, int64_t number)
{
	const struct spawner_number row = {number};
	AUTO_BUFFER head = row_codec_encode(&spawner_number_layout, &row);

	send_head(kind, buffer_slice(&head));
}

static void send_command(struct slice words, struct slice environment)
{
	const struct spawner_command row = {words, environment};
	AUTO_BUFFER head = row_codec_encode(&spawner_command_layout, &row);

	send_head(SPAWNER_RUN, buffer_slice(&head));
}

/* The number of the answer; INT64_MIN: it has ended. */
static int64_t answer(void)
{
	struct spawner_number row = {INT64_MIN};
	struct channel_frame frame;

	if (channel_receive(&channel, PATIENCE_MS, &frame) == ERR_NONE)
		ck_assert(row_codec_decode(&spawner_number_layout, frame.head,
					   &row));
	frame_free(&frame);
	return row.number;
}

static const struct slice true_words = {"/bin/true", sizeof("/bin/true")};

FIXTURE(.setup = begin, .teardown = end);

TEST(a_run_is_refused_when_commands_are_not_allowed)
{
	send_number(SPAWNER_RULES, 0);
	send_command(true_words, slice_of(""));
	ck_assert_int_eq(answer(), -EPERM);
}

TEST(nobody_allows_them_later)
{
	send_number(SPAWNER_RULES, 0);
	send_number(SPAWNER_RULES, 1);
	ck_assert_int_eq(answer(), INT64_MIN);
}

TEST(without_rules_it_does_nothing)
{
	send_command(true_words, slice_of(""));
	ck_assert_int_eq(answer(), INT64_MIN);
}

/* No words; no NUL after the last; no row at all. */
TEST(words_that_are_none_are_refused)
{
	send_number(SPAWNER_RULES, 1);
	send_command(slice_of(""), slice_of(""));
	ck_assert_int_eq(answer(), -EINVAL);
	send_command(slice_of("/bin/true"), slice_of(""));
	ck_assert_int_eq(answer(), -EINVAL);
	send_command(true_words, slice_of("A=b"));
	ck_assert_int_eq(answer(), -EINVAL);
	send_head(SPAWNER_RUN, slice_of("x"));
	ck_assert_int_eq(answer(), -EINVAL);
}

TEST(too_many_words_are_refused)
{
	static const char nuls[SPAWNER_MAX_WORDS + 1];

	send_number(SPAWNER_RULES, 1);
	send_command((struct slice){nuls, sizeof(nuls)}, slice_of(""));
	ck_assert_int_eq(answer(), -EINVAL);
	send_command(true_words, (struct slice){nuls, sizeof(nuls)});
	ck_assert_int_eq(answer(), -EINVAL);
}

/* Not the caller, not the spawner, not another client's child. */
TEST(no_other_process_is_looked_at_or_killed)
{
	send_number(SPAWNER_RULES, 1);
	send_number(SPAWNER_KILL, getpid());
	ck_assert_int_eq(answer(), -ECHILD);
	send_number(SPAWNER_CHECK, forged);
	ck_assert_int_eq(answer(), -ECHILD);
	send_number(SPAWNER_KILL, 0);
	ck_assert_int_eq(answer(), -ECHILD);
	send_number(SPAWNER_KILL, -1);
	ck_assert_int_eq(answer(), -ECHILD);
}

TEST(a_command_does_not_end_as_a_role)
{
	int64_t pid;

	send_number(SPAWNER_RULES, 1);
	send_command(true_words, slice_of(""));
	pid = answer();
	ck_assert_int_gt(pid, 0);
	send_number(SPAWNER_END, pid);
	ck_assert_int_eq(answer(), -EINVAL);
	send_number(SPAWNER_KILL, pid);
	ck_assert_int_eq(answer(), 0);
}
