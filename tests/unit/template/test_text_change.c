/* What has changed in the text of a page, and what changes at each visit. */
#include "template/text_change.h"

#include "template/version_json.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* A page about prices, with these passages in its main text. */
static char *pricing(const char *passages)
{
	AUTO_BUFFER html = {0};

	buffer_printf(
		&html,
		"<html><body><nav><ul><li><a href=/>Home</a><li><a href=/d>"
		"Docs</a></ul></nav><main><h1>Plans and prices</h1>"
		"<p>All plans have unlimited projects, and you can change or "
		"end your plan at any time without a reason.</p>%s"
		"<p>Schools and open source projects pay nothing; write to us "
		"and we will give you an account in a few days.</p>"
		"</main></body></html>",
		passages);
	return strdup(html.data);
}

/* Compare the pages, with what was known before; it may be NULL. */
static json_t *change_of(const char *before, const char *after,
			 const json_t *known, uint32_t quiet)
{
	AUTO_TEXT *before_html = pricing(before);
	AUTO_TEXT *after_html = pricing(after);
	AUTO_PAGE *before_page = parse(before_html);
	AUTO_PAGE *after_page = parse(after_html);
	AUTO_TEXT *parts = json_dumps(json_object_get(known, "parts"), 0);
	json_t *change = text_change_make(&(struct text_visit){
		.before = before_page,
		.after = after_page,
		.parts = slice_of(parts),
		.visits = (uint32_t)json_member_whole(known, "visits"),
		.quiet = quiet,
	});

	ck_assert(change == NULL || text_change_is_sound(change));
	return change;
}

static void check_json(const json_t *value, const char *expected)
{
	AUTO_TEXT *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS |
						    JSON_ENCODE_ANY);

	ck_assert_str_eq(text, expected);
}

#define TEAM(price) \
	"<p>The team plan costs " price " a month for each user.</p>"

TEST(equal_text_is_no_change)
{
	ck_assert_ptr_null(change_of(TEAM("$20"), TEAM("$20"), NULL, 0));
	ck_assert_ptr_null(change_of("<p>One  two</p>",
				     "<p class=x>One <b>two</b></p>", NULL, 0));
	ck_assert_ptr_null(change_of("<p><b>One</b> <i>two</i></p>",
				     "<p>Onetwo</p>", NULL, 0));
	ck_assert_ptr_null(change_of("<p>It's \"new\" - so</p>",
				     "<p>It\xE2\x80\x99s \xE2\x80\x9Cnew"
				     "\xE2\x80\x9D \xE2\x80\x93 so</p>",
				     NULL, 0));
}

TEST(changed_words_are_listed)
{
	AUTO_JSON *change = change_of(TEAM("$20"), TEAM("$25"), NULL, 0);

	check_json(
		json_object_get(change, "changes"),
		"[{\"added\":[\"$25\"],\"after\":\"The team plan costs $25 a "
		"month for each user.\",\"before\":\"The team plan costs "
		"$20 a month for each user.\",\"removed\":[\"$20\"]}]");
	ck_assert_int_eq(json_member_whole(change, "ignored"), 0);
	ck_assert(text_change_is_news(change));
}

TEST(added_and_removed_passages_are_listed)
{
	static const char note[] = "<p>Prices are valid until the end of the "
				   "year, also for new users.</p>";
	AUTO_JSON *added = change_of("", note, NULL, 0);
	AUTO_JSON *removed = change_of(note, "", NULL, 0);

	check_json(json_object_get(added, "changes"),
		   "[{\"after\":\"Prices are valid until the end of the year, "
		   "also for new users.\",\"before\":null}]");
	check_json(json_object_get(removed, "changes"),
		   "[{\"after\":null,\"before\":\"Prices are valid until the "
		   "end of the year, also for new users.\"}]");
}

TEST(white_space_between_elements_is_kept)
{
	AUTO_JSON *change = change_of(
		"<p>The <b>team</b> <i>plan</i><br>costs<em> $20</em></p>",
		"<p>The <b>team</b> <i>plan</i><br>costs<em> $25</em></p>",
		NULL, 0);
	const json_t *item =
		json_array_get(json_object_get(change, "changes"), 0);

	ck_assert_str_eq(json_member_text(item, "after"),
			 "The team plan costs $25");
}

TEST(text_outside_of_the_main_text_is_no_news)
{
	AUTO_PAGE *before =
		parse("<nav><a href=/>Home</a></nav><main><p>A long and useful "
		      "text about something that people like to read.</p>"
		      "<p>It has a second passage, with more words in it."
		      "</main><footer><ul><li><a href=/a>Jobs</a></ul>");
	AUTO_PAGE *after =
		parse("<nav><a href=/>Home</a></nav><main><p>A long and useful "
		      "text about something that people like to read.</p>"
		      "<p>It has a second passage, with more words in it."
		      "</main><footer><ul><li><a href=/a>Careers</a></ul>");
	AUTO_JSON *change = text_change_make(
		&(struct text_visit){.before = before, .after = after});

	ck_assert_ptr_nonnull(change);
	ck_assert(!text_change_is_news(change));
}

/* Let the passage change in turn; the result is the last change. */
static json_t *visit_all(const char *const *passages, size_t count)
{
	json_t *known = NULL;

	for (size_t i = 1; i < count; i++) {
		json_t *next =
			change_of(passages[i - 1], passages[i], known, 0);

		json_decref(known);
		known = next;
	}
	return known;
}

#define VIEWERS(number)                                                 \
	"<p>" number " people are looking at this offer right now, so " \
	"order early. The price is "

static const char *const counters[] = {
	VIEWERS("3") "$20.</p>", VIEWERS("5") "$20.</p>",
	VIEWERS("4") "$20.</p>", VIEWERS("12") "$20.</p>",
	VIEWERS("7") "$25.</p>",
};

TEST(a_number_that_changes_at_each_visit_is_learned)
{
	AUTO_JSON *second = visit_all(counters, 3);
	AUTO_JSON *third = visit_all(counters, 4);

	ck_assert(text_change_is_news(second));
	ck_assert(!text_change_is_news(third));
	ck_assert_int_eq(json_member_whole(third, "ignored"), 1);
}

TEST(another_number_of_the_same_passage_is_news)
{
	AUTO_JSON *fourth = visit_all(counters, 5);
	const json_t *item =
		json_array_get(json_object_get(fourth, "changes"), 0);

	ck_assert_int_eq(json_member_whole(fourth, "ignored"), 0);
	check_json(json_object_get(item, "added"), "[\"7\",\"$25.\"]");
}

TEST(passages_that_are_replaced_at_each_visit_are_learned)
{
	static const char *const teasers[] = {
		"<p class=tip>Try the new editor for maps.</p>",
		"<p class=tip>Our book about gardens is out.</p>",
		"<p class=tip>Meet us in Lisbon this summer.</p>",
		"<p class=tip>Seven rules for good passwords.</p>",
	};
	AUTO_JSON *third = visit_all(teasers, 4);

	ck_assert(!text_change_is_news(third));
}

TEST(entries_that_are_added_and_stay_are_news)
{
#define ENTRY(name) "<p class=news>Release " name " has many new functions.</p>"
	static const char *const lists[] = {
		ENTRY("amber"),
		ENTRY("birch") ENTRY("amber"),
		ENTRY("cedar") ENTRY("birch") ENTRY("amber"),
		ENTRY("daisy") ENTRY("cedar") ENTRY("birch") ENTRY("amber"),
		ENTRY("elder") ENTRY("daisy") ENTRY("cedar") ENTRY("birch")
			ENTRY("amber"),
	};
	AUTO_JSON *change = visit_all(lists, COUNT_OF(lists));

	ck_assert(text_change_is_news(change));
}

TEST(a_part_that_changes_at_times_is_news)
{
	json_t *known = NULL;

	/* a change at each fourth visit: two of the last eight */
	for (int i = 0; i < 6; i++) {
		json_t *next = change_of(i % 2 == 0 ? TEAM("$20") : TEAM("$25"),
					 i % 2 == 0 ? TEAM("$25") : TEAM("$20"),
					 known, 3);

		ck_assert(text_change_is_news(next));
		json_decref(known);
		known = next;
	}
	json_decref(known);
}

TEST(what_was_volatile_is_news_after_quiet_visits)
{
	AUTO_JSON *known = visit_all(counters, 4);
	AUTO_JSON *change =
		change_of(counters[3], counters[0], known, CHANGE_VISITS);

	ck_assert(text_change_is_news(change));
}

TEST(many_changes_are_truncated)
{
	AUTO_BUFFER before = {0};
	AUTO_BUFFER after = {0};

	for (int i = 0; i < 3000; i++) {
		buffer_printf(&before, "<p>This is the old passage %d.</p>", i);
		buffer_printf(&after, "<p>And here is a fresh one %c%d.</p>",
			      'a' + i % 26, i);
	}
	AUTO_JSON *change = change_of(before.data, after.data, NULL, 0);

	ck_assert(json_is_true(json_object_get(change, "truncated")));
	ck_assert_uint_gt(json_array_size(json_object_get(change, "changes")),
			  10);
}

TEST(a_long_passage_is_cut_around_the_change)
{
	AUTO_BUFFER before = {0};
	AUTO_BUFFER after = {0};

	for (int i = 0; i < 300; i++) {
		buffer_printf(&before, "%s word%d", i == 0 ? "<p>" : "", i);
		buffer_printf(&after, "%s %s%d", i == 0 ? "<p>" : "",
			      i == 150 ? "term" : "word", i);
	}
	AUTO_JSON *change = change_of(before.data, after.data, NULL, 0);

	check_json(
		json_object_get(
			json_array_get(json_object_get(change, "changes"), 0),
			"after"),
		"\"\xE2\x80\xA6 word145 word146 word147 word148 word149 "
		"term150 word151 word152 word153 word154 word155 "
		"\xE2\x80\xA6\"");
}

TEST(unsound_changes_are_rejected)
{
	static const char *const texts[] = {
		"[]",
		("{\"changes\":[{\"before\":1,\"after\":null}],\"ignored\":0,"
		 "\"visits\":1,\"parts\":[]}"),
		"{\"changes\":[],\"ignored\":0,\"visits\":1,\"parts\":[\"x\"]}",
		"{\"changes\":[],\"ignored\":\"\",\"visits\":1,\"parts\":[]}",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		AUTO_JSON *value = json_read(slice_of(texts[i]));

		ck_assert(!text_change_is_sound(value));
	}
}
