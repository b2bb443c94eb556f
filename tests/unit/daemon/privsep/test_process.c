#include "daemon/privsep/spawner_client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/spawner.h"
#include "tests/unit/run.h"

enum { ECHO = 1, CRASH, NUMBER };

/* A role that sends back what it gets. */
static void echo_main(int socket)
{
	struct channel channel = channel_of(socket, 1000);
	struct channel_frame frame;

	while (channel_receive(&channel, -1, &frame) == ERR_NONE) {
		pid_t own = getpid();

		if (frame.kind == CRASH)
			raise(SIGUSR1);
		channel_send(
			&channel,
			&(struct frame_parts){
				.kind = frame.kind,
				.head = frame.kind == NUMBER
						? (struct slice){&own,
								 sizeof(own)}
						: frame.head,
				.file = -1});
		frame_free(&frame);
	}
	channel_close(&channel);
}

static void answer_number(struct channel *channel, int64_t number, int file)
{
	const struct spawner_number row = {number};
	AUTO_BUFFER head = row_codec_encode(&spawner_number_layout, &row);

	channel_send(channel, &(struct frame_parts){.kind = SPAWNER_DONE,
						    .head = buffer_slice(&head),
						    .file = file});
}

enum { CHILD_HAS_ENDED = 7 };

/*
 * Respond with a child, and with a file or -1, but the child never says that it
 * is ready; the client must stop the child.
 */
static void forge_number(struct channel *channel, int file)
{
	struct channel_frame frame;
	pid_t child = fork();
	int status;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	answer_number(channel, child, file);
	if (channel_receive(channel, -1, &frame) != ERR_NONE ||
	    frame.kind != SPAWNER_END || kill(child, SIGKILL) != 0 ||
	    waitpid(child, &status, 0) != child)
		return;
	frame_free(&frame);
	answer_number(channel, status, -1);
	channel_receive(channel, -1, &frame);
	_exit(CHILD_HAS_ENDED);
}

/*
 * A spawner that is no good, as `what` says: it answers the first request with
 * a file and no process ("file"), with the number of a child and no file
 * ("number"), or with a child that never gets ready ("mute"); not at all
 * ("silent"); or twice, which leaves an answer for the next request ("twice").
 */
static void forged_starter(int socket, const char *what)
{
	struct channel channel = channel_of(socket, 1000);
	struct channel_frame frame;
	int ends[2];

	channel_receive(&channel, -1, &frame); /* the rules */
	channel_receive(&channel, -1, &frame);
	if (strcmp(what, "file") == 0) {
		answer_number(&channel, -EAGAIN, socket);
	} else if (strcmp(what, "number") == 0) {
		forge_number(&channel, -1);
	} else if (strcmp(what, "mute") == 0) {
		if (channel_pair(ends) == ERR_NONE)
			forge_number(&channel, ends[0]);
	} else if (strcmp(what, "twice") == 0) {
		answer_number(&channel, -EAGAIN, -1);
		channel_send(&channel, &(struct frame_parts){.file = -1});
	}
	channel_receive(&channel, -1, &frame);
	if (strcmp(what, "file") != 0)
		channel_receive(&channel, -1, &frame);
	channel_close(&channel);
}

/* A variable of the environment that the spawner gets. */
static const char forged_variable[] = "MALLOC_FORGED";

static void starter_of_test(int socket)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread */
	const char *what = getenv(forged_variable);

	if (what == NULL)
		spawner_main(socket);
	else
		forged_starter(socket, what);
}

static const struct role_program programs[ROLE_COUNT] = {
	[ROLE_SPAWNER] = {starter_of_test, NULL},
	[ROLE_WORKER] = {echo_main, NULL},
	[ROLE_LAUNCHER] = {launcher_main, NULL},
	[ROLE_RENDERER] = {echo_main, NULL},
};

/* The test is its own program, executed again. */
__attribute__((constructor)) static void be_a_role(int count, char **values)
{
	if (count == 3 && strcmp(values[1], "--role") == 0)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread yet */
		exit(process_main(values[2], programs));
}

static const struct process_options options = {
	.role = ROLE_WORKER,
	.main = echo_main,
	.max_body = 1000,
};

static struct spawner *spawner;

static void begin(void)
{
	ASSERT_OK(spawner_create(&spawner, false));
}

static void end(void)
{
	spawner_destroy(spawner);
}

/* The answer to an empty frame of that kind. */
static enum error ask(struct process *process, uint32_t kind,
		      struct channel_frame *frame_out)
{
	enum error error =
		channel_send(&process->channel,
			     &(struct frame_parts){.kind = kind, .file = -1});

	return error == ERR_NONE
		       ? channel_receive(&process->channel, 5000, frame_out)
		       : error;
}

static pid_t number_of(struct process *process)
{
	struct channel_frame frame;
	pid_t number;

	ASSERT_OK(ask(process, NUMBER, &frame));
	ck_assert_uint_eq(frame.head.size, sizeof(number));
	memcpy(&number, frame.head.data, sizeof(number));
	frame_free(&frame);
	return number;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_role_is_a_process_of_its_own)
{
	struct process process;
	char why[PROCESS_END_BYTES];

	ASSERT_OK(process_start(spawner, &options, &process));
	ck_assert_int_gt(process.pid, 0);
	ck_assert_int_ne(process.pid, getpid());
	ck_assert_int_eq(number_of(&process), process.pid);
	ck_assert_int_eq(process_end(spawner, &process, why), SIGKILL);
	ck_assert_str_eq(why, "signal 9 (Killed)");
}

TEST(without_a_spawner_it_is_a_thread)
{
	struct process process;

	ASSERT_OK(process_start(NULL, &options, &process));
	ck_assert_int_eq(process.pid, 0);
	ck_assert_int_eq(number_of(&process), getpid());
	ck_assert_int_eq(process_end(NULL, &process, NULL), 0);
}

/* Start one, make it crash, and store the reason in `why`. */
static void crash(char *why)
{
	struct process process;
	struct channel_frame frame;

	ASSERT_OK(process_start(spawner, &options, &process));
	ck_assert_int_eq(ask(&process, CRASH, &frame), ERR_STOPPED);
	process_end(spawner, &process, why);
}

TEST(a_crash_is_described_and_a_restart_follows)
{
	char why[PROCESS_END_BYTES];

	for (int i = 0; i < 3; i++) {
		crash(why);
		ck_assert_str_eq(why, "signal 10 (User defined signal 1)");
	}
}

/* Does the process exit, or become a zombie, within five seconds? */
static bool ends(pid_t pid)
{
	for (int i = 0; i < 500 && kill(pid, 0) == 0; i++)
		usleep(10000);
	return kill(pid, 0) != 0;
}

TEST(all_processes_exit_with_the_spawner)
{
	struct process process;

	ASSERT_OK(process_start(spawner, &options, &process));
	spawner_destroy(spawner);
	spawner = NULL;
	ck_assert(ends(process.pid));
	channel_close(&process.channel);
}

TEST(a_role_that_the_program_has_not_cannot_be_started)
{
	struct process_options other = options;
	struct process process;

	other.role = ROLE_NOTIFIER;
	ck_assert_int_eq(process_start(spawner, &other, &process), ERR_IO);
}

TEST(its_time_is_known)
{
	struct process process;

	ASSERT_OK(process_start(spawner, &options, &process));
	ck_assert_uint_lt(process_cpu_ms(&process), 5000);
	process_end(spawner, &process, NULL);
}

/* NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread */
static void begin_forged(const char *what)
{
	ck_assert_int_eq(setenv(forged_variable, what, 1), 0);
	ASSERT_OK(spawner_create(&spawner, false));
	ck_assert_int_eq(unsetenv(forged_variable), 0);
}
/* NOLINTEND(concurrency-mt-unsafe) */

static size_t count_files(void)
{
	size_t count = 0;

	for (int file = 0; file < 256; file++)
		count += fcntl(file, F_GETFD) >= 0;
	return count;
}

/* The number in the response to the request to start a role. */
static int64_t start_role(struct spawner *starter, enum role role)
{
	int64_t number;
	int64_t status;
	int file;

	ASSERT_OK(spawner_request_number(starter, SPAWNER_START, role, &number,
					 &file));
	ck_assert((number > 0) == (file >= 0));
	if (number > 0) {
		ASSERT_OK(spawner_request_number(starter, SPAWNER_END, number,
						 &status, NULL));
		close(file);
	}
	return number;
}

TEST(only_the_launcher_starts_a_renderer_and_nothing_else)
{
	char variable[] = "TEMPLATED_BROWSER=x";

	ck_assert_ptr_null(spawner_launcher(spawner));
	ASSERT_OK(launcher_create(spawner, variable));
	ck_assert_int_eq(start_role(spawner, ROLE_RENDERER), -EINVAL);
	ck_assert_int_eq(start_role(spawner, ROLE_LAUNCHER), -EINVAL);
	ck_assert_int_eq(start_role(spawner, ROLE_SPAWNER), -EINVAL);
	ck_assert_int_gt(start_role(spawner, ROLE_WORKER), 0);
	ck_assert_int_gt(start_role(spawner_launcher(spawner), ROLE_RENDERER),
			 0);
	ck_assert_int_eq(start_role(spawner_launcher(spawner), ROLE_WORKER),
			 -EINVAL);
}

FIXTURE();

TEST(a_file_without_a_process_is_closed)
{
	struct process process;
	size_t before;

	begin_forged("file");
	before = count_files();
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
	ck_assert_uint_eq(count_files(), before);
	spawner_destroy(spawner);
}

TEST(a_process_without_a_file_is_ended)
{
	struct process process;
	char why[PROCESS_END_BYTES];

	begin_forged("number");
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
	for (int i = 0; i < 500 && spawner_check(spawner, why); i++)
		usleep(10000);
	ck_assert_str_eq(why, "exit status 7");
	spawner_destroy(spawner);
}

static char message[200];

static void keep_message(const struct log_event *event)
{
	snprintf(message, sizeof(message), "%s", event->message);
}

TEST(a_process_that_does_not_get_ready_is_ended)
{
	struct process process;
	char why[PROCESS_END_BYTES];

	begin_forged("mute");
	spawner_set_timeout(spawner, 1000);
	log_set_sink(keep_message);
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
	log_set_sink(NULL);
	ck_assert_str_eq(message,
			 "worker: failed to start: not ready after 1000 ms");
	ck_assert(spawner_check(spawner, why)); /* it has ended the child */
	spawner_destroy(spawner);
}

/* It is lost: reported immediately from now on, also to its owner, which
 * wakes. */
static void check_that_it_is_lost(void)
{
	const struct timespec second = {.tv_sec = 1};
	struct process process;
	char why[PROCESS_END_BYTES];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	ck_assert_int_eq(sigtimedwait(&set, NULL, &second), SIGCHLD);
	ck_assert(!spawner_check(spawner, why));
	ck_assert_str_eq(why, "it does not respond");
	spawner_set_timeout(spawner, UINT32_MAX / 4);
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
}

static void block_its_end(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): a test has one thread */
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
}

TEST(a_spawner_that_does_not_respond_is_lost)
{
	struct process process;
	char why[PROCESS_END_BYTES];

	begin_forged("silent");
	block_its_end();
	ck_assert(spawner_check(spawner, why));
	spawner_set_timeout(spawner, 50);
	/* the test would be killed by its time limit */
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
	check_that_it_is_lost();
	spawner_destroy(spawner);
}

TEST(a_spawner_with_a_malformed_response_is_lost)
{
	int64_t number;

	begin_forged("twice");
	block_its_end();
	ASSERT_OK(spawner_request_number(spawner, SPAWNER_START, ROLE_WORKER,
					 &number, NULL));
	ck_assert_int_eq(spawner_request_number(spawner, SPAWNER_START,
						ROLE_WORKER, &number, NULL),
			 ERR_MALFORMED);
	check_that_it_is_lost();
	spawner_destroy(spawner);
}

static void *ask_for_one(void *argument)
{
	struct process process;

	(void)argument;
	ck_assert_int_eq(process_start(spawner, &options, &process), ERR_IO);
	return NULL;
}

/* As a stopped or swapped out process; threads wait for it by the lock. */
TEST(a_stopped_spawner_blocks_no_thread)
{
	struct process_snapshot view;
	pthread_t threads[4];

	begin();
	block_its_end();
	view = process_table_snapshot(spawner_process_table(spawner));
	ck_assert_uint_eq(view.count, 1);
	ck_assert_int_eq(kill(view.entries[0].pid, SIGSTOP), 0);
	process_snapshot_free(&view);
	spawner_set_timeout(spawner, 100);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, ask_for_one, NULL),
			0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	check_that_it_is_lost();
	end();
}
