#include "daemon/http/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/http/server.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

enum { PIECE = 100000, PIECES = 200, UPLOAD = 3 << 20 };

static char path[96];
static char address[64];
static struct tcp_listener *listener;
static struct http_server *front; /* relays to the other one */
static struct http_server *back;

/* Pieces of one letter; /cut breaks in the middle. */
struct pieces {
	unsigned left;
	bool is_cut;
};

static bool fill(void *context, struct buffer *out)
{
	struct pieces *pieces = context;

	memset(buffer_reserve(out, PIECE), 'x', PIECE);
	out->size += PIECE;
	pieces->left--;
	return pieces->left > (pieces->is_cut ? PIECES / 2 : 0);
}

/* One piece, and nothing more. */
static bool stall(void *context, struct buffer *out)
{
	struct pieces *pieces = context;

	if (pieces->left > 0)
		buffer_append_byte(out, 'x');
	pieces->left = 0;
	return true;
}

static bool is_broken(const void *context)
{
	const struct pieces *pieces = context;

	return pieces->is_cut;
}

static uint64_t count_pieces(const void *context)
{
	const struct pieces *pieces = context;

	return PIECES - pieces->left;
}

static enum http_verdict reply_stream(struct http_exchange *exchange,
				      bool is_cut)
{
	struct pieces *pieces = mem_alloc(1, sizeof(*pieces));

	*pieces = (struct pieces){PIECES, is_cut};
	ck_assert(http_listen(exchange));
	http_add_header(exchange, "X-Said", "so");
	http_reply_stream(exchange, 200, "text/x-said",
			  &(struct http_stream){.fill = fill,
						.free = free,
						.is_broken = is_broken,
						.context = pieces,
						.trailer_name = "X-Pieces",
						.trailer = count_pieces});
	return HTTP_ANSWERED;
}

static enum http_verdict reply_stalling(struct http_exchange *exchange)
{
	struct pieces *pieces = mem_alloc(1, sizeof(*pieces));

	*pieces = (struct pieces){1, false};
	ck_assert(http_listen(exchange));
	http_reply_stream(exchange, 404, "text/plain",
			  &(struct http_stream){.fill = stall,
						.free = free,
						.context = pieces});
	return HTTP_ANSWERED;
}

/* How many bytes there were, and who sent them. */
static enum http_verdict reply_size(struct http_exchange *exchange)
{
	static char bytes[1 << 16];
	struct buffer body = {0};
	size_t total = 0;
	size_t size = 1;

	buffer_printf(&body, "%s|%s|", http_header(exchange, "Authorization"),
		      http_header(exchange, "X-Extra"));
	while (size > 0) {
		ASSERT_OK(
			http_body_read(exchange, bytes, sizeof(bytes), &size));
		total += size;
	}
	buffer_printf(&body, "%zu", total);
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

static enum http_verdict answer(struct http_exchange *exchange, void *context)
{
	struct buffer body = {0};

	(void)context;
	if (strcmp(http_path(exchange), "/read") == 0)
		return reply_size(exchange);
	if (strcmp(http_path(exchange), "/stream") == 0)
		return reply_stream(exchange, false);
	if (strcmp(http_path(exchange), "/cut") == 0)
		return reply_stream(exchange, true);
	if (strcmp(http_path(exchange), "/stalls") == 0)
		return reply_stalling(exchange);
	if (strcmp(http_path(exchange), "/silent") == 0)
		return HTTP_SUSPENDED;
	buffer_append_text(&body, http_argument(exchange, "a"));
	http_reply(exchange, 404, "text/plain", &body);
	return HTTP_ANSWERED;
}

static bool goes_on(const void *context)
{
	const struct http_exchange *exchange = context;

	return strcmp(http_path(exchange), "/silent") != 0;
}

static enum http_verdict relay(struct http_exchange *exchange, void *context)
{
	const struct http_proxy_options relay_options = {
		.address = address,
		.token = "secret",
		.ca_file = "",
		.certificate_file = "",
		.key_file = "",
		.headers = "X-Extra: 1\r\n",
		.patience_ms = strcmp(http_path(exchange), "/stalls") == 0
				       ? 500
				       : 60000,
		.goes_on = goes_on,
		.context = exchange,
	};
	FILE *spool = http_is_upload(exchange) ? tmpfile() : NULL;
	struct buffer body = {0};
	struct http_proxy *begun;
	enum error error;

	(void)context;
	error = http_proxy_begin(&begun, exchange, &relay_options);
	if (error == ERR_NONE)
		error = http_proxy_reply(begun, exchange,
					 spool == NULL ? -1
						       : dup(fileno(spool)));
	if (spool != NULL)
		(void)fclose(spool);
	if (error != ERR_NONE) {
		buffer_append_text(&body, error_code(error));
		http_reply(exchange, 502, "text/plain", &body);
	}
	return HTTP_ANSWERED;
}

static unsigned upload_traits(const char *method, const char *asked)
{
	return strcmp(method, "POST") == 0 && strcmp(asked, "/read") == 0
		       ? HTTP_UPLOAD
		       : 0;
}

static void begin(void)
{
	struct http_options options = {
		.socket_mode = 0600,
		.workers = 2,
		.max_clients = 16,
		.max_waiting = 16,
		.max_body_bytes = 1 << 20,
		.timeout_ms = 20000,
		.max_uploads = 4,
		.max_listeners = 4,
		.traits = upload_traits,
		.handle = answer,
	};
	char place[32];

	ck_assert(http_proxy_open());
	snprintf(place, sizeof(place), "127.0.0.1:%u", test_free_port());
	snprintf(address, sizeof(address), "http://%s", place);
	ASSERT_OK(tcp_open(&listener, place, "", ""));
	options.listener = listener;
	ASSERT_OK(http_start(&back, &options));
	snprintf(path, sizeof(path), "/tmp/relay-%d.sock", (int)getpid());
	options.listener = NULL;
	options.socket_path = path;
	options.handle = relay;
	ASSERT_OK(http_start(&front, &options));
}

static void end(void)
{
	http_stop(front);
	http_stop(back);
	tcp_close(listener);
	http_proxy_close();
}

static size_t count_bytes(const struct buffer *answered)
{
	size_t count = 0;

	for (const char *c = client_body(answered); *c != '\0'; c++)
		count += *c == 'x';
	return count;
}

static bool is_whole(const struct buffer *answered)
{
	const char *last = "0\r\nX-Pieces: 200\r\n\r\n";

	return answered->size > strlen(last) &&
	       strcmp(answered->data + answered->size - strlen(last), last) ==
		       0;
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_stream_comes_as_it_was_sent)
{
	AUTO_BUFFER answered = test_client_ask(path, "GET", "/stream", NULL);

	ck_assert_int_eq(client_status(&answered), 200);
	ck_assert_ptr_nonnull(strstr(answered.data, "X-Said: so\r\n"));
	ck_assert_ptr_nonnull(strstr(answered.data, "Trailer: X-Pieces\r\n"));
	ck_assert_ptr_nonnull(
		strstr(answered.data, "Content-Type: text/x-said\r\n"));
	ck_assert_uint_eq(count_bytes(&answered), (size_t)PIECE * PIECES);
	ck_assert(is_whole(&answered));
}

TEST(a_stream_that_breaks_is_cut_off)
{
	AUTO_BUFFER answered = test_client_ask(path, "GET", "/cut", NULL);

	ck_assert_int_eq(client_status(&answered), 200);
	ck_assert_uint_le(count_bytes(&answered), (size_t)PIECE * PIECES / 2);
	ck_assert(!is_whole(&answered));
}

TEST(who_leaves_a_stream_ends_it)
{
	int file = client_open(path);
	char some[1000];

	test_client_send(file, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
	ck_assert_int_gt(recv(file, some, sizeof(some), 0), 0);
	close(file);
}

TEST(an_upload_is_passed_on_as_it_comes)
{
	AUTO_TEXT *body = malloc(UPLOAD + 1);
	AUTO_BUFFER answered;

	memset(body, 'y', UPLOAD);
	body[UPLOAD] = '\0';
	answered = test_client_ask(path, "POST", "/read", body);
	ck_assert_int_eq(client_status(&answered), 200);
	ck_assert_str_eq(client_body(&answered), "Bearer secret|1|3145728");
}

TEST(an_error_comes_with_its_body)
{
	AUTO_BUFFER answered =
		test_client_ask(path, "GET", "/none?a=b%26c", NULL);

	ck_assert_int_eq(client_status(&answered), 404);
	ck_assert_str_eq(client_body(&answered), "b&c");
}

TEST(who_cannot_be_reached_is_told)
{
	AUTO_BUFFER answered;

	snprintf(address, sizeof(address), "http://127.0.0.1:%u",
		 test_free_port());
	answered = test_client_ask(path, "GET", "/stream", NULL);
	ck_assert_int_eq(client_status(&answered), 502);
	ck_assert_str_eq(client_body(&answered), "network");
}

TEST(a_head_is_waited_for_as_long_as_it_is_wanted)
{
	AUTO_BUFFER answered = test_client_ask(path, "GET", "/silent", NULL);

	ck_assert_int_eq(client_status(&answered), 502);
	ck_assert_str_eq(client_body(&answered), "stopped");
}

TEST(an_answer_that_stalls_is_given_up)
{
	AUTO_BUFFER answered = test_client_ask(path, "GET", "/stalls", NULL);

	ck_assert_int_eq(client_status(&answered), 502);
	ck_assert_str_eq(client_body(&answered), "timeout");
}
