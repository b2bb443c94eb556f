/* Which values of fields are accepted, and which fields are broken. */
#include "daemon/watch/decide_fields.h"

#include <string.h>

#include "daemon/watch/field_history.h"
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
	facts = (struct field_facts){fields, 2, pages, 0, NULL, NOW, HOLD};
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

TEST(other_pages_that_were_read_meanwhile_have_values)
{
	uint32_t others[2] = {3, 0};

	facts.others = others;
	compare(FOUR_KNOWN,
		"[{\"title\": \"a\"}, {\"title\": \"b\"}, {\"title\": \"c\"}, "
		"{\"title\": \"d\"}]");
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
	others[0] = 4;
	ck_assert_int_eq(verdict(0), FIELD_OK);
	fields[0].is_required = true;
	ck_assert_int_eq(verdict(0), FIELD_BROKEN);
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

/* The fill rate */

/* Return the marks of the first field for a record. */
static unsigned marks(const char *latest, unsigned before)
{
	const struct value_range range = value_range_of(
		&fields[0], (const json_t *const *)&lists[0], 0, test_arena);
	json_t *record = json_loads(latest, 0, NULL);
	unsigned result = value_marks(&fields[0], range, record, before);

	json_decref(record);
	return result;
}

TEST(marks_say_what_a_page_shows)
{
	ck_assert_uint_eq(marks("{}", 0), 0);
	ck_assert_uint_eq(marks("{\"price\": \"£2\"}", 0), MARK_FILLED);
	ck_assert_uint_eq(marks("{\"price\": \"2.00\"}", MARK_LOST),
			  MARK_FILLED);
	ck_assert_uint_eq(marks("{\"price\": \"Sold out\"}", 0),
			  MARK_FILLED | MARK_TYPE);
	ck_assert_uint_eq(
		marks("{\"price\": \"£2\", \"_unsure\": [\"price\"]}", 0),
		MARK_FILLED | MARK_UNSURE);
	ck_assert_uint_eq(marks("{}", MARK_FILLED | MARK_TYPE), MARK_LOST);
	ck_assert_uint_eq(marks("{}", MARK_LOST), MARK_LOST);
}

/* Return the mark of an outlier for a value after others [count]. */
static bool is_outlier(const char *type, const char *const *before,
		       size_t count, const char *value)
{
	json_t *records = json_array();
	const json_t *list[MAX_PAGES];
	json_t *latest = json_pack("{s:s}", "price", value);
	unsigned result;

	fields[0].type = type;
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(records,
				      json_pack("{s:s}", "price", before[i]));
		list[i] = json_array_get(records, i);
	}
	result = value_marks(
		&fields[0], value_range_of(&fields[0], list, count, test_arena),
		latest, 0);
	json_decref(records);
	json_decref(latest);
	return (result & MARK_OUTLIER) != 0;
}

TEST(an_outlier_is_far_from_the_usual_amounts)
{
	static const char *const equal[] = {"£10", "£10", "£10", "£10",
					    "£10", "£10", "£10", "£10"};
	static const char *const wide[] = {"1 €",        "5 €",   "20 €",
					   "100 €",      "500 €", "1.000,00 €",
					   "2,000.00 €", "5000 €"};

	ck_assert(!is_outlier("price", equal, 8, "£99.99"));
	ck_assert(is_outlier("price", equal, 8, "£100.01"));
	ck_assert(!is_outlier("price", equal, 8, "£1.00"));
	ck_assert(is_outlier("price", equal, 8, "£0.99"));
	ck_assert(is_outlier("price", equal, 8, "£0.00"));
	ck_assert(!is_outlier("price", equal, 7, "£9000"));
	ck_assert(!is_outlier("price", wide, 8, "0,50 €"));
	ck_assert(!is_outlier("price", wide, 8, "99.999,00 €"));
	ck_assert(is_outlier("number", equal, 8, "1,000"));
	ck_assert(!is_outlier("number", equal, 8, "none of 10,000")); /* type */
	ck_assert(!is_outlier("date", equal, 8, "1 May 2025"));
}

TEST(a_text_is_an_outlier_only_if_it_is_long)
{
	static const char *const names[] = {
		"Lamp amber", "Lamp birch", "Lamp cedar", "Lamp dune",
		"Lamp ember", "Lamp frost", "Lamp grove", "Lamp heath"};
	char text[121] = "";

	memset(text, 'x', sizeof(text) - 1);
	ck_assert(is_outlier("text", names, 8, text));
	text[80] = '\0';
	ck_assert(!is_outlier("text", names, 8, text));
	ck_assert(!is_outlier("text", names, 8, "x"));
}

static void add_pages(struct field_round *round, uint32_t count, unsigned mark)
{
	while (count-- > 0)
		field_round_add(round, mark);
}

TEST(a_round_counts_pages)
{
	struct field_round round = {0};

	add_pages(&round, 3, MARK_FILLED | MARK_TYPE | MARK_UNSURE);
	add_pages(&round, 2, MARK_FILLED | MARK_OUTLIER);
	add_pages(&round, 1, MARK_LOST);
	ck_assert_uint_eq(round.pages, 6);
	ck_assert_uint_eq(round.filled, 5);
	ck_assert_uint_eq(round.type_errors, 3);
	ck_assert_uint_eq(round.outliers, 2);
	ck_assert_uint_eq(round.unsure, 3);
	ck_assert_uint_eq(round.lost, 1);
	field_round_remove(&round, MARK_FILLED | MARK_TYPE | MARK_UNSURE);
	ck_assert_uint_eq(round.pages, 5);
	ck_assert_uint_eq(round.type_errors, 2);
}

/* Return whether the fill rate drops if so many pages have lost the value. */
static bool drops(uint32_t filled, uint32_t lost, uint32_t lost_before)
{
	struct field_round rounds[2] = {{0}};

	add_pages(&rounds[0], filled + lost - lost_before, MARK_FILLED);
	add_pages(&rounds[0], lost_before, MARK_LOST);
	add_pages(&rounds[1], filled, MARK_FILLED);
	add_pages(&rounds[1], lost, MARK_LOST);
	return fill_has_dropped(rounds, 2);
}

TEST(a_fill_rate_drops_if_a_fifth_of_the_pages_lose_it)
{
	ck_assert(drops(7, 5, 0));
	ck_assert(!drops(11, 1, 0));
	ck_assert(!drops(9, 3, 0));
	ck_assert(drops(16, 4, 0));
	ck_assert(!drops(17, 4, 0));
	ck_assert(!drops(7, 5, 5)); /* they have lost it before */
	ck_assert(!drops(100, 0, 0));
	ck_assert(drops(0, 12, 0));
}

TEST(a_slow_loss_is_no_drop)
{
	struct field_round rounds[30] = {{0}};

	for (uint32_t i = 0; i < 30; i++) {
		add_pages(&rounds[i], 60 - i, MARK_FILLED);
		add_pages(&rounds[i], i, MARK_LOST);
		ck_assert(!fill_has_dropped(rounds, i + 1u));
	}
	/* pages that never had a value have lost none */
	add_pages(&rounds[29], 100, 0);
	ck_assert(!fill_has_dropped(rounds, 30));
	add_pages(&rounds[29], 20, MARK_LOST);
	ck_assert(fill_has_dropped(rounds, 30));
}

TEST(a_fill_rate_is_back_if_most_pages_have_values_again)
{
	struct field_round round = {0};

	add_pages(&round, 3, MARK_LOST);
	ck_assert(!fill_is_back(&round, 5));
	field_round_remove(&round, MARK_LOST);
	ck_assert(fill_is_back(&round, 5));
}

/* What is stored */

TEST(marks_are_read_in_any_order)
{
	const unsigned char written[2] = {MARK_FILLED, MARK_LOST};
	const struct watched_field others[3] = {
		{.name = "new"}, {.name = "title"}, {.name = "price"}};
	unsigned char read[3];
	struct buffer bytes = {0};

	marks_write(fields, 2, written, &bytes);
	ck_assert(marks_read(fields, 2, buffer_slice(&bytes), read));
	ck_assert_mem_eq(read, written, 2);
	ck_assert(marks_read(others, 3, buffer_slice(&bytes), read));
	ck_assert_uint_eq(read[0], 0);
	ck_assert_uint_eq(read[1], MARK_LOST);
	ck_assert_uint_eq(read[2], MARK_FILLED);
	ck_assert(!marks_read(
		fields, 2, (struct slice){bytes.data, bytes.size - 1}, read));
	ck_assert(!marks_read(fields, 2, slice_of(""), read));
	ck_assert(!marks_read(fields, 2, slice_of("x"), read));
	buffer_free(&bytes);
}

/* Add a round in which so many of 10 pages were read. */
static void add_round(json_t *history, uint64_t time_ms, uint32_t read)
{
	const struct field_round now[2] = {
		{.time_ms = time_ms, .pages = 10, .filled = 9},
		{.time_ms = time_ms, .pages = 10, .lost = 3}};

	history_add(history, fields, now, 2, read);
}

TEST(a_round_lasts_until_all_pages_were_read_or_a_day)
{
	struct field_round rounds[FIELD_ROUNDS];
	json_t *history = json_object();

	ck_assert_uint_eq(history_rounds(history, "price", rounds), 0);
	add_round(history, 1000, 4);
	add_round(history, 2000, 6);
	ck_assert_uint_eq(history_rounds(history, "price", rounds), 1);
	ck_assert_uint_eq(rounds[0].time_ms, 2000);
	ck_assert_uint_eq(rounds[0].pages, 10);
	ck_assert_uint_eq(rounds[0].filled, 9);
	add_round(history, 3000, 1);
	ck_assert_uint_eq(history_rounds(history, "title", rounds), 2);
	ck_assert_uint_eq(rounds[1].lost, 3);
	add_round(history, 3000 + MAX_ROUND_MS, 1);
	ck_assert_uint_eq(history_rounds(history, "title", rounds), 3);
	for (unsigned i = 0; i < 100; i++)
		add_round(history, 5000 + i, 10);
	ck_assert_uint_eq(history_rounds(history, "price", rounds),
			  FIELD_ROUNDS);
	ck_assert_uint_eq(rounds[FIELD_ROUNDS - 1].time_ms, 5099);
	ck_assert_uint_eq(rounds[0].time_ms, 5099 - FIELD_ROUNDS + 1);
	/* a field that is gone is dropped */
	history_add(history, fields, &(struct field_round){.pages = 1}, 1, 1);
	ck_assert_uint_eq(history_rounds(history, "title", rounds), 0);
	json_decref(history);
}
