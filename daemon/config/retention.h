/*
 * daemon/config/retention.h - retention: limits of data that grows with time
 * (section `retention` of the configuration).
 */
#ifndef DAEMON_CONFIG_RETENTION_H
#define DAEMON_CONFIG_RETENTION_H

#include <stdint.h>

/* Limits; 0 = unlimited. See man/templated.yaml.5. */
struct retention_limit {
	uint64_t age_ms;
	uint64_t count;
	uint64_t bytes; /* in the whole store, compressed, rounded up as by
			   LMDB; for events, in pages of the map */
};

struct retention_limits {
	struct retention_limit
		bodies; /* age since the last visit, count per site */
	struct retention_limit versions; /* age since pages last matched it,
					    count per template */
	struct retention_limit events; /* age, and count, in the whole store */
};

#endif
