/*
 * daemon/engine/rendering.h - render pages in a browser without a network
 * (daemon/privsep/renderer.h), several at a time. One thread moves the pages:
 * it gives them to the browser, and answers their requests
 * (daemon/engine/page_serving.h). The browser is replaced when it has rendered
 * enough pages, and after a page that exceeds a limit, when its other pages
 * have ended. If it exits before, its other pages are rendered again, each
 * alone.
 */
#ifndef DAEMON_ENGINE_RENDERING_H
#define DAEMON_ENGINE_RENDERING_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/fetch.h"
#include "crawl/render/page_render.h"
#include "crawl/url/url.h"

struct archive;
struct rendering;
struct spawner;
struct store;

struct rendering_options {
	struct store *store;     /* for stored robots.txt files */
	struct spawner *spawner; /* has a launcher */
	struct fetch_options fetch;
	struct page_render_options page; /* the limits */
	uint32_t tabs;      /* pages at a time, at most MAX_BROWSER_TABS */
	uint32_t max_pages; /* pages until the browser is replaced */
	uint32_t idle_ms;   /* time until an unused browser is stopped */
	uint32_t robots_ttl_ms;
	bool ignores_robots;
	struct archive *archive;   /* gets all responses; or NULL */
	bool archives_credentials; /* as of struct archived_fetch */
};

/*
 * Start the thread; the processes are started when they are needed. NULL: the
 * thread cannot be started.
 */
struct rendering *rendering_create(const struct rendering_options *options);

/*
 * End all pages with ERR_STOPPED, and refuse further ones. Afterwards no page
 * is left. Any thread but that of an on_done function.
 */
void rendering_stop(struct rendering *rendering);

/* rendering_stop() must have been called. NULL is a no-op. */
void rendering_destroy(struct rendering *rendering);

struct rendered_page {
	enum render_end end;
	struct buffer dom; /* HTML in UTF-8; if render_has_dom(end) */
	struct buffer url; /* URL of the document at the end, with a NUL */
	char document[MAX_URL_BYTES + 1]; /* URL that the last document of the
					     page was loaded from */
	uint32_t time_ms;
	json_t *requests;         /* a list of objects, or NULL */
	struct buffer reason;     /* English text after an error, with a NUL */
	struct buffer screenshot; /* WebP; empty = none */
	enum screenshot_end screenshot_end;
};

void rendered_page_free(struct rendered_page *page);

/* A page to render. The caller owns everything, also what is written. */
struct render_task {
	const struct url *url;
	struct slice body;   /* the document */
	struct slice head;   /* its header lines; empty = only `charset` */
	const char *charset; /* "" = unknown */
	uint64_t date_ms;    /* Unix time at which the page begins */
	const char *wait;    /* a selector, or NULL; as `click` */
	const char *click;
	bool scroll;
	uint32_t screenshot;  /* its width; 0 = none */
	bool is_offline;      /* refuse all requests */
	bool wants_requests;  /* set `requests` of the result */
	uint32_t site_flags;  /* SITE_* flags of the site */
	const char *headers;  /* of the site; or NULL */
	const char *proxy;    /* of the site; or NULL */
	struct slice cookies; /* of the site, as struct cookies */
	bool is_urgent;       /* a client waits: before the others, by turns */
	/* no client waits: end it if it has not begun; any thread */
	atomic_bool is_unwanted;
	/* called when the page has ended; may free the task */
	void (*on_done)(struct render_task *task);
	void *context;
	/*
	 * The result. ERR_NONE: page.end says how the page has ended. ERR_IO:
	 * the browser cannot be started; page.reason has the reason.
	 * ERR_STOPPED: the daemon stops, or the task is unwanted.
	 */
	enum error error;
	struct rendered_page page;
	uint32_t elapsed_ms; /* since the browser got the page */
	/* only for rendering.c */
	struct render_task *next;
	bool is_repeated;
};

/*
 * Queue a page. Any thread. After rendering_stop() it fails immediately, in the
 * calling thread, otherwise in the thread of `rendering`.
 */
void rendering_submit(struct rendering *rendering, struct render_task *task);

#endif
