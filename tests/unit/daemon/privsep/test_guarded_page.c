#include "daemon/privsep/analyse_task.h"

#include <jansson.h>
#include <sys/resource.h>

#include "daemon/privsep/messages.h"
#include "store/rows.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

enum {
	ELEMENTS = 7000,
	/* of a step that the timer waits for, on a slow machine with ASan */
	STEP_US = 2000000,
	LIMIT_MS = 200, /* the other guards take up to 50 ms with ASan */
};

static struct page *page;
static struct buffer guards;
static json_t *found; /* array */
static uint64_t used_us;

static void setup(void)
{
	AUTO_BUFFER html = {0};

	for (int i = 0; i < ELEMENTS; i++)
		buffer_printf(&html,
			      "<div class=\"a b%d\"><p><span>x</span></p>"
			      "</div>",
			      i);
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	guards = (struct buffer){0};
	found = NULL;
}

static void teardown(void)
{
	page_destroy(page);
	buffer_free(&guards);
	json_decref(found);
}

static void add(uint32_t language, const char *selector)
{
	struct wanted_guard guard = {
		.number = (uint32_t)guards.size + 1,
		.language = language,
		.minimum = 1,
		.maximum = 1,
		.selector = slice_of(selector),
		.value = slice_of(""),
		.path = slice_of(""),
	};

	item_append_row(&guards, &wanted_guard_layout, &guard);
}

static void check(uint32_t guard_ms, uint32_t page_ms)
{
	const struct guard_limits limits = {guard_ms, page_ms};
	AUTO_BUFFER text = {0};
	uint64_t begin_us = cpu_time_us();

	guards_check(page, buffer_slice(&guards), &limits, &text);
	used_us = cpu_time_us() - begin_us;
	json_decref(found);
	found = json_loadb(text.data, text.size, 0, NULL);
	ck_assert(json_is_array(found));
}

static json_int_t matches_of(size_t i)
{
	return json_integer_value(
		json_object_get(json_array_get(found, i), "matches"));
}

/* "": it is within the limits. */
static const char *over_of(size_t i)
{
	const char *over = json_string_value(
		json_object_get(json_array_get(found, i), "over"));

	return over == NULL ? "" : over;
}

static bool is_skipped(size_t i)
{
	return json_is_true(
		json_object_get(json_array_get(found, i), "skipped"));
}

static size_t skipped_count(void)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(found); i++)
		count += is_skipped(i);
	return count;
}

/* How many of them could not be evaluated, and how many are too slow. */
static size_t count_of(const char *over, json_int_t matches)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(found); i++)
		count += matches_of(i) == matches &&
			 strcmp(over_of(i), over) == 0;
	return count;
}

/* Each of 28,000 steps copies the text of the page. */
static const char slow[] =
	"//*[translate(string(/),'abc','def')='x']|//*[.=string(/)]";

FIXTURE(.timeout_s = 60, .setup = setup, .teardown = teardown);

TEST(a_slow_expression_ends_at_its_limit)
{
	add(GUARD_XPATH, slow);
	add(GUARD_CSS, ".b7");
	add(GUARD_XPATH, "//*[@class='a b7']");
	check(LIMIT_MS, 60000);
	ck_assert_int_eq(matches_of(0), -1);
	ck_assert_str_eq(over_of(0), "guard");
	ck_assert_int_eq(matches_of(1), 1);
	ck_assert_int_eq(matches_of(2), 1);
	ck_assert_uint_lt(used_us, STEP_US);
}

static void add_times(int count, uint32_t language, const char *selector)
{
	for (int i = 0; i < count; i++)
		add(language, selector);
}

TEST(all_guards_together_have_a_limit)
{
	add_times(45, GUARD_XPATH, slow);
	check(60000, 200);
	ck_assert_uint_eq(json_array_size(found), 45);
	ck_assert_str_eq(over_of(0), "page");
	ck_assert_uint_eq(count_of("", -1), 44);
	ck_assert(!is_skipped(0));
	ck_assert_uint_eq(skipped_count(), 44);
	ck_assert_uint_lt(used_us, STEP_US);
}

/* The tree of this many elements takes several milliseconds. */
TEST(the_tree_is_charged_to_no_step)
{
	add(GUARD_XPATH, "/html");
	check(60000, 2);
	ck_assert_int_eq(matches_of(0), 1);
	ck_assert_str_eq(over_of(0), "");
	ck_assert(!is_skipped(0));
}

TEST(without_a_timer_no_expression_is_evaluated)
{
	struct rlimit before;
	struct rlimit none;

	/* the kernel counts timers as signals that wait */
	ck_assert_int_eq(getrlimit(RLIMIT_SIGPENDING, &before), 0);
	none = (struct rlimit){.rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	add(GUARD_XPATH, "//div");
	add(GUARD_CSS, ".b7");
	check(50, 1000);
	/* Check has timers, too */
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &before), 0);
	ck_assert_int_eq(matches_of(0), -1);
	ck_assert_str_eq(over_of(0), "");
	ck_assert(is_skipped(0));
	ck_assert_int_eq(matches_of(1), 1);
}

TEST(what_cannot_be_evaluated_at_all_is_not_skipped)
{
	add(GUARD_CSS, "p[");
	check(50, 1000);
	ck_assert_int_eq(matches_of(0), -1);
	ck_assert(!is_skipped(0));
}

TEST(css_counts_too)
{
	add_times(2000, GUARD_CSS, "div div div p span, .a > p > .x, .b7");
	check(60000, 100);
	ck_assert_int_eq(matches_of(0), 1);
	ck_assert_int_eq(matches_of(1999), -1);
	ck_assert(is_skipped(1999));
	ck_assert_uint_lt(used_us, STEP_US);
}

TEST(without_limits_all_are_evaluated)
{
	add(GUARD_XPATH, "//div");
	add(GUARD_CSS, "p");
	check(0, 0);
	ck_assert_int_eq(matches_of(0), ELEMENTS);
	ck_assert_int_eq(matches_of(1), ELEMENTS);
	ck_assert_str_eq(over_of(0), "");
}

/* What takes long in other ways than by copying: steps, pairs, unions. */
TEST(expressions_of_all_kinds_end)
{
	static const char *const texts[] = {
		"//*//*//*//*//*//*",
		"//*[//* = //*]",
		"//*[//* = /]",
		"//*[.=/]",
		"//*[. = ..]",
		"//p = //p/@x",
		"//*/ancestor::*/descendant::*/ancestor::*",
		"//text()/preceding::text()",
		"//*[count(preceding::*) = 7]",
		"//*[count(//*|//text()|//@*) = 7]",
		"//*[normalize-space(/) = substring-after(/, 'y')]",
		"//*[concat(/,/,/,/,/) = 'x']",
		"//*[string-length(translate(/,/,/)) = 7]",
		"//*[id(/) or sum(//*) = 7]",
		"//*[last()][position() = count(//*[last()])]",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		guards.size = 0;
		add(GUARD_XPATH, texts[i]);
		check(50, 1000);
		ck_assert_msg(used_us < STEP_US, "%s: %lu us", texts[i],
			      (unsigned long)used_us);
	}
}
