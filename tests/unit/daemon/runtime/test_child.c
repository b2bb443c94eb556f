#include "daemon/runtime/child.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { PATIENCE_MS = 10000 };

static char folder[64];
static struct child child;

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_child.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end(void)
{
	char path[96];

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
	return child_start(&child, &(struct child_command){
					   .words = words,
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

		poll(&file, child.file >= 0, 100);
		state = child_check(&child, clock_steady_ms());
	}
	return state;
}

static void check_output(const char *wanted)
{
	char path[96];
	AUTO_BUFFER text = {0};

	snprintf(path, sizeof(path), "%s/out", folder);
	ASSERT_OK(file_read(path, 1 << 24, &text));
	ck_assert_str_eq(text.data, wanted);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(it_reads_its_input_to_the_end)
{
	ck_assert_int_eq(
		start("cat >$D/out", slice_of("{\"a\":1}"), PATIENCE_MS),
		CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	check_output("{\"a\":1}");
}

/* More than a pipe holds, without a reader. */
TEST(a_large_input_does_not_have_to_be_read)
{
	AUTO_BUFFER large = {0};

	memset(buffer_reserve(&large, 1 << 20), 'x', 1 << 20);
	large.size = 1 << 20;
	ck_assert_int_eq(
		start("wc -c >$D/out", buffer_slice(&large), PATIENCE_MS),
		CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	check_output("1048576\n");
	ck_assert_int_eq(start("true", buffer_slice(&large), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
}

/* NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread */
/* In any environment of ours: HOME is the account's, and FOREIGN is unset. */
TEST(its_environment_is_clean_but_for_what_it_is_given)
{
	const char *foreign[] = {"HOME", "PATH", "LANG", "TZ", "FOREIGN"};
	const struct passwd *account = getpwuid(geteuid());
	char wanted[256];

	ck_assert_ptr_nonnull(account);
	for (size_t i = 0; i < COUNT_OF(foreign); i++)
		ck_assert_int_eq(setenv(foreign[i], "foreign", 1), 0);
	ck_assert_int_eq(start("/usr/bin/env | grep -v ^PWD= | grep -v ^_= | "
			       "grep -v ^TEMPLATED_RUN= | grep -v ^D= | "
			       "sort >$D/out",
			       slice_of(""), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	snprintf(wanted, sizeof(wanted),
		 "HOME=%s\nLANG=C.UTF-8\nLOGNAME=%s\n"
		 "PATH=/usr/local/bin:/usr/bin:/bin\nSHELL=/bin/sh\nUSER=%s\n",
		 account->pw_dir, account->pw_name, account->pw_name);
	check_output(wanted);
}
/* NOLINTEND(concurrency-mt-unsafe) */

TEST(it_has_no_descriptor_of_ours)
{
	int file = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	/* what ls opens itself is one of four */
	ck_assert_int_ge(file, 3);
	ck_assert_int_eq(start("ls /proc/self/fd | wc -l >$D/out", slice_of(""),
			       PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_DONE);
	close(file);
	check_output("4\n");
}

TEST(signals_are_as_they_are_at_first)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	signal(SIGTERM, SIG_IGN);
	ck_assert_int_eq(
		start("kill -TERM $$; sleep 5", slice_of(""), PATIENCE_MS),
		CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "signal 15");
}

TEST(an_exit_status_is_a_failure)
{
	ck_assert_int_eq(start("exit 7", slice_of(""), PATIENCE_MS),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "exit status 7");
}

TEST(what_cannot_be_run_is_told)
{
	char path[] = "/nonexistent/command";
	char *words[] = {path, NULL};
	char *none[] = {NULL};

	ck_assert_int_eq(
		child_start(&child,
			    &(struct child_command){.words = words,
						    .environment = none,
						    .input = slice_of("x")}),
		CHILD_FAILED);
	ck_assert_str_eq(child.message,
			 "cannot run: No such file or directory");
}

/* The process whose number the command has written; it may be a zombie. */
static bool is_running(void)
{
	char path[96];
	AUTO_BUFFER text = {0};
	bool is_zombie;
	bool is_there;

	snprintf(path, sizeof(path), "%s/out", folder);
	ASSERT_OK(file_read(path, 100, &text));
	snprintf(path, sizeof(path), "/proc/%ld/stat",
		 strtol(text.data, NULL, 10));
	buffer_clear(&text);
	is_there = file_read(path, 4096, &text) == ERR_NONE;
	is_zombie = is_there && strstr(text.data, ") Z ") != NULL;
	return is_there && !is_zombie;
}

/* A killed process takes a moment to go. */
static bool is_gone(void)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while (is_running() && clock_steady_ms() < end_ms)
		usleep(1000);
	return !is_running();
}

/* The shell waits for a sleep that it has started: both must go. */
TEST(at_its_deadline_its_group_is_killed)
{
	uint64_t begin_ms = clock_steady_ms();

	ck_assert_int_eq(
		start("sleep 100 & echo $! >$D/out; wait", slice_of(""), 500),
		CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "took too long and was killed");
	ck_assert_uint_lt(clock_steady_ms() - begin_ms, PATIENCE_MS);
	ck_assert(is_gone());
}

/* A new session, whose parent has exited. */
TEST(at_its_deadline_those_that_left_its_session_are_killed)
{
	ck_assert_int_eq(start("(setsid sh -c 'echo $$ >$D/out; sleep 100' &); "
			       "sleep 100",
			       slice_of(""), 500),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert_str_eq(child.message, "took too long and was killed");
	ck_assert(is_gone());
}

/* Without the mark, but as a child of a child. */
TEST(nor_is_an_environment_of_its_own_a_way_out)
{
	ck_assert_int_eq(start("env -i setsid sh -c \"echo \\$\\$ >$D/out; "
			       "sleep 100\" & "
			       "wait",
			       slice_of(""), 500),
			 CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert(is_gone());
}

/* Foreign processes are untouched. */
TEST(others_are_not_killed)
{
	struct child first;

	ck_assert_int_eq(start("echo $$ >$D/out; exec sleep 100", slice_of(""),
			       PATIENCE_MS),
			 CHILD_RUNS);
	first = child;
	ck_assert_int_eq(start("sleep 100", slice_of(""), 300), CHILD_RUNS);
	ck_assert_int_eq(wait_for_end(), CHILD_FAILED);
	ck_assert(is_running());
	child_kill(&first);
	ck_assert(is_gone());
}
