#include "daemon/engine/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "page/robots_tag.h"

struct host *hosts_get(struct hosts *hosts, const struct url *url)
{
	struct host *host;

	for (size_t i = 0; i < hosts->count; i++)
		if (strcmp(hosts->items[i]->authority, url->authority) == 0)
			return hosts->items[i];
	host = mem_alloc(1, sizeof(*host));
	snprintf(host->authority, sizeof(host->authority), "%s",
		 url->authority);
	host->polite.max_running = 1;
	host->polite.first_pause_ms = hosts->first_pause_ms;
	host->polite.seed = hash64(host->authority, strlen(host->authority), 0);
	hosts->items = mem_grow(hosts->items, hosts->count, &hosts->capacity,
				sizeof(struct host *));
	hosts->items[hosts->count++] = host;
	return host;
}

static void destroy_host(struct host *host)
{
	for (;;) {
		struct job *job = host_pop(host);

		if (job == NULL)
			break;
		job_destroy(job);
	}
	arena_destroy(host->arena);
	buffer_free(&host->cookies.lines);
	free(host);
}

void hosts_trim(struct hosts *hosts, size_t max, uint64_t now_ms)
{
	for (size_t i = hosts->count; i-- > 0 && hosts->count > max;) {
		struct host *host = hosts->items[i];

		if (host->first != NULL || host->polite.running > 0 ||
		    host->robots_state == ROBOTS_REQUESTED ||
		    !politeness_may_start(&host->polite, now_ms))
			continue;
		destroy_host(host);
		hosts->items[i] = hosts->items[--hosts->count];
	}
}

void hosts_free(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		destroy_host(hosts->items[i]);
	free(hosts->items);
	*hosts = (struct hosts){0};
}

void host_push(struct host *host, struct job *job)
{
	job->next = NULL;
	if (host->last == NULL)
		host->first = job;
	else
		host->last->next = job;
	host->last = job;
	host->count++;
}

struct job *host_pop(struct host *host)
{
	struct job *job = host->first;

	if (job == NULL)
		return NULL;
	host->first = job->next;
	if (host->first == NULL)
		host->last = NULL;
	host->count--;
	return job;
}

struct job *host_cut(struct host *host, size_t keep)
{
	struct job **end = &host->first;
	struct job *last = NULL;
	struct job *rest;

	if (host->count <= keep)
		return NULL;
	for (size_t i = 0; i < keep; i++) {
		last = *end;
		end = &last->next;
	}
	rest = *end;
	*end = NULL;
	host->last = last;
	host->count = keep;
	return rest;
}

void host_set_robots(struct host *host, struct slice file, unsigned status,
		     uint64_t fetched_ms)
{
	arena_destroy(host->arena);
	host->arena = arena_create();
	host->robots = status >= 200 && status < 300
			       ? robots_parse(host->arena, file, ROBOTS_AGENT)
			       : robots_from_status(host->arena, status);
	host->robots_ms = fetched_ms;
	host->robots_state = ROBOTS_KNOWN;
	host->is_robots_used = false;
}
