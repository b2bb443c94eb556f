/*
 * daemon/config/config.h - the configuration file. One table of rows (name,
 * type, field, minimum, maximum, default, unit, meaning) makes the parser, its
 * error texts and `templated --print-config`.
 */
#ifndef DAEMON_CONFIG_CONFIG_H
#define DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "crawl/fetch/address_filter.h"
#include "daemon/config/retention.h"
#include "store/buffer.h"
#include "store/error.h"

enum {
	MAX_CONFIG_TEXT = 512,
	MAX_NETWORKS = 64,
	MAX_PORTS = 64,
};

/* A list of the file: how many, and what. */
struct network_list {
	size_t count;
	struct network items[MAX_NETWORKS];
};

struct port_list {
	size_t count;
	uint16_t items[MAX_PORTS];
};

/* Immutable once loaded; a reload makes a new one. */
struct config {
	/* socket: */
	char socket_path[108];
	uint32_t socket_mode;  /* octal permission bits, 0660 */
	char reader_path[108]; /* of the socket that only reads, or "" */
	uint32_t reader_mode;
	uint32_t max_clients;
	uint32_t client_timeout_ms;
	uint64_t max_upload_bytes; /* of POST /v1/extract */
	uint32_t heartbeat_ms;     /* of silent streams of events */
	uint32_t max_listeners;    /* event streams, and requests that wait */
	/* listen: */
	char listen_address[64]; /* as in runtime/tcp_address.h, or "" */
	char listen_certificate[MAX_CONFIG_TEXT]; /* PEM file, or "" */
	char listen_key[MAX_CONFIG_TEXT];         /* PEM file, or "" */
	char listen_names[MAX_CONFIG_TEXT];       /* "a.example, b.example" */
	uint32_t listen_rate;    /* requests a second of a token; 0: any */
	uint32_t is_unencrypted; /* also where others may listen in */
	/* store: */
	char store_path[MAX_CONFIG_TEXT];
	uint64_t store_max_bytes;
	uint64_t check_ms; /* of the store after an unclean stop; 0: by size */
	struct retention_limits retention;
	/* crawl: */
	char user_agent[256];
	uint32_t delay_ms;
	bool ignores_robots;
	uint32_t robots_ttl_ms;
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms;
	uint32_t first_pause_ms; /* after a failed request */
	uint32_t max_connections;
	uint32_t max_sites;
	uint32_t max_ingested_sites;
	uint32_t max_pages; /* of a site, that are visited */
	uint32_t max_urls;  /* that are known */
	uint32_t max_depth;
	uint64_t max_bytes;   /* 0: any */
	uint64_t max_time_ms; /* 0: any */
	uint32_t saturation;  /* 0: all pages are visited */
	uint32_t max_pattern;
	uint64_t revisit_ms; /* 0: never */
	bool no_sitemaps;
	bool no_probe;
	bool no_cookies;
	char drop_parameters[MAX_CONFIG_TEXT]; /* "common": the default */
	struct port_list ports;
	char proxy[MAX_CONFIG_TEXT]; /* or "" */
	bool is_proxy_trusted;
	bool archives_credentials;     /* in WARC files */
	char ca_file[MAX_CONFIG_TEXT]; /* or "" */
	char warc[MAX_CONFIG_TEXT];    /* folder, or "" */
	uint64_t warc_bytes;           /* of one file */
	uint32_t max_neighbours; /* pages fetched besides a requested one */
	uint32_t ask_timeout_ms; /* how long fetch=missing may take */
	struct network_list networks; /* allow: */
	/* watch: */
	uint64_t watch_ms; /* 0: never */
	uint64_t stale_ms; /* 0: never */
	/* page: */
	uint64_t max_body_bytes;
	uint32_t max_nodes;
	uint32_t max_page_depth;
	uint32_t max_attributes;
	/* cluster: */
	enum measure measure;
	uint32_t threshold; /* permille, or THRESHOLD_AUTO */
	uint32_t width;     /* of shingles; 0: the measure's own */
	uint64_t max_signature;
	uint32_t max_sets;
	uint32_t max_leaves;
	uint32_t max_open_sites;
	uint32_t min_cluster_pages;
	uint32_t copies;               /* of a site, in a cluster of nodes */
	char servers[MAX_CONFIG_TEXT]; /* "": there are no other nodes */
	char node[64];                 /* or "" */
	char bus_user[128];            /* or "" */
	char bus_password_file[MAX_CONFIG_TEXT];
	char bus_ca_file[MAX_CONFIG_TEXT];
	char bus_certificate_file[MAX_CONFIG_TEXT];
	char bus_key_file[MAX_CONFIG_TEXT];
	uint32_t log_replicas;
	uint32_t node_lease_ms;
	uint32_t capacity;
	char node_address[256]; /* or "" */
	char node_token_file[MAX_CONFIG_TEXT];
	char secret_file[MAX_CONFIG_TEXT]; /* or "" */
	char snapshots[MAX_CONFIG_TEXT];   /* or "" */
	char snapshots_key_file[MAX_CONFIG_TEXT];
	uint64_t log_bytes; /* 0: any */
	uint64_t snapshot_bytes;
	uint64_t events_kept_ms;
	uint64_t patience_ms;
	/* extract: */
	char settings[MAX_CONFIG_TEXT]; /* as in extract/settings.h */
	char models[MAX_CONFIG_TEXT];   /* folder of HOST.model, or "" */
	uint64_t max_learned_bytes;
	uint64_t max_bundle_bytes;
	/* guards: CPU time on a page; at most page_ms / 4 once it is parsed */
	uint32_t guard_ms;  /* of each */
	uint32_t guards_ms; /* of all */
	/* answer: */
	uint64_t answer_cache_bytes;
	/* pipeline: */
	uint32_t workers; /* 0: one a core */
	uint32_t page_ms; /* of CPU time */
	uint64_t page_memory_bytes;
	uint64_t max_waiting_bytes;
	uint32_t max_in_flight;
	uint32_t max_commands;
	uint32_t commit_interval_ms;
	uint32_t full_retry_ms; /* to write to a full store */
	uint32_t drain_ms;
	/* delivery: */
	uint32_t max_hooks;
	uint32_t max_waiting; /* events for a hook */
	uint32_t max_silences;
	uint32_t delivery_timeout_ms; /* of a request */
	uint32_t delivery_pause_ms;   /* after a failure */
	bool allows_exec;
	uint32_t exec_timeout_ms;
	struct network_list hook_networks; /* allow: */
	/* process: */
	char user[64]; /* or "" */
	/* metrics: */
	uint32_t max_measured_sites;
	/* log: */
	uint32_t log_level;  /* enum log_level */
	uint32_t log_format; /* enum log_format */
};

/*
 * Every field at its default. The service manager's folders take the place of
 * ours: $STATE_DIRECTORY of the store's, $RUNTIME_DIRECTORY of the socket's.
 */
void config_defaults(struct config *config_out);

/*
 * Read the YAML file `path`, or none when it is NULL, over the defaults. What
 * the service manager hands over counts more: sockets called socket.path and
 * socket.read (runtime/activation.h), and below $CREDENTIALS_DIRECTORY files
 * called as a key is, such as crawl.proxy, whose first line is the value, and
 * listen.certificate and listen.key, which are the files themselves. On failure
 * `message_out` gets a line for each of the first 20 errors, such as
 * "templated.yaml:12: crawl.delay: 2 parsecs is not a time (ms, s, min, h, d)",
 * "templated.yaml:7: crawl.dealy: unknown key; did you mean delay?",
 * "templated.yaml:9: cluster.threshold: 1.5 is above 1", and *config_out is
 * untouched: ERR_NOT_FOUND, ERR_IO, ERR_MALFORMED.
 */
enum error config_load(const char *path, struct config *config_out,
		       struct buffer *message_out);

/*
 * The same from `bytes`; `name` is that of the file, for the messages.
 * ERR_MALFORMED, ERR_TOO_LARGE (over 1 MiB). Tags, anchors and aliases are
 * refused.
 */
enum error config_parse(struct slice bytes, const char *name,
			struct config *config_out, struct buffer *message_out);

/*
 * Give back to a reloaded configuration the fields that only a restart can
 * change, and append the names of those that differed to `kept_out`, such as
 * "socket.path, store.path".
 */
void config_keep_fixed(struct config *config, const struct config *old,
		       struct buffer *kept_out);

/*
 * A copy of `config` for several threads, which nobody changes: whoever wants
 * other values shares another one. It has one reference, the caller's.
 */
const struct config *config_share(const struct config *config);

/* One more reference to a shared configuration, for a caller who has one, or
 * holds the lock of somebody else's. Any thread. */
const struct config *config_acquire(const struct config *config);

/* Give a reference back; the last one frees it. NULL is a no-op. */
void config_release(const struct config *config);

/* Append the configuration as a commented YAML file that reads back the same.
 */
void config_print(const struct config *config, struct buffer *out);

/* Whether nodes show each other certificates where they connect directly: this
 * one has one, knows who signs those of others, and listens with TLS. */
bool config_certifies_nodes(const struct config *config);

#endif
