#include "crawl/render/page_render.h"

#include <assert.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/http_message.h"
#include "crawl/render/page_render_internal.h"

enum {
	DEFAULT_TIME_MS = 10 * 1000,
	DEFAULT_WALL_MS = 30 * 1000,
	DEFAULT_REQUESTS = 1000,
	DEFAULT_BYTES = 64 * 1024 * 1024,
	DEFAULT_DOM_BYTES = 16 * 1024 * 1024,
	MAX_MESSAGES_PER_PAGE = LIMIT(1 << 17, 64),
	MAX_REQUEST_BYTES = LIMIT(64 << 20, 1200), /* of all of a page */
	MAX_METHOD = 16,
	/* how many more requests than others may be of kinds that are not
	   loaded */
	MAX_BLOCKED_FACTOR = LIMIT(10, 1),
	QUIET_LOOKS = 2,           /* equal states before the clock advances */
	MAX_LOOKS = LIMIT(200, 4), /* the same, if it always changes */
	LOAD_PAUSE_MS = 20, /* real time between two looks, before the load */
	/* real time until an answer has arrived; a parser may keep the one for
	   a document from arriving completely */
	MAX_LOADING_MS = 2000,
	MAX_LOADING_DOCUMENT_MS = 250,
	MAX_SCREENSHOT_MS = 10000,   /* real time for a screenshot */
	MAX_SENDING = 64,            /* requests that have not come yet */
	MAX_SENDING_MS = 1000,       /* real time until they have */
	SCROLL_QUIET_MS = 100,       /* between two scrolls */
	MAX_SCROLLS = LIMIT(200, 2), /* by a window each */
	MAX_SELECTOR_DEPTH = 16,     /* open brackets */
	MAX_STARVING =
		10000, /* tasks that run while the clock should advance */
};

/* The name of the world of probe.js. */
static const char world[] = "templated";

const struct page_render_options page_render_options_default = {
	.url = "about:blank",
	.date_ms = 1735689600000, /* 2025-01-01 */
	.seed = 1,
	.time_ms = DEFAULT_TIME_MS,
	.max_wall_ms = DEFAULT_WALL_MS,
	.max_requests = DEFAULT_REQUESTS,
	.max_bytes = DEFAULT_BYTES,
	.max_dom_bytes = DEFAULT_DOM_BYTES,
	.blocked = RENDER_IMAGE | RENDER_FONT | RENDER_MEDIA,
};

const char *render_end_text(enum render_end end)
{
	static const char *const texts[] = {
#define X(name, text) [name] = (text),
		RENDER_END_LIST(X)
#undef X
	};

	assert(end < RENDER_END_COUNT);
	return texts[end];
}

const char *render_kind_name(enum render_kind kind)
{
	static const char *const names[] = {"document", "script", "style",
					    "data",     "image",  "font",
					    "media"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (kind == 1U << i)
			return names[i];
	}
	return "other";
}

/* Return the byte that closes this one; 0 = it opens nothing. */
static char closing_byte(char byte)
{
	switch (byte) {
	case '(':
		return ')';
	case '[':
		return ']';
	case '"':
	case '\'':
		return byte;
	default:
		return '\0';
	}
}

/* Return whether all quotes and brackets of the selector are closed. */
static bool selector_is_closed(const char *text)
{
	char open[MAX_SELECTOR_DEPTH];
	size_t depth = 0;

	for (; *text != '\0'; text++) {
		char awaited = '\0';
		bool is_quoted;

		if (depth > 0)
			awaited = open[depth - 1];
		is_quoted = awaited == '"' || awaited == '\'';

		if (*text == '\\' && text[1] == '\0')
			return false;
		if (*text == '\\') {
			text++;
		} else if (*text == awaited) {
			depth--;
		} else if (!is_quoted && closing_byte(*text) != '\0') {
			if (depth == MAX_SELECTOR_DEPTH)
				return false;
			open[depth++] = closing_byte(*text);
		} else if (!is_quoted && (*text == ')' || *text == ']')) {
			return false;
		}
	}
	return depth == 0;
}

const char *render_selector_problem(const char *text)
{
	const size_t length = strnlen(text, MAX_RENDER_SELECTOR + 1);

	if (length > MAX_RENDER_SELECTOR)
		return "the selector is too long";
	if (utf8_check((struct slice){text, length}).invalid > 0)
		return "the selector is not UTF-8";
	if (text[strspn(text, " ")] == '\0')
		return "the selector is empty";
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return "the selector contains a control character";
	return selector_is_closed(text)
		       ? NULL
		       : "a bracket or a quote of the selector is not closed";
}

/*
 * The kinds of requests that keep a page from being complete. The browser sends
 * others when it likes, such as the one for the icon.
 */
static const unsigned render_active =
	RENDER_DOCUMENT | RENDER_SCRIPT | RENDER_STYLE | RENDER_DATA;

/* The response for which the page waits. */
enum render_step {
	STEP_CONTEXT,    /* Target.createBrowserContext */
	STEP_TARGET,     /* Target.createTarget */
	STEP_ATTACH,     /* Target.attachToTarget */
	STEP_SETUP,      /* the last command that prepares the tab */
	STEP_NAVIGATE,   /* Page.navigate: the document has arrived */
	STEP_RUN,        /* Emulation.virtualTimeBudgetExpired, an event */
	STEP_PAUSED,     /* the clock is stopped: requests are answered */
	STEP_WORLD,      /* Page.createIsolatedWorld */
	STEP_STATE,      /* templated.state() */
	STEP_CLICK,      /* templated.click() */
	STEP_SCROLL,     /* templated.scroll() */
	STEP_SAVE,       /* templated.save() */
	STEP_PIECE,      /* templated.piece() */
	STEP_SCREENSHOT, /* Page.captureScreenshot */
	STEP_ENDED,
};

/* The state of a page. */
struct render_state {
	bool is_ready;
	uint64_t changes; /* of the DOM */
	uint64_t active;  /* struct page_render */
};

/* A request that waits for its answer. Its other texts belong to the arena. */
struct render_waiting {
	char network[MAX_CDP_ID + 1]; /* network id; "" = none */
	char id[MAX_CDP_ID + 1];
	struct page_request request;
	char *body;       /* of the request; NULL = it has none */
	size_t line;      /* its index in `lines` */
	bool is_blocking; /* no script runs until it is answered */
	bool is_seen;     /* the caller has seen it */
};

/*
 * A request with only one of two events so far: the renderer has sent it,
 * or it is paused. The events come from different processes, in any order.
 */
struct render_sending {
	uint64_t network; /* hash of its network id; 0 = none */
	bool is_sent;     /* not yet paused */
};

struct page_render {
	struct cdp *cdp;
	struct page_render_options options;
	struct arena *arena; /* of the lines and the heads of requests */
	uint64_t deadline_ms;
	enum render_step step;
	enum render_end end;
	uint64_t awaited; /* id of the command of the step */
	char context[MAX_CDP_ID + 1];
	char target[MAX_CDP_ID + 1];
	char session[MAX_CDP_ID + 1];
	/* network id of the answer that is on its way; "" = none */
	char loading[MAX_CDP_ID + 1];
	uint64_t loading_until_ms;
	struct render_sending sending[MAX_SENDING];
	size_t next_sending; /* index of the oldest one */
	uint64_t sending_until_ms;
	uint64_t look_at_ms; /* real time of the next look; 0 = now */
	uint64_t now_ms;
	uint64_t world_id; /* 0 = unknown */
	bool has_probe;    /* probe.js has run in the document */
	uint32_t time_ms;
	uint32_t quiet_ms; /* time without requests and changes */
	uint32_t looks;    /* at the state, since the last step */
	uint32_t quiet_looks;
	struct render_state state; /* at the last look */
	uint64_t active;           /* requests that may change the DOM */
	uint64_t piece;
	uint64_t piece_count;
	uint64_t messages;
	uint64_t refused;     /* requests that are not in `lines` */
	uint64_t blocked;     /* requests in `lines` of kinds not loaded */
	size_t request_bytes; /* of the messages with requests */
	uint64_t bytes;
	struct buffer dom;
	struct buffer screenshot;
	enum screenshot_end screenshot_end;
	uint64_t screenshot_until_ms;
	char *url;
	struct render_waiting *waiting; /* [waiting_count], oldest first */
	size_t waiting_count;
	size_t waiting_capacity;
	bool is_asked; /* the caller has the request `asked` */
	size_t asked;  /* index in `waiting` */
	bool is_clicked;
	bool is_scrolled; /* to the end */
	uint32_t scrolls;
	struct render_line *lines; /* [count] */
	size_t count;
	size_t capacity;
};

static void render_send(struct page_render *render, const char *method,
			json_t *parameters)
{
	cdp_send(render->cdp, render->session, method, parameters);
}

/* Send the command of the next step. */
static void render_await(struct page_render *render, enum render_step step,
			 const char *method, json_t *parameters)
{
	render->step = step;
	render->awaited =
		cdp_send(render->cdp, render->session, method, parameters);
}

struct page_render *
page_render_create(struct cdp *cdp, const struct page_render_options *options,
		   uint64_t now_ms)
{
	struct page_render *render = mem_alloc(1, sizeof(*render));

	render->cdp = cdp;
	render->options = *options;
	render->arena = arena_create();
	render->now_ms = now_ms;
	render->deadline_ms = now_ms + options->max_wall_ms;
	render->url = mem_copy_text(options->url, strlen(options->url));
	/*
	 * DevTools does not see all requests. If the browser has a network
	 * nevertheless, the others go to a proxy that does not exist.
	 */
	render_await(render, STEP_CONTEXT, "Target.createBrowserContext",
		     json_pack("{s:b, s:s, s:s}", "disposeOnDetach", 1,
			       "proxyServer", "http://127.0.0.1:1",
			       "proxyBypassList", "<-loopback>"));
	return render;
}

void page_render_destroy(struct page_render *render)
{
	if (render == NULL)
		return;
	for (size_t i = 0; i < render->waiting_count; i++)
		free(render->waiting[i].body);
	free(render->waiting);
	free(render->lines);
	free(render->url);
	buffer_free(&render->dom);
	buffer_free(&render->screenshot);
	arena_destroy(render->arena);
	free(render);
}

/* Discard the context of a page that has ended. */
static void render_close(struct page_render *render)
{
	render->awaited = cdp_send(
		render->cdp, "", "Target.disposeBrowserContext",
		json_pack("{s:s}", "browserContextId", render->context));
}

/* End the page. If its context is still being made, it is discarded later. */
static void render_end(struct page_render *render, enum render_end end)
{
	const bool has_begun = render->context[0] != '\0';

	if (render->step == STEP_ENDED)
		return;
	if (!has_begun && render->step != STEP_CONTEXT)
		render->awaited = 0;
	render->step = STEP_ENDED;
	render->end = end;
	if (!render_has_dom(end))
		buffer_clear(&render->dom);
	if (has_begun)
		render_close(render);
}

/* Handle a message for a page that has ended. */
static void render_take_closed(struct page_render *render,
			       const struct cdp_message *message)
{
	const char *id =
		cdp_text(message->value, "browserContextId", MAX_CDP_ID);

	if (message->id == 0 || message->id != render->awaited)
		return;
	render->awaited = 0;
	if (render->context[0] != '\0' || id == NULL)
		return;
	memcpy(render->context, id, strlen(id) + 1);
	render_close(render);
}

bool page_render_is_closed(const struct page_render *render)
{
	return render->step == STEP_ENDED && render->awaited == 0;
}

void page_render_stop(struct page_render *render, enum render_end end)
{
	render_end(render, end);
}

/* Copy an id of the response; end the page if it has none. */
static bool render_take_id(struct page_render *render,
			   const struct cdp_message *message, const char *name,
			   char id_out[MAX_CDP_ID + 1])
{
	const char *id = cdp_text(message->value, name, MAX_CDP_ID);

	if (id == NULL || *id == '\0') {
		render_end(render, RENDER_MALFORMED);
		return false;
	}
	memcpy(id_out, id, strlen(id) + 1);
	return true;
}

static void render_add_script(struct page_render *render, const char *name,
			      const struct buffer *source)
{
	render_send(render, "Page.addScriptToEvaluateOnNewDocument",
		    json_pack("{s:s, s:s*}", "source", source->data,
			      "worldName", name));
}

/*
 * Prepare the tab. Its clock stands still until the document has arrived.
 */
static void render_setup(struct page_render *render)
{
	struct buffer source = {0};

	render_send(render, "Inspector.enable", NULL);
	render_send(render, "Page.enable", NULL);
	render_send(render, "Network.enable", NULL);
	render_send(render, "Fetch.enable",
		    json_pack("{s:[{s:s}]}", "patterns", "urlPattern", "*"));
	buffer_printf(&source, "(%s)(%u)", render_seed, render->options.seed);
	render_add_script(render, NULL, &source);
	buffer_clear(&source);
	buffer_append_text(&source, render_probe);
	render_add_script(render, world, &source);
	buffer_free(&source);
	render_await(render, STEP_SETUP, "Emulation.setVirtualTimePolicy",
		     json_pack("{s:s, s:f}", "policy", "pause",
			       "initialVirtualTime",
			       (double)render->options.date_ms / 1000.0));
}

/* Let the clock of the page advance. */
static void render_run(struct page_render *render)
{
	render_send(render, "Emulation.setVirtualTimePolicy",
		    json_pack("{s:s, s:i, s:i}", "policy", "advance", "budget",
			      (int)RENDER_STEP_MS,
			      "maxVirtualTimeTaskStarvationCount",
			      (int)MAX_STARVING));
	render->step = STEP_RUN;
	render->awaited = 0;
	render->looks = 0;
	render->quiet_looks = 0;
}

static void render_evaluate(struct page_render *render, enum render_step step,
			    const char *expression)
{
	render_await(render, step, "Runtime.evaluate",
		     json_pack("{s:s, s:I, s:b}", "expression", expression,
			       "contextId", (json_int_t)render->world_id,
			       "returnByValue", 1));
}

/* Evaluate a call whose argument is a selector, or null. */
static void render_call(struct page_render *render, enum render_step step,
			const char *function, const char *selector)
{
	json_t *text = selector == NULL ? json_null() : json_string(selector);
	char *quoted = json_dumps(text, JSON_ENCODE_ANY);
	struct buffer call = {0};

	/* NULL if it is not UTF-8 */
	buffer_printf(&call, "%s(%s) ?? null", function,
		      quoted == NULL ? "\"\"" : quoted);
	render_evaluate(render, step, call.data);
	free(quoted);
	json_decref(text);
	buffer_free(&call);
}

static void render_ask_state(struct page_render *render)
{
	/* the clock may have to advance before the scripts run */
	render_call(render, STEP_STATE, "globalThis.templated?.state",
		    render->options.wait);
}

/* Forget what is known of a request. Return false if nothing was. */
static bool render_end_sending(struct page_render *render, uint64_t network,
			       bool is_sent)
{
	for (size_t i = 0; i < MAX_SENDING; i++) {
		struct render_sending *sending = &render->sending[i];

		if (sending->network == network &&
		    sending->is_sent == is_sent) {
			sending->network = 0;
			return true;
		}
	}
	return false;
}

/* Handle one of the two events of a request; the second one ends it. */
static void render_note_sending(struct page_render *render, const char *id,
				bool is_sent)
{
	const uint64_t network = hash64(id, strlen(id), 0);

	if (render_end_sending(render, network, !is_sent))
		return;
	render->sending[render->next_sending] =
		(struct render_sending){network, is_sent};
	render->next_sending = (render->next_sending + 1) % MAX_SENDING;
	if (is_sent)
		render->sending_until_ms = render->now_ms + MAX_SENDING_MS;
}

/* Forget requests that were sent, but have not come within their time. */
static void render_expire_sending(struct page_render *render)
{
	if (render->now_ms < render->sending_until_ms)
		return;
	for (size_t i = 0; i < MAX_SENDING; i++) {
		if (render->sending[i].is_sent)
			render->sending[i].network = 0;
	}
}

/* Return whether a request has been sent that has not come yet. */
static bool render_is_sending(const struct page_render *render)
{
	for (size_t i = 0; i < MAX_SENDING; i++) {
		if (render->sending[i].network != 0 &&
		    render->sending[i].is_sent)
			return true;
	}
	return false;
}

/*
 * While the clock stands still and no request waits, look at the state of the
 * page. Otherwise an event or the caller continues.
 */
static void render_look(struct page_render *render)
{
	if (render->step != STEP_PAUSED || render->loading[0] != '\0' ||
	    render->waiting_count > 0 || render_is_sending(render) ||
	    render->now_ms < render->look_at_ms)
		return;
	if (render->world_id != 0) {
		render_ask_state(render);
		return;
	}
	/* in a document without scripts, this is what makes ours run */
	render_send(render, "Runtime.evaluate",
		    json_pack("{s:s}", "expression", "0"));
	render_await(render, STEP_WORLD, "Page.createIsolatedWorld",
		     json_pack("{s:s, s:s}", "frameId", render->target,
			       "worldName", world));
}

static void render_pause(struct page_render *render)
{
	render->step = STEP_PAUSED;
	render->awaited = 0;
	render_look(render);
}

/* End a page that has its DOM. */
static void render_end_screenshot(struct page_render *render,
				  enum screenshot_end end)
{
	render->screenshot_end = end;
	render_end(render, render->end);
}

/* The document was replaced while a command ran in it. */
static void render_retry(struct page_render *render)
{
	render->world_id = 0;
	render->looks++;
	if (render->looks > MAX_LOOKS)
		render_end(render, RENDER_NOT_LOADED);
	else
		render_pause(render);
}

bool page_render_is_done(struct page_render *render, uint64_t now_ms)
{
	render->now_ms = now_ms;
	if (render->step == STEP_SCREENSHOT &&
	    now_ms >= render->screenshot_until_ms)
		render_end_screenshot(render, SCREENSHOT_LATE);
	if (now_ms >= render->deadline_ms)
		render_end(render, RENDER_TIMEOUT);
	if (now_ms >= render->loading_until_ms)
		render->loading[0] = '\0';
	render_expire_sending(render);
	render_look(render);
	return render->step == STEP_ENDED;
}

static void render_save(struct page_render *render)
{
	struct buffer call = {0};

	buffer_printf(&call, "templated.save(%zu, %s)",
		      render->options.max_dom_bytes,
		      render->options.keep_consent ? "true" : "false");
	render_evaluate(render, STEP_SAVE, call.data);
	buffer_free(&call);
}

/*
 * Nothing happens any more while the clock stands still. Judge whether the page
 * is complete. It is not before the click and the scrolls, which need a page
 * that has settled. With a selector to wait for, it is when that matches.
 */
static void render_judge(struct page_render *render, bool is_found)
{
	const bool is_settled =
		render->state.is_ready && render->quiet_ms >= RENDER_QUIET_MS;
	const bool has_time = render->time_ms < render->options.time_ms;
	const bool has_click =
		render->options.click != NULL && !render->is_clicked;
	const bool has_scroll = render->options.scroll && !render->is_scrolled;
	bool is_complete = is_settled;

	if (render->options.wait != NULL)
		is_complete = is_found;
	is_complete &= !has_click && !has_scroll;
	render->end = is_complete ? RENDER_COMPLETE : RENDER_UNSETTLED;
	if (has_click && is_settled && has_time)
		render_call(render, STEP_CLICK, "templated.click",
			    render->options.click);
	else if (has_scroll && is_settled && has_time)
		render_evaluate(render, STEP_SCROLL, "templated.scroll()");
	else if (!is_complete && has_time)
		render_run(render);
	else if (!render->has_probe)
		render_end(render, RENDER_NOT_LOADED);
	else
		render_save(render);
}

/*
 * Compare the state of the page with the last one. Look again until it does not
 * change any more.
 */
static void render_take_state(struct page_render *render, const json_t *value)
{
	const char *url = cdp_text(value, "url", MAX_RENDER_URL);
	const struct render_state state = {
		.is_ready = json_is_true(json_object_get(value, "ready")),
		.changes =
			json_is_null(value) ? 0 : cdp_whole(value, "changes"),
		.active = render->active,
	};
	const bool is_same = state.is_ready == render->state.is_ready &&
			     state.changes == render->state.changes &&
			     state.active == render->state.active;

	if (state.changes == UINT64_MAX) {
		render_end(render, RENDER_MALFORMED);
		return;
	}
	if (url != NULL && strcmp(url, render->url) != 0) {
		free(render->url);
		render->url = mem_copy_text(url, strlen(url));
	}
	render->state = state;
	render->has_probe = !json_is_null(value);
	if (!is_same)
		render->quiet_ms = 0;
	render->quiet_looks = is_same ? render->quiet_looks + 1 : 0;
	render->looks++;
	/* other threads of the browser prepare a script that has arrived */
	if (!state.is_ready && is_same)
		render->look_at_ms = render->now_ms + LOAD_PAUSE_MS;
	if (render->waiting_count > 0 || render_is_sending(render) ||
	    (render->quiet_looks < QUIET_LOOKS && render->looks < MAX_LOOKS))
		render_pause(render);
	else
		render_judge(render,
			     json_is_true(json_object_get(value, "found")));
}

/* An element that is missing may appear later. */
static void render_take_click(struct page_render *render, const json_t *value)
{
	render->is_clicked = json_is_true(value);
	render->quiet_ms = 0;
	render_run(render);
}

/* What a scroll shows may need requests; then the page must settle again. */
static void render_take_scroll(struct page_render *render, const json_t *value)
{
	render->scrolls++;
	render->is_scrolled =
		!json_is_true(value) || render->scrolls == MAX_SCROLLS;
	render->quiet_ms = RENDER_QUIET_MS - SCROLL_QUIET_MS;
	render_run(render);
}

/*
 * The DOM is complete. Take the screenshot, if one is wanted. The browser may
 * draw nothing while the clock is stopped, so it runs, but no script does,
 * and no request is answered.
 */
static void render_ask_screenshot(struct page_render *render)
{
	if (render->options.screenshot == 0) {
		render_end(render, render->end);
		return;
	}
	render->screenshot_until_ms = render->now_ms + MAX_SCREENSHOT_MS;
	if (render->screenshot_until_ms > render->deadline_ms)
		render->screenshot_until_ms = render->deadline_ms;
	render_send(render, "Emulation.setScriptExecutionDisabled",
		    json_pack("{s:b}", "value", 1));
	render_send(render, "Emulation.setVirtualTimePolicy",
		    json_pack("{s:s}", "policy", "advance"));
	render_await(render, STEP_SCREENSHOT, "Page.captureScreenshot",
		     screenshot_parameters(render->options.screenshot));
}

static void render_ask_piece(struct page_render *render)
{
	struct buffer call = {0};

	if (render->piece == render->piece_count) {
		render_ask_screenshot(render);
		return;
	}
	buffer_printf(&call, "templated.piece(%u)", (unsigned)render->piece);
	render_evaluate(render, STEP_PIECE, call.data);
	buffer_free(&call);
}

static void render_take_count(struct page_render *render, const json_t *value)
{
	/* a piece has at least a byte */
	if (!json_is_integer(value) ||
	    json_integer_value(value) >
		    (json_int_t)render->options.max_dom_bytes) {
		render_end(render, RENDER_MALFORMED);
		return;
	}
	if (json_integer_value(value) < 0) {
		render_end(render, RENDER_DOM_TOO_LARGE);
		return;
	}
	render->piece = 0;
	render->piece_count = (uint64_t)json_integer_value(value);
	render_ask_piece(render);
}

static void render_take_piece(struct page_render *render, const json_t *value)
{
	size_t room = render->options.max_dom_bytes - render->dom.size;

	if (!json_is_string(value) || json_string_length(value) == 0) {
		render_end(render, RENDER_MALFORMED);
		return;
	}
	if (json_string_length(value) > room) {
		render_end(render, RENDER_DOM_TOO_LARGE);
		return;
	}
	buffer_append(&render->dom, json_string_value(value),
		      json_string_length(value));
	render->piece++;
	render_ask_piece(render);
}

/* A response to Runtime.evaluate: {"result": {"value": ...}}. */
static void render_take_value(struct page_render *render,
			      const struct cdp_message *message)
{
	const json_t *result = json_object_get(message->value, "result");
	const json_t *value = json_object_get(result, "value");
	bool is_thrown =
		json_object_get(message->value, "exceptionDetails") != NULL;

	switch (render->step) {
	case STEP_STATE:
		if (is_thrown && render->options.wait != NULL)
			render_end(render, RENDER_SELECTOR);
		else if (is_thrown)
			render_retry(render);
		else
			render_take_state(render, value);
		break;
	case STEP_CLICK:
		if (is_thrown)
			render_end(render, RENDER_SELECTOR);
		else
			render_take_click(render, value);
		break;
	case STEP_SCROLL:
		render_take_scroll(render, value);
		break;
	case STEP_SAVE:
		render_take_count(render, value);
		break;
	default:
		render_take_piece(render, value);
		break;
	}
}

static void render_take_world(struct page_render *render,
			      const struct cdp_message *message)
{
	render->world_id = cdp_whole(message->value, "executionContextId");
	if (render->world_id == 0 || render->world_id > INT32_MAX)
		render_end(render, RENDER_MALFORMED);
	else
		render_ask_state(render);
}

static void render_take_target(struct page_render *render,
			       const struct cdp_message *message)
{
	if (render_take_id(render, message, "targetId", render->target))
		render_await(render, STEP_ATTACH, "Target.attachToTarget",
			     json_pack("{s:s, s:b}", "targetId", render->target,
				       "flatten", 1));
}

static void render_take_context(struct page_render *render,
				const struct cdp_message *message)
{
	if (!render_take_id(render, message, "browserContextId",
			    render->context))
		return;
	cdp_send(render->cdp, "", "Browser.setDownloadBehavior",
		 json_pack("{s:s, s:s}", "behavior", "deny", "browserContextId",
			   render->context));
	render_await(render, STEP_TARGET, "Target.createTarget",
		     json_pack("{s:s, s:s}", "url", "about:blank",
			       "browserContextId", render->context));
}

static void render_take_response(struct page_render *render,
				 const struct cdp_message *message)
{
	switch (render->step) {
	case STEP_CONTEXT:
		render_take_context(render, message);
		break;
	case STEP_TARGET:
		render_take_target(render, message);
		break;
	case STEP_ATTACH:
		if (render_take_id(render, message, "sessionId",
				   render->session))
			render_setup(render);
		break;
	case STEP_SETUP:
		render_await(render, STEP_NAVIGATE, "Page.navigate",
			     json_pack("{s:s}", "url", render->options.url));
		break;
	case STEP_NAVIGATE:
		if (json_object_get(message->value, "errorText") != NULL)
			render_end(render, RENDER_NOT_LOADED);
		else
			render_pause(render);
		break;
	case STEP_WORLD:
		render_take_world(render, message);
		break;
	case STEP_SCREENSHOT:
		render_end_screenshot(
			render,
			screenshot_read(message->value, &render->screenshot));
		break;
	default:
		render_take_value(render, message);
		break;
	}
}

static enum render_kind render_kind_of(const char *type)
{
	static const struct {
		const char *type;
		enum render_kind kind;
	} kinds[] = {
		{"Document", RENDER_DOCUMENT}, {"Script", RENDER_SCRIPT},
		{"Stylesheet", RENDER_STYLE},  {"XHR", RENDER_DATA},
		{"Fetch", RENDER_DATA},        {"EventSource", RENDER_DATA},
		{"Image", RENDER_IMAGE},       {"Font", RENDER_FONT},
		{"Media", RENDER_MEDIA},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(type, kinds[i].type) == 0)
			return kinds[i].kind;
	}
	return RENDER_OTHER;
}

/* Return whether the text is a name of a header (RFC 9110, 5.6.2). */
static bool is_token(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char byte = slice_byte(text, i);

		if (byte == '\0' || (!is_alphanumeric(byte) &&
				     strchr("!#$%&'*+-.^_`|~", byte) == NULL))
			return false;
	}
	return text.size > 0;
}

/* Return whether the text can be the value of a header. */
static bool is_field_value(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)slice_byte(text, i);

		if ((byte < ' ' && byte != '\t') || byte == 0x7f)
			return false;
	}
	return true;
}

/* Read the headers of a request; leave out those that are invalid. */
static struct slice render_read_head(struct page_render *render,
				     json_t *headers)
{
	struct buffer head = {0};
	struct slice copy;
	size_t count = 0;
	const char *name;
	json_t *value;

	json_object_foreach(headers, name, value)
	{
		const char *text = json_string_value(value);

		if (count == MAX_RENDER_HEADERS)
			break;
		if (text == NULL || !is_token(slice_of(name)) ||
		    !is_field_value(slice_of(text)) ||
		    head.size + strlen(name) + strlen(text) > MAX_RENDER_HEAD)
			continue;
		buffer_printf(&head, "%s: %s\r\n", name, text);
		count++;
	}
	copy = arena_slice(render->arena, buffer_slice(&head));
	buffer_free(&head);
	return copy;
}

static bool is_method(const char *text)
{
	if (text == NULL || *text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text < 'A' || *text > 'Z')
			return false;
	}
	return true;
}

/*
 * Return whether a script waits for the answer: a synchronous XMLHttpRequest.
 * Only these have the highest priority, whatever a page says.
 */
static bool is_blocking(const char *type, const json_t *sent)
{
	const char *priority = cdp_text(sent, "initialPriority", MAX_CDP_ID);

	return strcmp(type, "XHR") == 0 && priority != NULL &&
	       strcmp(priority, "VeryHigh") == 0;
}

/* Copy an id of the event; "" if it has none. */
static void render_copy_id(const json_t *event, const char *name,
			   char id_out[MAX_CDP_ID + 1])
{
	const char *id = cdp_text(event, name, MAX_CDP_ID);

	snprintf(id_out, MAX_CDP_ID + 1, "%s", id == NULL ? "" : id);
}

/*
 * Read the event Fetch.requestPaused. Return false if it is invalid. The method
 * and the body point into the message; the URL, too.
 */
static bool render_read_request(struct page_render *render,
				const struct cdp_message *message,
				struct render_waiting *waiting)
{
	const json_t *event = message->value;
	const json_t *sent = json_object_get(event, "request");
	const char *type = cdp_text(event, "resourceType", MAX_CDP_ID);
	const char *frame = cdp_text(event, "frameId", MAX_CDP_ID);
	struct page_request *request = &waiting->request;

	render_copy_id(event, "requestId", waiting->id);
	render_copy_id(event, "networkId", waiting->network);
	request->method = cdp_text(sent, "method", MAX_METHOD);
	request->url = cdp_text(sent, "url", MAX_RENDER_URL);
	request->body = slice_of(cdp_text(sent, "postData", MAX_RENDER_BODY));
	if (waiting->id[0] == '\0' || type == NULL || request->url == NULL ||
	    !is_method(request->method) ||
	    (request->body.data == NULL &&
	     json_is_true(json_object_get(sent, "hasPostData"))))
		return false;
	request->kind = render_kind_of(type);
	request->is_page = request->kind == RENDER_DOCUMENT && frame != NULL &&
			   strcmp(frame, render->target) == 0;
	waiting->is_blocking = is_blocking(type, sent);
	return true;
}

static size_t render_add_line(struct page_render *render,
			      const struct page_request *request)
{
	struct render_line *line;

	render->lines = mem_grow(render->lines, render->count,
				 &render->capacity, sizeof(*render->lines));
	line = &render->lines[render->count];
	*line = (struct render_line){
		.method = arena_copy(render->arena, request->method,
				     strlen(request->method)),
		.url = arena_copy(render->arena, request->url,
				  strlen(request->url)),
		.kind = request->kind,
		.fate = RENDER_REFUSED,
	};
	return render->count++;
}

/* A page whose navigation is refused stays where it is. */
static void render_refuse(struct page_render *render, const char *id,
			  enum render_kind kind)
{
	render_send(render, "Fetch.failRequest",
		    json_pack("{s:s, s:s}", "requestId", id, "errorReason",
			      kind == RENDER_DOCUMENT ? "Aborted"
						      : "BlockedByClient"));
}

/* A transparent picture of one pixel. */
static const uint8_t pixel[] =
	"GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377!\371\4\1\0\0\0\0,\0\0\0\0"
	"\1\0\1\0\0\2\1D\0;";

static json_t *render_header(struct slice name, struct slice value)
{
	return json_pack("{s:s%, s:s%}", "name", name.data, name.size, "value",
			 value.data, value.size);
}

/*
 * Return the header lines for Fetch.fulfillRequest. Without those that describe
 * the connection or a coding, because the body has none.
 */
static json_t *render_headers_of(struct slice head)
{
	static const char *const left_out[] = {
		"Content-Encoding", "Transfer-Encoding", "Content-Length",
		"Connection",       "Keep-Alive",
	};
	json_t *headers = json_array();

	while (head.size > 0 && json_array_size(headers) < MAX_RENDER_HEADERS) {
		struct slice line = line_take(&head);
		const char *colon = line.size == 0
					    ? NULL
					    : memchr(line.data, ':', line.size);
		struct slice name = {line.data, 0};
		json_t *header = NULL;
		bool is_left_out = colon == NULL || colon == line.data;

		for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out);
		     i++)
			is_left_out |=
				header_value(line, left_out[i]).data != NULL;
		if (is_left_out)
			continue;
		name.size = (size_t)(colon - (const char *)line.data);
		slice_advance(&line, name.size + 1);
		while (line.size > 0 && slice_byte(line, 0) == ' ')
			slice_advance(&line, 1);
		if (is_token(name) && is_field_value(line))
			header = render_header(name, line);
		/* NULL if it is not UTF-8 */
		if (header != NULL)
			json_array_append_new(headers, header);
	}
	return headers;
}

static void render_fulfill(struct page_render *render, const char *id,
			   const struct page_answer *answer)
{
	char *coded =
		mem_alloc(1, BASE64_ENCODE_RAW_LENGTH(answer->body.size) + 1);

	base64_encode_raw(coded, answer->body.size, answer->body.data);
	render_send(render, "Fetch.fulfillRequest",
		    json_pack("{s:s, s:i, s:s, s:o, s:s}", "requestId", id,
			      "responseCode", (int)answer->status,
			      /* needed for codes that have no phrase */
			      "responsePhrase", "Archived", "responseHeaders",
			      render_headers_of(answer->head), "body", coded));
	free(coded);
}

/* Answer a request whose kind is not loaded. Pictures load, but are empty. */
static void render_block(struct page_render *render,
			 const struct render_waiting *waiting)
{
	static const char type[] = "Content-Type: image/gif\r\n";
	const struct page_answer answer = {
		200, {type, sizeof(type) - 1}, {pixel, sizeof(pixel) - 1}};

	render->lines[waiting->line].fate = RENDER_BLOCKED;
	if (waiting->request.kind == RENDER_IMAGE)
		render_fulfill(render, waiting->id, &answer);
	else
		render_refuse(render, waiting->id, waiting->request.kind);
}

/* Make the texts of a request outlive its message. */
static void render_keep_request(struct page_render *render,
				const struct cdp_message *message,
				struct render_waiting *waiting)
{
	const json_t *sent = json_object_get(message->value, "request");
	struct page_request *request = &waiting->request;

	waiting->line = render_add_line(render, request);
	request->number = (uint32_t)waiting->line;
	request->method = render->lines[waiting->line].method;
	request->url = render->lines[waiting->line].url;
	request->head =
		render_read_head(render, json_object_get(sent, "headers"));
	if (request->body.size > 0)
		waiting->body =
			mem_copy_text(request->body.data, request->body.size);
	request->body.data = waiting->body;
}

static void render_take_request(struct page_render *render,
				const struct cdp_message *message)
{
	struct render_waiting waiting = {0};
	bool is_read;

	if (render->count + render->refused - render->blocked >=
		    render->options.max_requests ||
	    render->blocked / MAX_BLOCKED_FACTOR >=
		    render->options.max_requests) {
		render_end(render, RENDER_TOO_MANY_REQUESTS);
		return;
	}
	is_read = render_read_request(render, message, &waiting);
	if (waiting.network[0] != '\0')
		render_note_sending(render, waiting.network, false);
	if (!is_read) {
		/* a URL or a body that is too long, or nonsense */
		if (waiting.id[0] != '\0')
			render_refuse(render, waiting.id, waiting.request.kind);
		render->refused++;
		return;
	}
	/* what is stored of it is not larger than its message */
	if (message->bytes > MAX_REQUEST_BYTES - render->request_bytes) {
		render_end(render, RENDER_TOO_MANY_BYTES);
		return;
	}
	render->request_bytes += message->bytes;
	render_keep_request(render, message, &waiting);
	render->blocked +=
		(waiting.request.kind & render->options.blocked) != 0;
	if ((waiting.request.kind & render_active) != 0)
		render->active++;
	/* a redirect: the answer has arrived */
	if (strcmp(waiting.network, render->loading) == 0)
		render->loading[0] = '\0';
	render->waiting =
		mem_grow(render->waiting, render->waiting_count,
			 &render->waiting_capacity, sizeof(*render->waiting));
	render->waiting[render->waiting_count++] = waiting;
}

/*
 * Return the index of the first request that can be answered now. A script that
 * is blocked stops all others, and a page that leaves its document runs none of
 * ours until the next one has arrived: their requests come first.
 */
static size_t render_first(const struct page_render *render)
{
	size_t i = 0;

	if (render->step == STEP_ENDED)
		return render->waiting_count;
	if (render->is_asked)
		return render->asked;
	if (render->step == STEP_SCREENSHOT)
		return render->waiting_count;
	while (i < render->waiting_count && !render->waiting[i].is_blocking &&
	       !render->waiting[i].request.is_page)
		i++;
	if (i < render->waiting_count)
		return i;
	i = 0;
	if (render->loading[0] == '\0' &&
	    (render->step == STEP_NAVIGATE || render->step == STEP_PAUSED))
		return 0;
	while (i < render->waiting_count &&
	       (render->waiting[i].request.kind & RENDER_OTHER) == 0)
		i++;
	return i;
}

/*
 * Remove a request from the queue. The next one is answered after this answer
 * has arrived, so that the order in which a page gets its answers is always the
 * same.
 */
static struct render_waiting render_remove(struct page_render *render, size_t i)
{
	struct render_waiting waiting = render->waiting[i];

	render->is_asked = false;
	render->waiting_count--;
	memmove(render->waiting + i, render->waiting + i + 1,
		(render->waiting_count - i) * sizeof(*render->waiting));
	if (render->step == STEP_PAUSED && !waiting.is_blocking &&
	    waiting.request.kind != RENDER_OTHER) {
		memcpy(render->loading, waiting.network,
		       strlen(waiting.network) + 1);
		render->loading_until_ms =
			render->now_ms +
			(waiting.request.kind == RENDER_DOCUMENT
				 ? MAX_LOADING_DOCUMENT_MS
				 : MAX_LOADING_MS);
	}
	return waiting;
}

/* Give a waiting request to the caller. */
static void render_show(struct render_waiting *waiting,
			struct page_request *request_out)
{
	*request_out = waiting->request;
	request_out->is_new = !waiting->is_seen;
	waiting->is_seen = true;
}

bool page_render_ahead(struct page_render *render,
		       struct page_request *request_out)
{
	/* requests during a screenshot are never answered */
	if (render->step == STEP_SCREENSHOT || render->step == STEP_ENDED)
		return false;
	for (size_t i = 0; i < render->waiting_count; i++) {
		struct render_waiting *waiting = &render->waiting[i];

		if (waiting->is_seen ||
		    (waiting->request.kind & render->options.blocked) != 0)
			continue;
		render_show(waiting, request_out);
		return true;
	}
	return false;
}

bool page_render_request(struct page_render *render,
			 struct page_request *request_out)
{
	size_t first;

	while (first = render_first(render), first < render->waiting_count) {
		struct render_waiting waiting = render->waiting[first];

		if ((waiting.request.kind & render->options.blocked) == 0) {
			render->is_asked = true;
			render->asked = first;
			render_show(&render->waiting[first], request_out);
			return true;
		}
		waiting = render_remove(render, first);
		render_block(render, &waiting);
		free(waiting.body);
		render_look(render);
	}
	return false;
}

void page_render_answer(struct page_render *render,
			const struct page_answer *answer)
{
	struct render_waiting waiting;
	struct render_line *line;

	if (render->step == STEP_ENDED)
		return;
	waiting = render_remove(render, render_first(render));
	line = &render->lines[waiting.line];
	if (answer->body.size > render->options.max_bytes - render->bytes) {
		render_end(render, RENDER_TOO_MANY_BYTES);
	} else if (answer->status < 200 || answer->status > 599) {
		render_refuse(render, waiting.id, waiting.request.kind);
	} else {
		line->fate = RENDER_ANSWERED;
		line->status = answer->status;
		render->bytes += answer->body.size;
		render_fulfill(render, waiting.id, answer);
	}
	free(waiting.body);
	render_look(render);
}

/* The renderer has sent a request, which will be paused. */
static void render_take_sent(struct page_render *render,
			     const struct cdp_message *message)
{
	const char *id = cdp_text(message->value, "requestId", MAX_CDP_ID);
	const char *url = json_string_value(json_object_get(
		json_object_get(message->value, "request"), "url"));

	if (id != NULL && url != NULL && strncmp(url, "http", 4) == 0)
		render_note_sending(render, id, true);
}

/* An answer has arrived in the page, maybe without a request to us. */
static void render_take_arrival(struct page_render *render,
				const struct cdp_message *message)
{
	const char *id = cdp_text(message->value, "requestId", MAX_CDP_ID);

	if (id != NULL &&
	    render_end_sending(render, hash64(id, strlen(id), 0), true))
		render_look(render);
	if (id == NULL || render->loading[0] == '\0' ||
	    strcmp(id, render->loading) != 0)
		return;
	render->loading[0] = '\0';
	render_look(render);
}

/* The document was replaced. By an error page it must not. */
static void render_take_navigation(struct page_render *render,
				   const struct cdp_message *message)
{
	const json_t *frame = json_object_get(message->value, "frame");
	const char *id = cdp_text(frame, "id", MAX_CDP_ID);

	if (id == NULL || strcmp(id, render->target) != 0)
		return;
	render->world_id = 0;
	if (json_object_get(frame, "unreachableUrl") != NULL)
		render_end(render, RENDER_NOT_LOADED);
}

static void render_take_event(struct page_render *render,
			      const struct cdp_message *message)
{
	const char *method = message->method;

	if (strcmp(method, "Fetch.requestPaused") == 0) {
		render_take_request(render, message);
	} else if (strcmp(method, "Network.requestWillBeSent") == 0) {
		render_take_sent(render, message);
	} else if (strcmp(method, "Emulation.virtualTimeBudgetExpired") == 0) {
		if (render->step != STEP_RUN)
			return;
		render->time_ms += RENDER_STEP_MS;
		render->quiet_ms += RENDER_STEP_MS;
		render_pause(render);
	} else if (strcmp(method, "Network.loadingFinished") == 0 ||
		   strcmp(method, "Network.loadingFailed") == 0 ||
		   strcmp(method, "Network.requestServedFromCache") == 0) {
		render_take_arrival(render, message);
	} else if (strcmp(method, "Page.frameNavigated") == 0) {
		render_take_navigation(render, message);
	} else if (strcmp(method, "Page.javascriptDialogOpening") == 0) {
		render_send(render, "Page.handleJavaScriptDialog",
			    json_pack("{s:b}", "accept", 0));
	} else if (strcmp(method, "Inspector.targetCrashed") == 0 ||
		   strcmp(method, "Inspector.detached") == 0) {
		render_end(render, RENDER_CRASHED);
	}
}

void page_render_take(struct page_render *render,
		      const struct cdp_message *message)
{
	if (render->step == STEP_ENDED) {
		render_take_closed(render, message);
		return;
	}
	if (message->id != 0 && message->id == render->awaited) {
		render->awaited = 0;
		if (message->error == NULL)
			render_take_response(render, message);
		else if (render->step == STEP_SCREENSHOT)
			render_end_screenshot(render, SCREENSHOT_FAILED);
		else if (render->step >= STEP_WORLD)
			render_retry(render);
		else
			render_end(render, RENDER_NOT_LOADED);
	} else if (message->id == 0 && render->session[0] != '\0' &&
		   strcmp(message->session, render->session) == 0) {
		render->messages++;
		if (render->messages > MAX_MESSAGES_PER_PAGE)
			render_end(render, RENDER_TOO_MANY_REQUESTS);
		else
			render_take_event(render, message);
	}
}

struct render_result page_render_result(const struct page_render *render)
{
	assert(render->step == STEP_ENDED);
	return (struct render_result){
		.end = render->end,
		.dom = buffer_slice(&render->dom),
		.url = render->url,
		.time_ms = render->time_ms,
		.bytes = render->bytes,
		.lines = render->lines,
		.count = render->count,
		.screenshot = buffer_slice(&render->screenshot),
		.screenshot_end = render->screenshot_end,
	};
}
