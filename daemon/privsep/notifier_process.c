#include "daemon/privsep/notifier_process.h"

#include <assert.h>
#include <curl/curl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/fetch.h"
#include "crawl/transfer.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "store/row_codec.h"

enum { IDLE_MS = 10 * 1000 };

const struct row_codec notifier_options_layout =
	MESSAGE(notifier_options, timeout_ms, user_agent, 2);

const struct row_codec notifier_ready_layout =
	MESSAGE_PLAIN(notifier_ready, has_failed);

const struct row_codec notifier_post_layout =
	MESSAGE(notifier_post, number, url, 2);

const struct row_codec notifier_result_layout =
	MESSAGE(notifier_result, http_status, reason, 1);

struct notifier_state {
	struct channel channel;
	struct poster *poster;
	struct network *allowed; /* the poster points to it */
	/* by number; its address is the context of the request */
	bool is_running[NOTIFIER_MAX_REQUESTS];
};

static bool send_row(const struct notifier_state *notifier,
		     enum notifier_message_kind kind,
		     const struct row_codec *layout, const void *row)
{
	struct buffer head = row_codec_encode(layout, row);
	enum error error = channel_send(
		&notifier->channel,
		&(struct frame_parts){
			.kind = kind, .head = buffer_slice(&head), .file = -1});

	buffer_free(&head);
	return error == ERR_NONE;
}

static struct poster *create_poster(struct notifier_state *notifier,
				    const struct notifier_options *row,
				    struct slice networks)
{
	size_t count = networks.size / sizeof(struct network);
	struct network *allowed = mem_alloc(count + 1, sizeof(*allowed));

	if (networks.size > 0)
		memcpy(allowed, networks.data, count * sizeof(*allowed));
	notifier->allowed = allowed;
	return poster_create(&(struct poster_options){
		.user_agent = row->user_agent.data,
		.ca_file = row->ca_file.size == 0 ? NULL : row->ca_file.data,
		.connect_timeout_ms = row->connect_timeout_ms,
		.timeout_ms = row->timeout_ms,
		.allowed = allowed,
		.allowed_count = count,
	});
}

static bool are_options(const struct channel_frame *frame,
			struct notifier_options *row)
{
	return frame->kind == NOTIFIER_OPTIONS &&
	       row_codec_decode(&notifier_options_layout, frame->head, row) &&
	       row->connect_timeout_ms > 0 && row->timeout_ms > 0 &&
	       row->user_agent.size > 0 && message_is_text(row->user_agent) &&
	       message_is_text(row->ca_file) &&
	       frame->body.size % sizeof(struct network) == 0;
}

/* Read the options, and report whether they are usable. */
static bool notifier_open(struct notifier_state *notifier)
{
	struct notifier_options row;
	struct notifier_ready ready;
	struct channel_frame frame;
	bool is_right =
		channel_receive(&notifier->channel, -1, &frame) == ERR_NONE &&
		are_options(&frame, &row);

	if (is_right)
		notifier->poster = create_poster(notifier, &row, frame.body);
	frame_free(&frame);
	ready = (struct notifier_ready){notifier->poster == NULL};
	return is_right &&
	       send_row(notifier, NOTIFIER_READY, &notifier_ready_layout,
			&ready) &&
	       notifier->poster != NULL;
}

/*
 * Point to the header lines; return false if there are too many, or one has no
 * NUL.
 */
static bool split_headers(struct slice lines, struct post_request *request)
{
	const char *at = lines.data;
	size_t left = lines.size;
	size_t count = 0;

	while (left > 0) {
		const char *end = memchr(at, '\0', left);

		if (end == NULL || count == MAX_POST_HEADERS)
			return false;
		request->headers[count++] = at;
		left -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	return true;
}

static bool start_post(struct notifier_state *notifier,
		       const struct channel_frame *frame)
{
	struct post_request request = {.body = frame->body};
	struct notifier_post row;

	if (frame->kind != NOTIFIER_POST ||
	    !row_codec_decode(&notifier_post_layout, frame->head, &row) ||
	    row.number >= NOTIFIER_MAX_REQUESTS ||
	    notifier->is_running[row.number] || row.url.size == 0 ||
	    !message_is_text(row.url) || !split_headers(row.headers, &request))
		return false;
	request.url = row.url.data;
	request.context = &notifier->is_running[row.number];
	notifier->is_running[row.number] = true;
	poster_start(notifier->poster, &request);
	return true;
}

/*
 * Read all received requests. Return false if the other end is closed, or has
 * sent an invalid frame.
 */
static bool take_posts(struct notifier_state *notifier)
{
	struct channel_frame frame;
	enum error error;
	bool goes_on = true;

	while (goes_on && (error = channel_receive(&notifier->channel, 0,
						   &frame)) != ERR_TIMEOUT) {
		goes_on = error == ERR_NONE && start_post(notifier, &frame);
		frame_free(&frame);
	}
	return goes_on;
}

static bool notifier_send_results(struct notifier_state *notifier)
{
	struct post_result result;
	bool goes_on = true;

	while (goes_on && poster_next(notifier->poster, &result)) {
		bool *is_running = result.context;
		const struct notifier_result row = {
			.number = (uint32_t)(is_running - notifier->is_running),
			.error = result.error,
			.http_status = result.http_status,
			.reason = slice_of(result.reason),
		};

		*is_running = false;
		goes_on = send_row(notifier, NOTIFIER_RESULT,
				   &notifier_result_layout, &row);
	}
	return goes_on;
}

void notifier_main(int socket)
{
	struct notifier_state *notifier = mem_alloc(1, sizeof(*notifier));

	notifier->channel = channel_without_files(socket, NOTIFIER_MAX_BODY);
	if (notifier_open(notifier)) {
		while (take_posts(notifier) && notifier_send_results(notifier))
			poster_run(notifier->poster, IDLE_MS, &socket, 1);
	}
	poster_destroy(notifier->poster);
	free(notifier->allowed);
	channel_close(&notifier->channel);
	free(notifier);
}

enum { MAX_ANSWER_BYTES = 65536, KEPT_CONNECTIONS = 64 };

/* A running request. */
struct post {
	struct post *next;
	CURL *easy;
	struct curl_slist *headers;
	size_t answer_bytes;
	bool is_cut; /* the response was too long; its rest was skipped */
	struct connection_filter filter;
	char error_text[CURL_ERROR_SIZE];
	struct post_result result;
};

struct poster {
	CURLM *multi;
	struct ca_bundle authorities;
	char *user_agent;
	uint32_t connect_timeout_ms;
	uint32_t timeout_ms;
	const struct network *allowed; /* [allowed_count] */
	size_t allowed_count;
	struct post *running;
	struct post *ended;
	struct curl_waitfd *files; /* [file_capacity] */
	size_t file_capacity;
};

static void destroy_post(struct post *post)
{
	curl_easy_cleanup(post->easy);
	curl_slist_free_all(post->headers);
	free(post);
}

struct poster *poster_create(const struct poster_options *options)
{
	struct poster *poster;

	if (!curl_memory_begin())
		return NULL;
	poster = mem_alloc(1, sizeof(*poster));
	poster->user_agent =
		mem_copy_text(options->user_agent, strlen(options->user_agent));
	poster->connect_timeout_ms = options->connect_timeout_ms;
	poster->timeout_ms = options->timeout_ms;
	poster->allowed = options->allowed;
	poster->allowed_count = options->allowed_count;
	poster->multi = curl_multi_init();
	if (!ca_bundle_open(&poster->authorities, options->ca_file) ||
	    poster->multi == NULL ||
	    curl_multi_setopt(poster->multi, CURLMOPT_MAXCONNECTS,
			      (long)KEPT_CONNECTIONS) != CURLM_OK) {
		poster_destroy(poster);
		return NULL;
	}
	return poster;
}

void poster_destroy(struct poster *poster)
{
	struct post *post;

	if (poster == NULL)
		return;
	while ((post = poster->running) != NULL) {
		poster->running = post->next;
		curl_multi_remove_handle(poster->multi, post->easy);
		destroy_post(post);
	}
	while ((post = poster->ended) != NULL) {
		poster->ended = post->next;
		destroy_post(post);
	}
	curl_multi_cleanup(poster->multi);
	ca_bundle_close(&poster->authorities);
	free(poster->files);
	free(poster->user_agent);
	free(poster);
	curl_global_cleanup();
}

/*
 * Drop the body. Abort the transfer if it is too long, because the status is
 * known by then.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): the type is libcurl's */
static size_t post_on_body(char *data, size_t size, size_t count, void *context)
{
	struct post *post = context;

	(void)data;
	post->answer_bytes += size * count;
	post->is_cut = post->answer_bytes > MAX_ANSWER_BYTES;
	return post->is_cut ? 0 : size * count;
}

static unsigned post_set_request(struct post *post,
				 const struct post_request *request)
{
	CURL *easy = post->easy;
	unsigned failed = 0;

	for (size_t i = 0; i < MAX_POST_HEADERS && request->headers[i] != NULL;
	     i++)
		post->headers =
			request_headers_add(post->headers, request->headers[i]);
	/*
	 * No "Expect" header: it costs a second with servers that do not
	 * support it.
	 */
	post->headers = request_headers_add(post->headers, "Expect:");
	failed |= curl_easy_setopt(easy, CURLOPT_URL, request->url);
	failed |= curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				   (curl_off_t)request->body.size);
	failed |= curl_easy_setopt(
		easy, CURLOPT_COPYPOSTFIELDS,
		request->body.size == 0 ? "" : request->body.data);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER, post->headers);
	failed |= curl_easy_setopt(easy, CURLOPT_PRIVATE, post);
	return failed | connection_filter_set(&post->filter, easy);
}

/*
 * Set the result of a finished request; a response that was too long is valid.
 */
static void post_set_result(struct post *post, CURLcode code)
{
	struct post_result *result = &post->result;
	long status = 0;

	curl_easy_getinfo(post->easy, CURLINFO_RESPONSE_CODE, &status);
	result->http_status = (uint16_t)status;
	if (code == CURLE_OK || post->is_cut)
		return;
	if (!post->filter.is_connected && post->filter.refused[0] != '\0') {
		result->error = ERR_ADDRESS_FORBIDDEN;
		snprintf(result->reason, sizeof(result->reason),
			 "%s is a private address: add its network to "
			 "hooks.allowed_networks",
			 post->filter.refused);
		return;
	}
	result->error = error_from_curl(code);
	snprintf(result->reason, sizeof(result->reason), "%.127s",
		 curl_reason(post->error_text, code));
}

static void post_list_push(struct post **list, struct post *post)
{
	post->next = *list;
	*list = post;
}

void poster_start(struct poster *poster, const struct post_request *request)
{
	struct post *post = mem_alloc(1, sizeof(*post));
	const struct curl_setup setup = {
		.user_agent = poster->user_agent,
		.authorities = &poster->authorities,
		.connect_timeout_ms = poster->connect_timeout_ms,
		.total_timeout_ms = poster->timeout_ms,
		.on_body = post_on_body,
		.context = post,
		.error_text = post->error_text,
	};

	post->result.context = request->context;
	post->filter.allowed = poster->allowed;
	post->filter.allowed_count = poster->allowed_count;
	post->easy = curl_easy_init();
	if (post->easy == NULL)
		mem_exhausted("libcurl");
	if ((curl_set_up(post->easy, &setup) |
	     post_set_request(post, request)) == 0 &&
	    curl_multi_add_handle(poster->multi, post->easy) == CURLM_OK) {
		post_list_push(&poster->running, post);
		return;
	}
	post_set_result(post, CURLE_FAILED_INIT);
	post_list_push(&poster->ended, post);
}

static void poster_end_post(struct poster *poster, struct post *post)
{
	struct post **at = &poster->running;

	while (*at != post)
		at = &(*at)->next;
	*at = post->next;
	post_list_push(&poster->ended, post);
}

static void poster_perform(struct poster *poster)
{
	CURLMsg *message;
	int left;
	CURLMcode code = curl_multi_perform(poster->multi, &left);

	if (code != CURLM_OK)
		log_error_limited("hooks: %s", curl_multi_strerror(code));
	while ((message = curl_multi_info_read(poster->multi, &left)) != NULL) {
		CURLcode result = message->data.result;
		CURL *easy = message->easy_handle;
		struct post *post = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&post);
		curl_multi_remove_handle(poster->multi, easy);
		post_set_result(post, result);
		poster_end_post(poster, post);
	}
}

void poster_run(struct poster *poster, uint32_t timeout_ms, const int *files,
		size_t count)
{
	int wait = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;

	assert(count <= MAX_POST_FILES);
	poster_perform(poster);
	if (poster->ended != NULL)
		return;
	if (count > poster->file_capacity) {
		poster->files = mem_resize(poster->files, count,
					   sizeof(*poster->files));
		poster->file_capacity = count;
	}
	for (size_t i = 0; i < count; i++)
		poster->files[i] = (struct curl_waitfd){
			.fd = files[i], .events = CURL_WAIT_POLLIN};
	curl_multi_poll(poster->multi, poster->files, (unsigned)count, wait,
			NULL);
	poster_perform(poster);
}

bool poster_next(struct poster *poster, struct post_result *result_out)
{
	struct post *post = poster->ended;

	if (post == NULL)
		return false;
	poster->ended = post->next;
	*result_out = post->result;
	destroy_post(post);
	return true;
}

void poster_wake(struct poster *poster)
{
	curl_multi_wakeup(poster->multi);
}
