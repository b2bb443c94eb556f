/*
 * daemon/privsep/browser.h - a Chromium that renders pages and has no network,
 * or a running one.
 *
 * The browser is started in its own user, PID, mount, network, IPC and UTS
 * namespaces. Its network namespace has only a loopback interface, which is
 * down. Its root folder is new and contains only programs, libraries and fonts;
 * /tmp is in memory and holds the profile. So nothing remains after its end,
 * and killing its first process kills all. If the caller is root, the browser
 * runs as nobody. Its memory, processes, CPU time and files are limited; the
 * first process exits if all use too much memory. In
 * addition, the browser puts its own processes into its own sandbox; it does
 * not start if the kernel does not allow that, unless `insecure` is set. Our
 * namespaces are always required.
 *
 * If an endpoint is set, the program templated-bridge (daemon/bridge) is
 * started instead. It moves the messages between its pipes and the WebSocket of
 * a browser. Then nothing of the above holds; killing the browser only closes
 * the connection, and the browser discards the context of the page.
 */
#ifndef DAEMON_PRIVSEP_BROWSER_H
#define DAEMON_PRIVSEP_BROWSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/render/page_render.h"

struct browser;

struct browser_options {
	const char *program;   /* NULL = the first installed one of
				  browser_programs */
	const char *endpoint;  /* URL of a running browser, which is used
				  instead of `program`; or NULL */
	bool insecure;         /* without the browser's own sandbox */
	uint64_t memory_bytes; /* limit of the data of each process */
	uint64_t total_bytes;  /* limit of the memory of all processes (PSS) */
	uint32_t max_tasks;    /* maximum number of processes and threads */
	uint32_t cpu_s;        /* CPU time of each process */
	uint32_t start_ms;     /* maximum time of the start */
};

enum {
	MAX_BROWSER_TABS = 16,
	/* time until the browser has discarded a page that has ended */
	BROWSER_CLOSE_MS = 5000,
};

extern const struct browser_options browser_options_default;

/* Paths of browsers; NULL ends the list. */
extern const char *const browser_programs[];

/* The environment variable with the endpoint, for templated-bridge. */
extern const char bridge_variable[];

/*
 * Start a browser. On success append its name and version to `reason`, and on
 * failure a sentence that says why and what to do. ERR_NOT_FOUND: no browser,
 * or no templated-bridge, is installed; ERR_ADDRESS_FORBIDDEN: the kernel
 * refuses a namespace; ERR_IO; ERR_TIMEOUT: the browser did not respond. The
 * calling process should have one thread.
 */
enum error browser_start(const struct browser_options *options,
			 struct browser **browser_out, struct buffer *reason);

/* Kill the browser and wait for its end. NULL is a no-op. */
void browser_destroy(struct browser *browser);

/*
 * Answers a request of the page. The answer must be valid until the next call.
 */
typedef void render_source(void *context, const struct page_request *request,
			   struct page_answer *answer_out);

/*
 * Render a page. Its requests are answered by `source`. The caller frees the
 * result with page_render_destroy(), before the browser. If the page exceeds
 * its time, crashes, or breaks the protocol, the browser is killed; each
 * further page then ends with RENDER_BROWSER_ENDED.
 */
struct page_render *browser_render(struct browser *browser,
				   const struct page_render_options *options,
				   render_source *source, void *context);

/*
 * For several pages at a time: begin to render a page, at most MAX_BROWSER_TABS
 * at a time. Free it with browser_close().
 */
struct page_render *browser_open(struct browser *browser,
				 const struct page_render_options *options);

/*
 * Exchange messages with the browser, and give them to its pages, at most for
 * `wait_ms` (-1 = no limit), or until `file` can be read. If the browser ends
 * or breaks the protocol, its pages end, too. Call it every RENDER_TICK_MS
 * while there is a page.
 */
void browser_exchange(struct browser *browser, int wait_ms, int file);

void browser_close(struct browser *browser, struct page_render *page);

/* Kill the browser; all its pages end with RENDER_BROWSER_ENDED. */
void browser_kill(struct browser *browser);

/* Return whether the browser was not killed and has not ended. */
bool browser_is_alive(const struct browser *browser);

#endif
