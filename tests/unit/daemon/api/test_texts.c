/* The streams of texts, and batches of pages, over a real socket: six pages of
 * a small site. */
#include <unistd.h>

#include "daemon/api/api.h"
#include "daemon/api/api_extract.h"
#include "daemon/ctl/client.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/daemon/served.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { PAGES = 6 };

#define TEXTS "/v1/sites/news.example/texts"

static struct world world;
static struct served served;

/* Five pages of template 0, one of template 1, each stored later. */
static void fill(void)
{
	world_add_site(&world, "news.example");
	for (unsigned i = 0; i < PAGES; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		snprintf(url, sizeof(url), "http://news.example/%u", i);
		world_page(&html, i < PAGES - 1 ? 0 : 1, i);
		ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
	}
}

static void setup(void)
{
	world_open(&world, 0);
	fill();
	served_make(&served, world.store, world.engine, world.path);
	served_start(&served);
}

static void teardown(void)
{
	served_stop(&served);
	world_close(&world);
}

static enum error keep(void *context, struct slice bytes, uint64_t total)
{
	struct buffer *body = context;

	ck_assert_uint_eq(total, 0);
	buffer_append_slice(body, bytes);
	return ERR_NONE;
}

/* All of a stream, with status 200; buffer_free() it. */
static struct buffer get(const char *arguments)
{
	AUTO_BUFFER target = {0};
	struct buffer body = {0};
	struct socket_request download = {.sink = keep, .context = &body};
	struct socket_answer answer;

	buffer_printf(&target, "%s%s", TEXTS, arguments);
	download.target = target.data;
	ASSERT_OK(socket_ask(served.path, &download, &answer));
	/* those before may still be about their last page */
	for (int i = 0; i < 100 && answer.status == 503; i++) {
		buffer_free(&answer.body);
		usleep(20 * 1000);
		ASSERT_OK(socket_ask(served.path, &download, &answer));
	}
	ck_assert_msg(answer.status == 200, "%s: %s", target.data,
		      answer.body.data);
	buffer_free(&answer.body);
	return body;
}

/* Lines as a list; json_decref() it. */
static json_t *list_of(char *rest)
{
	json_t *list = json_array();
	const char *line;

	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			json_array_append_new(list, json_loads(line, 0, NULL));
	return list;
}

/* The lines of a stream. */
static json_t *lines(const char *arguments)
{
	AUTO_BUFFER body = get(arguments);
	json_t *list = list_of(body.data);

	return list;
}

/* The lines of the answer to a batch. */
static json_t *batch(const char *arguments, const char *body)
{
	char target[128];
	AUTO_BUFFER answer;
	json_t *list;

	snprintf(target, sizeof(target), "/v1/extract/batch%s", arguments);
	answer = test_client_ask(served.path, "POST", target, body);
	ck_assert_msg(client_status(&answer) == 200, "%s", answer.data);
	list = list_of(strstr(answer.data, "\r\n\r\n") + 4);
	return list;
}

static size_t count_lines(const char *arguments)
{
	AUTO_JSON *list = lines(arguments);
	size_t count = json_array_size(list);

	return count;
}

static const char *text_of(const json_t *list, size_t index, const char *name)
{
	const char *text = json_string_value(
		json_object_get(json_array_get(list, index), name));

	ck_assert_msg(text != NULL, "%s of %zu", name, index);
	return text;
}

static bool is_page(const json_t *list, size_t index)
{
	char url[64];

	snprintf(url, sizeof(url), "http://news.example/%zu", index);
	return strcmp(text_of(list, index, "url"), url) == 0 &&
	       strcmp(text_of(list, index, "type"), "page") == 0;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(all_pages_come_in_order)
{
	AUTO_JSON *list = lines("");

	ck_assert_uint_eq(json_array_size(list), PAGES);
	for (size_t i = 0; i < PAGES; i++)
		ck_assert(is_page(list, i));
}

TEST(a_line_tells_how_the_text_was_found)
{
	AUTO_JSON *list = lines("?method=df");

	ck_assert_str_eq(text_of(list, 2, "method"), "df");
	ck_assert_str_eq(text_of(list, 2, "cluster"), "news.example/1");
	ck_assert_str_eq(text_of(list, 2, "text"),
			 "Heading 2\n\nThe text of page 2 stands here.\n");
}

TEST(a_stream_continues_after_a_page)
{
	AUTO_JSON *list = lines("");
	AUTO_JSON *rest;
	char arguments[96];

	snprintf(arguments, sizeof(arguments), "?since=%s",
		 text_of(list, 3, "sequence"));
	rest = lines(arguments);
	ck_assert_uint_eq(json_array_size(rest), 2);
	ck_assert(json_equal(json_array_get(rest, 0), json_array_get(list, 4)));
	ck_assert(json_equal(json_array_get(rest, 1), json_array_get(list, 5)));
	snprintf(arguments, sizeof(arguments), "?since=%s",
		 text_of(list, 5, "sequence"));
	ck_assert_uint_eq(count_lines(arguments), 0);
}

TEST(filters_and_limits)
{
	ck_assert_uint_eq(count_lines("?template=1"), PAGES - 1);
	ck_assert_uint_eq(count_lines("?template=99"), 0);
	ck_assert_uint_eq(count_lines("?type=page,error"), PAGES);
	ck_assert_uint_eq(count_lines("?type=error"), 0);
	ck_assert_uint_eq(count_lines("?quality=blocked"), 0);
	ck_assert_uint_eq(count_lines("?limit=2"), 2);
	ck_assert_uint_eq(count_lines("?confidence=0"), PAGES);
}

/* The object of /v1/text, and its position. */
TEST(a_line_is_the_whole_object_on_request)
{
	AUTO_JSON *list = lines("?content=json&limit=1");
	AUTO_BUFFER body = test_client_ask(
		served.path, "GET",
		"/v1/text?format=json&url=http://news.example/0", NULL);
	AUTO_JSON *object = json_loads(client_body(&body), 0, NULL);
	json_t *line = json_array_get(list, 0);

	ck_assert_str_eq(text_of(list, 0, "type"), "page");
	json_object_del(line, "sequence");
	json_object_del(line, "type");
	ck_assert(json_equal(line, object));
}

TEST(other_forms)
{
	AUTO_BUFFER csv = get("?format=csv");
	AUTO_BUFFER wet = get("?format=wet");
	struct buffer packed = get("?format=wet.gz");

	ck_assert_int_eq(strncmp(csv.data, "sequence,url,", 13), 0);
	ck_assert_int_eq(strncmp(wet.data, "WARC/1.1\r\n", 10), 0);
	ck_assert_ptr_nonnull(strstr(wet.data, "WARC-Type: conversion\r\n"));
	ck_assert_int_eq(memcmp(packed.data, "\x1f\x8b", 2), 0);
	ck_assert_uint_lt(packed.size, wet.size);
	buffer_free(&packed);
}

static const struct {
	const char *arguments;
	int status;
} refused[] = {
	{"?since=x", 400},        {"?format=json", 400},
	{"?template=x", 400},     {"?quality=ok,good", 400},
	{"?type=", 400},          {"?confidence=2", 400},
	{"?confidence=nan", 400}, {"?limit=-1", 400},
	{"?content=pdf", 400},    {"?method=nothing", 404},
};

TEST_ROWS(a_wrong_request_is_refused, refused)
{
	char target[128];
	AUTO_BUFFER answer;

	snprintf(target, sizeof(target), TEXTS "%s", refused[_i].arguments);
	answer = test_client_ask(served.path, "GET", target, NULL);
	ck_assert_msg(client_status(&answer) == refused[_i].status, "%s: %s",
		      target, answer.data);
}

TEST(a_site_that_is_not_there)
{
	AUTO_BUFFER answer = test_client_ask(
		served.path, "GET", "/v1/sites/other.example/texts", NULL);

	ck_assert_int_eq(client_status(&answer), 404);
}

/* More often than there may be streams: each makes room again. */
TEST(a_client_that_leaves_ends_its_stream)
{
	AUTO_BUFFER answer;

	for (unsigned i = 0; i < 4; i++) {
		int file = client_open(served.path);

		test_client_send(file,
				 "GET " TEXTS " HTTP/1.1\r\nHost: x\r\n\r\n");
		close(file);
	}
	answer = test_client_ask(served.path, "GET", TEXTS, NULL);
	ck_assert_msg(client_status(&answer) == 200, "%s", answer.data);
}

static long long position_of(const json_t *list, size_t index)
{
	return json_integer_value(
		json_object_get(json_array_get(list, index), "position"));
}

/* The code of a line with an error. */
static const char *code_of(const json_t *list, size_t index)
{
	const char *code = json_string_value(json_object_get(
		json_object_get(json_array_get(list, index), "error"), "code"));

	return code == NULL ? "" : code;
}

TEST(a_batch_is_answered_in_its_order)
{
	AUTO_BUFFER body = {0};
	AUTO_JSON *list;

	for (int i = 0; i < 200; i++)
		buffer_printf(&body,
			      "{\"html\":\"<p>The text of page %d stands here, "
			      "as it was sent.</p>\"}\n",
			      i);
	list = batch("?method=plain", body.data);
	ck_assert_uint_eq(json_array_size(list), 200);
	for (size_t i = 0; i < 200; i++) {
		char text[80];

		snprintf(text, sizeof(text),
			 "The text of page %zu stands here, as it was sent.\n",
			 i);
		ck_assert_str_eq(text_of(list, i, "text"), text);
	}
}

TEST(a_bad_page_is_one_line)
{
	AUTO_JSON *list =
		batch("", "{\"url\":\"http://news.example/9\",\"html\":"
			  "\"<p>One text that stands here</p>\"}\n"
			  "{\"html\":\n\n"
			  "{\"url\":\"mailto:x\",\"html\":\"<p>a\"}\n"
			  "{\"html\":\"<p>Two texts that stand here\"}");

	ck_assert_uint_eq(json_array_size(list), 4);
	ck_assert_str_eq(text_of(list, 0, "url"), "http://news.example/9");
	ck_assert_str_eq(code_of(list, 1), "malformed");
	ck_assert_int_eq(position_of(list, 2), 4);
	ck_assert_str_eq(text_of(list, 2, "url"), "mailto:x");
	ck_assert_str_ne(code_of(list, 2), "");
	ck_assert_int_eq(position_of(list, 3), 5);
	ck_assert_ptr_nonnull(strstr(text_of(list, 3, "text"), "Two texts"));
}

/* As by /v1/extract, whose object it is. */
TEST(a_page_of_a_batch_is_extracted_as_by_itself)
{
	static const char page[] = "<html><title>T</title><p>The text of a "
				   "page that stands here</p></html>";
	char line[256];
	AUTO_BUFFER answer =
		test_client_ask(served.path, "POST",
				"/v1/extract?format=json&charset=utf-8"
				"&url=http://news.example/77",
				page);
	AUTO_JSON *object = json_loads(client_body(&answer), 0, NULL);
	AUTO_JSON *list;

	snprintf(line, sizeof(line),
		 "{\"url\":\"http://news.example/77\",\"html\":\"%s\"}", page);
	list = batch("?content=json", line);
	ck_assert_int_eq(position_of(list, 0), 1);
	json_object_del(json_array_get(list, 0), "position");
	ck_assert(json_equal(json_array_get(list, 0), object));
}

TEST(an_empty_batch_and_a_wrong_one)
{
	AUTO_BUFFER answer;
	AUTO_JSON *list = batch("", "");

	ck_assert_uint_eq(json_array_size(list), 0);
	answer = test_client_ask(served.path, "POST",
				 "/v1/extract/batch?content=pdf", "{}");
	ck_assert_int_eq(client_status(&answer), 400);
}
