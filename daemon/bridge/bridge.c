/*
 * daemon/bridge/bridge.c - the program templated-bridge: moves DevTools
 * messages between two pipes and the WebSocket of a running browser.
 * daemon/privsep/browser.c starts it instead of a browser, with the URL of the
 * browser in its environment. It has the descriptors of
 * --remote-debugging-pipe: commands come from 3, messages go to 4, and each
 * ends with a NUL. The last line on its standard error is the reason of its
 * end.
 *
 * When it is connected, it enters the sandbox of a worker. It holds at most one
 * command and a few steps of a message: it does not read from one side what the
 * other side does not accept.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "crawl/render/cdp.h"
#include "crawl/url/url.h"
#include "daemon/privsep/browser.h"
#include "daemon/privsep/renderer.h"
#include "daemon/privsep/sandbox.h"

enum {
	COMMANDS = 3, /* descriptors of --remote-debugging-pipe */
	MESSAGES = 4,
	STEP_BYTES = 64 * 1024,
	SEND_BYTES = 256 * 1024, /* with one system call */
	/* an answer to a request, in base64, with its header lines */
	MAX_COMMAND_BYTES = MAX_RENDERER_ANSWER_BYTES / 3 * 4 + 1024 * 1024,
	MAX_VERSION_BYTES = 64 * 1024, /* of /json/version */
	BRIDGE_BYTES = 640 * 1024 * 1024,
	BRIDGE_FILES = 32,
	REACH_MS = 5 * 1000,  /* time of one attempt to connect */
	REACH_ATTEMPTS = 5,   /* a browser may just restart */
	REACH_PAUSE_S = 1,    /* between two of them */
	HANDSHAKE_S = 10,     /* time of each HTTP exchange */
	KEEP_ALIVE_S = 30,    /* until the kernel probes an idle connection */
	NEVER_S = UINT16_MAX, /* pings: some browsers do not answer them */
	HTTP_OK = 200,
	HTTP_SWITCHING = 101,
};

static const char version_path[] = "/json/version";

enum bridge_step {
	BRIDGE_WAITING,  /* for a response, or for the WebSocket */
	BRIDGE_ANSWERED, /* `version` is complete */
	BRIDGE_CONNECTED,
	BRIDGE_ENDED,
};

struct bridge {
	enum bridge_step step;
	struct url url;                       /* as http or https */
	char path[MAX_URL_BYTES + 1];         /* of the WebSocket */
	char server[NI_MAXHOST + NI_MAXSERV]; /* host:port, for messages */
	char address[NI_MAXHOST];             /* the first one that accepts */
	char authority[NI_MAXHOST + NI_MAXSERV]; /* for the header Host */
	int port;
	struct lws_context *context;
	struct lws *socket;   /* the WebSocket */
	struct lws *commands; /* the pipe from the renderer */
	struct lws *messages; /* the pipe to the renderer */
	bool is_upgrading;    /* the request is for a WebSocket */
	struct buffer version;
	struct buffer out;    /* LWS_PRE bytes of lws_write(), then commands */
	size_t searched;      /* bytes of `out` that have no NUL */
	size_t command_end;   /* its NUL in `out`, if it is complete; or 0 */
	struct buffer in;     /* for the renderer */
	size_t written;       /* bytes of `in` */
	size_t message_bytes; /* of the current message */
};

/* End the bridge; print the reason unless it has ended. Return false. */
__attribute__((format(printf, 2, 3))) static bool
bridge_end(struct bridge *bridge, const char *format, ...)
{
	va_list list;

	if (bridge->step == BRIDGE_ENDED)
		return false;
	bridge->step = BRIDGE_ENDED;
	fprintf(stderr, "the browser at %s: ", bridge->server);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	return false;
}

/* Connect to an address, to see whether this works. */
static bool address_accepts(const struct addrinfo *address)
{
	struct pollfd ready = {.events = POLLOUT};
	int failure = 0;
	socklen_t size = sizeof(failure);

	ready.fd = socket(address->ai_family,
			  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ready.fd < 0)
		return false;
	if (connect(ready.fd, address->ai_addr, address->ai_addrlen) != 0)
		failure = errno;
	if (failure == EINPROGRESS) {
		failure = ETIMEDOUT;
		if (poll(&ready, 1, REACH_MS) == 1)
			getsockopt(ready.fd, SOL_SOCKET, SO_ERROR, &failure,
				   &size);
	}
	close(ready.fd);
	errno = failure;
	return failure == 0;
}

/*
 * Find an address of the server that accepts connections, because libwebsockets
 * does not report why a connection fails.
 */
static bool bridge_reach(struct bridge *bridge, const char *host,
			 const char *service)
{
	const struct timespec pause = {.tv_sec = REACH_PAUSE_S};
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	const struct addrinfo *address = NULL;
	int failure = getaddrinfo(host, service, &hints, &list);

	if (failure != 0)
		return bridge_end(bridge, "%s", gai_strerror(failure));
	for (int i = 0; address == NULL && i < REACH_ATTEMPTS; i++) {
		if (i > 0 && errno != ECONNREFUSED)
			break;
		if (i > 0)
			nanosleep(&pause, NULL);
		address = list;
		while (address != NULL && !address_accepts(address))
			address = address->ai_next;
	}
	if (address == NULL)
		bridge_end(bridge, "cannot connect: %s",
			   strerrordesc_np(errno));
	else
		getnameinfo(address->ai_addr, address->ai_addrlen,
			    bridge->address, sizeof(bridge->address), NULL, 0,
			    NI_NUMERICHOST);
	freeaddrinfo(list);
	return address != NULL;
}

/* Read the URL, and find the address of its server. */
static bool bridge_begin(struct bridge *bridge, const char *endpoint)
{
	char host[NI_MAXHOST];
	char service[8];
	const char *port;
	size_t length;

	if (url_parse_endpoint(&bridge->url, endpoint) != ERR_NONE) {
		snprintf(bridge->server, sizeof(bridge->server), "?");
		return bridge_end(bridge,
				  "not a URL of ws, wss, http or https");
	}
	port = strrchr(bridge->url.host, ':');
	if (port == NULL || strchr(port, ']') != NULL)
		port = bridge->url.is_https ? ":443" : ":80";
	snprintf(service, sizeof(service), "%s", port + 1);
	bridge->port = (int)strtol(service, NULL, 10);
	/* without the port, and without the brackets of IPv6 */
	length = strcspn(bridge->url.host, "]");
	if (bridge->url.host[length] == '\0')
		length = strcspn(bridge->url.host, ":");
	snprintf(host, sizeof(host), "%.*s",
		 (int)(length - (bridge->url.host[0] == '[')),
		 bridge->url.host + (bridge->url.host[0] == '['));
	snprintf(bridge->server, sizeof(bridge->server), "%s",
		 bridge->url.host);
	snprintf(bridge->path, sizeof(bridge->path), "%s",
		 bridge->url.text + bridge->url.path);
	if (!bridge_reach(bridge, host, service))
		return false;
	/* Chromium accepts only addresses, but a proxy with TLS needs its name
	 */
	if (bridge->url.is_https)
		snprintf(bridge->authority, sizeof(bridge->authority), "%s",
			 bridge->url.host);
	else if (strchr(bridge->address, ':') != NULL)
		snprintf(bridge->authority, sizeof(bridge->authority),
			 "[%s]:%s", bridge->address, service);
	else
		snprintf(bridge->authority, sizeof(bridge->authority), "%s:%s",
			 bridge->address, service);
	return true;
}

/* Find the end of the next command, and send it when possible. */
static bool bridge_find_command(struct bridge *bridge)
{
	const struct buffer *out = &bridge->out;
	const char *end = NULL;

	if (out->size > bridge->searched)
		end = memchr(out->data + bridge->searched, '\0',
			     out->size - bridge->searched);
	bridge->searched = end == NULL ? out->size : (size_t)(end - out->data);
	if (bridge->searched - LWS_PRE > MAX_COMMAND_BYTES)
		return bridge_end(bridge, "a command has over %d bytes",
				  MAX_COMMAND_BYTES);
	if (end != NULL) {
		bridge->command_end = bridge->searched;
		lws_callback_on_writable(bridge->socket);
	}
	lws_rx_flow_control(bridge->commands, end == NULL);
	return true;
}

/* Read from the renderer. */
static bool bridge_read_commands(struct bridge *bridge)
{
	char bytes[STEP_BYTES];
	ssize_t size = read(COMMANDS, bytes, sizeof(bytes));

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (size <= 0)
		return bridge_end(bridge, "no longer needed");
	buffer_append(&bridge->out, bytes, (size_t)size);
	return bridge->command_end != 0 || bridge_find_command(bridge);
}

/*
 * Send the command as one frame, because older browsers know no others.
 * libwebsockets copies what the socket does not accept, and does not ask for
 * more before that is sent.
 */
static bool bridge_send_command(struct bridge *bridge)
{
	struct buffer *out = &bridge->out;
	size_t size = bridge->command_end - LWS_PRE;
	size_t rest = out->size - bridge->command_end - 1;

	if (bridge->command_end == 0)
		return true;
	if (lws_write(bridge->socket, (unsigned char *)out->data + LWS_PRE,
		      size, LWS_WRITE_TEXT) < (int)size)
		return bridge_end(bridge, "it does not accept a command");
	memmove(out->data + LWS_PRE, out->data + bridge->command_end + 1, rest);
	buffer_truncate(out, LWS_PRE + rest);
	bridge->searched = LWS_PRE;
	bridge->command_end = 0;
	return bridge_find_command(bridge);
}

/* Write to the renderer; while it does not read, do not read either. */
static bool bridge_write_messages(struct bridge *bridge)
{
	struct buffer *in = &bridge->in;
	ssize_t size = 0;

	while (size >= 0 && bridge->written < in->size) {
		size = write(MESSAGES, in->data + bridge->written,
			     in->size - bridge->written);
		bridge->written += size < 0 ? 0 : (size_t)size;
	}
	if (size < 0 && errno != EAGAIN && errno != EINTR)
		return bridge_end(bridge, "no longer needed");
	if (size < 0) {
		lws_rx_flow_control(bridge->socket, 0);
		return true;
	}
	buffer_clear(in);
	bridge->written = 0;
	lws_rx_flow_control(bridge->socket, 1);
	return true;
}

/* Handle a part of a message. A NUL would end it for the renderer. */
static bool bridge_receive(struct bridge *bridge, const char *bytes,
			   size_t size)
{
	if (lws_frame_is_binary(bridge->socket) ||
	    (size > 0 && memchr(bytes, '\0', size) != NULL))
		return bridge_end(bridge, "it has sent an invalid message");
	bridge->message_bytes += size;
	if (bridge->message_bytes > MAX_CDP_BYTES)
		return bridge_end(bridge,
				  "it has sent a message of over %d bytes",
				  MAX_CDP_BYTES);
	buffer_append(&bridge->in, bytes, size);
	if (lws_is_final_fragment(bridge->socket)) {
		buffer_append_byte(&bridge->in, '\0');
		bridge->message_bytes = 0;
	}
	return bridge_write_messages(bridge);
}

/* Read a part of the response; libwebsockets then calls with its body. */
static bool bridge_read_response(struct lws *wsi)
{
	char bytes[LWS_PRE + STEP_BYTES];
	char *begin = bytes + LWS_PRE;
	int size = STEP_BYTES;

	/* false at its end, too */
	return lws_http_client_read(wsi, &begin, &size) >= 0;
}

/* Handle an event of an HTTP exchange. */
static bool bridge_take_http(struct bridge *bridge, struct lws *wsi,
			     enum lws_callback_reasons reason,
			     struct slice bytes)
{
	const char *path = bridge->is_upgrading ? bridge->path : version_path;
	unsigned status;

	switch (reason) {
	case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
		status = lws_http_client_http_response(wsi);
		if (status == (bridge->is_upgrading ? HTTP_SWITCHING : HTTP_OK))
			return true;
		/* the query may be a secret */
		return bridge_end(bridge, "%.*s: status %u",
				  (int)strcspn(path, "?"), path, status);
	case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
		return bridge_read_response(wsi);
	case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
		buffer_append_slice(&bridge->version, bytes);
		return bridge->version.size <= MAX_VERSION_BYTES ||
		       bridge_end(bridge, "/json/version has over %d bytes",
				  MAX_VERSION_BYTES);
	case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
		if (bridge->step == BRIDGE_WAITING)
			bridge->step = BRIDGE_ANSWERED;
		return false; /* close the connection */
	default:              /* LWS_CALLBACK_CLOSED_CLIENT_HTTP */
		if (bridge->step == BRIDGE_WAITING)
			bridge_end(bridge, "/json/version is incomplete");
		return true;
	}
}

/*
 * Drop all rights that only connecting needs. The first message may have
 * arrived together with the last bytes of the handshake.
 */
static bool bridge_close_in(struct bridge *bridge)
{
	struct sandbox_report report;

	return sandbox_enter(
		       &(struct sandbox_options){
			       .role = ROLE_WORKER,
			       .memory_bytes = BRIDGE_BYTES,
		       },
		       &report) == ERR_NONE ||
	       bridge_end(bridge, "the bridge cannot enter its sandbox");
}

/* Handle an event; a return value other than 0 closes the connection. */
static int bridge_callback(struct lws *wsi, enum lws_callback_reasons reason,
			   void *user, void *in, size_t size)
{
	struct bridge *bridge = lws_context_user(lws_get_context(wsi));
	bool goes_on = true;

	(void)user;
	switch (reason) {
	case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
		bridge_end(bridge, "cannot connect: %.*s",
			   in == NULL ? 0 : (int)size,
			   in == NULL ? "" : (const char *)in);
		break;
	case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
	case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
	case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
	case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
	case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
		goes_on = bridge_take_http(bridge, wsi, reason,
					   (struct slice){in, size});
		break;
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		bridge->socket = wsi;
		bridge->step = BRIDGE_CONNECTED;
		goes_on = bridge_close_in(bridge);
		break;
	case LWS_CALLBACK_CLIENT_RECEIVE:
		goes_on = bridge_receive(bridge, in, size);
		break;
	case LWS_CALLBACK_CLIENT_WRITEABLE:
		goes_on = bridge_send_command(bridge);
		break;
	case LWS_CALLBACK_RAW_RX_FILE:
		goes_on = bridge_read_commands(bridge);
		break;
	case LWS_CALLBACK_RAW_WRITEABLE_FILE:
		goes_on = bridge_write_messages(bridge);
		break;
	case LWS_CALLBACK_CLIENT_CLOSED:
		bridge_end(bridge, "it has closed the connection");
		break;
	case LWS_CALLBACK_RAW_CLOSE_FILE:
		bridge_end(bridge, "no longer needed");
		break;
	default:
		break;
	}
	return goes_on ? 0 : -1;
}

static const struct lws_protocols protocols[] = {
	{.name = "bridge",
	 .callback = bridge_callback,
	 .rx_buffer_size = STEP_BYTES,
	 .tx_packet_size = SEND_BYTES},
	{.name = NULL},
};

/* Handle events until the step changes. Return whether it is `wanted` then. */
static bool bridge_wait(struct bridge *bridge, enum bridge_step wanted)
{
	const enum bridge_step step = bridge->step;

	while (bridge->step == step && step != BRIDGE_ENDED) {
		/* a request of the callback itself would be lost */
		if (bridge->written < bridge->in.size)
			lws_callback_on_writable(bridge->messages);
		if (lws_service(bridge->context, 0) < 0)
			bridge_end(bridge, "cannot wait for it");
	}
	return bridge->step == wanted;
}

/* Send a request for `path`; `method` NULL = of a WebSocket. */
static bool bridge_connect(struct bridge *bridge, const char *method,
			   const char *path)
{
	const struct lws_client_connect_info info = {
		.context = bridge->context,
		.address = bridge->address,
		.port = bridge->port,
		.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT |
				  (bridge->url.is_https ? LCCSCF_USE_SSL : 0),
		.path = path,
		.host = bridge->authority,
		.method = method,
		.alpn = "http/1.1",
		.local_protocol_name = protocols[0].name,
	};

	bridge->step = BRIDGE_WAITING;
	bridge->is_upgrading = method == NULL;
	if (lws_client_connect_via_info(&info) == NULL)
		return bridge_end(bridge, "cannot connect");
	return bridge_wait(bridge,
			   method == NULL ? BRIDGE_CONNECTED : BRIDGE_ANSWERED);
}

/*
 * Request the WebSocket. Only its path is used: the browser may not choose
 * where the bridge connects to.
 */
static bool bridge_look_up(struct bridge *bridge)
{
	struct url url;
	json_t *root;
	const char *text;
	bool is_valid;

	if (!bridge_connect(bridge, "GET", version_path))
		return false;
	root = json_loadb(bridge->version.data, bridge->version.size, 0, NULL);
	text = cdp_text(root, "webSocketDebuggerUrl", MAX_URL_BYTES);
	is_valid = text != NULL && strncmp(text, "ws", 2) == 0 &&
		   url_parse_endpoint(&url, text) == ERR_NONE;
	if (is_valid)
		snprintf(bridge->path, sizeof(bridge->path), "%s",
			 url.text + url.path);
	json_decref(root);
	return is_valid || bridge_end(bridge, "/json/version has no valid "
					      "webSocketDebuggerUrl");
}

static struct lws *bridge_adopt(struct bridge *bridge, int file)
{
	const lws_sock_file_fd_type adopted = {.filefd = file};

	return lws_adopt_descriptor_vhost(lws_get_vhost(bridge->socket),
					  LWS_ADOPT_RAW_FILE_DESC, adopted,
					  protocols[0].name, NULL);
}

static void bridge_serve(struct bridge *bridge)
{
	static const char room[LWS_PRE];

	buffer_append(&bridge->out, room, sizeof(room));
	bridge->searched = sizeof(room);
	bridge->commands = bridge_adopt(bridge, COMMANDS);
	bridge->messages = bridge_adopt(bridge, MESSAGES);
	if (bridge->commands == NULL || bridge->messages == NULL)
		bridge_end(bridge, "the bridge has no pipes");
	bridge_wait(bridge, BRIDGE_ENDED);
}

static bool bridge_prepare(struct bridge *bridge)
{
	static const lws_retry_bo_t pings = {
		.secs_since_valid_ping = NEVER_S - 1,
		.secs_since_valid_hangup = NEVER_S};
	const struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.protocols = protocols,
		.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
		.fd_limit_per_thread = BRIDGE_FILES,
		.pt_serv_buf_size = STEP_BYTES,
		.timeout_secs = HANDSHAKE_S,
		.connect_timeout_secs = HANDSHAKE_S,
		.ka_time = KEEP_ALIVE_S,
		.ka_probes = 3,
		.ka_interval = KEEP_ALIVE_S / 3,
		.retry_and_idle_policy = &pings,
		.user = bridge,
	};

	lws_set_log_level(0, NULL);
	/* libwebsockets would use it, but the endpoint is not for a proxy */
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	unsetenv("http_proxy");
	bridge->context = lws_create_context(&info);
	return bridge->context != NULL ||
	       bridge_end(bridge, "libwebsockets cannot be initialised");
}

int main(void)
{
	static struct bridge bridge;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	const char *endpoint = getenv(bridge_variable);

	if (endpoint == NULL)
		endpoint = "";
	signal(SIGPIPE, SIG_IGN);
	fcntl(COMMANDS, F_SETFL, O_NONBLOCK);
	fcntl(MESSAGES, F_SETFL, O_NONBLOCK);
	if (bridge_begin(&bridge, endpoint) && bridge_prepare(&bridge) &&
	    (strncmp(endpoint, "ws", 2) == 0 || bridge_look_up(&bridge)) &&
	    bridge_connect(&bridge, NULL, bridge.path))
		bridge_serve(&bridge);
	if (bridge.context != NULL)
		lws_context_destroy(bridge.context);
	buffer_free(&bridge.version);
	buffer_free(&bridge.out);
	buffer_free(&bridge.in);
	return EXIT_FAILURE;
}
