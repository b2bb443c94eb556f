/* daemon/ctl/ctl_ui.c - templatectl: ui. */
#include "daemon/ctl/ctl_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/tunnel.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"

enum { OPENING_MS = 10000 };

static bool has_display(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
}

/*
 * Open the address in the desktop's browser. The address was printed, in case
 * this fails.
 */
static void open_browser(const char *address)
{
	char program[] = "/usr/bin/xdg-open";
	char *copy = strdup(address);
	char *words[] = {program, copy, NULL};
	char *none[] = {NULL};
	struct child child;

	if (copy != NULL && access(program, X_OK) == 0)
		child_start(&child, &(struct child_command){
					    .words = words,
					    .environment = none,
					    .inherits = true,
					    .deadline_ms = clock_steady_ms() +
							   OPENING_MS,
				    });
	free(copy);
}

static enum ctl_status run_ui(const struct ctl *ctl)
{
	struct browser_proxy *tunnel;
	struct buffer answer = {0};
	enum ctl_status status = client_ask(
		ctl,
		&(struct client_request){.target = "/v1/status",
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);
	enum error error;

	buffer_free(&answer);
	if (status != CTL_DONE)
		return status;
	error = browser_proxy_open(&tunnel, ctl->socket,
				   (unsigned)option_whole(ctl, "port", 0));
	if (error != ERR_NONE) {
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
		ctl_print_error(ctl, "%s: %s", error_text(error),
				strerror(errno));
		return CTL_FAILED;
	}
	printf("%s\n", browser_proxy_address(tunnel));
	fflush(stdout);
	fprintf(stderr, "Open it in a browser within 5 minutes; it works once. "
			"Press Ctrl-C to stop.\n");
	if (option_given(ctl, "open") && isatty(STDOUT_FILENO) && has_display())
		open_browser(browser_proxy_address(tunnel));
	error = browser_proxy_run(tunnel);
	browser_proxy_close(tunnel);
	ctl_print_error(ctl, "%s", error_text(error));
	return CTL_FAILED;
}

static const struct verb_option ui_options[] = {
	{.name = "port",
	 .letter = 'p',
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = 65535,
	 .meaning = "port of 127.0.0.1 to listen on (default: a free one)"},
	{.name = "open",
	 .kind = OPTION_FLAG,
	 .meaning = "open the address with xdg-open, on a terminal with a "
		    "display"},
	{.name = NULL},
};

const struct verb verb_ui = {
	.name = "ui",
	.group = VERBS_LOOK,
	.operands = "",
	.min_operands = 0,
	.max_operands = 0,
	.summary = "Show the web UI to a browser on this machine",
	.options = ui_options,
	.run = run_ui,
};
