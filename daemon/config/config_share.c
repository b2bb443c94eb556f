/* Configurations that threads share. */
#include "daemon/config/config.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "store/memory.h"

struct shared_config {
	struct config config; /* first: its address is that of the whole */
	atomic_size_t references;
};

/* The references of a configuration that config_share() has made. */
static struct shared_config *shared_of(const struct config *config)
{
	union {
		const struct config *config;
		struct shared_config *shared;
	} address = {.config = config};

	return address.shared;
}

const struct config *config_share(const struct config *config)
{
	struct shared_config *shared = mem_alloc(1, sizeof(*shared));

	shared->config = *config;
	atomic_init(&shared->references, 1);
	return &shared->config;
}

const struct config *config_acquire(const struct config *config)
{
	size_t before = atomic_fetch_add_explicit(
		&shared_of(config)->references, 1, memory_order_relaxed);

	assert(before > 0);
	(void)before;
	return config;
}

void config_release(const struct config *config)
{
	if (config != NULL &&
	    atomic_fetch_sub(&shared_of(config)->references, 1) == 1)
		free(shared_of(config));
}
