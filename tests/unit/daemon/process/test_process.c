#include "daemon/process/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/run.h"

enum { ECHO = 1, CRASH, NUMBER };

/* A role that sends back what it gets. */
static void echo_main(int socket)
{
	struct channel channel = channel_of(socket, 1000);
	struct frame frame;

	while (frame_receive(&channel, -1, &frame) == ERR_NONE) {
		pid_t own = getpid();

		if (frame.kind == CRASH)
			raise(SIGUSR1);
		frame_send(&channel,
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

static const struct role_program programs[ROLE_COUNT] = {
	[ROLE_STARTER] = {starter_main, NULL},
	[ROLE_WORKER] = {echo_main, NULL},
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

static struct starter *starter;

static void begin(void)
{
	ck_assert_int_eq(starter_create(&starter, false), ERR_NONE);
}

static void end(void)
{
	starter_destroy(starter);
}

/* The answer to an empty frame of that kind. */
static enum error ask(struct process *process, uint32_t kind,
		      struct frame *frame_out)
{
	enum error error =
		frame_send(&process->channel,
			   &(struct frame_parts){.kind = kind, .file = -1});

	return error == ERR_NONE
		       ? frame_receive(&process->channel, 5000, frame_out)
		       : error;
}

static pid_t number_of(struct process *process)
{
	struct frame frame;
	pid_t number;

	ck_assert_int_eq(ask(process, NUMBER, &frame), ERR_NONE);
	ck_assert_uint_eq(frame.head.size, sizeof(number));
	memcpy(&number, frame.head.data, sizeof(number));
	frame_free(&frame);
	return number;
}

START_TEST(a_role_is_a_process_of_its_own)
{
	struct process process;
	char why[PROCESS_END_BYTES];

	ck_assert_int_eq(process_start(starter, &options, &process), ERR_NONE);
	ck_assert_int_gt(process.pid, 0);
	ck_assert_int_ne(process.pid, getpid());
	ck_assert_int_eq(number_of(&process), process.pid);
	process_end(starter, &process, why);
	ck_assert_str_eq(why, "signal 9 (Killed)");
}
END_TEST

START_TEST(without_a_starter_it_is_a_thread)
{
	struct process process;

	ck_assert_int_eq(process_start(NULL, &options, &process), ERR_NONE);
	ck_assert_int_eq(process.pid, 0);
	ck_assert_int_eq(number_of(&process), getpid());
	process_end(NULL, &process, NULL);
}
END_TEST

/* Start one, have it crash, and let `why` be how. */
static void crash(char *why)
{
	struct process process;
	struct frame frame;

	ck_assert_int_eq(process_start(starter, &options, &process), ERR_NONE);
	ck_assert_int_eq(ask(&process, CRASH, &frame), ERR_STOPPED);
	process_end(starter, &process, why);
}

START_TEST(how_it_died_is_said_and_another_one_starts)
{
	char why[PROCESS_END_BYTES];

	for (int i = 0; i < 3; i++) {
		crash(why);
		ck_assert_str_eq(why, "signal 10 (User defined signal 1)");
	}
}
END_TEST

/* A process that is gone, or a zombie, within five seconds. */
static bool ends(pid_t pid)
{
	for (int i = 0; i < 500 && kill(pid, 0) == 0; i++)
		usleep(10000);
	return kill(pid, 0) != 0;
}

START_TEST(with_the_starter_all_end)
{
	struct process process;

	ck_assert_int_eq(process_start(starter, &options, &process), ERR_NONE);
	starter_destroy(starter);
	starter = NULL;
	ck_assert(ends(process.pid));
	channel_close(&process.channel);
}
END_TEST

START_TEST(a_role_that_the_program_has_not_cannot_be_started)
{
	struct process_options other = options;
	struct process process;

	other.role = ROLE_COURIER;
	ck_assert_int_eq(process_start(starter, &other, &process), ERR_IO);
}
END_TEST

START_TEST(its_time_is_known)
{
	struct process process;

	ck_assert_int_eq(process_start(starter, &options, &process), ERR_NONE);
	ck_assert_uint_lt(process_cpu_ms(&process), 5000);
	process_end(starter, &process, NULL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("process");
	TCase *tcase = tcase_create("process");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, a_role_is_a_process_of_its_own);
	tcase_add_test(tcase, without_a_starter_it_is_a_thread);
	tcase_add_test(tcase, how_it_died_is_said_and_another_one_starts);
	tcase_add_test(tcase, with_the_starter_all_end);
	tcase_add_test(tcase,
		       a_role_that_the_program_has_not_cannot_be_started);
	tcase_add_test(tcase, its_time_is_known);
	suite_add_tcase(suite, tcase);
	return suite;
}
