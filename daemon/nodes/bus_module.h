/*
 * daemon/nodes/broker_module.h - how broker_load() finds an implementation: in
 * a module (dlopen), so that a single daemon needs no broker library, or built
 * in (option CLUSTER).
 */
#ifndef DAEMON_NODES_BUS_MODULE_H
#define DAEMON_NODES_BUS_MODULE_H

#include "base/log.h"
#include "daemon/nodes/bus.h"

/*
 * Return the implementation, in static memory. A module has a separate log,
 * whose lines go to `sink`; NULL = it uses the daemon's log.
 */
typedef const struct broker_ops *broker_module(log_sink *sink);

/* daemon/bus/nats: NATS JetStream, server 2.9 or later. */
broker_module broker_nats_load;

/* The same as text, for dlsym(). */
#define BROKER_NATS_SYMBOL "bus_nats_load"
#define BROKER_NATS_FILE   "templated-nats.so"

#endif
