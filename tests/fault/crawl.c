#include "tests/fault/crawl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "daemon/config/config.h"
#include "daemon/engine/invariants.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/library_memory.h"
#include "daemon/service.h"

enum {
	MAX_PATH = 256,
	NAP_MS = 10,
	LEARNING_MS = 900, /* time limit of the background threads of a crawl */
	LASTING_MS = 300,
	END_MS = 20000,
	ANSWER_S = 5,
	MAX_ANSWER_BYTES = 1 << 16,
	MAX_LOG_BYTES = 1 << 20,
};

/* One thread, except the daemon that exit() ends.
 * NOLINTBEGIN(concurrency-mt-unsafe) */
static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = NAP_MS * 1000000L}, NULL);
}

static void name(char *out, const struct crawl *crawl, const char *file)
{
	snprintf(out, MAX_PATH, "%s/%s", crawl->folder, file);
}

static struct config make_config(const struct crawl *crawl)
{
	struct config config;
	char path[MAX_PATH];

	config_defaults(&config);
	name(path, crawl, "socket");
	snprintf(config.socket_path, sizeof(config.socket_path), "%.100s",
		 path);
	name(path, crawl, "store");
	snprintf(config.store_path, sizeof(config.store_path), "%s", path);
	name(path, crawl, "warc");
	snprintf(config.warc, sizeof(config.warc), "%s", path);
	config.delay_ms = 0;
	config.saturation = 0;
	config.no_sitemaps = true;
	config.workers = 2;
	config.min_cluster_pages = 3;
	config.drain_ms = 1000;
	return config;
}

/* What daemon/main.c does. */
static int serve(const struct config *config, struct fault *fault)
{
	struct service *service = NULL;
	int number;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	library_memory_install();
	fault_arm(fault);
	if (service_start(&service, config, NULL, NULL, NULL) != ERR_NONE)
		return EXIT_FAILURE;
	sigwait(&set, &number);
	service_stop(service);
	fault_arm(NULL);
	return EXIT_SUCCESS;
}

static void start(struct crawl *crawl, struct fault *fault)
{
	struct config config = make_config(crawl);
	const struct rlimit no_core = {0, 0};
	char path[MAX_PATH];
	int log;

	name(path, crawl, "log");
	fflush(stdout);
	crawl->pid = fork();
	if (crawl->pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (log < 0 || dup2(log, STDERR_FILENO) < 0)
		abort();
	exit(serve(&config, fault));
}

static bool has_ended(struct crawl *crawl)
{
	if (!crawl->has_ended)
		crawl->has_ended = waitpid(crawl->pid, &crawl->status,
					   WNOHANG) == crawl->pid;
	return crawl->has_ended;
}

static int open_client(const struct crawl *crawl)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = ANSWER_S};
	char path[MAX_PATH];
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	name(path, crawl, "socket");
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(file, (struct sockaddr *)&address, sizeof(address)) == 0)
		return file;
	close(file);
	return -1;
}

/* Send one request; "" if there is no response. */
static void ask(const struct crawl *crawl, const char *method,
		const char *target, const char *body, char *answer)
{
	char request[1024];
	int file = open_client(crawl);
	size_t size = 0;
	ssize_t got = 1;

	answer[0] = '\0';
	if (file < 0)
		return;
	snprintf(request, sizeof(request),
		 "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		 "Content-Length: %zu\r\n\r\n%s",
		 method, target, strlen(body), body);
	send(file, request, strlen(request), MSG_NOSIGNAL);
	while (got > 0 && size + 1 < MAX_ANSWER_BYTES) {
		got = recv(file, answer + size, MAX_ANSWER_BYTES - size - 1, 0);
		if (got > 0)
			size += (size_t)got;
	}
	answer[size] = '\0';
	close(file);
}

static void watch(struct crawl *crawl)
{
	static char answer[MAX_ANSWER_BYTES];
	char body[128];

	snprintf(body, sizeof(body), "{\"url\":\"http://127.0.0.1:%u/\"}",
		 crawl->port);
	ask(crawl, "POST", "/v1/sites", body, answer);
	crawl->is_watched |= strncmp(answer, "HTTP/1.1 20", 11) == 0;
}

static void look(struct crawl *crawl)
{
	static char answer[MAX_ANSWER_BYTES];
	char target[64];
	const char *pages;

	snprintf(target, sizeof(target), "/v1/sites/127.0.0.1:%u", crawl->port);
	ask(crawl, "GET", target, "", answer);
	if (strncmp(answer, "HTTP/1.1 200", 12) != 0)
		return;
	pages = strstr(answer, "\"pages\":");
	if (pages != NULL)
		crawl->pages = (uint32_t)strtoul(pages + 8, NULL, 10);
	crawl->is_done = strstr(answer, "\"watching\"") != NULL;
}

/* Work that follows a crawl: thresholds, templates, versions. */
static void let_learn(struct crawl *crawl, const struct fault *fault)
{
	uint64_t end_ms = clock_steady_ms() + LEARNING_MS;

	while (!has_ended(crawl) && clock_steady_ms() < end_ms &&
	       (fault == NULL || !atomic_load(&fault->has_failed)))
		nap();
}

/* End a lasting fault after some time, as if an operator freed disk space. */
static void end_fault(struct fault *fault, uint32_t *naps)
{
	if (fault != NULL && atomic_load(&fault->has_failed) &&
	    ++*naps * NAP_MS > LASTING_MS)
		atomic_store(&fault->last, 0);
}

void crawl_run(struct crawl *crawl, struct fault *fault, uint32_t patience_ms)
{
	uint32_t naps = 0;
	uint64_t end_ms = clock_steady_ms() + patience_ms;

	crawl->has_ended = crawl->is_late = crawl->is_watched = false;
	crawl->is_done = false;
	crawl->pages = 0;
	start(crawl, fault);
	while (!crawl->is_done && !has_ended(crawl) &&
	       clock_steady_ms() < end_ms) {
		if (crawl->is_watched)
			look(crawl);
		else
			watch(crawl);
		end_fault(fault, &naps);
		nap();
	}
	if (fault != NULL)
		let_learn(crawl, fault);
}

void crawl_stop(struct crawl *crawl)
{
	uint64_t end_ms = clock_steady_ms() + END_MS;

	if (!has_ended(crawl))
		kill(crawl->pid, SIGTERM);
	while (!has_ended(crawl) && clock_steady_ms() < end_ms)
		nap();
	if (crawl->has_ended)
		return;
	crawl->is_late = true;
	kill(crawl->pid, SIGKILL);
	waitpid(crawl->pid, &crawl->status, 0);
	crawl->has_ended = true;
}

struct buffer crawl_log(const struct crawl *crawl)
{
	struct buffer log = {0};
	char path[MAX_PATH];

	name(path, crawl, "log");
	file_read_start(path, MAX_LOG_BYTES, &log);
	buffer_append_byte(&log, '\0');
	return log;
}

struct holding crawl_hold(const struct crawl *crawl)
{
	struct holding holding = {0};
	struct verify_report report = {0};
	struct store_usage usage = {0};
	struct store *store = NULL;
	char path[MAX_PATH];

	name(path, crawl, "store");
	if (store_open(&store, path, &(struct store_options){0}) != ERR_NONE)
		return holding;
	holding.is_there =
		invariants_verify(store, NULL, &report) == ERR_NONE &&
		store_usage(store, &usage) == ERR_NONE;
	holding.problems = report.problems;
	holding.text = report.text;
	holding.pages = report.pages;
	holding.clusters = report.clusters;
	memcpy(holding.rows, usage.rows, sizeof(holding.rows));
	store_close(store);
	return holding;
}
/* NOLINTEND(concurrency-mt-unsafe) */
