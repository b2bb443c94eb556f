#include "daemon/privsep/worker_pool.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/privsep/spawner_client.h"
#include "tests/unit/run.h"

/* A worker that does what the head of the task says, and no task. */

enum { TASK_MS = 500, MAX_FRAME = 1 << 20, TOO_LARGE = (256 << 20) + 1 };

static void tell(const struct channel *channel, uint32_t kind, const char *head)
{
	channel_send(channel, &(struct frame_parts){.kind = kind,
						    .head = slice_of(head),
						    .file = -1});
}

static void ask_with_number(struct channel *channel)
{
	pid_t own = getpid();

	channel_send(channel, &(struct frame_parts){
				      .kind = FRAME_ASK + ASK_FIND,
				      .head = {&own, sizeof(own)},
				      .file = -1,
			      });
}

static void be_done(struct channel *channel)
{
	tell(channel, FRAME_TASK_DONE, "done");
}

static void ask(struct channel *channel)
{
	struct channel_frame frame;

	ask_with_number(channel);
	if (channel_receive(channel, -1, &frame) == ERR_NONE)
		frame_free(&frame);
}

static void ask_once(struct channel *channel)
{
	ask(channel);
	be_done(channel);
}

static void ask_for_ever(struct channel *channel)
{
	for (;;)
		ask(channel);
}

static void ask_without_listening(struct channel *channel)
{
	for (;;)
		ask_with_number(channel);
}

static void use_a_wrong_kind(struct channel *channel)
{
	tell(channel, 12345, "done");
}

static void use_a_kind_of_the_keeper(struct channel *channel)
{
	tell(channel, FRAME_ASK_DONE, "done");
}

static void ask_for_what_nobody_has(struct channel *channel)
{
	tell(channel, FRAME_ASK + ASK_KINDS, "");
}

static void send_noise(struct channel *channel)
{
	char noise[100];

	memset(noise, 'x', sizeof(noise));
	send(channel->socket, noise, sizeof(noise), 0);
}

static void send_a_short_header(struct channel *channel)
{
	send(channel->socket, "dplt", 4, 0);
}

static void send_nothing(struct channel *channel)
{
	send(channel->socket, "", 0, 0);
}

/* The map of a file without bytes: it takes no memory. */
static void send_too_much(struct channel *channel)
{
	void *bytes = mmap(NULL, TOO_LARGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	channel_send(channel, &(struct frame_parts){.kind = FRAME_TASK_DONE,
						    .body = {bytes, TOO_LARGE},
						    .file = -1});
}

static void hang(struct channel *channel)
{
	(void)channel;
	for (;;)
		poll(NULL, 0, -1);
}

static void spin(struct channel *channel)
{
	volatile unsigned turns = 0;

	(void)channel;
	for (;;)
		turns = turns + 1;
}

static void die(struct channel *channel)
{
	volatile char *volatile nowhere = NULL;

	(void)channel;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it dies */
	*nowhere = 'x';
}

static void die_after_a_question(struct channel *channel)
{
	ask(channel);
	die(channel);
}

static void leave(struct channel *channel)
{
	(void)channel;
	_exit(3);
}

static void close_its_end(struct channel *channel)
{
	channel_close(channel);
	for (;;)
		poll(NULL, 0, -1);
}

static void be_done_twice(struct channel *channel)
{
	be_done(channel);
	tell(channel, FRAME_TASK_DONE, "of another task");
}

static void be_done_and_ask(struct channel *channel)
{
	be_done(channel);
	ask_with_number(channel);
}

static void be_done_and_die(struct channel *channel)
{
	be_done(channel);
	usleep(100 * 1000);
	die(channel);
}

static void pause_and_be_done(struct channel *channel)
{
	usleep(200 * 1000);
	be_done(channel);
}

/* Only if the next task has come before the answer to this one. */
static void be_done_with_another(struct channel *channel)
{
	struct pollfd next = {.fd = channel->socket, .events = POLLIN};

	if (poll(&next, 1, 300) != 1)
		die(channel);
	be_done(channel);
}

static const struct {
	const char *name;
	void (*act)(struct channel *channel);
} acts[] = {
	{"pause", pause_and_be_done},
	{"done with another", be_done_with_another},
	{"done", be_done},
	{"ask", ask_once},
	{"ask for ever", ask_for_ever},
	{"ask without listening", ask_without_listening},
	{"wrong kind", use_a_wrong_kind},
	{"kind of the keeper", use_a_kind_of_the_keeper},
	{"ask for what nobody has", ask_for_what_nobody_has},
	{"noise", send_noise},
	{"short header", send_a_short_header},
	{"nothing", send_nothing},
	{"too much", send_too_much},
	{"hang", hang},
	{"spin", spin},
	{"die", die},
	{"die after a question", die_after_a_question},
	{"leave", leave},
	{"close", close_its_end},
	{"done twice", be_done_twice},
	{"done and ask", be_done_and_ask},
	{"done and die", be_done_and_die},
};

static void rogue_main(int socket)
{
	struct channel channel = channel_without_files(socket, MAX_FRAME);
	struct channel_frame frame;

	while (channel_receive(&channel, -1, &frame) == ERR_NONE) {
		struct slice name = frame.head;

		for (size_t i = 0; i < COUNT_OF(acts); i++) {
			if (!slice_equal(name, slice_of(acts[i].name)))
				continue;
			frame_free(&frame);
			acts[i].act(&channel);
			break;
		}
	}
	channel_close(&channel);
}

static const struct role_program programs[ROLE_COUNT] = {
	[ROLE_SPAWNER] = {spawner_main, NULL},
	[ROLE_WORKER] = {rogue_main, NULL},
};

/* The test is its own program, executed again. */
__attribute__((constructor)) static void be_a_role(int count, char **values)
{
	if (count == 3 && strcmp(values[1], "--role") == 0)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread yet */
		exit(process_main(values[2], programs));
}

static struct spawner *spawner;
static struct worker_pool *pool;

static void begin(void)
{
	const struct worker_pool_options options = {.workers = 1,
						    .task_ms = TASK_MS};
	struct worker_pool_options with = options;

	ASSERT_OK(spawner_create(&spawner, false));
	with.spawner = spawner;
	ASSERT_OK(worker_pool_create(&pool, &with));
}

static void end(void)
{
	worker_pool_destroy(pool);
	spawner_destroy(spawner);
}

/* What is done with a worker that asks. */
struct keeper {
	bool is_silent; /* it may not ask */
	unsigned kills; /* this many of them are killed */
	unsigned asks;
	bool is_refusing; /* takes no answer */
	unsigned answers; /* "done" only */
};

static bool serve(void *context, const struct task_request *inquiry,
		  struct message *answer)
{
	struct keeper *keeper = context;
	pid_t number;

	keeper->asks++;
	if (inquiry->head.size != sizeof(number))
		return false;
	memcpy(&number, inquiry->head.data, sizeof(number));
	if (keeper->kills > 0) {
		keeper->kills--;
		kill(number, SIGKILL);
		usleep(50 * 1000);
	}
	buffer_append_text(&answer->head, "answer");
	return true;
}

static bool take(void *context, struct slice head, struct slice body)
{
	struct keeper *keeper = context;

	if (keeper->is_refusing || body.size > 0)
		return false;
	keeper->answers += slice_equal(head, slice_of("done"));
	return slice_equal(head, slice_of("done"));
}

static char reason[POOL_REASON_BYTES];

static enum error run(const char *name, struct keeper *keeper)
{
	struct pool_task task = {
		.kind = TASK_XPATH,
		.head = slice_of(name),
		.serve = keeper->is_silent ? NULL : serve,
		.serve_context = keeper,
		.take = take,
		.take_context = keeper,
	};
	enum error error = worker_pool_run(pool, &task);

	snprintf(reason, sizeof(reason), "%s", task.reason);
	return error;
}

/* It costs the task; and the next one is done. */
static void costs_itself(const char *name, const char *why,
			 struct keeper *keeper)
{
	struct keeper next = {0};

	ck_assert_msg(run(name, keeper) == ERR_QUARANTINED, "%s", name);
	ck_assert_msg(strstr(reason, why) != NULL, "%s: %s", name, reason);
	ck_assert_msg(run("ask", &next) == ERR_NONE, "%s", name);
	ck_assert_uint_eq(next.answers, 1);
}

static const char no_answer[] = "an invalid response";

FIXTURE(.timeout_s = 60, .setup = begin, .teardown = end);

TEST(a_task_is_done)
{
	struct keeper keeper = {0};

	ASSERT_OK(run("ask", &keeper));
	ck_assert_str_eq(reason, "");
	ck_assert_uint_eq(keeper.asks, 1);
	ck_assert_uint_eq(keeper.answers, 1);
}

TEST(what_is_no_answer_costs_its_task)
{
	static const char *const names[] = {
		"wrong kind", "kind of the keeper", "ask for what nobody has",
		"noise",      "short header",       "too much",
	};
	struct keeper keeper = {0};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		costs_itself(names[i], no_answer, &keeper);
	ck_assert_uint_eq(keeper.answers, 0);
}

TEST(an_answer_that_is_refused_costs_its_task)
{
	struct keeper keeper = {.is_refusing = true};

	costs_itself("done", no_answer, &keeper);
}

TEST(who_asks_for_what_its_task_may_not_have_is_ended)
{
	struct keeper keeper = {.is_silent = true};

	costs_itself("ask", no_answer, &keeper);
}

TEST(endless_questions_end)
{
	struct keeper keeper = {0};

	costs_itself("ask for ever", "too long", &keeper);
	ck_assert_uint_gt(keeper.asks, 1);
}

TEST(who_does_not_listen_holds_nobody_up)
{
	struct keeper keeper = {0};

	costs_itself("ask without listening", no_answer, &keeper);
}

TEST(who_gives_no_answer_is_ended)
{
	struct keeper keeper = {0};

	costs_itself("hang", "too long", &keeper);
	costs_itself("spin", "too long", &keeper);
}

TEST(the_crash_of_a_worker_is_described)
{
	struct keeper keeper = {0};

	costs_itself("die", "signal 11 ", &keeper);
	costs_itself("die after a question", "signal 11 ", &keeper);
	costs_itself("leave", "exit status 3", &keeper);
	ck_assert_uint_eq(keeper.asks, 1);
}

TEST(who_closes_its_end_is_ended)
{
	struct keeper keeper = {0};

	/* alive still, it has to be killed */
	ck_assert_int_eq(run("close", &keeper), ERR_QUARANTINED);
	ck_assert_int_eq(run("nothing", &keeper), ERR_QUARANTINED);
	ASSERT_OK(run("done", &keeper));
}

TEST(who_is_killed_by_others_has_another_try)
{
	struct keeper once = {.kills = 1};
	struct keeper twice = {.kills = 2};

	ASSERT_OK(run("ask", &once));
	ck_assert_uint_eq(once.asks, 2);
	ck_assert_uint_eq(once.answers, 1);
	costs_itself("ask", "signal 9 ", &twice);
	ck_assert_uint_eq(twice.asks, 2);
}

TEST(what_comes_after_the_answer_costs_no_other_task)
{
	static const char *const names[] = {"done twice", "done and ask",
					    "done and die"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct keeper keeper = {0};

		ASSERT_OK(run(names[i], &keeper));
		usleep(300 * 1000);
		ck_assert_msg(run("done", &keeper) == ERR_NONE, "%s: %s",
			      names[i], reason);
		ck_assert_uint_eq(keeper.answers, 2);
		ck_assert_uint_eq(keeper.asks, 0);
	}
}

enum { BATCH = 5 };

/* The errors of tasks that were submitted together. */
static void run_all(const char *const *names, struct slice body,
		    struct keeper *keeper, enum error *errors_out)
{
	struct pool_task tasks[BATCH];

	for (size_t i = 0; i < BATCH; i++)
		tasks[i] = (struct pool_task){.kind = TASK_XPATH,
					      .head = slice_of(names[i]),
					      .body = body,
					      .take = take,
					      .take_context = keeper};
	worker_pool_run_all(pool, tasks, BATCH);
	for (size_t i = 0; i < BATCH; i++)
		errors_out[i] = tasks[i].error;
}

static const struct slice nothing;

TEST(tasks_that_go_together_are_done)
{
	static const char *const names[BATCH] = {"done", "done", "done", "done",
						 "done"};
	struct keeper keeper = {0};
	enum error errors[BATCH];
	AUTO_TEXT *large = mem_alloc(MAX_FRAME, 1);
	const size_t sizes[] = {0, 200000, MAX_FRAME};

	/* inline, more than the socket takes, and in files */
	for (size_t i = 0; i < 3; i++) {
		run_all(names, (struct slice){large, sizes[i]}, &keeper,
			errors);
		for (size_t k = 0; k < BATCH; k++)
			ASSERT_OK(errors[k]);
		ck_assert_uint_eq(keeper.answers, (i + 1) * BATCH);
	}
}

TEST(one_of_those_that_go_together_costs_itself)
{
	static const char *const bad[] = {"die", "noise", "spin", "leave",
					  "close"};

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		const char *names[BATCH] = {"done", "done", "done", "done",
					    "done"};
		struct keeper keeper = {0};
		enum error errors[BATCH];

		names[i % BATCH] = bad[i];
		run_all(names, nothing, &keeper, errors);
		for (size_t k = 0; k < BATCH; k++)
			ck_assert_int_eq(errors[k], k == i % BATCH
							    ? ERR_QUARANTINED
							    : ERR_NONE);
		ck_assert_uint_eq(keeper.answers, BATCH - 1);
	}
}

/* If one too many has come, each is sent separately, and has its own error. */
TEST(an_answer_too_many_is_nobody_s)
{
	static const char *const names[BATCH] = {"done", "done", "done", "done",
						 "done and ask"};
	struct keeper keeper = {0};
	enum error errors[BATCH];

	run_all(names, nothing, &keeper, errors);
	for (size_t k = 0; k < BATCH; k++)
		ASSERT_OK(errors[k]);
	ck_assert_uint_ge(keeper.answers, BATCH);
	ck_assert_uint_eq(keeper.asks, 0);
}

TEST(one_that_is_too_large_costs_itself)
{
	AUTO_TEXT *long_name = mem_alloc(FRAME_MAX_HEAD + 2, 1);
	const char *names[BATCH] = {"done", "done", long_name, "done", "done"};
	struct keeper keeper = {0};
	enum error errors[BATCH];

	memset(long_name, 'x', FRAME_MAX_HEAD + 1);
	run_all(names, nothing, &keeper, errors);
	ck_assert_int_eq(errors[2], ERR_TOO_LARGE);
	ASSERT_OK(errors[3]);
	ck_assert_uint_eq(keeper.answers, BATCH - 1);
}

/* A task of a thread of its own. */
struct quick {
	const char *name;
	bool is_quick;
	struct keeper keeper;
	enum error error;
	pthread_t thread;
};

static void *run_quick(void *argument)
{
	struct quick *quick = argument;
	struct pool_task task = {.kind = TASK_XPATH,
				 .head = slice_of(quick->name),
				 .is_quick = quick->is_quick,
				 .take = take,
				 .take_context = &quick->keeper};

	quick->error = worker_pool_run(pool, &task);
	return NULL;
}

/* Run them by the one worker; all others wait while it does the first. */
static void run_quick_tasks(const char *const *names, struct quick *tasks)
{
	for (size_t i = 0; i < BATCH; i++) {
		tasks[i] = (struct quick){.name = names[i], .is_quick = i > 0};
		ck_assert_int_eq(pthread_create(&tasks[i].thread, NULL,
						run_quick, &tasks[i]),
				 0);
		usleep(20 * 1000); /* they wait in this order */
	}
	for (size_t i = 0; i < BATCH; i++)
		pthread_join(tasks[i].thread, NULL);
}

TEST(quick_tasks_that_wait_are_sent_together)
{
	static const char *const names[BATCH] = {"pause", "done with another",
						 "done with another",
						 "done with another", "done"};
	struct quick tasks[BATCH];

	run_quick_tasks(names, tasks);
	for (size_t i = 0; i < BATCH; i++) {
		ASSERT_OK(tasks[i].error);
		ck_assert_uint_eq(tasks[i].keeper.answers, 1);
	}
}

TEST(one_of_the_quick_tasks_costs_itself)
{
	for (size_t i = 1; i < BATCH; i++) {
		const char *names[BATCH] = {"pause", "done", "done", "done",
					    "done"};
		struct quick tasks[BATCH];

		names[i] = i % 2 == 0 ? "noise" : "die";
		run_quick_tasks(names, tasks);
		for (size_t k = 0; k < BATCH; k++) {
			ck_assert_int_eq(tasks[k].error,
					 k == i ? ERR_QUARANTINED : ERR_NONE);
			ck_assert_uint_eq(tasks[k].keeper.answers, k != i);
		}
	}
}
