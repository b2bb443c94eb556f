#include "daemon/privsep/messages.h"

#include "base/memory.h"
#include "tests/unit/daemon/privsep/sample_tasks.h"
#include "tests/unit/run.h"

/*
 * A worker has only its input: any bytes are a request or malformed. Sanitizers
 * report its errors.
 */

enum { VARIANTS = 4, CHANGES = 2000 };

static uint64_t state = 18;

static uint32_t next_random(void)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(state >> 33);
}

/* A keeper that answers with nothing, or with some bytes. */
static bool serve(void *context, const struct task_request *inquiry,
		  struct message *answer)
{
	const bool *is_wild = context;

	if (!*is_wild)
		return false;
	for (uint32_t i = next_random() % 64; i > 0; i--) {
		uint32_t bytes = next_random();

		buffer_append(i % 2 == 0 ? &answer->head : &answer->body,
			      &bytes, 1 + bytes % 4);
	}
	return inquiry->kind < ASK_KINDS;
}

/* Its end is guarded. */
static char *copy_of(struct slice bytes)
{
	char *copy = mem_alloc(1, bytes.size);

	if (bytes.size > 0)
		memcpy(copy, bytes.data, bytes.size);
	return copy;
}

static enum error run_bytes(enum task_kind kind, struct slice head,
			    struct slice body, bool is_wild)
{
	AUTO_TEXT *head_copy = copy_of(head);
	AUTO_TEXT *body_copy = copy_of(body);
	struct task task = {
		.kind = kind,
		.head = {head_copy, head.size},
		.body = {body_copy, body.size},
		.worker = worker_create(),
		.serve = serve,
		.serve_context = &is_wild,
	};
	struct message answer;
	enum error error = task_run(&task, &answer);

	message_free(&answer);
	worker_destroy(task.worker);
	return error;
}

FIXTURE(.timeout_s = 100);

TEST_LOOP(each_request_is_one, TASK_ANALYSE, TASK_KINDS)
{
	enum task_kind kind = (enum task_kind)_i;

	for (unsigned variant = 0; variant < VARIANTS; variant++) {
		struct message sample = sample_task(kind, variant);

		ASSERT_OK(run_bytes(kind, buffer_slice(&sample.head),
				    buffer_slice(&sample.body), false));
		message_free(&sample);
	}
}

TEST_LOOP(a_truncated_request_crashes_no_worker, TASK_ANALYSE, TASK_KINDS)
{
	enum task_kind kind = (enum task_kind)_i;
	struct message sample = sample_task(kind, 1);
	struct slice head = buffer_slice(&sample.head);
	struct slice body = buffer_slice(&sample.body);

	for (size_t size = 0; size < head.size; size++) {
		enum error error = run_bytes(
			kind, (struct slice){head.data, size}, body, false);

		/* a shorter expression may be one */
		ck_assert(error == ERR_MALFORMED || kind == TASK_XPATH);
	}
	for (size_t size = 0; size < body.size; size++)
		run_bytes(kind, head, (struct slice){body.data, size}, false);
	message_free(&sample);
}

static void change(struct buffer *bytes)
{
	if (bytes->size > 0)
		bytes->data[next_random() % bytes->size] = (char)next_random();
}

TEST_LOOP(a_request_with_changed_bytes_crashes_no_worker, TASK_ANALYSE,
	  TASK_KINDS)
{
	enum task_kind kind = (enum task_kind)_i;

	for (unsigned i = 0; i < CHANGES; i++) {
		struct message sample = sample_task(kind, i);

		for (unsigned j = 1 + next_random() % 4; j > 0; j--)
			change(next_random() % 2 == 0 ? &sample.head
						      : &sample.body);
		run_bytes(kind, buffer_slice(&sample.head),
			  buffer_slice(&sample.body), i % 2 == 0);
		message_free(&sample);
	}
}

TEST(what_is_no_kind_is_no_task)
{
	static const unsigned kinds[] = {0, TASK_KINDS, FRAME_TASK_DONE,
					 UINT32_MAX};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		ck_assert_int_eq(run_bytes((enum task_kind)kinds[i],
					   slice_of("x"), slice_of("y"), false),
				 ERR_MALFORMED);
}
