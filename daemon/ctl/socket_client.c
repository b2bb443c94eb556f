#include "daemon/ctl/socket_client.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/curl_error.h"
#include "crawl/percent.h"

enum {
	MAX_ANSWER_BYTES = 256 * 1024 * 1024,
	UPLOAD_BYTES = 512 * 1024,
	/*
	 * bytes per read; small, so that the daemon sees progress also if our
	 * output is read slowly
	 */
	DOWNLOAD_BYTES = 4 * 1024,
};

/* The libcurl objects of one request. */
struct socket_call {
	CURL *easy;
	struct curl_slist *headers;
	struct buffer url;
	char error_text[CURL_ERROR_SIZE];
};

static size_t socket_call_on_body(char *data, size_t size, size_t count,
				  void *context)
{
	struct buffer *body = context;
	size_t length = size * count;

	if (length > MAX_ANSWER_BYTES - body->size)
		return 0;
	buffer_append(body, data, length);
	return length;
}

static bool socket_call_add_header(struct socket_call *request,
				   const char *line)
{
	struct curl_slist *list = curl_slist_append(request->headers, line);

	if (list == NULL)
		return false;
	request->headers = list;
	return true;
}

/*
 * Remove "Expect", which would cost a round trip, and set the media type, which
 * libcurl does not set.
 */
static bool socket_call_set_headers(struct socket_call *request,
				    const char *media_type)
{
	char line[256];

	snprintf(line, sizeof(line), "Content-Type: %s",
		 media_type == NULL ? "" : media_type);
	return socket_call_add_header(request, "Expect:") &&
	       socket_call_add_header(
		       request, media_type == NULL ? "Content-Type:" : line) &&
	       curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER,
				request->headers) == CURLE_OK;
}

static bool set_method(struct socket_call *request, const char *method,
		       struct slice body)
{
	CURL *easy = request->easy;
	unsigned failed = 0;

	if (body.size > 0 || strcmp(method, "POST") == 0) {
		failed |= curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
					   (curl_off_t)body.size);
		failed |= curl_easy_setopt(
			easy, CURLOPT_POSTFIELDS,
			body.size > 0 ? (const char *)body.data : "");
	}
	failed |= curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
	return failed == 0;
}

static bool set_target(struct socket_call *request, const char *socket,
		       const char *target, uint32_t timeout_ms)
{
	CURL *easy = request->easy;
	unsigned failed = 0;

	buffer_printf(&request->url, "http://localhost%s", target);
	failed |= curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket);
	failed |= curl_easy_setopt(easy, CURLOPT_URL, request->url.data);
	failed |= curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, "");
	failed |= curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* slow transfers are allowed */
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
				   ((long)timeout_ms + 999) / 1000);
	failed |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER,
				   request->error_text);
	return failed == 0;
}

static bool socket_call_set_response(struct socket_call *request,
				     struct buffer *body)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION,
				   socket_call_on_body);
	failed |= curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, body);
	return failed == 0;
}

/*
 * Map a libcurl code to an error; some codes have a special meaning for a Unix
 * socket.
 */
static enum error socket_call_error(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_CONNECT:
		return ERR_NOT_FOUND;
	case CURLE_WRITE_ERROR:
		return ERR_TOO_LARGE;
	default:
		return error_from_curl(code);
	}
}

/*
 * Return the last header of that name, including trailers; NULL if there is
 * none.
 */
static const char *header_of(const struct socket_call *request,
			     const char *name)
{
	struct curl_header *header;

	return curl_easy_header(request->easy, name, 0,
				CURLH_HEADER | CURLH_TRAILER, -1,
				&header) == CURLHE_OK
		       ? header->value
		       : NULL;
}

static void socket_call_read_headers(const struct socket_call *request,
				     struct socket_answer *answer)
{
	const char *missing = header_of(request, "X-Templated-Missing");
	const char *failed = header_of(request, "X-Templated-Failed");

	answer->failed = failed == NULL ? 0 : strtoull(failed, NULL, 10);
	snprintf(answer->missing, sizeof(answer->missing), "%s",
		 missing == NULL ? "" : missing);
	answer->is_stale = header_of(request, "X-Templated-Stale") != NULL;
}

static enum error socket_call_perform(struct socket_call *request,
				      struct socket_answer *answer)
{
	CURLcode code = curl_easy_perform(request->easy);
	long status = 0;

	if (code != CURLE_OK) {
		snprintf(answer->reason, sizeof(answer->reason), "%s",
			 request->error_text[0] != '\0'
				 ? request->error_text
				 : curl_easy_strerror(code));
		buffer_free(&answer->body);
		return socket_call_error(code);
	}
	curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
	answer->status = (unsigned)status;
	socket_call_read_headers(request, answer);
	return ERR_NONE;
}

/* NOLINTNEXTLINE(readability-function-size): the parts of a request */
enum error socket_request(const char *socket, const char *method,
			  const char *target, struct slice body,
			  const char *media_type, uint32_t timeout_ms,
			  struct socket_answer *answer_out)
{
	struct socket_call request = {.easy = curl_easy_init()};
	enum error error = ERR_NETWORK;

	*answer_out = (struct socket_answer){0};
	snprintf(answer_out->reason, sizeof(answer_out->reason),
		 "cannot create the request");
	if (request.easy != NULL &&
	    set_target(&request, socket, target, timeout_ms) &&
	    set_method(&request, method, body) &&
	    socket_call_set_headers(&request,
				    body.size > 0 ? media_type : NULL) &&
	    socket_call_set_response(&request, &answer_out->body))
		error = socket_call_perform(&request, answer_out);
	if (error == ERR_NONE)
		answer_out->reason[0] = '\0';
	curl_easy_cleanup(request.easy);
	curl_slist_free_all(request.headers);
	buffer_free(&request.url);
	return error;
}

/* An upload, and why it failed. */
struct sending {
	const struct socket_upload *upload;
	enum error error;
};

static size_t on_wanted(char *out, size_t size, size_t count, void *context)
{
	struct sending *sending = context;
	const struct socket_upload *upload = sending->upload;
	size_t length = 0;

	sending->error =
		upload->source(upload->context, out, size * count, &length);
	return sending->error == ERR_NONE ? length : CURL_READFUNC_ABORT;
}

/* "Expect" allows the daemon to reject the upload before it is sent. */
static bool set_upload(struct socket_call *request, struct sending *sending)
{
	CURL *easy = request->easy;
	char line[256];
	unsigned failed = 0;

	snprintf(line, sizeof(line), "Content-Type: %s",
		 sending->upload->media_type);
	if (!socket_call_add_header(request, line) ||
	    !socket_call_add_header(request, "Transfer-Encoding: chunked") ||
	    !socket_call_add_header(request, "Expect: 100-continue"))
		return false;
	failed |= curl_easy_setopt(easy, CURLOPT_POST, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_wanted);
	failed |= curl_easy_setopt(easy, CURLOPT_READDATA, sending);
	failed |= curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE,
				   (long)UPLOAD_BYTES);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers);
	return failed == 0;
}

enum error socket_send(const char *socket, const struct socket_upload *upload,
		       struct socket_answer *answer_out)
{
	struct socket_call request = {.easy = curl_easy_init()};
	struct sending sending = {.upload = upload};
	enum error error = ERR_NETWORK;

	*answer_out = (struct socket_answer){0};
	snprintf(answer_out->reason, sizeof(answer_out->reason),
		 "cannot create the request");
	if (request.easy != NULL &&
	    set_target(&request, socket, upload->target, 0) &&
	    set_upload(&request, &sending) &&
	    socket_call_set_response(&request, &answer_out->body))
		error = socket_call_perform(&request, answer_out);
	if (sending.error != ERR_NONE)
		error = sending.error;
	if (error == ERR_NONE || sending.error != ERR_NONE)
		answer_out->reason[0] = '\0';
	curl_easy_cleanup(request.easy);
	curl_slist_free_all(request.headers);
	buffer_free(&request.url);
	return error;
}

/* A download, and why it failed. */
struct receiving {
	const struct socket_download *download;
	CURL *easy;
	struct buffer *body; /* body of an error response */
	enum error error;
};

static size_t on_received(char *data, size_t size, size_t count, void *context)
{
	struct receiving *receiving = context;
	const struct socket_download *download = receiving->download;
	struct slice bytes = {data, size * count};
	curl_off_t total = 0;
	long status = 0;

	curl_easy_getinfo(receiving->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 300)
		return socket_call_on_body(data, size, count, receiving->body);
	curl_easy_getinfo(receiving->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
			  &total);
	receiving->error = download->sink(download->context, bytes,
					  total > 0 ? (uint64_t)total : 0);
	return receiving->error == ERR_NONE ? bytes.size : 0;
}

static bool set_download(const struct socket_call *request,
			 struct receiving *receiving)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION,
				   on_received);
	failed |= curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, receiving);
	failed |= curl_easy_setopt(request->easy, CURLOPT_BUFFERSIZE,
				   (long)DOWNLOAD_BYTES);
	return failed == 0;
}

enum error socket_receive(const char *socket,
			  const struct socket_download *download,
			  struct socket_answer *answer_out)
{
	struct socket_call request = {.easy = curl_easy_init()};
	struct receiving receiving = {.download = download,
				      .easy = request.easy,
				      .body = &answer_out->body};
	enum error error = ERR_NETWORK;

	*answer_out = (struct socket_answer){0};
	snprintf(answer_out->reason, sizeof(answer_out->reason),
		 "cannot create the request");
	if (request.easy != NULL &&
	    set_target(&request, socket, download->target, 0) &&
	    set_download(&request, &receiving))
		error = socket_call_perform(&request, answer_out);
	if (receiving.error != ERR_NONE)
		error = receiving.error;
	if (error == ERR_NONE || receiving.error != ERR_NONE)
		answer_out->reason[0] = '\0';
	curl_easy_cleanup(request.easy);
	curl_slist_free_all(request.headers);
	buffer_free(&request.url);
	return error;
}

void url_escape(struct slice text, struct buffer *out)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if (percent_is_unreserved(bytes[i]))
			buffer_append_byte(out, (char)bytes[i]);
		else
			buffer_printf(out, "%%%02X", bytes[i]);
}
