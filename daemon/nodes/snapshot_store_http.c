#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/fetch.h"
#include "crawl/transfer.h"
#include "daemon/nodes/snapshot_store.h"

/*
 * Snapshots on a server: requests to it with WebDAV and a password, or with S3
 * and a signature.
 */

struct snapshot_server {
	char *url;   /* "https://host/path/" without user and query */
	char *login; /* "NAME:SECRET", or NULL */
	char *sigv4; /* "aws:amz:REGION:s3" for S3; NULL = WebDAV */
	char *spool_folder;
	struct ca_bundle authorities;
	uint32_t connect_timeout_ms;
	uint32_t stall_timeout_s;
};

struct snapshot_request {
	const char *method; /* "GET", "PUT", "DELETE" or "MKCOL" */
	const char *path;   /* relative to the server's URL */
	/* Body of a PUT: the whole file `body` or, if that is NULL, `bytes`. */
	const struct snapshot_store_body *body;
	struct slice bytes;
	/*
	 * For a GET: consumes the body of a response with a status below 300.
	 */
	snapshot_store_sink *sink;
	void *context;
	bool may_be_missing; /* do not log that the server returns
				ERR_NOT_FOUND */
	bool may_fail;       /* do not log errors */
};

enum {
	/*
	 * A transfer that is slower than this, in either direction, is stalled.
	 */
	LEAST_BYTES_PER_S = 1024,
	MAX_REFUSAL_BYTES = 2048,
	MAX_CODE_BYTES = 63,
	DIGEST_DIGITS = 2 * SNAPSHOT_STORE_DIGEST_BYTES,
	SERVER_ERROR = 500,
};

/* A running request. */
struct snapshot_transfer {
	CURL *easy;
	const struct snapshot_request *request;
	struct curl_slist *headers;
	char *url;
	uint64_t sent;         /* number of bytes of the body sent until now */
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
	const struct snapshot_request *request = transfer->request;
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

/*
 * Continue at another offset of the body: libcurl sends it again if the server
 * has closed a reused connection.
 */
static int send_from(void *context, curl_off_t offset, int origin)
{
	struct snapshot_transfer *transfer = context;

	if (origin != SEEK_SET || offset < 0)
		return CURL_SEEKFUNC_FAIL;
	transfer->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* libcurl defines the type */
static size_t snapshot_transfer_receive(char *bytes, size_t size, size_t count,
					void *context)
{
	struct snapshot_transfer *transfer = context;
	const struct snapshot_request *request = transfer->request;
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

/*
 * Add the checksum of the body as a header: S3 requires it in the signature,
 * and libcurl does not compute it.
 */
static void add_checksum(struct snapshot_transfer *transfer)
{
	const struct snapshot_request *request = transfer->request;
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
	transfer->headers = request_headers_add(transfer->headers, line);
}

static unsigned
snapshot_transfer_set_request(struct snapshot_transfer *transfer,
			      const struct snapshot_server *server)
{
	const struct snapshot_request *request = transfer->request;
	CURL *easy = transfer->easy;
	unsigned failed = curl_easy_setopt(easy, CURLOPT_URL, transfer->url);

	if (server->login != NULL)
		failed |=
			curl_easy_setopt(easy, CURLOPT_USERPWD, server->login);
	if (server->sigv4 == NULL) {
		failed |= curl_easy_setopt(easy, CURLOPT_HTTPAUTH,
					   (long)CURLAUTH_BASIC);
	} else {
		add_checksum(transfer);
		failed |= curl_easy_setopt(easy, CURLOPT_AWS_SIGV4,
					   server->sigv4);
	}
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

static enum error
snapshot_transfer_explain(const struct snapshot_transfer *transfer, long status)
{
	struct snapshot_http_advice hint = {status, ERR_NETWORK,
					    "the server failed"};
	const char *method = transfer->request->method;
	/*
	 * the code of an error of S3, which is in, for example,
	 * "<Code>AccessDenied</Code>"
	 */
	const char *code = transfer->refusal.data == NULL
				   ? NULL
				   : strstr(transfer->refusal.data, "<Code>");
	char *elsewhere = NULL;
	size_t size = 0;

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
	code = code == NULL ? "" : code + strlen("<Code>");
	while (size < MAX_CODE_BYTES && is_alphanumeric(code[size]))
		size++;
	log_error("nodes.snapshot_store: %s %s: %ld%s%.*s: %s", method,
		  transfer->url, status, size == 0 ? "" : " ", (int)size, code,
		  hint.text);
	return hint.error;
}

static enum error
snapshot_transfer_finish(const struct snapshot_transfer *transfer,
			 CURLcode code)
{
	const struct snapshot_request *request = transfer->request;
	long status = snapshot_transfer_status(transfer);
	enum error error;

	if (transfer->error != ERR_NONE)
		return transfer->error;
	/*
	 * check the status first: a server may reject the request and close the
	 * connection before it has read everything
	 */
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
		  transfer->url, curl_reason(transfer->error_text, code));
	return error;
}

/*
 * Send a request. ERR_NONE: the status is below 300. Otherwise the log has the
 * status and what to do.
 */
static enum error snapshot_http_request(const struct snapshot_server *server,
					const struct snapshot_request *request)
{
	struct snapshot_transfer transfer = {.request = request};
	const struct curl_setup setup = {
		.user_agent = "templated/" TEMPLATED_VERSION,
		.authorities = &server->authorities,
		.connect_timeout_ms = server->connect_timeout_ms,
		.stall_timeout_ms = server->stall_timeout_s * 1000U,
		.stall_rate = LEAST_BYTES_PER_S,
		.on_body = snapshot_transfer_receive,
		.context = &transfer,
		.error_text = transfer.error_text,
	};
	struct buffer url = {0};
	CURLcode code = CURLE_FAILED_INIT;
	enum error error;

	buffer_printf(&url, "%s%s", server->url, request->path);
	transfer.url = url.data;
	transfer.easy = curl_easy_init();
	if (transfer.easy == NULL)
		mem_exhausted("libcurl");
	if ((curl_set_up(transfer.easy, &setup) |
	     snapshot_transfer_set_request(&transfer, server)) == 0)
		code = curl_easy_perform(transfer.easy);
	error = snapshot_transfer_finish(&transfer, code);
	curl_easy_cleanup(transfer.easy);
	curl_slist_free_all(transfer.headers);
	buffer_free(&transfer.refusal);
	buffer_free(&url);
	return error;
}

/*
 * Snapshots in files on the server. The manifest of a partition lists its
 * files. A node first lists the name of a new file as incomplete, so that no
 * node reads it, then uploads the file, then lists it as complete. So no
 * listing of the server is needed, and the next node knows the files of a node
 * that was killed.
 */

enum { MAX_KEY_BYTES = 4096, PATH_BYTES = 64, REGION_BYTES = 64 };

#define S3             "s3+"
#define REGION         "region="
#define DEFAULT_REGION "us-east-1"

void snapshot_store_http_close(struct snapshot_server *server)
{
	if (server == NULL)
		return;
	ca_bundle_close(&server->authorities);
	free(server->url);
	free(server->login);
	free(server->sigv4);
	free(server->spool_folder);
	free(server);
	curl_global_cleanup();
}

static enum error snapshot_http_reject_location(const char *what)
{
	log_error("nodes.snapshot_store: %s", what);
	return ERR_MALFORMED;
}

/*
 * Build "NAME:SECRET" from the location's user, if it has one, and the key
 * file.
 */
static enum error find_login(struct snapshot_server *server, const char *user,
			     const char *key_file)
{
	struct buffer login = {0};
	size_t begin;
	enum error error;

	if (key_file[0] == '\0')
		return user == NULL && server->sigv4 == NULL
			       ? ERR_NONE
			       : snapshot_http_reject_location(
					 "a password or key is missing; set "
					 "nodes.snapshot_store_key_file");
	if (user != NULL)
		buffer_printf(&login, "%s:", user);
	begin = login.size;
	error = file_read(key_file, MAX_KEY_BYTES, &login);
	server->login = login.data;
	if (error != ERR_NONE) {
		log_error("nodes.snapshot_store_key_file %s: %s", key_file,
			  file_error_text(error));
		return error;
	}
	while (login.size > begin &&
	       strchr(" \t\r\n", login.data[login.size - 1]) != NULL)
		login.data[--login.size] = '\0';
	if (login.size == begin || strchr(login.data, '\n') != NULL ||
	    strlen(login.data) != login.size) {
		log_error(
			"nodes.snapshot_store_key_file %s: must have one line",
			key_file);
		return ERR_MALFORMED;
	}
	return strchr(login.data, ':') != NULL
		       ? ERR_NONE
		       : snapshot_http_reject_location(
				 "the key file has no NAME:SECRET, and the "
				 "location has no user");
}

/*
 * Read the region of S3 from the query of the location, which must contain
 * nothing else.
 */
static enum error find_region(struct snapshot_server *server, const char *query,
			      bool is_s3)
{
	const char *region = DEFAULT_REGION;
	char text[REGION_BYTES + sizeof("aws:amz::s3")];

	if (query != NULL) {
		if (!is_s3 || strncmp(query, REGION, strlen(REGION)) != 0)
			return snapshot_http_reject_location(
				"a query (?region=) is only valid for s3+...");
		region = query + strlen(REGION);
	}
	for (const char *c = region; *c != '\0'; c++)
		if (!is_alphanumeric(*c) && *c != '-')
			return snapshot_http_reject_location(
				"a region may have letters, digits and '-'");
	if (region[0] == '\0' || strlen(region) >= REGION_BYTES)
		return snapshot_http_reject_location(
			"?region= is empty or too long");
	if (is_s3) {
		snprintf(text, sizeof(text), "aws:amz:%s:s3", region);
		server->sigv4 = mem_copy_text(text, strlen(text));
	}
	return ERR_NONE;
}

/* Build the URL: the location without user and query, with a '/' at its end. */
static enum error snapshot_http_build_url(struct snapshot_server *server,
					  CURLU *url)
{
	struct buffer slashed = {0};
	char *text = NULL;

	curl_url_set(url, CURLUPART_USER, NULL, 0);
	curl_url_set(url, CURLUPART_QUERY, NULL, 0);
	if (curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK)
		return snapshot_http_reject_location("invalid location");
	buffer_append_text(&slashed, text);
	if (slashed.data[slashed.size - 1] != '/')
		buffer_append_byte(&slashed, '/');
	curl_free(text);
	server->url = slashed.data;
	return ERR_NONE;
}

static enum error read_location(struct snapshot_server *server,
				const struct snapshot_store_options *options)
{
	enum { QUERY, USER, PASSWORD, FRAGMENT, PARTS };
	static const CURLUPart kinds[PARTS] = {CURLUPART_QUERY, CURLUPART_USER,
					       CURLUPART_PASSWORD,
					       CURLUPART_FRAGMENT};
	bool is_s3 = strncmp(options->location, S3, strlen(S3)) == 0;
	const char *text = options->location + (is_s3 ? strlen(S3) : 0);
	char *parts[PARTS] = {NULL};
	CURLU *url = curl_url();
	enum error error = ERR_NONE;

	if (url == NULL)
		mem_exhausted("libcurl");
	if (curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
		error = snapshot_http_reject_location("invalid location");
	for (unsigned i = 0; error == ERR_NONE && i < PARTS; i++)
		(void)curl_url_get(url, kinds[i], &parts[i], 0);
	if (parts[PASSWORD] != NULL)
		error = snapshot_http_reject_location(
			"move the password to "
			"nodes.snapshot_store_key_file");
	else if (parts[FRAGMENT] != NULL)
		error = snapshot_http_reject_location(
			"remove the '#' from the location");
	if (error == ERR_NONE)
		error = find_region(server, parts[QUERY], is_s3);
	if (error == ERR_NONE)
		error = find_login(server, parts[USER], options->key_file);
	if (error == ERR_NONE)
		error = snapshot_http_build_url(server, url);
	for (unsigned i = 0; i < PARTS; i++)
		curl_free(parts[i]);
	curl_url_cleanup(url);
	return error;
}

enum error
snapshot_store_http_open(struct snapshot_store *depot,
			 const struct snapshot_store_options *options)
{
	const char *ca_file =
		options->ca_file[0] == '\0' ? NULL : options->ca_file;
	struct snapshot_server *server;
	enum error error;

	if (!curl_memory_begin())
		return ERR_IO;
	server = mem_alloc(1, sizeof(*server));
	depot->server = server;
	server->authorities.descriptor = -1;
	server->connect_timeout_ms = options->connect_timeout_ms;
	server->stall_timeout_s = options->stall_timeout_s;
	server->spool_folder = mem_copy_text(options->spool_folder,
					     strlen(options->spool_folder));
	error = read_location(server, options);
	if (error != ERR_NONE || ca_bundle_open(&server->authorities, ca_file))
		return error;
	log_error("nodes.snapshot_store: %s cannot be read", ca_file);
	return ERR_IO;
}

static enum error snapshot_http_begin(struct snapshot_store *depot,
				      struct snapshot_store_item item,
				      int *file_out)
{
	const char *folder = depot->server->spool_folder;
	struct buffer name = {0};
	int code = 0;

	(void)item;
	buffer_printf(&name, "%s/snapshot.XXXXXX", folder);
	*file_out = mkostemp(name.data, O_CLOEXEC);
	if (*file_out >= 0)
		unlink(name.data);
	else
		code = errno;
	buffer_free(&name);
	if (*file_out >= 0)
		return ERR_NONE;
	log_error("%s: cannot create a file for a snapshot: %s", folder,
		  strerrordesc_np(code));
	return code == ENOSPC || code == EDQUOT ? ERR_STORE_FULL : ERR_IO;
}

/* Manifests, and the names of the files in them. */

#define FIRST_LINE "templated snapshots 1\n"

enum {
	MANIFEST_BYTES = 8192, /* maximum size of the file */
	MANIFEST_LINE_BYTES = 64
};

struct manifest_line {
	char text[MANIFEST_LINE_BYTES];
};

/*
 * Return the line of a row: "+ 0000000012345678.8c2f6ab01d3e5f79.tpl", with a
 * line feed.
 */
static struct manifest_line manifest_line_of(const struct manifest_row *row)
{
	struct manifest_line line = {""};

	snprintf(line.text, sizeof(line.text),
		 "%c %016" PRIu64 ".%016" PRIx64 ".tpl\n",
		 row->is_whole ? '+' : '-', row->number, row->random);
	return line;
}

/*
 * Parse the first line of `text` and skip it. Return false unless the line is
 * exactly as manifest_line_of() writes it.
 */
static bool manifest_parse_row(struct slice *text, struct manifest_row *row)
{
	const char *end = memchr(text->data, '\n', text->size);
	size_t size =
		end == NULL ? 0 : (size_t)(end + 1 - (const char *)text->data);
	struct manifest_line line = {""};
	char *dot;

	*row = (struct manifest_row){0};
	if (size < strlen("+ .\n") || size >= sizeof(line.text))
		return false;
	memcpy(line.text, text->data, size);
	row->is_whole = line.text[0] == '+';
	row->number = strtoull(line.text + strlen("+ "), &dot, 10);
	row->random = *dot == '.' ? strtoull(dot + 1, NULL, 16) : 0;
	*text = (struct slice){end + 1, text->size - size};
	return strcmp(line.text, manifest_line_of(row).text) == 0;
}

enum error manifest_parse(struct slice text, struct manifest *manifest_out)
{
	size_t head = strlen(FIRST_LINE);

	manifest_out->count = 0;
	if (text.size < head || memcmp(text.data, FIRST_LINE, head) != 0)
		return ERR_CORRUPT;
	text = (struct slice){(const char *)text.data + head, text.size - head};
	while (text.size > 0)
		if (manifest_out->count == MANIFEST_ROWS ||
		    !manifest_parse_row(
			    &text, &manifest_out->rows[manifest_out->count++]))
			return ERR_CORRUPT;
	return ERR_NONE;
}

void manifest_write(const struct manifest *manifest, struct buffer *out)
{
	buffer_append_text(out, FIRST_LINE);
	for (size_t i = 0; i < manifest->count; i++)
		if (!manifest->rows[i].is_gone)
			buffer_append_text(
				out, manifest_line_of(&manifest->rows[i]).text);
}

struct manifest_row *manifest_find(struct manifest *manifest,
				   struct manifest_row row)
{
	for (size_t i = 0; i < manifest->count; i++)
		if (manifest->rows[i].number == row.number &&
		    manifest->rows[i].random == row.random)
			return &manifest->rows[i];
	return NULL;
}

struct snapshot_http_path {
	char text[PATH_BYTES];
};

static struct snapshot_http_path snapshot_http_path_of(unsigned partition,
						       const char *name)
{
	struct snapshot_http_path path;

	snprintf(path.text, sizeof(path.text), "p%03u/%.48s", partition, name);
	return path;
}

static struct snapshot_http_path
snapshot_http_file(unsigned partition, const struct manifest_row *row)
{
	struct manifest_line line = manifest_line_of(row);

	line.text[strlen(line.text) - 1] = '\0';
	return snapshot_http_path_of(partition, line.text + strlen("+ "));
}

/* Append bytes of a manifest. ERR_CORRUPT: it is larger than MANIFEST_BYTES. */
static enum error take_manifest(void *context, struct slice bytes)
{
	struct buffer *text = context;

	if (text->size + bytes.size > MANIFEST_BYTES)
		return ERR_CORRUPT;
	buffer_append_slice(text, bytes);
	return ERR_NONE;
}

/*
 * Read the manifest of a partition. ERR_NOT_FOUND: the server has none; then
 * *manifest_out is empty.
 */
static enum error read_manifest(const struct snapshot_server *server,
				unsigned partition,
				struct manifest *manifest_out)
{
	struct snapshot_http_path path =
		snapshot_http_path_of(partition, "manifest");
	struct buffer text = {0};
	struct snapshot_request request = {.method = "GET",
					   .path = path.text,
					   .sink = take_manifest,
					   .context = &text,
					   .may_be_missing = true};
	enum error error = snapshot_http_request(server, &request);

	manifest_out->count = 0;
	if (error == ERR_NONE)
		error = manifest_parse(buffer_slice(&text), manifest_out);
	if (error == ERR_CORRUPT)
		log_error("nodes.snapshot_store: %s%s is not a manifest of "
			  "templated; delete it to have a new one created",
			  server->url, path.text);
	buffer_free(&text);
	return error;
}

/* Write the manifest, without the rows with `is_gone`. */
static enum error write_manifest(const struct snapshot_server *server,
				 unsigned partition,
				 const struct manifest *manifest)
{
	struct snapshot_http_path path =
		snapshot_http_path_of(partition, "manifest");
	struct buffer text = {0};
	struct snapshot_request request = {.method = "PUT", .path = path.text};
	enum error error;

	manifest_write(manifest, &text);
	request.bytes = buffer_slice(&text);
	error = snapshot_http_request(server, &request);
	buffer_free(&text);
	return error;
}

/*
 * Delete the files that are not complete, except that of `kept`, to free space.
 * Set `is_gone` of those that the server does not have any more. The manifest
 * on the server must call them incomplete already, so that no file is left
 * that no manifest names, if this process is killed.
 */
static void delete_incomplete(const struct snapshot_server *server,
			      unsigned partition, struct manifest *manifest,
			      const struct manifest_row *kept)
{
	for (size_t i = 0; i < manifest->count; i++) {
		struct manifest_row *row = &manifest->rows[i];
		struct snapshot_http_path path =
			snapshot_http_file(partition, row);
		struct snapshot_request request = {.method = "DELETE",
						   .path = path.text,
						   .may_be_missing = true};
		enum error error;

		if (row->is_whole || row->is_gone || row == kept)
			continue;
		error = snapshot_http_request(server, &request);
		row->is_gone = error == ERR_NONE || error == ERR_NOT_FOUND;
	}
}

/* Remove the rows with `is_gone`. */
static void manifest_compact(struct manifest *manifest)
{
	size_t count = 0;

	for (size_t i = 0; i < manifest->count; i++)
		if (!manifest->rows[i].is_gone)
			manifest->rows[count++] = manifest->rows[i];
	manifest->count = count;
}

/*
 * Add the file of `row` to the manifest, as incomplete and as the last one.
 * Delete the other incomplete files; their rows remain until the file of `row`
 * is complete.
 */
static enum error snapshot_http_announce(const struct snapshot_server *server,
					 unsigned partition,
					 struct manifest_row row)
{
	struct snapshot_http_path path = snapshot_http_path_of(partition, "");
	struct manifest manifest;
	enum error error = read_manifest(server, partition, &manifest);

	/*
	 * Create the folder. The server rejects this if the folder exists or if
	 * it needs no folders. If that is a problem, the next PUT fails.
	 */
	if (error == ERR_NOT_FOUND && server->sigv4 == NULL)
		(void)snapshot_http_request(
			server, &(struct snapshot_request){.method = "MKCOL",
							   .path = path.text,
							   .may_fail = true});
	if (error != ERR_NONE && error != ERR_NOT_FOUND)
		return error;
	if (manifest.count == MANIFEST_ROWS) {
		delete_incomplete(server, partition, &manifest, NULL);
		manifest_compact(&manifest);
	}
	if (manifest.count == MANIFEST_ROWS) {
		log_error("nodes.snapshot_store: %sp%03u has %d snapshots: "
			  "delete some, and its manifest",
			  server->url, partition, MANIFEST_ROWS);
		return ERR_TOO_LARGE;
	}
	manifest.rows[manifest.count++] = row;
	error = write_manifest(server, partition, &manifest);
	if (error == ERR_NONE)
		delete_incomplete(server, partition, &manifest,
				  &manifest.rows[manifest.count - 1]);
	return error;
}

/*
 * Mark the file of `row` as complete in the manifest, and those with the same
 * number as incomplete. Remove the rows of files that are deleted.
 */
static enum error snapshot_http_publish(const struct snapshot_server *server,
					unsigned partition,
					struct manifest_row row)
{
	struct manifest manifest;
	enum error error = read_manifest(server, partition, &manifest);
	struct manifest_row *ours = manifest_find(&manifest, row);

	/* another node that announced a file after this one has deleted it */
	if (error == ERR_NONE &&
	    (ours == NULL || ours != &manifest.rows[manifest.count - 1]))
		error = ERR_NOT_FOUND;
	if (error == ERR_NOT_FOUND) {
		log_error("nodes.snapshot_store: %sp%03u: another node is "
			  "writing it",
			  server->url, partition);
		return ERR_BUSY;
	}
	if (error != ERR_NONE)
		return error;
	/*
	 * again: the server may have written the file of a killed process after
	 * it was deleted
	 */
	delete_incomplete(server, partition, &manifest, ours);
	for (size_t i = 0; i < manifest.count; i++)
		if (manifest.rows[i].number == row.number)
			manifest.rows[i].is_whole = false;
	ours->is_whole = true;
	error = write_manifest(server, partition, &manifest);
	if (error == ERR_NONE)
		delete_incomplete(server, partition, &manifest, ours);
	return error;
}

static enum error snapshot_http_commit(struct snapshot_store *depot,
				       struct snapshot_store_item item,
				       const struct snapshot_store_body *body)
{
	const struct snapshot_server *server = depot->server;
	struct manifest_row row = {.number = item.number};
	struct snapshot_request request = {.method = "PUT", .body = body};
	struct snapshot_http_path path;
	enum error error;

	if (getrandom(&row.random, sizeof(row.random), 0) !=
	    (ssize_t)sizeof(row.random))
		return ERR_IO;
	path = snapshot_http_file(item.partition, &row);
	request.path = path.text;
	error = snapshot_http_announce(server, item.partition, row);
	if (error == ERR_NONE)
		error = snapshot_http_request(server, &request);
	if (error == ERR_NONE)
		error = snapshot_http_publish(server, item.partition, row);
	return error;
}

static enum error snapshot_http_fetch(struct snapshot_store *depot,
				      struct snapshot_store_item item,
				      snapshot_store_sink *sink, void *context)
{
	const struct snapshot_server *server = depot->server;
	struct snapshot_request request = {
		.method = "GET",
		.sink = sink,
		.context = context,
		.may_be_missing = true,
	};
	struct manifest manifest;
	struct snapshot_http_path path;
	enum error error = read_manifest(server, item.partition, &manifest);

	if (error != ERR_NONE)
		return error;
	for (size_t i = manifest.count; i-- > 0;) {
		if (!manifest.rows[i].is_whole ||
		    manifest.rows[i].number != item.number)
			continue;
		path = snapshot_http_file(item.partition, &manifest.rows[i]);
		request.path = path.text;
		error = snapshot_http_request(server, &request);
		if (error == ERR_NOT_FOUND)
			log_error("nodes.snapshot_store: %s%s is in the "
				  "manifest but missing on the server",
				  server->url, path.text);
		return error;
	}
	return ERR_NOT_FOUND;
}

static enum error snapshot_http_list(struct snapshot_store *depot,
				     unsigned partition,
				     struct snapshot_store_list *list_out)
{
	struct manifest manifest;
	enum error error = read_manifest(depot->server, partition, &manifest);

	if (error == ERR_NOT_FOUND)
		return ERR_NONE;
	for (size_t i = 0; i < manifest.count; i++)
		if (manifest.rows[i].is_whole)
			snapshot_store_list_add(list_out,
						manifest.rows[i].number);
	return error;
}

static enum error snapshot_http_drop(struct snapshot_store *depot,
				     unsigned partition,
				     const struct snapshot_store_list *list)
{
	struct manifest manifest;
	enum error error = read_manifest(depot->server, partition, &manifest);

	if (error != ERR_NONE)
		return error == ERR_NOT_FOUND ? ERR_NONE : error;
	for (size_t i = 0; i < manifest.count; i++)
		for (size_t j = 0; j < list->count; j++)
			if (manifest.rows[i].number == list->numbers[j])
				manifest.rows[i].is_whole = false;
	error = write_manifest(depot->server, partition, &manifest);
	if (error == ERR_NONE)
		delete_incomplete(depot->server, partition, &manifest, NULL);
	return error;
}

const struct snapshot_store_kind snapshot_store_http = {
	.begin = snapshot_http_begin,
	.commit = snapshot_http_commit,
	.fetch = snapshot_http_fetch,
	.list = snapshot_http_list,
	.drop = snapshot_http_drop,
};
