#include "crawl/render/page_render.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run.h"

/* A browser that is written here: its end of the connection. */
static struct cdp cdp;
static struct page_render *page;
static struct page_render_options options;
static size_t read_bytes;

static void begin(void)
{
	cdp = (struct cdp){0};
	read_bytes = 0;
	options = page_render_options_default;
	options.url = "https://a.test/";
	page = NULL;
}

static void end(void)
{
	page_render_destroy(page);
	cdp_free(&cdp);
}

FIXTURE(.setup = begin, .teardown = end);

/* Let the page handle a message. */
static void say(const char *format, ...)
{
	struct cdp_message message;
	enum error error;
	char text[8192];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	cdp_feed(&cdp, (struct slice){text, strlen(text) + 1});
	ck_assert_msg(cdp_next(&cdp, &message, &error), "%s", text);
	page_render_take(page, &message);
	json_decref(message.root);
}

/* Skip commands until one has the method; return it and its id. */
static json_t *hear(const char *method, json_int_t *id_out)
{
	while (read_bytes < cdp.out.size) {
		const char *text = cdp.out.data + read_bytes;
		json_t *root = json_loads(text, 0, NULL);
		const char *name =
			json_string_value(json_object_get(root, "method"));

		ck_assert_ptr_nonnull(root);
		read_bytes += strlen(text) + 1;
		*id_out = json_integer_value(json_object_get(root, "id"));
		if (strcmp(name, method) == 0)
			return root;
		json_decref(root);
	}
	ck_abort_msg("no command %s", method);
	return NULL;
}

static void respond(const char *method, const char *result)
{
	json_int_t id;

	json_decref(hear(method, &id));
	say("{\"id\":%d,\"result\":%s}", (int)id, result);
}

static void event(const char *method, const char *parameters)
{
	say("{\"method\":\"%s\",\"sessionId\":\"S\",\"params\":%s}", method,
	    parameters);
}

static void request(const char *id, const char *url, const char *type)
{
	say("{\"method\":\"Fetch.requestPaused\",\"sessionId\":\"S\","
	    "\"params\":{\"requestId\":\"%s\",\"networkId\":\"n%s\","
	    "\"frameId\":\"T\",\"resourceType\":\"%s\",\"request\":{"
	    "\"method\":\"GET\",\"url\":\"%s\",\"headers\":{\"A\":\"b\","
	    "\"B\":\"c\\r\\nd\",\"e f\":\"g\"}}}}",
	    id, id, type, url);
}

static void answer(const char *url, uint16_t status, const char *head,
		   const char *body)
{
	const struct page_answer answered = {status, slice_of(head),
					     slice_of(body)};
	struct page_request asked;

	ck_assert(page_render_request(page, &asked));
	ck_assert_str_eq(asked.url, url);
	page_render_answer(page, &answered);
}

/* Open the tab, and answer the request for the document. */
static void open_page(void)
{
	page = page_render_create(&cdp, &options, 1000);
	respond("Target.createBrowserContext", "{\"browserContextId\":\"C\"}");
	respond("Target.createTarget", "{\"targetId\":\"T\"}");
	respond("Target.attachToTarget", "{\"sessionId\":\"S\"}");
	respond("Emulation.setVirtualTimePolicy", "{}");
	request("d", "https://a.test/", "Document");
	answer("https://a.test/", 200, "Content-Type: text/html\r\n", "<p>");
	respond("Page.navigate", "{\"frameId\":\"T\"}");
}

/* Say the state until the clock advances or the DOM is read. */
static void be(bool is_ready, int changes, int times)
{
	char state[256];

	snprintf(state, sizeof(state),
		 "{\"result\":{\"value\":{\"ready\":%s,\"changes\":%d,"
		 "\"found\":false,\"url\":\"https://a.test/x\"}}}",
		 is_ready ? "true" : "false", changes);
	for (int i = 0; i < times; i++)
		respond("Runtime.evaluate", state);
}

static void advance(void)
{
	json_int_t id;

	json_decref(hear("Emulation.setVirtualTimePolicy", &id));
	event("Emulation.virtualTimeBudgetExpired", "{}");
}

static void read_dom(void)
{
	respond("Runtime.evaluate", "{\"result\":{\"value\":2}}");
	respond("Runtime.evaluate", "{\"result\":{\"value\":\"<a>\"}}");
	respond("Runtime.evaluate", "{\"result\":{\"value\":\"b</a>\"}}");
}

TEST(a_page_is_complete_after_a_quiet_time)
{
	struct render_result result;

	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	be(true, 3, 3); /* the first one has changed */
	for (int i = 0; i < RENDER_QUIET_MS / RENDER_STEP_MS; i++) {
		ck_assert(!page_render_is_done(page, 1000));
		advance();
		be(true, 3, 2);
	}
	read_dom();
	ck_assert(page_render_is_done(page, 1000));
	result = page_render_result(page);
	ck_assert_int_eq(result.end, RENDER_COMPLETE);
	ck_assert(slice_equal(result.dom, slice_of("<a>b</a>")));
	ck_assert_str_eq(result.url, "https://a.test/x");
	ck_assert_uint_eq(result.time_ms, RENDER_QUIET_MS);
	ck_assert_uint_eq(result.count, 1);
	ck_assert_uint_eq(result.bytes, 3);
}

TEST(answers_go_one_after_another_while_the_clock_stands_still)
{
	struct page_request asked;
	json_int_t id;

	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	be(false, 0, 2);
	/* before the load it waits for other threads of the browser */
	ck_assert(!page_render_is_done(page, 1100));
	be(false, 0, 1);
	json_decref(hear("Emulation.setVirtualTimePolicy", &id));
	request("1", "https://a.test/1", "Fetch");
	request("2", "https://a.test/2", "Image");
	request("3", "https://a.test/3", "Script");
	request("4", "https://a.test/4", "Other");
	/* the clock advances: only what cannot change the DOM */
	answer("https://a.test/4", 0, NULL, NULL);
	ck_assert(!page_render_request(page, &asked));
	event("Emulation.virtualTimeBudgetExpired", "{}");
	ck_assert(page_render_request(page, &asked));
	ck_assert_str_eq(asked.head.data, "A: b\r\n");
	answer("https://a.test/1", 200, "", "x");
	ck_assert(!page_render_request(page, &asked));
	event("Network.loadingFinished", "{\"requestId\":\"other\"}");
	ck_assert(!page_render_request(page, &asked));
	event("Network.loadingFinished", "{\"requestId\":\"n1\"}");
	/* the image is blocked, and answered with an empty one */
	ck_assert(!page_render_request(page, &asked));
	event("Network.loadingFinished", "{\"requestId\":\"n2\"}");
	answer("https://a.test/3", 404, "", "");
	/* real time passes */
	page_render_is_done(page, 5000);
	json_decref(hear("Runtime.evaluate", &id));
}

/* A script that waits for its answer stops the clock and all others. */
TEST(a_synchronous_request_is_answered_first)
{
	struct page_request asked;

	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	request("1", "https://a.test/1", "XHR");
	ck_assert(!page_render_request(page, &asked));
	say("{\"method\":\"Fetch.requestPaused\",\"sessionId\":\"S\","
	    "\"params\":{\"requestId\":\"2\",\"resourceType\":\"XHR\","
	    "\"request\":{\"method\":\"POST\",\"url\":\"https://a.test/2\","
	    "\"postData\":\"abc\",\"initialPriority\":\"VeryHigh\","
	    "\"headers\":{}}}}");
	ck_assert(page_render_request(page, &asked));
	ck_assert(slice_equal(asked.body, slice_of("abc")));
	/* the request that the caller has stays the same */
	request("3", "https://a.test/3", "Other");
	answer("https://a.test/2", 200, "", "x");
	answer("https://a.test/3", 200, "", "x");
	ck_assert(!page_render_request(page, &asked));
}

/* The caller can prepare answers; the page gets them in its own order. */
TEST(requests_are_seen_ahead_once)
{
	struct page_request asked;

	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	request("1", "https://a.test/1", "Script");
	request("2", "https://a.test/2", "Image");
	request("3", "https://a.test/3", "Fetch");
	ck_assert(page_render_ahead(page, &asked));
	ck_assert_str_eq(asked.url, "https://a.test/1");
	ck_assert(asked.is_new);
	/* the image is blocked: nobody else answers it */
	ck_assert(page_render_ahead(page, &asked));
	ck_assert_str_eq(asked.url, "https://a.test/3");
	ck_assert(!page_render_ahead(page, &asked));
	be(true, 1, 1); /* the look that was on its way */
	ck_assert(page_render_request(page, &asked));
	ck_assert_str_eq(asked.url, "https://a.test/1");
	ck_assert(!asked.is_new);
}

TEST(a_page_is_closed_when_its_context_is_discarded)
{
	open_page();
	page_render_stop(page, RENDER_TIMEOUT);
	ck_assert(page_render_is_done(page, 1000));
	ck_assert(!page_render_is_closed(page));
	say("{\"id\":999,\"result\":{}}");
	ck_assert(!page_render_is_closed(page));
	respond("Target.disposeBrowserContext", "{}");
	ck_assert(page_render_is_closed(page));
}

TEST(a_context_that_comes_late_is_discarded)
{
	json_int_t id;
	json_t *command;

	page = page_render_create(&cdp, &options, 0);
	page_render_stop(page, RENDER_TIMEOUT);
	ck_assert(!page_render_is_closed(page));
	respond("Target.createBrowserContext", "{\"browserContextId\":\"C\"}");
	ck_assert(!page_render_is_closed(page));
	command = hear("Target.disposeBrowserContext", &id);
	ck_assert_str_eq(json_string_value(json_object_get(
				 json_object_get(command, "params"),
				 "browserContextId")),
			 "C");
	json_decref(command);
	say("{\"id\":%d,\"result\":{}}", (int)id);
	ck_assert(page_render_is_closed(page));
}

static void sent(const char *id, const char *url)
{
	say("{\"method\":\"Network.requestWillBeSent\",\"sessionId\":\"S\","
	    "\"params\":{\"requestId\":\"%s\",\"request\":{\"url\":\"%s\"}}}",
	    id, url);
}

/* Return whether the page has sent another command. */
static bool is_silent(void)
{
	return read_bytes == cdp.out.size;
}

TEST(a_request_that_was_sent_is_waited_for)
{
	json_int_t id;

	open_page();
	page_render_is_done(page, 1000);
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	/* its own process reports it earlier than the renderer */
	request("1", "https://a.test/1", "Fetch");
	sent("n1", "https://a.test/1");
	be(true, 0, 1);
	answer("https://a.test/1", 200, "", "x");
	event("Network.loadingFinished", "{\"requestId\":\"n1\"}");
	json_decref(hear("Runtime.evaluate", &id));
	sent("n2", "https://a.test/2");
	sent("data", "data:,x");
	say("{\"id\":%d,\"result\":{\"result\":{\"value\":{\"ready\":true,"
	    "\"changes\":0}}}}",
	    (int)id);
	ck_assert(!page_render_is_done(page, 1001) && is_silent());
	request("2", "https://a.test/2", "Fetch");
	answer("https://a.test/2", 200, "", "x");
	event("Network.loadingFinished", "{\"requestId\":\"n2\"}");
	json_decref(hear("Runtime.evaluate", &id));
	/* from the cache: there is no request to us */
	sent("n3", "https://a.test/3");
	say("{\"id\":%d,\"result\":{\"result\":{\"value\":{\"ready\":true,"
	    "\"changes\":0}}}}",
	    (int)id);
	ck_assert(is_silent());
	event("Network.requestServedFromCache", "{\"requestId\":\"n3\"}");
	json_decref(hear("Runtime.evaluate", &id));
	/* one that never comes is forgotten */
	sent("n4", "https://a.test/4");
	say("{\"id\":%d,\"result\":{\"result\":{\"value\":{\"ready\":true,"
	    "\"changes\":0}}}}",
	    (int)id);
	ck_assert(!page_render_is_done(page, 1500) && is_silent());
	ck_assert(!page_render_is_done(page, 3000) && !is_silent());
}

TEST(an_answer_after_the_end_is_ignored)
{
	const struct page_answer answered = {.status = 200};
	struct page_request asked;

	open_page();
	request("1", "https://a.test/1", "Other");
	ck_assert(page_render_request(page, &asked));
	page_render_stop(page, RENDER_TIMEOUT);
	page_render_answer(page, &answered);
	ck_assert_str_eq(asked.url, "https://a.test/1");
	ck_assert_int_eq(page_render_result(page).end, RENDER_TIMEOUT);
}

/* Let the page settle. */
static void settle(int changes)
{
	be(true, changes, 3);
	for (int i = 0; i < RENDER_QUIET_MS / RENDER_STEP_MS; i++) {
		advance();
		be(true, changes, 2);
	}
}

TEST(a_page_is_clicked_and_scrolled_before_it_is_complete)
{
	const int steps = 100 / RENDER_STEP_MS; /* between two scrolls */

	options.click = "#more";
	options.scroll = true;
	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	settle(3);
	/* the element to click is not there yet */
	respond("Runtime.evaluate", "{\"result\":{\"value\":false}}");
	for (int i = 0; i < RENDER_QUIET_MS / RENDER_STEP_MS; i++) {
		advance();
		be(true, 3, 2);
	}
	respond("Runtime.evaluate", "{\"result\":{\"value\":true}}");
	advance();
	settle(4);
	/* two scrolls, of which the second does nothing */
	respond("Runtime.evaluate", "{\"result\":{\"value\":true}}");
	for (int i = 0; i < steps; i++) {
		advance();
		be(true, 4, 2);
	}
	respond("Runtime.evaluate", "{\"result\":{\"value\":false}}");
	for (int i = 0; i < steps; i++) {
		advance();
		be(true, 4, 2);
	}
	read_dom();
	ck_assert(page_render_is_done(page, 1000));
	ck_assert_int_eq(page_render_result(page).end, RENDER_COMPLETE);
}

TEST(a_selector_to_click_is_checked)
{
	options.click = ">>";
	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	settle(3);
	respond("Runtime.evaluate", "{\"result\":{},\"exceptionDetails\":{}}");
	ck_assert_int_eq(page_render_result(page).end, RENDER_SELECTOR);
}

/* A WebP file of 30 bytes whose head has this size in pixels. */
static size_t make_picture(unsigned width, unsigned height, uint8_t out[30])
{
	const uint8_t head[] = {'R', 'I', 'F', 'F', 22,  0,   0,   0,
				'W', 'E', 'B', 'P', 'V', 'P', '8', 'X',
				10,  0,   0,   0,   0,   0,   0,   0};

	memcpy(out, head, sizeof(head));
	for (int i = 0; i < 3; i++) {
		out[24 + i] = (uint8_t)((width - 1) >> (8 * i));
		out[27 + i] = (uint8_t)((height - 1) >> (8 * i));
	}
	return 30;
}

static bool is_valid(unsigned width, unsigned height, size_t at, uint8_t byte)
{
	uint8_t picture[31] = {0};
	const size_t size = make_picture(width, height, picture);

	if (at < size)
		picture[at] = byte;
	return screenshot_is_valid(
		(struct slice){picture, at == size ? size + 1 : size});
}

TEST(the_frame_of_a_screenshot_is_checked)
{
	enum { NOWHERE = 100 };

	ck_assert(is_valid(1280, 1600, NOWHERE, 0));
	ck_assert(is_valid(1, 1, NOWHERE, 0));
	ck_assert(!is_valid(1281, 1600, NOWHERE, 0));
	ck_assert(!is_valid(1280, 1601, NOWHERE, 0));
	ck_assert(!is_valid(1280, 65536 + 1, NOWHERE, 0));
	ck_assert(!is_valid(1280, 1600, 0, 'X'));  /* no RIFF */
	ck_assert(!is_valid(1280, 1600, 4, 21));   /* another size */
	ck_assert(!is_valid(1280, 1600, 8, 'A'));  /* AEBP */
	ck_assert(!is_valid(1280, 1600, 15, 'L')); /* VP8L */
	ck_assert(!is_valid(1280, 1600, 20, 2));   /* animated */
	ck_assert(!is_valid(1280, 1600, 30, 0));   /* a byte follows */
	ck_assert(!screenshot_is_valid((struct slice){NULL, 0}));
}

/* Render a page until its screenshot is to be taken. */
static void come_to_screenshot(void)
{
	options.screenshot = 640;
	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	settle(0);
	read_dom();
	ck_assert(!page_render_is_done(page, 1100));
}

static struct render_result check_screenshot(size_t size,
					     enum screenshot_end how)
{
	struct render_result result = page_render_result(page);

	ck_assert_int_eq(result.end, RENDER_COMPLETE);
	ck_assert_uint_eq(result.dom.size, 8);
	ck_assert_uint_eq(result.screenshot.size, size);
	ck_assert_int_eq(result.screenshot_end, how);
	return result;
}

/* "UklGR..." is make_picture(640, 800) in Base64. */
TEST(a_screenshot_is_taken_after_the_dom)
{
	uint8_t picture[30];
	const size_t size = make_picture(640, 800, picture);
	json_t *command;
	json_t *clip;
	json_int_t id;

	come_to_screenshot();
	command = hear("Page.captureScreenshot", &id);
	clip = json_object_get(json_object_get(command, "params"), "clip");
	ck_assert_double_eq(json_number_value(json_object_get(clip, "scale")),
			    0.5);
	json_decref(command);
	say("{\"id\":%d,\"sessionId\":\"S\",\"result\":{\"data\":"
	    "\"UklGRhYAAABXRUJQVlA4WAoAAAAAAAAAfwIAHwMA\"}}",
	    (int)id);
	ck_assert(page_render_is_done(page, 1100));
	ck_assert_mem_eq(check_screenshot(30, SCREENSHOT_OK).screenshot.data,
			 picture, size);
}

TEST(a_page_without_its_screenshot_keeps_its_dom)
{
	static const struct {
		const char *result;
		enum screenshot_end end;
	} rows[] = {
		{"{}", SCREENSHOT_FAILED},
		{"{\"data\":1}", SCREENSHOT_FAILED},
		{"{\"data\":\"UklGRg==\"}", SCREENSHOT_MALFORMED},
		{"{\"data\":\"U\"}", SCREENSHOT_MALFORMED},
		{"{\"data\":\"\\u00ff\"}", SCREENSHOT_MALFORMED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		come_to_screenshot();
		respond("Page.captureScreenshot", rows[i].result);
		check_screenshot(0, rows[i].end);
		end();
		begin();
	}
	come_to_screenshot();
	ck_assert(!page_render_is_done(page, 10999));
	ck_assert(page_render_is_done(page, 11000));
	check_screenshot(0, SCREENSHOT_LATE);
}

TEST(a_screenshot_that_is_too_large_is_dropped)
{
	const size_t length = (size_t)MAX_SCREENSHOT_BYTES * 4 / 3 + 10;
	char *text = malloc(length + 1);
	json_t *result = json_object();
	struct buffer out = {0};

	ck_assert_ptr_nonnull(text);
	memset(text, 'A', length);
	json_object_set_new(result, "data", json_stringn(text, length));
	ck_assert_int_eq(screenshot_read(result, &out), SCREENSHOT_TOO_LARGE);
	ck_assert_uint_eq(out.size, 0);
	json_decref(result);
	free(text);
}

TEST(a_selector_that_is_not_closed_is_refused)
{
	static const char *const valid[] = {"#more",
					    "a[href=\"]\"] > b:not(.c)",
					    "a\\(b", "[a='\"']", "[x=\"{;}\"]"};
	static const char *const invalid[] = {
		"",     "  ",     "a[b",
		"a)",   "[a='b]", "a\\",
		"a\nb", "\xff",   "((((((((((((((((()))))))))))))))))"};
	char longest[MAX_RENDER_SELECTOR + 2] = "";

	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++)
		ck_assert_ptr_null(render_selector_problem(valid[i]));
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++)
		ck_assert_ptr_nonnull(render_selector_problem(invalid[i]));
	memset(longest, 'a', MAX_RENDER_SELECTOR);
	ck_assert_ptr_null(render_selector_problem(longest));
	longest[MAX_RENDER_SELECTOR] = 'a';
	ck_assert_ptr_nonnull(render_selector_problem(longest));
}

TEST(a_page_that_leaves_its_document_gets_the_next_one)
{
	struct page_request asked;

	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	/* our script does not respond until the page has left */
	request("1", "https://a.test/1", "Script");
	request("2", "https://a.test/next", "Document");
	ck_assert(page_render_request(page, &asked));
	ck_assert(asked.is_page);
	answer("https://a.test/next", 200, "Content-Type: text/html\r\n", "");
	ck_assert(!page_render_request(page, &asked));
}

TEST(headers_are_checked)
{
	json_int_t id;
	json_t *command;
	char *text;

	open_page();
	request("1", "https://a.test/1", "Script");
	/* the state was asked for before */
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	be(true, 0, 1);
	answer("https://a.test/1", 200,
	       "HTTP/1.1 200 a: b\r\nX-A:  b \r\nContent-Length: 7\r\n"
	       "content-encoding: gzip\r\nX-B: \x01\r\nX-C: \xff\r\n: x\r\nno",
	       "hello");
	command = hear("Fetch.fulfillRequest", &id);
	text = json_dumps(json_object_get(command, "params"), JSON_SORT_KEYS);
	ck_assert_str_eq(text, "{\"body\": \"aGVsbG8=\", \"requestId\": \"1\", "
			       "\"responseCode\": 200, \"responseHeaders\": "
			       "[{\"name\": \"X-A\", \"value\": \"b \"}], "
			       "\"responsePhrase\": \"Archived\"}");
	free(text);
	json_decref(command);
}

TEST(a_page_has_limits)
{
	options.max_requests = 3;
	open_page();
	for (int i = 0; i < 2; i++)
		request("1", "https://a.test/", "Fetch");
	ck_assert(!page_render_is_done(page, 1000));
	request("1", "https://a.test/", "Fetch");
	ck_assert(page_render_is_done(page, 1000));
	ck_assert_int_eq(page_render_result(page).end,
			 RENDER_TOO_MANY_REQUESTS);
	ck_assert_uint_eq(page_render_result(page).dom.size, 0);
}

TEST(pictures_that_are_not_loaded_have_a_larger_limit)
{
	options.max_requests = 3;
	options.blocked = RENDER_IMAGE;
	open_page();
	for (int i = 0; i < 29; i++)
		request("1", "https://a.test/", "Image");
	ck_assert(!page_render_is_done(page, 1000));
	for (int i = 0; i < 3; i++)
		request("1", "https://a.test/", "Image");
	ck_assert(page_render_is_done(page, 1000));
	ck_assert_int_eq(page_render_result(page).end,
			 RENDER_TOO_MANY_REQUESTS);
}

TEST(bytes_are_limited)
{
	options.max_bytes = 5;
	open_page();
	request("1", "https://a.test/", "Script");
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	be(true, 0, 1);
	answer("https://a.test/", 200, "", "abc");
	ck_assert_int_eq(page_render_result(page).end, RENDER_TOO_MANY_BYTES);
}

TEST(time_is_limited)
{
	json_int_t id;

	open_page();
	ck_assert(!page_render_is_done(page, 1000 + options.max_wall_ms - 1));
	ck_assert(page_render_is_done(page, 1000 + options.max_wall_ms));
	ck_assert_int_eq(page_render_result(page).end, RENDER_TIMEOUT);
	/* its context is removed */
	json_decref(hear("Target.disposeBrowserContext", &id));
}

TEST(what_the_browser_says_is_checked)
{
	static const struct {
		const char *method;
		const char *result;
	} rows[] = {
		{"Target.createBrowserContext", "{}"},
		{"Target.createBrowserContext", "{\"browserContextId\":7}"},
		{"Target.createBrowserContext", "{\"browserContextId\":\"\"}"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		page = page_render_create(&cdp, &options, 0);
		respond(rows[i].method, rows[i].result);
		ck_assert(page_render_is_done(page, 0));
		ck_assert_int_eq(page_render_result(page).end,
				 RENDER_MALFORMED);
		page_render_destroy(page);
	}
	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":-5}");
	ck_assert_int_eq(page_render_result(page).end, RENDER_MALFORMED);
}

/* A piece is never longer than the DOM may be. */
TEST(the_dom_is_limited)
{
	options.max_dom_bytes = 6;
	options.wait = NULL;
	options.time_ms = 0;
	open_page();
	respond("Page.createIsolatedWorld", "{\"executionContextId\":5}");
	be(true, 3, 3);
	respond("Runtime.evaluate", "{\"result\":{\"value\":2}}");
	respond("Runtime.evaluate", "{\"result\":{\"value\":\"<a>\"}}");
	respond("Runtime.evaluate", "{\"result\":{\"value\":\"b</a>\"}}");
	ck_assert_int_eq(page_render_result(page).end, RENDER_DOM_TOO_LARGE);
}

TEST(an_error_page_is_no_page)
{
	open_page();
	event("Page.frameNavigated", "{\"frame\":{\"id\":\"T\","
				     "\"unreachableUrl\":\"https://b.test\"}}");
	ck_assert_int_eq(page_render_result(page).end, RENDER_NOT_LOADED);
}

TEST(messages_for_other_pages_are_ignored)
{
	open_page();
	say("{\"method\":\"Inspector.targetCrashed\",\"sessionId\":\"O\"}");
	say("{\"id\":77,\"result\":{}}");
	ck_assert(!page_render_is_done(page, 1000));
	event("Inspector.targetCrashed", "{}");
	ck_assert_int_eq(page_render_result(page).end, RENDER_CRASHED);
}

TEST(dialogs_are_dismissed)
{
	json_int_t id;
	json_t *command;

	open_page();
	event("Page.javascriptDialogOpening", "{\"message\":\"x\"}");
	command = hear("Page.handleJavaScriptDialog", &id);
	ck_assert(json_is_false(
		json_object_get(json_object_get(command, "params"), "accept")));
	json_decref(command);
}
