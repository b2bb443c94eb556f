/* Which values of fields are accepted, and which fields are broken. */
#include "daemon/watch/decide_fields.h"

#include "tests/unit/run.h"

enum { MAX_PAGES = 16, NOW = 1000, HOLD = 100 };

static struct watched_field fields[2];
static struct field_page pages[MAX_PAGES];
static struct field_facts facts;
static json_t *lists[2];
static const enum value_state *states;

static void begin(void)
{
	fields[0] = (struct watched_field){.name = "price",
					   .type = "price",
					   .is_watched = true,
					   .fill = 1};
	fields[1] = (struct watched_field){
		.name = "title", .type = "text", .fill = 1};
	facts = (struct field_facts){fields, 2, pages, 0, NOW, HOLD};
}

static void end(void)
{
	json_decref(lists[0]);
	json_decref(lists[1]);
	lists[0] = NULL;
	lists[1] = NULL;
}

FIXTURE(.setup = begin, .teardown = end);

/* Set the pages to the records of two arrays. */
static void compare(const char *known, const char *latest)
{
	lists[0] = json_loads(known, 0, NULL);
	lists[1] = json_loads(latest, 0, NULL);
	ck_assert_uint_eq(json_array_size(lists[0]), json_array_size(lists[1]));
	facts.page_count = json_array_size(lists[0]);
	for (size_t i = 0; i < facts.page_count; i++) {
		pages[i] = (struct field_page){json_array_get(lists[0], i),
					       json_array_get(lists[1], i), 0};
		if (json_is_null(pages[i].known))
			pages[i].known = NULL;
		if (json_is_null(pages[i].latest))
			pages[i].latest = NULL;
	}
	states = fields_compare(&facts, test_arena);
}

/* Return what happens to the value at `field` of the page. */
static enum value_step step(size_t page, size_t field)
{
	struct field_count count = field_judge(&facts, states, field);

	return value_decide(&facts, &pages[page], states[page * 2 + field],
			    count.verdict == FIELD_BROKEN, &count);
}

static enum field_verdict verdict(size_t field)
{
	return field_judge(&facts, states, field).verdict;
}

TEST(one_changed_price_is_accepted_at_once)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"price\": \"£2\", \"title\": \"a\"}]");
	ck_assert_int_eq(states[0], VALUE_CHANGED);
	ck_assert_int_eq(step(0, 0), VALUE_ACCEPT);
	ck_assert_int_eq(step(0, 1), VALUE_KEEP);
	ck_assert_int_eq(verdict(0), FIELD_OK);
}

TEST(a_page_that_is_new_has_no_values_to_lose)
{
	compare("[null]", "[{\"title\": \"a\"}]");
	ck_assert_int_eq(states[0], VALUE_SAME);
	ck_assert_int_eq(states[1], VALUE_ADDED);
	ck_assert_int_eq(step(0, 1), VALUE_ACCEPT);
}

TEST(a_lost_value_waits_for_others)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"title\": \"a\"}]");
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
	pages[0].pending_ms = NOW - HOLD + 1;
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
	pages[0].pending_ms = NOW - HOLD;
	ck_assert_int_eq(step(0, 0), VALUE_ACCEPT);
}

TEST(an_unsure_value_is_never_accepted)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"price\": \"£2\", \"title\": \"a\", \"_unsure\": "
		"[\"price\"]}]");
	ck_assert_int_eq(states[0], VALUE_UNSURE);
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
	pages[0].pending_ms = NOW - HOLD;
	ck_assert_int_eq(step(0, 0), VALUE_KEEP);
}

TEST(a_text_in_the_place_of_a_price_waits)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"price\": \"Sold out\", \"title\": \"a\"}]");
	ck_assert_int_eq(states[0], VALUE_LOST);
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
}

TEST(a_page_on_which_everything_changes_waits)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"price\": \"£2\", \"title\": \"b\"}]");
	ck_assert_int_eq(states[0], VALUE_DOUBTFUL);
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
	pages[0].pending_ms = NOW - HOLD;
	ck_assert_int_eq(step(0, 0), VALUE_ACCEPT);
}

#define FOUR(record) "[" record "," record "," record "," record "]"
#define FOUR_KNOWN                                                       \
	"[{\"price\": \"£1\", \"title\": \"a\"}, {\"price\": \"£2\", " \
	"\"title\": \"b\"}, {\"price\": \"£3\", \"title\": \"c\"}, "    \
	"{\"price\": \"£4\", \"title\": \"d\"}]"

TEST(four_pages_that_lose_a_value_break_its_field)
{
	compare(FOUR_KNOWN,
		"[{\"title\": \"a\"}, {\"title\": \"b\"}, {\"title\": \"c\"}, "
		"{\"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
	ck_assert_int_eq(verdict(1), FIELD_OK);
	pages[0].pending_ms = NOW - HOLD;
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
}

TEST(three_pages_do_not_break_it_unless_it_is_required)
{
	compare(FOUR_KNOWN,
		"[{\"title\": \"a\"}, {\"title\": \"b\"}, {\"title\": \"c\"}, "
		"{\"price\": \"£4\", \"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_OK);
	fields[0].is_required = true;
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
}

TEST(a_field_that_few_pages_had_does_not_break)
{
	fields[0].fill = .4;
	compare(FOUR_KNOWN, FOUR("{\"title\": \"a\"}"));
	ck_assert_int_eq(verdict(0), FIELD_OK);
}

TEST(pages_that_could_not_be_read_break_no_field)
{
	fields[0].is_required = true;
	compare("[null, null, null, null]", "[null, null, null, null]");
	ck_assert_int_eq(states[0], VALUE_SAME);
	ck_assert_int_eq(verdict(0), FIELD_OK);
}

TEST(a_required_field_breaks_on_new_pages_without_a_value)
{
	fields[0].is_required = true;
	compare("[null, null]", "[{\"title\": \"a\"}, {\"title\": \"b\"}]");
	ck_assert_int_eq(states[0], VALUE_MISSING);
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
}

TEST(prices_that_become_alike_break)
{
	compare(FOUR_KNOWN,
		"[{\"price\": \"£9\", \"title\": \"a\"}, {\"price\": \"£9\", "
		"\"title\": \"b\"}, {\"price\": \"£9\", \"title\": \"c\"}, "
		"{\"price\": \"£9\", \"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
}

TEST(a_sale_changes_all_prices)
{
	compare(FOUR_KNOWN,
		"[{\"price\": \"£5\", \"title\": \"a\"}, {\"price\": \"£6\", "
		"\"title\": \"b\"}, {\"price\": \"£7\", \"title\": \"c\"}, "
		"{\"price\": \"£8\", \"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_OK);
	ck_assert_int_eq(step(0, 0), VALUE_ACCEPT);
}

TEST(a_page_that_still_shows_the_old_price_waits)
{
	compare("[{\"price\": \"£1\", \"title\": \"a\"}]",
		"[{\"price\": \"£2\", \"title\": \"a\", \"_shown\": "
		"[\"price\"]}]");
	ck_assert_int_eq(states[0], VALUE_DOUBTFUL);
	ck_assert_int_eq(step(0, 0), VALUE_WAIT);
}

#define SHOWN ", \"_shown\": [\"price\"]"

TEST(new_prices_next_to_the_old_ones_are_suspect)
{
	compare(FOUR_KNOWN, "[{\"price\": \"£5\", \"title\": \"a\"" SHOWN
			    "}, {\"price\": \"£6\", \"title\": \"b\"" SHOWN
			    "}, {\"price\": \"£7\", \"title\": \"c\"" SHOWN
			    "}, {\"price\": \"£8\", \"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_SUSPECT);
}

TEST(other_titles_on_all_pages_are_suspect)
{
	compare(FOUR_KNOWN,
		"[{\"price\": \"£1\", \"title\": \"e\"}, {\"price\": \"£2\", "
		"\"title\": \"f\"}, {\"price\": \"£3\", \"title\": \"g\"}, "
		"{\"price\": \"£4\", \"title\": \"h\"}]");
	ck_assert_int_eq(verdict(1), FIELD_SUSPECT);
}

TEST(a_broken_field_stays_broken_until_most_pages_have_values)
{
	fields[0].was_broken = true;
	compare("[]", "[]");
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
	end();
	compare(FOUR_KNOWN,
		"[{\"price\": \"£1\", \"title\": \"a\"}, {\"title\": \"b\"}, "
		"{\"title\": \"c\"}, {\"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
	end();
	compare(FOUR_KNOWN,
		"[{\"price\": \"£1\", \"title\": \"a\"}, {\"price\": \"£2\", "
		"\"title\": \"b\"}, {\"title\": \"c\"}, {\"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_OK);
}
