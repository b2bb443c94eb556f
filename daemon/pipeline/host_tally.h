/*
 * daemon/pipeline/host_tally.h - how many pages of an archive were not taken,
 * by host. Plain data: begin with {0}, end with host_tally_free().
 */
#ifndef DAEMON_PIPELINE_HOST_TALLY_H
#define DAEMON_PIPELINE_HOST_TALLY_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_TALLIED_HOSTS = 100 };

struct host_count {
	char *host;
	uint64_t pages;
};

struct host_tally {
	struct host_count *rows; /* [count]: the first hosts, at most
				    MAX_TALLIED_HOSTS */
	size_t count;
	uint64_t pages; /* of all hosts */
};

/* O(MAX_TALLIED_HOSTS). */
void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages);
/* The same of all that the other one holds. */
void host_tally_merge(struct host_tally *tally, const struct host_tally *other);
void host_tally_free(struct host_tally *tally);

#endif
