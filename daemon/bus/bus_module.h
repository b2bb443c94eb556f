/*
 * daemon/bus/bus_module.h - how bus_load() finds an implementation: in a
 * module (dlopen), so that a daemon without a cluster needs no library of a
 * broker, or built in (option CLUSTER).
 */
#ifndef DAEMON_BUS_BUS_MODULE_H
#define DAEMON_BUS_BUS_MODULE_H

#include "daemon/bus/bus.h"
#include "store/log.h"

/*
 * The implementation; static memory. A module has a log of its own, whose lines
 * go to `sink`; NULL: it is the daemon's, and stays as it is.
 */
typedef const struct bus_ops *bus_module(log_sink *sink);

/* daemon/bus/nats: NATS JetStream, server 2.9 or newer. */
bus_module bus_nats_load;

/* The same, for dlsym(). */
#define BUS_NATS_SYMBOL "bus_nats_load"
#define BUS_NATS_FILE   "templated-nats.so"

#endif
