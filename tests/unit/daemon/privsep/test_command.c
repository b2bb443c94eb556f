#include "daemon/privsep/spawner_client.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 10000 };

static const struct role_program mains[ROLE_COUNT] = {
	[ROLE_SPAWNER] = {spawner_main, NULL},
};

/* The test is its own program, executed again. */
__attribute__((constructor)) static void be_a_role(int count, char **values)
{
	if (count == 3 && strcmp(values[1], "--role") == 0)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread yet */
		exit(process_main(values[2], mains));
}

static struct spawner *spawner;
static struct child child;
static char folder[64];

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_command.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ASSERT_OK(spawner_create(&spawner, true));
}

static void end(void)
{
	char path[96];

	spawner_destroy(spawner);
	snprintf(path, sizeof(path), "%s/out", folder);
	unlink(path);
	rmdir(folder);
}

/* Run sh -c `script` in the folder, which is $D. */
static enum child_state start(const char *script, struct slice input,
			      uint64_t patience_ms)
{
	char path[] = "/bin/sh";
	char option[] = "-c";
	char text[512];
	char variable[96];
	char *words[] = {path, option, text, NULL};
	char *environment[] = {variable, NULL};

	snprintf(text, sizeof(text), "%s", script);
	snprintf(variable, sizeof(variable), "D=%s", folder);
	return command_start(
		spawner, &child,
		&(struct child_command){.words = words,
					.environment = environment,
					.input = input,
					.deadline_ms = clock_steady_ms() +
						       patience_ms});
}

static enum child_state wait_for_end(void)
{
	enum child_state state = CHILD_RUNS;

	while (state == CHILD_RUNS) {
		struct pollfd file = {.fd = child.file, .events = POLLIN};

		poll(&file, 1, 100);
		state = command_check(spawner, &child, clock_steady_ms());
	}
	return state;
}

/* What the command has written; to be freed. */
static struct buffer output(void)
{
	char path[96];
	struct buffer text = {0};

	snprintf(path, sizeof(path), "%s/out", folder);
	ASSERT_OK(file_read(path, 1 << 24, &text));
	return text;
}

static void check_output(const char *wanted)
{
	AUTO_BUFFER text = output();

	ck_assert_str_eq(text.data, wanted);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(the_command_is_a_child_of_the_spawner_with_its_input)
{
	char wanted[128];

	ck_assert_int_eq(start("echo $D >$D/out; cat >>$D/out",
			       slice_of("{\"a\":1}\n"), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_ge(child.file, 0);
	ck_assert_int_eq(waitpid(child.pid, NULL, WNOHANG), -1);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	snprintf(wanted, sizeof(wanted), "%s\n{\"a\":1}\n", folder);
	check_output(wanted);
}

/* More than a message holds. */
TEST(a_large_input_comes_whole)
{
	AUTO_BUFFER large = {0};

	memset(buffer_reserve(&large, 1 << 20), 'x', 1 << 20);
	large.size = 1 << 20;
	ck_assert_int_eq(
		start("wc -c >$D/out", buffer_slice(&large), PATIENCE_MS),
		CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	check_output("1048576\n");
}

TEST(the_end_of_the_command_is_described)
{
	ck_assert_int_eq(start("exit 7", slice_of(""), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "exit status 7");
	ck_assert_int_eq(start("kill -9 $$", slice_of(""), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "signal 9");
}

static enum child_state start_path(const char *path)
{
	char text[64];
	char *words[] = {text, NULL};
	char *none[] = {NULL};

	snprintf(text, sizeof(text), "%s", path);
	return command_start(spawner, &child,
			     &(struct child_command){.words = words,
						     .environment = none,
						     .input = slice_of("x")});
}

TEST(what_cannot_be_run_is_told)
{
	ck_assert_int_eq(start_path("/nonexistent/command"), CHILD_FAILED);
	ck_assert_str_eq(child.message,
			 "cannot run: No such file or directory");
}

TEST(what_its_head_cannot_hold_is_told)
{
	char path[] = "/bin/true";
	char *words[] = {path, NULL};
	char *environment[] = {NULL, NULL};
	AUTO_BUFFER large = {0};

	memset(buffer_reserve(&large, FRAME_MAX_HEAD), 'x', FRAME_MAX_HEAD);
	large.size = FRAME_MAX_HEAD;
	buffer_append_byte(&large, '\0');
	environment[0] = large.data;
	ck_assert_int_eq(command_start(spawner, &child,
				       &(struct child_command){
					       .words = words,
					       .environment = environment}),
			 CHILD_FAILED);
	ck_assert_str_eq(child.message, "cannot run: Argument list too long");
}

/* A killed process takes a moment to go, and another until it is reaped. */
static bool is_gone(void)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;
	AUTO_BUFFER text = output();
	AUTO_BUFFER state = {0};
	char path[64];
	bool is_there = true;

	snprintf(path, sizeof(path), "/proc/%ld/stat",
		 strtol(text.data, NULL, 10));
	while (is_there && clock_steady_ms() < end_ms) {
		buffer_clear(&state);
		is_there = file_read(path, 4096, &state) == ERR_NONE &&
			   strstr(state.data, ") Z ") == NULL;
		usleep(1000);
	}
	return !is_there;
}

/* A new session, whose parent has exited. */
TEST(at_its_deadline_all_that_it_started_are_killed)
{
	ck_assert_int_eq(start("(setsid sh -c 'echo $$ >$D/out; sleep 100' &); "
			       "sleep 100",
			       slice_of(""), 500),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "took too long and was killed");
	ck_assert(is_gone());
}

TEST(others_are_not_killed)
{
	struct child first;

	ck_assert_int_eq(start("echo $$ >$D/out; exec sleep 100", slice_of(""),
			       PATIENCE_MS),
			 CHILD_RUNS);
	first = child;
	ck_assert_int_eq(start("sleep 100", slice_of(""), 300), CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_int_eq(command_check(spawner, &first, clock_steady_ms()),
			 CHILD_RUNS);
	command_kill(spawner, &first);
	ck_assert(is_gone());
}

TEST(a_starter_that_may_not_runs_none)
{
	struct spawner *other;

	ASSERT_OK(spawner_create(&other, false));
	spawner_destroy(spawner);
	spawner = other;
	ck_assert_int_eq(start_path("/bin/true"), CHILD_FAILED);
	ck_assert_str_eq(child.message, "cannot run: Operation not permitted");
}
