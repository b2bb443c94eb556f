#include "daemon/http/proxy.h"

#include <assert.h>
#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/fetch.h"
#include "crawl/http_message.h"
#include "crawl/transfer.h"
#include "crawl/url/url.h"
#include "daemon/http/exchange.h"
#include "daemon/runtime/clock.h"

enum { READ_BYTES = 64 * 1024, LOOK_MS = 100 };

/*
 * Headers of the request that affect the response; only these are forwarded.
 * Cookies and tokens are not among them: they identify the client, and the
 * first node has checked it.
 */
static const char *const passed[] = {
	"Host",           "Accept",        "Accept-Language",   "Content-Type",
	"If-None-Match",  "Last-Event-ID", "X-Templated-Stale", "Origin",
	"Sec-Fetch-Site",
};

/*
 * Headers that are not copied from the response: they belong to one connection,
 * or the forwarding node sets them itself.
 */
static const char *const dropped[] = {
	"Connection", "Content-Length", "Content-Type",
	"Date",       "Keep-Alive",     "Transfer-Encoding",
	"Server",     "Set-Cookie",     "Trailer",
};

struct target {
	struct buffer *out;
	bool has_arguments;
};

static enum MHD_Result write_argument(void *context, enum MHD_ValueKind kind,
				      const char *name, const char *value)
{
	struct target *target = context;

	(void)kind;
	buffer_append_byte(target->out, target->has_arguments ? '&' : '?');
	target->has_arguments = true;
	percent_append(target->out, slice_of(name), "");
	if (value != NULL) {
		buffer_append_byte(target->out, '=');
		percent_append(target->out, slice_of(value), "/:,");
	}
	return MHD_YES;
}

/* Append the path and the arguments of the request, percent-encoded again. */
static void http_write_target(const struct http_exchange *exchange,
			      struct buffer *out)
{
	struct target target = {out, false};

	percent_append(out, slice_of(exchange->path), "/:");
	MHD_get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND,
				  write_argument, &target);
}

/*
 * Append the headers in `passed` that the request has. Authorization and
 * cookies are omitted.
 */
static void http_write_headers(const struct http_exchange *exchange,
			       struct buffer *out)
{
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		const char *value = http_header(exchange, passed[i]);

		if (value != NULL)
			buffer_printf(out, "%s: %s\r\n", passed[i], value);
	}
}

void http_write_request(const struct http_exchange *exchange, const char *extra,
			struct buffer *out)
{
	const char *method = exchange->method;
	size_t size = exchange->body.size;

	buffer_printf(out, "%s ", strcmp(method, "HEAD") == 0 ? "GET" : method);
	http_write_target(exchange, out);
	buffer_append_text(out, " HTTP/1.1\r\nConnection: close\r\n");
	http_write_headers(exchange, out);
	buffer_append_text(out, extra);
	if (size > 0)
		buffer_printf(out, "Content-Length: %zu\r\n", size);
	buffer_append_text(out, "\r\n");
	buffer_append_slice(out, buffer_slice(&exchange->body));
}

bool http_is_upload(const struct http_exchange *exchange)
{
	return exchange->upload != NULL;
}

/*
 * Connect the server to one end of a socket pair. Return the other end, or -1
 * on failure.
 */
static int connect_to(struct http_server *server)
{
	const struct sockaddr_un nobody = {.sun_family = AF_UNIX};
	int files[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0)
		return -1;
	/* on failure MHD closes its end, too */
	if (MHD_add_connection(server->mhd, files[1],
			       (const struct sockaddr *)&nobody,
			       sizeof(nobody)) == MHD_YES)
		return files[0];
	close(files[0]);
	return -1;
}

/*
 * Send all bytes. Ignore a failure: if the server does not read all bytes, it
 * has already replied.
 */
static void proxy_send_all(int file, struct slice bytes)
{
	const char *data = bytes.data;

	while (bytes.size > 0) {
		ssize_t count = send(file, data, bytes.size, MSG_NOSIGNAL);

		if (count <= 0)
			return;
		data += count;
		bytes.size -= (size_t)count;
	}
}

static bool serves_no_more(struct http_server *server)
{
	bool serves_no_more;

	lock_acquire(&server->lock);
	serves_no_more = server->serves_no_more;
	lock_release(&server->lock);
	return serves_no_more;
}

void http_serve_no_more(struct http_server *server)
{
	lock_acquire(&server->lock);
	server->serves_no_more = true;
	lock_release(&server->lock);
}

/*
 * Wait until there are bytes to read. ERR_TIMEOUT after `until_ms`; ERR_STOPPED
 * after http_serve_no_more().
 */
static enum error wait_readable(struct http_server *server, int file,
				uint64_t until_ms)
{
	struct pollfd polled = {.fd = file, .events = POLLIN};

	while (poll(&polled, 1, 0) == 0) {
		uint64_t now_ms = clock_steady_ms();
		uint64_t left_ms = until_ms > now_ms ? until_ms - now_ms : 0;

		if (serves_no_more(server))
			return ERR_STOPPED;
		if (left_ms == 0)
			return ERR_TIMEOUT;
		if (poll(&polled, 1,
			 left_ms < LOOK_MS ? (int)left_ms : LOOK_MS) > 0)
			break;
	}
	return ERR_NONE;
}

/* Append all bytes until the server closes the connection. */
static enum error receive_all(struct http_server *server, int file,
			      uint64_t until_ms, struct buffer *out)
{
	for (;;) {
		enum error error = wait_readable(server, file, until_ms);
		ssize_t count;

		if (error != ERR_NONE)
			return error;
		count = recv(file, buffer_reserve(out, READ_BYTES), READ_BYTES,
			     0);
		if (count < 0)
			return ERR_IO;
		if (count == 0)
			return ERR_NONE;
		out->size += (size_t)count;
	}
}

enum error http_serve(struct http_server *server, struct slice request,
		      size_t max_bytes, uint32_t timeout_ms,
		      struct buffer *answer)
{
	uint64_t until_ms = clock_steady_ms() + timeout_ms;
	struct buffer bytes = {0};
	int file = connect_to(server);
	enum error error;

	if (file < 0)
		return ERR_IO;
	proxy_send_all(file, request);
	error = receive_all(server, file, until_ms, &bytes);
	close(file);
	if (error == ERR_NONE && bytes.size > max_bytes)
		error = ERR_TOO_LARGE;
	if (error == ERR_NONE)
		buffer_append_slice(answer, buffer_slice(&bytes));
	buffer_free(&bytes);
	return error;
}

struct slice http_head_value(struct slice answer, const char *name)
{
	struct slice value = {NULL, 0};

	line_take(&answer);
	while (value.data == NULL) {
		struct slice line = line_take(&answer);

		if (line.size == 0)
			break;
		value = header_value(line, name);
	}
	return value;
}

bool http_read_head(struct slice answer, struct http_head *head_out)
{
	static const char version[] = "HTTP/1.";
	size_t size = sizeof(version) - 1;
	struct http_message message;

	*head_out = (struct http_head){0};
	if (answer.size < size || memcmp(answer.data, version, size) != 0 ||
	    memmem(answer.data, answer.size, "\r\n\r\n", 4) == NULL ||
	    !http_message_parse(answer, &message) || message.status < 200 ||
	    message.status > 599)
		return false;
	head_out->status = message.status;
	head_out->size = answer.size - message.body.size;
	head_out->has_length = message.content_length != UINT64_MAX;
	if (head_out->has_length)
		head_out->body_bytes = message.content_length;
	return true;
}

static bool proxy_drops_header(struct slice line)
{
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (header_value(line, dropped[i]).data != NULL)
			return true;
	return false;
}

/*
 * Copy the text for the lifetime of the exchange. Return NULL if the exchange
 * already has the maximum number of such texts.
 */
static const char *proxy_keep_text(struct http_exchange *exchange,
				   struct slice text)
{
	char *copy;

	if (exchange->kept_count == MAX_EXCHANGE_HEADERS)
		return NULL;
	copy = mem_copy_text(text.data, text.size);
	exchange->kept[exchange->kept_count++] = copy;
	return copy;
}

/*
 * Add the headers of `head` to the reply, except headers that belong to one
 * connection. *media_type_out belongs to the exchange; it is "" if there is no
 * media type.
 */
static void http_take_headers(struct http_exchange *exchange, struct slice head,
			      const char **media_type_out)
{
	struct slice type = http_head_value(head, "Content-Type");
	struct slice line;

	*media_type_out = type.size == 0 ? "" : proxy_keep_text(exchange, type);
	line_take(&head);
	while ((line = line_take(&head)).size > 0) {
		const char *colon = memchr(line.data, ':', line.size);
		const char *kept_name;
		struct slice value;
		char *text;

		/* leave room for two headers that the server adds */
		if (colon == NULL || colon == line.data ||
		    proxy_drops_header(line) ||
		    exchange->header_count + 2 >= MAX_EXCHANGE_HEADERS)
			continue;
		kept_name = proxy_keep_text(
			exchange,
			(struct slice){
				line.data,
				(size_t)(colon - (const char *)line.data)});
		if (kept_name == NULL)
			return;
		value = header_value(line, kept_name);
		text = mem_copy_text(value.data, value.size);
		http_add_header(exchange, kept_name, text);
		free(text);
	}
}

bool http_reply_raw(struct http_exchange *exchange, struct slice answer)
{
	struct buffer body = {0};
	struct http_head head;
	const char *media_type;

	if (!http_read_head(answer, &head) ||
	    (head.has_length && head.body_bytes != answer.size - head.size))
		return false;
	http_take_headers(exchange, (struct slice){answer.data, head.size},
			  &media_type);
	buffer_append(&body, (const char *)answer.data + head.size,
		      answer.size - head.size);
	http_reply(exchange, head.status, media_type, &body);
	return true;
}

enum {
	CONNECT_MS = 3000,
	POLL_MS = 20, /* how long an idle stream waits for bytes in a worker;
			 this happens five times a second */
	MAX_HEAD_BYTES = 32 * 1024,
	MAX_HELD_BYTES = 256 * 1024,
	/* lower limit of `room`, for a slow client */
	MIN_ROOM_BYTES = 8 * 1024,
	SLOW_MS = 1000, /* a client that needs longer to read a part is slow */
	/* limit of a response that is not streamed */
	MAX_WHOLE_BYTES = 1 << 20,
	MAX_SPOOL_BYTES = 1 << 30,
	KEEPALIVE_S = 15,
};

struct http_proxy {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	uint32_t patience_ms;
	struct http_exchange *exchange; /* NULL after its body was read */
	struct buffer body; /* body of the request, if it is not streamed */
	struct buffer head; /* head of the response */
	struct http_head read_head;
	bool has_head;
	bool is_over;
	bool is_paused;
	enum error client; /* error of the client while its body was read */
	CURLcode result;
	struct buffer held; /* start of the body of the response, received
			       before `out` was set */
	struct buffer *out;
	/*
	 * maximum bytes of `out`: what the client reads in a short time, so
	 * that the other node sees that bytes are read
	 */
	size_t room;
	uint64_t filled_ms;    /* when `out` was last filled; 0 = never */
	int spool;             /* file descriptor for the response, or -1 */
	uint64_t spooled;      /* bytes written to `spool` */
	char trailer_name[64]; /* name of the trailer of the response, or "" */
	uint64_t trailer;      /* value of the trailer */
};

/* Store the value if the line is the trailer `trailer_name`. */
static void take_trailer(struct http_proxy *relay, const char *line,
			 size_t size)
{
	const struct slice value =
		header_value((struct slice){line, size}, relay->trailer_name);
	uint64_t number = header_number(value);

	if (number != UINT64_MAX)
		relay->trailer = number;
}

/*
 * Callback of libcurl: store a line of the head or, after the head, a trailer.
 * A line with a status begins a new head, because the last one had a status
 * 1xx.
 */
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

/* Transfer all bytes that can be transferred without waiting. */
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
	while (lines.size > 0) {
		struct slice line = line_take(&lines);
		char *text = mem_copy_text(line.data, line.size);

		/* omit Host: libcurl sets it to the name of the other node */
		if (strncasecmp(text, "Host:", strlen("Host:")) != 0)
			relay->headers =
				request_headers_add(relay->headers, text);
		free(text);
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
	const struct curl_setup setup = {.connect_timeout_ms = CONNECT_MS,
					 .on_body = proxy_on_body,
					 .context = relay};
	struct buffer address = {0};
	CURL *easy = relay->easy;

	buffer_append_text(&address, options->address);
	http_write_target(exchange, &address);
	curl_set_up(easy, &setup);
	curl_easy_setopt(easy, CURLOPT_URL, address.data);
	buffer_free(&address);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_S);
	if (*options->ca_file != '\0')
		curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
	if (*options->certificate_file != '\0') {
		curl_easy_setopt(easy, CURLOPT_SSLCERT,
				 options->certificate_file);
		curl_easy_setopt(easy, CURLOPT_SSLKEY, options->key_file);
	}
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, relay);
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
 * Wait until the head of the response is complete. The timeout does not include
 * the time that the client needs to send its body; the server limits that time.
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

/*
 * Receive the rest of the response into memory or, if there is one, into the
 * spool file.
 */
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

/* Set the size of the next part after the client has read the last part. */
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

/*
 * Write the bytes that arrived with the head to the spool file, then the rest,
 * and reply with the file.
 */
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
