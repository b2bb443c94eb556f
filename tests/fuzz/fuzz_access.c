/*
 * Any bytes as the head of a request over TCP: which requests pass, by Host,
 * Origin, Sec-Fetch-Site, Cookie and Authorization. An input is a byte that
 * selects the request, and lines of headers, in which 0x01 is a read-only
 * token, 0x02 a read-write token, 0x03 and 0x04 their sessions. The real server
 * and API respond, on a Unix socket, which live as long as the fuzzer. The
 * expected verdict is computed from the bytes only, by rules that differ from
 * daemon/access.
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
#include "daemon/http/tokens.h"
#include "tests/unit/daemon/served.h"

enum {
	NOW_MS = 1000000,
	PATIENT_MS = 20000,
	MAX_HEAD = 8192,
	MARKS = 4, /* the bytes from 1 on: words[0] and so on */
};

#define NAME "texts.test"

/* The request, and the status that only accepted clients get. */
static const struct target {
	const char *line;
	int status;
	bool is_change;
	bool is_open; /* for read-only clients */
} targets[] = {
	{"GET /v1/events?limit=1", 200, false, true},
	{"GET /", 200, false, true},
	{"GET /v1/hooks", 200, false, false},
	{"POST /v1/silences", 405, true, true},
	{"DELETE /v1/hooks/7", 404, true, false},
	{"POST /v1/incidents/7/ack", 404, true, false},
	{"GET /web/main.js", 200, false, true},
	{"GET /v1/sites", 200, false, true},
};

static struct store *store;
static struct engine *engine;
static struct tokens *tokens;
static struct served served;
/* Tokens that may read and write, and then the sessions of these. */
static char words[MARKS][TOKEN_BYTES];
static char folder[64] = "/tmp/fuzz_access.XXXXXX";

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "fuzz_access: %s\n", what);
	abort();
}

static void end(void)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock",
					    "secrets",  "tokens",   ""};
	char name[96];

	served_stop(&served);
	tokens_close(tokens);
	engine_destroy(engine);
	store_close(store);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, names[i]);
		remove(name);
	}
}

static void open_all(void)
{
	const struct store_options options = {.is_temporary = true};
	const struct engine_options limits = {.max_sites = 4};

	must(mkdtemp(folder) != NULL, "no folder");
	must(store_open(&store, folder, &options) == ERR_NONE, "no store");
	must(engine_create(&engine, store, &limits, NOW_MS) == ERR_NONE,
	     "no engine");
	must(tokens_open(&tokens, folder) == ERR_NONE, "no tokens");
	must(tokens_add(tokens, "read", TOKEN_READS, NOW_MS, words[0]) ==
			     ERR_NONE &&
		     tokens_add(tokens, "write", TOKEN_WRITES, NOW_MS,
				words[1]) == ERR_NONE,
	     "no token");
}

/* The lines with the tokens inserted, without bytes that would end the head or
 * continue the line before. */
static void append_lines(struct buffer *out, const uint8_t *data, size_t size)
{
	bool is_begin = true;

	for (size_t i = 0; i < size && out->size < MAX_HEAD; i++) {
		bool is_blank = data[i] == ' ' || data[i] == '\t';

		if (data[i] == '\r' || data[i] == '\0' ||
		    (is_begin && (is_blank || data[i] == '\n')))
			continue;
		is_begin = data[i] == '\n';
		if (data[i] >= 1 && data[i] <= MARKS)
			buffer_append_text(out, words[data[i] - 1]);
		else if (is_begin)
			buffer_append_text(out, "\r\n");
		else
			buffer_append_byte(out, (char)data[i]);
	}
	if (!is_begin)
		buffer_append_text(out, "\r\n");
}

/* Return the status of the response, copied as far unchanged available; 0 if it
 * has none. */
static int ask(const struct buffer *request, char *answer, size_t capacity)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd one = {.fd = file, .events = POLLIN};
	int status = 0;

	memset(answer, 0, capacity);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", served.path);
	must(file >= 0 && connect(file, (struct sockaddr *)&address,
				  sizeof(address)) == 0,
	     "nobody listens");
	if (send(file, request->data, request->size, MSG_NOSIGNAL) < 0 ||
	    poll(&one, 1, PATIENT_MS) <= 0) {
		close(file);
		return 0;
	}
	if (recv(file, answer, capacity - 1, 0) > 0 &&
	    strncmp(answer, "HTTP/1.1 ", 9) == 0)
		status = (int)strtol(answer + 9, NULL, 10);
	close(file);
	return status;
}

static void sign_in(const char *token, char *session_out)
{
	struct buffer request = {0};
	char answer[MAX_HEAD];
	const char *session;

	buffer_printf(&request,
		      "POST /login HTTP/1.1\r\nHost: localhost\r\n"
		      "Connection: close\r\nContent-Length: %zu\r\n\r\n"
		      "token=%s",
		      strlen("token=") + strlen(token), token);
	must(ask(&request, answer, sizeof(answer)) == 303, "no session");
	session = strstr(answer, "Set-Cookie: templated=");
	must(session != NULL, "no cookie");
	session += strlen("Set-Cookie: templated=");
	must(strcspn(session, ";") == SESSION_BYTES - 1, "no session's size");
	memcpy(session_out, session, SESSION_BYTES - 1);
	buffer_free(&request);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libFuzzer's type */
static unsigned upload_traits(const char *method, const char *target)
{
	return api_traits(method, target) & HTTP_UPLOAD;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
	(void)count;
	(void)arguments;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
		printf("skipped: there are no network namespaces here\n");
		_Exit(EXIT_SUCCESS);
	}
	log_set_level(LOG_LEVEL_ERROR);
	open_all();
	served_make(&served, store, engine, folder);
	served.tokens = tokens;
	served.http_options.admit = api_admit;
	served.http_options.handle = api_handle_admitted;
	served.http_options.traits = upload_traits;
	served.config.listen_rate = 0;
	snprintf(served.config.listen_names, sizeof(served.config.listen_names),
		 NAME ", other.test");
	served_start(&served);
	sign_in(words[0], words[2]);
	sign_in(words[1], words[3]);
	atexit(end);
	return 0;
}

/*
 * Return the text after the name and the colon of a line; NULL if the name
 * differs. A name with a space before the colon is another one: no browser
 * sends it, and the server does not know it.
 */
static const char *value_in(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(line, name, length) != 0)
		return NULL;
	return line[length] == ':' ? line + length + 1 : NULL;
}

/* How many headers of that name hold the text, in any case. */
static unsigned count(const char *lines, const char *name, const char *text)
{
	unsigned found = 0;

	while (*lines != '\0') {
		size_t size = strcspn(lines, "\r");
		char *line = strndup(lines, size);
		const char *value = value_in(line, name);

		found += value != NULL && strcasestr(value, text) != NULL;
		free(line);
		lines += size + strspn(lines + size, "\r\n");
	}
	return found;
}

/* Is there exactly one such header, with this text? */
static bool is_just(const char *lines, const char *name, const char *text)
{
	return count(lines, name, "") == 1 && count(lines, name, text) == 1;
}

/* Invariants for an accepted request; `is_by_header`: by an Authorization. */
static void check_change(const char *lines, bool is_by_header)
{
	must(!is_just(lines, "Origin", "evil"), "changed for an evil page");
	must(is_by_header || count(lines, "Origin", "http") > 0 ||
		     count(lines, "Sec-Fetch-Site", "same-origin") > 0,
	     "changed by a cookie that came unasked");
}

static void check_token(const struct target *target, const char *lines)
{
	bool is_writer = count(lines, "Authorization", words[1]) > 0 ||
			 count(lines, "Cookie", words[3]) > 0;
	bool is_reader = count(lines, "Authorization", words[0]) > 0 ||
			 count(lines, "Cookie", words[2]) > 0;

	must(is_writer || is_reader, "in without a token");
	must(is_writer || target->is_open, "a reader got what is closed");
}

static void check_admitted(const struct target *target, const char *lines)
{
	bool is_by_header = count(lines, "Authorization", "td_") > 0;

	check_token(target, lines);
	/* one of our names, or no name: an address has a dot or a bracket */
	must(count(lines, "Host", NAME) > 0 ||
		     count(lines, "Host", "localhost") > 0 ||
		     count(lines, "Host", ".") > 0 ||
		     count(lines, "Host", "]") > 0,
	     "in by a host of others");
	must(!is_just(lines, "Host", "evil"), "in by an evil host");
	must(is_by_header || !is_just(lines, "Sec-Fetch-Site", "cross"),
	     "in by the cookie of another site's request");
	if (target->is_change)
		check_change(lines, is_by_header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct target *target;
	struct buffer request = {0};
	struct buffer lines = {0};
	char answer[4096];
	int status;

	if (size == 0)
		return 0;
	target = &targets[data[0] % (sizeof(targets) / sizeof(*targets))];
	buffer_append_text(&lines, "");
	append_lines(&lines, data + 1, size - 1);
	buffer_printf(&request,
		      "%s HTTP/1.1\r\n%sConnection: close\r\n"
		      "Content-Length: 0\r\n\r\n",
		      target->line, lines.data);
	status = ask(&request, answer, sizeof(answer));
	must(status == 0 || (status >= 200 && status < 500),
	     "a strange status");
	if (status == target->status)
		check_admitted(target, lines.data);
	buffer_free(&request);
	buffer_free(&lines);
	return 0;
}
