/* Workers find, teach, change and apply the fields of a template. */
#include "daemon/privsep/messages.h"

#include <jansson.h>

#include "daemon/privsep/worker_process.h"
#include "template/fields/field_set.h"
#include "tests/unit/run.h"

enum { PAGES = 8 };

/* What a task answers. */
struct reply {
	struct fields_answer answer;
	struct buffer sets;
	json_t *description;
	json_t *records; /* array of objects, or null */
	json_t *report;
};

static struct buffer sets; /* of the template, after each change */
static struct reply reply;

static void reply_clear(void)
{
	buffer_free(&reply.sets);
	json_decref(reply.description);
	json_decref(reply.records);
	json_decref(reply.report);
	reply = (struct reply){0};
}

static void teardown(void)
{
	reply_clear();
	buffer_free(&sets);
}

/* A product; the prices of the shop are 10.95, 11.95 and so on. */
static void append_product(struct buffer *list, int number)
{
	char html[1024];

	snprintf(html, sizeof(html),
		 "<html><head><title>Thing %c%d</title></head><body>"
		 "<nav><a href=/>home</a></nav><main><h1>Thing %c%d</h1>"
		 "<p class=price>$1%d.95</p><table><tr><th>Weight:</th>"
		 "<td>%d kg</td></tr><tr><th>Maker:</th><td>Maker %c</td></tr>"
		 "</table></main><footer>Terms</footer></body></html>",
		 'A' + number, number, 'A' + number, number, number,
		 number * 7 + 1, 'S' - number);
	item_append(list, slice_of(html));
	item_append(list, slice_of("utf-8"));
	item_append(list, slice_of("http://a.test/tea/1"));
}

static void append_products(struct buffer *list)
{
	for (int i = 0; i < PAGES; i++)
		append_product(list, i);
}

static json_t *next_json(struct slice *list)
{
	struct slice item;
	json_t *value;

	ck_assert(item_next(list, &item));
	value = json_loadb(item.data, item.size, 0, NULL);
	return value == NULL ? json_null() : value;
}

static void read_reply(const struct message *answer, bool has_sets)
{
	struct slice body = buffer_slice(&answer->body);
	struct slice item;

	ck_assert(row_codec_decode(&fields_answer_layout,
				   buffer_slice(&answer->head), &reply.answer));
	reply.records = json_array();
	if (reply.answer.fault != FIELDS_NO_FAULT) {
		ck_assert_uint_eq(body.size, 0);
		return;
	}
	if (has_sets) {
		ck_assert(item_next(&body, &item));
		buffer_append_slice(&reply.sets, item);
		reply.description = next_json(&body);
		ck_assert(json_is_array(reply.description));
	}
	while (body.size > 0)
		json_array_append_new(reply.records, next_json(&body));
	if (has_sets) {
		size_t last = json_array_size(reply.records) - 1;

		reply.report = json_incref(json_array_get(reply.records, last));
		json_array_remove(reply.records, last);
	}
}

/* Run a task whose pages are the list. */
static enum error run_with(enum fields_action action, const char *detail,
			   struct slice pages)
{
	const struct fields_request request = {.limits = page_limits_default,
					       .action = action,
					       .max_fields = 20};
	struct buffer head = row_codec_encode(&fields_request_layout, &request);
	AUTO_BUFFER body = {0};
	struct task task = {.kind = TASK_FIELDS, .worker = worker_create()};
	struct message answer;
	enum error error;

	item_append(&body, buffer_slice(&sets));
	item_append(&body, slice_of(detail));
	buffer_append_slice(&body, pages);
	task.head = buffer_slice(&head);
	task.body = buffer_slice(&body);
	reply_clear();
	error = task_run(&task, &answer);
	if (error == ERR_NONE)
		read_reply(&answer, action != FIELDS_APPLY);
	message_free(&answer);
	buffer_free(&head);
	worker_destroy(task.worker);
	return error;
}

/* Run a task over the products; a change that has no fault stays. */
static enum fields_fault run(enum fields_action action, const char *detail)
{
	AUTO_BUFFER pages = {0};

	append_products(&pages);
	ASSERT_OK(run_with(action, detail, buffer_slice(&pages)));
	if (reply.answer.fault == FIELDS_NO_FAULT && action != FIELDS_APPLY) {
		buffer_clear(&sets);
		buffer_append_slice(&sets, buffer_slice(&reply.sets));
	}
	return (enum fields_fault)reply.answer.fault;
}

static enum fields_fault teach(const char *name, int page, const char *value)
{
	char detail[512];

	snprintf(detail, sizeof(detail),
		 "{\"lessons\":[{\"name\":\"%s\",\"examples\":[{\"page\":%d,"
		 "\"values\":[\"%s\"]}]}]}",
		 name, page, value);
	return run(FIELDS_TEACH, detail);
}

/* The description of a field; NULL if there is none. */
static const json_t *field_of(const char *name)
{
	const json_t *field;
	size_t i;

	json_array_foreach(reply.description, i, field)
	{
		if (strcmp(json_string_value(json_object_get(field, "name")),
			   name) == 0)
			return field;
	}
	return NULL;
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text == NULL ? "(none)" : text;
}

/* The value of a field on a page. */
static const char *value_of(size_t page, const char *name)
{
	return text_of(json_array_get(reply.records, page), name);
}

FIXTURE(.teardown = teardown, .timeout_s = 30);

TEST(a_taught_field_has_values_on_all_pages)
{
	const json_t *field;

	ck_assert_int_eq(teach("cost", 2, " $12.95  "), FIELDS_NO_FAULT);
	ck_assert_uint_gt(reply.answer.confidence, 0);
	ck_assert_uint_le(reply.answer.confidence, 1000);
	ck_assert_uint_eq(json_array_size(reply.records), PAGES);
	ck_assert_str_eq(value_of(0, "cost"), "$10.95");
	ck_assert_str_eq(value_of(7, "cost"), "$17.95");
	field = field_of("cost");
	ck_assert_str_eq(text_of(field, "type"), "price");
	ck_assert_str_eq(text_of(field, "origin"), "taught");
	ck_assert(json_is_false(json_object_get(field, "watched")));
}

TEST(a_label_tells_values_apart)
{
	ck_assert_int_eq(teach("weight", 1, "8 kg"), FIELDS_NO_FAULT);
	ck_assert_int_eq(teach("maker", 1, "Maker R"), FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(3, "weight"), "22 kg");
	ck_assert_str_eq(value_of(3, "maker"), "Maker P");
}

TEST(a_value_that_is_nowhere_is_a_fault_and_changes_nothing)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(teach("cost", 2, "no such thing"), FIELDS_NO_VALUE);
	ck_assert_int_eq(teach("cost", 3, "$12.95"), FIELDS_NO_VALUE);
	ck_assert_int_eq(run(FIELDS_EDIT, "{\"name\":\"cost\"}"),
			 FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(0, "cost"), "$10.95");
}

TEST(a_page_that_is_not_among_the_pages_is_a_fault)
{
	ck_assert_int_eq(teach("cost", PAGES, "$12.95"), FIELDS_NOT_PARSED);
	ck_assert_int_eq(teach("cost", -1, "$12.95"), FIELDS_NOT_PARSED);
}

TEST(examples_that_are_none_teach_nothing)
{
	static const char *const details[] = {
		"{\"lessons\":[{\"name\":\"a\",\"examples\":[]}]}",
		"{\"lessons\":[{\"name\":\"a\"}]}",
		"{\"lessons\":[{\"examples\":[{\"page\":0,\"values\":[\"x\"]}]}"
		"]}",
		"{\"lessons\":[{\"name\":\"a\",\"examples\":[{\"page\":0,"
		"\"values\":[\" \",7,null]}]}]}",
		"{\"lessons\":[7]}",
	};

	for (size_t i = 0; i < COUNT_OF(details); i++)
		ck_assert_int_eq(run(FIELDS_TEACH, details[i]),
				 FIELDS_NO_VALUE);
}

TEST(finding_replaces_what_was_found_and_keeps_what_was_taught)
{
	size_t count;

	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	count = json_array_size(reply.description);
	ck_assert_uint_gt(count, 2);
	ck_assert_str_eq(text_of(field_of("cost"), "origin"), "taught");
	ck_assert_str_eq(text_of(field_of("title"), "origin"), "found");
	ck_assert_str_eq(value_of(4, "title"), "Thing E4");
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_uint_eq(json_array_size(reply.description), count);
}

TEST(nothing_is_found_on_equal_pages)
{
	AUTO_BUFFER pages = {0};

	for (int i = 0; i < PAGES; i++)
		append_product(&pages, 1);
	ASSERT_OK(run_with(FIELDS_FIND, "{}", buffer_slice(&pages)));
	ck_assert_int_eq(reply.answer.fault, FIELDS_NONE_VARIES);
}

TEST(a_field_keeps_its_flags_when_it_is_taught_again)
{
	const json_t *field;

	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(run(FIELDS_EDIT, "{\"name\":\"cost\",\"watched\":true,"
					  "\"required\":true}"),
			 FIELDS_NO_FAULT);
	ck_assert_int_eq(teach("cost", 3, "$13.95"), FIELDS_NO_FAULT);
	ck_assert_uint_eq(json_array_size(reply.description), 1);
	field = field_of("cost");
	ck_assert(json_is_true(json_object_get(field, "watched")));
	ck_assert(json_is_true(json_object_get(field, "required")));
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"watched\":false}"),
		FIELDS_NO_FAULT);
	field = field_of("cost");
	ck_assert(json_is_false(json_object_get(field, "watched")));
	ck_assert(json_is_true(json_object_get(field, "required")));
}

TEST(a_field_that_is_renamed_or_watched_is_the_users)
{
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"title\",\"new_name\":\"what\"}"),
		FIELDS_NO_FAULT);
	ck_assert_ptr_null(field_of("title"));
	ck_assert_str_eq(text_of(field_of("what"), "origin"), "taught");
	ck_assert_str_eq(value_of(4, "what"), "Thing E4");
	/* and is not found again */
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_ptr_null(field_of("title"));
	ck_assert_str_eq(value_of(4, "what"), "Thing E4");
}

/* A page with reviews. */
static void append_reviewed(struct buffer *list, int number)
{
	char html[1024];

	snprintf(
		html, sizeof(html),
		"<title>Thing%c</title><h1>Thing%c</h1><ul class=reviews>"
		"<li><b class=author>Ann %d</b><p class=text>Good %d</p>"
		"<li><b class=author>Bob %d</b><p class=text>Bad %d</p>%s</ul>",
		'A' + number, 'A' + number, number, number, number, number,
		number % 2 == 0 ? "<li><b class=author>Cid</b>" : "");
	item_append(list, slice_of(html));
	item_append(list, slice_of("utf-8"));
	item_append(list, slice_of("http://a.test/"));
}

/* Run a task over pages with reviews; a change that has no fault stays. */
static enum fields_fault run_reviewed(enum fields_action action,
				      const char *detail)
{
	AUTO_BUFFER pages = {0};

	for (int i = 0; i < PAGES; i++)
		append_reviewed(&pages, i);
	ASSERT_OK(run_with(action, detail, buffer_slice(&pages)));
	if (reply.answer.fault == FIELDS_NO_FAULT && action != FIELDS_APPLY) {
		buffer_clear(&sets);
		buffer_append_slice(&sets, buffer_slice(&reply.sets));
	}
	return (enum fields_fault)reply.answer.fault;
}

/* Check the records of page 1 as JSON. */
static void check_records(const char *name, const char *wanted)
{
	char *text = json_dumps(
		json_object_get(json_array_get(reply.records, 1), name),
		JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	ck_assert_str_eq(text == NULL ? "" : text, wanted);
	free(text);
}

TEST(records_are_renamed_and_removed_with_their_fields)
{
	ck_assert_int_eq(run_reviewed(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_str_eq(text_of(field_of("reviews.author"), "parent"),
			 "reviews");
	ck_assert_str_eq(text_of(field_of("reviews"), "type"), "records");
	check_records("reviews", "[{\"author\":\"Ann 1\",\"text\":\"Good 1\"},"
				 "{\"author\":\"Bob 1\",\"text\":\"Bad 1\"}]");
	ck_assert_int_eq(run_reviewed(FIELDS_EDIT, "{\"name\":\"reviews.text\","
						   "\"new_name\":\"words\"}"),
			 FIELDS_NO_FAULT);
	ck_assert_int_eq(run_reviewed(FIELDS_EDIT, "{\"name\":\"reviews\","
						   "\"new_name\":\"said\"}"),
			 FIELDS_NO_FAULT);
	check_records("said", "[{\"author\":\"Ann 1\",\"words\":\"Good 1\"},"
			      "{\"author\":\"Bob 1\",\"words\":\"Bad 1\"}]");
	/* they are the user's, and are not found again */
	ck_assert_int_eq(run_reviewed(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_str_eq(text_of(field_of("said.author"), "origin"), "taught");
	ck_assert_ptr_null(field_of("reviews"));
	ck_assert_int_eq(run_reviewed(FIELDS_EDIT,
				      "{\"name\":\"said\",\"removed\":true}"),
			 FIELDS_NO_FAULT);
	ck_assert_ptr_null(field_of("said.author"));
	check_records("said", "");
}

TEST(finding_again_replaces_records)
{
	size_t count;

	ck_assert_int_eq(run_reviewed(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	count = json_array_size(reply.description);
	ck_assert_int_eq(run_reviewed(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_uint_eq(json_array_size(reply.description), count);
	ck_assert_ptr_nonnull(field_of("reviews.text"));
}

TEST(records_are_not_watched)
{
	ck_assert_int_eq(run_reviewed(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_int_eq(
		run_reviewed(FIELDS_EDIT,
			     "{\"name\":\"reviews\",\"watched\":true}"),
		FIELDS_OF_RECORDS);
	ck_assert_int_eq(run_reviewed(FIELDS_EDIT,
				      "{\"name\":\"reviews.author\","
				      "\"required\":true}"),
			 FIELDS_OF_RECORDS);
	ck_assert_int_eq(run_reviewed(FIELDS_APPLY, "{\"flat\":true}"),
			 FIELDS_NO_FAULT);
	check_records("reviews", "");
	check_records("title", "\"ThingB\"");
}

TEST(a_name_is_that_of_one_field)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(teach("maker", 1, "Maker R"), FIELDS_NO_FAULT);
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"new_name\":\"maker\"}"),
		FIELDS_NAME_IN_USE);
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"new_name\":\"cost\"}"),
		FIELDS_NO_FAULT);
	ck_assert_int_eq(run(FIELDS_EDIT, "{\"name\":\"none\"}"),
			 FIELDS_NO_FIELD);
	ck_assert_int_eq(run(FIELDS_EDIT, "{}"), FIELDS_NO_FIELD);
}

TEST(the_last_field_leaves_no_set)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(teach("maker", 1, "Maker R"), FIELDS_NO_FAULT);
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"removed\":true}"),
		FIELDS_NO_FAULT);
	ck_assert_ptr_null(field_of("cost"));
	ck_assert_str_eq(value_of(1, "maker"), "Maker R");
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"maker\",\"removed\":true}"),
		FIELDS_NO_FAULT);
	ck_assert_uint_eq(sets.size, 0);
	ck_assert_uint_eq(json_array_size(reply.description), 0);
}

TEST(a_page_that_cannot_be_parsed_has_no_record)
{
	static const char binary[16] = "GIF89a";
	AUTO_BUFFER pages = {0};

	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	append_product(&pages, 1);
	item_append(&pages, (struct slice){binary, sizeof(binary)});
	item_append(&pages, (struct slice){"", 0});
	item_append(&pages, (struct slice){"", 0});
	append_product(&pages, 3);
	ASSERT_OK(run_with(FIELDS_APPLY, "{}", buffer_slice(&pages)));
	ck_assert_uint_eq(json_array_size(reply.records), 3);
	ck_assert_str_eq(value_of(0, "cost"), "$11.95");
	ck_assert(json_is_null(json_array_get(reply.records, 1)));
	ck_assert_str_eq(value_of(2, "cost"), "$13.95");
}

TEST(a_template_has_limited_fields)
{
	char name[16];
	int count = 0;

	for (; count < 200; count++) {
		snprintf(name, sizeof(name), "f%d", count);
		if (teach(name, 2, "$12.95") != FIELDS_NO_FAULT)
			break;
	}
	ck_assert_int_eq(reply.answer.fault, FIELDS_TOO_MANY);
	ck_assert_int_eq(count, MAX_SET_FIELDS < 64 ? MAX_SET_FIELDS : 64);
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_TOO_MANY);
	/* the last one can be taught again */
	snprintf(name, sizeof(name), "f%d", count - 1);
	ck_assert_int_eq(teach(name, 2, "$12.95"), FIELDS_NO_FAULT);
}

TEST(damaged_sets_are_a_fault_until_fields_are_found)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	sets.data[sets.size / 2] = (char)~sets.data[sets.size / 2];
	sets.size -= 3;
	ck_assert_int_eq(run(FIELDS_APPLY, "{}"), FIELDS_DAMAGED);
	ck_assert_int_eq(run(FIELDS_EDIT, "{\"name\":\"cost\"}"),
			 FIELDS_DAMAGED);
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_DAMAGED);
	ck_assert_int_eq(run(FIELDS_FIND, "{}"), FIELDS_NO_FAULT);
	ck_assert_ptr_nonnull(field_of("title"));
}

TEST(what_is_no_request_is_malformed)
{
	struct slice none = {NULL, 0};

	ck_assert_int_eq(run_with(FIELDS_ACTIONS, "{}", none), ERR_MALFORMED);
	ck_assert_int_eq(run_with(FIELDS_APPLY, "[]", none), ERR_MALFORMED);
	ck_assert_int_eq(run_with(FIELDS_APPLY, "{", none), ERR_MALFORMED);
}

static const struct name_row_case {
	const char *name;
	bool is_valid;
} names[] = {
	{"price", true},
	{"Unit price", true},
	{"Preis (\xE2\x82\xAC)", true},
	{"\xE5\x83\xB9\xE6\xA0\xBC", true},
	{"=1+1", true}, /* no formula in CSV: see csv_append_cell() */
	{"a_b", true},
	{"1234567890123456789012345678901234567890"
	 "1234567890123456789012345678901234567890",
	 true},
	{"1234567890123456789012345678901234567890"
	 "12345678901234567890123456789012345678901",
	 false},
	{"", false},
	{"_unsure", false},
	{" price", false},
	{"price ", false},
	{"two  blanks", false},
	{"a\nb", false},
	{"a\tb", false},
	{"a\x1B[31mb", false},
	{"a\x7F", false},
	{"a\xC2\x9B"
	 "b",
	 false}, /* a control character of Latin 1 */
	{"a\xE2\x80\x8E"
	 "b",
	 false}, /* left to right */
	{"a\xE2\x80\x8B"
	 "b",
	 false}, /* without width */
	{"a\xFF", false},
};

TEST_ROWS(a_name_shows_what_it_is, names)
{
	ck_assert_int_eq(field_name_is_valid(slice_of(names[_i].name)),
			 names[_i].is_valid);
}

/* A label with a byte that is no UTF-8: the name has no U+FFFD. */
TEST(names_of_found_fields_are_clean)
{
	AUTO_BUFFER pages = {0};
	const json_t *field;
	size_t i;

	for (int k = 0; k < PAGES; k++) {
		char html[256];

		snprintf(html, sizeof(html),
			 "<html><body><h1>Thing %d</h1><dl><dt>Gr\xFFower"
			 "\xEF\xBB\xBF:</dt><dd>Mill "
			 "%c%d</dd></dl></body></html>",
			 k, 'A' + k, k * 3);
		item_append(&pages, slice_of(html));
		item_append(&pages, slice_of("utf-8"));
		item_append(&pages, slice_of("http://a.test/"));
	}
	ASSERT_OK(run_with(FIELDS_FIND, "{}", buffer_slice(&pages)));
	ck_assert_int_eq(reply.answer.fault, FIELDS_NO_FAULT);
	json_array_foreach(reply.description, i, field)
	{
		ck_assert(
			field_name_is_valid(slice_of(text_of(field, "name"))));
	}
	ck_assert_ptr_nonnull(field_of("grower"));
}

TEST(a_selector_teaches_a_field)
{
	ck_assert_int_eq(run(FIELDS_TEACH, "{\"lessons\":[{\"name\":\"cost\","
					   "\"selector\":\"main > .price\"}]}"),
			 FIELDS_NO_FAULT);
	ck_assert_uint_eq(reply.answer.confidence, 1000);
	ck_assert_str_eq(value_of(7, "cost"), "$17.95");
	ck_assert_int_eq(run(FIELDS_TEACH, "{\"lessons\":[{\"name\":\"cost\","
					   "\"selector\":\".none\"}]}"),
			 FIELDS_UNSELECTED);
	ck_assert_int_eq(run(FIELDS_TEACH, "{\"lessons\":[{\"name\":\"cost\","
					   "\"selector\":\"p[\"}]}"),
			 FIELDS_UNSELECTED);
	ck_assert_int_eq(run(FIELDS_TEACH, "{\"lessons\":[{\"name\":\"cost\","
					   "\"selector\":\"h1, .price\"}]}"),
			 FIELDS_NOT_PLACE);
}

TEST(an_excluded_value_excludes_its_place)
{
	ck_assert_int_eq(
		run(FIELDS_TEACH,
		    "{\"lessons\":[{\"name\":\"cost\",\"examples\":[{\"page\":"
		    "2,"
		    "\"values\":[\"$12.95\"]}],\"not\":[\"$13.95\"]}]}"),
		FIELDS_EXCLUDED);
	ck_assert_int_eq(
		run(FIELDS_TEACH,
		    "{\"lessons\":[{\"name\":\"cost\",\"examples\":[{\"page\":"
		    "2,"
		    "\"values\":[\"$12.95\"]}],\"not\":[\"$99.95\"]}]}"),
		FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(3, "cost"), "$13.95");
}

TEST(values_are_transformed)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	ck_assert_int_eq(run(FIELDS_EDIT,
			     "{\"name\":\"cost\",\"transform\":\"number\"}"),
			 FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(3, "cost"), "13.95");
	ck_assert_str_eq(text_of(field_of("cost"), "type"), "number");
	ck_assert_str_eq(text_of(field_of("cost"), "transform"), "number");
	/* the transform stays when the field is taught again */
	ck_assert_int_eq(teach("cost", 3, "$13.95"), FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(4, "cost"), "14.95");
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"transform\":\"date\"}"),
		FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(3, "cost"), "(none)");
	ck_assert_str_eq(
		json_string_value(json_array_get(
			json_object_get(json_array_get(reply.records, 3),
					"_unsure"),
			0)),
		"cost");
	ck_assert_int_eq(
		run(FIELDS_EDIT, "{\"name\":\"cost\",\"transform\":\"none\"}"),
		FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(3, "cost"), "$13.95");
}

TEST(a_url_is_resolved_against_the_page)
{
	ck_assert_int_eq(run(FIELDS_TEACH,
			     "{\"lessons\":[{\"name\":\"home\",\"selector\":"
			     "\"nav a::attr(href)\",\"transform\":\"url\"}]}"),
			 FIELDS_NO_FAULT);
	ck_assert_str_eq(value_of(0, "home"), "http://a.test/");
	ck_assert_str_eq(text_of(field_of("home"), "type"), "url");
}

/* Check whether a page with a known cost shows it in a text. */
static void check_shown(const char *html, const char *known, bool is_shown)
{
	AUTO_BUFFER pages = {0};
	char detail[100];

	item_append(&pages, slice_of(html));
	item_append(&pages, slice_of("utf-8"));
	item_append(&pages, slice_of(""));
	snprintf(detail, sizeof(detail), "{\"known\":[{\"cost\":\"%s\"}]}",
		 known);
	ASSERT_OK(run_with(FIELDS_APPLY, detail, buffer_slice(&pages)));
	ck_assert_int_eq(json_object_get(json_array_get(reply.records, 0),
					 "_shown") != NULL,
			 is_shown);
}

TEST(a_known_value_that_was_transformed_is_found_in_the_text)
{
	ck_assert_int_eq(teach("cost", 2, "$12.95"), FIELDS_NO_FAULT);
	check_shown("<p>$1,234.50", "1234.50", false);
	ck_assert_int_eq(run(FIELDS_EDIT,
			     "{\"name\":\"cost\",\"transform\":\"number\"}"),
			 FIELDS_NO_FAULT);
	check_shown("<p>$1,234.50", "1234.50", true);
	check_shown("<p>$1,234.60", "1234.50", false);
}

TEST(fields_like_those_of_another_template_are_added)
{
	ck_assert_int_eq(
		run(FIELDS_LIKE,
		    "{\"like\":[{\"name\":\"amount\",\"shown_type\":\"price\"},"
		    "{\"name\":\"grams\",\"shown_type\":\"number\",\"label\":"
		    "\"Weight\",\"transform\":\"number\"},"
		    "{\"name\":\"isbn\",\"shown_type\":\"number\"},7,"
		    "{\"name\":\"_a\",\"shown_type\":\"price\"}]}"),
		FIELDS_NO_FAULT);
	ck_assert_uint_eq(json_array_size(reply.description), 2);
	ck_assert_str_eq(value_of(3, "amount"), "$13.95");
	ck_assert_str_eq(value_of(3, "grams"), "22");
	ck_assert_uint_eq(
		json_object_size(json_object_get(reply.report, "likeness")), 2);
	/* what the template has is not added again */
	ck_assert_int_eq(run(FIELDS_LIKE, "{\"like\":[{\"name\":\"amount\","
					  "\"shown_type\":\"price\"}]}"),
			 FIELDS_NONE_ALIKE);
	ck_assert_int_eq(
		run(FIELDS_LIKE,
		    "{\"like\":[{\"name\":\"maker\",\"shown_type\":\"text\"},"
		    "{\"name\":\"title\",\"shown_type\":\"text\"}],"
		    "\"names\":[\"maker\"]}"),
		FIELDS_NO_FAULT);
	ck_assert_uint_eq(json_array_size(reply.description), 3);
	ck_assert_int_eq(run(FIELDS_LIKE, "{}"), FIELDS_NONE_ALIKE);
}
