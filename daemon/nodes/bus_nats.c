#include "daemon/nodes/bus_module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats_bus.h"

static void nats_close_bus(struct broker *bus)
{
	if (bus == NULL)
		return;
	nats_handlers_destroy(bus->answers);
	nats_link_close(bus);
	for (size_t i = 0; i < BROKER_BUCKETS; i++)
		nats_kv_copy_destroy(bus->copies[i]);
	condition_destroy(&bus->changed);
	condition_destroy(&bus->listed);
	condition_destroy(&bus->answered);
	lock_destroy(&bus->lock);
	free(bus);
}

/* Append a reason once: retries fail for the same reason. */
static void nats_append_reason(char out[BROKER_WHY_BYTES], const char *text)
{
	size_t used = strlen(out);

	if (strstr(out, text) == NULL)
		snprintf(out + used, BROKER_WHY_BYTES - used, "%s%s",
			 used > 0 ? "; " : "", text);
}

void nats_add_error(struct broker *bus, const char *format, ...)
{
	char text[BROKER_WHY_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	nats_append_reason(bus->why, text);
}

void nats_add_note(struct broker *bus, const char *format, ...)
{
	char text[BROKER_WHY_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	nats_append_reason(bus->note, text);
}

static void set_open(struct broker *bus)
{
	if (*bus->note != '\0')
		log_info("nodes: %s", bus->note);
	lock_acquire(&bus->lock);
	bus->is_open = true;
	lock_release(&bus->lock);
}

/*
 * Write the first row; the servers reject a user whose name is not the node's.
 */
static enum error write_first(struct broker *bus)
{
	enum error error = nats_kv_write_clock(bus);

	if (error != ERR_NONE)
		nats_add_error(
			bus,
			"cannot write row _clock.%s of stream %s: %s; "
			"the broker user must have the name of the node, "
			"see conf/cluster",
			bus->name, nats_buckets[BROKER_NODES].name,
			error_text(error));
	return error;
}

static enum error nats_open_bus(struct broker **bus_out,
				const struct broker_options *options,
				char why_out[BROKER_WHY_BYTES])
{
	struct broker *bus = mem_alloc(1, sizeof(*bus));
	struct nats_deadline patience =
		nats_deadline_of(bus, options->timeout_ms);
	enum error error;

	*bus_out = NULL;
	lock_init(&bus->lock, LOCK_BROKER);
	condition_init(&bus->answered);
	condition_init(&bus->listed);
	condition_init(&bus->changed);
	bus->timeout_ms = options->timeout_ms;
	bus->lease_ms = options->lease_ms;
	for (size_t i = 0; i < BROKER_BUCKETS; i++)
		bus->copies[i] = nats_kv_copy_create();
	bus->answers = nats_handlers_create(bus);
	error = nats_link_open(bus, options);
	if (error == ERR_NONE)
		error = nats_streams_open(bus, options);
	if (error == ERR_NONE)
		error = write_first(bus);
	/* responses cannot arrive then, and the servers seem not to respond */
	if (error != ERR_NONE && nats_was_rejected(&patience, bus->prefix)) {
		nats_add_error(
			bus,
			"the user may not subscribe to %s.>; the broker user "
			"must have the name of the node, see conf/cluster",
			bus->prefix);
		error = ERR_ADDRESS_FORBIDDEN;
	}
	memcpy(why_out, bus->why, BROKER_WHY_BYTES);
	if (error == ERR_NONE) {
		set_open(bus);
		*bus_out = bus;
	} else {
		nats_close_bus(bus);
	}
	return error;
}

bool nats_is_connected(struct broker *bus, int64_t *clock_ms_out)
{
	bool is_connected;

	lock_acquire(&bus->lock);
	is_connected = bus->is_connected;
	*clock_ms_out = bus->clock_ms;
	lock_release(&bus->lock);
	return is_connected;
}

bool nats_is_closed(struct broker *bus)
{
	bool is_closed;

	lock_acquire(&bus->lock);
	is_closed = bus->is_closed;
	lock_release(&bus->lock);
	return is_closed;
}

void nats_disconnect(struct broker *bus)
{
	natsConnection_Close(bus->connection);
}

size_t nats_max_bytes(struct broker *bus)
{
	int64_t bytes = natsConnection_GetMaxPayload(bus->connection);

	return bytes < INT64_C(2) * NATS_HEADER_BYTES
		       ? NATS_HEADER_BYTES
		       : (size_t)bytes - NATS_HEADER_BYTES;
}

static const struct broker_ops ops = {
	.open = nats_open_bus,
	.close = nats_close_bus,
	.is_connected = nats_is_connected,
	.is_closed = nats_is_closed,
	.hang_up = nats_disconnect,
	.max_bytes = nats_max_bytes,
	.append = nats_append,
	.next = nats_next,
	.next_of_leader = nats_next_of_leader,
	.last = nats_last,
	.purge = nats_purge,
	.put = nats_kv_put,
	.get = nats_kv_get,
	.list = nats_kv_list,
	.remove = nats_kv_remove_row,
	.ask = nats_request_node,
	.answer = nats_handle,
	.tell = nats_publish,
	.listen = nats_listen,
	.flush_log = log_flush,
};

__attribute__((visibility("default"))) const struct broker_ops *
broker_nats_load(log_sink *sink)
{
	if (sink != NULL) {
		log_set_sink(sink);
		log_set_level(LOG_LEVEL_DEBUG);
	}
	return &ops;
}
