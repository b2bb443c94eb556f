#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats_bus.h"
#include "daemon/runtime/clock.h"

enum {
	RECONNECT_MS = 250,
	/*
	 * libnats tries one server after another without a pause: close a
	 * connection that ended this many times in this time.
	 */
	FLAPS = 10,
	FLAPS_MS = 10000,
	/* A server that is silent for twice this time has failed. */
	PING_MS = 2000,
	MAX_SERVERS = 16,
	MAX_PASSWORD_BYTES = 4096,
	/*
	 * The threads of libnats normally exit immediately; after this time
	 * something is wrong.
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

/* Return whether the bus is open and we have not closed it. */
static bool is_in_use(struct broker *bus)
{
	bool is_in_use;

	lock_acquire(&bus->lock);
	is_in_use = bus->is_open && !bus->is_ended;
	lock_release(&bus->lock);
	return is_in_use;
}

/*
 * Handle errors without a request, such as `Permissions Violation for Publish
 * to "tpl.log.3"`.
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
	/* the caller that opens the bus reports errors, and may retry often */
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
	nats_batches_reject(bus, refusal->subject);
	lock_release(&bus->lock);
}

static void set_connected(struct broker *bus, bool is_connected, bool is_closed)
{
	lock_acquire(&bus->lock);
	bus->is_connected = is_connected;
	bus->is_closed = is_closed;
	if (is_connected) {
		bus->connections++;
	} else {
		nats_batches_fail(bus);
		nats_requests_fail(bus);
	}
	condition_broadcast(&bus->changed);
	lock_release(&bus->lock);
}

/* Count a lost connection; return the number in the current period. */
static unsigned count_flap(struct broker *bus)
{
	uint64_t now_ms = clock_steady_ms();
	unsigned flaps;

	lock_acquire(&bus->lock);
	if (now_ms >= bus->flaps_ms + FLAPS_MS) {
		bus->flaps_ms = now_ms;
		bus->flaps = 0;
	}
	flaps = ++bus->flaps;
	lock_release(&bus->lock);
	return flaps;
}

static void on_disconnected(natsConnection *connection, void *closure)
{
	const char *why = "";

	if (is_in_use(closure)) {
		natsConnection_GetLastError(connection, &why);
		log_warn_limited(
			"nodes: lost the connection to the NATS server%s%s",
			*why == '\0' ? "" : ": ", why);
	}
	set_connected(closure, false, false);
	if (count_flap(closure) >= FLAPS)
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

static void nats_on_subscription_complete(void *closure)
{
	struct broker *bus = closure;

	lock_acquire(&bus->lock);
	bus->subscriptions--;
	condition_broadcast(&bus->changed);
	lock_release(&bus->lock);
}

void nats_subscription_added(struct broker *bus, natsSubscription *subscription)
{
	lock_acquire(&bus->lock);
	bus->subscriptions++;
	lock_release(&bus->lock);
	if (natsSubscription_SetOnCompleteCB(subscription,
					     nats_on_subscription_complete,
					     bus) != NATS_OK)
		nats_on_subscription_complete(bus);
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
		nats_add_error(bus, "password_file %s: cannot read it: %s",
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
		nats_add_error(bus,
			       "ca_file %s, certificate_file %s, key_file "
			       "%s: %s",
			       wanted->ca_file, wanted->certificate_file,
			       wanted->key_file, nats_GetLastError(NULL));
	return status;
}

/*
 * Set how we send: each message immediately, and an error if it cannot be sent.
 */
static natsStatus set_manners(natsOptions *options, struct broker *bus)
{
	natsStatus status = natsOptions_SetSendAsap(options, true);

	if (status == NATS_OK)
		status = natsOptions_SetTimeout(options, NATS_TRY_MS);
	if (status == NATS_OK)
		status = natsOptions_SetWriteDeadline(options, bus->timeout_ms);
	if (status == NATS_OK)
		status = natsOptions_SetMaxReconnect(options, -1);
	if (status == NATS_OK)
		status = natsOptions_SetReconnectWait(options, RECONNECT_MS);
	if (status == NATS_OK)
		status = natsOptions_SetPingInterval(options, PING_MS);
	if (status == NATS_OK)
		status = natsOptions_SetMaxPingsOut(options, 2);
	if (status == NATS_OK)
		status = natsOptions_SetFailRequestsOnDisconnect(options, true);
	/* our callbacks never block: one thread is enough */
	if (status == NATS_OK)
		status = natsOptions_UseGlobalMessageDelivery(options, true);
	return status;
}

static natsStatus nats_set_callbacks(natsOptions *options, struct broker *bus)
{
	natsStatus status =
		natsOptions_SetErrorHandler(options, nats_on_error, bus);

	if (status == NATS_OK)
		status = natsOptions_SetDisconnectedCB(options, on_disconnected,
						       bus);
	if (status == NATS_OK)
		status = natsOptions_SetReconnectedCB(options, on_reconnected,
						      bus);
	if (status == NATS_OK)
		status = natsOptions_SetClosedCB(options, on_closed, bus);
	return status;
}

static enum error connect_error(struct broker *bus, natsStatus status)
{
	switch (status) {
	case NATS_OK:
		return ERR_NONE;
	case NATS_CONNECTION_AUTH_FAILED:
	case NATS_NOT_PERMITTED:
		nats_add_error(
			bus,
			"the NATS servers reject the user or its password");
		return ERR_ADDRESS_FORBIDDEN;
	case NATS_SSL_ERROR:
	case NATS_SECURE_CONNECTION_WANTED:
	case NATS_SECURE_CONNECTION_REQUIRED:
		nats_add_error(
			bus,
			"cannot open a TLS connection to the NATS servers: %s",
			nats_GetLastError(NULL));
		return ERR_ADDRESS_FORBIDDEN;
	default:
		nats_add_error(bus, "the NATS servers: %s",
			       natsStatus_GetText(status));
		return ERR_NETWORK;
	}
}

/* Set the node's name in the form of a key and a subject. */
static void set_name(struct broker *bus, const char *name)
{
	size_t i = 0;

	for (; name[i] != '\0' && i + 1 < NATS_NAME_BYTES; i++)
		bus->name[i] =
			(char)(strchr(".*> \t", name[i]) == NULL ? name[i]
								 : '_');
	bus->name[i] = '\0';
	snprintf(bus->prefix, sizeof(bus->prefix), "_INBOX.%s",
		 bus->name[0] == '\0' ? "node" : bus->name);
}

enum error nats_link_open(struct broker *bus,
			  const struct broker_options *wanted)
{
	natsOptions *options = NULL;
	natsStatus status;
	jsOptions js;

	set_name(bus, wanted->name);
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
		status = nats_set_callbacks(options, bus);
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

void nats_link_close(struct broker *bus)
{
	uint64_t until_ms = clock_steady_ms() + CLOSE_MS;

	if (bus->connection == NULL)
		return;
	lock_acquire(&bus->lock);
	bus->is_ended = true;
	lock_release(&bus->lock);
	natsConnection_Close(bus->connection);
	lock_acquire(&bus->lock);
	while ((!bus->is_closed || bus->subscriptions > 0) &&
	       condition_wait_until(&bus->changed, &bus->lock, until_ms))
		;
	lock_release(&bus->lock);
	jsCtx_Destroy(bus->js);
	natsSubscription_Destroy(bus->inbox_subscription);
	while (bus->listenings != NULL) {
		struct nats_listener *listening = bus->listenings;

		bus->listenings = listening->next;
		natsSubscription_Destroy(listening->subscription);
		free(listening);
	}
	natsConnection_Destroy(bus->connection);
}
