/* The public interface, as a program uses it. */
#include "template/templated.h"

#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/run.h"
#include "tests/unit/template/small_site.h"

static struct buffer file;
static struct templated_bundle *bundle;
static struct templated_error error;

static void setup(void)
{
	file = (struct buffer){0};
	small_bundle(&file);
	bundle = templated_open_memory(file.data, file.size, NULL, &error);
	ck_assert_msg(bundle != NULL, "%s", error.message);
	ck_assert_int_eq(error.code, TEMPLATED_OK);
}

static void teardown(void)
{
	templated_close(bundle);
	buffer_free(&file);
}

/* Page `number` of the small site; free() the bytes. */
static struct templated_page page_of(unsigned number, const char *url)
{
	struct buffer html = {0};

	small_page(&html, number);
	return (struct templated_page){
		.bytes = html.data, .size = html.size, .url = url};
}

static struct templated_answer *extract(unsigned number,
					const struct templated_options *options)
{
	struct templated_page page = page_of(number, "http://a.test/new");
	struct templated_answer *answer =
		templated_extract(bundle, &page, options, &error);

	free((void *)page.bytes);
	return answer;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(an_answer_says_what_it_is)
{
	struct templated_answer *answer =
		extract(9, &(struct templated_options){.method = "df"});

	ck_assert_ptr_nonnull(answer);
	ck_assert_str_eq(templated_text(answer),
			 "Heading 9\n\nThis is the text of page 9, which has a "
			 "few more words than the menu.\n");
	ck_assert_uint_eq(templated_text_size(answer),
			  strlen(templated_text(answer)));
	ck_assert_str_eq(templated_answer_method(answer), "df");
	ck_assert_str_eq(templated_answer_reason(answer),
			 "template: cluster of 5 pages");
	ck_assert_str_eq(templated_answer_template(answer), "a.test/1");
	ck_assert(templated_answer_has_template(answer));
	ck_assert_str_eq(templated_answer_quality(answer), "ok");
	ck_assert(isnan(templated_answer_confidence(answer)));
	ck_assert_str_eq(templated_metadata(answer, "title", 0), "Heading 9");
	ck_assert_ptr_null(templated_metadata(answer, "title", 1));
	ck_assert_ptr_null(templated_metadata(answer, "author", 0));
	ck_assert_ptr_null(templated_metadata(answer, "colour", 0));
	templated_free(answer);
}

TEST(facts_are_told_whatever_the_format)
{
	struct templated_answer *answer =
		extract(9, &(struct templated_options){.format = "md",
						       .with = "front-matter"});
	struct templated_answer *json =
		extract(9, &(struct templated_options){.format = "json"});

	ck_assert_int_eq(strncmp(templated_text(answer), "---\ntitle: ", 11),
			 0);
	ck_assert_str_eq(templated_metadata(answer, "title", 0), "Heading 9");
	ck_assert_str_eq(templated_fact(answer, "hostname"), "a.test");
	ck_assert_str_eq(templated_fact(answer, "direction"), "ltr");
	ck_assert_str_eq(templated_fact(answer, "word_count"),
			 templated_fact(json, "word_count"));
	ck_assert_str_eq(templated_fact(answer, "fingerprint"),
			 templated_fact(json, "fingerprint"));
	ck_assert_str_eq(templated_fact(answer, "excerpt"),
			 templated_fact(json, "excerpt"));
	ck_assert_ptr_null(templated_fact(answer, "colour"));
	ck_assert_str_eq(templated_metadata(answer, "title", 0), "Heading 9");
	templated_free(answer);
	templated_free(json);
	ck_assert_ptr_null(
		extract(9, &(struct templated_options){.with = "colours"}));
	ck_assert_int_eq(error.code, TEMPLATED_MALFORMED);
}

TEST(a_page_is_answered_without_a_bundle)
{
	const struct templated_options options = {.method = "plain"};
	struct templated_page page = page_of(9, "http://a.test/new");
	struct templated_answer *answer =
		templated_extract(NULL, &page, NULL, &error);

	ck_assert_ptr_nonnull(answer);
	ck_assert_str_eq(templated_answer_method(answer), "auto");
	ck_assert_str_eq(templated_answer_template(answer), "");
	ck_assert(!templated_answer_has_template(answer));
	ck_assert_str_eq(templated_metadata(answer, "title", 0), "Heading 9");
	ck_assert_str_eq(templated_fact(answer, "hostname"), "a.test");
	templated_free(answer);
	answer = templated_extract(NULL, &page, &options, &error);
	ck_assert_ptr_nonnull(strstr(templated_text(answer), "page 9"));
	templated_free(answer);
	free((void *)page.bytes);
}

TEST(a_method_of_templates_needs_a_bundle)
{
	const struct templated_options options = {.method = "sst"};
	const struct templated_page page = {.bytes = "<p>a", .size = 4};

	ck_assert_ptr_null(templated_extract(NULL, &page, &options, &error));
	ck_assert_int_eq(error.code, TEMPLATED_NO_TEMPLATE);
}

TEST(an_answer_outlives_its_bundle)
{
	struct templated_answer *answer =
		extract(9, &(struct templated_options){.format = "json"});

	templated_close(bundle);
	bundle = NULL;
	ck_assert_ptr_nonnull(
		strstr(templated_text(answer), "\"cluster\":\"a.test/1\""));
	ck_assert_ptr_nonnull(strstr(templated_text(answer), "\"blocks\":["));
	ck_assert_str_eq(templated_metadata(answer, "title", 0), "Heading 9");
	templated_free(answer);
}

TEST(a_page_is_classed)
{
	struct templated_page page = page_of(9, NULL);
	struct templated_class class;

	ck_assert(templated_classify(bundle, &page, &class, &error));
	ck_assert_str_eq(class.id, "a.test/1");
	ck_assert_uint_eq(class.pages, 4);
	ck_assert_double_eq(class.distance, 0);
	ck_assert_double_eq(class.reach, 0.5);
	ck_assert_double_eq(class.confidence, 1);
	page.url = "http://b.test/";
	ck_assert(templated_classify(bundle, &page, &class, NULL));
	ck_assert_str_eq(class.id, "");
	ck_assert_double_eq(class.confidence, 0);
	free((void *)page.bytes);
}

TEST(a_page_has_fields)
{
	struct templated_page page = page_of(9, "http://a.test/new");
	struct templated_record *record =
		templated_fields(bundle, &page, &error);
	struct templated_field field;

	ck_assert_ptr_nonnull(record);
	templated_close(bundle); /* a record outlives its bundle */
	bundle = NULL;
	ck_assert_str_eq(templated_record_template(record), "a.test/1");
	ck_assert(templated_field(record, 0, &field));
	ck_assert_str_eq(field.name, "heading");
	ck_assert_str_eq(field.type, "text");
	ck_assert_uint_eq(field.count, 1);
	ck_assert_str_eq(field.values[0], "Heading 9");
	ck_assert(!field.is_unsure);
	ck_assert(!templated_field(record, 1, &field));
	templated_record_free(record);
	templated_record_free(NULL);
	free((void *)page.bytes);
}

TEST(the_page_of_an_answer_has_fields)
{
	struct templated_answer *answer = extract(9, NULL);
	struct templated_record *record =
		templated_answer_fields(bundle, answer);
	struct templated_field field;

	ck_assert_str_eq(templated_record_template(record), "a.test/1");
	ck_assert(templated_field(record, 0, &field));
	templated_free(answer); /* a record outlives the answer */
	ck_assert_str_eq(field.values[0], "Heading 9");
	templated_record_free(record);
	answer = extract(SMALL_TABLE, NULL); /* its template has no fields */
	record = templated_answer_fields(bundle, answer);
	ck_assert(!templated_field(record, 0, &field));
	templated_record_free(record);
	templated_free(answer);
}

static void check_date(const char *text, const char *wanted)
{
	char iso[TEMPLATED_DATE_BYTES] = "";
	bool is_date = templated_date(text, iso);

	ck_assert_str_eq(is_date ? iso : "", wanted);
}

TEST(a_date_is_read_if_it_is_unambiguous)
{
	check_date("6 May 2024", "2024-05-06");
	check_date("le 6 mai 2024", "2024-05-06");
	check_date("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z");
	check_date("5/13/2024", "2024-05-13");
	check_date("5/5/2024", "2024-05-05");
	check_date("5/6/2024", "");
	check_date("May", "");
	check_date("", "");
}

static void check_number(const char *text, bool is_price, const char *wanted)
{
	char number[TEMPLATED_NUMBER_BYTES] = "";
	bool is_number = templated_number(text, is_price, number);

	ck_assert_str_eq(is_number ? number : "", wanted);
}

TEST(a_number_is_read_if_it_is_unambiguous)
{
	check_number("1.234,50 \u20ac", true, "1234.50");
	check_number("$1,234", true, "1234");
	check_number("1,234", false, "");
	check_number("7 of 9", false, "");
}

TEST(a_page_without_template_has_no_fields)
{
	struct templated_page page = page_of(9, "http://b.test/");
	struct templated_record *record =
		templated_fields(bundle, &page, &error);
	struct templated_field field;

	ck_assert_ptr_nonnull(record);
	ck_assert_str_eq(templated_record_template(record), "");
	ck_assert(!templated_field(record, 0, &field));
	templated_record_free(record);
	page.url = "mailto:a@b";
	ck_assert_ptr_null(templated_fields(bundle, &page, &error));
	ck_assert_int_eq(error.code, TEMPLATED_MALFORMED);
	free((void *)page.bytes);
	page = (struct templated_page){"\x89PNG\r\n\x1a\n\0\0\0", 12, NULL,
				       NULL};
	ck_assert_ptr_null(templated_fields(bundle, &page, &error));
	ck_assert_int_eq(error.code, TEMPLATED_NOT_HTML);
}

static void check_refused(const struct templated_options *options,
			  enum templated_code code, const char *message)
{
	ck_assert_ptr_null(extract(4, options));
	ck_assert_int_eq(error.code, code);
	ck_assert_msg(strstr(error.message, message) != NULL, "%s",
		      error.message);
}

/* The parameters are those of the named method. */
TEST(df_gives_way_to_the_page_alone)
{
	const char *const good[] = {"max_ratio=0.5", NULL};
	const char *const wrong[] = {"threshold=0.5", NULL};
	struct templated_answer *answer =
		extract(4, &(struct templated_options){.method = "df",
						       .parameters = good});

	ck_assert_str_eq(templated_answer_method(answer), "auto");
	ck_assert(!templated_answer_has_template(answer));
	ck_assert_ptr_nonnull(strstr(templated_answer_reason(answer),
				     "by auto instead of df"));
	templated_free(answer);
	check_refused(&(struct templated_options){.method = "df",
						  .parameters = wrong},
		      TEMPLATED_MALFORMED, "max_ratio");
}

TEST(what_is_wrong_is_told)
{
	struct templated_page page = {"\x89PNG\r\n\x1a\n\0\0\0", 12, NULL,
				      NULL};
	const char *const parameters[] = {"threshold=x", NULL};

	check_refused(&(struct templated_options){.method = "magic"},
		      TEMPLATED_NOT_FOUND, "no such method");
	check_refused(&(struct templated_options){.method = "sst"},
		      TEMPLATED_NO_TEMPLATE, "sst");
	check_refused(&(struct templated_options){.format = "pdf"},
		      TEMPLATED_MALFORMED, "format");
	check_refused(&(struct templated_options){.favor = "speed"},
		      TEMPLATED_MALFORMED, "favor");
	check_refused(&(struct templated_options){.scope = "site"},
		      TEMPLATED_MALFORMED, "scope is not one of body, page");
	check_refused(
		&(struct templated_options){.method = "plain", .scope = "page"},
		TEMPLATED_MALFORMED, "plain cannot be given a scope");
	check_refused(&(struct templated_options){.include = "::"},
		      TEMPLATED_MALFORMED, "include");
	check_refused(&(struct templated_options){.parameters = parameters},
		      TEMPLATED_MALFORMED, "threshold");
	ck_assert_ptr_null(templated_extract(bundle, &page, NULL, &error));
	ck_assert_int_eq(error.code, TEMPLATED_NOT_HTML);
	page.url = "mailto:a@b";
	ck_assert_ptr_null(templated_extract(bundle, &page, NULL, &error));
	ck_assert_int_eq(error.code, TEMPLATED_MALFORMED);
	ck_assert_ptr_null(templated_extract(bundle, &page, NULL, NULL));
}

TEST(a_malformed_bundle_is_reported)
{
	const struct templated_limits limits = {.max_unpacked_bytes = 100};

	ck_assert_ptr_null(templated_open("/nowhere/x.tpl", NULL, &error));
	ck_assert_int_eq(error.code, TEMPLATED_NOT_FOUND);
	ck_assert_str_eq(error.message, "/nowhere/x.tpl: not found");
	ck_assert_ptr_null(templated_open_memory(NULL, 0, NULL, &error));
	ck_assert_int_eq(error.code, TEMPLATED_CORRUPT);
	ck_assert_ptr_null(
		templated_open_memory(file.data, file.size, &limits, &error));
	ck_assert_int_eq(error.code, TEMPLATED_TOO_LARGE);
	file.data[8] = 9;
	ck_assert_ptr_null(
		templated_open_memory(file.data, file.size, NULL, &error));
	ck_assert_int_eq(error.code, TEMPLATED_OTHER_FORMAT);
	templated_close(NULL);
	templated_free(NULL);
}

TEST(a_bundle_is_opened_from_a_file)
{
	char path[] = "/tmp/test_templated.XXXXXX";
	int descriptor = mkstemp(path);
	struct templated_bundle *other;

	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	ASSERT_OK(file_write(path, buffer_slice(&file)));
	other = templated_open(path, NULL, &error);
	ck_assert_ptr_nonnull(other);
	ck_assert_str_eq(templated_describe(other), templated_describe(bundle));
	templated_close(other);
	unlink(path);
}

TEST(a_bundle_says_what_it_is)
{
	const char *text = templated_describe(bundle);

	ck_assert_ptr_nonnull(strstr(text, "\"site\":\"a.test\""));
	ck_assert_ptr_nonnull(strstr(text, "\"threshold\":0.25,"));
	ck_assert_ptr_nonnull(strstr(
		text, "{\"name\":\"page \xC2\xB7 "
		      "/*\",\"id\":\"a.test/1\",\"pages\":4,\"learned\":true,"
		      "\"version\":3,\"fields\":[{\"name\":\"heading\","
		      "\"type\":\"text\","));
	ck_assert_ptr_nonnull(strstr(text,
				     "{\"name\":null,\"id\":\"a.test/"
				     "2\",\"pages\":1,\"learned\":false,"
				     "\"version\":null,\"fields\":null}"));
	ck_assert_str_eq(templated_template(bundle, "a.test/1"),
			 "{\"format\":1}");
	ck_assert_ptr_null(templated_template(bundle, "a.test/2"));
	ck_assert_ptr_null(templated_template(bundle, "a.test/9"));
	ck_assert_ptr_null(templated_template(bundle, "a.test/"));
	ck_assert_ptr_null(templated_template(bundle, "a.test/1x"));
	ck_assert_ptr_null(templated_template(bundle, "b.test/1"));
	ck_assert_ptr_null(templated_template(bundle, ""));
}

/* Of a thread with another point, if there is such a locale here. */
TEST(the_locale_does_not_matter)
{
	const char *const parameters[] = {"threshold=0.5", NULL};
	const struct templated_options options = {.method = "accb",
						  .parameters = parameters};
	struct templated_answer *before = extract(9, &options);
	locale_t locale = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
	struct templated_answer *after;

	if (locale == (locale_t)0)
		locale = newlocale(LC_ALL_MASK, "", (locale_t)0);
	uselocale(locale);
	after = extract(9, &options);
	ck_assert(uselocale(LC_GLOBAL_LOCALE) == locale);
	freelocale(locale);
	ck_assert_ptr_nonnull(before);
	ck_assert_ptr_nonnull(after);
	ck_assert_str_eq(templated_text(before), templated_text(after));
	templated_free(before);
	templated_free(after);
}

/* How many there are; *method_out is that of the name. */
static size_t find_method(const char *name, struct templated_method *method_out)
{
	struct templated_method method;
	size_t count = 0;

	while (templated_method(count, &method)) {
		if (strcmp(method.name, name) == 0)
			*method_out = method;
		count++;
	}
	return count;
}

TEST(the_methods_are_listed)
{
	struct templated_method method = {0};

	ck_assert_uint_gt(find_method("df", &method), 20);
	ck_assert_str_eq(method.name, "df");
	ck_assert_ptr_nonnull(method.summary);
	ck_assert_ptr_nonnull(method.source);
	ck_assert(method.needs_template);
	find_method("auto", &method);
	ck_assert(!method.needs_template);
	ck_assert_str_eq(templated_version(), "0.1.0");
}
