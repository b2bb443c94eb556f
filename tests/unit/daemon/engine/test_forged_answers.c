#include "daemon/engine/engine_internal.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_text.h"
#include "store/record.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

/*
 * What a worker answers is written by an enemy: the keeper takes nothing of
 * what is no answer, and nothing happens to it. The worker is in between
 * (--wrap=task_run): it does the task, and answers with some bytes changed, or
 * cut. What the keeper does wrong, the sanitizers say.
 */

/* The names that the linker gives.
 * NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
enum error __real_task_run(struct task *task, struct message *answer);
enum error __wrap_task_run(struct task *task, struct message *answer);

enum { CHANGES = 3000 };

static struct {
	bool is_cutting;
	size_t head_bytes; /* when it cuts */
	size_t body_bytes;
	unsigned changes; /* to the bytes */
} forger;

static uint64_t state = 18;

static void change(struct buffer *bytes)
{
	if (bytes->size > 0)
		bytes->data[world_random(&state) % bytes->size] =
			(char)world_random(&state);
}

static void cut(struct buffer *bytes, size_t size)
{
	if (bytes->size > size)
		bytes->size = size;
}

enum error __wrap_task_run(struct task *task, struct message *answer)
{
	enum error error = __real_task_run(task, answer);

	for (unsigned i = 0; i < forger.changes; i++)
		change(world_random(&state) % 2 == 0 ? &answer->head
						     : &answer->body);
	if (forger.is_cutting) {
		cut(&answer->head, forger.head_bytes);
		cut(&answer->body, forger.body_bytes);
	}
	return error;
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

static struct world world;
static struct buffer html;

static void begin(void)
{
	memset(&forger, 0, sizeof(forger));
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
	world_page(&html, 1, 1);
}

static void end(void)
{
	buffer_free(&html);
	world_close(&world);
}

/* The analysis of a page, by the forger; what it leaves is a record or nothing.
 */
static enum error analyse_forged(void)
{
	const struct analyser analysing = {.store = world.store,
					   .limits = page_limits_default};
	struct job job = {.work = {.width = 2}};
	struct record record;
	enum error error;

	ASSERT_OK(url_parse(&job.url, slice_of("http://a.test/x"), NULL));
	buffer_append_slice(&job.result.body, buffer_slice(&html));
	analyser_run(&analysing, &job);
	error = job.error;
	if (error == ERR_NONE)
		ASSERT_OK(record_open(buffer_slice(&job.record), &record));
	else
		ck_assert_uint_eq(job.record.size, 0);
	buffer_free(&job.result.body);
	buffer_free(&job.record);
	buffer_free(&job.guarded);
	buffer_free(&job.packed);
	render_visit_free(&job.render);
	return error;
}

static enum error extract_forged(void)
{
	const struct extraction_options rules = {.limits = page_limits_default};
	const struct text_request request = {.body = buffer_slice(&html)};
	struct text_result answer;
	enum error error = submitted_text_get(NULL, world.store, &rules,
					      &request, &answer);

	ck_assert_ptr_nonnull(
		memchr(answer.method, '\0', sizeof(answer.method)));
	ck_assert_ptr_nonnull(
		memchr(answer.reason, '\0', sizeof(answer.reason)));
	buffer_free(&answer.body);
	return error;
}

FIXTURE(.timeout_s = 100, .setup = begin, .teardown = end);

TEST(an_answer_as_it_was_is_taken)
{
	ASSERT_OK(analyse_forged());
	ASSERT_OK(extract_forged());
}

TEST(an_answer_whose_head_is_cut_is_none)
{
	forger.is_cutting = true;
	forger.body_bytes = SIZE_MAX;
	for (; forger.head_bytes < 24; forger.head_bytes++) {
		ck_assert_int_ne(analyse_forged(), ERR_NONE);
		ck_assert_int_ne(extract_forged(), ERR_NONE);
	}
}

TEST(a_record_that_is_cut_is_none)
{
	forger.is_cutting = true;
	forger.head_bytes = SIZE_MAX;
	for (; forger.body_bytes < 200; forger.body_bytes++)
		ck_assert_int_ne(analyse_forged(), ERR_NONE);
}

TEST(a_response_with_changed_bytes_crashes_nothing)
{
	for (unsigned i = 0; i < random_rounds(CHANGES); i++) {
		forger.changes = 1 + i % 4;
		analyse_forged();
		extract_forged();
	}
}
