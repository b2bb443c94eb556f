/*
 * daemon/engine/host_tally.h - count rejected pages of an archive by host.
 * Plain data: initialize with {0}, free with host_tally_free().
 */
#ifndef DAEMON_ENGINE_HOST_TALLY_H
#define DAEMON_ENGINE_HOST_TALLY_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_TALLIED_HOSTS = 100 };

struct host_count {
	char *host;
	uint64_t pages;
};

struct host_tally {
	struct host_count
		*rows; /* [count]: the first hosts, at most MAX_TALLIED_HOSTS */
	size_t count;
	uint64_t pages; /* of all hosts */
};

/* O(MAX_TALLIED_HOSTS). */
void host_tally_add(struct host_tally *tally, const char *host, uint64_t pages);
/* Add all counts of `other`. */
void host_tally_merge(struct host_tally *tally, const struct host_tally *other);
void host_tally_free(struct host_tally *tally);

#endif
