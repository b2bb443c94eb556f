/* The order in which components are started, woken and stopped. */
#include "daemon/runtime/thread.h"

#include "tests/unit/run.h"

/* What was done, a word each: +a started, *a woken, -a stopped. */
struct service {
	char words[128];
	char broken; /* this part cannot be started */
	struct service_components *parts;
};

static void note(struct service *trace, char what, char part)
{
	size_t length = strlen(trace->words);

	snprintf(trace->words + length, sizeof(trace->words) - length, "%c%c ",
		 what, part);
}

static enum error begin(struct service *trace, char part)
{
	note(trace, '+', part);
	return trace->broken == part ? ERR_IO : ERR_NONE;
}

static enum error start_a(struct service *trace)
{
	return begin(trace, 'a');
}

static enum error start_b(struct service *trace)
{
	return begin(trace, 'b');
}

/* There is news while the parts are being started: from another one. */
static enum error start_c(struct service *trace)
{
	components_wake(trace->parts);
	return begin(trace, 'c');
}

static void stop_a(struct service *trace)
{
	note(trace, '-', 'a');
}

/* The same while they are being stopped. */
static void stop_b(struct service *trace)
{
	components_wake(trace->parts);
	note(trace, '-', 'b');
}

static void wake_a(struct service *trace)
{
	note(trace, '*', 'a');
}

static void wake_b(struct service *trace)
{
	note(trace, '*', 'b');
}

static void wake_c(struct service *trace)
{
	note(trace, '*', 'c');
}

/* The last has nothing to stop. */
static const struct service_component table[] = {
	{start_a, stop_a, wake_a, NULL},
	{start_b, stop_b, wake_b, "b cannot be started"},
	{start_c, NULL, wake_c, NULL},
};

static void make(struct service *trace, struct service_components *parts,
		 char broken)
{
	*trace = (struct service){.broken = broken, .parts = parts};
	components_init(parts, table, COUNT_OF(table), trace);
}

TEST(parts_start_in_order_and_stop_in_reverse)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, '\0');
	ASSERT_OK(components_start(&parts));
	ck_assert_str_eq(trace.words, "+a +b *a *b +c ");
	trace.words[0] = '\0';
	components_stop(&parts);
	ck_assert_str_eq(trace.words, "*a -b -a ");
	components_finish(&parts);
}

TEST(news_wake_all_that_run_and_nothing_else)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, '\0');
	components_wake(&parts);
	ck_assert_str_eq(trace.words, "");
	ASSERT_OK(components_start(&parts));
	trace.words[0] = '\0';
	components_wake(&parts);
	ck_assert_str_eq(trace.words, "*a *b *c ");
	components_stop(&parts);
	trace.words[0] = '\0';
	components_wake(&parts);
	ck_assert_str_eq(trace.words, "");
	components_finish(&parts);
}

TEST(a_part_that_fails_stops_those_before_it)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, 'b');
	ck_assert_int_eq(components_start(&parts), ERR_IO);
	ck_assert_str_eq(trace.words, "+a +b -a ");
	components_finish(&parts);
}

TEST(the_first_part_that_fails_stops_nothing)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, 'a');
	ck_assert_int_eq(components_start(&parts), ERR_IO);
	ck_assert_str_eq(trace.words, "+a ");
	components_stop(&parts);
	ck_assert_str_eq(trace.words, "+a ");
	components_finish(&parts);
}

TEST(the_last_part_that_fails_stops_all_others)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, 'c');
	ck_assert_int_eq(components_start(&parts), ERR_IO);
	ck_assert_str_eq(trace.words, "+a +b *a *b +c *a -b -a ");
	components_finish(&parts);
}

TEST(parts_that_failed_can_be_started_again)
{
	struct service trace;
	struct service_components parts;

	make(&trace, &parts, 'b');
	ck_assert_int_eq(components_start(&parts), ERR_IO);
	trace.broken = '\0';
	trace.words[0] = '\0';
	ASSERT_OK(components_start(&parts));
	ck_assert_str_eq(trace.words, "+a +b *a *b +c ");
	components_stop(&parts);
	components_finish(&parts);
}
