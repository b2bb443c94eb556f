#include "daemon/nodes/depot_request.h"

#include <curl/curl.h>
#include <errno.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/curl_error.h"

enum {
	/* A transfer is stalled below this rate, in both directions. */
	LEAST_BYTES_PER_S = 1024,
	MAX_REFUSAL_BYTES = 2048,
	CODE_BYTES = 64,
	DIGEST_DIGITS = 2 * SNAPSHOT_STORE_DIGEST_BYTES,
	SERVER_ERROR = 500,
};

/* A running request. */
struct snapshot_transfer {
	CURL *easy;
	const struct depot_request *request;
	struct curl_slist *headers;
	char *url;
	uint64_t sent;         /* bytes of the body sent until now */
	struct buffer refusal; /* body of a response with status 300 or above */
	enum error error;      /* error of the sink or the file */
	char error_text[CURL_ERROR_SIZE];
};

/* Advice for an operator by HTTP status. */
struct snapshot_http_advice {
	long status;
	enum error error;
	const char *text;
};

static const struct snapshot_http_advice hints[] = {
	{400, ERR_ADDRESS_FORBIDDEN,
	 "the server rejects the request; check the region"},
	{401, ERR_ADDRESS_FORBIDDEN, "check nodes.snapshot_store_key_file"},
	{403, ERR_ADDRESS_FORBIDDEN,
	 "no permission; allow GET, PUT and DELETE"},
	{404, ERR_NOT_FOUND, "create this folder or bucket"},
	{405, ERR_ADDRESS_FORBIDDEN,
	 "the server does not allow GET, PUT and DELETE here"},
	{409, ERR_NOT_FOUND, "create the parent folder"},
	{411, ERR_ADDRESS_FORBIDDEN, "the server requires a length"},
	{413, ERR_TOO_LARGE, "the file is too large for the server"},
	{429, ERR_NETWORK, "too many requests"},
	{500, ERR_NETWORK, "check the server's log and that the folder exists"},
	{501, ERR_ADDRESS_FORBIDDEN,
	 "the server does not allow GET, PUT and DELETE here"},
	{507, ERR_STORE_FULL, "the server's disk is full"},
};

static long snapshot_transfer_status(const struct snapshot_transfer *transfer)
{
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static size_t send_more(char *out, size_t size, size_t count, void *context)
{
	struct snapshot_transfer *transfer = context;
	const struct depot_request *request = transfer->request;
	size_t room = size * count;
	ssize_t got;

	if (request->body == NULL) {
		size_t left = request->bytes.size - (size_t)transfer->sent;

		room = room < left ? room : left;
		memcpy(out, (const char *)request->bytes.data + transfer->sent,
		       room);
		transfer->sent += room;
		return room;
	}
	do
		got = pread(request->body->file, out, room,
			    (off_t)transfer->sent);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		transfer->error = ERR_IO;
		return CURL_READFUNC_ABORT;
	}
	transfer->sent += (uint64_t)got;
	return (size_t)got;
}

/* Rewind: libcurl sends again when a reused connection was closed. */
static int send_from(void *context, curl_off_t offset, int origin)
{
	struct snapshot_transfer *transfer = context;

	if (origin != SEEK_SET || offset < 0)
		return CURL_SEEKFUNC_FAIL;
	transfer->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl defines the type */
static size_t snapshot_transfer_receive(char *bytes, size_t size, size_t count,
					void *context)
{
	struct snapshot_transfer *transfer = context;
	const struct depot_request *request = transfer->request;
	size_t all = size * count;
	long status = snapshot_transfer_status(transfer);

	if (status >= 300 || request->sink == NULL) {
		if (transfer->refusal.size + all <= MAX_REFUSAL_BYTES)
			buffer_append(&transfer->refusal, bytes, all);
		return all;
	}
	if (all > 0)
		transfer->error = request->sink(request->context,
						(struct slice){bytes, all});
	return transfer->error == ERR_NONE ? all : CURL_WRITEFUNC_ERROR;
}

static unsigned
snapshot_transfer_set_protocol(const struct snapshot_store_server *server,
			       CURL *easy)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	/*
	 * use nothing from the environment, and send the password to no other
	 * host
	 */
	failed |= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, "");
	failed |=
		curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	failed |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_USERAGENT,
				   "templated/" TEMPLATED_VERSION);
	failed |= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)server->connect_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT,
				   (long)LEAST_BYTES_PER_S);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
				   (long)server->stall_timeout_s);
	failed |= ca_bundle_set(&server->authorities, easy);
	return failed;
}

static void snapshot_transfer_add_header(struct snapshot_transfer *transfer,
					 const char *line)
{
	struct curl_slist *longer = curl_slist_append(transfer->headers, line);

	if (longer == NULL)
		mem_exhausted("libcurl");
	transfer->headers = longer;
}

/* S3 signs the checksum of the body, which libcurl does not know. */
static void add_checksum(struct snapshot_transfer *transfer)
{
	const struct depot_request *request = transfer->request;
	char line[sizeof("X-Amz-Content-Sha256: ") + DIGEST_DIGITS];
	unsigned char digest[SNAPSHOT_STORE_DIGEST_BYTES];
	char digits[DIGEST_DIGITS + 1] = "";
	struct sha256_ctx context;

	if (request->body != NULL) {
		memcpy(digest, request->body->sha256, sizeof(digest));
	} else {
		sha256_init(&context);
		if (request->bytes.size > 0)
			sha256_update(&context, request->bytes.size,
				      request->bytes.data);
		sha256_digest(&context, sizeof(digest), digest);
	}
	base16_encode_update(digits, sizeof(digest), digest);
	snprintf(line, sizeof(line), "X-Amz-Content-Sha256: %s", digits);
	snapshot_transfer_add_header(transfer, line);
}

static unsigned set_login(struct snapshot_transfer *transfer,
			  const struct snapshot_store_server *server)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	if (server->login != NULL)
		failed |=
			curl_easy_setopt(easy, CURLOPT_USERPWD, server->login);
	if (server->sigv4 == NULL)
		return failed | curl_easy_setopt(easy, CURLOPT_HTTPAUTH,
						 (long)CURLAUTH_BASIC);
	add_checksum(transfer);
	return failed |
	       curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, server->sigv4);
}

static unsigned
snapshot_transfer_set_request(struct snapshot_transfer *transfer)
{
	const struct depot_request *request = transfer->request;
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_URL, transfer->url);
	failed |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER,
				   transfer->error_text);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION,
				   snapshot_transfer_receive);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
	if (strcmp(request->method, "GET") == 0)
		return failed;
	if (strcmp(request->method, "PUT") != 0)
		return failed | curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST,
						 request->method);
	failed |= curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_more);
	failed |= curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, send_from);
	failed |= curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				   request->body == NULL
					   ? (curl_off_t)request->bytes.size
					   : (curl_off_t)request->body->size);
	return failed;
}

/*
 * Find "AccessDenied" in "<Code>AccessDenied</Code>", the reason in S3 errors.
 */
static void find_code(const struct buffer *refusal, char out[CODE_BYTES])
{
	const char *text = refusal->data == NULL ? "" : refusal->data;
	const char *code = strstr(text, "<Code>");
	size_t size = 0;

	if (code != NULL)
		code += strlen("<Code>");
	while (code != NULL && size < CODE_BYTES - 1 &&
	       is_alphanumeric(code[size])) {
		out[size] = code[size];
		size++;
	}
	out[size] = '\0';
}

static enum error
snapshot_transfer_explain(const struct snapshot_transfer *transfer, long status)
{
	struct snapshot_http_advice hint = {status, ERR_NETWORK,
					    "the server failed"};
	const char *method = transfer->request->method;
	char *elsewhere = NULL;
	char code[CODE_BYTES];

	curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &elsewhere);
	if (elsewhere != NULL) {
		log_error(
			"nodes.snapshot_store: %s %s: %ld, to %s: redirects "
			"are not followed; use that location if it is correct",
			method, transfer->url, status, elsewhere);
		return ERR_ADDRESS_FORBIDDEN;
	}
	if (status < SERVER_ERROR) {
		hint.error = ERR_ADDRESS_FORBIDDEN;
		hint.text = "not a snapshot store";
	}
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (hints[i].status == status)
			hint = hints[i];
	find_code(&transfer->refusal, code);
	log_error("nodes.snapshot_store: %s %s: %ld%s%s: %s", method,
		  transfer->url, status, code[0] == '\0' ? "" : " ", code,
		  hint.text);
	return hint.error;
}

static enum error
snapshot_transfer_finish(const struct snapshot_transfer *transfer,
			 CURLcode code)
{
	const struct depot_request *request = transfer->request;
	long status = snapshot_transfer_status(transfer);
	enum error error;

	if (transfer->error != ERR_NONE)
		return transfer->error;
	/* a server may reject and close before it has read everything */
	if (status >= 300) {
		if (request->may_fail ||
		    (status == 404 && request->may_be_missing))
			return ERR_NOT_FOUND;
		return snapshot_transfer_explain(transfer, status);
	}
	if (code == CURLE_OK)
		return ERR_NONE;
	error = error_from_curl(code);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		error = ERR_ADDRESS_FORBIDDEN;
	log_error("nodes.snapshot_store: %s %s: %s", request->method,
		  transfer->url,
		  transfer->error_text[0] != '\0' ? transfer->error_text
						  : curl_easy_strerror(code));
	return error;
}

enum error snapshot_store_request(const struct snapshot_store_server *server,
				  const struct depot_request *request)
{
	struct snapshot_transfer transfer = {.request = request};
	size_t length = strlen(server->url) + strlen(request->path);
	CURLcode code = CURLE_FAILED_INIT;
	enum error error;

	transfer.url = mem_alloc(1, length + 1);
	snprintf(transfer.url, length + 1, "%s%s", server->url, request->path);
	transfer.easy = curl_easy_init();
	if (transfer.easy == NULL)
		mem_exhausted("libcurl");
	if ((snapshot_transfer_set_protocol(server, transfer.easy) |
	     set_login(&transfer, server) |
	     snapshot_transfer_set_request(&transfer)) == 0)
		code = curl_easy_perform(transfer.easy);
	error = snapshot_transfer_finish(&transfer, code);
	curl_easy_cleanup(transfer.easy);
	curl_slist_free_all(transfer.headers);
	buffer_free(&transfer.refusal);
	free(transfer.url);
	return error;
}
