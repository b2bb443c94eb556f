#include "page/json_ld.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static struct json_ld read(struct arena *arena, const char *text)
{
	return json_ld_read(arena, slice_of(text));
}

/* The text of `key` in object 0 of `text` is `value`. */
static void check_value(const char *text, const char *key, const char *value)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld = read(arena, text);

	ck_assert_uint_ge(ld.object_count, 1);
	check_slice(json_ld_text(&ld, 0, key), value);
}

TEST(objects_and_arrays_are_flat)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld =
		read(arena, "{\"@type\":\"http://schema.org/Article\","
			    "\"author\":[{\"name\":\"A\"},\"B\"],"
			    "\"n\":12,\"image\":{\"url\":\"u\"}}");
	const struct json_ld_field *author;

	ck_assert_uint_eq(ld.object_count, 3);
	check_slice(json_ld_type(&ld, 0), "Article");
	author = json_ld_find(&ld, 0, "author");
	ck_assert_uint_eq(author->kind, JSON_LD_OBJECT);
	ck_assert_uint_eq(author->object, 1);
	check_slice(json_ld_text(&ld, 1, "name"), "A");
	author = json_ld_next(&ld, author);
	check_slice(author->text, "B");
	ck_assert_ptr_null(json_ld_next(&ld, author));
	ck_assert_uint_eq(json_ld_find(&ld, 0, "n")->kind, JSON_LD_WORD);
	check_slice(json_ld_find(&ld, 0, "n")->text, "12");
	check_slice(ld.objects[2].key, "image");
	ck_assert_uint_eq(ld.objects[2].parent, 0);
	check_slice(json_ld_text(&ld, 2, "url"), "u");
}

TEST(arrays_in_arrays_are_one_list)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld = read(arena, "{\"a\":[[\"x\",[\"y\"]],\"z\"],"
					"\"b\":\"w\"}");
	const struct json_ld_field *field = json_ld_find(&ld, 0, "a");

	check_slice(field->text, "x");
	field = json_ld_next(&ld, field);
	check_slice(field->text, "y");
	field = json_ld_next(&ld, field);
	check_slice(field->text, "z");
	ck_assert_ptr_null(json_ld_next(&ld, field));
	check_slice(json_ld_text(&ld, 0, "b"), "w");
}

TEST(several_types_are_each_found)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld =
		read(arena, "{\"@type\":[\"WebPage\",\"schema:FAQPage\"]}");

	check_slice(json_ld_type(&ld, 0), "WebPage");
	ck_assert(json_ld_is(&ld, 0, "FAQPage"));
	ck_assert(!json_ld_is(&ld, 0, "Article"));
}

TEST(escapes_and_entities_are_decoded)
{
	check_value("{\"a\":\"\\\"\\\\\\/\\n\\u00e9\\u20AC\"}", "a",
		    "\"\\/\n\xC3\xA9\xE2\x82\xAC");
	/* U+1F600 as two units, and each unit without the other */
	check_value("{\"a\":\"\\ud83d\\ude00\"}", "a", "\xF0\x9F\x98\x80");
	check_value("{\"a\":\"\\uD800\\uDC00\"}", "a", "\xF0\x90\x80\x80");
	check_value("{\"a\":\"\\ud83d-\\ude00\"}", "a",
		    "\xEF\xBF\xBD-\xEF\xBF\xBD");
	check_value("{\"a\":\"\\u0000\\u12g4\\x\"}", "a", "\xEF\xBF\xBDu12g4x");
	check_value("{\"a\":\"Q&amp;A &#8217;\"}", "a", "Q&A \xE2\x80\x99");
}

TEST(what_the_web_writes_is_read)
{
	check_value("<!-- {\"a\":\"1\"} -->", "a", "1");
	check_value("//<![CDATA[\n{\"a\":\"1\"}\n//]]>", "a", "1");
	check_value("/* x */{/* {\"b\":2} */\"a\":\"1\"}", "a", "1");
	check_value("{\"a\":\"1\",}", "a", "1");
	check_value("{\"a\":[\"1\",],\"b\":\"2\",}", "b", "2");
	check_value("{\"x\":1 \"a\":\"1\"}", "a", "1");
	check_value("{\"x\":\"1\"\n\"a\":\"1\"}", "a", "1");
	check_value("{\"a\":\"one\ntwo\"}", "a", "one\ntwo");
	check_value("{\"a\":\"say \"hi\" now\",\"b\":\"2\"}", "a",
		    "say \"hi\" now");
	check_value("{&quot;a&quot;:&quot;1&quot;}", "a", "1");
	check_value("{\"a\":[{\"b\":1},\"x\"},\"c\":2}", "c", "");
}

TEST(what_is_cut_keeps_what_was_read)
{
	check_value("{\"a\":\"1\",\"b\":{\"c\":[", "a", "1");
	check_value("{\"a\":\"1", "a", "1");
	check_value("{\"a\":\"1\\", "a", "1\\");
	check_value("{\"a\":\"1\",\"b", "a", "1");
	check_value("]}]{\"a\":\"1\"", "a", "1");
}

TEST(a_bracket_of_another_kind_closes_inner_ones)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld = read(arena, "[{\"a\":\"1\"],[{\"a\":\"2\"}]");

	ck_assert_uint_eq(ld.object_count, 2);
	ck_assert_uint_eq(ld.objects[1].parent, NO_OBJECT);
	check_slice(json_ld_text(&ld, 1, "a"), "2");
}

TEST(nothing_is_nothing)
{
	AUTO_ARENA *arena = arena_create();
	struct json_ld ld = json_ld_read(arena, (struct slice){NULL, 0});

	ck_assert_uint_eq(ld.object_count, 0);
	ld = read(arena, "\"a\" 1 null ,:;");
	ck_assert_uint_eq(ld.object_count, 0);
	ck_assert_uint_eq(ld.field_count, 0);
	ld = json_ld_read(arena, (struct slice){"{\"a\":\"\0\"}\0", 10});
	ck_assert_uint_eq(ld.object_count, 1);
	ck_assert_uint_eq(json_ld_text(&ld, 0, "a").size, 1);
}

static struct json_ld read_repeated(struct arena *arena, struct buffer *text,
				    const char *piece, int times)
{
	buffer_clear(text);
	for (int i = 0; i < times; i++)
		buffer_append_text(text, piece);
	return json_ld_read(arena, buffer_slice(text));
}

TEST(limits_hold)
{
	AUTO_ARENA *arena = arena_create();
	AUTO_BUFFER text = {0};
	struct json_ld ld;

	/* The innermost of 65 is too deep; everything after it is read. */
	ld = read_repeated(arena, &text, "{\"a\":", 65);
	ck_assert_uint_eq(ld.object_count, JSON_LD_DEPTH);
	for (int i = 0; i < 65; i++)
		buffer_append_text(&text, i == 64 ? ",\"b\":\"1\"}" : "}");
	ld = json_ld_read(arena, buffer_slice(&text));
	check_slice(json_ld_text(&ld, 0, "b"), "1");
	ld = read_repeated(arena, &text, "[", 200000);
	ck_assert_uint_eq(ld.object_count, 0);
	ld = read_repeated(arena, &text, "{\"a\":1}", 30000);
	ck_assert_uint_eq(ld.object_count, JSON_LD_VALUES);
	/* 4 bytes each: the limit of bytes comes before the limit of values */
	ld = read_repeated(arena, &text,
			   "{}\n                           "
			   "                              ",
			   20000);
	ck_assert_uint_lt(ld.object_count, 17777);
	ld = read_repeated(arena, &text, "\" ", 500000);
	ck_assert_uint_eq(ld.object_count, 0);
}

TEST(scripts_of_a_page_are_one)
{
	AUTO_PAGE *page = page_of(
		"<script type=' Application/LD+JSON; charset=utf-8'>"
		"{\"a\":\"1\"</script><script>{\"a\":\"no\"}</script>"
		"<body><script type=application/ld+json>{\"b\":\"<p>2</p>\"}"
		"</script><script type=application/ld+json></script>");
	struct json_ld ld = json_ld_of_page(page->arena, page);

	ck_assert_uint_eq(ld.object_count, 2);
	check_slice(json_ld_text(&ld, 0, "a"), "1");
	check_slice(json_ld_text(&ld, 1, "b"), "<p>2</p>");
	ck_assert_uint_eq(ld.objects[1].parent, NO_OBJECT);
}
