/*
 * Sequences of requests to the real API: a store, an engine, a pipeline and a
 * server on a Unix socket, created for each input. An input is a list of steps,
 * each a byte that selects the request, one for the way to send it, two bytes
 * of length, and bytes for it. Afterwards the daemon responds, stops, and its
 * store is valid. Nothing leaves the process: it has no network.
 */
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/engine/invariants.h"
#include "daemon/http/tokens.h"
#include "tests/unit/daemon/served.h"

enum {
	HEAD_BYTES = 4,
	MAX_STEPS = 24,
	CONNECTIONS = 2,
	PAGES = 6,
	IMPATIENT_MS = 20,  /* for an answer that may not come */
	PATIENT_MS = 20000, /* for one that must */
	MAX_SENT = 1 << 16,
	NOW_MS = 1000000,
};

/* How a step is sent. */
enum {
	ON_THE_OTHER = 1, /* connection */
	NOT_WAITED = 2,   /* the next request follows immediately */
	CUT = 4,          /* half of it is sent, and the connection closed */
	IN_PIECES = 8,
};

/* What a step sends; H is a host, N a number, U a URL, of its first bytes. */
static const struct form {
	const char *method;
	const char *target;
	bool has_body;
} forms[] = {
	{"GET", "/v1/status", false},
	{"GET", "/metrics", false},
	{"GET", "/v1/methods", false},
	{"GET", "/v1/verify", false},
	{"GET", "/v1/backup", false},
	{"POST", "/v1/compact", true},
	{"GET", "/v1/events?since=N", false},
	{"GET", "/v1/events?kinds=alerts&site=H&limit=N", false},
	{"POST", "/v1/events/N/ack", true},
	{"POST", "/v1/silences", true},
	{"GET", "/v1/hooks", false},
	{"POST", "/v1/hooks", true},
	{"GET", "/v1/hooks/N", false},
	{"DELETE", "/v1/hooks/N", false},
	{"POST", "/v1/hooks/N/test", true},
	{"GET", "/v1/silences", false},
	{"DELETE", "/v1/silences/N", false},
	{"GET", "/v1/sites", false},
	{"POST", "/v1/sites", true},
	{"GET", "/v1/sites/H", false},
	{"DELETE", "/v1/sites/H", false},
	{"GET", "/v1/sites/H/bundle", false},
	{"GET", "/v1/sites/H/templates", false},
	{"GET", "/v1/sites/H/guards", false},
	{"POST", "/v1/sites/H/guards", true},
	{"GET", "/v1/sites/H/guards/N", false},
	{"DELETE", "/v1/sites/H/guards/N", false},
	{"GET", "/v1/sites/H/thresholds", false},
	{"GET", "/v1/sites/H/patterns", false},
	{"GET", "/v1/sites/H/report", false},
	{"GET", "/v1/sites/H/feed", false},
	{"GET", "/v1/sites/H/templates/N", false},
	{"GET", "/v1/sites/H/templates/N/pages?limit=N", false},
	{"GET", "/v1/sites/H/templates/N/versions/current", false},
	{"GET", "/v1/sites/H/templates/N/diff?from=N&to=N", false},
	{"GET", "/v1/pages?url=U", false},
	{"GET", "/v1/text?url=U&format=json", false},
	{"GET", "/v1/text?url=U&method=df&format=md", false},
	{"GET", "/v1/text?url=U&fetch=always", false},
	{"POST", "/v1/extract?url=U&format=html", true},
	{"POST", "/v1/extract?format=xml", true},
	{"POST", "/v1/ingest", true},
	{"POST", "/v1/tokens", true},
	{"DELETE", "/v1/tokens/N", false},
	{"GET", "/login?token=U", false},
	{"POST", "/login", true},
	{NULL, NULL, true}, /* the bytes unchanged */
	{"GET", "/v1/sites/H/texts?limit=N", false},
	{"GET", "/v1/sites/H/texts?since=N&format=wet.gz&param=a=1", false},
	{"POST", "/v1/extract/batch", true},
	{"POST", "/v1/extract/batch?content=json&include=p", true},
	{"DELETE", "/v1/pages?url=U", false},
	{"POST", "/logout", true},
	{"GET", "/ui/page/visit?url=U", false},
	{"GET", "/ui/sites/H/settings", false},
	{"GET", "/v1/sites/H/templates/N/fields", false},
	{"POST", "/v1/sites/H/templates/N/fields", true},
	{"DELETE", "/v1/sites/H/templates/N/fields?name=U", false},
	{"GET", "/v1/sites/H/templates/N/records?since=N&format=csv", false},
	{"POST", "/v1/sites/H/templates/N/records", true},
};

enum { FORMS = sizeof(forms) / sizeof(*forms) };

/* A daemon without its process. */
struct daemon {
	char folder[64];
	struct store *store;
	struct engine *engine;
	struct tokens *tokens;
	struct served served;
	int files[CONNECTIONS]; /* or -1 */
};

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buffer pages; /* of http://a.test/, as a WARC */

/* Five pages of a template, and one of another. */
static void append_page(struct buffer *out, unsigned number)
{
	struct buffer body = {0};

	buffer_printf(&body,
		      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
		      "<html><head><title>Page %u</title></head><body>%s<h1>"
		      "Heading %u</h1><p>The text of page %u stands here.</p>"
		      "<p>Printed by a template</p></body></html>",
		      number,
		      number == PAGES - 1
			      ? "<table><tr><td>Shop<td>Cart</table>"
			      : "<ul class=menu><li>Home<li>News</ul>",
		      number, number);
	buffer_printf(out,
		      "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "
		      "http://a.test/%u\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
		      "WARC-Record-ID: <urn:uuid:%u>\r\nContent-Type: "
		      "application/http; msgtype=response\r\nContent-Length: "
		      "%zu\r\n\r\n",
		      number, number, body.size);
	buffer_append_slice(out, buffer_slice(&body));
	buffer_append_text(out, "\r\n\r\n");
	buffer_free(&body);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libFuzzer's type */
int LLVMFuzzerInitialize(int *count, char ***words)
{
	(void)count;
	(void)words;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
		printf("skipped: there are no network namespaces here\n");
		_Exit(EXIT_SUCCESS);
	}
	log_set_level(LOG_LEVEL_ERROR);
	for (unsigned i = 0; i < PAGES; i++)
		append_page(&pages, i);
	return 0;
}

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "fuzz_api: %s\n", what);
	abort();
}

static void open_store(struct daemon *daemon)
{
	const struct store_options options = {.is_temporary = true};
	const struct engine_options engine_options = {.max_sites = 4,
						      .max_hooks = 4,
						      .max_silences = 4,
						      .max_neighbours = 8};

	must(store_open(&daemon->store, daemon->folder, &options) == ERR_NONE,
	     "no store");
	must(engine_create(&daemon->engine, daemon->store, &engine_options,
			   NOW_MS) == ERR_NONE,
	     "no engine");
}

static void close_store(struct daemon *daemon)
{
	engine_destroy(daemon->engine);
	store_close(daemon->store);
}

/* The next open finds a valid store. */
static void check_store(struct daemon *daemon)
{
	struct verify_report report;

	must(invariants_verify(daemon->store, NULL, &report) == ERR_NONE,
	     "no report");
	must(report.problems == 0, report.text.data);
	buffer_free(&report.text);
}

static void remove_folder(const struct daemon *daemon)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock",
					    "secrets",  "tokens",   ""};
	char name[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "%s/%s", daemon->folder, names[i]);
		remove(name);
	}
}

/* A pipeline that is soon full, and has short timeouts. */
static void limit(struct served *served)
{
	struct fetch_options *fetch = &served->pipeline_options.fetch;
	struct http_options *http = &served->http_options;

	fetch->connect_timeout_ms = 100;
	fetch->total_timeout_ms = 200;
	fetch->stall_timeout_ms = 200;
	http->workers = 2;
	http->max_clients = 8;
	http->max_waiting = 8;
	http->max_body_bytes = MAX_SENT;
	http->timeout_ms = 5000;
	http->max_uploads = 1;
	http->max_listeners = 1;
	served->config.ask_timeout_ms = 50;
}

static void start(struct daemon *daemon)
{
	*daemon = (struct daemon){.folder = "/tmp/fuzz_api.XXXXXX",
				  .files = {-1, -1}};
	must(mkdtemp(daemon->folder) != NULL, "no folder");
	open_store(daemon);
	must(tokens_open(&daemon->tokens, daemon->folder) == ERR_NONE,
	     "no tokens");
	served_make(&daemon->served, daemon->store, daemon->engine,
		    daemon->folder);
	daemon->served.tokens = daemon->tokens;
	limit(&daemon->served);
	served_start(&daemon->served);
}

static void stop(struct daemon *daemon)
{
	served_stop(&daemon->served);
	tokens_close(daemon->tokens);
	check_store(daemon);
	close_store(daemon);
	open_store(daemon);
	check_store(daemon);
	close_store(daemon);
	remove_folder(daemon);
}

static int open_connection(const struct daemon *daemon)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
		 daemon->served.path);
	must(file >= 0 && connect(file, (struct sockaddr *)&address,
				  sizeof(address)) == 0,
	     "nobody listens");
	return file;
}

static void hang_up(int *file)
{
	if (*file >= 0)
		close(*file);
	*file = -1;
}

/* Do the bytes end a response? A chunked one ends with an empty chunk. */
static bool is_whole(const struct buffer *answer)
{
	const char *end = strstr(answer->data, "\r\n\r\n");
	const char *length = strcasestr(answer->data, "\r\ncontent-length:");
	size_t head;

	if (end == NULL)
		return false;
	head = (size_t)(end + 4 - answer->data);
	if (length != NULL && length < end)
		return answer->size - head >=
		       strtoull(length + strlen("\r\ncontent-length:"), NULL,
				10);
	return answer->size >= 5 &&
	       memcmp(answer->data + answer->size - 5, "0\r\n\r\n", 5) == 0;
}

/* Read until an answer is whole, or nothing comes; false when it is not. */
static bool receive(int *file, struct buffer *answer, int patience_ms)
{
	struct pollfd one = {.fd = *file, .events = POLLIN};

	buffer_append_text(answer, "");
	while (!is_whole(answer)) {
		char *place = buffer_reserve(answer, 1 << 14);
		ssize_t size = 0;

		if (poll(&one, 1, patience_ms) > 0)
			size = recv(*file, place, (1 << 14) - 1, 0);
		if (size <= 0) {
			hang_up(file);
			return false;
		}
		answer->size += (size_t)size;
		answer->data[answer->size] = '\0';
	}
	return true;
}

static void send_all(int *file, struct slice bytes, bool in_pieces)
{
	const char *next = bytes.data;
	size_t left = bytes.size;

	while (left > 0 && *file >= 0) {
		size_t piece = in_pieces && left > 7 ? left / 2 : left;
		struct pollfd one = {.fd = *file, .events = POLLOUT};
		ssize_t done = -1;

		if (poll(&one, 1, IMPATIENT_MS) > 0)
			done = send(*file, next, piece,
				    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done <= 0) {
			hang_up(file);
			return;
		}
		next += done;
		left -= (size_t)done;
	}
}

static uint8_t take_byte(struct slice *rest)
{
	uint8_t byte = (uint8_t)slice_byte(*rest, 0);

	if (rest->size > 0)
		*rest = (struct slice){(const char *)rest->data + 1,
				       rest->size - 1};
	return byte;
}

static void append_target(struct buffer *out, const char *target,
			  struct slice *rest)
{
	static const char *const hosts[] = {"a.test", "b.test", "c.test:81",
					    "%00.test"};

	for (; *target != '\0'; target++)
		if (*target == 'H')
			buffer_append_text(out, hosts[take_byte(rest) % 4]);
		else if (*target == 'N')
			buffer_printf(out, "%u", take_byte(rest) % 16U);
		else if (*target == 'U')
			buffer_printf(out, "http://%s/%u",
				      hosts[take_byte(rest) % 3],
				      take_byte(rest) % 8U);
		else
			buffer_append_byte(out, *target);
}

static void append_request(struct buffer *out, const struct form *form,
			   struct slice rest)
{
	if (form->method == NULL) {
		buffer_append_slice(out, rest);
		return;
	}
	buffer_printf(out, "%s ", form->method);
	append_target(out, form->target, &rest);
	buffer_append_text(out, " HTTP/1.1\r\nHost: x\r\n");
	if (form->has_body)
		buffer_printf(out, "Content-Length: %zu\r\n", rest.size);
	buffer_append_text(out, "\r\n");
	if (form->has_body)
		buffer_append_slice(out, rest);
}

static void take_step(struct daemon *daemon, uint8_t what, uint8_t how,
		      struct slice bytes)
{
	int *file = &daemon->files[(how & ON_THE_OTHER) != 0];
	struct buffer request = {0};
	struct buffer answer = {0};
	struct slice sent;

	append_request(&request, &forms[what % FORMS], bytes);
	sent = buffer_slice(&request);
	if ((how & CUT) != 0)
		sent.size /= 2;
	if (*file < 0)
		*file = open_connection(daemon);
	send_all(file, sent, (how & IN_PIECES) != 0);
	if ((how & CUT) != 0)
		hang_up(file);
	else if ((how & NOT_WAITED) == 0 && *file >= 0)
		receive(file, &answer,
			forms[what % FORMS].method == NULL ? IMPATIENT_MS
							   : PATIENT_MS);
	buffer_free(&request);
	buffer_free(&answer);
}

/* Whatever came before, a new client is answered. */
static void ask(const struct daemon *daemon, const char *what,
		struct slice body)
{
	struct buffer bytes = {0};
	int file = open_connection(daemon);

	buffer_printf(&bytes,
		      "%s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n",
		      what, body.size);
	buffer_append_slice(&bytes, body);
	send_all(&file, buffer_slice(&bytes), false);
	buffer_clear(&bytes);
	must(receive(&file, &bytes, PATIENT_MS), "no answer");
	must(strncmp(bytes.data, "HTTP/1.1 200 ", 13) == 0, bytes.data);
	hang_up(&file);
	buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct daemon daemon;

	start(&daemon);
	ask(&daemon, "POST /v1/ingest", buffer_slice(&pages));
	for (int i = 0; i < MAX_STEPS && size >= HEAD_BYTES; i++) {
		size_t length = (size_t)data[2] << 8 | data[3];

		if (length > size - HEAD_BYTES)
			length = size - HEAD_BYTES;
		take_step(&daemon, data[0], data[1],
			  (struct slice){data + HEAD_BYTES, length});
		data += HEAD_BYTES + length;
		size -= HEAD_BYTES + length;
	}
	for (size_t i = 0; i < CONNECTIONS; i++)
		hang_up(&daemon.files[i]);
	ask(&daemon, "GET /v1/sites", slice_of(""));
	stop(&daemon);
	return 0;
}
