#include <string.h>

#include "daemon/bus/nats/nats_bus.h"
#include "store/log.h"

/* The API's prefix, without which a node may not read: what a refusal names. */
#define API "$JS.API."

static natsStatus read_once(struct bus *bus, const struct reading *reading,
			    int64_t wait_ms, natsMsg **message_out)
{
	jsDirectGetMsgOptions direct;
	jsErrCode code = 0;
	natsStatus status;
	jsOptions options;

	jsOptions_Init(&options);
	options.Wait = wait_ms;
	jsDirectGetMsgOptions_Init(&direct);
	switch (reading->kind) {
	case NATS_NEXT:
		direct.NextBySubject = reading->subject;
		direct.Sequence = reading->number == 0 ? 1 : reading->number;
		return js_DirectGetMsg(message_out, bus->js, reading->stream,
				       &options, &direct);
	case NATS_COPY:
		direct.Sequence = reading->number;
		return js_DirectGetMsg(message_out, bus->js, reading->stream,
				       &options, &direct);
	case NATS_LAST:
		status = js_GetLastMsg(message_out, bus->js, reading->stream,
				       reading->subject, &options, &code);
		break;
	default:
		status = js_GetMsg(message_out, bus->js, reading->stream,
				   reading->number, &options, &code);
		break;
	}
	if (status != NATS_OK && code == JSNoMessageFoundErr)
		return NATS_NOT_FOUND;
	/* without a leader it is asked again and again */
	if (status != NATS_OK && code == JSClusterNotAvailErr)
		log_debug("cluster: stream %s: JetStream has no leader",
			  reading->stream);
	else if (status != NATS_OK && code != 0)
		log_warn("cluster: stream %s: %s", reading->stream,
			 nats_GetLastError(NULL));
	return status;
}

enum error nats_read_message(struct bus *bus, const struct reading *reading,
			     natsMsg **message_out)
{
	struct patience patience = nats_patience(bus, bus->timeout_ms);

	while (nats_wait_connected(&patience)) {
		int64_t wait_ms = nats_try_ms(&patience);
		natsStatus status;

		if (wait_ms == 0)
			break;
		status = read_once(bus, reading, wait_ms, message_out);
		if (status == NATS_OK)
			return ERR_NONE;
		if (status == NATS_NOT_FOUND)
			return ERR_NOT_FOUND;
		if (nats_was_refused(&patience, API))
			return ERR_REFUSED;
		if (status != NATS_TIMEOUT && !nats_pause(&patience))
			break;
	}
	return ERR_NETWORK;
}

static enum error take_message(struct bus *bus, const struct reading *reading,
			       struct bus_message *message_out)
{
	natsMsg *message = NULL;
	enum error error = nats_read_message(bus, reading, &message);

	if (error != ERR_NONE)
		return error;
	buffer_clear(&message_out->subject);
	buffer_clear(&message_out->data);
	buffer_append_text(&message_out->subject, natsMsg_GetSubject(message));
	buffer_append(&message_out->data, natsMsg_GetData(message),
		      (size_t)natsMsg_GetDataLength(message));
	message_out->number = natsMsg_GetSequence(message);
	message_out->time_ms = (uint64_t)natsMsg_GetTime(message) / 1000000U;
	natsMsg_Destroy(message);
	return ERR_NONE;
}

enum error nats_next(struct bus *bus, enum bus_stream stream,
		     const char *subject, uint64_t from,
		     struct bus_message *message_out)
{
	const struct reading reading = {.kind = NATS_NEXT,
					.stream = nats_streams[stream].name,
					.subject = subject,
					.number = from};

	return take_message(bus, &reading, message_out);
}

enum error nats_last(struct bus *bus, enum bus_stream stream,
		     const char *subject, struct bus_message *message_out)
{
	const struct reading reading = {.kind = NATS_LAST,
					.stream = nats_streams[stream].name,
					.subject = subject};

	return take_message(bus, &reading, message_out);
}

enum error nats_purge(struct bus *bus, enum bus_stream stream,
		      const char *subject, uint64_t before)
{
	struct patience patience = nats_patience(bus, bus->timeout_ms);

	while (nats_wait_connected(&patience)) {
		jsErrCode code = 0;
		natsStatus status;
		jsOptions options;

		jsOptions_Init(&options);
		options.Wait = nats_try_ms(&patience);
		if (options.Wait == 0)
			break;
		options.Stream.Purge.Subject = subject;
		options.Stream.Purge.Sequence = before;
		status = js_PurgeStream(bus->js, nats_streams[stream].name,
					&options, &code);
		if (status == NATS_OK)
			return ERR_NONE;
		if (nats_was_refused(&patience, API))
			return ERR_REFUSED;
		if (!nats_pause(&patience))
			break;
	}
	return ERR_NETWORK;
}
