/*
 * daemon/privsep/browser.h - a Chromium that renders pages and has no network,
 * or a running one.
 *
 * The browser is started in its own user, PID, mount, network, IPC and UTS
 * namespaces. Its network namespace has only a loopback interface, which is
 * down. Its root folder is new and contains only programs, libraries and fonts;
 * /tmp is in memory and holds the profile. So nothing remains after its end,
 * and killing its first process kills all. If the caller is root, the browser
 * runs as nobody. Its memory, processes, CPU time and files are limited. In
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
	uint32_t max_tasks;    /* maximum number of processes and threads */
	uint32_t cpu_s;        /* CPU time of each process */
	uint32_t start_ms;     /* maximum time of the start */
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

/* Return whether the browser was not killed and has not ended. */
bool browser_is_alive(const struct browser *browser);

#endif
