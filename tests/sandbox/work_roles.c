#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/memory.h"
#include "crawl/fetch.h"
#include "daemon/http/server.h"
#include "daemon/privsep/sandbox.h"
#include "page/charset.h"
#include "page/page.h"
#include "store/store.h"
#include "tests/sandbox/work.h"

enum {
	WAIT_MS = 100,
	MAX_ROUNDS = 100,
	VALUES = 100,
	VALUE_BYTES = 16384,
	NAME_BYTES = 512,
	MAX_MAP = 64 << 20,
};

static int say(const char *what, enum error error)
{
	fprintf(stderr, "work: %s: %s\n", what, error_text(error));
	return EXIT_FAILURE;
}

static enum http_verdict answer(struct http_exchange *exchange, void *context)
{
	struct buffer body = {0};

	(void)context;
	buffer_append_text(&body, "kept\n");
	http_reply(exchange, 200, "text/plain", &body);
	return HTTP_ANSWERED;
}

/* Values of more bytes than the map has, so that it grows. */
static enum error fill(struct store *store)
{
	char value[VALUE_BYTES] = {0};
	enum error error = ERR_NONE;

	for (unsigned i = 0; i < VALUES && error == ERR_NONE; i++) {
		struct txn txn = txn_begin_write(store);

		txn_put(&txn, TABLE_BODIES,
			(struct slice){(char *)&i, sizeof(i)},
			(struct slice){value, sizeof(value)});
		error = txn_end(&txn);
	}
	return error;
}

/* Until the standard input ends. */
int work_keeper(char **words)
{
	char path[NAME_BYTES];
	struct store *store = NULL;
	struct http_server *server = NULL;
	const struct store_options size = {.max_map_bytes = MAX_MAP};
	const struct http_options options = {
		.socket_path = path,
		.socket_mode = 0600,
		.workers = 2,
		.max_clients = 8,
		.max_waiting = 8,
		.max_body_bytes = VALUE_BYTES,
		.timeout_ms = 10000,
		.handle = answer,
	};
	enum error error;
	char byte;

	work_enter(ROLE_MAIN, NULL);
	snprintf(path, sizeof(path), "%s/store", words[0]);
	error = store_open(&store, path, &size);
	if (error != ERR_NONE)
		return say("store", error);
	error = fill(store);
	snprintf(path, sizeof(path), "%s/socket", words[0]);
	if (error == ERR_NONE)
		error = http_start(&server, &options);
	if (error == ERR_NONE) {
		puts("ready");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
		http_stop(server);
	}
	store_close(store);
	return error == ERR_NONE ? EXIT_SUCCESS : say("main", error);
}

int work_starter(char **words)
{
	pid_t child;
	int status = 1;

	work_enter(ROLE_SPAWNER, NULL);
	child = fork();
	if (child == 0) {
		execvp(words[0], words);
		_exit(EXIT_FAILURE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return EXIT_FAILURE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int work_fetcher(char **words)
{
	const char *const readable[] = {words[1], NULL};
	const struct fetch_options options = {
		.user_agent = "work",
		.ca_file = words[1],
	};
	struct fetch_result result = {.error = ERR_TIMEOUT};
	struct fetcher *fetcher;
	struct url url;

	curl_global_init(CURL_GLOBAL_DEFAULT);
	work_enter(ROLE_FETCHER, readable);
	fetcher = fetcher_create(&options);
	if (fetcher == NULL || url_parse(&url, slice_of(words[0]), NULL) != 0)
		return say("fetcher", ERR_IO);
	fetcher_start(fetcher, &(struct fetch_request){.url = &url,
						       .is_private_ok = true});
	for (int i = 0; i < MAX_ROUNDS && !fetcher_next(fetcher, &result); i++)
		fetcher_run(fetcher, WAIT_MS);
	if (result.error == ERR_NONE)
		fwrite(result.body.data, 1, result.body.size, stdout);
	else
		fprintf(stderr, "work: %s: %s\n", words[0], result.reason);
	fetch_result_free(&result);
	fetcher_destroy(fetcher);
	return result.error == ERR_NONE ? EXIT_SUCCESS : EXIT_FAILURE;
}

int work_worker(char **words)
{
	struct buffer body = {0};
	struct page *page = NULL;
	enum error error;
	ssize_t size = 1;
	int file = open(words[0], O_RDONLY | O_CLOEXEC);

	charset_load();
	work_enter(ROLE_WORKER, NULL);
	while (file >= 0 && size > 0) {
		size = read(file, buffer_reserve(&body, VALUE_BYTES),
			    VALUE_BYTES);
		body.size += size > 0 ? (size_t)size : 0;
	}
	error = page_parse(&page, buffer_slice(&body), slice_of(words[1]),
			   &page_limits_default);
	if (error != ERR_NONE)
		return say(words[0], error);
	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);

		fwrite(text.data, 1, text.size, stdout);
	}
	page_destroy(page);
	buffer_free(&body);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
