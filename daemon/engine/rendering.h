/*
 * daemon/engine/rendering.h - render pages in a browser without a network
 * (daemon/privsep/renderer.h). The daemon answers the requests of a page: it
 * fetches them with a fetcher of its own, one after another, under the rules of
 * the site. Only GET is sent. The address filter and the permissions of the
 * site apply; documents obey robots.txt; the headers, the proxy and the cookies
 * of the site go only to its own origin, and only for the page and for what a
 * document of this origin requests; a host that answers 429 or 503 gets no
 * further requests of the page. One page is rendered at a time.
 */
#ifndef DAEMON_ENGINE_RENDERING_H
#define DAEMON_ENGINE_RENDERING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/fetch.h"
#include "crawl/render/page_render.h"
#include "crawl/url/url.h"

struct rendering;
struct spawner;
struct store;

struct rendering_options {
	struct store *store;     /* for stored robots.txt files */
	struct spawner *spawner; /* has a launcher */
	struct fetch_options fetch;
	struct page_render_options page; /* the limits */
	uint32_t max_pages; /* pages until the browser is replaced */
	uint32_t idle_ms;   /* time until an unused browser is stopped */
	uint32_t robots_ttl_ms;
	bool ignores_robots;
};

/* The processes are started when they are needed. */
struct rendering *rendering_create(const struct rendering_options *options);

/* Give up the running page, and refuse further ones. Any thread. */
void rendering_stop(struct rendering *rendering);

/* No thread may use it. NULL is a no-op. */
void rendering_destroy(struct rendering *rendering);

/*
 * Stop the browser if it was not used for a while. Call it now and then; any
 * thread.
 */
void rendering_rest(struct rendering *rendering);

/* A page to render. The caller owns everything. */
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
};

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

/*
 * Render a page; block until it has ended. Any thread without an open
 * transaction. ERR_NONE: page_out->end says how. ERR_BUSY: too many pages wait.
 * ERR_IO: the browser cannot be started; page_out->reason says why.
 * ERR_STOPPED: the daemon stops.
 */
enum error rendering_run(struct rendering *rendering,
			 const struct render_task *task,
			 struct rendered_page *page_out);

#endif
