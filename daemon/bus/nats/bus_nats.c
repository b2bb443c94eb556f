#include "daemon/bus/bus_module.h"

#include <stdlib.h>

#include "daemon/bus/nats/nats_bus.h"
#include "store/memory.h"

static void nats_close_bus(struct bus *bus)
{
	if (bus == NULL)
		return;
	nats_answers_destroy(bus->answers);
	nats_link_close(bus);
	for (size_t i = 0; i < BUS_BUCKETS; i++)
		nats_copy_destroy(bus->copies[i]);
	condition_destroy(&bus->changed);
	condition_destroy(&bus->listed);
	condition_destroy(&bus->answered);
	lock_destroy(&bus->lock);
	free(bus);
}

static enum error nats_open_bus(struct bus **bus_out,
				const struct bus_options *options)
{
	struct bus *bus = mem_alloc(1, sizeof(*bus));
	enum error error;

	*bus_out = NULL;
	lock_init(&bus->lock, LOCK_BUS);
	condition_init(&bus->answered);
	condition_init(&bus->listed);
	condition_init(&bus->changed);
	bus->timeout_ms = options->timeout_ms;
	bus->lease_ms = options->lease_ms;
	for (size_t i = 0; i < BUS_BUCKETS; i++)
		bus->copies[i] = nats_copy_create();
	bus->answers = nats_answers_create(bus);
	error = nats_link_open(bus, options);
	if (error == ERR_NONE)
		error = nats_streams_open(bus, options);
	if (error == ERR_NONE)
		error = nats_clock(bus);
	if (error == ERR_NONE)
		*bus_out = bus;
	else
		nats_close_bus(bus);
	return error;
}

bool nats_is_connected(struct bus *bus, int64_t *clock_ms_out)
{
	bool is_connected;

	lock_acquire(&bus->lock);
	is_connected = bus->is_connected;
	*clock_ms_out = bus->clock_ms;
	lock_release(&bus->lock);
	return is_connected;
}

size_t nats_max_bytes(struct bus *bus)
{
	int64_t bytes = natsConnection_GetMaxPayload(bus->connection);

	return bytes < INT64_C(2) * NATS_HEADER_BYTES
		       ? NATS_HEADER_BYTES
		       : (size_t)bytes - NATS_HEADER_BYTES;
}

static const struct bus_ops ops = {
	.open = nats_open_bus,
	.close = nats_close_bus,
	.is_connected = nats_is_connected,
	.max_bytes = nats_max_bytes,
	.append = nats_append,
	.next = nats_next,
	.last = nats_last,
	.purge = nats_purge,
	.put = nats_put,
	.get = nats_get,
	.list = nats_list,
	.remove = nats_remove,
	.ask = nats_ask,
	.answer = nats_answer,
	.tell = nats_tell,
	.listen = nats_listen,
};

__attribute__((visibility("default"))) const struct bus_ops *
bus_nats_load(log_sink *sink)
{
	if (sink != NULL) {
		log_set_sink(sink);
		log_set_level(LOG_LEVEL_DEBUG);
	}
	return &ops;
}
