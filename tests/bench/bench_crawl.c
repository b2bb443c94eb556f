/*
 * bench_crawl - the lower bound of a crawl: read URLs from standard input, one
 * per line, and fetch them with a loop of libcurl multi, one kept connection
 * per host, decoding and discarding the bodies. crawl.py runs it and the daemon
 * one after another.
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"

enum { MAX_HOSTS = 256, MAX_LINE = 4096 };

/* The URLs of a host, fetched one after the other. */
struct lane {
	CURL *easy;
	char *authority; /* scheme://host:port/ */
	char **urls;     /* [count] */
	size_t count;
	size_t capacity;
	size_t next;
};

struct race {
	CURLM *multi;
	struct lane lanes[MAX_HOSTS];
	size_t lane_count;
	size_t fetched;
	size_t failed;
	size_t body_bytes;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t on_body(char *data, size_t size, size_t count, void *context)
{
	struct race *race = context;

	(void)data;
	race->body_bytes += size * count;
	return size * count;
}

static size_t authority_length(const char *url)
{
	const char *host = strstr(url, "://");

	return host == NULL ? 0
			    : 3 + (size_t)(host - url) + strcspn(host + 3, "/");
}

static struct lane *lane_of(struct race *race, const char *url)
{
	size_t length = authority_length(url);
	struct lane *lane;

	for (size_t i = 0; i < race->lane_count; i++) {
		lane = &race->lanes[i];
		if (strlen(lane->authority) == length &&
		    memcmp(lane->authority, url, length) == 0)
			return lane;
	}
	if (race->lane_count == MAX_HOSTS)
		return NULL;
	lane = &race->lanes[race->lane_count++];
	lane->authority = mem_copy_text(url, length);
	return lane;
}

static bool read_urls(struct race *race)
{
	char line[MAX_LINE];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct lane *lane;

		line[strcspn(line, "\n")] = '\0';
		lane = lane_of(race, line);
		if (lane == NULL)
			return false;
		lane->urls = mem_grow(lane->urls, lane->count, &lane->capacity,
				      sizeof(char *));
		lane->urls[lane->count++] = mem_copy_text(line, strlen(line));
	}
	return race->lane_count > 0;
}

static void start_next(struct race *race, struct lane *lane)
{
	if (lane->next == lane->count)
		return;
	curl_easy_setopt(lane->easy, CURLOPT_URL, lane->urls[lane->next++]);
	curl_multi_add_handle(race->multi, lane->easy);
}

static bool open_lane(struct race *race, struct lane *lane)
{
	lane->easy = curl_easy_init();
	if (lane->easy == NULL)
		return false;
	curl_easy_setopt(lane->easy, CURLOPT_PRIVATE, lane);
	curl_easy_setopt(lane->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(lane->easy, CURLOPT_WRITEDATA, race);
	curl_easy_setopt(lane->easy, CURLOPT_ACCEPT_ENCODING, "gzip, br");
	curl_easy_setopt(lane->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(lane->easy, CURLOPT_NOSIGNAL, 1L);
	start_next(race, lane);
	return true;
}

static void collect(struct race *race)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(race->multi, &left)) != NULL) {
		CURL *easy = message->easy_handle;
		struct lane *lane = NULL;

		race->failed += message->data.result != CURLE_OK;
		race->fetched++;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&lane);
		curl_multi_remove_handle(race->multi, easy);
		start_next(race, lane);
	}
}

static bool run(struct race *race)
{
	int running = 1;

	for (size_t i = 0; i < race->lane_count; i++)
		if (!open_lane(race, &race->lanes[i]))
			return false;
	while (running > 0) {
		size_t before = race->fetched;

		if (curl_multi_perform(race->multi, &running) != CURLM_OK)
			return false;
		collect(race);
		if (race->fetched != before)
			running = 1; /* others may have begun */
		else if (running > 0)
			curl_multi_poll(race->multi, NULL, 0, 1000, NULL);
	}
	return race->failed == 0;
}

static void close_all(struct race *race)
{
	for (size_t i = 0; i < race->lane_count; i++) {
		struct lane *lane = &race->lanes[i];

		curl_easy_cleanup(lane->easy);
		for (size_t u = 0; u < lane->count; u++)
			free(lane->urls[u]);
		free(lane->urls);
		free(lane->authority);
	}
	curl_multi_cleanup(race->multi);
}

static double wall_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(void)
{
	struct race *race = mem_alloc(1, sizeof(*race));
	struct rusage usage;
	double begin_s;
	bool is_done;

	curl_global_init(CURL_GLOBAL_ALL);
	race->multi = curl_multi_init();
	if (race->multi == NULL || !read_urls(race)) {
		fprintf(stderr, "usage: bench_crawl < URLS\n");
		return 2;
	}
	begin_s = wall_s();
	is_done = run(race);
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu %zu %zu %.6f %.6f %.6f\n", race->fetched, race->failed,
	       race->body_bytes, wall_s() - begin_s, seconds_of(usage.ru_utime),
	       seconds_of(usage.ru_stime));
	close_all(race);
	free(race);
	return is_done ? 0 : 1;
}
