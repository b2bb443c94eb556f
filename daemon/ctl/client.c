#include "daemon/ctl/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "crawl/fetch.h"
#include "crawl/transfer.h"
#include "crawl/url/url.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"

enum {
	MAX_ANSWER_BYTES = 256 * 1024 * 1024,
	UPLOAD_BYTES = 512 * 1024,
	/*
	 * bytes per read; small, so that the daemon notices progress even if
	 * standard output is read slowly
	 */
	DOWNLOAD_BYTES = 4 * 1024,
};

struct socket_call {
	CURL *easy;
	const struct socket_request *request;
	struct socket_answer *answer;
	struct curl_slist *headers;
	enum error own; /* error of the source or the sink */
	char error_text[CURL_ERROR_SIZE];
};

static size_t socket_call_on_body(char *data, size_t size, size_t count,
				  void *context)
{
	struct socket_call *call = context;
	const struct socket_request *request = call->request;
	struct buffer *body = &call->answer->body;
	size_t length = size * count;
	curl_off_t total = 0;
	long status = 0;

	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	if (request->sink == NULL || status >= 300) {
		if (length > MAX_ANSWER_BYTES - body->size)
			return 0;
		buffer_append(body, data, length);
		return length;
	}
	curl_easy_getinfo(call->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
			  &total);
	call->own =
		request->sink(request->context, (struct slice){data, length},
			      total > 0 ? (uint64_t)total : 0);
	return call->own == ERR_NONE ? length : 0;
}

static size_t socket_call_on_wanted(char *out, size_t size, size_t count,
				    void *context)
{
	struct socket_call *call = context;
	const struct socket_request *request = call->request;
	size_t length = 0;

	call->own =
		request->source(request->context, out, size * count, &length);
	return call->own == ERR_NONE ? length : CURL_READFUNC_ABORT;
}

/*
 * Set the headers. "Expect" lets the daemon reject an upload before it is sent.
 * For small bodies it is removed, because it costs a round trip. Content-Type
 * is set, because libcurl would send another media type.
 */
static bool socket_call_set_headers(struct socket_call *call)
{
	const struct socket_request *request = call->request;
	bool has_body = request->source != NULL || request->body.size > 0;
	char type[256];
	const char *const lines[] = {
		type,
		request->source == NULL ? "Expect:" : "Expect: 100-continue",
		request->source == NULL ? NULL : "Transfer-Encoding: chunked",
	};

	snprintf(type, sizeof(type), "Content-Type:%s%s", has_body ? " " : "",
		 has_body ? request->media_type : "");
	for (size_t i = 0; i < 3 && lines[i] != NULL; i++) {
		struct curl_slist *list =
			curl_slist_append(call->headers, lines[i]);

		if (list == NULL)
			return false;
		call->headers = list;
	}
	return curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER,
				call->headers) == CURLE_OK;
}

static bool socket_call_set_body(struct socket_call *call)
{
	const struct socket_request *request = call->request;
	const char *method = request->method == NULL ? "GET" : request->method;
	struct slice body = request->body;
	CURL *easy = call->easy;
	unsigned failed = 0;

	if (request->source != NULL) {
		failed |= curl_easy_setopt(easy, CURLOPT_POST, 1L);
		failed |= curl_easy_setopt(easy, CURLOPT_READFUNCTION,
					   socket_call_on_wanted);
		failed |= curl_easy_setopt(easy, CURLOPT_READDATA, call);
		failed |= curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE,
					   (long)UPLOAD_BYTES);
		return failed == 0;
	}
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

static bool socket_call_set_target(struct socket_call *call, const char *socket)
{
	/* at least 1 byte per second */
	const struct curl_setup setup = {
		.protocols = "http",
		.stall_timeout_ms = call->request->timeout_ms,
		.stall_rate = 1,
		.on_body = socket_call_on_body,
		.context = call,
		.error_text = call->error_text,
	};
	struct buffer url = {0};
	unsigned failed = curl_set_up(call->easy, &setup);

	buffer_printf(&url, "http://localhost%s", call->request->target);
	failed |=
		curl_easy_setopt(call->easy, CURLOPT_UNIX_SOCKET_PATH, socket);
	failed |= curl_easy_setopt(call->easy, CURLOPT_URL, url.data);
	failed |= curl_easy_setopt(call->easy, CURLOPT_PATH_AS_IS, 1L);
	if (call->request->sink != NULL)
		failed |= curl_easy_setopt(call->easy, CURLOPT_BUFFERSIZE,
					   (long)DOWNLOAD_BYTES);
	buffer_free(&url);
	return failed == 0;
}

/*
 * Return the error for a code of libcurl. For a Unix socket some codes have a
 * special meaning.
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

/* Return the last header or trailer with this name; NULL if there is none. */
static const char *socket_call_header(const struct socket_call *call,
				      const char *name)
{
	struct curl_header *header;

	return curl_easy_header(call->easy, name, 0,
				CURLH_HEADER | CURLH_TRAILER, -1,
				&header) == CURLHE_OK
		       ? header->value
		       : NULL;
}

static enum error socket_call_perform(struct socket_call *call)
{
	struct socket_answer *answer = call->answer;
	CURLcode code = curl_easy_perform(call->easy);
	const char *missing;
	const char *failed;
	long status = 0;

	if (code != CURLE_OK) {
		snprintf(answer->reason, sizeof(answer->reason), "%s",
			 curl_reason(call->error_text, code));
		buffer_free(&answer->body);
		return socket_call_error(code);
	}
	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	missing = socket_call_header(call, "X-Templated-Missing");
	failed = socket_call_header(call, "X-Templated-Failed");
	answer->status = (unsigned)status;
	answer->failed = failed == NULL ? 0 : strtoull(failed, NULL, 10);
	snprintf(answer->missing, sizeof(answer->missing), "%s",
		 missing == NULL ? "" : missing);
	answer->is_stale =
		socket_call_header(call, "X-Templated-Stale") != NULL;
	return ERR_NONE;
}

enum error socket_ask(const char *socket, const struct socket_request *request,
		      struct socket_answer *answer_out)
{
	struct socket_call call = {.easy = curl_easy_init(),
				   .request = request,
				   .answer = answer_out};
	enum error error = ERR_NETWORK;

	*answer_out =
		(struct socket_answer){.reason = "cannot create the request"};
	if (call.easy != NULL && socket_call_set_target(&call, socket) &&
	    socket_call_set_body(&call) && socket_call_set_headers(&call))
		error = socket_call_perform(&call);
	if (error == ERR_NONE || call.own != ERR_NONE)
		answer_out->reason[0] = '\0';
	curl_easy_cleanup(call.easy);
	curl_slist_free_all(call.headers);
	return call.own != ERR_NONE ? call.own : error;
}

enum { SITES_AT_A_TIME = 500 };

/* Print the error in the response of the daemon. */
static void complain_answer(const struct ctl *ctl,
			    const struct socket_answer *answer)
{
	json_t *value =
		json_loadb(answer->body.data, answer->body.size, 0, NULL);
	const json_t *error = json_object_get(value, "error");
	const char *message =
		json_string_value(json_object_get(error, "message"));
	const char *code = json_string_value(json_object_get(error, "code"));

	if (message == NULL || code == NULL)
		ctl_print_error(ctl, "%s responded with HTTP status %u",
				ctl->socket, answer->status);
	else
		ctl_print_error(ctl, "%s (%s)%s", message, code,
				strcmp(code, "not_found") == 0 &&
						ctl->action != NULL &&
						ctl->action->request != NULL &&
						strstr(ctl->action->request,
						       "/v1/sites/%") != NULL
					? "; `templatectl site list` lists the "
					  "watched sites"
					: "");
	json_decref(value);
}

static enum ctl_status complain_socket(const struct ctl *ctl, enum error error,
				       const struct socket_answer *answer)
{
	if (error == ERR_NOT_FOUND) {
		ctl_print_error(ctl,
				"no daemon responds at %s; start templated, or "
				"set its socket with -s",
				ctl->socket);
		return CTL_NO_DAEMON;
	}
	ctl_print_error(ctl, "%s: %s: %s", ctl->socket, error_text(error),
			answer->reason);
	return CTL_FAILED;
}

/*
 * Print a warning, once, if the response of a node group is incomplete or out
 * of date.
 */
static void client_warn(const struct ctl *ctl,
			const struct socket_answer *answer)
{
	if (answer->missing[0] != '\0' && !ctl->told->of_missing) {
		ctl->told->of_missing = true;
		ctl_print_error(
			ctl,
			"warning: the result is incomplete; these nodes "
			"do not respond: %s",
			answer->missing);
	}
	if (answer->is_stale && !ctl->told->of_stale) {
		ctl->told->of_stale = true;
		ctl_print_error(ctl,
				"warning: the result may be stale: it comes "
				"from a replica on another node");
	}
}

/*
 * Move the body of a successful response to *answer_out; print the error of any
 * other response.
 */
static enum ctl_status client_take_body(const struct ctl *ctl, enum error error,
					struct socket_answer *answer,
					struct buffer *answer_out)
{
	enum ctl_status status = CTL_FAILED;

	if (error == ERR_NONE && answer->status < 300) {
		client_warn(ctl, answer);
		*answer_out = answer->body;
		return CTL_DONE;
	}
	if (error == ERR_NONE)
		complain_answer(ctl, answer);
	else if (answer->reason[0] != '\0')
		status = complain_socket(ctl, error, answer);
	buffer_free(&answer->body);
	return status;
}

enum ctl_status client_ask(const struct ctl *ctl,
			   const struct client_request *ask,
			   struct buffer *answer_out)
{
	struct socket_answer answer = {0};
	char *text =
		ask->body == NULL
			? NULL
			: json_dumps(ask->body,
				     JSON_COMPACT | JSON_REAL_PRECISION(6));
	enum error error;

	error = socket_ask(
		ctl->socket,
		&(struct socket_request){.method = ask->method,
					 .target = ask->target,
					 .body = slice_of(text),
					 .media_type = "application/json",
					 .timeout_ms = ask->timeout_ms},
		&answer);
	free(text);
	if (ask->is_patient && (error != ERR_NONE || answer.status == 503)) {
		buffer_free(&answer.body);
		return CTL_NO_DAEMON;
	}
	return client_take_body(ctl, error, &answer, answer_out);
}

enum ctl_status client_read_json(const struct ctl *ctl, struct buffer *answer,
				 json_t **answer_out)
{
	json_error_t where;

	*answer_out = json_loadb(answer->size == 0 ? "" : answer->data,
				 answer->size, 0, &where);
	buffer_free(answer);
	if (*answer_out != NULL)
		return CTL_DONE;
	ctl_print_error(ctl,
			"%s: the response is not JSON: %s; is it templated?",
			ctl->socket, where.text);
	return CTL_FAILED;
}

enum ctl_status client_ask_json(const struct ctl *ctl,
				const struct client_request *ask,
				json_t **answer_out)
{
	struct buffer answer = {0};
	enum ctl_status status = client_ask(ctl, ask, &answer);

	return status == CTL_DONE ? client_read_json(ctl, &answer, answer_out)
				  : status;
}

enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_request *upload,
			    json_t **answer_out)
{
	struct socket_answer answer;
	struct buffer body = {0};
	enum error error = socket_ask(ctl->socket, upload, &answer);
	enum ctl_status status = client_take_body(ctl, error, &answer, &body);

	return status == CTL_DONE ? client_read_json(ctl, &body, answer_out)
				  : status;
}

enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_request *download)
{
	struct socket_answer answer;
	struct buffer body = {0};
	enum error error = socket_ask(ctl->socket, download, &answer);
	enum ctl_status status = client_take_body(ctl, error, &answer, &body);

	buffer_free(&body);
	if (status != CTL_DONE || answer.failed == 0)
		return status;
	ctl_print_error(ctl, "%" PRIu64 " page%s failed: no text",
			answer.failed, answer.failed == 1 ? "" : "s");
	return CTL_PARTLY;
}

void client_print_json(const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
					       JSON_REAL_PRECISION(15));

	if (text != NULL)
		terminal_print(slice_of(text));
	printf("\n");
	free(text);
}

enum ctl_status client_ask_value(const struct ctl *ctl, const char *method,
				 const char *target, const json_t *body,
				 json_t **answer_out)
{
	*answer_out = NULL;
	return client_ask_json(
		ctl,
		&(struct client_request){.method = method,
					 .target = target,
					 .body = body,
					 .timeout_ms = ASK_TIMEOUT_MS},
		answer_out);
}

/*
 * Append the next sites after the host `after`. Then `after` becomes the last
 * host, or "" if there are no more.
 */
static enum ctl_status ask_some_sites(const struct ctl *ctl,
				      char after[MAX_HOST_BYTES + 1],
				      json_t *sites)
{
	struct buffer target = {0};
	json_t *answer;
	const char *next;
	enum ctl_status status;

	/* the days are only in the JSON */
	buffer_printf(&target, "/v1/sites?limit=%d%s&after=", SITES_AT_A_TIME,
		      ctl->is_json ? "" : "&days=0");
	client_append_escaped(&target, after);
	status = client_ask_value(ctl, NULL, target.data, NULL, &answer);
	json_array_extend(sites, json_object_get(answer, "sites"));
	next = json_string_value(json_object_get(answer, "next"));
	/* accept only hosts in ascending order, so that the loop ends */
	if (next == NULL || strcmp(next, after) <= 0)
		next = "";
	snprintf(after, MAX_HOST_BYTES + 1, "%s", next);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

enum ctl_status client_ask_sites(const struct ctl *ctl, json_t **answer_out)
{
	char after[MAX_HOST_BYTES + 1] = "";
	json_t *sites = json_array();
	enum ctl_status status;

	do {
		status = ask_some_sites(ctl, after, sites);
	} while (status == CTL_DONE && after[0] != '\0');
	*answer_out = json_pack("{s:o}", "sites", sites);
	return status;
}

void client_append_escaped(struct buffer *target, const char *text)
{
	percent_append(target, slice_of(text), "");
}

bool client_host(const struct ctl *ctl, const char *operand, char *host_out)
{
	struct url url;

	if (strpbrk(operand, "/?#@ ") != NULL ||
	    url_parse(&url, slice_of(operand), NULL) != ERR_NONE) {
		ctl_print_error(ctl,
				"\"%s\" is not a HOST, for example example.org",
				operand);
		return false;
	}
	memcpy(host_out, url.host, sizeof(url.host));
	return true;
}

const char *field_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "-" : text;
}

uint64_t whole_of(const json_t *value)
{
	json_int_t number = json_integer_value(value);

	return number < 0 ? 0 : (uint64_t)number;
}

uint64_t field_whole(const json_t *object, const char *name)
{
	return whole_of(json_object_get(object, name));
}

bool ends_with(const char *text, const char *ending)
{
	size_t size = strlen(text);
	size_t length = strlen(ending);

	return size >= length && strcmp(text + size - length, ending) == 0;
}

void append_bytes(double bytes, struct buffer *out)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB",
					    "TiB"};
	size_t unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	buffer_printf(out, unit == 0 ? "%.0f %s" : "%.1f %s", bytes,
		      units[unit]);
}

static void add_bytes(struct text_table *table, double bytes)
{
	struct buffer text = {0};

	append_bytes(bytes, &text);
	table_add(table, buffer_slice(&text));
	buffer_free(&text);
}

static void add_value(struct text_table *table, const char *name,
		      const json_t *value)
{
	if (json_is_string(value))
		table_add_text(table, json_string_value(value));
	else if (json_is_integer(value) && ends_with(name, "_bytes"))
		add_bytes(table, (double)json_integer_value(value));
	else if (json_is_integer(value))
		table_printf(table, "%" JSON_INTEGER_FORMAT,
			     json_integer_value(value));
	else if (json_is_real(value))
		table_printf(table, "%g", json_real_value(value));
	else if (json_is_boolean(value))
		table_add_text(table, json_is_true(value) ? "yes" : "no");
	else
		table_add_text(table, "-");
}

void client_print_object(const json_t *object)
{
	static const struct table_column columns[] = {
		{.title = NULL},
		{.title = NULL, .is_elastic = true},
	};
	struct text_table *table = table_create(columns, 2);
	const char *name;
	const char *inner;
	json_t *value;
	json_t *part;

	/* the iterators of jansson do not accept a const object */
	json_object_foreach((json_t *)object, name, value)
	{
		if (!json_is_object(value)) {
			table_add_text(table, name);
			add_value(table, name, value);
		}
		json_object_foreach(value, inner, part)
		{
			table_printf(table, "%s.%s", name, inner);
			add_value(table, inner, part);
		}
	}
	table_print(table);
	table_destroy(table);
}

void client_print(const struct ctl *ctl, json_t *value)
{
	if (ctl->is_json)
		client_print_json(value);
	else
		client_print_object(value);
	json_decref(value);
}

enum error client_read(int file, char *out, size_t capacity, size_t *size_out,
		       int *failure_out)
{
	ssize_t size;

	do
		size = read(file, out, capacity);
	while (size < 0 && errno == EINTR);
	*size_out = size < 0 ? 0 : (size_t)size;
	*failure_out = size < 0 ? errno : 0;
	return size < 0 ? ERR_IO : ERR_NONE;
}

enum error client_write(int file, struct slice bytes, int *failure_out)
{
	enum error error = file_write_all(file, bytes);

	if (error != ERR_NONE)
		*failure_out = errno;
	return error;
}
