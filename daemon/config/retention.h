/*
 * daemon/config/retention.h - retention: limits of what grows with time
 * (section `retention` of the configuration).
 */
#ifndef DAEMON_CONFIG_RETENTION_H
#define DAEMON_CONFIG_RETENTION_H

#include <stdint.h>

/* Limits; 0: none. Their meaning is in man/templated.yaml.5. */
struct retention_limit {
	uint64_t age_ms;
	uint64_t count;
	uint64_t bytes; /* in the whole store, compressed, rounded up as by
			   LMDB; of events in pages of the map */
};

struct retention_limits {
	struct retention_limit
		bodies; /* age since the last visit, count of a site
			 */
	struct retention_limit versions; /* age since pages last matched it,
				       count of a template */
	struct retention_limit events; /* age, and count, in the whole store */
};

#endif
