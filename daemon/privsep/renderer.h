/*
 * daemon/privsep/renderer.h - a browser without a network, for the daemon. The
 * renderer is a process that starts a browser (daemon/privsep/browser.h), gives
 * up its rights, and renders several pages at a time, each in its own tab.
 * Each request of a page goes through the channel to the main process, which
 * answers it. The renderer gives the answers to the page in the order in which
 * the page has sent the requests. The browser ends with its renderer. Neither
 * the browser nor the renderer is trusted.
 */
#ifndef DAEMON_PRIVSEP_RENDERER_H
#define DAEMON_PRIVSEP_RENDERER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/render/page_render.h"
#include "daemon/privsep/browser.h"
#include "daemon/privsep/spawner_client.h"

/* The main function of the role. It serves until the channel is closed. */
role_main renderer_main;

enum { RENDERER_VARIABLE_BYTES = 700 };

/*
 * Write the variable of launcher_create() that tells renderers which browser to
 * start, and how.
 */
void renderer_variable(const struct browser_options *options,
		       char out[RENDERER_VARIABLE_BYTES]);

/* A renderer that is started when a page needs it. */
struct renderer;

struct renderer_options {
	struct spawner *launcher;
	size_t max_dom_bytes;
	/* do not wait for the browser when this is set */
	const atomic_bool *is_stopping;
};

struct renderer *renderer_create(const struct renderer_options *options);
void renderer_destroy(struct renderer *renderer); /* NULL is a no-op */

/*
 * Start the browser unless it is running. ERR_IO: this failed; `reason` gets
 * why. Then it is not tried again for a while, which doubles with each failure.
 * ERR_STOPPED: the daemon stops.
 */
enum error renderer_start(struct renderer *renderer, struct buffer *reason);

/* Stop the browser if it is running. */
void renderer_rest(struct renderer *renderer);

bool renderer_is_running(const struct renderer *renderer);

/* Return a descriptor that can be read when there is an event; -1 = none. */
int renderer_file(const struct renderer *renderer);

/*
 * Wait until there is room for an order, or the renderer has exited. Return
 * false if neither happens within `wait_ms`.
 */
bool renderer_wait_for_room(const struct renderer *renderer, int wait_ms);

/*
 * Let the browser render a page, whose number was not used before. ERR_BUSY:
 * call it again later. ERR_STOPPED: the renderer has exited.
 */
enum error renderer_open(struct renderer *renderer, uint32_t page,
			 const struct page_render_options *options);

/* Answer request `number` of a page. Errors as of renderer_open(). */
enum error renderer_answer(struct renderer *renderer, uint32_t page,
			   uint32_t number, const struct page_answer *answer);

/* A rendered page. Free it with renderer_page_free(). */
struct renderer_page {
	enum render_end end;
	uint32_t time_ms; /* virtual time of the page */
	struct buffer dom;
	struct buffer url; /* URL of the document at the end, with a NUL */
	struct buffer screenshot; /* WebP; empty = none */
	enum screenshot_end screenshot_end;
};

void renderer_page_free(struct renderer_page *page);

struct renderer_event {
	uint32_t page;
	bool is_end;                 /* of the page; otherwise a request */
	struct page_request request; /* valid until the next event */
	struct renderer_page result; /* of the page; the caller owns it */
};

/*
 * Take the next event. ERR_TIMEOUT: no event has come. ERR_STOPPED: the
 * renderer has exited. ERR_MALFORMED: it has broken the protocol.
 */
enum error renderer_next(struct renderer *renderer,
			 struct renderer_event *event_out);

/*
 * Stop a renderer that has exited or misbehaved, and log this. `what` says what
 * it did; NULL = it has exited.
 */
void renderer_lose(struct renderer *renderer, const char *what);

/*
 * The protocol. The renderer sends RENDERER_READY first. Only for
 * daemon/privsep.
 */

enum renderer_frame {
	RENDERER_READY = 64, /* struct renderer_ready */
	RENDERER_PAGE,       /* to the renderer: struct renderer_order */
	RENDERER_ASK,        /* struct renderer_request; body: of the request */
	RENDERER_ANSWER, /* to the renderer: struct renderer_answer; body: the
			    header lines, then the body */
	RENDERER_DONE, /* struct renderer_result; body: the screenshot, then the
			  DOM */
};

enum {
	/* requests of a page that wait for their answers in the main process
	   or, until it is their turn, in the renderer; one more if the page
	   cannot go on without it */
	MAX_RENDER_AHEAD = 32,
};

struct renderer_ready {
	int32_t error; /* of browser_start() */
	uint32_t holds;
	uint32_t lacks;
	uint32_t reserved;
	struct slice reason;
};

struct renderer_order {
	uint64_t date_ms;
	uint64_t max_bytes;
	uint64_t max_dom_bytes;
	uint32_t seed;
	uint32_t time_ms;
	uint32_t max_wall_ms;
	uint32_t max_requests;
	uint32_t blocked;
	uint32_t page;
	uint32_t scroll; /* 0 or 1 */
	uint32_t screenshot;
	struct slice url;  /* with its NUL */
	struct slice wait; /* with its NUL; empty = none; as `click` */
	struct slice click;
};

struct renderer_request {
	uint32_t page;
	uint32_t number;
	uint32_t kind;
	uint32_t is_page;
	struct slice method; /* with its NUL, as the URL */
	struct slice url;
	struct slice head;
};

struct renderer_answer {
	uint32_t page;
	uint32_t number;
	uint32_t status;
	uint32_t head_bytes;
};

struct renderer_result {
	uint32_t end;
	uint32_t time_ms;
	uint32_t page;
	uint32_t screenshot_end;
	uint32_t screenshot_bytes;
	uint32_t reserved;
	struct slice url; /* with its NUL */
};

extern const struct row_codec renderer_ready_layout;
extern const struct row_codec renderer_order_layout;
extern const struct row_codec renderer_request_layout;
extern const struct row_codec renderer_answer_layout;
extern const struct row_codec renderer_result_layout;

enum { MAX_RENDERER_ANSWER_BYTES = 64 * 1024 * 1024 };

#endif
