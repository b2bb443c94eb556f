/* Work in a separate process. */
#include "daemon/runtime/child.h"

#include <signal.h>
#include <unistd.h>

#include "tests/unit/run.h"

enum { LARGE_BYTES = 3 << 20 };

static enum error answer_long(void *context, struct child_work_position *place,
			      struct buffer *out)
{
	(void)place;
	for (size_t i = 0; i < LARGE_BYTES; i++)
		buffer_append_byte(out, *(const char *)context);
	return ERR_CORRUPT;
}

static enum error die(void *context, struct child_work_position *place,
		      struct buffer *out)
{
	snprintf(place->text, sizeof(place->text), "table pages");
	buffer_append_text(out, "lost");
	raise(*(const int *)context);
	return ERR_NONE;
}

static _Noreturn enum error
hang(void *context, struct child_work_position *place, struct buffer *out)
{
	(void)context;
	(void)out;
	snprintf(place->text, sizeof(place->text), "site a.test");
	for (;;)
		pause();
}

TEST(its_answer_and_its_error_come_back)
{
	char letter = 'x';
	const struct child_work trial = {answer_long, &letter, 60000};
	AUTO_BUFFER out = {0};
	char why[CHILD_WORK_POSITION_BYTES];

	buffer_append_text(&out, "before ");
	ck_assert_int_eq(run_in_child(&trial, &out, why), ERR_CORRUPT);
	ck_assert_uint_eq(out.size, strlen("before ") + LARGE_BYTES);
	ck_assert_int_eq(strncmp(out.data, "before xx", 9), 0);
}

TEST(a_signal_is_an_answer_that_names_the_place)
{
	static const int signals[] = {SIGABRT, SIGXCPU, SIGKILL};

	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		int number = signals[i];
		const struct child_work trial = {die, &number, 60000};
		AUTO_BUFFER out = {0};
		char why[CHILD_WORK_POSITION_BYTES];

		ck_assert_int_eq(run_in_child(&trial, &out, why), ERR_STOPPED);
		ck_assert_ptr_nonnull(strstr(why, sigdescr_np(number)));
		ck_assert_ptr_nonnull(strstr(why, "table pages"));
	}
}

TEST(what_hangs_is_ended)
{
	const struct child_work trial = {hang, NULL, 1000};
	struct buffer out = {0};
	char why[CHILD_WORK_POSITION_BYTES];

	ck_assert_int_eq(run_in_child(&trial, &out, why), ERR_STOPPED);
	ck_assert_str_eq(why, "the check took more than 1 s at site a.test");
	ck_assert_uint_eq(out.size, 0);
}

TEST(the_time_grows_with_the_file)
{
	ck_assert_uint_eq(child_work_limit_ms("/nowhere"), 60000);
}
