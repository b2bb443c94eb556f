#include "daemon/nodes/bus_module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats_bus.h"

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

/* Append a reason once: retries fail for the same reason. */
static void append(char out[BUS_WHY_BYTES], const char *text)
{
	size_t used = strlen(out);

	if (strstr(out, text) == NULL)
		snprintf(out + used, BUS_WHY_BYTES - used, "%s%s",
			 used > 0 ? "; " : "", text);
}

void nats_complain(struct bus *bus, const char *format, ...)
{
	char text[BUS_WHY_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	append(bus->why, text);
}

void nats_note(struct bus *bus, const char *format, ...)
{
	char text[BUS_WHY_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	append(bus->note, text);
}

static void set_open(struct bus *bus)
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
static enum error write_first(struct bus *bus)
{
	enum error error = nats_clock(bus);

	if (error != ERR_NONE)
		nats_complain(bus,
			      "cannot write row _clock.%s of stream %s: %s; "
			      "the broker user must have the name of the node, "
			      "see conf/cluster",
			      bus->name, nats_buckets[BUS_NODES].name,
			      error_text(error));
	return error;
}

static enum error nats_open_bus(struct bus **bus_out,
				const struct bus_options *options,
				char why_out[BUS_WHY_BYTES])
{
	struct bus *bus = mem_alloc(1, sizeof(*bus));
	struct patience patience = nats_patience(bus, options->timeout_ms);
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
		error = write_first(bus);
	/* responses cannot arrive then, and the servers seem not to respond */
	if (error != ERR_NONE && nats_was_refused(&patience, bus->prefix)) {
		nats_complain(
			bus,
			"the user may not subscribe to %s.>; the broker user "
			"must have the name of the node, see conf/cluster",
			bus->prefix);
		error = ERR_REFUSED;
	}
	memcpy(why_out, bus->why, BUS_WHY_BYTES);
	if (error == ERR_NONE) {
		set_open(bus);
		*bus_out = bus;
	} else {
		nats_close_bus(bus);
	}
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

bool nats_is_closed(struct bus *bus)
{
	bool is_closed;

	lock_acquire(&bus->lock);
	is_closed = bus->is_closed;
	lock_release(&bus->lock);
	return is_closed;
}

void nats_hang_up(struct bus *bus)
{
	natsConnection_Close(bus->connection);
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
	.is_closed = nats_is_closed,
	.hang_up = nats_hang_up,
	.max_bytes = nats_max_bytes,
	.append = nats_append,
	.next = nats_next,
	.next_of_leader = nats_next_of_leader,
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
	.flush_log = log_flush,
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
