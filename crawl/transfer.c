#include "crawl/transfer.h"

#include <arpa/inet.h>
#include <assert.h>
#include <curl/curl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/fetch.h"
#include "crawl/http_message.h"

/*
 * Append the content of the CA file with which libcurl was built, and write its
 * path to *path_out. Return false if there is no such file, or it cannot be
 * read.
 */
static bool read_system(struct buffer *out, char **path_out)
{
	CURL *easy = curl_easy_init();
	char *path = NULL;
	bool is_read;

	if (easy != NULL)
		curl_easy_getinfo(easy, CURLINFO_CAINFO, &path);
	is_read =
		path != NULL && file_read(path, MAX_CA_BYTES, out) == ERR_NONE;
	if (is_read)
		*path_out = mem_copy_text(path, strlen(path));
	curl_easy_cleanup(easy);
	return is_read;
}

/*
 * Write the certificates into a memory file, and set authorities->file to its
 * name in /proc.
 */
static bool make_file(struct ca_bundle *authorities, struct slice pem)
{
	char name[64];

	authorities->descriptor = memfd_create("authorities", MFD_CLOEXEC);
	if (authorities->descriptor < 0 ||
	    file_write_all(authorities->descriptor, pem) != ERR_NONE)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d",
		 authorities->descriptor);
	free(authorities->file);
	authorities->file = mem_copy_text(name, strlen(name));
	return true;
}

bool ca_bundle_open_pem(struct ca_bundle *authorities_out, struct slice pem)
{
	struct ca_bundle authorities = {.descriptor = -1};
	struct buffer all = {0};
	bool is_open = true;

	authorities.is_complete = read_system(&all, &authorities.file);
	if (pem.size > 0) {
		buffer_append_byte(&all, '\n');
		buffer_append_slice(&all, pem);
		is_open = make_file(&authorities, buffer_slice(&all));
	}
	buffer_free(&all);
	if (!is_open)
		ca_bundle_close(&authorities);
	*authorities_out = authorities;
	return is_open;
}

bool ca_bundle_open(struct ca_bundle *authorities_out, const char *ca_file)
{
	struct buffer pem = {0};
	bool is_open = ca_file == NULL ||
		       file_read(ca_file, MAX_CA_BYTES, &pem) == ERR_NONE;

	if (is_open)
		is_open =
			ca_bundle_open_pem(authorities_out, buffer_slice(&pem));
	else
		*authorities_out = (struct ca_bundle){.descriptor = -1};
	buffer_free(&pem);
	return is_open;
}

void ca_bundle_close(struct ca_bundle *authorities)
{
	free(authorities->file);
	if (authorities->descriptor >= 0)
		close(authorities->descriptor);
	*authorities = (struct ca_bundle){.descriptor = -1};
}

/*
 * Make `easy` verify the server with these certificates. Return 0, or the error
 * of libcurl.
 */
static unsigned ca_bundle_set(const struct ca_bundle *authorities, CURL *easy)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	if (authorities->file != NULL)
		failed |= curl_easy_setopt(easy, CURLOPT_CAINFO,
					   authorities->file);
	if (authorities->is_complete)
		failed |= curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	return failed;
}

unsigned curl_set_up(CURL *easy, const struct curl_setup *setup)
{
	const char *protocols = setup->protocols;
	unsigned failed = 0;

	failed |=
		curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
				 protocols == NULL ? "http,https" : protocols);
	failed |= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, "");
	failed |=
		curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	failed |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* Do not wait for a name server that does not respond. */
	failed |= curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_USERAGENT, setup->user_agent);
	failed |= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)setup->connect_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
				   (long)setup->total_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT,
				   (long)setup->stall_rate);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
				   ((long)setup->stall_timeout_ms + 999L) /
					   1000L);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, setup->on_body);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEDATA, setup->context);
	failed |=
		curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, setup->error_text);
	if (setup->authorities != NULL)
		failed |= ca_bundle_set(setup->authorities, easy);
	return failed;
}

const char *curl_reason(const char *error_text, CURLcode code)
{
	return error_text[0] != '\0' ? error_text : curl_easy_strerror(code);
}

/*
 * Open the socket for a connection if the filter allows the address. With
 * drops_unsent, the kernel discards unsent data when the socket is closed, even
 * if the process is killed. Otherwise it would send the data again. Then the
 * request of a node that was disconnected could reach the server after
 * reconnection, when another node already owns the host.
 */
static curl_socket_t connection_filter_open(void *context, curlsocktype purpose,
					    struct curl_sockaddr *target)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 0};
	struct connection_filter *filter = context;
	/* The address may be longer than struct sockaddr. */
	const struct sockaddr *address =
		(const void *)((const char *)target +
			       offsetof(struct curl_sockaddr, addr));
	bool is_internet =
		target->family == AF_INET || target->family == AF_INET6;
	curl_socket_t opened;

	(void)purpose;
	if (!is_internet || (!filter->is_open &&
			     !address_filter_allows(address, filter->allowed,
						    filter->allowed_count))) {
		address_filter_format(address, filter->refused,
				      sizeof(filter->refused));
		return CURL_SOCKET_BAD;
	}
	filter->is_connected = true;
	opened = socket(target->family, target->socktype | SOCK_CLOEXEC,
			target->protocol);
	if (opened >= 0 && filter->drops_unsent)
		setsockopt(opened, SOL_SOCKET, SO_LINGER, &linger,
			   sizeof(linger));
	return opened;
}

unsigned connection_filter_set(struct connection_filter *filter, CURL *easy)
{
	return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION,
				connection_filter_open) |
	       curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, filter);
}

void transfer_fail(struct fetch_transfer *transfer, enum error error,
		   const char *format, ...)
{
	struct fetch_result *result = &transfer->result;
	va_list list;

	assert(error != ERR_NONE);
	if (result->error != ERR_NONE)
		return;
	result->error = error;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

__attribute__((format(printf, 2, 3))) static void
transfer_cut(struct fetch_transfer *transfer, const char *format, ...)
{
	struct fetch_result *result = &transfer->result;
	va_list list;

	result->is_cut = true;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

static bool transfer_needs_body(const struct fetch_transfer *transfer)
{
	unsigned status = transfer->result.http_status;

	return status >= 200 && status < 300 && !transfer->is_post;
}

static unsigned port_of(const struct url *url)
{
	const char *bracket = strchr(url->host, ']');
	const char *colon = strchr(bracket == NULL ? url->host : bracket, ':');

	if (colon != NULL)
		return (unsigned)strtoul(colon + 1, NULL, 10);
	return url->is_https ? 443 : 80;
}

static void fail_refused(struct fetch_transfer *transfer, const char *address)
{
	transfer_fail(transfer, ERR_ADDRESS_FORBIDDEN,
		      transfer->is_post
			      ? "%.60s is a private address: add its network "
				"to hooks.allowed_networks"
			      : "%.60s is a private or reserved address",
		      address);
}

/* Check whether the proxy, the port and the host of the request are allowed. */
static bool transfer_check(struct fetch_transfer *transfer)
{
	const struct fetch_options *options = &transfer->plan->options;
	unsigned port = port_of(&transfer->url);
	bool is_port_ok = transfer->request.is_port_ok ||
			  address_filter_allows_port(options->ports,
						     options->port_count, port);

	if (transfer->is_proxied && !options->is_proxy_trusted)
		transfer_fail(
			transfer, ERR_ADDRESS_FORBIDDEN,
			"the proxy is not trusted: set crawl.proxy_trusted");
	else if (transfer->request.is_private_ok)
		return true;
	else if (!is_port_ok)
		transfer_fail(transfer, ERR_ADDRESS_FORBIDDEN,
			      "port %u is not allowed: see crawl.allowed_ports",
			      port);
	else if (transfer->is_proxied &&
		 address_filter_is_private_name(transfer->url.host))
		/*
		 * the proxy resolves the name, and the address filter cannot
		 * check the result
		 */
		fail_refused(transfer, transfer->url.host);
	return transfer->result.error == ERR_NONE;
}

/*
 * Check the connection before libcurl sends the request. Reused connections are
 * checked, too, because a transfer with more permissions may have opened them.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int transfer_on_ready(void *context, char *remote, char *local,
			     int remote_port, int local_port)
{
	struct fetch_transfer *transfer = context;
	const struct connection_filter *filter = &transfer->filter;

	(void)local;
	(void)remote_port;
	(void)local_port;
	if (filter->is_open ||
	    address_filter_allows_text(remote, filter->allowed,
				       filter->allowed_count))
		return CURL_PREREQFUNC_OK;
	fail_refused(transfer, remote);
	return CURL_PREREQFUNC_ABORT;
}

enum {
	MAX_HEADER_BYTES = 64 * 1024,
	/*
	 * maximum size that is read of a response other than a page; reading
	 * more costs more than a new connection
	 */
	MAX_DROPPED_BYTES = 64 * 1024,
	PIECE_BYTES = 16 * 1024,
	/*
	 * A body is a bomb if it has more than BOMB_BYTES after decompression,
	 * and more than BOMB_RATIO times its compressed size. A page rarely
	 * exceeds the first limit, and never has 50 times its compressed size.
	 * A bomb has up to 1000 times (gzip) or a million times (br).
	 */
	BOMB_BYTES = 512 * 1024,
	BOMB_RATIO = 100,
	/*
	 * Limits for chunk headers and other data outside of the body. A chunk
	 * of one byte has a header of five bytes; extensions are rare.
	 */
	FRAMING_BYTES = 128 * 1024,
	FRAMING_RATIO = 8,
};

/* Prepare the transfer for the body: check its type and create the unpacker. */
static void expect_body(struct fetch_transfer *transfer)
{
	const struct response_head *answer = &transfer->answer;

	if (!transfer->request.any_type && transfer->request.sink == NULL &&
	    !transfer->result.is_html)
		transfer_fail(transfer, ERR_NOT_HTML,
			      "the Content-Type is %.100s",
			      answer->content_type);
	else if (answer->is_unreadable)
		transfer_fail(transfer, ERR_MALFORMED,
			      "the body has a coding that cannot be decoded");
	else if (answer->codings.count > 0)
		transfer->unpacker = unpacker_create(answer->codings);
}

/* Handle the end of the headers. Return false if the body is not needed. */
static bool end_headers(struct fetch_transfer *transfer)
{
	struct fetch_result *result = &transfer->result;
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	result->http_status =
		status > 0 && status <= UINT16_MAX ? (uint16_t)status : 0;
	if (result->http_status < 200)
		return true; /* an interim response: 100 Continue, 103 Early
				Hints */
	transfer->is_headed = true;
	response_head_finish(&transfer->answer, (uint64_t)time(NULL), result);
	if (transfer_needs_body(transfer))
		expect_body(transfer);
	else if (result->http_status == 304 && !transfer->is_conditional &&
		 !transfer->is_post)
		transfer_fail(transfer, ERR_MALFORMED,
			      "304 to a request without a condition");
	return result->error == ERR_NONE;
}

/* Keep the beginning of the response to a POST. */
static void transfer_keep_answer(struct fetch_transfer *transfer,
				 struct slice bytes)
{
	struct buffer *answer = &transfer->result.body;

	if (bytes.size > MAX_POST_ANSWER - answer->size)
		bytes.size = MAX_POST_ANSWER - answer->size;
	buffer_append_slice(answer, bytes);
}

/*
 * Keep a line of a mail server, except replies to QUIT, which say nothing about
 * the mail.
 */
static void transfer_take_reply(struct fetch_transfer *transfer,
				struct slice line)
{
	if (transfer->has_quit)
		return;
	buffer_clear(&transfer->result.body);
	transfer_keep_answer(transfer, line);
}

static size_t transfer_on_header(char *data, size_t size, size_t count,
				 void *context)
{
	struct fetch_transfer *transfer = context;
	struct slice line = {data, size * count};
	bool is_begin = line.size >= 5 && memcmp(data, "HTTP/", 5) == 0;

	transfer->bytes.headers += line.size;
	if (transfer->bytes.headers > MAX_HEADER_BYTES) {
		transfer_fail(transfer, ERR_TOO_LARGE,
			      "the headers are over %d bytes",
			      MAX_HEADER_BYTES);
		return 0;
	}
	if (transfer->is_mail) {
		transfer_take_reply(transfer, line);
		return line.size;
	}
	if (transfer->is_headed) /* the line is a trailer, after the body */
		return line.size;
	if (is_begin) {
		response_head_begin(&transfer->answer);
		buffer_clear(&transfer->result.head);
	}
	if (transfer->plan->options.keeps_headers)
		buffer_append_slice(&transfer->result.head, line);
	if (slice_equal(line, slice_of("\r\n")) ||
	    slice_equal(line, slice_of("\n")))
		return end_headers(transfer) ? line.size : 0;
	if (!is_begin)
		response_head_take(&transfer->answer, line, &transfer->url);
	return line.size;
}

static bool transfer_is_bomb(const struct fetch_transfer *transfer)
{
	return transfer->bytes.body > BOMB_BYTES &&
	       transfer->bytes.body / BOMB_RATIO > transfer->bytes.wire;
}

/*
 * Store the bytes, or pass them to the sink. Return false to stop the transfer.
 */
static bool transfer_deliver(struct fetch_transfer *transfer,
			     struct slice bytes)
{
	enum error error;

	if (transfer->request.sink == NULL) {
		buffer_append_slice(&transfer->result.body, bytes);
		return true;
	}
	error = transfer->request.sink(transfer->request.sink_context, bytes);
	if (error != ERR_NONE)
		transfer_fail(transfer, error, "%s", error_text(error));
	return error == ERR_NONE;
}

/*
 * Process the next bytes of the decompressed body. Return false to stop the
 * transfer.
 */
static bool take_piece(struct fetch_transfer *transfer, struct slice bytes)
{
	size_t room = transfer->request.max_body_bytes - transfer->bytes.body;
	bool is_over = bytes.size > room;

	transfer->bytes.body += bytes.size;
	if (transfer_is_bomb(transfer)) {
		transfer_fail(
			transfer, ERR_TOO_LARGE,
			"decompression bomb: %zu bytes decompress to over %zu",
			transfer->bytes.wire, transfer->bytes.body);
		return false;
	}
	if (is_over)
		bytes.size = room;
	if (!transfer_deliver(transfer, bytes))
		return false;
	if (is_over)
		transfer_cut(transfer, "the body is over %zu bytes",
			     transfer->request.max_body_bytes);
	return !is_over;
}

static bool transfer_unpack(struct fetch_transfer *transfer,
			    struct slice packed)
{
	struct unpacker *unpacker = transfer->unpacker;
	size_t before = transfer->bytes.wire;
	char piece[PIECE_BYTES];
	size_t size = 1;

	unpacker_feed(unpacker, packed);
	while (size > 0) {
		if (unpacker_next(unpacker, piece, sizeof(piece), &size) !=
		    ERR_NONE) {
			transfer_fail(transfer, ERR_MALFORMED,
				      "the coding of the body is damaged");
			return false;
		}
		transfer->bytes.wire =
			before + packed.size - unpacker_left(unpacker);
		if (!take_piece(transfer, (struct slice){piece, size}))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t transfer_on_body(char *data, size_t size, size_t count,
			       void *context)
{
	struct fetch_transfer *transfer = context;
	struct slice bytes = {data, size * count};
	bool is_taken;

	transfer->bytes.taken += bytes.size;
	if (!transfer_needs_body(transfer)) {
		transfer->bytes.wire += bytes.size;
		if (transfer->is_post)
			transfer_keep_answer(transfer, bytes);
		return transfer->bytes.wire > MAX_DROPPED_BYTES ? 0
								: bytes.size;
	}
	if (transfer->bytes.sent >
	    transfer->request.max_body_bytes + MAX_DROPPED_BYTES) {
		/*
		 * the server sends empty gzip members, or bytes after the end
		 */
		transfer_cut(transfer, "the server sent over %zu bytes",
			     transfer->request.max_body_bytes);
		return 0;
	}
	transfer->bytes.sent += bytes.size;
	if (transfer->unpacker != NULL) {
		is_taken = transfer_unpack(transfer, bytes);
	} else {
		transfer->bytes.wire += bytes.size;
		is_taken = take_piece(transfer, bytes);
	}
	return is_taken ? bytes.size : 0;
}

/*
 * Called regularly by libcurl. Limit the size of chunk extensions and other
 * data outside of the body; nothing else limits it.
 */
static int transfer_on_progress(void *context, curl_off_t total, curl_off_t now,
				curl_off_t upload_total, curl_off_t upload_now)
{
	struct fetch_transfer *transfer = context;
	size_t most =
		FRAMING_BYTES + (FRAMING_RATIO + 1) * transfer->bytes.taken;

	(void)total;
	(void)now;
	(void)upload_total;
	(void)upload_now;
	if (transfer->bytes.raw <= most)
		return 0;
	transfer_fail(transfer, ERR_TOO_LARGE,
		      "the chunks have %zu bytes in addition to the body",
		      transfer->bytes.raw - transfer->bytes.taken);
	return 1;
}

/*
 * Called for all data that libcurl sends and receives. If there is a proxy,
 * ignore the first request: it is the CONNECT for a tunnel.
 */
static int transfer_on_debug(CURL *easy, curl_infotype type, char *data,
			     size_t size, void *context)
{
	static const char tunnel[] = "CONNECT ";
	struct fetch_transfer *transfer = context;
	size_t length = sizeof(tunnel) - 1;

	(void)easy;
	if (type == CURLINFO_DATA_IN)
		transfer->bytes.raw += size;
	else if (type == CURLINFO_HEADER_OUT &&
		 transfer->plan->options.keeps_headers &&
		 !(size > length && memcmp(data, tunnel, length) == 0))
		buffer_append(&transfer->result.request, data, size);
	if (transfer->is_mail && type == CURLINFO_HEADER_OUT && size >= 4 &&
	    memcmp(data, "QUIT", 4) == 0)
		transfer->has_quit = true;
	return 0;
}

enum { STALL_BYTES_PER_S = 64 };

static unsigned transfer_set_callbacks(struct fetch_transfer *transfer)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	failed |= connection_filter_set(&transfer->filter, easy);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION,
				   transfer_on_ready);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION,
				   transfer_on_header);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	/*
	 * Only the debug callback gets the head of the request, and the data
	 * between the chunks of a body. If there are too many data between the
	 * chunks, only the progress callback can stop the transfer.
	 */
	failed |= curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION,
				   transfer_on_debug);
	failed |= curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION,
				   transfer_on_progress);
	failed |= curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	return failed;
}

/*
 * Set the options for HTTP. libcurl must not decompress bodies, because
 * crawl/http_message.c does.
 */
static unsigned transfer_set_protocol(struct fetch_transfer *transfer)
{
	const struct fetch_options *options = &transfer->plan->options;
	const struct curl_setup setup = {
		.user_agent = options->user_agent,
		.authorities = &transfer->plan->authorities,
		.connect_timeout_ms = options->connect_timeout_ms,
		.total_timeout_ms = options->total_timeout_ms,
		.stall_timeout_ms = options->stall_timeout_ms,
		.stall_rate = STALL_BYTES_PER_S,
		.on_body = transfer_on_body,
		.context = transfer,
		.error_text = transfer->error_text,
	};
	CURL *easy = transfer->easy;
	unsigned failed = curl_set_up(easy, &setup);

	failed |= curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_2TLS);
	failed |= curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	failed |= curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	return failed;
}

/*
 * Replace the cookies of the handle. libcurl decides which cookies it accepts
 * (none for public suffixes, according to libpsl), which it sends, and when
 * they expire.
 */
static CURLcode cookies_load(CURL *easy, const struct cookies *cookies)
{
	struct slice lines = buffer_slice(&cookies->lines);
	CURLcode code = curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");

	while (lines.size > 0 && code == CURLE_OK) {
		struct slice line = line_take(&lines);
		char *text = mem_copy_text(line.data, line.size);

		code = curl_easy_setopt(easy, CURLOPT_COOKIELIST, text);
		free(text);
	}
	return code;
}

/*
 * Copy the cookies of the handle that have not expired. Omit those over
 * MAX_COOKIES or MAX_COOKIE_BYTES.
 */
static void cookies_save(CURL *easy, struct cookies *cookies)
{
	struct curl_slist *list = NULL;
	size_t count = 0;

	buffer_clear(&cookies->lines);
	curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list);
	for (const struct curl_slist *cookie = list; cookie != NULL;
	     cookie = cookie->next) {
		size_t size = strlen(cookie->data) + 1;

		if (count == MAX_COOKIES ||
		    cookies->lines.size + size > MAX_COOKIE_BYTES)
			continue;
		buffer_append_text(&cookies->lines, cookie->data);
		buffer_append_byte(&cookies->lines, '\n');
		count++;
	}
	curl_slist_free_all(list);
}

struct fetch_transfer *transfer_create(const struct transfer_plan *plan)
{
	struct fetch_transfer *transfer = mem_alloc(1, sizeof(*transfer));

	transfer->plan = plan;
	transfer->easy = curl_easy_init();
	if (transfer->easy == NULL || (transfer_set_protocol(transfer) |
				       transfer_set_callbacks(transfer)) != 0) {
		transfer_destroy(transfer);
		return NULL;
	}
	return transfer;
}

/* Free the data of the last request. */
static void transfer_clear(struct fetch_transfer *transfer)
{
	curl_slist_free_all(transfer->headers);
	transfer->headers = NULL;
	curl_slist_free_all(transfer->recipients);
	transfer->recipients = NULL;
	buffer_free(&transfer->mail);
	unpacker_destroy(transfer->unpacker);
	transfer->unpacker = NULL;
	fetch_result_free(&transfer->result);
}

void transfer_destroy(struct fetch_transfer *transfer)
{
	if (transfer == NULL)
		return;
	curl_easy_cleanup(transfer->easy);
	transfer_clear(transfer);
	free(transfer);
}

/* Reset the transfer for a new request; only the handle and its data remain. */
static void transfer_reset(struct fetch_transfer *transfer,
			   const struct fetch_request *request)
{
	assert(transfer->easy != NULL);
	transfer_clear(transfer);
	transfer->url = *request->url;
	transfer->request = *request;
	if (request->max_body_bytes == 0)
		transfer->request.max_body_bytes =
			transfer->plan->options.max_body_bytes;
	transfer->is_post = request->post != NULL;
	transfer->is_mail = transfer->is_post && request->post->mail_to != NULL;
	transfer->is_conditional = request_is_conditional(request);
	transfer->headers = request_headers(request);
	transfer->result = (struct fetch_result){.context = request->context};
	response_head_begin(&transfer->answer);
	transfer->is_headed = false;
	transfer->has_quit = false;
	transfer->bytes = (struct transfer_counts){0};
	transfer->error_text[0] = '\0';
}

/*
 * Return the headers that libcurl must send. If the request has no headers of
 * its own, this is the list that all requests for pages share.
 */
static struct curl_slist *choose_headers(struct fetch_transfer *transfer)
{
	struct curl_slist *page_headers = transfer->plan->page_headers;

	if (transfer->is_post || transfer->request.body.size > 0) {
		/*
		 * libcurl would send "Expect", and wait a second if the server
		 * does not support it
		 */
		transfer->headers =
			request_headers_add(transfer->headers, "Expect:");
		return transfer->headers;
	}
	if (transfer->request.any_type || transfer->request.sink != NULL)
		return transfer->headers;
	if (transfer->headers == NULL)
		return page_headers;
	request_headers_add(transfer->headers, page_headers->data);
	return transfer->headers;
}

static CURLcode load_cookies(struct fetch_transfer *transfer)
{
	static const struct cookies none = {0};
	bool is_first =
		transfer->request.cookies != NULL && !transfer->has_cookies;
	CURLcode code = CURLE_OK;

	if (is_first) /* this enables libcurl's cookie engine */
		code = curl_easy_setopt(transfer->easy, CURLOPT_COOKIEFILE, "");
	transfer->has_cookies |= is_first;
	if (code != CURLE_OK || !transfer->has_cookies)
		return code;
	return cookies_load(transfer->easy,
			    transfer->request.cookies == NULL
				    ? &none
				    : transfer->request.cookies);
}

static unsigned set_body(CURL *easy, struct slice body)
{
	return curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				(curl_off_t)body.size) |
	       curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS,
				body.size == 0 ? "" : body.data);
}

static size_t transfer_on_read(char *out, size_t size, size_t count,
			       void *context)
{
	struct fetch_transfer *transfer = context;
	size_t left = transfer->mail.size - transfer->mail_sent;
	size_t part = size * count < left ? size * count : left;

	if (part > 0)
		memcpy(out, transfer->mail.data + transfer->mail_sent, part);
	transfer->mail_sent += part;
	return part;
}

/*
 * Set the options of a mail, or reset them. Without STARTTLS a server could
 * read the password, so it is required.
 */
static unsigned set_mail(struct fetch_transfer *transfer,
			 const struct fetch_post *post)
{
	bool is_mail = transfer->is_mail;
	struct slice lines = slice_of(is_mail ? post->mail_to : "");
	CURL *easy = transfer->easy;

	while (lines.size > 0) {
		struct slice line = line_take(&lines);
		char *text = mem_copy_text(line.data, line.size);

		transfer->recipients =
			request_headers_add(transfer->recipients, text);
		free(text);
	}
	if (is_mail)
		buffer_append_slice(&transfer->mail, post->body);
	transfer->mail_sent = 0;
	return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
				is_mail ? "smtp,smtps" : "http,https") |
	       curl_easy_setopt(easy, CURLOPT_UPLOAD, (long)is_mail) |
	       curl_easy_setopt(easy, CURLOPT_MAIL_FROM,
				is_mail ? post->mail_from : NULL) |
	       curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, transfer->recipients) |
	       curl_easy_setopt(easy, CURLOPT_USE_SSL,
				is_mail && !post->is_unencrypted
					? (long)CURLUSESSL_ALL
					: (long)CURLUSESSL_NONE) |
	       curl_easy_setopt(easy, CURLOPT_READFUNCTION, transfer_on_read) |
	       curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
}

static unsigned set_post(struct fetch_transfer *transfer,
			 const struct fetch_post *post)
{
	CURL *easy = transfer->easy;

	return set_mail(transfer, post) |
	       curl_easy_setopt(easy, CURLOPT_URL, post->url) |
	       curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, NULL) |
	       curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) |
	       curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) |
	       curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, post->method) |
	       (transfer->is_mail ? 0U : set_body(easy, post->body));
}

/*
 * If the server closes a connection that is used again, libcurl repeats a
 * request without a response, also a POST. Therefore a POST gets a new
 * connection.
 */
static unsigned set_method(struct fetch_transfer *transfer,
			   const struct fetch_request *request)
{
	const struct fetch_post *post = request->post;
	const bool has_body = request->body.size > 0;
	CURL *easy = transfer->easy;

	assert(!has_body || (post == NULL && !transfer->is_conditional &&
			     !request->is_preflight));
	if (post != NULL)
		return set_post(transfer, post);
	return curl_easy_setopt(easy, CURLOPT_URL, transfer->url.text) |
	       curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST,
				request->is_preflight ? "OPTIONS" : NULL) |
	       curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, br") |
	       curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)has_body) |
	       (has_body ? set_body(easy, request->body)
			 : (unsigned)curl_easy_setopt(easy, CURLOPT_HTTPGET,
						      1L));
}

bool transfer_prepare(struct fetch_transfer *transfer,
		      const struct fetch_request *request)
{
	const struct fetch_options *options = &transfer->plan->options;
	const char *proxy =
		request->proxy == NULL ? options->proxy : request->proxy;
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	transfer_reset(transfer, request);
	if (proxy == NULL)
		proxy = "";
	transfer->is_proxied = proxy[0] != '\0';
	/*
	 * if the request uses a trusted proxy, the address of the proxy is
	 * allowed
	 */
	transfer->filter = (struct connection_filter){
		.allowed = options->allowed,
		.allowed_count =
			request->is_network_ok ? options->allowed_count : 0,
		.is_open = request->is_private_ok || transfer->is_proxied,
		.drops_unsent = request->post == NULL,
	};
	if (!transfer_check(transfer))
		return false;
	failed |= set_method(transfer, request);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER,
				   choose_headers(transfer));
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, proxy);
	failed |= load_cookies(transfer);
	if (failed != 0)
		transfer_fail(transfer, ERR_NETWORK, "the request is invalid");
	return failed == 0;
}

static void transfer_count_bytes(struct fetch_transfer *transfer)
{
	struct fetch_result *result = &transfer->result;
	CURL *easy = transfer->easy;
	curl_off_t time_us = 0;
	char *address = NULL;

	curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &time_us);
	curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
	result->wire_bytes = transfer->bytes.wire + transfer->bytes.headers;
	result->elapsed_us = (uint64_t)time_us;
	if (address != NULL)
		snprintf(result->address, sizeof(result->address), "%s",
			 address);
}

/*
 * Return whether errors of the body can be ignored: the headers are complete
 * and the body is not needed. But the body of the response to a POST must be
 * complete, or too long to be read.
 */
static bool transfer_needs_no_body(const struct fetch_transfer *transfer)
{
	return transfer->is_headed && !transfer_needs_body(transfer) &&
	       (!transfer->is_post || transfer->bytes.wire > MAX_DROPPED_BYTES);
}

static void break_off(struct fetch_transfer *transfer, const char *reason)
{
	transfer_cut(transfer, "%s", reason);
	transfer->result.is_broken = true;
}

/*
 * Return the error for the code with which libcurl has finished the transfer of
 * a page: more precise than error_from_curl() if there was no connection.
 */
static enum error transfer_error(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return ERR_UNKNOWN_HOST;
	case CURLE_COULDNT_CONNECT:
		return ERR_NOT_CONNECTED;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
		return ERR_TLS;
	default:
		return error_from_curl(code);
	}
}

/*
 * Set the error and its reason, from the code with which libcurl has finished
 * the transfer.
 */
static void transfer_set_error(struct fetch_transfer *transfer, CURLcode code)
{
	enum error error = transfer->is_post ? error_from_curl(code)
					     : transfer_error(code);
	const char *reason = curl_reason(transfer->error_text, code);

	if (transfer->is_headed && transfer->bytes.body > 0 &&
	    error_is_network(error) && transfer->result.error == ERR_NONE) {
		break_off(transfer, reason);
		return;
	}
	/* if the address filter refused all addresses, this is the reason */
	if (!transfer->filter.is_connected &&
	    transfer->filter.refused[0] != '\0')
		fail_refused(transfer, transfer->filter.refused);
	transfer_fail(transfer, error, "%s", reason);
}

/*
 * Return whether the decompressed body is complete. This is important for a
 * body without a length, which ends when the connection is closed.
 */
static bool is_unpacked(const struct fetch_transfer *transfer)
{
	return transfer->unpacker == NULL || transfer->bytes.wire == 0 ||
	       unpacker_is_whole(transfer->unpacker);
}

/*
 * Set the code of the last reply of the mail server. If the server has rejected
 * the mail, its reply is the reason.
 */
static void transfer_finish_mail(struct fetch_transfer *transfer, CURLcode code)
{
	const struct buffer *answer = &transfer->result.body;
	unsigned status = 0;
	size_t length = 0;

	for (; length < 3 && length < answer->size; length++)
		status = status * 10 +
			 (unsigned)hex_digit(answer->data[length]) % 10;
	while (length < answer->size && answer->data[length] >= ' ')
		length++;
	if (code == CURLE_OK)
		transfer->result.http_status = (uint16_t)status;
	else if (length > 3 && status >= 400 && status < 600)
		transfer_fail(transfer, ERR_NETWORK, "%.*s", (int)length,
			      answer->data);
}

void transfer_stop(struct fetch_transfer *transfer)
{
	transfer_fail(transfer, ERR_STOPPED, "%s", error_text(ERR_STOPPED));
	transfer_finish(transfer, CURLE_ABORTED_BY_CALLBACK);
}

void transfer_finish(struct fetch_transfer *transfer, CURLcode code)
{
	struct fetch_result *result = &transfer->result;

	if (transfer->is_running) /* otherwise the counts of the handle belong
				     to another request */
		transfer_count_bytes(transfer);
	if (transfer->is_mail)
		transfer_finish_mail(transfer, code);
	if (transfer->request.cookies != NULL && transfer->is_headed)
		cookies_save(transfer->easy, transfer->request.cookies);
	if (code == CURLE_OK && !is_unpacked(transfer))
		break_off(transfer, "the compressed body is incomplete");
	else if (code != CURLE_OK && !transfer_needs_no_body(transfer) &&
		 !result->is_cut)
		transfer_set_error(transfer, code);
	/* otherwise libcurl would keep the body of the request */
	if (transfer->is_post || transfer->request.body.size > 0)
		curl_easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, NULL);
	if (result->error != ERR_NONE)
		buffer_free(&result->body);
}
