#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "daemon/nodes/nats_bus.h"

const struct nats_stored_stream nats_streams[BROKER_STREAMS] = {
	[BROKER_LOG] = {"TPL_LOG", "tpl.log.>"},
	[BROKER_EVENTS] = {"TPL_EVENTS", "tpl.evt.>"},
	[BROKER_JOBS] = {"TPL_JOBS", "tpl.job.>"},
};
const struct nats_stored_stream nats_buckets[BROKER_BUCKETS] = {
	[BROKER_NODES] = {"KV_tpl_nodes", "$KV.tpl_nodes.>"},
	[BROKER_FACTS] = {"KV_tpl_facts", "$KV.tpl_facts.>"},
};

#define MS INT64_C(1000000) /* nanoseconds per ms */
#define S  (1000 * MS)

enum { DUPLICATES_S = 120, JOB_DAYS = 7, DAY_S = 86400 };

/* Set the options that all streams share. */
static void set_common(jsStreamConfig *wanted,
		       const struct nats_stored_stream *kept,
		       const struct broker_options *options)
{
	jsStreamConfig_Init(wanted);
	wanted->Name = kept->name;
	wanted->Subjects = (const char **)&kept->subject;
	wanted->SubjectsLen = 1;
	wanted->Retention = js_LimitsPolicy;
	wanted->Storage = js_FileStorage;
	wanted->MaxMsgsPerSubject = -1;
	wanted->Replicas = options->replicas;
	wanted->AllowDirect = true;
	wanted->Duplicates = DUPLICATES_S * S;
}

static void set_stream(jsStreamConfig *wanted, enum broker_stream stream,
		       const struct broker_options *options)
{
	set_common(wanted, &nats_streams[stream], options);
	switch (stream) {
	case BROKER_LOG: /* reject entries rather than lose them */
		wanted->Discard = js_DiscardNew;
		wanted->MaxBytes = options->log_bytes == 0
					   ? -1
					   : (int64_t)options->log_bytes;
		wanted->MaxAge = options->log_age_s * S;
		break;
	case BROKER_EVENTS:
		wanted->MaxAge = options->event_age_s * S;
		break;
	default:
		wanted->MaxAge = JOB_DAYS * (DAY_S * S);
		break;
	}
	if (wanted->MaxAge > 0 && wanted->Duplicates > wanted->MaxAge)
		wanted->Duplicates = wanted->MaxAge;
}

static void set_bucket(jsStreamConfig *wanted, enum broker_bucket bucket,
		       const struct broker_options *options)
{
	set_common(wanted, &nats_buckets[bucket], options);
	wanted->MaxMsgsPerSubject = 1;
	wanted->Discard = js_DiscardNew;
	wanted->AllowRollup = true;
	wanted->DenyDelete = true;
	if (bucket != BROKER_FACTS)
		wanted->MaxAge = options->lease_ms * MS;
	if (wanted->MaxAge > 0 && wanted->Duplicates > wanted->MaxAge)
		wanted->Duplicates = wanted->MaxAge;
}

/* A setting: its current value, its required value, and how to repair it. */
struct setting {
	const char *name;
	int64_t is;
	int64_t must;
	const char *mend; /* an option of `nats stream edit`; NULL = it cannot
			     be changed, remove the stream */
};

static bool has_settings(struct broker *bus, const jsStreamConfig *is,
			 const jsStreamConfig *must)
{
	const struct setting settings[] = {
		{"retention", is->Retention, must->Retention, NULL},
		{"storage", is->Storage, must->Storage, NULL},
		{"max_msgs_per_subject", is->MaxMsgsPerSubject,
		 must->MaxMsgsPerSubject, "--max-msgs-per-subject"},
		{"num_replicas", is->Replicas, must->Replicas, "--replicas"},
		{"discard (0: old, 1: new)", is->Discard, must->Discard,
		 "--discard"},
		{"allow_direct", is->AllowDirect, true,
		 "--allow-direct (needs server 2.9 or later)"},
		{"no_ack", is->NoAck, false, NULL},
		{"sealed", is->Sealed, false, NULL},
		/* entries in snapshots must be deleted */
		{"deny_purge", is->DenyPurge, false, NULL},
		/* a lease must have one duration for all nodes */
		{"max_age in ns", is->MaxAge,
		 must->MaxMsgsPerSubject == 1 ? must->MaxAge : is->MaxAge,
		 "--max-age"},
	};
	bool has_all = is->SubjectsLen == 1 &&
		       strcmp(is->Subjects[0], must->Subjects[0]) == 0;

	if (!has_all)
		nats_add_error(
			bus,
			"stream %s of the NATS servers: its only subject "
			"must be %s",
			must->Name, must->Subjects[0]);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const struct setting *setting = &settings[i];

		if (setting->is == setting->must)
			continue;
		has_all = false;
		nats_add_error(
			bus,
			"stream %s of the NATS servers: %s is "
			"%" PRId64 ", must be %" PRId64 ": %s%s",
			must->Name, setting->name, setting->is, setting->must,
			setting->mend == NULL
				? "it cannot be changed; remove the stream"
				: "nats stream edit ",
			setting->mend == NULL ? "" : setting->mend);
	}
	return has_all;
}

static void say_limits(struct broker *bus, const jsStreamConfig *is,
		       const jsStreamConfig *must)
{
	if (is->MaxBytes != must->MaxBytes || is->MaxAge != must->MaxAge)
		nats_add_note(bus,
			      "stream %s of the NATS servers keeps %" PRId64
			      " bytes for %" PRId64 " s, not %" PRId64
			      " bytes for %" PRId64
			      " s (-1, 0: no limit): nats "
			      "stream edit --max-bytes, --max-age",
			      must->Name, is->MaxBytes, is->MaxAge / S,
			      must->MaxBytes, must->MaxAge / S);
}

static enum error nats_stream_check(struct broker *bus,
				    const jsStreamConfig *is,
				    const jsStreamConfig *must, bool is_new)
{
	if (is_new && !is->AllowDirect) {
		nats_add_error(bus, "the NATS server is older than 2.9");
		return ERR_VERSION;
	}
	if (!has_settings(bus, is, must))
		return ERR_MALFORMED;
	say_limits(bus, is, must);
	return ERR_NONE;
}

#define TOO_FEW_SERVERS                                   \
	"stream %s: too few NATS servers, or not enough " \
	"space: %s"

/* ERR_NETWORK, ERR_BUSY: it may work later. */
static enum error nats_stream_error(const struct nats_deadline *patience,
				    natsStatus status, jsErrCode code,
				    const char *name)
{
	struct broker *bus = patience->bus;

	if (nats_was_rejected(patience, name)) {
		nats_add_error(bus,
			       "stream %s: the user may not read or create it; "
			       "see conf/cluster",
			       name);
		return ERR_ADDRESS_FORBIDDEN;
	}
	switch ((int)code) {
	case 0:
	case JSClusterNotAvailErr:
	case JSClusterNotLeaderErr:
		break;
	case JSNotEnabledErr:
	case JSNotEnabledForAccountErr:
		nats_add_error(bus,
			       "the NATS servers have no JetStream for this "
			       "account");
		return ERR_MALFORMED;
	case JSInsufficientResourcesErr:
	case JSClusterNoPeersErr:
		/*
		 * also while servers that have just started do not know each
		 * other
		 */
		return ERR_BUSY;
	case JSStorageResourcesExceededErr:
	case JSStreamReplicasNotSupportedErr:
		nats_add_error(bus, TOO_FEW_SERVERS, name,
			       nats_GetLastError(NULL));
		return code == JSStorageResourcesExceededErr ? ERR_STORE_FULL
							     : ERR_MALFORMED;
	default:
		nats_add_error(bus, "stream %s: %s", name,
			       nats_GetLastError(NULL));
		return ERR_MALFORMED;
	}
	log_debug("nodes: stream %s: %s", name, natsStatus_GetText(status));
	return ERR_NETWORK;
}

/* Check the stream once; create it if `creates`. */
static enum error try_stream(const struct nats_deadline *patience,
			     jsStreamConfig *wanted, bool creates)
{
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	bool is_new = false;
	natsStatus status;
	enum error error;
	jsOptions options;

	jsOptions_Init(&options);
	options.Wait = nats_try_ms(patience);
	status = js_GetStreamInfo(&info, patience->bus->js, wanted->Name,
				  &options, &code);
	if (status == NATS_NOT_FOUND || code == JSStreamNotFoundErr) {
		if (!creates) {
			nats_add_error(patience->bus,
				       "the NATS servers have no stream %s",
				       wanted->Name);
			return ERR_NOT_FOUND;
		}
		code = 0;
		is_new = true;
		/*
		 * all servers place a stream with 3 replicas: that takes time
		 */
		options.Wait = 5 * (int64_t)NATS_TRY_MS;
		status = js_AddStream(&info, patience->bus->js, wanted,
				      &options, &code);
	}
	error = status == NATS_OK
			? nats_stream_check(patience->bus, info->Config, wanted,
					    is_new)
			: nats_stream_error(patience, status, code,
					    wanted->Name);
	jsStreamInfo_Destroy(info);
	return error;
}

static enum error open_stream(struct broker *bus, jsStreamConfig *wanted,
			      bool creates)
{
	struct nats_deadline patience = nats_deadline_of(bus, bus->timeout_ms);
	enum error error;

	do
		error = nats_wait_connected(&patience)
				? try_stream(&patience, wanted, creates)
				: ERR_NETWORK;
	while ((error == ERR_NETWORK || error == ERR_BUSY) &&
	       nats_pause(&patience));
	if (error == ERR_NONE)
		bus->why[0] = '\0'; /* reasons of earlier attempts */
	if (error == ERR_BUSY) {
		nats_add_error(bus, TOO_FEW_SERVERS, wanted->Name,
			       nats_GetLastError(NULL));
		return ERR_NETWORK;
	}
	if (error == ERR_NETWORK)
		nats_add_error(
			bus,
			"stream %s: no response from JetStream within %" PRIu32
			" ms; a majority of the NATS servers must run",
			wanted->Name, bus->timeout_ms);
	return error;
}

enum error nats_streams_open(struct broker *bus,
			     const struct broker_options *options)
{
	jsStreamConfig wanted;
	enum error error = ERR_NONE;

	for (unsigned i = 0; i < BROKER_STREAMS && error == ERR_NONE; i++) {
		set_stream(&wanted, i, options);
		error = open_stream(bus, &wanted, options->creates);
	}
	for (unsigned i = 0; i < BROKER_BUCKETS && error == ERR_NONE; i++) {
		set_bucket(&wanted, i, options);
		error = open_stream(bus, &wanted, options->creates);
	}
	return error;
}
