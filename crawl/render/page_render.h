/*
 * crawl/render/page_render.h - renders one page in a browser that has no
 * network. Each request of the page is given to the caller, who answers it. A
 * state machine without I/O and clock: the caller moves the messages
 * (crawl/render/cdp.h) and passes the time, so that a test, a fuzzer or a
 * process can drive it, and several pages can share one browser.
 *
 * The page runs in a browser context of its own, in virtual time. Its clock
 * stands still, except for steps of RENDER_STEP_MS, in which it jumps from
 * timer to timer. Between two steps the requests are answered, one after
 * another, each after the last answer has arrived; the next step begins when
 * nothing happens any more. The page is complete when it has loaded and
 * RENDER_QUIET_MS pass without a request and without a change of the DOM. Then
 * its DOM is read, and a screenshot is taken, if one is wanted. So the same
 * answers give the same DOM, on a fast and on a slow machine. Only threads of
 * the page (workers) do not follow the virtual time.
 */
#ifndef CRAWL_RENDER_PAGE_RENDER_H
#define CRAWL_RENDER_PAGE_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "crawl/render/cdp.h"
#include "crawl/render/screenshot.h"

enum {
	RENDER_STEP_MS = 50,
	RENDER_QUIET_MS = 300,
	RENDER_TICK_MS = 10,
	MAX_RENDER_HEADERS = LIMIT(64, 4),         /* of a request */
	MAX_RENDER_HEAD = LIMIT(32 * 1024, 128),   /* bytes of its headers */
	MAX_RENDER_URL = LIMIT(8192, 128),         /* bytes */
	MAX_RENDER_BODY = LIMIT(1024 * 1024, 128), /* bytes of its body */
	MAX_RENDER_SELECTOR = 512,                 /* bytes */
};

/* How the rendering of a page has ended. X(constant, phrase). */
#define RENDER_END_LIST(X)                                                  \
	X(RENDER_COMPLETE, "complete")                                      \
	X(RENDER_UNSETTLED, "the page did not settle within its time")      \
	X(RENDER_NOT_LOADED, "the document could not be loaded")            \
	X(RENDER_TIMEOUT, "the page took longer than allowed")              \
	X(RENDER_TOO_MANY_REQUESTS, "the page sent too many requests")      \
	X(RENDER_TOO_MANY_BYTES, "the page loaded too many bytes")          \
	X(RENDER_DOM_TOO_LARGE, "the DOM is too large")                     \
	X(RENDER_CRASHED, "the page crashed")                               \
	X(RENDER_MALFORMED, "the browser sent an invalid message")          \
	X(RENDER_SELECTOR, "the selector is invalid")                       \
	X(RENDER_BROWSER_ENDED, "the browser ended or exceeded its limits") \
	X(RENDER_TOO_MUCH_MEMORY, "the browser used too much memory")

enum render_end {
#define X(name, text) name,
	RENDER_END_LIST(X)
#undef X
		RENDER_END_COUNT
};

/* Return a phrase for messages; static memory. */
const char *render_end_text(enum render_end end);

/* Return whether there is a DOM: RENDER_COMPLETE or RENDER_UNSETTLED. */
static inline bool render_has_dom(enum render_end end)
{
	return end <= RENDER_UNSETTLED;
}

/* Kinds of requests, as bits of a set. */
enum render_kind {
	RENDER_DOCUMENT = 1U << 0, /* also of a frame */
	RENDER_SCRIPT = 1U << 1,
	RENDER_STYLE = 1U << 2,
	RENDER_DATA = 1U << 3, /* fetch(), XMLHttpRequest, EventSource */
	RENDER_IMAGE = 1U << 4,
	RENDER_FONT = 1U << 5,
	RENDER_MEDIA = 1U << 6,
	RENDER_OTHER = 1U << 7,
};

/* Return the kind as one word, such as "script"; static memory. */
const char *render_kind_name(enum render_kind kind);

/*
 * Return NULL if the text may be a CSS selector, and otherwise a phrase that
 * says why not; static memory. The browser decides when the page is rendered
 * (RENDER_SELECTOR); this finds what is too long, no text, or not closed.
 */
const char *render_selector_problem(const char *text);

struct page_render_options {
	const char *url;      /* may have a fragment */
	uint64_t date_ms;     /* Unix time at which the page begins */
	uint32_t seed;        /* of its random numbers */
	const char *wait;     /* complete when this selector matches; or
				 NULL */
	const char *click;    /* click the first element that this selector
				 matches, when the page has settled; or NULL */
	bool scroll;          /* then scroll to the end, until nothing is
				 added there any more */
	bool keep_consent;    /* keep layers that ask for consent */
	uint32_t time_ms;     /* maximum virtual time */
	uint32_t max_wall_ms; /* maximum real time */
	uint32_t max_requests;
	uint64_t max_bytes; /* sum of the bodies of all answers */
	size_t max_dom_bytes;
	unsigned blocked; /* kinds that are not loaded */
	/* width of the screenshot, at most SCREENSHOT_WIDTH; 0 = none */
	uint32_t screenshot;
};

extern const struct page_render_options page_render_options_default;

/* A request of the page, which waits for its answer. */
struct page_request {
	uint32_t number; /* differs for each request of the page */
	bool is_new;     /* the caller sees it for the first time */
	const char *method;
	const char *url;
	struct slice head; /* header lines, each with CR LF */
	struct slice body;
	enum render_kind kind;
	bool is_page; /* the document of the page, not of a frame */
};

struct page_answer {
	uint16_t status;   /* 0 = refused; otherwise 200 to 599 */
	struct slice head; /* header lines; a status line is ignored */
	struct slice body; /* without codings */
};

enum render_fate {
	RENDER_ANSWERED,
	RENDER_REFUSED, /* the caller refused it */
	RENDER_BLOCKED, /* its kind is not loaded */
};

/* A line in the list of requests. */
struct render_line {
	char *method;
	char *url;
	enum render_kind kind;
	enum render_fate fate;
	uint16_t status;
};

struct render_result {
	enum render_end end;
	struct slice dom; /* HTML in UTF-8, with declarative shadow roots */
	const char *url;  /* URL of the document at the end */
	uint32_t time_ms; /* virtual time of the page */
	uint64_t bytes;   /* of the bodies */
	const struct render_line *lines; /* [count] */
	size_t count;
	struct slice screenshot; /* WebP; empty = none */
	enum screenshot_end screenshot_end;
};

struct page_render;

/*
 * Begin to render a page. The commands are appended to `cdp`, which, like the
 * texts of the options, must outlive the result.
 */
struct page_render *
page_render_create(struct cdp *cdp, const struct page_render_options *options,
		   uint64_t now_ms);
void page_render_destroy(struct page_render *render); /* NULL is a no-op */

/* Handle a message of the browser. Messages for other pages are ignored. */
void page_render_take(struct page_render *render,
		      const struct cdp_message *message);

/* Give the page up. Does nothing if it has already ended. */
void page_render_stop(struct page_render *render, enum render_end end);

/*
 * Write the next request to `request_out`, valid until page_render_answer().
 * Return false if no request waits for an answer.
 */
bool page_render_request(struct page_render *render,
			 struct page_request *request_out);
/*
 * Write a request that will wait for an answer, and that the caller has not
 * seen yet, so that it can prepare the answer meanwhile. It is valid until it
 * is answered. Return false without one.
 */
bool page_render_ahead(struct page_render *render,
		       struct page_request *request_out);
/* Answer the request. Does nothing if the page has ended meanwhile. */
void page_render_answer(struct page_render *render,
			const struct page_answer *answer);

/*
 * Give the page up if its real time is over. Return whether the page has ended.
 * Call it at least every RENDER_TICK_MS.
 */
bool page_render_is_done(struct page_render *render, uint64_t now_ms);

/*
 * Return whether the browser has confirmed that nothing of the page, which has
 * ended, is left.
 */
bool page_render_is_closed(const struct page_render *render);

/* Return the result of a page that has ended; it belongs to `render`. */
struct render_result page_render_result(const struct page_render *render);

#endif
