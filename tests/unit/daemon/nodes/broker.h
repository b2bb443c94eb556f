/*
 * tests/unit/daemon/nodes/broker.h - real NATS servers on loopback, with
 * separate ports and a separate folder, that a test starts, kills and restarts.
 */
#ifndef TESTS_UNIT_DAEMON_CLUSTER_BROKER_H
#define TESTS_UNIT_DAEMON_CLUSTER_BROKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/nodes/broker.h"

enum { BROKER_SERVERS = 3 };

struct broker {
	char folder[64];
	char urls[256]; /* "nats://127.0.0.1:4222,..." */
	unsigned count; /* of servers: 1 or BROKER_SERVERS */
	uint16_t ports[2 * BROKER_SERVERS];
	pid_t servers[BROKER_SERVERS]; /* 0: it does not run */
	const char *settings; /* more lines of the configuration, or "" */
};

/* Are nats-server and openssl installed? */
bool broker_is_installed(void);

/* Start `count` servers; they exit with the test. */
void broker_start(struct broker *broker, unsigned count, const char *settings);

/*
 * Start three servers with the configuration in `folder` (conf/nodes), and new
 * secrets in <broker.folder>/secrets.
 */
void broker_start_conf(struct broker *broker, const char *folder);

/* kill -9, and start again with the same files. */
void broker_kill(struct broker *broker, unsigned server);
void broker_resume(struct broker *broker, unsigned server);

/* Kill all and remove their files. */
void broker_end(struct broker *broker);

/* Options of a test's broker connection: all streams are created, waits are
 * short. */
struct broker_options broker_options(const struct broker *broker);

/* Open it once; what is wrong counts as said. */
enum error broker_try(struct broker **bus_out, const struct broker_ops *ops,
		      const struct broker_options *options);

/* Open it, as soon as the servers are ready: at most 20 s. */
struct broker *broker_open(const struct broker_ops *ops,
			   const struct broker_options *options);

/* What was logged in this process since; "" is in all. */
bool broker_has_said(const char *part);
void broker_hear(void);

#endif
