#include "daemon/http/relay.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/curl_error.h"
#include "crawl/curl_memory.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"

enum {
	CONNECT_MS = 3000,
	POLL_MS = 20, /* an idle stream uses its thread this long, five times a
			 second */
	MAX_HEAD_BYTES = 32 * 1024,
	MAX_HELD_BYTES = 256 * 1024,
	MIN_ROOM_BYTES = 8 * 1024, /* for a slow client */
	SLOW_MS = 1000, /* a client that needs longer to read is slow */
	MAX_WHOLE_BYTES = 1 << 20, /* for a response that is not streamed */
	MAX_SPOOL_BYTES = 1 << 30,
	KEEPALIVE_S = 15,
};

struct http_proxy {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	uint32_t patience_ms;
	struct http_exchange *exchange; /* until its body is read; then NULL */
	struct buffer body;             /* of the request, if not streamed */
	struct buffer head;             /* of the response */
	struct http_head read_head;
	bool has_head;
	bool is_over;
	bool is_paused;
	enum error client; /* error of the client while its body is read */
	CURLcode result;
	struct buffer held; /* part of the response before `out` is set */
	struct buffer *out;
	size_t room; /* limit of `out`: what the client reads in a short time,
			so that the other node sees progress */
	uint64_t filled_ms; /* when `out` was last filled; 0: never */
	int spool;          /* file descriptor, or -1 */
	uint64_t spooled;
	char trailer_name[64]; /* of the response, or "" */
	uint64_t trailer;
};

/* Parse a trailer line. */
static void take_trailer(struct http_proxy *relay, const char *line,
			 size_t size)
{
	const size_t length = strlen(relay->trailer_name);
	char number[24];

	if (length == 0 || size < length + 2 || line[length] != ':' ||
	    strncasecmp(line, relay->trailer_name, length) != 0)
		return;
	snprintf(number, sizeof(number), "%.*s", (int)(size - length - 1),
		 line + length + 1);
	relay->trailer = strtoull(number, NULL, 10);
}

/* Store a line of the head; after a 1xx head another head follows. */
static size_t on_head(char *data, size_t size, size_t count, void *context)
{
	struct http_proxy *relay = context;

	size *= count;
	if (relay->has_head) {
		take_trailer(relay, data, size);
		return size;
	}
	if (relay->head.size + size > MAX_HEAD_BYTES)
		return 0;
	if (size > 5 && memcmp(data, "HTTP/", 5) == 0)
		buffer_clear(&relay->head);
	buffer_append(&relay->head, data, size);
	relay->has_head =
		http_read_head(buffer_slice(&relay->head), &relay->read_head);
	return size;
}

static bool proxy_spool(struct http_proxy *relay, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t count = write(relay->spool, data, size);

		if (count <= 0 || relay->spooled > MAX_SPOOL_BYTES)
			return false;
		data += count;
		size -= (size_t)count;
		relay->spooled += (uint64_t)count;
	}
	return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is libcurl's */
static size_t proxy_on_body(char *data, size_t size, size_t count,
			    void *context)
{
	struct http_proxy *relay = context;
	struct buffer *out = relay->out == NULL ? &relay->held : relay->out;

	size *= count;
	if (relay->spool >= 0)
		return proxy_spool(relay, data, size) ? size : 0;
	if (out->size >= (relay->out == NULL ? MAX_HELD_BYTES : relay->room)) {
		relay->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	buffer_append(out, data, size);
	return size;
}

static size_t on_read(char *out, size_t size, size_t count, void *context)
{
	struct http_proxy *relay = context;
	size_t read;

	relay->client =
		http_body_read(relay->exchange, out, size * count, &read);
	return relay->client == ERR_NONE ? read : CURL_READFUNC_ABORT;
}

/* Do all transfers that are possible without waiting. */
static void proxy_perform(struct http_proxy *relay)
{
	int running = 0;
	int left;
	CURLMsg *message;

	if (relay->is_paused) {
		relay->is_paused = false;
		curl_easy_pause(relay->easy, CURLPAUSE_CONT);
	}
	if (curl_multi_perform(relay->multi, &running) != CURLM_OK) {
		relay->is_over = true;
		relay->result = CURLE_FAILED_INIT;
	}
	while ((message = curl_multi_info_read(relay->multi, &left)) != NULL)
		if (message->msg == CURLMSG_DONE) {
			relay->is_over = true;
			relay->result = message->data.result;
		}
}

static void proxy_wait(struct http_proxy *relay)
{
	if (!relay->is_over && !relay->is_paused)
		curl_multi_poll(relay->multi, NULL, 0, POLL_MS, NULL);
}

static void add_lines(struct http_proxy *relay, struct slice lines)
{
	const char *line = lines.data;
	size_t left = lines.size;

	while (left > 0) {
		const char *end = memmem(line, left, "\r\n", 2);
		size_t size = end == NULL ? left : (size_t)(end - line);
		char *text = mem_copy_text(line, size);

		/* curl sets the name of the other node */
		if (strncasecmp(text, "Host:", strlen("Host:")) != 0)
			relay->headers =
				curl_slist_append(relay->headers, text);
		free(text);
		size += end == NULL ? 0 : 2;
		line += size;
		left -= size;
	}
}

static void proxy_add_headers(struct http_proxy *relay,
			      const struct http_exchange *exchange,
			      const struct http_proxy_options *options)
{
	struct buffer lines = {0};

	http_write_headers(exchange, &lines);
	if (*options->token != '\0')
		buffer_printf(&lines, "Authorization: Bearer %s\r\n",
			      options->token);
	buffer_append_text(&lines, options->headers);
	add_lines(relay, buffer_slice(&lines));
	explicit_bzero(lines.data, lines.size);
	buffer_free(&lines);
	curl_easy_setopt(relay->easy, CURLOPT_HTTPHEADER, relay->headers);
}

static void set_body(struct http_proxy *relay, struct http_exchange *exchange)
{
	const char *method = http_method(exchange);
	struct slice body = {NULL, 0};

	if (http_is_upload(exchange)) {
		relay->exchange = exchange;
		curl_easy_setopt(relay->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(relay->easy, CURLOPT_READFUNCTION, on_read);
		curl_easy_setopt(relay->easy, CURLOPT_READDATA, relay);
	} else {
		body = http_body(exchange);
	}
	if (body.size > 0) {
		buffer_append_slice(&relay->body, body);
		curl_easy_setopt(relay->easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)body.size);
		curl_easy_setopt(relay->easy, CURLOPT_POSTFIELDS,
				 relay->body.data);
	}
	curl_easy_setopt(relay->easy, CURLOPT_CUSTOMREQUEST,
			 strcmp(method, "HEAD") == 0 ? "GET" : method);
}

static void set_up(struct http_proxy *relay, struct http_exchange *exchange,
		   const struct http_proxy_options *options)
{
	struct buffer address = {0};
	CURL *easy = relay->easy;

	buffer_append_text(&address, options->address);
	http_write_target(exchange, &address);
	curl_easy_setopt(easy, CURLOPT_URL, address.data);
	buffer_free(&address);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_S);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	if (*options->ca_file != '\0')
		curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
	if (*options->certificate_file != '\0') {
		curl_easy_setopt(easy, CURLOPT_SSLCERT,
				 options->certificate_file);
		curl_easy_setopt(easy, CURLOPT_SSLKEY, options->key_file);
	}
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, relay);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, proxy_on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, relay);
	proxy_add_headers(relay, exchange, options);
	set_body(relay, exchange);
}

static enum error proxy_error(const struct http_proxy *relay)
{
	if (relay->client != ERR_NONE)
		return relay->client;
	return relay->result == CURLE_OK ? ERR_NETWORK
					 : error_from_curl(relay->result);
}

/*
 * The timeout excludes the time that the client needs to send its body, which
 * has its own limit.
 */
static enum error wait_for_head(struct http_proxy *relay,
				const struct http_proxy_options *options)
{
	uint64_t until_ms = clock_steady_ms() + relay->patience_ms;

	while (!relay->has_head && !relay->is_over) {
		curl_off_t sent_before = 0;
		curl_off_t sent = 0;

		curl_easy_getinfo(relay->easy, CURLINFO_SIZE_UPLOAD_T,
				  &sent_before);
		proxy_perform(relay);
		if (!relay->has_head)
			proxy_wait(relay);
		curl_easy_getinfo(relay->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
		if (sent > sent_before)
			until_ms = clock_steady_ms() + relay->patience_ms;
		else if (clock_steady_ms() >= until_ms)
			return ERR_TIMEOUT;
		if (!relay->has_head && options->goes_on != NULL &&
		    !options->goes_on(options->context))
			return ERR_STOPPED;
	}
	return relay->has_head ? ERR_NONE : proxy_error(relay);
}

enum error http_proxy_begin(struct http_proxy **relay_out,
			    struct http_exchange *exchange,
			    const struct http_proxy_options *options)
{
	struct http_proxy *relay = mem_alloc(1, sizeof(*relay));
	enum error error;

	relay->spool = -1;
	relay->room = MIN_ROOM_BYTES;
	relay->patience_ms = options->patience_ms;
	relay->multi = curl_multi_init();
	relay->easy = curl_easy_init();
	assert(relay->multi != NULL && relay->easy != NULL);
	set_up(relay, exchange, options);
	curl_multi_add_handle(relay->multi, relay->easy);
	error = wait_for_head(relay, options);
	if (error == ERR_NONE) {
		*relay_out = relay;
		return ERR_NONE;
	}
	log_info_limited("%s: %s", options->address,
			 relay->result == CURLE_OK
				 ? error_text(error)
				 : curl_easy_strerror(relay->result));
	http_proxy_end(relay);
	return error;
}

unsigned http_proxy_status(const struct http_proxy *relay)
{
	return relay->read_head.status;
}

bool http_proxy_has_header(const struct http_proxy *relay, const char *name,
			   const char *value)
{
	return slice_equal(http_head_value(buffer_slice(&relay->head), name),
			   slice_of(value));
}

/* Receive the rest of the response, to memory or to the spool file. */
static enum error proxy_receive_rest(struct http_proxy *relay)
{
	uint64_t until_ms = clock_steady_ms() + relay->patience_ms;
	struct buffer whole = relay->held;

	relay->held = (struct buffer){0};
	while (!relay->is_over && whole.size <= MAX_WHOLE_BYTES &&
	       clock_steady_ms() < until_ms) {
		uint64_t before = whole.size + relay->spooled;

		proxy_perform(relay);
		buffer_append_slice(&whole, buffer_slice(&relay->held));
		buffer_clear(&relay->held);
		if (whole.size + relay->spooled > before)
			until_ms = clock_steady_ms() + relay->patience_ms;
		proxy_wait(relay);
	}
	buffer_free(&relay->held);
	relay->held = whole;
	if (!relay->is_over && clock_steady_ms() >= until_ms)
		return ERR_TIMEOUT;
	return relay->is_over && relay->result == CURLE_OK ? ERR_NONE : ERR_IO;
}

static enum error reply_whole(struct http_proxy *relay,
			      struct http_exchange *exchange)
{
	enum error error = proxy_receive_rest(relay);
	const char *media_type;

	if (error != ERR_NONE)
		return error;
	http_take_headers(exchange, buffer_slice(&relay->head), &media_type);
	if (relay->spool >= 0) {
		http_reply_file(exchange, relay->read_head.status, media_type,
				relay->spool, relay->spooled);
		relay->spool = -1;
		return ERR_NONE;
	}
	http_reply(exchange, relay->read_head.status, media_type, &relay->held);
	return ERR_NONE;
}

/* Set the size of the next part, after the client has read the last one. */
static void set_room(struct http_proxy *relay)
{
	bool is_slow = relay->filled_ms != 0 &&
		       clock_steady_ms() > relay->filled_ms + SLOW_MS;

	relay->room = is_slow ? MIN_ROOM_BYTES : 2 * relay->room;
	if (relay->room > MAX_HELD_BYTES)
		relay->room = MAX_HELD_BYTES;
}

static bool proxy_stream_fill(void *context, struct buffer *out)
{
	struct http_proxy *relay = context;
	size_t before;

	set_room(relay);
	buffer_append_slice(out, buffer_slice(&relay->held));
	buffer_clear(&relay->held);
	relay->out = out;
	proxy_perform(relay);
	if (out->size == 0)
		proxy_wait(relay);
	do {
		before = out->size;
		proxy_perform(relay);
	} while (out->size > before && out->size < relay->room);
	relay->out = NULL;
	relay->filled_ms = out->size > 0 ? clock_steady_ms() : 0;
	return !relay->is_over;
}

static bool proxy_stream_is_broken(const void *context)
{
	const struct http_proxy *relay = context;

	return relay->result != CURLE_OK;
}

static uint64_t proxy_stream_trailer(const void *context)
{
	const struct http_proxy *relay = context;

	return relay->trailer;
}

static void end_stream(void *context)
{
	http_proxy_end(context);
}

static void begin_stream(struct http_proxy *relay,
			 struct http_exchange *exchange)
{
	struct slice name =
		http_head_value(buffer_slice(&relay->head), "Trailer");
	const char *media_type;
	bool has_trailer =
		name.size > 0 && name.size < sizeof(relay->trailer_name);

	if (has_trailer)
		memcpy(relay->trailer_name, name.data, name.size);
	http_take_headers(exchange, buffer_slice(&relay->head), &media_type);
	http_reply_stream(exchange, relay->read_head.status, media_type,
			  &(struct http_stream){
				  .fill = proxy_stream_fill,
				  .free = end_stream,
				  .is_broken = proxy_stream_is_broken,
				  .context = relay,
				  .trailer_name = has_trailer
							  ? relay->trailer_name
							  : NULL,
				  .trailer = proxy_stream_trailer,
			  });
}

static bool proxy_response_is_small(const struct http_proxy *relay)
{
	return relay->read_head.status != 200 ||
	       (relay->read_head.has_length &&
		relay->read_head.body_bytes < MAX_HELD_BYTES);
}

/* The bytes that came with the head go to the spool file, too. */
static enum error finish_and_reply(struct http_proxy *relay,
				   struct http_exchange *exchange)
{
	enum error error = ERR_IO;

	if (relay->spool < 0)
		return reply_whole(relay, exchange);
	if (proxy_spool(relay, relay->held.data, relay->held.size)) {
		buffer_clear(&relay->held);
		error = reply_whole(relay, exchange);
	}
	return error;
}

enum error http_proxy_reply(struct http_proxy *relay,
			    struct http_exchange *exchange, int spool_file)
{
	enum error error;

	relay->spool = spool_file;
	if (proxy_response_is_small(relay) || http_is_upload(exchange)) {
		error = finish_and_reply(relay, exchange);
		http_proxy_end(relay);
		return error;
	}
	if (!http_listen(exchange)) {
		http_proxy_end(relay);
		return ERR_BUSY;
	}
	begin_stream(relay, exchange);
	return ERR_NONE;
}

bool http_proxy_open(void)
{
	return curl_memory_begin();
}

void http_proxy_close(void)
{
	curl_global_cleanup();
}

void http_proxy_end(struct http_proxy *relay)
{
	if (relay == NULL)
		return;
	curl_multi_remove_handle(relay->multi, relay->easy);
	curl_easy_cleanup(relay->easy);
	curl_multi_cleanup(relay->multi);
	curl_slist_free_all(relay->headers);
	buffer_free(&relay->body);
	buffer_free(&relay->head);
	buffer_free(&relay->held);
	if (relay->spool >= 0)
		close(relay->spool);
	free(relay);
}
