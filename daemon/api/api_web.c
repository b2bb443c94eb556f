#include <string.h>

#include "daemon/api/api.h"
#include "daemon/web/web_files.h"

/*
 * The web application (web/). It consists of files that are the same for all
 * clients; its scripts use only the paths below /v1, which decide what a client
 * may do.
 */

/*
 * The browser runs and loads only files of this daemon, and makes no HTML from
 * texts.
 */
#define APPLICATION_POLICY                                              \
	"default-src 'none'; script-src 'self'; style-src 'self'; "     \
	"img-src 'self' data:; connect-src 'self'; frame-src 'self'; "  \
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " \
	"require-trusted-types-for 'script'"

static const struct web_file *web_file_find(const char *name)
{
	const struct web_file *file = web_files;

	while (file->name != NULL && strcmp(file->name, name) != 0)
		file++;
	return file->name == NULL ? NULL : file;
}

/* Respond with the page that is the same for each path of the application. */
enum http_verdict api_get_application(struct call *call)
{
	const struct web_file *file = web_file_find("index.html");
	struct buffer body = {0};

	buffer_append(&body, file->data, file->size);
	call_add_page_headers(call);
	http_add_header(call->exchange, "Content-Security-Policy",
			APPLICATION_POLICY);
	http_add_header(call->exchange, "X-Frame-Options", "DENY");
	http_reply(call->exchange, 200, file->media_type, &body);
	return HTTP_ANSWERED;
}

/* A browser that has the file asks each time whether it has changed. */
enum http_verdict api_get_web_file(struct call *call)
{
	const struct web_file *file = web_file_find(call->name);
	struct http_exchange *exchange = call->exchange;
	struct buffer body = {0};

	if (file == NULL)
		return call_fail_with(call, ERR_NOT_FOUND, call->name);
	buffer_append(&body, file->data, file->size);
	if (http_added_header(exchange, "X-Content-Type-Options") == NULL)
		http_add_header(exchange, "X-Content-Type-Options", "nosniff");
	http_add_header(exchange, "Cache-Control", "no-cache");
	http_add_header(exchange, "Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'");
	http_add_header(exchange, "Cross-Origin-Resource-Policy",
			"same-origin");
	return call_reply_tagged(call, file->media_type, &body);
}
