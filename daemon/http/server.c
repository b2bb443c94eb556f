#include "daemon/http/server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/http/exchange.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/systemd.h"
#include "daemon/runtime/tcp_address.h"
#include "daemon/runtime/thread.h"

enum {
	MAX_PEM_BYTES = 1 << 20,
	MAX_SOCKET_FOLDER = sizeof(((struct sockaddr_un *)0)->sun_path),
};

static void tcp_wipe(char *text)
{
	if (text != NULL)
		explicit_bzero(text, strlen(text));
	free(text);
}

/*
 * Return the content of the file as a newly allocated text. If it cannot be
 * read, log that and return NULL.
 */
static char *read_pem(const char *path)
{
	struct buffer bytes = {0};
	enum error error = file_read(path, MAX_PEM_BYTES, &bytes);
	char *text = NULL;

	if (error == ERR_NONE)
		text = mem_copy_text(bytes.data == NULL ? "" : bytes.data,
				     bytes.size);
	else
		log_error("listen: %s: %s; the user who starts the daemon must "
			  "be able to read it",
			  path, file_error_text(error));
	if (bytes.data != NULL)
		explicit_bzero(bytes.data, bytes.capacity);
	buffer_free(&bytes);
	return text;
}

static int bind_to(const struct tcp_address *address)
{
	const int yes = 1;
	int family = address->socket.any.sa_family;
	int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  IPPROTO_TCP);

	/*
	 * allow a restart while connections of the last run still occupy the
	 * port
	 */
	if (file >= 0 &&
	    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ==
		    0 &&
	    (family != AF_INET6 || setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY,
					      &yes, sizeof(yes)) == 0) &&
	    bind(file, &address->socket.any, address->size) == 0)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

/* Return whether the certificate and the key can be used together. */
static bool tcp_has_key_pair(const struct tcp_listener *listener,
			     const char *certificate_path, const char *key_path)
{
	const gnutls_datum_t certificate = {
		(unsigned char *)listener->certificate,
		(unsigned)strlen(listener->certificate)};
	const gnutls_datum_t key = {(unsigned char *)listener->key,
				    (unsigned)strlen(listener->key)};
	gnutls_certificate_credentials_t pair;
	int rc = gnutls_certificate_allocate_credentials(&pair);

	if (rc == GNUTLS_E_SUCCESS) {
		rc = gnutls_certificate_set_x509_key_mem(
			pair, &certificate, &key, GNUTLS_X509_FMT_PEM);
		gnutls_certificate_free_credentials(pair);
	}
	if (rc < 0)
		log_error("listen: %s with the key %s: %s", certificate_path,
			  key_path, gnutls_strerror(rc));
	return rc >= 0;
}

enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path)
{
	struct tcp_listener *listener = mem_alloc(1, sizeof(*listener));
	bool has_tls = *certificate_path != '\0';
	struct tcp_address place;
	enum error error = ERR_IO;

	listener->file = -1;
	if (!tcp_address_read(address, &place)) {
		log_error("listen.address %s: not an address", address);
		error = ERR_MALFORMED;
		goto out;
	}
	if (has_tls) {
		listener->certificate = read_pem(certificate_path);
		listener->key = read_pem(key_path);
		if (listener->certificate == NULL || listener->key == NULL ||
		    !tcp_has_key_pair(listener, certificate_path, key_path))
			goto out;
	}
	listener->file = bind_to(&place);
	if (listener->file < 0) {
		error = errno == EADDRINUSE ? ERR_BUSY : ERR_IO;
		log_error("listen.address %s: %s", address,
			  strerrordesc_np(errno));
		goto out;
	}
	*listener_out = listener;
	return ERR_NONE;
out:
	tcp_close(listener);
	return error;
}

enum error tcp_trust(struct tcp_listener *listener, const char *ca_path)
{
	assert(listener->certificate != NULL && listener->trust == NULL);
	listener->trust = read_pem(ca_path);
	return listener->trust == NULL ? ERR_IO : ERR_NONE;
}

void tcp_close(struct tcp_listener *listener)
{
	if (listener == NULL)
		return;
	if (listener->file >= 0)
		close(listener->file);
	tcp_wipe(listener->certificate);
	tcp_wipe(listener->key);
	tcp_wipe(listener->trust);
	free(listener);
}

static int listen_open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static bool make_address(const char *path, struct sockaddr_un *address_out)
{
	size_t length = strlen(path);

	*address_out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length == 0 || length >= sizeof(address_out->sun_path)) {
		log_error("socket %s: the path must have 1 to %zu bytes; "
			  "change socket.path",
			  path, sizeof(address_out->sun_path) - 1);
		return false;
	}
	memcpy(address_out->sun_path, path, length);
	return true;
}

/*
 * Return whether a process accepts connections at `address`. A full queue or a
 * missing permission to connect counts as such a process.
 */
static bool listen_path_is_served(const struct sockaddr_un *address)
{
	int file = listen_open_socket();
	bool is_there;

	if (file < 0)
		return false;
	is_there = connect(file, (const struct sockaddr *)address,
			   sizeof(*address)) == 0 ||
		   errno == EAGAIN || errno == EINPROGRESS || errno == EPERM;
	close(file);
	return is_there;
}

/*
 * Remove the socket file at `path` if no process accepts connections on it.
 * ERR_BUSY: a process does.
 */
static enum error clear_path(const char *path,
			     const struct sockaddr_un *address)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		return ERR_NONE;
	if (!S_ISSOCK(status.st_mode)) {
		log_error("socket %s: the file is not a socket; remove it or "
			  "change socket.path",
			  path);
		return ERR_IO;
	}
	if (listen_path_is_served(address)) {
		log_error("socket %s: another daemon accepts connections on "
			  "it; stop it or change socket.path",
			  path);
		return ERR_BUSY;
	}
	if (unlink(path) != 0) {
		log_error("socket %s: cannot remove the stale file: %s", path,
			  strerrordesc_np(errno));
		return ERR_IO;
	}
	return ERR_NONE;
}

enum error listen_clear(const char *path)
{
	struct sockaddr_un address;

	if (!make_address(path, &address))
		return ERR_TOO_LARGE;
	/*
	 * skip the check if the service manager has passed a socket on this
	 * path: this process itself would accept connections on it
	 */
	return activation_file(path) >= 0 ? ERR_NONE
					  : clear_path(path, &address);
}

enum error listen_check(const char *path)
{
	char folder[MAX_SOCKET_FOLDER];
	enum error error = listen_clear(path);
	char *end;

	if (error != ERR_NONE || activation_file(path) >= 0)
		return error;
	snprintf(folder, sizeof(folder), "%s", path);
	end = strrchr(folder, '/');
	if (end != NULL)
		end[end == folder] = '\0';
	if (access(end == NULL ? "." : folder, W_OK | X_OK) == 0)
		return ERR_NONE;
	log_error("socket %s: %s; the daemon needs write permission for its "
		  "folder",
		  path, strerrordesc_np(errno));
	return ERR_IO;
}

/*
 * Bind and listen. The socket file gets the mode of the descriptor without the
 * bits of the umask, so it never permits more than `mode`. The removed bits are
 * added before listen(), because a client can connect only after listen().
 */
static bool listen_bind(int file, const char *path, uint32_t mode,
			const struct sockaddr_un *address)
{
	return file >= 0 && fchmod(file, (mode_t)mode) == 0 &&
	       bind(file, (const struct sockaddr *)address, sizeof(*address)) ==
		       0 &&
	       chmod(path, (mode_t)mode) == 0 && listen(file, SOMAXCONN) == 0;
}

/*
 * Use a duplicate of the descriptor, so that `handed` stays open for the next
 * start of the server.
 */
static enum error take_over(int handed, struct listen_socket *listening_out)
{
	int file = fcntl(handed, F_DUPFD_CLOEXEC, 0);

	if (file < 0)
		return ERR_IO;
	if (fcntl(file, F_SETFL, O_NONBLOCK) != 0) {
		close(file);
		return ERR_IO;
	}
	*listening_out = (struct listen_socket){.file = file};
	return ERR_NONE;
}

/*
 * Listen on `path`. If the service manager has passed a socket on this path
 * (runtime/activation.h), use that socket and do not change its file. Otherwise
 * replace an unused socket file, and set the mode of the new file before a
 * client can connect. ERR_BUSY: another process accepts connections on it.
 * ERR_TOO_LARGE: the path is too long for a socket. ERR_IO. The error and a
 * remedy are logged.
 */
static enum error listen_on(const char *path, uint32_t mode,
			    struct listen_socket *listening_out)
{
	struct sockaddr_un address;
	struct stat status = {0};
	enum error error = listen_clear(path);
	int file = activation_file(path);

	if (error != ERR_NONE)
		return error;
	if (file >= 0)
		return take_over(file, listening_out);
	make_address(path, &address);
	file = listen_open_socket();
	if (!listen_bind(file, path, mode, &address) ||
	    lstat(path, &status) != 0) {
		log_error("socket %s: %s; the daemon needs write permission "
			  "for its folder",
			  path, strerrordesc_np(errno));
		if (file >= 0)
			close(file);
		return ERR_IO;
	}
	*listening_out = (struct listen_socket){
		.file = file,
		.device = status.st_dev,
		.inode = status.st_ino,
	};
	return ERR_NONE;
}

/*
 * Remove the socket file, so that clients can no longer connect, but only if
 * the file still belongs to this socket.
 */
static void listen_hide(const struct listen_socket *listening, const char *path)
{
	struct stat status;

	if (listening->file >= 0 && lstat(path, &status) == 0 &&
	    status.st_dev == listening->device &&
	    status.st_ino == listening->inode)
		unlink(path);
}

enum {
	/* maximum bytes of a request line and its headers */
	CONNECTION_BYTES = 32 * 1024,
	FIRST_REQUEST_S = 5, /* timeout for the first request of a client */
	/* this many bodies of the maximum size fit into memory */
	MAX_BODIES = 16,
	MAX_DISCARDED = 4, /* a client may send this many times the maximum size
			      before it is cut off */
	/* time that clients have at stop to read their replies */
	LAST_WORDS_MS = 1000,
	FILE_BLOCK_BYTES = 128 * 1024,
	LOG_KINDS = 64, /* number of counters for messages of libmicrohttpd */
};

/* GnuTLS's default ciphers, without obsolete versions of TLS. */
static char tls_versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

static void log_mhd(void *context, const char *format, va_list list)
	__attribute__((format(printf, 2, 0)));

/*
 * Log a message of libmicrohttpd, which passes only texts and no codes. After
 * the start most messages concern one client, for example one that disconnects
 * or does not speak TLS, so these are limited.
 */
static void log_mhd(void *context, const char *format, va_list list)
{
	static struct log_limit kinds[LOG_KINDS];
	const struct http_server *server = context;
	/* messages of one kind have the same format string */
	uint64_t kind = hash64(format, strlen(format), 0) % LOG_KINDS;
	char line[512];

	vsnprintf(line, sizeof(line), format, list);
	line[strcspn(line, "\n")] = '\0';
	log_line_limited(&kinds[kind],
			 atomic_load(&server->has_begun) ? LOG_LEVEL_INFO
							 : LOG_LEVEL_WARN,
			 (struct log_subject){0}, "http: %s", line);
}

static int socket_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_CONNECTION_FD)
		->connect_fd;
}

/*
 * Create the client_connection of a new client, with a short timeout for its
 * first request, or end the client_connection of a disconnected client.
 */
static void notice_client(void *context, struct MHD_Connection *connection,
			  void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = context;
	unsigned seconds = (server->options.timeout_ms + 999U) / 1000U;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context =
			client_connection_begin(server, socket_of(connection));
	else
		client_connection_end(server, *socket_context);
	if (code == MHD_CONNECTION_NOTIFY_STARTED && seconds > FIRST_REQUEST_S)
		MHD_set_connection_option(connection,
					  MHD_CONNECTION_OPTION_TIMEOUT,
					  (unsigned)FIRST_REQUEST_S);
}

/* Create a response from `body`, and move the bytes out of `body`. */
static struct MHD_Response *response_of_buffer(struct buffer *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body->size, body->data == NULL ? (void *)"" : body->data,
		body->data == NULL ? MHD_RESPMEM_PERSISTENT
				   : MHD_RESPMEM_MUST_FREE);

	if (response != NULL)
		*body = (struct buffer){0};
	return response;
}

/* A file that is being sent. */
struct sent_file {
	struct http_server *server;
	int file;
};

static ssize_t http_file_read(void *context, uint64_t position, char *out,
			      size_t size)
{
	const struct sent_file *sent = context;
	ssize_t count = pread(sent->file, out, size, (off_t)position);

	return count > 0 ? count : MHD_CONTENT_READER_END_WITH_ERROR;
}

/*
 * Close a file after it was sent. A worker closes it, because closing the last
 * reference to a large file takes long: the file system frees its blocks.
 */
static void http_file_end(void *context)
{
	struct sent_file *sent = context;

	work_close(sent->server, sent->file);
	free(sent);
}

static struct MHD_Response *response_of_file(struct http_exchange *exchange)
{
	struct sent_file *sent = mem_alloc(1, sizeof(*sent));
	struct MHD_Response *response;

	*sent = (struct sent_file){exchange->server, exchange->reply_file};
	response = MHD_create_response_from_callback(
		exchange->reply_size, FILE_BLOCK_BYTES, http_file_read, sent,
		http_file_end);
	if (response != NULL)
		exchange->is_file = false;
	else
		free(sent);
	return response;
}

static enum MHD_Result send_reply(struct http_exchange *exchange)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	assert(exchange->status != 0);
	exchange_hold_reply(exchange);
	if (exchange->stream != NULL)
		response = stream_respond(exchange);
	else if (exchange->is_file)
		response = response_of_file(exchange);
	else
		response = response_of_buffer(&exchange->reply);
	if (response == NULL)
		return MHD_NO;
	client_connection_enter(exchange->server, exchange->client,
				CONNECTION_REPLY);
	/*
	 * disable MHD's timeout: exchange.c checks more precisely whether the
	 * client reads
	 */
	MHD_set_connection_option(exchange->connection,
				  MHD_CONNECTION_OPTION_TIMEOUT, 0U);
	if (*exchange->media_type != '\0')
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
					exchange->media_type);
	for (size_t i = 0; i < exchange->header_count; i++)
		MHD_add_response_header(response, exchange->headers[i].name,
					exchange->headers[i].value);
	result = MHD_queue_response(exchange->connection, exchange->status,
				    response);
	MHD_destroy_response(response);
	return result;
}

static void http_reject(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	char message[128];

	if (exchange->refusal == http_busy_status(exchange)) {
		exchange_refuse_busy(
			exchange,
			"too many uploads are in progress; try again");
		return;
	}
	if (exchange->refusal == MHD_HTTP_BAD_REQUEST) {
		exchange_refuse(exchange, exchange->refusal, "bad_request",
				"the request needs exactly one Content-Length, "
				"or chunked coding");
		return;
	}
	snprintf(message, sizeof(message),
		 "the body has more than %zu bytes (socket.max_upload)",
		 server->options.max_body_bytes);
	exchange_refuse(exchange, exchange->refusal, "too_large", message);
}

/*
 * Return whether the announced size of the body is so large that the request is
 * rejected before it is received.
 */
static bool announces_too_much(const struct http_exchange *exchange)
{
	const char *length =
		http_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
	uint64_t max = exchange->server->options.max_body_bytes;

	/*
	 * a client that expects 100-continue has not sent the body yet, so the
	 * limit need not be multiplied
	 */
	if (http_header(exchange, MHD_HTTP_HEADER_EXPECT) == NULL)
		max *= MAX_DISCARDED;
	return length != NULL && strtoull(length, NULL, 10) > max;
}

/*
 * The headers of a request that determine the end of its body: their numbers.
 */
struct length_headers {
	unsigned lengths;
	unsigned codings;
	bool is_unknown; /* there is a coding other than "chunked" */
};

static enum MHD_Result count_length(void *context, enum MHD_ValueKind kind,
				    const char *name, const char *value)
{
	struct length_headers *headers = context;

	(void)kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0)
		headers->lengths++;
	if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
		headers->codings++;
		headers->is_unknown |=
			value == NULL || strcasecmp(value, "chunked") != 0;
	}
	return MHD_YES;
}

/*
 * Return the status if the request is rejected because of its head, otherwise
 * 0. A request with two lengths, or with a length and a coding, is rejected: a
 * proxy in front of the daemon could see another end of the body than
 * libmicrohttpd (request smuggling).
 */
static unsigned http_head_status(struct http_exchange *exchange)
{
	const struct http_options *options = &exchange->server->options;
	struct length_headers headers = {0};

	MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND,
				  count_length, &headers);
	if (headers.lengths + headers.codings > 1 || headers.is_unknown)
		return MHD_HTTP_BAD_REQUEST;
	if ((exchange->traits & HTTP_UPLOAD) != 0 && options->max_uploads > 0)
		return upload_begin(exchange) ? 0 : http_busy_status(exchange);
	return announces_too_much(exchange) ? MHD_HTTP_CONTENT_TOO_LARGE : 0;
}

static enum MHD_Result begin_exchange(struct http_server *server,
				      struct MHD_Connection *connection,
				      const char *path, const char *method,
				      void **context)
{
	struct http_exchange *exchange = mem_alloc(1, sizeof(*exchange));

	exchange->server = server;
	exchange->connection = connection;
	exchange->file = socket_of(connection);
	exchange->client =
		MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			->socket_context;
	exchange->method = method;
	exchange->path = path;
	exchange->arrival_ms = clock_steady_ms();
	if (server->options.traits != NULL)
		exchange->traits = server->options.traits(method, path);
	*context = exchange;
	lock_acquire(&server->lock);
	client_connection_set_state(exchange->client, CONNECTION_BODY);
	exchange->client->exchange = exchange;
	server->requests++;
	lock_release(&server->lock);
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
				  (server->options.timeout_ms + 999U) / 1000U);
	if (server->options.admit != NULL &&
	    !server->options.admit(exchange, server->options.context)) {
		/*
		 * If the request has a body, reply immediately; then MHD does
		 * not read the body, and it closes the connection. If there is
		 * no body, reply when MHD has the whole request, and keep the
		 * connection.
		 */
		if (http_has_body(exchange))
			return send_reply(exchange);
		exchange->state = EXCHANGE_REPLIED;
		return MHD_YES;
	}
	exchange->refusal = http_head_status(exchange);
	if (exchange->refusal == 0)
		return MHD_YES;
	http_reject(exchange);
	return send_reply(exchange);
}

/*
 * Store a part of the body. Bytes over the limit are read and dropped, because
 * a client that is still sending does not see a reply.
 */
static enum MHD_Result http_receive_body(struct http_exchange *exchange,
					 const char *data, size_t *size)
{
	struct http_server *server = exchange->server;
	uint64_t max = server->options.max_body_bytes;

	assert(exchange->upload == NULL);
	client_connection_count(server, exchange->client, *size);
	exchange->received += *size;
	lock_acquire(&server->lock);
	if (exchange->received > max)
		exchange->refusal = MHD_HTTP_CONTENT_TOO_LARGE;
	else if (exchange->refusal == 0 &&
		 !exchange_take(exchange, &server->held_bytes, *size))
		exchange->refusal = http_busy_status(exchange);
	lock_release(&server->lock);
	if (exchange->received > max * MAX_DISCARDED)
		return MHD_NO;
	if (exchange->refusal == 0) {
		buffer_append(&exchange->body, data, *size);
	} else {
		quota_release(&server->held_bytes, exchange->owner,
			      exchange->body.size);
		buffer_free(&exchange->body);
	}
	*size = 0;
	return MHD_YES;
}

/* Like http_receive_body(), for a streamed body. */
static enum MHD_Result receive_upload(struct http_exchange *exchange,
				      const char *data, size_t *size)
{
	bool is_over;
	enum MHD_Result result;

	client_connection_count(exchange->server, exchange->client, *size);
	result = upload_receive(exchange, data, size, &is_over);
	return is_over ? send_reply(exchange) : result;
}

/*
 * Queue the exchange. Return false if the server's thread has already handled
 * or rejected it.
 */
static bool http_submit(struct http_exchange *exchange)
{
	const struct http_options *options = &exchange->server->options;

	/* change the state before the exchange belongs to a worker */
	client_connection_enter(exchange->server, exchange->client,
				CONNECTION_BUSY);
	exchange->is_inline = (exchange->traits & HTTP_INLINE) != 0;
	if (exchange->is_inline &&
	    options->handle(exchange, options->context) == HTTP_ANSWERED)
		return false;
	exchange->is_inline = false;
	return work_submit(exchange);
}

/* NOLINTNEXTLINE(readability-function-size): the type is MHD's */
static enum MHD_Result http_on_request(void *context,
				       struct MHD_Connection *connection,
				       const char *path, const char *method,
				       const char *version, const char *data,
				       size_t *size, void **exchange_context)
{
	struct http_exchange *exchange = *exchange_context;

	(void)version;
	if (exchange == NULL)
		return begin_exchange(context, connection, path, method,
				      exchange_context);
	if (exchange->upload != NULL)
		return receive_upload(exchange, data, size);
	if (*size > 0)
		return http_receive_body(exchange, data, size);
	if (exchange->state == EXCHANGE_REPLIED)
		return send_reply(exchange);
	if (exchange->refusal != 0)
		http_reject(exchange);
	else if (http_submit(exchange))
		return MHD_YES;
	return send_reply(exchange);
}

static void end_exchange(void *context, struct MHD_Connection *connection,
			 void **exchange_context,
			 enum MHD_RequestTerminationCode code)
{
	struct http_server *server = context;
	struct http_exchange *exchange = *exchange_context;

	enum error failure = code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED
				     ? ERR_TIMEOUT
				     : ERR_NETWORK;

	(void)connection;
	if (exchange == NULL)
		return;
	*exchange_context = NULL;
	client_connection_enter(server, exchange->client, CONNECTION_HEAD);
	quota_release(&server->held_bytes, exchange->owner,
		      exchange->body.size);
	if (exchange->upload == NULL || upload_abandon(exchange, failure))
		exchange_end(exchange);
}

static struct http_server *
http_server_create(const struct http_options *options)
{
	struct http_server *server = mem_alloc(1, sizeof(*server));

	const char *path =
		options->listener == NULL && options->socket_path != NULL
			? options->socket_path
			: "";

	server->options = *options;
	server->socket_path = mem_copy_text(path, strlen(path));
	server->options.socket_path = server->socket_path;
	server->listening.file = -1;
	server->clients.max = options->max_clients;
	server->waiting.max = options->max_waiting;
	server->listeners.max = options->max_listeners;
	server->uploads.max = options->max_uploads;
	server->unread.max = options->max_reply_bytes;
	server->held_bytes.max = options->max_body_bytes * MAX_BODIES;
	server->busy.max = options->workers;
	server->busy_long.max = work_long(options->workers);
	lock_init(&server->lock, LOCK_SERVER);
	condition_init(&server->is_wanted);
	condition_init(&server->is_ended);
	condition_init(&server->is_fed);
	return server;
}

static struct MHD_Daemon *start_mhd(struct http_server *server)
{
	const struct http_options *options = &server->options;
	const struct tcp_listener *listener = options->listener;
	bool has_tls = listener != NULL && listener->certificate != NULL;
	bool is_listening = server->listening.file >= 0;
	const struct MHD_OptionItem last = {MHD_OPTION_END, 0, NULL};
	struct MHD_OptionItem items[6];
	size_t count = 0;

	if (is_listening)
		items[count++] = (struct MHD_OptionItem){
			MHD_OPTION_LISTEN_SOCKET, server->listening.file, NULL};
	if (has_tls) {
		items[count++] = (struct MHD_OptionItem){
			MHD_OPTION_HTTPS_MEM_CERT, 0, listener->certificate};
		items[count++] = (struct MHD_OptionItem){
			MHD_OPTION_HTTPS_MEM_KEY, 0, listener->key};
		items[count++] = (struct MHD_OptionItem){
			MHD_OPTION_HTTPS_PRIORITIES, 0, tls_versions};
	}
	if (has_tls && listener->trust != NULL)
		items[count++] = (struct MHD_OptionItem){
			MHD_OPTION_HTTPS_MEM_TRUST, 0, listener->trust};
	items[count] = last;
	return MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG | (has_tls ? MHD_USE_TLS : 0U) |
			(is_listening ? 0U : MHD_USE_NO_LISTEN_SOCKET),
		0, NULL, NULL, http_on_request, server,
		MHD_OPTION_EXTERNAL_LOGGER, log_mhd, server,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->max_clients,
		MHD_OPTION_CONNECTION_TIMEOUT,
		(options->timeout_ms + 999U) / 1000U,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_NOTIFY_COMPLETED, end_exchange, server,
		MHD_OPTION_NOTIFY_CONNECTION, notice_client, server,
		MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/*
 * Listen on a duplicate of the listener's socket; the caller keeps the
 * original.
 */
static enum error listen_tcp(struct http_server *server)
{
	int file = fcntl(server->options.listener->file, F_DUPFD_CLOEXEC, 0);

	server->listening.file = file;
	if (file >= 0 && listen(file, SOMAXCONN) == 0)
		return ERR_NONE;
	log_error("listen.address: %s", strerrordesc_np(errno));
	return errno == EADDRINUSE ? ERR_BUSY : ERR_IO;
}

static enum error http_server_begin(struct http_server *server)
{
	const struct http_options *options = &server->options;
	bool is_tcp = options->listener != NULL;
	const char *where = is_tcp ? "for TCP" : options->socket_path;
	char limits[THREAD_LIMITS_BYTES];
	enum error error = ERR_NONE;

	if (is_tcp)
		error = listen_tcp(server);
	else if (*options->socket_path != '\0')
		error = listen_on(options->socket_path, options->socket_mode,
				  &server->listening);
	if (error != ERR_NONE)
		return error;
	server->mhd = start_mhd(server);
	atomic_store(&server->has_begun, server->mhd != NULL);
	if (server->mhd != NULL && work_start(server))
		return ERR_NONE;
	thread_limits(limits);
	if (is_tcp && options->listener->certificate != NULL &&
	    server->mhd == NULL)
		log_error("listen.certificate, listen.key: not PEM files, or "
			  "the key does not match the certificate");
	else
		log_error("socket %s: cannot start the server; check ulimit "
			  "-n; %s",
			  where, limits);
	return ERR_IO;
}

enum error http_start(struct http_server **server_out,
		      const struct http_options *options)
{
	struct http_server *server = http_server_create(options);
	enum error error = http_server_begin(server);

	if (error != ERR_NONE) {
		http_stop(server);
		return error;
	}
	*server_out = server;
	return ERR_NONE;
}

/* Wait until the clients have read the last replies, at most LAST_WORDS_MS. */
static void wait_for_last_words(struct http_server *server)
{
	uint64_t until_ms = clock_steady_ms() + LAST_WORDS_MS;

	lock_acquire(&server->lock);
	while (server->admitted > 0 &&
	       condition_wait_until(&server->is_ended, &server->lock, until_ms))
		;
	lock_release(&server->lock);
}

void http_stop(struct http_server *server)
{
	if (server == NULL)
		return;
	if (server->mhd != NULL && server->listening.file >= 0)
		MHD_quiesce_daemon(server->mhd);
	listen_hide(&server->listening, server->socket_path);
	if (server->options.listener != NULL)
		shutdown(server->listening.file, SHUT_RDWR);
	work_stop(server);
	wait_for_last_words(server);
	if (server->mhd != NULL)
		MHD_stop_daemon(server->mhd);
	if (server->listening.file >= 0)
		/* only now, because the server's thread may have used it */
		close(server->listening.file);
	for (size_t i = 0; i < server->old_count; i++)
		close(server->old_files[i]);
	free(server->old_files);
	quota_free(&server->clients);
	quota_free(&server->waiting);
	quota_free(&server->listeners);
	quota_free(&server->uploads);
	quota_free(&server->unread);
	quota_free(&server->held_bytes);
	quota_free(&server->busy);
	quota_free(&server->busy_long);
	condition_destroy(&server->is_wanted);
	condition_destroy(&server->is_ended);
	condition_destroy(&server->is_fed);
	lock_destroy(&server->lock);
	free(server->workers);
	free(server->socket_path);
	free(server);
}

void http_stats(struct http_server *server, struct http_stats *stats_out)
{
	lock_acquire(&server->lock);
	*stats_out = (struct http_stats){
		.requests = server->requests,
		.refused = server->refused,
		.limited = server->limited,
		.waiting = server->ready.count + server->ready_long.count,
		.parked = server->parked.count,
		.listeners = server->listeners.used,
		.answers = server->answers,
	};
	memcpy(stats_out->replies, server->replies, sizeof(server->replies));
	lock_release(&server->lock);
}

/* Verification of client certificates. */

bool http_is_certified(const struct http_exchange *exchange)
{
	const struct tcp_listener *listener =
		exchange->server->options.listener;
	/* accept only certificates for clients */
	gnutls_typed_vdata_st purpose = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	const union MHD_ConnectionInfo *info;
	unsigned status = 0;

	if (listener == NULL || listener->trust == NULL)
		return false;
	info = MHD_get_connection_info(exchange->connection,
				       MHD_CONNECTION_INFO_GNUTLS_SESSION);
	return info != NULL && info->tls_session != NULL &&
	       gnutls_certificate_verify_peers(info->tls_session, &purpose, 1,
					       &status) == GNUTLS_E_SUCCESS &&
	       status == 0;
}
