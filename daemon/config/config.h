/*
 * daemon/config/config.h - the configuration file. One table of rows (name,
 * type, field, minimum, maximum, default, unit, meaning) drives the parser, its
 * error messages and `templated --print-config`.
 */
#ifndef DAEMON_CONFIG_CONFIG_H
#define DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/signature.h"
#include "crawl/address_filter.h"

/*
 * Limits of data that grows with time (section `retention`); 0 = unlimited. See
 * man/templated.yaml.5.
 */
struct retention_limit {
	uint64_t age_ms;
	uint64_t count;
	uint64_t bytes; /* in the whole store, compressed, rounded up as by
			   LMDB; for events, in pages of the map */
};

struct retention_limits {
	struct retention_limit
		bodies; /* age since the last visit, count per site */
	struct retention_limit versions; /* age since pages last matched it,
					    count per template */
	struct retention_limit events; /* age, and count, in the whole store */
};

enum {
	MAX_CONFIG_TEXT = 512,
	MAX_NETWORKS = 64,
	MAX_PORTS = 64,
};

/* A list in the file: length and items. */
struct network_list {
	size_t count;
	struct network items[MAX_NETWORKS];
};

struct port_list {
	size_t count;
	uint16_t items[MAX_PORTS];
};

/* Immutable after loading; a reload creates a new one. */
struct config {
	/* socket: */
	char socket_path[108];
	uint32_t socket_mode;  /* octal permission bits, 0660 */
	char reader_path[108]; /* of the read-only socket, or "" */
	uint32_t reader_mode;
	uint32_t max_clients;
	uint32_t client_timeout_ms;
	uint64_t max_upload_bytes; /* of POST /v1/extract */
	uint32_t heartbeat_ms;     /* of idle event streams */
	uint32_t max_listeners;    /* event streams and long-polling requests */
	/* listen: */
	char listen_address[64]; /* as in daemon/runtime/tcp_address.h, or "" */
	char listen_certificate[MAX_CONFIG_TEXT]; /* PEM file, or "" */
	char listen_key[MAX_CONFIG_TEXT];         /* PEM file, or "" */
	char listen_names[MAX_CONFIG_TEXT];       /* "a.example, b.example" */
	uint32_t listen_rate; /* requests per second per token; 0 = unlimited */
	uint32_t is_unencrypted; /* allow plaintext on non-loopback addresses */
	/* store: */
	char store_path[MAX_CONFIG_TEXT];
	uint64_t store_max_bytes;
	uint64_t check_ms; /* time limit of the check after an unclean stop; 0 =
			      by size */
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
	uint32_t max_pages; /* visited pages of a site */
	uint32_t max_urls;  /* known URLs of a site */
	uint32_t max_depth;
	uint64_t max_bytes;   /* 0 = unlimited */
	uint64_t max_time_ms; /* 0 = unlimited */
	uint32_t saturation;  /* 0 = visit all pages */
	uint32_t max_pattern;
	uint64_t revisit_ms; /* 0 = never */
	bool no_sitemaps;
	bool no_probe;
	bool no_cookies;
	char drop_parameters[MAX_CONFIG_TEXT]; /* "common" is the default */
	struct port_list ports;
	char proxy[MAX_CONFIG_TEXT]; /* or "" */
	bool is_proxy_trusted;
	bool archives_credentials;     /* in WARC files */
	char ca_file[MAX_CONFIG_TEXT]; /* or "" */
	char warc[MAX_CONFIG_TEXT];    /* folder, or "" */
	uint64_t warc_bytes;           /* of one file */
	uint32_t max_neighbours;       /* additional pages per requested page */
	uint32_t ask_timeout_ms;       /* time limit of fetch=missing */
	struct network_list networks;  /* allow: */
	/* watch: */
	uint64_t watch_ms; /* 0 = never */
	uint64_t stale_ms; /* 0 = never */
	/* page: */
	uint64_t max_body_bytes;
	uint32_t max_nodes;
	uint32_t max_page_depth;
	uint32_t max_attributes;
	/* cluster: */
	enum measure measure;
	uint32_t threshold; /* permille, or THRESHOLD_AUTO */
	uint32_t width;     /* of shingles; 0 = default of the measure */
	uint64_t max_signature;
	uint32_t max_sets;
	uint32_t max_leaves;
	uint32_t max_open_sites;
	uint32_t min_cluster_pages;
	uint32_t copies; /* replicas of a site in the node group */
	char servers[MAX_CONFIG_TEXT]; /* "" = no other nodes */
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
	uint64_t log_bytes; /* 0 = unlimited */
	uint64_t snapshot_bytes;
	uint64_t events_kept_ms;
	uint64_t patience_ms;
	/* extract: */
	char settings[MAX_CONFIG_TEXT]; /* as in extract/extractors.h */
	char models[MAX_CONFIG_TEXT];   /* folder of HOST.model, or "" */
	uint64_t max_learned_bytes;
	uint64_t max_bundle_bytes;
	/* guards: CPU time on a page; at most page_ms / 4 once it is parsed */
	uint32_t guard_ms;  /* of each guard */
	uint32_t guards_ms; /* of all guards */
	/* answer: */
	uint64_t answer_cache_bytes;
	/* pipeline: */
	uint32_t workers; /* 0 = one per core */
	uint32_t page_ms; /* CPU time */
	uint64_t page_memory_bytes;
	uint64_t max_waiting_bytes;
	uint32_t max_in_flight;
	uint32_t max_commands;
	uint32_t commit_interval_ms;
	uint32_t full_retry_ms; /* retry delay of writes to a full store */
	uint32_t drain_ms;
	/* delivery: */
	uint32_t max_hooks;
	uint32_t max_waiting; /* queued events of a hook */
	uint32_t max_silences;
	uint32_t delivery_timeout_ms; /* of a request */
	uint32_t delivery_pause_ms;   /* after the first failure */
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
 * Set every field to its default. If the service manager sets $STATE_DIRECTORY
 * or $RUNTIME_DIRECTORY, use these as the folders of the store and of the
 * socket.
 */
void config_defaults(struct config *config_out);

/*
 * Read the YAML file `path` over the defaults; if NULL, use only the defaults.
 * Settings of the service manager override the file: sockets named socket.path
 * and socket.read_only_path (daemon/runtime/systemd.h), and files below
 * $CREDENTIALS_DIRECTORY that are named like a key. The first line of such a
 * file is the value (for example crawl.proxy); listen.certificate and
 * listen.key are used as files. On failure `message_out` gets a line for each
 * of the first 20 errors, such as "templated.yaml:12: crawl.delay: 2 parsecs is
 * not a time (ms, s, min, h, d)", "templated.yaml:7: crawl.dealy: unknown key;
 * did you mean delay?", "templated.yaml:9: clustering.threshold: 1.5 is above
 * 1", and *config_out is unchanged: ERR_NOT_FOUND, ERR_IO, ERR_MALFORMED.
 */
enum error config_load(const char *path, struct config *config_out,
		       struct buffer *message_out);

/*
 * Parse the configuration in `bytes`; messages use `name` as the file's name.
 * ERR_MALFORMED, ERR_TOO_LARGE (over 1 MiB). Rejects tags, anchors and aliases.
 */
enum error config_parse(struct slice bytes, const char *name,
			struct config *config_out, struct buffer *message_out);

/*
 * Restore the fields that only a restart can change, and append the names of
 * the changed ones to `kept_out`, such as "socket.path, store.path".
 */
void config_restore_fixed(struct config *config, const struct config *old,
			  struct buffer *kept_out);

/*
 * Return an immutable copy of `config` for several threads. The caller owns its
 * one reference. For other values, share another copy.
 */
const struct config *config_share(const struct config *config);

/*
 * Add a reference to a shared configuration. The caller must have a reference,
 * or hold the lock of a holder. Any thread.
 */
const struct config *config_acquire(const struct config *config);

/*
 * Release a reference; the last one frees the configuration. NULL is a no-op.
 */
void config_release(const struct config *config);

/*
 * Append the configuration as a commented YAML file that parses to the same
 * values.
 */
void config_print(const struct config *config, struct buffer *out);

/*
 * Return whether nodes authenticate direct connections by certificates: this
 * node has a certificate, has the CA file of the others, and listens with TLS.
 */
bool config_certifies_nodes(const struct config *config);

#endif
