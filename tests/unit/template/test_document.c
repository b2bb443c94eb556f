/* What an answer has besides the text, as JSON and before Markdown. */
#include "template/result.h"

#include "template/extraction.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static const char html[] =
	"<html><head><title>Hats</title><meta property=og:image content=/lead>"
	"<link rel=canonical href=https://www.hats.test/felt>"
	"<link rel=icon href=i.ico><meta name=author content='Ann \"A\" Smith'>"
	"<meta property=article:section content=Clothes>"
	"<body><h1>Felt hats</h1>"
	"<p>Felt is made of wool, with water and much patience of the maker."
	"<img src=/one alt=One> See <a href=more>more of it</a>."
	"<img src=/lead alt=Lead>"
	"<table><tr><td>Size<td>Price<tr><td>Small<td>12 crowns</table>"
	"<p>And this is the end of it.</body>";

/* The result of `method` as plain text, except comments;
 * extraction_result_free() it. */
static struct extraction_result answer_of(const char *page, enum format format,
					  uint32_t extras,
					  const struct url *url)
{
	const struct text_request request = {
		.url = url,
		.format = format,
		.method = "plain",
		.extras = extras,
		.body = slice_of(page),
	};
	struct extraction extraction = {.rules = &extraction_options_default,
					.request = &request};
	struct extraction_result answer = {0};

	ASSERT_OK(extraction_of_body(&extraction, &answer));
	return answer;
}

static json_t *json_of_page(const char *page, uint32_t extras,
			    const struct url *url)
{
	AUTO_RESULT answer = answer_of(page, FORMAT_JSON, extras, url);
	AUTO_BUFFER text = {0};
	json_t *json;

	result_json(&answer, NULL, &text);
	json = json_loadb(text.data, text.size, 0, NULL);
	ck_assert_ptr_nonnull(json);
	return json;
}

static json_t *json_of(uint32_t extras, const struct url *url)
{
	return json_of_page(html, extras, url);
}

static const char *field(const json_t *json, const char *name)
{
	return json_string_value(json_object_get(json, name));
}

static void assert_reference(const json_t *json, const char *list, size_t index,
			     const char *expected)
{
	json_t *item = json_array_get(json_object_get(json, list), index);
	AUTO_TEXT *text = json_dumps(item, JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
}

TEST(the_content_is_summed_up)
{
	struct url url;
	json_t *json;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test:81/b/c"), NULL));
	json = json_of(0, &url);
	ck_assert_str_eq(field(json, "hostname"), "a.test");
	ck_assert_str_eq(field(json, "direction"), "ltr");
	ck_assert_uint_eq(strlen(field(json, "fingerprint")), 16);
	ck_assert_int_eq(strncmp(field(json, "excerpt"), "Felt is made", 12),
			 0);
	/* 2 of the heading, 12 + 5 + 5 of the table, 7 of the end */
	ck_assert_int_eq(
		json_integer_value(json_object_get(json, "word_count")),
		2 + 13 + 4 + 5 + 7);
	ck_assert(json_is_null(json_object_get(json, "images")));
	ck_assert(json_is_null(json_object_get(json, "links")));
	ck_assert(json_is_null(json_object_get(json, "comments")));
	json_decref(json);
	json = json_of(0, NULL);
	ck_assert_str_eq(field(json, "hostname"), "www.hats.test");
	json_decref(json);
}

static void assert_hostname(const char *page, const char *expected)
{
	AUTO_JSON *json = json_of_page(page, 0, NULL);
	const char *name = field(json, "hostname");

	if (expected == NULL)
		ck_assert_msg(name == NULL, "%s", name);
	else
		ck_assert_str_eq(name, expected);
}

/* What is relative to an unknown address has no host. */
TEST(a_relative_address_has_no_host)
{
	assert_hostname("<link rel=canonical href=index-3.html><p>a", NULL);
	assert_hostname("<link rel=canonical href=httpd.html><p>a", NULL);
	assert_hostname("<link rel=canonical href=/a.test/b><p>a", NULL);
	assert_hostname("<link rel=canonical href=//b.test/a><p>a", "b.test");
	assert_hostname("<link rel=canonical href=HTTP://b.test/a><p>a",
			"b.test");
	assert_hostname("<base href=httpd.test/><link rel=canonical href=x>"
			"<p>a",
			NULL);
	assert_hostname("<base href=http://b.test/><link rel=canonical href=x>"
			"<p>a",
			"b.test");
}

TEST(lists_come_on_request)
{
	struct url url;
	AUTO_JSON *json;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/b/c"), NULL));
	json = json_of(EXTRA_IMAGES | EXTRA_LINKS, &url);
	assert_reference(json, "images", 0,
			 "{\"src\":\"http://a.test/lead\",\"alt\":\"Lead\"}");
	assert_reference(json, "images", 1,
			 "{\"src\":\"http://a.test/one\",\"alt\":\"One\"}");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "images")), 2);
	assert_reference(
		json, "links", 0,
		"{\"href\":\"http://a.test/b/more\",\"text\":\"more of it\"}");
}

/* A page that names no image has none at its own address. */
TEST(images_are_those_of_the_page)
{
	struct url url;
	AUTO_JSON *json;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/b/c"), NULL));
	json = json_of_page("<p>A hat of felt: <img src=/one alt=One>.",
			    EXTRA_IMAGES, &url);
	assert_reference(json, "images", 0,
			 "{\"src\":\"http://a.test/one\",\"alt\":\"One\"}");
	ck_assert_uint_eq(json_array_size(json_object_get(json, "images")), 1);
}

TEST(tables_can_be_left_out)
{
	AUTO_RESULT answer = answer_of(html, FORMAT_TXT, EXTRA_NO_TABLES, NULL);

	ck_assert_ptr_null(strstr(answer.text.data, "crowns"));
	ck_assert_ptr_nonnull(strstr(answer.text.data, "And this is the end"));
}

TEST(metadata_precede_markdown)
{
	struct extraction_result answer =
		answer_of(html, FORMAT_MD, EXTRA_FRONT_MATTER, NULL);
	const char *expected =
		"---\ntitle: \"Felt hats\"\nauthors:\n"
		"  - \"Ann \\\"A\\\" Smith\"\nimage: \"/lead\"\n"
		"categories:\n  - \"Clothes\"\n---\n\n# Felt hats\n";

	ck_assert_int_eq(strncmp(answer.text.data, expected, strlen(expected)),
			 0);
	extraction_result_free(&answer);
	answer = answer_of("<title>a\xC2\x85"
			   "b\\\xE2\x80\xA8"
			   "c</title>d",
			   FORMAT_MD, EXTRA_FRONT_MATTER, NULL);
	ck_assert_str_eq(answer.text.data,
			 "---\ntitle: \"a b\\\\ c\"\n---\n\nd\n");
	extraction_result_free(&answer);
}

static void assert_text(const char *page, enum format format, uint32_t extras,
			const char *expected)
{
	AUTO_RESULT answer = answer_of(page, format, extras, NULL);

	ck_assert_str_eq(answer.text.data == NULL ? "" : answer.text.data,
			 expected);
}

/* A title without a body is in no text that the method keeps. */
TEST(markdown_and_html_begin_with_the_title)
{
	static const char page[] = "<title>Felt *hats* &amp; caps</title><p>a";

	assert_text(page, FORMAT_MD, 0, "# Felt \\*hats\\* & caps\n\na\n");
	assert_text(page, FORMAT_HTML, 0,
		    "<h1>Felt *hats* &amp; caps</h1>\n<p>a</p>\n");
	assert_text(page, FORMAT_TXT, 0, "a\n");
	assert_text(page, FORMAT_MD, EXTRA_NO_TITLE, "a\n");
	assert_text(page, FORMAT_HTML, EXTRA_NO_TITLE, "<p>a</p>\n");
	assert_text("<title>Felt hats</title>", FORMAT_MD, 0, "");
	assert_text("<p>a", FORMAT_MD, 0, "a\n");
}

TEST(the_title_is_written_once)
{
	/* the text begins with an h1 */
	assert_text("<title>Felt hats</title><h1>Wool</h1>b", FORMAT_MD, 0,
		    "# Wool\n\nb\n");
	/* the only h1 is in the text */
	assert_text("<title>Felt hats</title><p>a<h1>Wool</h1>b", FORMAT_MD, 0,
		    "a\n\n# Wool\n\nb\n");
	/* a heading or the first line is the title */
	assert_text("<title>Felt hats!</title><p>a<h2>FELT <i>hats</i></h2>b",
		    FORMAT_MD, 0, "a\n\n## FELT _hats_\n\nb\n");
	assert_text("<title>Felt hats</title><div>Felt hats.</div>a", FORMAT_MD,
		    0, "Felt hats.\n\na\n");
	/* but not the first words of it */
	assert_text("<title>Hats</title><p><code>Hats</code> are warm",
		    FORMAT_MD, 0, "# Hats\n\n`Hats` are warm\n");
	/* an h1 is a part of the title, among several */
	assert_text("<title>The felt hats</title><p>a<h1>Felt hats</h1>b"
		    "<h1>c</h1>",
		    FORMAT_MD, 0, "a\n\n# Felt hats\n\nb\n\n# c\n");
	/* no h1 is like the title */
	assert_text("<title>Felt hats</title><p>a<h1>b</h1><h1>c</h1>",
		    FORMAT_MD, 0, "# Felt hats\n\na\n\n# b\n\n# c\n");
}

TEST(comments_stand_apart_where_there_is_a_place_for_them)
{
	static const char page[] =
		"<h1>Felt hats</h1><article><p>Felt is made of wool, with "
		"water and much patience of the maker.</article>"
		"<div id=comments class=comments><h2>2 comments</h2><ol "
		"class=commentlist><li class=comment><p class=comment-author>"
		"Bob says:<div class=comment-content><p>I had such a hat when "
		"I was a boy, and it was warm.</div><li class=comment><p "
		"class=comment-author>Eve says:<div class=comment-content><p>"
		"Mine was green, and the rain came through it, thank you."
		"</div></ol></div>";
	struct extraction_result answer =
		answer_of(page, FORMAT_JSON, EXTRA_COMMENTS_APART, NULL);

	ck_assert_ptr_nonnull(memmem(answer.document.comments.data,
				     answer.document.comments.size,
				     "Mine was green", 14));
	ck_assert_ptr_null(strstr(answer.text.data, "Mine was green"));
	ck_assert_ptr_nonnull(strstr(answer.text.data, "Felt is made"));
	extraction_result_free(&answer);
	answer = answer_of(page, FORMAT_TXT, EXTRA_COMMENTS_APART, NULL);
	ck_assert_ptr_nonnull(strstr(answer.text.data, "Mine was green"));
	extraction_result_free(&answer);
}

TEST(extras_are_words)
{
	uint32_t extras = 0;

	ck_assert(extras_read("images,links", &extras));
	ck_assert_uint_eq(extras, EXTRA_IMAGES | EXTRA_LINKS);
	ck_assert(!extras_read("", &extras));
	ck_assert(!extras_read("images,", &extras));
	ck_assert(!extras_read("image", &extras));
	ck_assert(!extras_read("tables", &extras));
	ck_assert(!extras_read_omitted("tables,links", &extras));
	for (uint32_t extra = 1; extra <= EXTRAS; extra *= 2) {
		const char *word = extra_word((enum extra)extra);
		uint32_t again = 0;

		ck_assert(extra_is_omission((enum extra)extra)
				  ? extras_read_omitted(word, &again)
				  : extras_read(word, &again));
		ck_assert_uint_eq(again, extra);
	}
}
