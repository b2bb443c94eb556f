/*
 * daemon/config/config.h - the configuration file. A table has one row for each
 * key, with its name, type, field, minimum, maximum, default, unit and meaning.
 * The parser, its error messages and `templated --print-config` use this table.
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
 * Limits of data that grows with time (section `retention` of the file). 0 =
 * unlimited. See man/templated.yaml.5.
 */
struct retention_limit {
	uint64_t age_ms;
	uint64_t count;
	/*
	 * limit for the whole store, of the compressed data, rounded up as LMDB
	 * does; for events, of the database pages
	 */
	uint64_t bytes;
};

struct retention_limits {
	/* age is the time since the last visit; count is per site */
	struct retention_limit bodies;
	/*
	 * age is the time since pages last had the version; count is per
	 * template
	 */
	struct retention_limit versions;
	/* age and count are for the whole store */
	struct retention_limit events;
};

enum {
	MAX_CONFIG_TEXT = 512,
	MAX_NETWORKS = 64,
	MAX_PORTS = 64,
};

/* A list of the file, with its length and its items. */
struct network_list {
	size_t count;
	struct network items[MAX_NETWORKS];
};

struct port_list {
	size_t count;
	uint16_t items[MAX_PORTS];
};

/*
 * The configuration. It is not changed after it was loaded; a reload creates a
 * new one. Texts that are not set are "".
 */
struct config {
	/* section `socket` */
	char socket_path[108];
	/* permission bits; the default is 0660 (octal) */
	uint32_t socket_mode;
	char reader_path[108]; /* path of the read-only socket, or "" */
	uint32_t reader_mode;
	uint32_t max_clients;
	uint32_t client_timeout_ms;
	uint64_t max_upload_bytes; /* limit for POST /v1/extract */
	/* interval of heartbeats in idle event streams */
	uint32_t heartbeat_ms;
	/* maximum number of event streams and long-polling requests */
	uint32_t max_listeners;
	/* section `listen` */
	/* address in the form of daemon/runtime/tcp_address.h, or "" */
	char listen_address[64];
	/* path of a PEM file, or "" */
	char listen_certificate[MAX_CONFIG_TEXT];
	/* path of a PEM file, or "" */
	char listen_key[MAX_CONFIG_TEXT];
	/* host names, such as "a.example, b.example" */
	char listen_names[MAX_CONFIG_TEXT];
	/* URL of the web interface, without a slash at the end, or "" */
	char public_url[MAX_CONFIG_TEXT];
	/* requests per second for each token; 0 = unlimited */
	uint32_t listen_rate;
	uint32_t is_unencrypted; /* allow plaintext on non-loopback addresses */
	/* section `store` */
	char store_path[MAX_CONFIG_TEXT];
	uint64_t store_max_bytes;
	/*
	 * time limit for the check after an unclean stop; 0 = depends on the
	 * size
	 */
	uint64_t check_ms;
	struct retention_limits retention;
	/* how long the pages of a template that has ended are visited */
	uint64_t ended_ms;
	/* section `crawl` */
	char user_agent[256];
	uint32_t delay_ms;
	uint32_t robots_ttl_ms;
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms;
	uint32_t first_pause_ms; /* first pause after a failed request */
	uint32_t max_connections;
	uint32_t max_sites;
	uint32_t max_ingested_sites;
	uint32_t max_pages; /* maximum number of visited pages of a site */
	uint32_t max_urls;  /* maximum number of known URLs of a site */
	uint32_t max_depth;
	/* maximum bytes fetched from a site; 0 = unlimited */
	uint64_t max_bytes;
	uint64_t max_time_ms; /* maximum time of a crawl; 0 = unlimited */
	/*
	 * pages of a pattern without news before it is saturated; 0 = visit all
	 * pages
	 */
	uint32_t saturation;
	uint32_t max_pattern;
	/* interval between visits of a page; 0 = visit it only once */
	uint64_t revisit_ms;
	bool ignores_robots;
	bool no_sitemaps;
	bool no_probe;
	bool no_cookies;
	/* parameters to remove from URLs; the default is "common" */
	char drop_parameters[MAX_CONFIG_TEXT];
	struct port_list ports;
	char proxy[MAX_CONFIG_TEXT]; /* URL of a proxy, or "" */
	bool is_proxy_trusted;
	bool archives_credentials;     /* write credentials to WARC files */
	char ca_file[MAX_CONFIG_TEXT]; /* path of a file, or "" */
	char warc[MAX_CONFIG_TEXT];    /* folder for WARC files, or "" */
	uint64_t warc_bytes;           /* maximum size of a WARC file */
	/* maximum number of additional pages to fetch for a requested page */
	uint32_t max_neighbours;
	/* maximum time that a request with fetch=missing may wait */
	uint32_t ask_timeout_ms;
	/* networks that are allowed although they are private */
	struct network_list networks;
	/* section `watch` */
	uint64_t watch_ms;  /* interval between rounds; 0 = never */
	uint64_t gather_ms; /* window of an incident */
	/* time without a page after which a site is stale; 0 = never */
	uint64_t stale_ms;
	/* section `page` */
	uint64_t max_body_bytes;
	uint32_t max_nodes;
	uint32_t max_page_depth;
	uint32_t max_attributes;
	/* section `render` */
	char browser[MAX_CONFIG_TEXT]; /* path of a program, or "" */
	/* URL of a running browser, or "" */
	char endpoint[MAX_CONFIG_TEXT];
	uint64_t browser_bytes;       /* memory of each of its processes */
	uint64_t browser_total_bytes; /* memory of all of them */
	uint64_t max_render_bytes;
	uint32_t is_browser_insecure; /* without the browser's own sandbox */
	uint32_t browser_pages;       /* pages until the browser is replaced */
	uint32_t browser_idle_ms;
	uint32_t render_tabs;    /* pages at a time */
	uint32_t render_time_ms; /* virtual time of a page */
	uint32_t render_wall_ms; /* real time of a page */
	uint32_t max_render_requests;
	uint32_t loads_media;     /* load images, fonts and media */
	uint32_t has_screenshots; /* store screenshots of sample pages */
	/* sections `clustering` and `nodes` */
	enum measure measure;
	/* threshold of sites in permille, or THRESHOLD_AUTO */
	uint32_t threshold;
	uint32_t width; /* width of shingles; 0 = default of the measure */
	uint64_t max_signature;
	uint32_t max_sets;
	uint32_t max_leaves;
	uint32_t max_open_sites;
	uint32_t min_cluster_pages;
	/* number of replicas of a partition in the node group */
	uint32_t copies;
	/* URLs of the broker; "" = the daemon is no node of a group */
	char servers[MAX_CONFIG_TEXT];
	char node[64];      /* name of this node, or "" */
	char bus_user[128]; /* user name for the broker, or "" */
	char bus_password_file[MAX_CONFIG_TEXT];
	char bus_ca_file[MAX_CONFIG_TEXT];
	char bus_certificate_file[MAX_CONFIG_TEXT];
	char bus_key_file[MAX_CONFIG_TEXT];
	uint32_t log_replicas;
	uint32_t node_lease_ms;
	uint32_t capacity;
	/* address that other nodes use for this node, or "" */
	char node_address[256];
	char node_token_file[MAX_CONFIG_TEXT];
	/* path of the encryption key file, or "" */
	char secret_file[MAX_CONFIG_TEXT];
	/* folder or URL of the snapshot store, or "" */
	char snapshots[MAX_CONFIG_TEXT];
	char snapshots_key_file[MAX_CONFIG_TEXT];
	uint64_t log_bytes; /* maximum size of the log; 0 = unlimited */
	uint64_t snapshot_bytes;
	uint64_t events_kept_ms;
	uint64_t patience_ms;
	/* section `extract` */
	/* options of methods in the form of extract/extractors.h */
	char settings[MAX_CONFIG_TEXT];
	/* folder with files HOST.model, or "" */
	char models[MAX_CONFIG_TEXT];
	uint64_t max_learned_bytes;
	uint64_t max_bundle_bytes;
	/*
	 * section `guards`: limits of CPU time for each page; after parsing
	 * they are at most page_ms / 4
	 */
	uint32_t field_heal; /* enum field_heal of daemon/watch/field_check.h */
	uint32_t guard_ms;   /* limit for each guard */
	uint32_t guards_ms;  /* limit for all guards together */
	/* section `text` */
	uint64_t answer_cache_bytes;
	/* sections `workers` and `pipeline` */
	uint32_t workers; /* number of workers; 0 = one for each core */
	uint32_t page_ms; /* CPU time limit for each page */
	uint64_t page_memory_bytes;
	uint64_t max_waiting_bytes;
	uint32_t max_in_flight;
	uint32_t max_commands;
	uint32_t commit_interval_ms;
	/* interval between attempts to write to a full store */
	uint32_t full_retry_ms;
	uint32_t drain_ms;
	/* section `hooks` */
	uint32_t max_hooks;
	uint32_t max_waiting; /* maximum number of queued events of a hook */
	uint32_t max_silences;
	uint32_t delivery_timeout_ms; /* time limit for a request */
	uint32_t delivery_pause_ms;   /* first pause after a failed delivery */
	bool allows_exec;
	uint32_t exec_timeout_ms;
	/* networks that are allowed although they are private */
	struct network_list hook_networks;
	/* section `process` */
	char user[64]; /* name of an account, or "" */
	/* section `metrics` */
	uint32_t max_measured_sites;
	/* section `log` */
	uint32_t log_level;  /* value of enum log_level */
	uint32_t log_format; /* value of enum log_format */
};

/*
 * Set every field to its default. If the service manager sets $STATE_DIRECTORY
 * or $RUNTIME_DIRECTORY, they become the folder of the store or of the socket.
 */
void config_defaults(struct config *config_out);

/*
 * Set the configuration to the defaults, and then to the values in the YAML
 * file `path`; if `path` is NULL, only to the defaults. Settings of the service
 * manager override the file. These are the sockets named socket.path and
 * socket.read_only_path (daemon/runtime/systemd.h), and files in
 * $CREDENTIALS_DIRECTORY whose name is a key. The first line of such a file
 * becomes the value, for example of crawl.proxy; for listen.certificate and
 * listen.key, however, the path of the file becomes the value. On failure
 * *config_out is unchanged, and `message_out` gets a line for each of the first
 * 20 errors, such as "templated.yaml:12: crawl.delay: 2 parsecs is not a time
 * (ms, s, min, h, d)", "templated.yaml:7: crawl.dealy: unknown key; did you
 * mean delay?", "templated.yaml:9: clustering.threshold: 1.5 is above 1".
 * ERR_NOT_FOUND, ERR_IO, ERR_MALFORMED.
 */
enum error config_load(const char *path, struct config *config_out,
		       struct buffer *message_out);

/*
 * Parse the configuration in `bytes`. Messages use `name` as the name of the
 * file. Tags, anchors and aliases are not allowed. ERR_MALFORMED.
 * ERR_TOO_LARGE: over 1 MiB.
 */
enum error config_parse(struct slice bytes, const char *name,
			struct config *config_out, struct buffer *message_out);

/*
 * Set the fields of `config` that only a restart can change to their values in
 * `old`. Append the names of the fields that differed to `kept_out`, such as
 * "socket.path, store.path".
 */
void config_restore_fixed(struct config *config, const struct config *old,
			  struct buffer *kept_out);

/*
 * Return a copy of `config` that several threads can share and that is never
 * changed. The caller owns one reference to it.
 */
const struct config *config_share(const struct config *config);

/*
 * Add a reference to a shared configuration. The caller must have a reference,
 * or hold a lock that prevents the last reference from being released. Any
 * thread may call this.
 */
const struct config *config_acquire(const struct config *config);

/*
 * Release a reference. The last release frees the configuration. If `config` is
 * NULL, do nothing.
 */
void config_release(const struct config *config);

/*
 * Append the configuration as a commented YAML file that parses to the same
 * values.
 */
void config_print(const struct config *config, struct buffer *out);

/*
 * Return whether nodes use certificates to authenticate direct connections.
 * This is the case if this node has a certificate and the CA file for the other
 * nodes, and listens with TLS.
 */
bool config_certifies_nodes(const struct config *config);

#endif
