/*
 * Any bytes are what a browser sends. Each command to the browser is a JSON
 * object with the next id, whatever it has sent; a page that has ended sends
 * nothing but its farewell, and its result keeps the limits. The seeds are
 * conversations of a page, from its first response to its DOM. The input is a
 * selector of a client, too.
 */
#include <jansson.h>
#include <string.h>

#include "crawl/render/page_render.h"
#include "tests/fuzz/require.h"

enum { MAX_DOM = 64, MAX_BYTES = 64, MAX_REQUESTS = 4, PIECE = 100 };

static void check_commands(const struct cdp *cdp)
{
	json_int_t last = 0;

	for (size_t i = 0; i < cdp->out.size;
	     i += strlen(cdp->out.data + i) + 1) {
		json_t *root = json_loads(cdp->out.data + i, 0, NULL);

		require(root != NULL);
		last++;
		require(json_integer_value(json_object_get(root, "id")) ==
			last);
		json_decref(root);
	}
	require((uint64_t)last == cdp->last_id);
}

static void check_request(const struct page_request *request)
{
	require(strlen(request->url) <= MAX_RENDER_URL);
	require(request->head.size <= MAX_RENDER_HEAD + 4 * MAX_RENDER_HEADERS);
	require(request->body.size <= MAX_RENDER_BODY);
	require(request->method[0] != '\0');
	require(request->head.size == 0 ||
		memchr(request->head.data, '\0', request->head.size) == NULL);
}

/* The bytes of the input are also the head and the body of each answer. */
static void answer_all(struct page_render *page, struct slice input)
{
	struct page_request request;
	const struct page_answer answer = {
		(uint16_t)(input.size % 700),
		input,
		{input.data, input.size < 20 ? input.size : 20}};

	while (page_render_ahead(page, &request)) {
		check_request(&request);
		require(request.is_new);
	}
	while (page_render_request(page, &request)) {
		check_request(&request);
		page_render_answer(page, &answer);
	}
}

static void check_result(struct page_render *page)
{
	struct render_result result = page_render_result(page);

	require(result.end < RENDER_END_COUNT);
	require(result.dom.size <= MAX_DOM);
	require(render_has_dom(result.end) || result.dom.size == 0);
	/* ten times as many may be of kinds that are not loaded */
	require(result.count <= 11 * MAX_REQUESTS);
	require(result.bytes <= MAX_BYTES);
	require(result.screenshot.size == 0 ||
		screenshot_is_valid(result.screenshot));
	require(render_has_dom(result.end) || result.screenshot.size == 0);
	require(render_end_text(result.end)[0] != '\0');
}

static void check_selector(struct slice input)
{
	struct buffer text = {0};

	buffer_append_slice(&text, input);
	buffer_append_byte(&text, '\0');
	require(render_selector_problem(text.data) != NULL ||
		strlen(text.data) <= MAX_RENDER_SELECTOR);
	buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_render_options options = page_render_options_default;
	struct slice input = {data, size};
	struct cdp cdp = {0};
	struct page_render *page;
	struct cdp_message message;
	enum error error = ERR_NONE;
	uint64_t now_ms = 0;

	check_selector(input);
	options.max_dom_bytes = MAX_DOM;
	options.max_bytes = MAX_BYTES;
	options.max_requests = MAX_REQUESTS;
	options.time_ms = 2 * RENDER_STEP_MS;
	options.wait = size % 2 == 0 ? NULL : "a";
	/* a '!' before the messages: click and scroll */
	if (size > 0 && data[0] == '!') {
		slice_advance(&input, 1);
		options.wait = NULL;
		options.click = "b";
		options.scroll = true;
		options.time_ms = 20 * RENDER_STEP_MS;
	}
	/* a '?' before the messages: take a screenshot */
	if (size > 0 && data[0] == '?') {
		slice_advance(&input, 1);
		options.screenshot = SCREENSHOT_WIDTH;
	}
	page = page_render_create(&cdp, &options, now_ms);
	while (input.size > 0 && error == ERR_NONE) {
		size_t piece = input.size < PIECE ? input.size : PIECE;

		cdp_feed(&cdp, (struct slice){input.data, piece});
		slice_advance(&input, piece);
		while (cdp_next(&cdp, &message, &error)) {
			page_render_take(page, &message);
			json_decref(message.root);
			answer_all(page, (struct slice){data, size});
			now_ms += RENDER_TICK_MS * 2;
			page_render_is_done(page, now_ms);
		}
	}
	if (error != ERR_NONE)
		page_render_stop(page, RENDER_MALFORMED);
	require(page_render_is_done(page, now_ms + options.max_wall_ms));
	check_commands(&cdp);
	check_result(page);
	page_render_destroy(page);
	cdp_free(&cdp);
	return 0;
}
