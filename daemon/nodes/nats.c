#include "daemon/nodes/nats.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/broker.h"
#include "daemon/runtime/clock.h"

void nats_add_reason(char out[BROKER_WHY_BYTES], const char *format, ...)
{
	size_t used = strlen(out);
	char text[BROKER_WHY_BYTES];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (strstr(out, text) == NULL)
		snprintf(out + used, BROKER_WHY_BYTES - used, "%s%s",
			 used > 0 ? "; " : "", text);
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

size_t nats_max_bytes(struct broker *bus)
{
	int64_t bytes = natsConnection_GetMaxPayload(bus->connection);

	return bytes < INT64_C(2) * NATS_HEADER_BYTES
		       ? NATS_HEADER_BYTES
		       : (size_t)bytes - NATS_HEADER_BYTES;
}

enum {
	RECONNECT_MS = 250,
	/*
	 * libnats tries one server after another without a pause. If this many
	 * connections are lost within FLAPS_MS, close the connection.
	 */
	FLAPS = 10,
	FLAPS_MS = 10000,
	/* A server that does not respond for twice this time has failed. */
	PING_MS = 2000,
	MAX_SERVERS = 16,
	MAX_PASSWORD_BYTES = 4096,
	/*
	 * The threads of libnats normally exit immediately; do not wait for
	 * them longer than this.
	 */
	CLOSE_MS = 10000,
};

struct nats_deadline nats_deadline_of(struct broker *bus, uint32_t timeout_ms)
{
	uint64_t now_ms = clock_steady_ms();

	return (struct nats_deadline){bus, now_ms, now_ms + timeout_ms};
}

int64_t nats_try_ms(const struct nats_deadline *patience)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t left;

	if (now_ms >= patience->until_ms)
		return 0;
	left = patience->until_ms - now_ms;
	return (int64_t)(left > NATS_TRY_MS ? NATS_TRY_MS : left);
}

bool nats_wait_connected(const struct nats_deadline *patience)
{
	struct broker *bus = patience->bus;
	bool is_connected;

	lock_acquire(&bus->lock);
	while (!bus->is_connected && !bus->is_closed &&
	       condition_wait_until(&bus->changed, &bus->lock,
				    patience->until_ms))
		;
	is_connected = bus->is_connected;
	lock_release(&bus->lock);
	return is_connected;
}

bool nats_pause(const struct nats_deadline *patience)
{
	struct broker *bus = patience->bus;
	uint64_t until_ms = clock_steady_ms() + NATS_PAUSE_MS;

	if (until_ms >= patience->until_ms)
		return false;
	lock_acquire(&bus->lock);
	while (!bus->is_closed &&
	       condition_wait_until(&bus->changed, &bus->lock, until_ms))
		;
	lock_release(&bus->lock);
	return true;
}

bool nats_was_rejected(const struct nats_deadline *patience, const char *part)
{
	struct broker *bus = patience->bus;
	bool was_refused = false;

	lock_acquire(&bus->lock);
	for (size_t i = 0; i < NATS_REFUSALS && i < bus->refusal_count; i++) {
		const struct nats_rejection *refusal = &bus->refusals[i];

		was_refused |= refusal->at_ms >= patience->start_ms &&
			       strstr(refusal->subject, part) != NULL;
	}
	lock_release(&bus->lock);
	return was_refused;
}

/*
 * Return whether the connection has been opened, and nats_close_bus() was not
 * called.
 */
static bool is_in_use(const struct broker *bus)
{
	return bus->is_open && !bus->is_ended;
}

/*
 * Handle an error that does not belong to a request, such as `Permissions
 * Violation for Publish to "tpl.log.3"`.
 */
static void nats_on_error(natsConnection *connection,
			  natsSubscription *subscription, natsStatus status,
			  void *closure)
{
	struct broker *bus = closure;
	bool is_open = is_in_use(bus);
	const char *text = "";
	const char *quote;
	struct nats_rejection *refusal;

	(void)subscription;
	natsConnection_GetLastError(connection, &text);
	/*
	 * while the connection is opened, its caller reports errors and may
	 * retry often
	 */
	if (is_open)
		log_error_limited("nodes: error of the NATS server: %s: %s",
				  natsStatus_GetText(status), text);
	else
		log_debug("nodes: error of the NATS server: %s: %s",
			  natsStatus_GetText(status), text);
	if (status != NATS_NOT_PERMITTED)
		return;
	quote = strchr(text, '"');
	if (quote == NULL)
		return;
	lock_acquire(&bus->lock);
	refusal = &bus->refusals[bus->refusal_count++ % NATS_REFUSALS];
	snprintf(refusal->subject, sizeof(refusal->subject), "%.*s",
		 (int)strcspn(quote + 1, "\""), quote + 1);
	refusal->at_ms = clock_steady_ms();
	nats_exchanges_fail(bus, refusal->subject);
	lock_release(&bus->lock);
}

static void set_connected(struct broker *bus, bool is_connected, bool is_closed)
{
	lock_acquire(&bus->lock);
	bus->is_connected = is_connected;
	bus->is_closed = is_closed;
	if (is_connected)
		bus->connections++;
	else
		nats_exchanges_fail(bus, NULL);
	condition_broadcast(&bus->changed);
	lock_release(&bus->lock);
}

static void on_disconnected(natsConnection *connection, void *closure)
{
	struct broker *bus = closure;
	uint64_t now_ms = clock_steady_ms();
	const char *why = "";
	bool flaps;

	if (is_in_use(bus)) {
		natsConnection_GetLastError(connection, &why);
		log_warn_limited(
			"nodes: lost the connection to the NATS server%s%s",
			*why == '\0' ? "" : ": ", why);
	}
	set_connected(bus, false, false);
	lock_acquire(&bus->lock);
	if (now_ms >= bus->flaps_ms + FLAPS_MS) {
		bus->flaps_ms = now_ms;
		bus->flaps = 0;
	}
	flaps = ++bus->flaps >= FLAPS;
	lock_release(&bus->lock);
	if (flaps)
		natsConnection_Close(connection);
}

static void on_reconnected(natsConnection *connection, void *closure)
{
	char url[256] = "";

	natsConnection_GetConnectedUrl(connection, url, sizeof(url));
	log_info("nodes: connected to the NATS server %s", url);
	set_connected(closure, true, false);
}

static void on_closed(natsConnection *connection, void *closure)
{
	(void)connection;
	set_connected(closure, false, true);
}

static natsStatus set_servers(natsOptions *options, const char *servers)
{
	char *copy = mem_copy_text(servers, strlen(servers));
	const char *urls[MAX_SERVERS];
	char *rest = NULL;
	int count = 0;
	natsStatus status;

	for (char *url = strtok_r(copy, ", ", &rest);
	     url != NULL && count < MAX_SERVERS;
	     url = strtok_r(NULL, ", ", &rest))
		urls[count++] = url;
	status = natsOptions_SetServers(options, urls, count);
	free(copy);
	return status;
}

static natsStatus set_user(struct broker *bus, natsOptions *options,
			   const struct broker_options *wanted)
{
	struct buffer password = {0};
	natsStatus status;
	enum error error;

	if (wanted->credentials[0] != '\0')
		return natsOptions_SetUserCredentialsFromFiles(
			options, wanted->credentials, NULL);
	if (wanted->user[0] == '\0')
		return NATS_OK;
	if (wanted->password_file[0] != '\0' &&
	    (error = file_read(wanted->password_file, MAX_PASSWORD_BYTES,
			       &password)) != ERR_NONE) {
		nats_add_reason(bus->why,
				"password_file %s: cannot read it: %s",
				wanted->password_file, file_error_text(error));
		buffer_free(&password);
		return NATS_NOT_PERMITTED;
	}
	while (password.size > 0 &&
	       strchr("\r\n \t", password.data[password.size - 1]) != NULL)
		password.data[--password.size] = '\0';
	status = natsOptions_SetUserInfo(options, wanted->user,
					 password.data == NULL ? ""
							       : password.data);
	if (password.data != NULL)
		explicit_bzero(password.data, password.size);
	buffer_free(&password);
	return status;
}

static natsStatus set_tls(struct broker *bus, natsOptions *options,
			  const struct broker_options *wanted)
{
	natsStatus status = NATS_OK;

	if (wanted->ca_file[0] == '\0' && wanted->certificate_file[0] == '\0' &&
	    strstr(wanted->servers, "tls://") == NULL)
		return NATS_OK;
	status = natsOptions_SetSecure(options, true);
	if (status == NATS_OK && wanted->ca_file[0] != '\0')
		status = natsOptions_LoadCATrustedCertificates(options,
							       wanted->ca_file);
	if (status == NATS_OK && wanted->certificate_file[0] != '\0')
		status = natsOptions_LoadCertificatesChain(
			options, wanted->certificate_file, wanted->key_file);
	if (status != NATS_OK)
		nats_add_reason(bus->why,
				"ca_file %s, certificate_file %s, key_file "
				"%s: %s",
				wanted->ca_file, wanted->certificate_file,
				wanted->key_file, nats_GetLastError(NULL));
	return status;
}

/*
 * Set the callbacks. Set that each message is sent immediately, and that a
 * message that cannot be sent gives an error.
 */
static natsStatus set_manners(natsOptions *options, struct broker *bus)
{
	const natsStatus results[] = {
		natsOptions_SetSendAsap(options, true),
		natsOptions_SetTimeout(options, NATS_TRY_MS),
		natsOptions_SetWriteDeadline(options, bus->timeout_ms),
		natsOptions_SetMaxReconnect(options, -1),
		natsOptions_SetReconnectWait(options, RECONNECT_MS),
		natsOptions_SetPingInterval(options, PING_MS),
		natsOptions_SetMaxPingsOut(options, 2),
		natsOptions_SetFailRequestsOnDisconnect(options, true),
		/* the callbacks never block, so one thread is enough */
		natsOptions_UseGlobalMessageDelivery(options, true),
		natsOptions_SetErrorHandler(options, nats_on_error, bus),
		natsOptions_SetDisconnectedCB(options, on_disconnected, bus),
		natsOptions_SetReconnectedCB(options, on_reconnected, bus),
		natsOptions_SetClosedCB(options, on_closed, bus),
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i] != NATS_OK)
			return results[i];
	return NATS_OK;
}

static enum error connect_error(struct broker *bus, natsStatus status)
{
	switch (status) {
	case NATS_OK:
		return ERR_NONE;
	case NATS_CONNECTION_AUTH_FAILED:
	case NATS_NOT_PERMITTED:
		nats_add_reason(
			bus->why,
			"the NATS servers reject the user or its password");
		return ERR_ADDRESS_FORBIDDEN;
	case NATS_SSL_ERROR:
	case NATS_SECURE_CONNECTION_WANTED:
	case NATS_SECURE_CONNECTION_REQUIRED:
		nats_add_reason(
			bus->why,
			"cannot open a TLS connection to the NATS servers: %s",
			nats_GetLastError(NULL));
		return ERR_ADDRESS_FORBIDDEN;
	default:
		nats_add_reason(bus->why, "the NATS servers: %s",
				natsStatus_GetText(status));
		return ERR_NETWORK;
	}
}

static enum error nats_link_open(struct broker *bus,
				 const struct broker_options *wanted)
{
	natsOptions *options = NULL;
	natsStatus status;
	jsOptions js;

	/*
	 * the node's name, with the characters replaced that keys and subjects
	 * must not have
	 */
	snprintf(bus->name, sizeof(bus->name), "%s", wanted->name);
	for (char *c = bus->name; (c = strpbrk(c, ".*> \t")) != NULL;)
		*c = '_';
	snprintf(bus->prefix, sizeof(bus->prefix), "_INBOX.%s",
		 bus->name[0] == '\0' ? "node" : bus->name);
	status = natsOptions_Create(&options);
	if (status == NATS_OK)
		status = set_servers(options, wanted->servers);
	if (status == NATS_OK)
		status = natsOptions_SetName(options, wanted->name);
	if (status == NATS_OK)
		status = natsOptions_SetCustomInboxPrefix(options, bus->prefix);
	if (status == NATS_OK)
		status = set_user(bus, options, wanted);
	if (status == NATS_OK)
		status = set_tls(bus, options, wanted);
	if (status == NATS_OK)
		status = set_manners(options, bus);
	if (status == NATS_OK)
		status = natsConnection_Connect(&bus->connection, options);
	natsOptions_Destroy(options);
	if (status != NATS_OK)
		return connect_error(bus, status);
	set_connected(bus, true, false);
	jsOptions_Init(&js);
	js.Wait = NATS_TRY_MS;
	status = natsConnection_JetStream(&bus->js, bus->connection, &js);
	if (status == NATS_OK)
		status = nats_inbox_open(bus);
	return connect_error(bus, status);
}

/*
 * Make defective leaders step down. Two defects have occurred. First, a server
 * of version 2.9.10 that became the leader of a stream while other servers were
 * killed ("has high message lag") answered reads but acknowledged no writes for
 * 13 minutes, until it was killed too. So if a stream has had the same leader
 * for the whole time in which writes were not acknowledged, this leader must
 * step down. Second, a leader had all entries but found no last entry of any
 * subject. So it must step down when a writer expects a last entry that it does
 * not find.
 */

enum {
	LEAST_MS = 5000, /* an election takes 2 to 5 s */
	LOST_MS = 30000, /* minimum time between two calls of
			    nats_leader_step_down() */
	API_BYTES = 128,
};

static struct nats_leader_watch *
mute_of(struct broker *bus, const char *subject, const char **stream_out)
{
	for (unsigned i = 0; i < NATS_STREAMS; i++) {
		const struct nats_stored_stream *kept = &nats_streams[i];

		*stream_out = kept->name;
		/*
		 * the subject of a stream ends in a wildcard: "tpl.log.>"
		 * matches "tpl.log.17"
		 */
		if (strncmp(kept->subject, subject,
			    strlen(kept->subject) - 1) == 0)
			return &bus->mutes[i];
	}
	return NULL;
}

/*
 * Read the name of the leader of the stream; "" if it has none or there was no
 * response.
 */
static void find_leader(struct broker *bus, const char *stream,
			char out[NATS_NAME_BYTES])
{
	struct nats_deadline patience = nats_deadline_of(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;
	const char *leader = NULL;
	json_t *json;

	out[0] = '\0';
	snprintf(api, sizeof(api), "$JS.API.STREAM.INFO.%s", stream);
	if (nats_api_request(&patience, api, "", &answer) != ERR_NONE)
		return;
	json = nats_message_json(answer);
	leader = json_string_value(
		json_object_get(json_object_get(json, "cluster"), "leader"));
	snprintf(out, NATS_NAME_BYTES, "%s", leader == NULL ? "" : leader);
	json_decref(json);
	natsMsg_Destroy(answer);
}

static void step_down(struct broker *bus, const char *stream)
{
	struct nats_deadline patience = nats_deadline_of(bus, NATS_TRY_MS);
	char api[API_BYTES];
	natsMsg *answer = NULL;

	snprintf(api, sizeof(api), "$JS.API.STREAM.LEADER.STEPDOWN.%s", stream);
	nats_api_request(&patience, api, "", &answer);
	natsMsg_Destroy(answer);
}

void nats_leader_note_write(struct broker *bus, const char *subject,
			    bool is_acknowledged)
{
	const char *stream;
	struct nats_leader_watch *mute = mute_of(bus, subject, &stream);
	char leader[NATS_NAME_BYTES];
	uint64_t now_ms = clock_steady_ms();
	/* half of the time after which a node connects to another server */
	uint64_t pause_ms = bus->lease_ms > LEAST_MS ? bus->lease_ms : LEAST_MS;
	bool is_mute = false;
	bool looks;

	if (mute == NULL)
		return;
	lock_acquire(&bus->lock);
	if (is_acknowledged)
		mute->since_ms = 0;
	looks = !is_acknowledged && bus->is_connected &&
		(mute->since_ms == 0 || now_ms >= mute->since_ms + pause_ms);
	lock_release(&bus->lock);
	if (!looks)
		return;
	find_leader(bus, stream, leader);
	lock_acquire(&bus->lock);
	is_mute = mute->since_ms != 0 && *leader != '\0' &&
		  strcmp(leader, mute->leader) == 0;
	mute->since_ms = now_ms;
	memcpy(mute->leader, leader, sizeof(leader));
	lock_release(&bus->lock);
	if (!is_mute)
		return;
	log_warn_limited("nodes: stream %s: its leader %s acknowledges no "
			 "writes; requesting another leader",
			 stream, leader);
	step_down(bus, stream);
}

void nats_leader_step_down(struct broker *bus, const char *stream)
{
	uint64_t now_ms = clock_steady_ms();
	bool is_told;

	/*
	 * The bucket of leases does not need this: its rows are written with
	 * any revision and read one by one. An election would take some
	 * seconds, and the new leader may have the same defect.
	 */
	if (strcmp(stream, nats_bucket(BROKER_NODES)->name) == 0)
		return;
	lock_acquire(&bus->lock);
	is_told = bus->lost_ms != 0 && now_ms < bus->lost_ms + LOST_MS;
	if (!is_told)
		bus->lost_ms = now_ms;
	lock_release(&bus->lock);
	if (is_told)
		return;
	log_warn_limited("nodes: stream %s: its leader does not find stored "
			 "entries; requesting another leader",
			 stream);
	step_down(bus, stream);
}

static void nats_close_bus(struct broker *bus)
{
	uint64_t until_ms = clock_steady_ms() + CLOSE_MS;

	if (bus == NULL)
		return;
	nats_handlers_destroy(bus->answers);
	if (bus->connection != NULL) {
		bus->is_ended = true;
		natsConnection_Close(bus->connection);
		lock_acquire(&bus->lock);
		while ((!bus->is_closed || bus->has_inbox) &&
		       condition_wait_until(&bus->changed, &bus->lock,
					    until_ms))
			;
		lock_release(&bus->lock);
		jsCtx_Destroy(bus->js);
		natsSubscription_Destroy(bus->inbox_subscription);
		natsConnection_Destroy(bus->connection);
	}
	for (size_t i = 0; i < BROKER_BUCKETS; i++)
		nats_kv_copy_destroy(bus->copies[i]);
	condition_destroy(&bus->changed);
	condition_destroy(&bus->listed);
	condition_destroy(&bus->answered);
	lock_destroy(&bus->lock);
	free(bus);
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
	if (error == ERR_NONE) {
		/*
		 * the servers reject this write if the user has not the name of
		 * the node
		 */
		error = nats_kv_write_clock(bus);
		if (error != ERR_NONE)
			nats_add_reason(
				bus->why,
				"cannot write row _clock.%s of stream %s: %s; "
				"the broker user must have the name of the "
				"node, see conf/nodes",
				bus->name, nats_bucket(BROKER_NODES)->name,
				error_text(error));
	}
	/*
	 * then no response can arrive, so that the servers seem not to respond
	 */
	if (error != ERR_NONE && nats_was_rejected(&patience, bus->prefix)) {
		nats_add_reason(
			bus->why,
			"the user may not subscribe to %s.>; the broker user "
			"must have the name of the node, see conf/nodes",
			bus->prefix);
		error = ERR_ADDRESS_FORBIDDEN;
	}
	memcpy(why_out, bus->why, BROKER_WHY_BYTES);
	if (error != ERR_NONE) {
		nats_close_bus(bus);
		return error;
	}
	if (*bus->note != '\0')
		log_info("nodes: %s", bus->note);
	bus->is_open = true;
	*bus_out = bus;
	return ERR_NONE;
}

static bool nats_is_closed(struct broker *bus)
{
	return bus->is_closed;
}

static void nats_disconnect(struct broker *bus)
{
	natsConnection_Close(bus->connection);
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
